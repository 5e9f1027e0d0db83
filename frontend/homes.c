/* Values of dats while sets are spread over ranks (spread.c): home to the
 * declared parts, and out again.
 *
 * Loops that wait use the buffer's values where it has any: the program may
 * have written the mirror since, to upload that later. Both are kept then. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
fe_home_clear(struct fe_home *h) {
  free(h->values);
  free(h->seen);
}

/* A copy of the mirror. Collective. */
static status
mirror_take_home(struct fe_dat *d, char **out) {
  *out = mem_alloc((size_t)fe_declared_size(d) + 1, (size_t)d->pub.size);
  return fe_ranks_home(d, *out);
}

static status
mirror_place(struct fe_dat *d, const char *home) {
  const struct fe_set *s = (const struct fe_set *)d->pub.set;
  size_t size = (size_t)d->pub.size;
  if (!fe_ranks.whole)
    return rt_part_give(fe_ranks.comm, s->part, home, size, d->rt.mirror);
  memcpy(d->rt.mirror, home, (size_t)s->pub.size * size);
  return OK;
}

bool
fe_home_apart(const struct fe_dat *d) {
  return fe_waits(d->used_in) && rt_dat_apart(&d->rt);
}

/* What waits is to see comes to the mirror, and what that has is kept. A rank
 * that has nothing besides goes the same way, since it takes messages. */
static status
swap_in(struct fe_dat *d, struct fe_home *out) {
  struct rt_buf *filled;
  TRY(rt_dat_sync(&d->rt));
  TRY(mirror_take_home(d, &out->seen));
  if (!fe_home_apart(d)) TRY(rt_dat_buffer(&d->rt, &filled));
  rt_dat_mirror_leave(&d->rt);
  return fe_dat_sync(d);
}

status
fe_home_take(struct fe_dat *d, bool apart, struct fe_home *out) {
  assert(apart || !fe_home_apart(d));
  TRY(apart ? swap_in(d, out) : fe_dat_sync(d));
  if (fe_ranks.whole || d->rt.untouched) return OK;
  return mirror_take_home(d, &out->values);
}

status
fe_home_place(struct fe_dat *d, const struct fe_home *home) {
  struct fe_set *s = (struct fe_set *)d->pub.set;
  struct rt_buf *filled;
  TRY(rt_dat_spread(&d->rt, s->rt.order, s->part));
  d->pub.data = d->rt.mirror;
  if (home->values) TRY(mirror_place(d, home->values));
  if (!home->seen) return OK;
  TRY(rt_dat_buffer(&d->rt, &filled));
  return mirror_place(d, home->seen);
}
