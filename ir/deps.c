/* Dependences between nodes, read off their versions.
 *
 * problem  A pass that moves loops must know which pairs may not change places.
 * idea     Versions of one storage count its writes in program order. For node
 *          a before node b, and one argument of each on the same storage:
 *            b needs version u, a made w <= u   b sees a's write        RAW
 *            a needs version u, b made w > u    b overwrites what a saw WAR
 *            a made w, b made a later one       the last write stays    WAW
 *          Two arguments with one commuting access to one declaration (both
 *          READ, both INC, ...) are skipped: the column `commutes` of
 *          base/access.def is all there is to know about it, but for a MIN or
 *          MAX with a payload: that one is taken where the running value
 *          improves, so what others made of it before shows.
 * example  %res.1 = loop @a (inc %res.0), %res.2 = loop @b (inc %res.1),
 *          loop @c (read %res.2): a and b are free, c stays after both,
 *          although its operand names only b: hence `w <= u`, not `w == u`.
 * cost     O(args(a) * args(b)).
 * limits   Whole storages: disjoint parts of a dat are taken as one thing. Two
 *          versions in one buffer (`same`) are not a dependence, since pass
 *          storage gives the second a buffer of its own where that matters.
 */
#include "ir/inner.h"

#include <assert.h>

static bool
both_commute(const struct ir_arg *x, const struct ir_arg *y) {
  assert(x->access < ACC_COUNT && y->access < ACC_COUNT);
  if (x->access != y->access || !access_info[x->access].commutes) return false;
  return x->dat == y->dat || !access_info[x->access].writes;
}

/* Version number of v, or `none`. */
static int64_t
version_of(const struct ir_trace *t, ir_ref v, int64_t none) {
  assert(v == IR_NONE || v < t->nvalues);
  return v == IR_NONE ? none : (int64_t)t->values[v].version;
}

/* Argument x of the earlier node against y of the later one. */
static unsigned
arg_dep(const struct ir_trace *t, const struct ir_arg *x,
        const struct ir_arg *y, ir_ref *value_out) {
  if (ir_root(t, x->dat) != ir_root(t, y->dat)) return 0;
  int64_t x_in = version_of(t, x->in, INT64_MAX);
  int64_t x_out = version_of(t, x->out, INT64_MAX);
  int64_t y_in = version_of(t, y->in, -1), y_out = version_of(t, y->out, -1);
  unsigned dep = 0;
  if (x_out <= y_in) {
    dep |= IR_DEP_RAW;
    *value_out = y->in;
  }
  if (x_in < y_out) {
    dep |= IR_DEP_WAR;
    if (dep == IR_DEP_WAR) *value_out = x->in;
  }
  if (x_out < y_out) {
    dep |= IR_DEP_WAW;
    if (dep == IR_DEP_WAW) *value_out = y->out;
  }
  return dep;
}

/* A FREE stays after all that touches what it ends. */
static unsigned
free_dep(const struct ir_node *b, const struct ir_arg *y, ir_ref *value_out) {
  if (b->op != IR_FREE) return 0;
  *value_out = y->in;
  return IR_DEP_WAR;
}

unsigned
ir_dep(const struct ir_trace *t, ir_ref a, ir_ref b, ir_ref *value_out) {
  assert(a < b && b < t->nnodes);
  const struct ir_node *na = &t->nodes[a], *nb = &t->nodes[b];
  const struct ir_arg *x = ir_args(t, na), *y = ir_args(t, nb);
  ir_ref value = IR_NONE;
  unsigned dep =
      ir_has_effects(t, na) || ir_has_effects(t, nb) ? IR_DEP_EFFECT : 0;
  for (uint32_t i = 0; i < na->nargs; i++)
    for (uint32_t k = 0; k < nb->nargs; k++) {
      if (!ir_arg_has_value(&x[i]) || !ir_arg_has_value(&y[k])) continue;
      ir_ref through = IR_NONE;
      bool free = both_commute(&x[i], &y[k]) &&
                  !ir_arg_has_payload(t, na, &x[i]) &&
                  !ir_arg_has_payload(t, nb, &y[k]);
      unsigned d = free ? 0 : arg_dep(t, &x[i], &y[k], &through);
      if (!d && ir_root(t, x[i].dat) == ir_root(t, y[k].dat))
        d = free_dep(nb, &y[k], &through);
      if (d && value == IR_NONE) value = through;
      dep |= d;
    }
  if (value_out) *value_out = value;
  return dep;
}
