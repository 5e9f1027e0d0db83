/* Values of dats in their mirrors, the memory that the program sees: brought
 * there, taken as written, and over ranks collected from them. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/programs.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "rt/ranks/dist.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 28 };

/* The mirror's rows of others. */
static status
complete(struct fe_dat *d) {
  const struct rt_order *o = d->rt.order;
  size_t size = (size_t)d->pub.size;
  size_t bytes = (size_t)o->rows * size;
  SCOPED char *all = mem_alloc(bytes + 1, 1);
  for (idx_l e = 0; e < o->owned; e++)
    memcpy(all + (size_t)o->row[e] * size,
           d->rt.mirror + (size_t)o->row[e] * size, size);
  status st = OK;
  for (size_t at = 0; st == OK && at < bytes; at += PIECE)
    st = fe_join(all + at, bytes - at < PIECE ? bytes - at : PIECE, TYPE_U8,
                 ACC_MAX);
  if (st == OK) memcpy(d->rt.mirror, all, bytes);
  return st;
}

status
fe_dat_sync(struct fe_dat *d) {
  bool was = rt_dat_mirror_current(&d->rt);
  TRY(rt_dat_sync(&d->rt));
  if (rt_dat_mirror_alone(&d->rt) && fe_dat_host_reads(d)) {
    struct rt_buf *filled; /* the program may write the mirror meanwhile */
    TRY(rt_dat_buffer(&d->rt, &filled));
  }
  bool all = d->rt.order && d->rt.order->whole;
  if (!was && all) TRY(complete(d));
  bool right = was && d->filled && !fe.mirror_written;
  if (!((struct fe_set *)d->pub.set)->padded || right) return OK;
  TRY(fe_ghosts_fill(d));
  d->filled = true;
  return OK;
}

/* Elements of a loop's last level, and all that rows of the one before name:
 * what mirrors have. */
enum { MIRROR_LEVEL = 2 };

status
fe_dat_halo(struct fe_dat *d) {
  struct rt_part *part = d->rt.part;
  struct reach want = {MIRROR_LEVEL, -1};
  struct rt_buf *b;
  if (!part || fe_ranks.whole || reach_covers(d->rt.reach, want)) return OK;
  TRY(rt_dat_buffer(&d->rt, &b));
  struct rt_halo_item item = {b, part, want};
  TRY(rt_halo_start(fe_ranks.halo, &item, 1));
  TRY(rt_halo_finish(fe_ranks.halo));
  rt_layout_copy(d->rt.mirror, 1, b->mem, b->stride, part->owned,
                 part->level[MIRROR_LEVEL], d->rt.shape.dim,
                 d->rt.shape.type.size);
  d->rt.reach = want;
  return OK;
}

/* ---- written by the host ------------------------------------------------- */

static void
mirror_wrote(struct fe_dat *d) {
  bool shared = d->rt.buf && d->rt.buf->refs > 1;
  d->written = true;
  d->filled = false;
  rt_dat_mirror_written(&d->rt);
  if (shared) fe_state_update();
}

void
fe_dat_host_wrote(struct fe_dat *d) {
  if (d->spreads) fe_box_whole(d);
  mirror_wrote(d);
}

/* Host views given out for writing by op2_dat_data_rw hold until the next API
 * call that could run something or look: their dats are then taken as written.
 * */
static void
close_view(struct fe_dat *d) {
  if (!d->viewed) return;
  d->viewed = false;
  fe.nviews--;
  fe_dat_host_wrote(d);
}

void
fe_views_close(void) {
  for (uint32_t i = 0; fe.nviews && i < fe_all.ndats; i++)
    if (fe_all.dats[i]->viewed) close_view(fe_all.dats[i]);
}

/* ---- kept current -------------------------------------------------------- */

/* Bring every dat back whose memory the program holds. */
status
fe_targets_sync(bool written) {
  for (uint32_t i = 0; fe_devices_any() && i < fe_all.ndats; i++) {
    struct fe_dat *d = fe_all.dats[i];
    if (d->parked || !d->pinned || d->lost) continue;
    TRY(fe_dat_sync(d));
    if (written) rt_dat_mirror_written(&d->rt);
  }
  return OK;
}

/* Over ranks: what a run left elsewhere comes to the mirrors. They count as
 * written, by whom nobody knows: temporaries are made no further than they
 * were. Collective. */
static status
keep_over_ranks(void) {
  for (uint32_t i = 0; i < fe_all.naged; i++) {
    struct fe_dat *d = fe_all.aged[i];
    if (d->parked || d->lost || d->void_since) continue;
    TRY(fe_dat_sync(d));
    if (fe.mirror_written && d->rt.buf_current) mirror_wrote(d);
  }
  return OK;
}

status
fe_mirror_keep(void) {
  return fe.mirror && fe_ranked() ? keep_over_ranks() : fe_targets_sync(true);
}

/* ---- over ranks ---------------------------------------------------------- */

idx_l
fe_own_size(const struct fe_set *s) {
  return s->rt.part && !fe_ranks.whole ? s->part->owned : s->pub.size;
}

idx_l
fe_declared_size(const struct fe_dat *d) {
  const struct fe_set *s = (struct fe_set *)d->pub.set;
  return fe_in_parts() ? s->part->declared : s->pub.size;
}

status
fe_ranks_home(const struct fe_dat *d, void *out) {
  const struct fe_set *s = (struct fe_set *)d->pub.set;
  size_t size = (size_t)d->pub.size;
  if (s->rt.part && !fe_ranks.whole)
    return rt_part_return(fe_ranks.comm, s->part, d->rt.mirror, size, out);
  if (s->pub.size) memcpy(out, d->rt.mirror, (size_t)s->pub.size * size);
  return OK;
}
