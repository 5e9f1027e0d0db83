/* Verifier: sums over ranks begin, and are whole where they are used. A text in
 * which none begins does not say where ranks join them. */
#include "ir/check.h"

#include <stdlib.h>

/* BEGIN, REDUCE. `is`, by root: how its parts are combined; READ: whole. */
static void
check_turn(struct ir_check *c, ir_ref n, uint8_t *is) {
  const struct ir_trace *t = c->t;
  bool begins = t->nodes[n].op == IR_BEGIN;
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
    const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
    uint8_t *now = &is[ir_root(t, a->dat)], as = ir_sum_access(t, n, a);
    if (begins != (*now == ACC_READ))
      ir_bad_arg(c, n, k,
                 begins ? "ranks have parts of %s already"
                        : "%s is whole already",
                 ir_value_text(t, a->in));
    if (as == ACC_READ)
      ir_bad_arg(c, n, k, "no loop adds to %s", ir_value_text(t, a->in));
    *now = begins ? as : ACC_READ;
  }
}

static void
check_uses(struct ir_check *c, ir_ref first, ir_ref end, const uint8_t *is) {
  const struct ir_trace *t = c->t;
  for (ir_ref n = first; n < end; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (a->kind != IR_ARG_GBL && a->kind != IR_ARG_INFO) continue;
      ir_ref root = ir_root(t, a->dat);
      uint8_t use = ir_sum_use(t, first, end, root);
      if (use == ACC_WORK || use == is[root]) continue;
      ir_bad_arg(c, n, k,
                 is[root] == ACC_READ ? "%%%s gets parts of ranks, but no begin"
                                      : "%%%s is used, but ranks have parts",
                 t->dats[root].name);
    }
}

static bool
any_begins(const struct ir_trace *t) {
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (t->nodes[n].op == IR_BEGIN || t->nodes[n].op == IR_REDUCE) return true;
  return false;
}

void
ir_check_sums(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  uint8_t *is = mem_alloc(t->ndats + 1, 1);
  for (ir_ref d = 0; d < t->ndats; d++) is[d] = ACC_READ;
  ir_ref end = any_begins(t) ? 0 : t->nnodes;
  for (ir_ref n = end; n < t->nnodes && !ir_deferred(&t->nodes[n]); n = end) {
    end = ir_unit_end(t, n);
    if (t->nodes[n].op == IR_BEGIN || t->nodes[n].op == IR_REDUCE)
      check_turn(c, n, is);
    else if (ir_dropped(t, n) != IR_NONE)
      is[ir_dropped(t, n)] = ACC_READ;
    else
      check_uses(c, n, end, is);
  }
  for (ir_ref d = 0; d < t->ndats; d++)
    if (is[d] != ACC_READ)
      ir_bad(c, "ranks have parts of %%%s in the end", t->dats[d].name);
  free(is);
}
