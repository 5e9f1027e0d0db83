/* Verifier: no buffer is overwritten before its last reader.
 *
 * problem  Two versions may share memory only one after another. Whether they
 *          do depends on where both are defined, on everybody who reads the
 *          first, on regions (in which loops interleave) and on who looks at
 *          the end.
 * idea     For each reader of a version, and each other content that is put
 *          into the same buffer later: the reader must come first. Inside one
 *          region "first" means: at the same element (an element loads all it
 *          needs before it stores anything). What is fetched, live, wanted by a
 *          pending node, or the content of a dat that the trace leaves alone,
 *          is read at the end.
 * example  %q.1 = loop @a (write %q)          buffer #0 : %q.0 %q.1
 *          loop @b (read %q.0)                @b reads what @a overwrote
 * cost     O(readers * members of the buffer).
 */
#include "ir/check.h"

#include <assert.h>
#include <stdlib.h>

enum { AT_END = INT32_MAX }; /* a reader after the last node */

struct buffers {
  ir_ref *first; /* by buffer: a member; IR_NONE: none */
  ir_ref *next;  /* by value: the next member of its buffer */
};

static struct buffers
list_members(const struct ir_trace *t) {
  struct buffers b = {mem_alloc(t->nbuffers, sizeof *b.first),
                      mem_alloc(t->nvalues, sizeof *b.next)};
  for (ir_ref i = 0; i < t->nbuffers; i++) b.first[i] = IR_NONE;
  for (ir_ref v = t->nvalues; v-- > 0;) {
    ir_ref i = t->values[v].buffer;
    if (i == IR_NONE) continue;
    assert(i < t->nbuffers); /* ir_check_refs */
    b.next[v] = b.first[i];
    b.first[i] = v;
  }
  return b;
}

/* Node that put the data of v where they are; -1: there from the start. */
static int64_t
data_def(const struct ir_trace *t, ir_ref v) {
  ir_ref def = t->values[ir_same(t, v)].def;
  return def == IR_NONE ? -1 : (int64_t)def;
}

/* ---- members ----------------------------------------------------------- */

static void
check_buffer(struct ir_check *c, const struct buffers *b, ir_ref i) {
  const struct ir_trace *t = c->t;
  const struct ir_dat *shape = &t->dats[t->buffers[i].dat];
  bool initial = false, owner = false;
  if (b->first[i] == IR_NONE) ir_bad(c, "buffer #%u has no members", i);
  for (ir_ref v = b->first[i]; v != IR_NONE; v = b->next[v]) {
    const struct ir_value *x = &t->values[v];
    if (t->dats[x->dat].kind != IR_DAT ||
        !ir_same_shape(shape, &t->dats[x->dat]))
      ir_bad(c, "buffer #%u does not have the shape of %s", i,
             ir_value_text(t, v));
    if (ir_same(t, v) != v && t->values[ir_same(t, v)].buffer != i)
      ir_bad(c, "%s is the same as %s, but not in its buffer",
             ir_value_text(t, v), ir_value_text(t, ir_same(t, v)));
    initial |= x->version == 0;
    owner |= x->version == 0 && x->dat == t->buffers[i].dat;
  }
  if (initial != t->buffers[i].initial || (initial && !owner))
    ir_bad(c,
           "buffer #%u: initial buffers belong to a dat whose version 0 they "
           "hold, others hold no version 0",
           i);
}

/* Two contents that come to be in one buffer at the same time. */
static void
check_clash(struct ir_check *c, const struct buffers *b, ir_ref i) {
  const struct ir_trace *t = c->t;
  for (ir_ref v = b->first[i]; v != IR_NONE; v = b->next[v])
    for (ir_ref w = b->next[v]; w != IR_NONE; w = b->next[w])
      if (ir_same(t, v) != ir_same(t, w) && data_def(t, v) == data_def(t, w))
        ir_bad(c, "buffer #%u holds %s and %s at the same time", i,
               ir_value_text(t, v), ir_value_text(t, w));
}

/* ---- readers ----------------------------------------------------------- */

static bool
same_unit(const struct ir_trace *t, int64_t m, int64_t n) {
  if (m == n) return true;
  if (n == AT_END || m < 0) return false;
  return t->nodes[m].region != IR_NONE &&
         t->nodes[m].region == t->nodes[n].region;
}

static bool
writes_direct(const struct ir_trace *t, ir_ref n, ir_ref v) {
  const struct ir_arg *a = ir_args(t, &t->nodes[n]);
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
    if (a[k].out == v && !ir_arg_direct(&a[k])) return false;
  return true;
}

/* How a reader looks: at any element; at one of its own, by an entry of an
 * injective map; at the loop's element itself, or it combines. */
enum look { LOOK_ANY, LOOK_ENTRY, LOOK_DIRECT };

/* May content w, defined by node def, stand in the buffer for a reader of v at
 * node n, by argument a? NULL: by none. */
static bool
still_there(const struct ir_trace *t, ir_ref v, ir_ref w, int64_t n,
            enum look look, const struct ir_arg *a) {
  int64_t def = data_def(t, w);
  if (ir_same(t, v) == ir_same(t, w) || def <= data_def(t, v)) return true;
  if (ir_deferred(&t->nodes[def])) return true;
  if (!same_unit(t, def, n)) return n < def;
  if (t->values[v].dat == t->values[ir_same(t, w)].dat)
    return look == LOOK_DIRECT || n == def || /* one dat: check_regions */
           (look == LOOK_ENTRY && ir_writes_beside(t, &t->nodes[def], a));
  return look == LOOK_DIRECT && writes_direct(t, (ir_ref)def, ir_same(t, w));
}

/* Someone at node n (AT_END: after all) reads v: who has overwritten it? */
static void
check_reader(struct ir_check *c, const struct buffers *b, ir_ref v, int64_t n,
             enum look look, const struct ir_arg *a, const char *who) {
  const struct ir_trace *t = c->t;
  ir_ref i = t->values[v].buffer;
  if (i == IR_NONE) return;
  for (ir_ref w = b->first[i]; w != IR_NONE; w = b->next[w])
    if (!still_there(t, v, w, n, look, a))
      ir_bad(c, "buffer #%u: %s is read by %s after node %lld put %s there", i,
             ir_value_text(t, v), who, (long long)data_def(t, w),
             ir_value_text(t, w));
}

/* Does the argument work on data that need memory? */
static bool
needs_memory(const struct ir_trace *t, const struct ir_node *n,
             const struct ir_arg *a) {
  return a->kind == IR_ARG_DAT && t->dats[a->dat].kind == IR_DAT &&
         ir_reads_data(n) && !ir_deferred(n);
}

static void
check_arg(struct ir_check *c, const struct buffers *b, ir_ref n, uint32_t k) {
  const struct ir_trace *t = c->t;
  const struct ir_node *node = &t->nodes[n];
  const struct ir_arg *a = &ir_args(t, node)[k];
  if (needs_memory(t, node, a)) {
    if (a->in != IR_NONE && t->values[a->in].buffer == IR_NONE)
      ir_bad_arg(c, n, k, "%s has no buffer", ir_value_text(t, a->in));
    if (a->out != IR_NONE && t->values[a->out].buffer == IR_NONE)
      ir_bad_arg(c, n, k, "%s has no buffer", ir_value_text(t, a->out));
    if (a->in != IR_NONE && a->out != IR_NONE && !ir_updates_all(t, node, a) &&
        ir_buffer_of(t, a->in) != ir_buffer_of(t, a->out))
      ir_bad_arg(c, n, k, "%s keeps some of %s, but lies elsewhere",
                 ir_value_text(t, a->out), ir_value_text(t, a->in));
  }
  if (a->in == IR_NONE || (!ir_reads_data(node) && !ir_deferred(node))) return;
  bool end = ir_deferred(node) || ir_op_info[node->op].root;
  SCOPED_STR who = STR_INIT;
  str_printf(&who, "node %u", n);
  bool own = ir_arg_direct(a) || ir_arg_in_column(t, a);
  enum look look = own || a->access != ACC_READ ? LOOK_DIRECT
                   : ir_arg_one_to_one(t, a)    ? LOOK_ENTRY
                                                : LOOK_ANY;
  check_reader(c, b, a->in, end ? AT_END : (int64_t)n, look, a, who.s);
}

/* ---- what the trace leaves alone --------------------------------------- */

/* by root: written by a node that runs, or freed */
static bool *
list_touched(const struct ir_trace *t) {
  bool *touched = mem_alloc(t->ndats, sizeof *touched);
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    const struct ir_arg *a = ir_args(t, node);
    for (uint32_t k = 0; k < node->nargs; k++)
      if (ir_arg_has_value(&a[k]) && !ir_deferred(node) &&
          (a[k].out != IR_NONE || node->op == IR_FREE))
        touched[ir_root(t, a[k].dat)] = true;
  }
  return touched;
}

static void
check_untouched(struct ir_check *c, const struct buffers *b) {
  const struct ir_trace *t = c->t;
  SCOPED bool *touched = list_touched(t);
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (t->values[v].version == 0 && !touched[t->values[v].dat])
      check_reader(c, b, v, AT_END, LOOK_ANY, NULL,
                   "whoever looks after the trace");
}

void
ir_check_buffers(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  if (!t->nbuffers) return; /* pass storage has not run */
  struct buffers b = list_members(t);
  for (ir_ref i = 0; i < t->nbuffers; i++) {
    check_buffer(c, &b, i);
    check_clash(c, &b, i);
  }
  for (ir_ref n = 0; n < t->nnodes; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) check_arg(c, &b, n, k);
  check_untouched(c, &b);
  free(b.first);
  free(b.next);
}
