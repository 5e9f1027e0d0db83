/* Loops over edges and cells for fronts: what they touch, and their code. */
#ifndef TEST_FRONT_MAKE_H
#define TEST_FRONT_MAKE_H

#include "rt_make.h"

static inline void
touch(struct rt_chain *c, uint32_t launch, uint32_t memory, uint32_t map,
      bool writes) {
  struct rt_touch t = {launch, memory, map, writes};
  MAKE_PUSH(c->touches, c->ntouches, t);
}

/* ptr: values, sums, ends of edges. */
static inline void
flux_region(void *const *ptr, int64_t lo, int64_t hi) {
  const int64_t *value = ptr[0];
  int64_t *sum = ptr[1];
  const idx_l *ends = ptr[2];
  for (int64_t e = lo; e < hi; e++) {
    int64_t d = value[ends[2 * e]] - 2 * value[ends[2 * e + 1]];
    sum[ends[2 * e]] += d;
    sum[ends[2 * e + 1]] -= 3 * d;
  }
}

/* ptr: values, sums, accumulator. */
static inline void
update_region(void *const *ptr, int64_t lo, int64_t hi) {
  int64_t *value = ptr[0], *sum = ptr[1], *all = ptr[2];
  for (int64_t c = lo; c < hi; c++) {
    value[c] = (value[c] + sum[c] + 7) % 1000003;
    sum[c] /= 2;
    *all += value[c];
  }
}

static inline void
bind(struct rt_launch *l, uint32_t kind, uint32_t index) {
  struct rt_bind b = {.kind = kind, .index = index};
  MAKE_PUSH(l->binds, l->nbinds, b);
}

#endif
