/* Verifier: what a region has in registers alone is made there, before it is
 * read. */
#include "ir/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What has been seen of one inline so far. */
struct parts {
  ir_ref dat, region; /* IR_NONE: it was not used */
  bool *made;         /* by part */
};

static void
check_part(struct ir_check *c, struct parts *p, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
  const struct ir_dat *d = &t->dats[p->dat];
  uint64_t end = (uint64_t)a->entry + ir_arg_count(a);
  if (a->map != IR_NONE || a->each || a->own || end > d->parts) {
    ir_bad_arg(c, n, k, "it names no parts of inline %%%s, which has %u",
               d->name, d->parts);
    return;
  }
  if (a->access != ACC_READ && a->access != ACC_WRITE)
    ir_bad_arg(c, n, k, "parts of inline %%%s are written or read", d->name);
  for (uint32_t i = a->entry; i < end; i++) {
    if (ir_arg_writes(a) == p->made[i])
      ir_bad_arg(c, n, k,
                 p->made[i] ? "part %u of inline %%%s is made twice"
                            : "part %u of inline %%%s is read before it is "
                              "made",
                 i, d->name);
    p->made[i] = true;
  }
}

static void
check_use(struct ir_check *c, struct parts *p, ir_ref n, uint32_t k) {
  const struct ir_node *node = &c->t->nodes[n];
  const struct ir_dat *d = &c->t->dats[p->dat];
  if (node->op != IR_LOOP || node->region == IR_NONE) {
    ir_bad_arg(c, n, k, "inline %%%s is used outside of regions", d->name);
    return;
  }
  if (p->region != IR_NONE && p->region != node->region)
    ir_bad_arg(c, n, k, "inline %%%s is used in another region than before",
               d->name);
  p->region = node->region;
  check_part(c, p, n, k);
}

void
ir_check_inlines(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  for (ir_ref d = 0; d < t->ndats; d++) {
    if (t->dats[d].kind != IR_INLINE) continue;
    struct parts p = {d, IR_NONE, mem_alloc(t->dats[d].parts, 1)};
    for (ir_ref n = 0; n < t->nnodes; n++)
      for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
        const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
        if (a->kind == IR_ARG_DAT && a->dat == d) check_use(c, &p, n, k);
      }
    free(p.made);
  }
}
