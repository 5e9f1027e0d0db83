/* Rename: a loop that only copies a dat becomes a second name for it.
 *
 * Problem   Time steppers save the state before they change it: qold = q, for
 *           every element, then q = qold - .... The copy reads and writes all
 *           of q, yet nobody needs two arrays while they hold the same.
 *
 * Idea      Replace the loop by an ALIAS node, which moves nothing: the new
 *           version of the target is `same` as the version of the source. Who
 *           writes either name next decides what it costs: pass storage gives a
 *           full write a buffer of its own, and makes the copy after all only
 *           for a write that keeps part of the old data while the other name is
 *           still wanted.
 *
 * Example   %qold.1 = loop @save_soln over %cells (read %q.0, write %qold)
 *           becomes
 *           %qold.1 = alias read %q.0, write %qold
 *
 * Cost      O(nodes + values). Saves reading and writing the dat once per copy.
 *
 * Source    copy propagation on static single assignment form; double buffering
 *           by exchange of pointers is its by-product.
 *
 * Limits    only whole dats of one shape (set, type, dim, layout) that own
 *           their memory alone; the kernel must be proven to copy and do no
 *           more.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

/* Two dats whose buffers may change places. */
static bool
rename_same_shape(const struct ir_dat *a, const struct ir_dat *b) {
  return a->set == b->set && type_same(a->type, b->type) && a->dim == b->dim &&
         a->block == b->block && a->device == b->device;
}

static const char *
rename_why_not(const struct ir_trace *t, const struct ir_node *n,
               const struct ir_arg *src, const struct ir_arg *dst,
               const bool *overlaps) {
  assert(ir_root(t, src->dat) != ir_root(t, dst->dat));
  const struct ir_dat *from = &t->dats[src->dat], *to = &t->dats[dst->dat];
  if (!ir_arg_direct(src) || !ir_arg_direct(dst))
    return "it goes through a map";
  if (from->set != n->set || to->set != n->set) return "it runs over a part";
  if (!rename_same_shape(from, to)) return "the shapes differ";
  if ((from->flags | to->flags) & IR_DAT_PINNED)
    return "the user holds the memory";
  if (overlaps[from->root] || overlaps[to->root])
    return "several dats share the memory";
  if (dst->in != IR_NONE) return "it does not write all of it";
  return NULL;
}

static bool
rename_is_copy(const struct ir_trace *t, const struct ir_node *n) {
  if (n->op != IR_LOOP || ir_deferred(n) || n->nargs != 2) return false;
  assert(n->kernel < t->nkernels);
  const struct ir_kernel *k = &t->kernels[n->kernel];
  if (k->copy_from + k->copy_to != 1 || k->copy_from * k->copy_to != 0)
    return false;
  const struct ir_arg *src = ir_args(t, n) + k->copy_from;
  const struct ir_arg *dst = ir_args(t, n) + k->copy_to;
  return src->kind == IR_ARG_DAT && dst->kind == IR_ARG_DAT &&
         src->access == ACC_READ && dst->access == ACC_WRITE &&
         ir_root(t, src->dat) != ir_root(t, dst->dat);
}

static void
rename_node(struct ir_trace *t, ir_ref i, const struct ir_arg *src,
            const struct ir_arg *dst) {
  assert(src->in != IR_NONE && dst->in == IR_NONE && dst->out != IR_NONE);
  struct ir_node *n = &t->nodes[i];
  ir_remark(t, "rename: %s is a second name of %s, no copy made: %s",
            t->dats[dst->dat].name, t->dats[src->dat].name,
            pass_node_text(t, i));
  struct ir_arg args[2] = {*src, *dst};
  ir_args(t, n)[0] = args[0];
  ir_args(t, n)[1] = args[1];
  n->op = IR_ALIAS;
  n->kernel = n->set = IR_NONE;
  n->target = NULL;
  n->flags &= (uint8_t)~IR_NODE_SERIAL;
  t->values[args[1].out].same = args[0].in;
}

/* Follow chains of names down to the version that holds the data. Each step of
 * a chain points to an earlier version, and is shortened for those behind
 * it. */
static void
rename_resolve(struct ir_trace *t) {
  for (ir_ref v = 0; v < t->nvalues; v++) {
    ir_ref data = v;
    while (t->values[data].same != data) data = t->values[data].same;
    for (ir_ref u = v, next; u != data; u = next) {
      next = t->values[u].same;
      t->values[u].same = data;
    }
  }
}

bool
pass_rename(struct ir_trace *t, const struct pass_ctx *c) {
  uint32_t renamed = 0;
  for (ir_ref i = 0; i < t->nnodes; i++) {
    const struct ir_node *n = &t->nodes[i];
    if (!rename_is_copy(t, n)) continue;
    const struct ir_kernel *k = &t->kernels[n->kernel];
    const struct ir_arg *src = ir_args(t, n) + k->copy_from;
    const struct ir_arg *dst = ir_args(t, n) + k->copy_to;
    const char *why = rename_why_not(t, n, src, dst, c->overlaps);
    renamed += !why;
    if (why)
      ir_remark(t, "rename: %s stays a loop: %s", pass_node_text(t, i), why);
    else
      rename_node(t, i, src, dst);
  }
  rename_resolve(t);
  return renamed > 0;
}
