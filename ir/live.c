/* Which versions are wanted, and until when. */
#include "ir/live.h"

#include <assert.h>
#include <stdlib.h>

ir_ref *
ir_final_versions(const struct ir_trace *t) {
  ir_ref *final = mem_alloc(t->ndats + 1, sizeof *final);
  for (ir_ref d = 0; d < t->ndats; d++) final[d] = IR_NONE;
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_value *x = &t->values[v];
    assert(x->dat < t->ndats);
    if (x->def != IR_NONE && ir_deferred(&t->nodes[x->def])) continue;
    ir_ref *f = &final[x->dat];
    if (*f == IR_NONE || t->values[*f].version < x->version) *f = v;
  }
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (t->nodes[n].op == IR_FREE && !ir_deferred(&t->nodes[n]))
      final[ir_root(t, ir_args(t, &t->nodes[n])[0].dat)] = IR_NONE;
  return final;
}

static void
note_readers(const struct ir_trace *t, ir_ref *last) {
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (!ir_reads_data(node)) continue;
    ir_ref at = ir_deferred(node) ? t->nnodes : n;
    for (uint32_t a = 0; a < node->nargs; a++) {
      const struct ir_arg *arg = &ir_args(t, node)[a];
      if (!ir_arg_has_value(arg) || arg->in == IR_NONE) continue;
      assert(arg->in < t->nvalues);
      ir_ref *l = &last[ir_same(t, arg->in)];
      if (*l == IR_NONE || *l < at) *l = at;
    }
  }
}

struct ir_live
ir_live_build(const struct ir_trace *t) {
  struct ir_live l = {.last = mem_alloc(t->nvalues + 1, sizeof *l.last),
                      .stays = mem_alloc(t->nvalues + 1, sizeof *l.stays)};
  assert(l.last && l.stays);
  for (ir_ref v = 0; v < t->nvalues; v++) l.last[v] = IR_NONE;
  note_readers(t, l.last);
  SCOPED ir_ref *final = ir_final_versions(t);
  for (ir_ref d = 0; d < t->ndats; d++)
    if (final[d] != IR_NONE && !(t->dats[d].flags & IR_DAT_UNREAD))
      l.stays[ir_same(t, final[d])] = true;
  return l;
}

void
ir_live_free(struct ir_live *l) {
  free(l->last);
  free(l->stays);
  *l = (struct ir_live){0};
}
