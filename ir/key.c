/* The structural key of a trace.
 *
 * problem  Caches ask "the same trace as before?" often, and must not be wrong:
 *          a hash that agrees by chance runs the wrong program.
 * idea     A word string that is the trace, without what may differ: set sizes
 *          and call locations. Each list starts with its length and each name
 *          with its, so that two different traces never give the same words.
 * example  set %cells n=8 -> [1 set] [length 5] ["cells" padded to 8 bytes]
 * cost     O(trace), and a sort of the versions; five words for an argument.
 * limits   Versions are named by dat and number and the members of buffers and
 *          classes by what they print as, so that the order in which values
 *          were made does not matter. Remarks and tags are not part of it.
 */
#include "ir/inner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void
key_word(struct str *out, uint64_t word) {
  str_addn(out, (const char *)&word, sizeof word);
}

/* Two 32-bit facts in one word. */
static void
key_pair(struct str *out, uint32_t a, uint32_t b) {
  key_word(out, (uint64_t)a << 32 | b);
}

static void
key_text(struct str *out, const char *text) {
  static const char zeros[8];
  size_t n = strlen(text);
  key_word(out, n);
  str_addn(out, text, n);
  str_addn(out, zeros, (8 - n % 8) % 8);
}

static void
key_value(const struct ir_trace *t, ir_ref v, struct str *out) {
  if (v == IR_NONE)
    key_pair(out, IR_NONE, IR_NONE);
  else
    key_pair(out, t->values[v].dat, t->values[v].version);
}

static void
key_dat(const struct ir_trace *t, const struct ir_dat *d, struct str *out) {
  struct reach r = ir_in_parts(t, d) ? d->reach : REACH_FULL;
  key_text(out, d->name);
  key_pair(out, d->kind, d->set);
  key_pair(out, d->type.kind, d->type.size);
  key_pair(out, d->dim, d->block);
  key_text(out, d->at ? d->at : "");
  key_pair(out, d->flags, d->root);
  key_pair(out, (uint32_t)r.own, (uint32_t)r.via);
}

static void
key_declarations(const struct ir_trace *t, struct str *out) {
  key_word(out, t->nsets);
  for (ir_ref i = 0; i < t->nsets; i++) {
    key_text(out, t->sets[i].name);
    key_word(out, t->sets[i].flags);
  }
  key_word(out, t->nmaps);
  for (ir_ref i = 0; i < t->nmaps; i++) {
    key_text(out, t->maps[i].name);
    key_pair(out, t->maps[i].from, t->maps[i].to);
    key_pair(out, t->maps[i].arity, t->maps[i].flags);
  }
  key_word(out, t->ndats);
  for (ir_ref i = 0; i < t->ndats; i++) key_dat(t, &t->dats[i], out);
  key_word(out, t->nkernels);
  for (ir_ref i = 0; i < t->nkernels; i++) {
    const struct ir_kernel *k = &t->kernels[i];
    bool copies = k->copy_from >= 0 && k->copy_to >= 0;
    key_text(out, k->name);
    key_word(out, k->flags);
    key_pair(out, copies ? (uint32_t)k->copy_from : IR_NONE,
             copies ? (uint32_t)k->copy_to : IR_NONE);
  }
}

/* Where a region begins, and over what; regions have no numbers in the text. */
static void
key_region(const struct ir_trace *t, ir_ref n, struct str *out) {
  enum { OUTSIDE, BEGINS, GOES_ON } where = OUTSIDE;
  ir_ref r = t->nodes[n].region;
  if (r != IR_NONE)
    where = n > 0 && t->nodes[n - 1].region == r ? GOES_ON : BEGINS;
  key_pair(out, where, r == IR_NONE ? IR_NONE : t->regions[r].set);
}

static void
key_node(const struct ir_trace *t, ir_ref i, struct str *out) {
  const struct ir_node *n = &t->nodes[i];
  key_pair(out, n->op, n->flags);
  key_pair(out, n->kernel, n->set);
  key_text(out, n->target ? n->target : "");
  key_region(t, i, out);
  key_pair(out, n->epoch, n->level);
  key_word(out, n->nargs);
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = ir_args(t, n) + k;
    key_pair(out, (uint32_t)a->kind << 16 | a->access, a->info_of);
    key_pair(out, a->dat, a->map);
    if (n->op == IR_EXCHANGE)
      key_pair(out, (uint32_t)a->reach.own, (uint32_t)a->reach.via);
    key_word(out, (uint64_t)(int64_t)a->idx);
    key_value(t, a->in, out);
    key_value(t, a->out, out);
  }
}

static int
word_cmp(const void *x, const void *y) {
  uint64_t a, b;
  memcpy(&a, x, sizeof a);
  memcpy(&b, y, sizeof b);
  return a < b ? -1 : a > b;
}

/* For each version that has one: its buffer and what it is the same as, sorted
 * by dat and number. */
static void
key_values(const struct ir_trace *t, struct str *out) {
  uint64_t(*list)[3] = mem_alloc(t->nvalues, sizeof *list);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_value *x = &t->values[v], *y = &t->values[x->same];
    list[v][0] = (uint64_t)x->dat << 32 | x->version;
    list[v][1] = (uint64_t)y->dat << 32 | y->version;
    list[v][2] = x->buffer;
  }
  if (t->nvalues) qsort(list, t->nvalues, sizeof *list, word_cmp);
  key_word(out, t->nvalues);
  str_addn(out, (const char *)list, t->nvalues * sizeof *list);
  free(list);
}

void
ir_key(const struct ir_trace *t, struct str *out) {
  size_t start = out->len;
  (void)start;
  key_text(out, t->name);
  key_declarations(t, out);
  key_word(out, t->nnodes);
  for (ir_ref n = 0; n < t->nnodes; n++) key_node(t, n, out);
  key_word(out, t->nbuffers);
  key_values(t, out);
  assert(out->len % 8 == start % 8);
}
