/* Ghosts of box dats over ranks: points of other ranks in the memory that the
 * program sees of a dat with a halo (box_parts.c).
 *
 * No loop reads or writes them: what one needs of other ranks comes by halos as
 * for any set. They get their values when the program looks at the dat: each
 * rank asks the owners, one round of messages, and gets answers, another.
 *
 * Cost. 16 bytes a ghost, once for each halo that dats have; at each look that
 * finds other values its number and its value on their way. */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "rt/ranks/dist.h"

#include <assert.h>
#include <string.h>

/* One block of memory. */
struct fe_ghosts {
  size_t n;
  idx_g *there; /* [n]: element of the owner's part */
  int *owner;   /* rank that has the point */
  idx_l *at;    /* element of this rank's part */
};

static struct fe_ghosts *
ghosts_new(size_t n) {
  size_t each = sizeof(idx_g) + sizeof(int) + sizeof(idx_l);
  struct fe_ghosts *g = mem_alloc(1, sizeof *g + n * each);
  g->there = (idx_g *)(g + 1);
  g->owner = (int *)(g->there + n);
  g->at = (idx_l *)(g->owner + n);
  return g;
}

/* How many own points lie behind one another from element e on; 0: a ghost. */
static int64_t
own_run(const struct fe_box *b, const struct fe_area *own,
        const struct fe_area *padded, idx_l e) {
  struct fe_spot p = fe_spot_in(b, padded, e);
  for (int d = 0; d < b->ndim; d++)
    if (p.at[d] < own->lo[d] || p.at[d] >= own->hi[d]) return 0;
  return own->hi[0] - p.at[0];
}

static struct fe_ghosts *
ghosts_find(const struct fe_set *s) {
  struct fe_area padded = fe_points_area(s);
  struct fe_area own = fe_box_area(s->box, &s->halo, false, fe_ranks.rank);
  idx_l n = s->part->declared, ghosts = n;
  for (idx_l e = 0, run; e < n; e += run ? run : 1) {
    run = (idx_l)own_run(s->box, &own, &padded, e);
    ghosts -= run;
  }
  struct fe_ghosts *g = ghosts_new((size_t)ghosts);
  for (idx_l e = 0, run; e < n; e += run ? run : 1) {
    run = (idx_l)own_run(s->box, &own, &padded, e);
    if (run) continue;
    g->at[g->n] = e;
    g->owner[g->n] = fe_point_owner(s, e, &g->there[g->n]);
    g->n++;
  }
  assert(g->n == (size_t)ghosts);
  return g;
}

static void
answer_value(void *user, idx_g question, void *out) {
  const struct fe_dat *d = user;
  size_t size = (size_t)d->pub.size;
  memcpy(out, d->rt.mirror + (size_t)question * size, size);
}

/* Points stay where they are declared: the mirror's rows are the part's. */
status
fe_ghosts_fill(struct fe_dat *d) {
  struct fe_set *s = (struct fe_set *)d->pub.set;
  size_t size = (size_t)d->pub.size;
  assert(s->padded && rt_dat_mirror_current(&d->rt));
  if (!s->ghosts) s->ghosts = ghosts_find(s);
  const struct fe_ghosts *g = s->ghosts;
  SCOPED char *values = mem_alloc(g->n + 1, size);
  TRY(rt_ask(fe_ranks.comm, g->n, g->owner, g->there, answer_value, d, size,
             values));
  for (size_t i = 0; i < g->n; i++)
    memcpy(d->rt.mirror + (size_t)g->at[i] * size, values + i * size, size);
  return OK;
}
