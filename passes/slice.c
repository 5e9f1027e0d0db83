/* Slice: keep what the requested versions need, leave the rest pending.
 *
 * Problem   The program looks at one dat while loops on many others wait.
 *           Running all of them is correct but gives away what waiting is for:
 *           loops that could have fused with what comes next run alone now.
 *
 * Idea      Walk backwards from what is looked at. A node is needed if a needed
 *           node reads a version that it defines (RAW). That is not enough: the
 *           nodes that stay pending run *after* the kept ones, so a kept node
 *           may not replace a version that a pending node still has to read
 *           (WAR), nor define a version past one that a pending node defines
 *           (WAW). Hence: once a node that writes dat d is needed, everything
 *           before it that touches d is needed, too. In consequence the kept
 *           writers of each dat are the first ones, so version numbers stay
 *           what they are, and a pending node finds its operands in the last
 *           versions that ran.
 *
 *           Roots are FETCH nodes, loops with side effects (which need all that
 *           stands before them) and nodes that were left out twice (overdue).
 *           The LIVE node is a root only in a trace without FETCH: such a trace
 *           is a flush, and nothing of it stays pending. In a look LIVE stands
 *           behind the kept nodes and names the last versions that they leave.
 *
 * Example   %q.1 = loop @a (write %q)            kept: FETCH needs it
 *           %r.1 = loop @b (read %q.1, write %r) kept: @c replaces %q.1
 *           %q.2 = loop @c (write %q)            kept
 *           %s.1 = loop @d (write %s)            deferred
 *           fetch %q.2
 *
 * Cost      O(nodes + arguments): each dat's list of users is walked once, by
 *           one finger that only moves forward.
 *
 * Source    slicing over versions is static single assignment seen backwards;
 *           the rule for overwritten versions is this library's (a lazy runtime
 *           has pending readers, a compiler has not).
 *
 * Limits    pass storage might give the new version another buffer, so that the
 *           pending reader could wait; that is not looked at here.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

struct slice {
  struct ir_trace *t;
  ir_ref *touch; /* nodes that touch root r: [start[r], start[r+1]) */
  uint32_t *start;
  uint32_t *finger; /* per root: users before it are needed already */
  ir_ref all;       /* nodes before it are needed already */
  bool *needed;
  ir_ref *stack; /* needed, operands not followed yet */
  uint32_t nstack;
};

/* Nodes that take part in the slice: FREE and LIVE follow it. */
static bool
slice_counts(const struct ir_node *n) {
  return n->op != IR_FREE && n->op != IR_LIVE;
}

static void
slice_need(struct slice *s, ir_ref n) {
  if (s->needed[n] || !slice_counts(&s->t->nodes[n])) return;
  assert(s->nstack < s->t->nnodes);
  s->needed[n] = true;
  s->stack[s->nstack++] = n;
}

/* List for each root the nodes that touch it, in order. */
static void
slice_index(struct slice *s) {
  struct ir_trace *t = s->t;
  s->start = mem_alloc(t->ndats + 2, sizeof *s->start);
  s->finger = mem_alloc(t->ndats + 1, sizeof *s->finger);
  s->touch = mem_alloc(t->nargs + 1, sizeof *s->touch);
  for (int fill = 0; fill < 2; fill++) {
    for (ir_ref i = 0; i < t->nnodes; i++) {
      const struct ir_node *n = &t->nodes[i];
      const struct ir_arg *args = ir_args(t, n);
      for (uint32_t a = 0; slice_counts(n) && a < n->nargs; a++) {
        if (!ir_arg_has_value(&args[a])) continue;
        ir_ref r = ir_root(t, args[a].dat);
        if (fill)
          s->touch[s->finger[r]++] = i;
        else
          s->start[r + 1]++;
      }
    }
    for (ir_ref r = 0; r < t->ndats; r++) {
      if (!fill) s->start[r + 1] += s->start[r];
      s->finger[r] = s->start[r];
    }
  }
}

/* All before node n that touch root r. */
static void
slice_need_touching(struct slice *s, ir_ref r, ir_ref n) {
  assert(r < s->t->ndats && n < s->t->nnodes);
  uint32_t end = s->start[r + 1];
  while (s->finger[r] < end && s->touch[s->finger[r]] < n)
    slice_need(s, s->touch[s->finger[r]++]);
}

/* What a needed node drags along. */
static void
slice_follow(struct slice *s, ir_ref i) {
  struct ir_trace *t = s->t;
  const struct ir_node *n = &t->nodes[i];
  const struct ir_arg *args = ir_args(t, n);
  if (ir_has_effects(t, n))
    while (s->all < i) slice_need(s, s->all++);
  for (uint32_t a = 0; a < n->nargs; a++) {
    if (!ir_arg_has_value(&args[a])) continue;
    if (args[a].in != IR_NONE && t->values[args[a].in].def != IR_NONE)
      slice_need(s, t->values[args[a].in].def);
    if (args[a].out != IR_NONE)
      slice_need_touching(s, ir_root(t, args[a].dat), i);
  }
}

static void
slice_close(struct slice *s) {
  const struct ir_trace *t = s->t;
  for (ir_ref i = 0; i < t->nnodes; i++)
    if (t->nodes[i].op == IR_FETCH || t->nodes[i].flags & IR_NODE_OVERDUE ||
        ir_has_effects(t, &t->nodes[i]))
      slice_need(s, i);
  while (s->nstack) slice_follow(s, s->stack[--s->nstack]);
}

/* A temporary's end waits for its pending users; LIVE never waits. */
static void
slice_ends(struct slice *s) {
  struct ir_trace *t = s->t;
  for (ir_ref i = 0; i < t->nnodes; i++) {
    const struct ir_node *n = &t->nodes[i];
    if (slice_counts(n)) continue;
    s->needed[i] = true;
    if (n->op != IR_FREE) continue;
    ir_ref r = ir_root(t, ir_args(t, n)->dat);
    for (uint32_t k = s->start[r]; k < s->start[r + 1]; k++)
      s->needed[i] &= s->needed[s->touch[k]];
  }
}

static bool
slice_is_flush(const struct ir_trace *t) {
  for (ir_ref i = 0; i < t->nnodes; i++)
    if (t->nodes[i].op == IR_FETCH) return false;
  return true;
}

static bool
slice_all_needed(const struct slice *s) {
  for (ir_ref i = 0; i < s->t->nnodes; i++)
    if (!s->needed[i]) return false;
  return true;
}

/* Needed nodes first, then the others, both in their order. */
static void
slice_move(struct slice *s) {
  struct ir_trace *t = s->t;
  ir_ref *perm = mem_alloc(t->nnodes + 1, sizeof *perm);
  ir_ref at = 0;
  for (int deferred = 0; deferred < 2; deferred++)
    for (ir_ref i = 0; i < t->nnodes; i++)
      if (s->needed[i] != deferred) perm[i] = at++;
  assert(at == t->nnodes);
  for (ir_ref i = 0; i < t->nnodes; i++) {
    if (s->needed[i]) continue;
    t->nodes[i].flags |= IR_NODE_DEFERRED;
    if (t->nodes[i].op == IR_LOOP)
      ir_remark(t, "slice: %s stays pending: nothing looked at needs it",
                pass_node_text(t, i));
  }
  pass_check_order(t, perm);
  pass_reorder(t, perm, t->nnodes);
  free(perm);
}

bool
pass_slice(struct ir_trace *t, const struct pass_ctx *c) {
  (void)c;
  bool changed = false;
  for (ir_ref i = 0; i < t->nnodes; i++) {
    changed |= ir_deferred(&t->nodes[i]);
    t->nodes[i].flags &= (uint8_t)~IR_NODE_DEFERRED;
  }
  if (slice_is_flush(t)) return changed;
  struct slice s = {.t = t};
  s.needed = mem_alloc(t->nnodes + 1, sizeof *s.needed);
  s.stack = mem_alloc(t->nnodes + 1, sizeof *s.stack);
  slice_index(&s);
  slice_close(&s);
  slice_ends(&s);
  bool all = slice_all_needed(&s); /* then all stay where they are */
  if (!all) slice_move(&s);
  free(s.touch), free(s.start), free(s.finger);
  free(s.needed), free(s.stack);
  return changed || !all;
}
