/* Facts that passes ask for: who uses a version, what runs together, who shares
 * memory. */
#include "ir/ir.h"

#include <assert.h>
#include <stdlib.h>

/* ---- users ------------------------------------------------------------- */

/* Visit each (value, node) pair once, in node order: counts them in `count`,
 * and with `users` not NULL writes node to users[count++]. */
static void
uses_scan(const struct ir_trace *t, uint32_t *count, ir_ref *users,
          ir_ref *last) {
  for (ir_ref v = 0; v < t->nvalues; v++) last[v] = IR_NONE;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_arg *a = ir_args(t, &t->nodes[n]);
    for (uint32_t i = 0; i < t->nodes[n].nargs; i++) {
      ir_ref v = a[i].in;
      if (v == IR_NONE || last[v] == n) continue;
      last[v] = n;
      assert(v < t->nvalues);
      if (users) users[count[v]] = n;
      count[v]++;
    }
  }
}

struct ir_uses
ir_uses_build(const struct ir_trace *t) {
  struct ir_uses u;
  SCOPED ir_ref *last = mem_alloc(t->nvalues, sizeof *last);
  SCOPED uint32_t *at = mem_alloc((size_t)t->nvalues + 1, sizeof *at);
  u.start = mem_alloc((size_t)t->nvalues + 1, sizeof *u.start);
  uses_scan(t, at, NULL, last);
  for (ir_ref v = 0; v < t->nvalues; v++) u.start[v + 1] = u.start[v] + at[v];
  u.users = mem_alloc(u.start[t->nvalues], sizeof *u.users);
  for (ir_ref v = 0; v < t->nvalues; v++) at[v] = u.start[v];
  uses_scan(t, at, u.users, last);
  assert(!t->nvalues || at[t->nvalues - 1] == u.start[t->nvalues]);
  return u;
}

void
ir_uses_free(struct ir_uses *u) {
  free(u->users);
  free(u->start);
  *u = (struct ir_uses){0};
}

/* ---- two arguments ------------------------------------------------------- */

bool
ir_arg_written_beside(const struct ir_trace *t, ir_ref m,
                      const struct ir_arg *x, const struct ir_arg *y) {
  assert(m < t->nnodes && ir_arg_has_value(x) && ir_arg_has_value(y));
  bool anew = y->access == ACC_WRITE && y->in == IR_NONE && ir_arg_direct(y);
  return t->nodes[m].each && x->each && x->kind == IR_ARG_DAT &&
         x->access == ACC_READ && y->kind == IR_ARG_DAT && anew &&
         x->dat == y->dat &&
         !(t->dats[ir_root(t, x->dat)].flags & IR_DAT_PINNED);
}

/* ---- memory and units -------------------------------------------------- */

bool *
ir_overlaps_build(const struct ir_trace *t) {
  bool *overlaps = mem_alloc(t->ndats + 1, sizeof *overlaps);
  for (ir_ref d = 0; d < t->ndats; d++) {
    assert(ir_root(t, d) <= d);
    if (ir_root(t, d) != d) overlaps[ir_root(t, d)] = true;
  }
  return overlaps;
}

int32_t *
ir_units_build(const struct ir_trace *t, int32_t *n_out) {
  int32_t *of = mem_alloc(t->nnodes + 1, sizeof *of), n = 0;
  for (ir_ref i = 0, end; i < t->nnodes; i = end) {
    end = ir_unit_end(t, i);
    assert(i < end && end <= t->nnodes);
    if (ir_deferred(&t->nodes[i])) continue;
    n++;
    for (ir_ref k = i; k < end; k++) of[k] = n;
  }
  *n_out = n;
  return of;
}
