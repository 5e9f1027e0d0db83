/* Which of a sorted list of global numbers is g? Asked for each entry of each
 * map, so that a search would be most of what spreading sets costs.
 *
 *   no gaps              g - list[0]
 *   few gaps             a bit for each number from the first to the last, and
 *                        how many stand before each 64 of them
 *   numbers far apart    a search in the list
 *
 * cost    12 bytes for each 64 numbers of the range, at most 12 an element */
#ifndef RT_MEMBERS_H
#define RT_MEMBERS_H

#include "base/types.h"

#include <stdint.h>

struct rt_members {
  const idx_g *list; /* KEEP [n], ascending */
  idx_l n;
  uint64_t *bits; /* NULL: no gaps, or too many */
  idx_l *before;  /* [words of bits]: members in the words before */
};

struct rt_members rt_members_of(const idx_g *list, idx_l n);
void rt_members_clear(struct rt_members *m);
/* Where the list has no bits. */
idx_l rt_members_search(const struct rt_members *m, idx_g g);

/* Place in the list; -1: g is none of them. */
static inline idx_l
rt_members_find(const struct rt_members *m, idx_g g) {
  if (!m->n || g < m->list[0] || g > m->list[m->n - 1]) return -1;
  if (!m->bits) return rt_members_search(m, g);
  uint64_t at = (uint64_t)(g - m->list[0]), word = m->bits[at / 64];
  if (!(word >> at % 64 & 1)) return -1;
  uint64_t lower = word & (((uint64_t)1 << at % 64) - 1);
  return m->before[at / 64] + (idx_l)__builtin_popcountll(lower);
}

#endif
