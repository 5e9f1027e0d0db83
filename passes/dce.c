/* Dce: drop loops whose results nobody can observe.
 *
 * Problem   Libraries of loops compute what their present user does not ask
 *           for: a temporary that is freed unread, an array that is written
 *           anew before anybody looked.
 *
 * Idea      A version is wanted if a wanted node reads it, if it is fetched, if
 *           it is live after the trace, or if a pending node (pass slice) will
 *           read it. Operands point backwards, so one walk from the last node
 *           to the first decides all. What keeps old contents alive needs no
 *           rule of its own: a partial WRITE, RW or INC names the old version
 *           as an operand, a full WRITE does not.
 *
 * Example   %adt.1 = loop @a (write %adt)     dropped: @b covers it unread
 *           %adt.2 = loop @b (write %adt)
 *           live %adt.2
 *           With `write %adt.1` in @b (a part of it) @a stays.
 *
 * Cost      O(nodes + arguments).
 *
 * Source    dead code elimination on static single assignment form, as in any
 *           compiler text (e.g. Cooper and Torczon, Engineering a Compiler,
 *           10.2).
 *
 * Limits    a loop with one wanted result computes the others, too. Opaque
 *           kernels and kernels with side effects stay, and so does what writes
 *           a raw pointer of the program that this has not overwritten since.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

/* Is it delivered to a raw pointer? */
static bool
dce_delivers(const struct ir_trace *t, const struct ir_arg *a) {
  uint32_t flags = t->dats[ir_root(t, a->dat)].flags;
  return flags & IR_DAT_RAW && !(flags & IR_DAT_UNREAD);
}

/* Is the node wanted for itself, whatever becomes of its results? */
static bool
dce_is_root(const struct ir_trace *t, const struct ir_node *n) {
  if (ir_op_info[n->op].root || ir_deferred(n)) return true;
  return n->op == IR_LOOP &&
         t->kernels[n->kernel].flags & (IR_KERNEL_EFFECTS | IR_KERNEL_OPAQUE);
}

static bool
dce_wanted(const struct ir_trace *t, const struct ir_node *n,
           const bool *wanted) {
  if (dce_is_root(t, n)) return true;
  const struct ir_arg *a = ir_args(t, n), *end = a + n->nargs;
  for (; a < end; a++)
    if (ir_arg_has_value(a) && a->out != IR_NONE &&
        (wanted[a->out] || dce_delivers(t, a)))
      return true;
  return false;
}

static void
dce_want_operands(const struct ir_trace *t, const struct ir_node *n,
                  bool *wanted) {
  const struct ir_arg *a = ir_args(t, n), *end = a + n->nargs;
  for (; a < end; a++)
    if (ir_arg_has_value(a) && a->in != IR_NONE) wanted[a->in] = true;
}

/* Mark in keep[] what stays; returns how many. A FREE stays but wants
 * nothing. */
static ir_ref
dce_mark(const struct ir_trace *t, bool *keep) {
  bool *wanted = mem_alloc(t->nvalues + 1, sizeof *wanted);
  ir_ref n_keep = 0;
  for (ir_ref i = t->nnodes; i-- > 0;) {
    const struct ir_node *n = &t->nodes[i];
    bool want = n->op != IR_FREE && dce_wanted(t, n, wanted);
    if (want) dce_want_operands(t, n, wanted);
    keep[i] = want || n->op == IR_FREE;
    n_keep += keep[i];
  }
  free(wanted);
  return n_keep;
}

static void
dce_remark(struct ir_trace *t, ir_ref i) {
  assert(i < t->nnodes && !dce_is_root(t, &t->nodes[i]));
  const struct ir_node *n = &t->nodes[i];
  for (uint32_t a = 0; a < n->nargs; a++) {
    const struct ir_arg *arg = &ir_args(t, n)[a];
    if (!ir_arg_has_value(arg) || arg->out == IR_NONE) continue;
    ir_remark(t, "dce: %s is dropped: nobody can see %s", pass_node_text(t, i),
              pass_value_text(t, arg->out));
    return;
  }
  ir_remark(t, "dce: %s is dropped: it has no result", pass_node_text(t, i));
}

bool
pass_dce(struct ir_trace *t, const struct pass_ctx *c) {
  (void)c;
  bool *keep = mem_alloc(t->nnodes + 1, sizeof *keep);
  ir_ref *perm = mem_alloc(t->nnodes + 1, sizeof *perm);
  ir_ref n_keep = dce_mark(t, keep), n_all = t->nnodes, at = 0;
  for (ir_ref i = 0; i < t->nnodes; i++) {
    perm[i] = keep[i] ? at++ : IR_NONE;
    if (!keep[i]) dce_remark(t, i);
  }
  assert(at == n_keep);
  if (n_keep < t->nnodes) pass_reorder(t, perm, n_keep);
  free(perm);
  free(keep);
  return at < n_all;
}
