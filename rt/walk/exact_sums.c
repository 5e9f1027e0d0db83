/* Sums of a launch that don't depend on the order of its elements.
 *
 * Problem. OP2_REPRODUCIBLE promises the same bits for any number of threads
 * and ranks, and any partition. Elements that a thread runs one after another
 * leave one sum, and which elements those are is chance.
 *
 * Idea. Each element's own contribution is kept apart and added to an exact sum
 * (exact.c). Regions leave it in an array,
 *
 *   each[e * dim + c]   written as a dat of the set would be, in vectors
 *
 * and threads add up shares of the array afterwards. Where a kernel works on
 * the accumulator itself (many components), the launch runs element by element,
 * and each time the accumulator is emptied into the sum. Threads' sums are
 * joined, then those of ranks, as integers; at last the start value is added,
 * and the whole is rounded once.
 *
 * Cost: an array of the set, written and read; 3 ns for each element and
 * component; over ranks a message of 560 bytes for each component and launch.
 * Source: exact.c. */
#include "rt/walk/launch.h"

#include "base/arena.h"
#include "rt/ranks/dist.h"
#include "rt/walk/exact.h"
#include "rt/walk/reduce.h"
#include "rt/ranks/comm.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static size_t
align_up(size_t bytes) {
  enum { LINE = 64 };
  return round_up(bytes, LINE);
}

static size_t
each_bytes(const struct rt_reduction *x, idx_l n) {
  return x->each ? align_up((size_t)n * x->dim * x->type.size) : 0;
}

size_t
rt_exact_each_bytes(const struct rt_launch *l, idx_l n) {
  size_t bytes = 0;
  for (uint32_t k = 0; k < l->nreductions; k++)
    bytes += each_bytes(&l->reductions[k], n);
  return bytes;
}

char *
rt_exact_each(const struct rt_run *r, const struct rt_scratch *s,
              uint32_t index) {
  assert(index < r->l->nreductions && r->l->reductions[index].each);
  size_t at = 0;
  for (uint32_t k = 0; k < index; k++)
    at += each_bytes(&r->l->reductions[k], r->all);
  return s->each ? s->each + at : NULL; /* of an empty set */
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

void
rt_exact_start(const struct rt_run *r, const struct rt_scratch *s) {
  if (!r->nexact) return;
  assert(r->nexact * (size_t)r->threads <= s->nexact);
  memset(s->exact, 0, r->nexact * (size_t)r->threads * sizeof *s->exact);
}

/* values[0 .. n * dim), to sums[0 .. dim); and what a sum comes to. By type. */
#define add_F rt_exact_add
#define add_I rt_exact_add_integer
#define add_U rt_exact_add_integer
#define value_F rt_exact_value
#define value_I rt_exact_integer
#define value_U rt_exact_integer
#define TYPE(name, text, bytes, ctype, kind)                                   \
  static void add_##name(struct rt_exact *sums, uint32_t dim,                  \
                         const void *values, int64_t n) {                      \
    const ctype *v = values;                                                   \
    for (int64_t i = 0; i < n; i++)                                            \
      for (uint32_t c = 0; c < dim; c++) add_##kind(&sums[c], *v++);           \
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

void
rt_exact_drain(const struct rt_run *r, const struct rt_scratch *s, int t,
               bool counts) {
  struct rt_exact *sums = s->exact + r->nexact * (size_t)t;
  char *row = s->acc + (size_t)t * s->acc_row;
  assert(r->nexact && 0 <= t && t < r->threads);
  for (uint32_t k = 0; k < r->l->nreductions; k++) {
    const struct rt_reduction *x = &r->l->reductions[k];
    if (!x->exact) continue;
    char *entry = row + rt_reduce_offset(r->l, k);
    if (!x->each && counts) by_type[x->type.kind].add(sums, x->dim, entry, 1);
    if (!x->each) type_identity(x->type, x->access, entry, x->dim);
    sums += x->dim;
  }
}

/* Thread t's share of the arrays. */
static void
add_share(const struct rt_run *r, const struct rt_scratch *s, int t) {
  struct rt_exact *sums = s->exact + r->nexact * (size_t)t;
  int64_t lo = rt_share(r->owned, t, r->threads);
  int64_t hi = rt_share(r->owned, t + 1, r->threads);
  for (uint32_t k = 0; k < r->l->nreductions; k++) {
    const struct rt_reduction *x = &r->l->reductions[k];
    if (!x->exact) continue;
    if (x->each && lo < hi) {
      const char *at = rt_exact_each(r, s, k);
      at += (size_t)lo * x->dim * x->type.size;
      by_type[x->type.kind].add(sums, x->dim, at, hi - lo);
    }
    sums += x->dim;
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

/* Start values count, or global = rounded(sums). */
static void
globals_join(const struct rt_program *p, const struct rt_run *r, bool start) {
  struct rt_exact *sums = p->scratch->exact;
  for (uint32_t k = 0; k < r->l->nreductions; k++) {
    const struct rt_reduction *x = &r->l->reductions[k];
    if (!x->exact) continue;
    char *global = p->globals[x->global];
    if (start)
      by_type[x->type.kind].add(sums, x->dim, global, 1);
    else
      by_type[x->type.kind].value(sums, x->dim, global);
    sums += x->dim;
  }
  assert(sums == p->scratch->exact + r->nexact);
}

/* A parallel region of one thread costs 0.4 us. */
static void
add_shares(const struct rt_run *r, const struct rt_scratch *s) {
  if (r->threads == 1) {
    add_share(r, s, 0);
    return;
  }
#pragma omp parallel num_threads(r->threads)
  for (int t = omp_get_thread_num(); t < r->threads; t += omp_get_num_threads())
    add_share(r, s, t);
}

status
rt_exact_finish(const struct rt_program *p, const struct rt_run *r) {
  const struct rt_scratch *s = p->scratch;
  struct rt_exact *sums = s->exact;
  if (!r->nexact) return OK;
  add_shares(r, s);
  for (int t = 1; t < r->threads; t++)
    for (uint32_t i = 0; i < r->nexact; i++)
      rt_exact_join(&sums[i], &sums[(size_t)t * r->nexact + i]);
  bool ranks = rt_joins(p) && p->sets[r->l->set]->part;
  if (!ranks || !p->comm->rank) globals_join(p, r, true);
  if (ranks) TRY(join_ranks(p->comm, sums, r->nexact));
  globals_join(p, r, false);
  return OK;
}
