/* Margins of a relation, in one pass and two scans: margins.h has the picture.
 */
#include "rt/mesh/margins.h"

#include "base/arena.h"

#include <stdlib.h>

/* The least and one more than the greatest target of elements [lo, hi). */
static void
block_ends(const struct rt_relation *r, const struct rt_window *w, int64_t lo,
           int64_t hi, idx_l *least, idx_l *bound) {
  idx_l low = w->end, high = w->first;
  for (int64_t e = lo; e < hi; e++) {
    struct rt_row row = rt_row(r, e);
    for (uint32_t i = 0; i < row.n; i++) {
      idx_l at = row.at[i];
      if (at < w->first || at >= w->end) continue;
      if (at < low) low = at;
      if (at >= high) high = at + 1;
    }
  }
  assert(w->first <= low && high <= w->end);
  *least = low;
  *bound = high;
}

status
rt_margins_make(const struct rt_relation *r, struct rt_window w,
                struct rt_margins *out) {
  assert(0 <= w.lo && w.lo <= w.hi && w.hi <= r->from->n);
  assert(0 <= w.first && w.first <= w.end && w.end <= r->to->n);
  idx_l block = rt_margin_block(w.hi - w.lo);
  int64_t n = w.hi - w.lo, blocks = (n + block - 1) / block;
  struct rt_margins m = {.n = (idx_l)blocks, .block = block, .window = w};
  m.least = mem_try((size_t)blocks + 1, sizeof *m.least);
  m.bound = mem_try((size_t)blocks + 1, sizeof *m.bound);
  if (!m.least || !m.bound) {
    rt_margins_clear(&m);
    FAIL(ERR_MEMORY, "no memory for the margins of map \"%s\": %lld blocks",
         r->name, (long long)blocks);
  }
  m.bound[0] = w.first;
  m.least[blocks] = w.end;
  for (int64_t k = 0; k < blocks; k++) {
    int64_t lo = w.lo + k * block, hi = lo + block;
    block_ends(r, &w, lo, hi < w.hi ? hi : w.hi, &m.least[k], &m.bound[k + 1]);
    if (m.bound[k + 1] < m.bound[k]) m.bound[k + 1] = m.bound[k];
  }
  for (int64_t k = blocks; k-- > 0;)
    if (m.least[k] > m.least[k + 1]) m.least[k] = m.least[k + 1];
  *out = m;
  return OK;
}

void
rt_margins_clear(struct rt_margins *m) {
  free(m->least);
  free(m->bound);
  *m = (struct rt_margins){0};
}

idx_l
rt_margins_drift(const struct rt_margins *m) {
  idx_l drift = 0;
  for (idx_l k = 0; k <= m->n; k++)
    if (m->bound[k] - m->least[k] > drift) drift = m->bound[k] - m->least[k];
  return drift;
}
