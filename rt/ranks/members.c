/* Members of a sorted list of global numbers (members.h). */
#include "rt/ranks/members.h"

#include "base/arena.h"

#include <stdlib.h>

struct rt_members
rt_members_of(const idx_g *list, idx_l n) {
  struct rt_members m = {.list = list, .n = n};
  if (!n || list[n - 1] - list[0] == n - 1) return m;
  size_t words = (size_t)(list[n - 1] - list[0]) / 64 + 1;
  if (words > (size_t)n) return m;
  m.bits = mem_alloc(words, sizeof *m.bits);
  m.before = mem_alloc(words, sizeof *m.before);
  for (idx_l i = 0; i < n; i++) {
    uint64_t at = (uint64_t)(list[i] - list[0]);
    m.bits[at / 64] |= (uint64_t)1 << at % 64;
  }
  for (size_t w = 1; w < words; w++)
    m.before[w] = m.before[w - 1] + (idx_l)__builtin_popcountll(m.bits[w - 1]);
  return m;
}

void
rt_members_clear(struct rt_members *m) {
  free(m->bits);
  free(m->before);
  *m = (struct rt_members){0};
}

idx_l
rt_members_search(const struct rt_members *m, idx_g g) {
  idx_l lo = 0, hi = m->n;
  if (m->list[m->n - 1] - m->list[0] == m->n - 1)
    return (idx_l)(g - m->list[0]);
  while (lo < hi) {
    idx_l mid = lo + (hi - lo) / 2;
    if (m->list[mid] < g)
      lo = mid + 1;
    else
      hi = mid;
  }
  return m->list[lo] == g ? lo : -1;
}
