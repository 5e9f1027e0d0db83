/* What rt_dist_make works on: dist_moves.c, dist_levels.c, dist_local.c. */
#ifndef RT_DIST_IMPL_H
#define RT_DIST_IMPL_H

#include "base/arena.h"
#include "base/table.h"
#include "rt/ranks/dist.h"
#include "rt/ranks/members.h"

/* An element that is known here and not owned. */
struct ghost {
  idx_g g;
  int owner;
  uint8_t level, via; /* as in struct rt_link */
};

/* Element `by` of part `from`, owned by `owner`, names element `target` of this
 * rank's, a place in its list. */
struct namer {
  idx_g by;
  idx_l target;
  uint32_t from;
  int owner;
};

/* One set while it is made. */
struct maker {
  struct rt_part *p;
  idx_g *mine; /* owned, sorted */
  struct rt_members members;
  struct table known;   /* g -> ghost number + 1 */
  struct ghost *ghosts; /* level by level */
  uint32_t nghosts, capghosts;
  uint32_t before;           /* of them: in levels before the one that grows */
  uint32_t asked, fetched;   /* whose namers are known; whose rows are here */
  VEC(struct namer, others); /* elements of others that name owned ones */
};

struct dist {
  struct rt_dist *d;
  struct rt_comm *c;
  struct maker *sets;
  const idx_g **rows; /* per map: of owned elements */
  idx_g **given;      /* these, if they came from other ranks; else NULL */
  idx_g **fetched;    /* of executed ghosts */
  idx_l **places; /* per map: of the entries of owned elements' rows, where they
                     stand among the owned; -1: owned elsewhere */
};

/* Row i of those of owned elements and executed ghosts. */
static inline struct rt_dist_row
dist_row(const struct dist *d, uint32_t k, idx_l i) {
  const struct rt_dist_map *m = &d->d->maps[k];
  idx_l owned = d->sets[m->from].p->owned;
  if (i < owned) return rt_dist_row(m, d->rows[k], (size_t)i);
  return rt_dist_row(m, d->fetched[k], (size_t)(i - owned));
}
/* Row of owned element e, as places. */
static inline const idx_l *
dist_places(const struct dist *d, uint32_t k, idx_l e) {
  return d->places[k] + rt_dist_places(&d->d->maps[k], (size_t)e);
}
static inline uint32_t
dist_row_size(const struct dist *d, uint32_t k, idx_l e) {
  return dist_row(d, k, e).n;
}

/* dist_moves.c. Elements of part s, and rows of map k, come to their owners;
 * the owners of any elements of part s. Collective. */
status dist_elements(struct dist *d, uint32_t s);
status dist_rows(struct dist *d, uint32_t k);
status dist_owners(struct dist *d, uint32_t s, size_t n, const idx_g *g,
                   int *out);
/* dist_levels.c. Who names this rank's elements, and what maps are over all
 * ranks; then the levels, one after another. Collective. */
status dist_find_namers(struct dist *d);
status dist_grow(struct dist *d, uint8_t level);
/* dist_local.c. Numbers, tables, and links to neighbours; the last is
 * collective. */
void dist_number(struct dist *d, uint32_t s);
void dist_table(struct dist *d, uint32_t k);
status dist_links(struct dist *d, uint32_t s);

#endif
