/* Sets, maps and dats over ranks.
 *
 * Before the first loop (or after op_partition) sets are *spread*: their
 * elements go to their owners and get halos (rt/ranks/dist.h). From then on
 *
 *   buffers  have this rank's elements and its halo, in the order of levels
 *   mirrors  parts: owned elements by global number, then L_1, then L_2
 *            whole: all elements, as declared
 *   maps     go by local numbers; map->map shows the mirror's
 *
 * so that rt_order, by which the store already tells the program's order from
 * its own, carries all of it. A map that is declared later gets its table, if
 * halos as they are will do (rt/ranks/dist_fit.c). A set, another map, or a
 * loop that needs deeper halos spreads everything anew: values go home to the
 * declared parts and out again; mirrors keep their values and, in parts that
 * did not move, their address may change. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "base/counters.h"
#include "base/log.h"
#include "rt/ranks/dist.h"

#include <stdlib.h>
#include <string.h>

/* Local elements as rows of mirrors. Those farther out than mirrors go are row
 * 0, of which there is one then. */
static struct rt_order *
order_make(const struct rt_part *p) {
  idx_l *row = mem_alloc((size_t)p->n + 1, sizeof *row);
  if (fe_ranks.whole) {
    for (idx_l e = 0; e < p->n; e++) row[e] = (idx_l)p->global[e];
    return rt_order_spread(p->n, p->owned, (idx_l)p->total, true, row);
  }
  for (idx_l i = 0; i < p->owned; i++) row[p->sorted[i]] = i;
  for (idx_l e = p->owned; e < p->level[2]; e++) row[e] = e;
  idx_l rows = p->n && !p->level[2] ? 1 : p->level[2];
  return rt_order_spread(p->n, p->owned, rows, false, row);
}

/* A rank without elements may have given no values where others did: those of
 * the dats are zeros on all ranks, or on none. Collective. */
static status
agree_untouched(struct fe_dat **dats, uint32_t n) {
  SCOPED char *zeros = mem_alloc((size_t)n + 1, 1);
  for (uint32_t i = 0; i < n; i++) zeros[i] = dats[i]->rt.untouched;
  status st = fe_join(zeros, n, TYPE_U8, ACC_MIN);
  for (uint32_t i = 0; st == OK && i < n; i++)
    if (dats[i]->rt.untouched && !zeros[i]) rt_dat_touch(&dats[i]->rt);
  return st;
}

status
fe_ranks_dat(struct fe_dat *d) {
  struct fe_set *s = (struct fe_set *)d->pub.set;
  if (!s->rt.part) return OK;
  if (!d->temp) {
    TRY(fe_agree("op_decl_dat", d->born, OK));
    TRY(agree_untouched(&d, 1));
  }
  size_t bytes = (size_t)fe_own_size(s) * (size_t)d->pub.size;
  SCOPED char *own = NULL;
  if (!fe_ranks.whole && !d->rt.untouched) {
    own = mem_alloc(bytes + 1, 1);
    memcpy(own, d->rt.mirror, bytes);
  }
  status st = fe_home_place(d, &(struct fe_home){0});
  if (st == OK && own) memcpy(d->rt.mirror, own, bytes);
  return st;
}

static void
set_describe(struct fe_set *s, const struct rt_part *p,
             struct rt_order *order) {
  rt_order_free((struct rt_order *)s->rt.order);
  struct rt_part old = *s->part;
  *s->part = *p;
  old.start = NULL;
  old.to = NULL;
  rt_part_clear(&old);
  s->rt.part = s->part;
  s->rt.order = order;
  s->rt.n = p->n;
  if (fe_ranks.whole) return;
  s->pub.size = p->owned;
  s->pub.core_size = p->core;
  s->pub.exec_size = p->level[1] - p->owned;
  s->pub.nonexec_size = p->level[2] - p->level[1];
}

/* map->map of a part: rows of mirrors, as far as loops run. */
static status
map_show(struct fe_map *m) {
  const struct rt_part *from = ((struct fe_set *)m->pub.from)->part;
  const struct rt_order *a = m->rt.from->order, *b = m->rt.to->order;
  idx_l rows = from->level[1];
  SCOPED int64_t *start = mem_alloc((size_t)rows + 1, sizeof *start);
  for (idx_l e = 0; e < rows; e++) start[a->row[e] + 1] = rt_row(&m->rt, e).n;
  for (idx_l e = 0; e < rows; e++) start[e + 1] += start[e];
  size_t bytes = (size_t)start[rows] * sizeof(int);
  int *shown = rt_mem_new(bytes);
  if (!shown)
    FAIL(ERR_MEMORY, "no memory for map \"%s\": %zu bytes", m->pub.name, bytes);
  for (idx_l e = 0; e < rows; e++) {
    struct rt_row row = rt_row(&m->rt, e);
    for (uint32_t i = 0; i < row.n; i++)
      shown[start[a->row[e]] + i] = b->row[row.at[i]];
  }
  rt_mem_free(m->pub.map, m->bytes);
  m->pub.map = shown;
  m->bytes = bytes;
  if (m->start) {
    free(m->start);
    m->start = start;
    start = NULL;
  }
  return OK;
}

static status
map_describe(struct fe_map *m, const struct rt_dist_map *x) {
  m->onto = x->onto, m->injective = x->injective, m->repeats = x->repeats;
  TRY(fe_number_map_take(m, x->table, x->table_start));
  return fe_ranks.whole ? OK : map_show(m);
}

/* Subsets follow their whole set, columns their base. */
static bool
follows(const struct fe_set *s) {
  return s->whole || s->columns;
}

/* Sets that follow others go by the hidden maps to these before other maps from
 * and to them, so that their elements lie with those that they belong to. */
static int
turn_of(const struct fe_map *m) {
  const struct fe_set *from = (struct fe_set *)m->pub.from;
  const struct fe_set *to = (struct fe_set *)m->pub.to;
  if (from->into == m || fe_columns_lie_by(from, m)) return 1;
  return follows(from) || follows(to) ? 2 : 0;
}

static struct rt_dist_map
map_declared(const struct fe_map *m) {
  return (struct rt_dist_map){.from = (uint32_t)m->pub.from->index,
                              .to = (uint32_t)m->pub.to->index,
                              .arity = (uint32_t)m->pub.dim,
                              .own = m->start != NULL,
                              .turn = turn_of(m),
                              .rows = m->declared};
}

void
fe_dist_describe(struct rt_dist *d, int level) {
  *d = (struct rt_dist){.comm = fe_ranks.comm,
                        .parts = mem_alloc(fe_all.nsets + 1, sizeof *d->parts),
                        .maps = mem_alloc(fe_all.nmaps + 1, sizeof *d->maps),
                        .nparts = fe_all.nsets,
                        .nmaps = fe_all.nmaps,
                        .depth = level};
  for (uint32_t s = 0; s < fe_all.nsets; s++) {
    const struct rt_part *p = fe_all.sets[s]->part;
    d->parts[s] = (struct rt_part){.total = p->total,
                                   .start = p->start,
                                   .declared = p->declared,
                                   .to = p->to,
                                   .stays = p->stays};
  }
  for (uint32_t k = 0; k < fe_all.nmaps; k++)
    d->maps[k] = map_declared(fe_all.maps[k]);
}

/* Sets and maps as the distribution found them. */
static status
dist_adopt(struct rt_dist *d) {
  rt_halo_forget(fe_ranks.halo);
  fe_targets_forget();
  for (uint32_t k = 0; k < fe_all.nmaps; k++)
    fe_number_map_clear(fe_all.maps[k]);
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    set_describe(fe_all.sets[s], &d->parts[s], order_make(&d->parts[s]));
  status st = OK;
  for (uint32_t k = 0; k < fe_all.nmaps; k++) {
    if (st == OK) st = map_describe(fe_all.maps[k], &d->maps[k]);
    rt_dist_table_free(&d->maps[k]);
  }
  return st;
}

/* Dats that have memory, in an order that all ranks have: dats[0, n). */
struct live {
  struct fe_dat **dats;
  struct fe_home *homes;
  uint32_t n;
};

static void
live_find(struct live *l) {
  l->n = 0;
  l->dats = mem_alloc(fe_all.naged + 1, sizeof *l->dats);
  l->homes = mem_alloc(fe_all.naged + 1, sizeof *l->homes);
  for (uint32_t i = 0; i < fe_all.naged; i++)
    if (!fe_all.aged[i]->parked) l->dats[l->n++] = fe_all.aged[i];
}

static void
live_clear(struct live *l) {
  for (uint32_t i = 0; i < l->n; i++) fe_home_clear(&l->homes[i]);
  free(l->homes);
  free(l->dats);
}

static status
homes_take(const struct live *l) {
  SCOPED char *apart = mem_alloc((size_t)l->n + 1, 1);
  for (uint32_t i = 0; i < l->n; i++) apart[i] = fe_home_apart(l->dats[i]);
  TRY(fe_join(apart, l->n, TYPE_U8, ACC_MAX));
  for (uint32_t i = 0; i < l->n; i++)
    TRY(fe_home_take(l->dats[i], apart[i], &l->homes[i]));
  return OK;
}

static status
homes_give(const struct live *l) {
  for (uint32_t i = 0; i < l->n; i++)
    TRY(fe_home_place(l->dats[i], &l->homes[i]));
  return OK;
}

/* A program that reads dat->data may look at halos once they are there, as in
 * OP2: they hold what their owners declared. */
static status
halos_show(const struct live *l) {
  bool seen = fe.mirror || fe.lone_dats;
  for (uint32_t i = 0; seen && i < l->n; i++)
    if (!l->dats[i]->lost) TRY(fe_dat_halo(l->dats[i]));
  return OK;
}

static void
settled(status st) {
  fe.unsettled = st != OK;
  if (st == OK) fe.unsettled_seen = fe.unsettled_waits = false;
}

status
fe_spread(int level) {
  struct rt_dist d;
  if (level > fe_ranks.level) fe_ranks.level = (level + 1) & ~1;
  if (fe_ranks.level > REACH_MAX)
    FAIL(ERR_STATE, "loops over level %d of the halo: at most %d",
         fe_ranks.level, REACH_MAX);
  double begin = timer_wall();
  TRY(fe_agree("spreading sets over the ranks", (uint64_t)fe_ranks.level, OK));
  TRY(fe_whole_check());
  struct live live;
  live_find(&live);
  fe_dist_describe(&d, fe_ranks.level);
  status st = agree_untouched(live.dats, live.n);
  if (st == OK) st = homes_take(&live);
  if (st == OK) st = rt_dist_make(&d);
  if (st == OK) st = fe_number_parts(&d);
  if (st == OK) st = dist_adopt(&d);
  st = fe_agree("sets over the ranks", 0, st);
  if (st == OK) st = homes_give(&live);
  if (st == OK) st = halos_show(&live);
  live_clear(&live);
  free(d.parts);
  free(d.maps);
  counters[CNT_spreads]++;
  fe.setup_id++;
  fe_ranks.respread = st != OK;
  settled(st);
  if (st == OK) fe_ranks.maps_spread = fe_all.nmaps;
  fe_state_update();
  LOG_INFO("rank %d: sets spread over %d ranks, %d levels: %.3f s",
           fe_ranks.rank, fe_ranks.size, fe_ranks.level, timer_wall() - begin);
  return st;
}

/* Maps declared since, between sets as they are spread. */
static status
maps_fit(bool *fit) {
  while (*fit && fe_ranks.maps_spread < fe_all.nmaps) {
    struct fe_map *m = fe_all.maps[fe_ranks.maps_spread];
    struct rt_dist_map x = map_declared(m);
    TRY(rt_dist_fit(fe_ranks.comm, m->rt.from->part, m->rt.to->part,
                    fe_ranks.level, &x, fit));
    status st = *fit ? map_describe(m, &x) : OK;
    rt_dist_table_free(&x);
    TRY(fe_agree("a map over the ranks", fe_ranks.maps_spread, st));
    fe_ranks.maps_spread += *fit;
  }
  return OK;
}

static status
settle(void) {
  bool fit = !fe_ranks.respread;
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    fit &= fe_all.sets[s]->rt.part != NULL;
  if (!fit) return fe_spread(0);
  TRY(fe_agree("maps between sets over the ranks", fe_all.nmaps, OK));
  TRY(fe_whole_check());
  status st = maps_fit(&fit);
  if (st == OK && !fit) return fe_spread(0);
  settled(st);
  return st;
}

status
fe_lone_looks_begin(void) {
  if (!fe.lone_looks && fe.unsettled_waits) TRY(fe_ranks_settle());
  fe.lone_looks = true;
  return OK;
}

status
fe_ranks_settle(void) {
  double begin = fe_clock_begin();
  fe_told(FE_CLOCK_MESH, NULL, NULL, true);
  status st = settle();
  fe_told(FE_CLOCK_MESH, NULL, NULL, false);
  fe_clock_end(FE_CLOCK_MESH, begin);
  return st;
}
