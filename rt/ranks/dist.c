/* From declared parts to local numbers: owners, layers of halo, tables.
 *
 * Problem. Each rank declared some elements of each set, and rows of maps that
 * name elements anywhere. It is to own some (others perhaps than it declared),
 * and to know all elements that its loops will execute or read, to any depth
 * asked for, without any rank ever holding a whole mesh.
 *
 * Idea. Elements and rows first move to their owners (dist_moves.c). An owner
 * also learns which elements of others name its own; which of its own do is
 * seen in its rows, where each entry's place is searched for once (members.h).
 * That is all it takes to grow levels, one after the other (dist_levels.c):
 *
 *   odd    ask the owners of what came in last: who names these?
 *   even   ask the owners of what came in last: what do these name?
 *
 * For each element that is not owned its level is kept, and the least level
 * with an element that names it. Both also go to its owner, so that either side
 * can list what has to travel for any reach (rt/ranks/halo.c).
 *
 *   cells   a b | c d | e f    edges  ab bc cd de ef    rank 1 owns c d, cd de
 *   L_1 of rank 1: cells c d, edges cd de bc (names c)
 *   L_2: also cells b, e
 *
 * Who owns g? The rank that declared it knows; all know who declared it. If
 * nothing moved these are the same, nobody has to be asked, and rows are used
 * where they were declared.
 *
 * cost    memory O(entries of the maps) per rank, 4 bytes each while it runs,
 *         12 where sets move; rounds O(K * sets). Two ranks, a box of 2 million
 *         points with 14 entries each: 0.9 s; 7.0 s where each entry was told
 *         to its owner. A program of two such steps takes 0.67 of the time
 *         since rows that nobody moves are not sent to oneself (8 million
 *         points: 0.62)
 * source  OP2's halos (Mudalige et al. 2013), here in any number of levels
 * limits  a rank sends to all ranks in each round (alltoall) */
#include "rt/ranks/dist_impl.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"
#include "rt/mesh/relation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static status
agree_sizes(struct rt_dist *x) {
  size_t levels = (size_t)x->depth + 1, n = x->nparts * levels;
  SCOPED int64_t *most = mem_alloc(n + 1, sizeof *most);
  for (size_t i = 0; i < n; i++)
    most[i] = x->parts[i / levels].level[i % levels];
  status st =
      rt_allreduce(x->comm, most, n, (struct type){TYPE_I64, 8}, ACC_MAX);
  for (size_t i = 0; i < n; i++)
    x->parts[i / levels].most[i % levels] = most[i];
  return st;
}

/* ---- all of it ---------------------------------------------------------- */

static status
make(struct dist *d) {
  struct rt_dist *x = d->d;
  for (uint32_t s = 0; s < x->nparts; s++) TRY(dist_elements(d, s));
  for (uint32_t k = 0; k < x->nmaps; k++) TRY(dist_rows(d, k));
  TRY(dist_find_namers(d));
  for (int k = 1; k <= x->depth; k++) TRY(dist_grow(d, (uint8_t)k));
  for (uint32_t s = 0; s < x->nparts; s++) dist_number(d, s);
  for (uint32_t k = 0; k < x->nmaps; k++) dist_table(d, k);
  for (uint32_t s = 0; s < x->nparts; s++) TRY(dist_links(d, s));
  return agree_sizes(x);
}

status
rt_dist_make(struct rt_dist *x) {
  assert(x->depth > 0 && x->depth <= REACH_MAX && x->depth % 2 == 0);
  struct dist d = {.d = x,
                   .c = x->comm,
                   .sets = mem_alloc(x->nparts + 1, sizeof *d.sets),
                   .rows = mem_alloc(x->nmaps + 1, sizeof *d.rows),
                   .given = mem_alloc(x->nmaps + 1, sizeof *d.given),
                   .fetched = mem_alloc(x->nmaps + 1, sizeof *d.fetched),
                   .places = mem_alloc(x->nmaps + 1, sizeof *d.places)};
  for (uint32_t s = 0; s < x->nparts; s++) d.sets[s].p = &x->parts[s];
  status st = make(&d);
  for (uint32_t s = 0; s < x->nparts; s++) {
    struct maker *m = &d.sets[s];
    table_clear(&m->known);
    rt_members_clear(&m->members);
    free(m->mine);
    free(m->ghosts);
    free(m->others);
  }
  for (uint32_t k = 0; k < x->nmaps; k++) {
    free(d.given[k]);
    free(d.fetched[k]);
    free(d.places[k]);
  }
  free(d.sets);
  free(d.rows);
  free(d.given);
  free(d.fetched);
  free(d.places);
  return st;
}

static void
links_free(struct rt_link *l, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    free(l[i].at);
    free(l[i].level);
    free(l[i].via);
  }
  free(l);
}

void
rt_part_clear(struct rt_part *p) {
  rt_lists_clear(p);
  links_free(p->in, p->nin);
  links_free(p->out, p->nout);
  free(p->to);
  free(p->global);
  free(p->sorted);
  free(p->place);
  free(p->by_owner);
  free(p->given);
  free(p->got);
  *p = (struct rt_part){0};
}
