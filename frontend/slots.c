/* Slots of dats: what stands behind a handle, and what becomes of it.
 *
 * Problem. A program that declares a temporary in each step and frees it again
 * must not make the library grow, and its loops are to be the same loops in
 * each step: calls and programs know dats by handle and number.
 *
 * Idea. A freed dat is parked when its last loop ran: its memory goes, handle
 * and number stay, and the next declaration of the same shape gets them,
 * whatever its name; of any shape, once no call or program knows the old one
 * (sweep.c).
 *
 * Dats that overlap in memory share a root, where versions are counted. An
 * overlay keeps the memory that it lies on: a temporary under overlays is
 * parked with the last of them. A dat that is parked leaves its root to the
 * others.
 *
 * Over ranks a slot may be ready sooner on one than on another: where a rank
 * that looked alone runs its loops at once (mirror.c). So ranks know dats by
 * `born`, which counts declarations, and go over them in that order
 * (fe_all.aged).
 *
 * Bound: dats that were alive at once, of each shape that calls know. */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/recording.h"

#include "rt/store/dev.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint64_t
fe_born_next(void) {
  return ++fe_all.born;
}

void
fe_aged_last(void *all, uint32_t n, const void *x) {
  char *at = all, *last = at + (n - 1) * sizeof x;
  while (memcmp(at, &x, sizeof x)) at += sizeof x;
  memmove(at, at + sizeof x, (size_t)(last - at));
  memcpy(last, &x, sizeof x);
}

static bool
is_like(const struct fe_dat *d, const struct fe_like *l) {
  return d->parked && !d->base == !l->base && d->temp == l->temp &&
         d->pub.set == l->set && d->pub.dim == l->dim &&
         type_same(d->type, l->type) && !strcmp(d->pub.type, l->type_name);
}

/* The first of them, so that each step of a program finds the same. */
struct fe_dat *
fe_slot_like(const struct fe_like *l) {
  for (uint32_t i = 0; l->temp && i < fe_all.ndats; i++)
    if (fe_all.dats[i]->called && is_like(fe_all.dats[i], l))
      return fe_all.dats[i];
  return NULL;
}

/* One that nobody knows. */
static struct fe_dat *
slot_blank(void) {
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (fe_all.dats[i]->parked && !fe_all.dats[i]->called)
      return fe_all.dats[i];
  return NULL;
}

static void
texts_free(struct fe_dat *d) {
  free((char *)d->pub.name);
  free((char *)d->pub.type);
  free(d->void_since);
  free(d->lost);
  free(d->short_of);
}

/* In its old place, or in one of its own. */
struct fe_dat *
fe_slot_take(struct fe_dat *slot, const struct fe_like *l, const char *name,
             const struct fe_dat *made) {
  bool called = slot != NULL, by_rows = slot && slot->by_rows;
  if (!slot) slot = slot_blank();
  struct fe_dat *d = slot ? slot : mem_alloc(1, sizeof *d);
  uint32_t index = slot ? d->index : fe_all.ndats;
  assert(!slot || slot->parked);
  texts_free(d);
  *d = *made;
  d->index = d->root = index;
  d->born = fe_born_next();
  d->called = called;
  d->by_rows = by_rows;
  d->type = l->type;
  d->temp = l->temp;
  d->base = l->base;
  if (d->base) d->base->overlays++;
  d->pub = (struct op_dat_core){.index = (int)index,
                                .set = l->set,
                                .dim = l->dim,
                                .size = l->dim * (int)l->type.size,
                                .data = d->rt.mirror,
                                .name = fe_text_copy(name),
                                .type = fe_text_copy(l->type_name),
                                .user_managed = d->pinned};
  if (slot) {
    fe_aged_last(fe_all.aged, fe_all.naged, d);
  } else {
    VEC_PUSH(fe_all.dats, fe_all.ndats, fe_all.capdats, d);
    VEC_PUSH(fe_all.aged, fe_all.naged, fe_all.capaged, d);
  }
  return d;
}

/* ---- memory that several have -------------------------------------------- */

static bool
overlaps(const struct fe_dat *a, const struct fe_dat *b) {
  const char *first = a->rt.mirror, *second = b->rt.mirror;
  return first < second + (size_t)b->pub.set->size * (size_t)b->pub.size &&
         second < first + (size_t)a->pub.set->size * (size_t)a->pub.size;
}

status
fe_slot_join(struct fe_dat *d) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct fe_dat *o = fe_all.dats[i];
    if (o == d || !o->pinned || o->parked || o->root == d->root) continue;
    if (!overlaps(o, d)) continue;
    TRY(rt_dat_overlap(&o->rt, &d->rt));
    uint32_t from = d->root > o->root ? d->root : o->root;
    uint32_t to = d->root > o->root ? o->root : d->root;
    for (uint32_t j = 0; j < fe_all.ndats; j++)
      if (fe_all.dats[j]->root == from) fe_all.dats[j]->root = to;
    fe.setup_id++;
  }
  return OK;
}

static bool
is_shared(const struct fe_dat *d) {
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (fe_all.dats[i] != d && fe_all.dats[i]->root == d->root) return true;
  return false;
}

/* Versions of the others are counted elsewhere from now on. What they see in
 * its memory stays: a device has one copy of that for all. */
static void
leave_root(struct fe_dat *d) {
  uint32_t root = UINT32_MAX;
  status st = rt_dat_sync(&d->rt);
  if (st != OK) fe_lost_root(d, (struct fe_cause){st, err_last()});
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct fe_dat *o = fe_all.dats[i];
    if (o == d || o->root != d->index) continue;
    if (root == UINT32_MAX) root = i;
    o->root = root;
  }
  d->root = d->index;
  fe.setup_id++;
}

/* ---- the end ------------------------------------------------------------ */

static void
park(struct fe_dat *d) {
  if (is_shared(d)) leave_root(d);
  if (d->pinned && !d->held && !fe.mirror)
    fe.setup_id++; /* the next one here may be not */
  rt_dat_clear(&d->rt);
  d->parked = true;
  fe_state_update();
}

void
fe_slot_park(struct fe_dat *d) {
  assert(d->freed && !d->parked && !fe_waits(d->used_in));
  if (d->overlays) return;
  park(d);
  struct fe_dat *base = d->base;
  if (!base || --base->overlays) return;
  if (base->freed && !fe_waits(base->used_in)) park(base);
}

void
fe_slot_clear(struct fe_dat *d) {
  rt_dat_clear(&d->rt);
  texts_free(d);
  free(d);
}

uint32_t
fe_slot_block(int dim, bool soa) {
  return (uint32_t)rt_layout_choose(fe.opt.layout, (unsigned)dim,
                                    soa || fe.auto_soa);
}
