/* Sums of a launch that don't depend on the order of its elements.
 *
 * Problem. OP2_REPRODUCIBLE promises the same bits for any number of threads
 * and ranks, and any partition. Elements that a thread runs one after another
 * leave one sum, and which elements those are is chance.
 *
 * Idea. Each element's own contribution is kept apart and added to an exact sum
 * (exact.c). A thread runs EACH elements at a time. Regions leave theirs in a
 * few lines that stay in the nearest cache,
 *
 *   each[(e - first) * dim + c]   written as a dat of the set would be
 *
 * which are added to the sum at once (exact_many.c). Where a kernel works on
 * the accumulator itself (many components), the launch runs element by element,
 * and each time the accumulator is emptied into the sum. Threads' sums are
 * joined, then those of ranks, as integers; at last the start value is added,
 * and the whole is rounded once.
 *
 * Cost: 0.5 to 1 ns for each element and component; over ranks a message of 560
 * bytes for each component and launch. Source: exact.c. */
#include "rt/walk/launch.h"

#include "base/arena.h"
#include "rt/ranks/dist.h"
#include "rt/walk/exact.h"
#include "rt/walk/reduce.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = RT_EXACT_MANY, LINE = 64 };

/* Whole cache lines. */
static size_t
each_bytes(const struct rt_reduction *x) {
  return x->each ? round_up((size_t)EACH * x->dim * x->type.size, LINE) : 0;
}

size_t
rt_exact_each_row(const struct rt_launch *l) {
  size_t bytes = 0;
  for (uint32_t k = 0; k < l->nreductions; k++)
    bytes += each_bytes(&l->reductions[k]);
  return bytes;
}

uint32_t
rt_exact_count(const struct rt_launch *l) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < l->nreductions; k++)
    if (l->reductions[k].exact) n += l->reductions[k].dim;
  return n;
}

bool
rt_exact_one_by_one(const struct rt_launch *l) {
  for (uint32_t k = 0; k < l->nreductions; k++)
    if (l->reductions[k].exact && !l->reductions[k].each) return true;
  return false;
}

/* values[0 .. n * dim), to sums[0 .. dim); and what a sum comes to. By type: of
 * numbers with a fraction many at once, in doubles. */
#define add_F(ctype, v, sums, dim, n)                                          \
  for (uint32_t c = 0; c < dim; c++)                                           \
    for (int64_t i = 0; i < n; i += RT_EXACT_MANY) {                           \
      double terms[RT_EXACT_MANY];                                             \
      int many = n - i < RT_EXACT_MANY ? (int)(n - i) : RT_EXACT_MANY;         \
      bool here = dim == 1 && sizeof(ctype) == sizeof(double);                 \
      for (int k = 0; !here && k < many; k++)                                  \
        terms[k] = (double)v[(i + k) * dim + c];                               \
      rt_exact_add_many(&sums[c], here ? (const double *)(v + i) : terms,      \
                        many);                                                 \
    }
#define add_I(ctype, v, sums, dim, n)                                          \
  for (int64_t i = 0; i < n; i++)                                              \
    for (uint32_t c = 0; c < dim; c++) rt_exact_add_integer(&sums[c], *v++)
#define add_U add_I
#define value_F rt_exact_value
#define value_I rt_exact_integer
#define value_U rt_exact_integer
#define TYPE(name, text, bytes, ctype, kind)                                   \
  static void add_##name(struct rt_exact *sums, uint32_t dim,                  \
                         const void *values, int64_t n) {                      \
    const ctype *v = values;                                                   \
    add_##kind(ctype, v, sums, dim, n);                                        \
  }                                                                            \
  static void value_##name(struct rt_exact *sums, uint32_t dim, void *out) {   \
    for (uint32_t c = 0; c < dim; c++)                                         \
      ((ctype *)out)[c] = (ctype)value_##kind(&sums[c]);                       \
  }
#include "base/types.def"
#undef TYPE

static const struct {
  void (*add)(struct rt_exact *, uint32_t, const void *, int64_t);
  void (*value)(struct rt_exact *, uint32_t, void *);
} by_type[TYPE_BYTES] = {
#define TYPE(name, text, bytes, ctype, kind)                                   \
  [TYPE_##name] = {add_##name, value_##name},
#include "base/types.def"
#undef TYPE
};

/* What elements from `first` on add is left in the worker's lines. */
static void
point_each(const struct rt_worker *w, int64_t first) {
  const struct rt_launch *l = w->l;
  assert((uintptr_t)w->each % LINE == 0);
  for (uint32_t i = 0; i < l->nbinds; i++) {
    const struct rt_bind *b = &l->binds[i];
    if (b->kind != RT_BIND_ACC || !l->reductions[b->index].each) continue;
    const struct rt_reduction *x = &l->reductions[b->index];
    uintptr_t at = (uintptr_t)w->each;
    for (uint32_t k = 0; k < b->index; k++) at += each_bytes(&l->reductions[k]);
    at -= (size_t)first * x->dim * x->type.size;
    w->table[i] = (void *)at;
  }
}

/* Of n elements that ran; accumulators start anew. */
static void
add_terms(const struct rt_worker *w, int64_t n) {
  struct rt_exact *sums = w->sums;
  const char *each = w->each;
  for (uint32_t k = 0; k < w->l->nreductions; k++) {
    const struct rt_reduction *x = &w->l->reductions[k];
    char *entry = w->acc + rt_reduce_offset(w->l, k);
    if (!x->exact) continue;
    if (n > 0)
      by_type[x->type.kind].add(sums, x->dim, x->each ? each : entry, n);
    if (x->each)
      each += each_bytes(x);
    else
      type_identity(x->type, x->access, entry, x->dim);
    sums += x->dim;
  }
}

void
rt_exact_run(const struct rt_worker *w, int64_t lo, int64_t hi) {
  for (int64_t e = lo, end; e < hi; e = end) {
    end = w->single ? e + 1 : (e / EACH + 1) * EACH;
    if (end > hi) end = hi;
    if (w->each) point_each(w, e);
    w->l->fn(w->table, e, end);
    int64_t count = end < w->owned ? end : w->owned;
    add_terms(w, w->counts && count > e ? count - e : 0);
  }
}

static status
join_ranks(struct rt_comm *c, struct rt_exact *sums, uint32_t n) {
  SCOPED int64_t *words = mem_alloc(n, RT_EXACT_WORDS * sizeof *words);
  size_t bytes = RT_EXACT_WORDS * sizeof *words;
  for (uint32_t i = 0; i < n; i++) {
    rt_exact_carry(&sums[i]);
    memcpy(words + (size_t)i * RT_EXACT_WORDS, &sums[i], bytes);
  }
  status st = rt_allreduce(c, words, (size_t)n * RT_EXACT_WORDS,
                           (struct type){TYPE_I64, 8}, ACC_INC);
  for (uint32_t i = 0; i < n; i++)
    memcpy(&sums[i], words + (size_t)i * RT_EXACT_WORDS, bytes);
  return st;
}

/* Is it the launch's first exact sum of its global? Others begin with what the
 * one before leaves, as launches of their own would. */
static bool
is_first(const struct rt_launch *l, uint32_t k) {
  for (uint32_t i = 0; i < k; i++)
    if (l->reductions[i].exact &&
        l->reductions[i].global == l->reductions[k].global)
      return false;
  return true;
}

/* Values that globals had before the launch count. */
static void
globals_add(const struct rt_program *p, const struct rt_launch *l,
            struct rt_exact *sums) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    const struct rt_reduction *x = &l->reductions[k];
    if (!x->exact) continue;
    if (is_first(l, k))
      by_type[x->type.kind].add(sums, x->dim, p->globals[x->global], 1);
    sums += x->dim;
  }
}

/* global = rounded(sums). */
static void
globals_set(const struct rt_program *p, const struct rt_launch *l,
            struct rt_exact *sums) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    const struct rt_reduction *x = &l->reductions[k];
    if (!x->exact) continue;
    char *global = p->globals[x->global];
    if (!is_first(l, k)) by_type[x->type.kind].add(sums, x->dim, global, 1);
    by_type[x->type.kind].value(sums, x->dim, global);
    sums += x->dim;
  }
}

status
rt_exact_finish(const struct rt_program *p, const struct rt_run *r,
                struct rt_exact *sums, int threads) {
  if (!r->nexact) return OK;
  for (int t = 1; t < threads; t++)
    for (uint32_t i = 0; i < r->nexact; i++)
      rt_exact_join(&sums[i], &sums[(size_t)t * r->nexact + i]);
  bool ranks = rt_joins(p) && p->sets[r->l->set]->part;
  if (!ranks || !p->comm->rank) globals_add(p, r->l, sums);
  if (ranks) TRY(join_ranks(p->comm, sums, r->nexact));
  globals_set(p, r->l, sums);
  return OK;
}
