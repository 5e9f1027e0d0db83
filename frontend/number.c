/* Numbering: sets whose order in the program is bad are numbered anew, once.
 *
 * Problem. A mesh in random order runs at a fifth of the speed
 * (rt/mesh/renumber.c). OP2 programs may renumber by hand; most don't. Whatever
 * the library does here, the program must not see it.
 *
 * Idea. Pass `number` (passes/number.c) says which sets, from what is measured
 * of their maps here (numbering.c asks it). Numbers differ in buffers and in
 * the tables that loops go by, nowhere else. The mirror of a dat and map->map
 * keep the program's order, and the store converts between mirror and buffer as
 * it does for layouts. Three kinds of loop could tell: those that are shown a
 * number (op_arg_idx) get the program's from a table; those that run in order
 * (serial launches, payloads with their ties) run in the program's; sums are
 * taken in the new order, which OP2 leaves open.
 *
 * When: before the first loop that goes through a map and may run in any order,
 * when the declarations stand. What is declared later is numbered then, by what
 * is settled already. A program of serial loops alone (kernels without IR)
 * never gets here: in the program's order new numbers would only scatter the
 * data.
 *
 * Points of boxes stay in order, but lines of those with a halo may come to lie
 * apart (struct rt_spacing), so that each begins where vectors do. Elements in
 * between are nobody's, so that stays as long as no loop goes over them: it
 * does once a temporary lies on the same points. Tables of rules that nobody
 * has written down are not written for that: what code needs of them is found
 * anew (rule_rows.c).
 *
 * Over ranks each part is numbered by itself, level by level, whenever sets are
 * spread (rt/ranks/part_order.c); a program without any kernel that has IR is
 * left alone.
 *
 * Not numbered anew: sets that hold the program's memory (OP_NO_REALLOC,
 * overlays, OP2_MIRROR); one that comes to hold such memory later goes back to
 * the program's numbers. Under OP2_REPRODUCIBLE, where sums are taken in the
 * program's order, none but small sets in an order of their own, on one rank:
 * by what their maps name, and where that is the same in the program's order.
 *
 * Cost: rt_locality, 0.2 ms, where the order is good. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/counters.h"
#include "base/log.h"
#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Option `by` of pass number; -1: it goes by the maps. */
static int
by_chosen(void) {
  if (fe.opt.bare || fe.opt.renumber == OPT_renumber_0) return 0;
  if (fe.opt.reproducible) return fe_ranked() ? 0 : -1;
  if (fe.opt.renumber == OPT_renumber_auto) return -1;
  return fe.opt.renumber == OPT_renumber_bisect ? 2 : 1;
}

/* ---- changing orders ---------------------------------------------------- */

/* Bring dats to the orders that their sets have. */
static status
dats_reorder(void) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct fe_dat *d = fe_all.dats[i];
    if (d->parked || d->pinned) continue;
    TRY(rt_dat_reorder(&d->rt, ((struct fe_set *)d->pub.set)->rt.order));
  }
  return OK;
}

/* Exchange the orders of all sets with these. */
static void
orders_swap(const struct rt_order **orders) {
  for (uint32_t s = 0; s < fe_all.nsets; s++) {
    struct fe_set *set = fe_all.sets[s];
    const struct rt_order *old = set->rt.order;
    set->rt.order = orders[s];
    set->rt.n = orders[s] ? orders[s]->n : set->pub.size;
    orders[s] = old;
  }
}

/* A new table for each map that needs one. */
static status
tables_make(const struct rt_order *const *old, struct fe_table *tables,
            bool *changed) {
  for (uint32_t i = 0; i < fe_all.nmaps; i++) {
    struct fe_map *m = fe_all.maps[i];
    changed[i] = m->rt.from->order != old[m->pub.from->index] ||
                 m->rt.to->order != old[m->pub.to->index];
    if (changed[i]) TRY(fe_map_table_at_need(m, &tables[i]));
  }
  return OK;
}

/* All sets get these orders (TAKE; the array is KEEP). The copies of dats that
 * share a buffer part. On failure all is as before: what was just freed is
 * in the pool. */
static status
orders_set(const struct rt_order **orders) {
  struct fe_table *tables = mem_alloc(fe_all.nmaps + 1, sizeof *tables);
  bool *changed = mem_alloc(fe_all.nmaps + 1, sizeof *changed);
  orders_swap(orders);
  status st = tables_make(orders, tables, changed);
  if (st == OK) st = dats_reorder();
  if (st != OK) {
    orders_swap(orders);
    status back = dats_reorder();
    assert(back == OK);
    (void)back;
  }
  for (uint32_t i = 0; i < fe_all.nmaps; i++)
    if (st == OK && changed[i])
      fe_map_table_set(fe_all.maps[i], tables[i]);
    else
      fe_table_free(fe_all.maps[i], &tables[i]);
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    if (orders[s] != fe_all.sets[s]->rt.order)
      rt_order_free((struct rt_order *)orders[s]);
  free(tables);
  free(changed);
  if (st != OK) return st;
  fe.setup_id++;
  fe_state_update();
  return OK;
}

status
fe_number_fix(struct fe_set *set) {
  if (fe_ranked())
    FAIL(ERR_STATE,
         "set \"%s\": memory of the program (overlays, OP2_MIRROR) is used as "
         "it is on one rank only, found %d",
         set->pub.name, fe_ranks.size);
  set->fixed = true;
  if (!set->rt.order) return OK;
  const struct rt_order **orders = mem_alloc(fe_all.nsets + 1, sizeof *orders);
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    if (fe_all.sets[s] != set) orders[s] = fe_all.sets[s]->rt.order;
  status st = orders_set(orders);
  if (st == OK) set->numbered = 0;
  free(orders);
  return st;
}

status
fe_points_keep(struct fe_set *set) {
  const struct rt_order *order = set->rt.order;
  set->fixed |= set->box != NULL;
  return order && order->lines.line ? fe_number_fix(set) : OK;
}

/* May its elements be numbered anew? Those of points stay in order. */
static bool
is_open(const struct op_set_core *handle) {
  return fe_set_open(handle) && !((const struct fe_set *)handle)->box;
}

/* ---- when, and what ----------------------------------------------------- */

/* Programs that declare a map in each step come here each time, with all the
 * maps of before. */
static bool
all_settled(void) {
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    if (!fe_all.sets[s]->settled) return false;
  return true;
}

static void
describe_sets(struct rt_mesh_set *sets, const uint32_t *said) {
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    sets[s] = (struct rt_mesh_set){.set = &fe_all.sets[s]->rt,
                                   .settled = !said[s] || fe_all.sets[s]->box};
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (!fe_all.dats[i]->freed)
      sets[fe_all.dats[i]->pub.set->index].bytes +=
          (uint64_t)fe_all.dats[i]->pub.size;
}

/* The new orders become those of their sets. */
static status
orders_adopt(const struct rt_mesh_set *sets) {
  const struct rt_order **orders = mem_alloc(fe_all.nsets + 1, sizeof *orders);
  uint32_t n = 0;
  for (uint32_t s = 0; s < fe_all.nsets; s++) {
    orders[s] = sets[s].row ? rt_order_new(sets[s].set->n, sets[s].row)
                            : fe_all.sets[s]->rt.order;
    n += sets[s].row != NULL;
  }
  status st = n ? orders_set(orders) : OK;
  if (st == OK) counters[CNT_renumbered] += n;
  free(orders);
  return st;
}

/* Lines of the sets that are said to be spaced come to lie so, if there is
 * memory for it. */
static void
lines_space(const uint32_t *said, const struct rt_spacing *lines) {
  const struct rt_order **orders = mem_alloc(fe_all.nsets + 1, sizeof *orders);
  uint32_t n = 0;
  for (uint32_t s = 0; s < fe_all.nsets; s++) {
    struct fe_set *set = fe_all.sets[s];
    orders[s] = set->rt.order;
    if (!lines[s].line || set->rt.order) continue;
    orders[s] = rt_order_spaced(set->pub.size, lines[s]);
    n++;
  }
  status st = n ? orders_set(orders) : OK;
  for (uint32_t s = 0; st == OK && s < fe_all.nsets; s++)
    if (lines[s].line) fe_all.sets[s]->numbered = said[s];
  free(orders);
  if (st != OK) LOG_INFO("lines stay side by side: %s", err_last());
}

/* As the trace says of each set. */
static status
number_sets(const uint32_t *said, enum rt_renumber_by how) {
  const struct rt_relation **maps = mem_alloc(fe_all.nmaps + 1, sizeof *maps);
  struct rt_mesh_set *sets = mem_alloc(fe_all.nsets + 1, sizeof *sets);
  double begin = timer_wall();
  uint32_t nmaps = 0;
  describe_sets(sets, said);
  for (uint32_t k = 0; k < fe_all.nmaps; k++) /* boxes keep their numbers */
    if (!fe_hollow(fe_all.maps[k])) maps[nmaps++] = &fe_all.maps[k]->rt;
  double before = rt_locality(maps, nmaps);
  status st = rt_renumber(sets, fe_all.nsets, maps, nmaps, how);
  for (uint32_t s = 0; st == OK && s < fe_all.nsets; s++)
    if (sets[s].row) fe_all.sets[s]->numbered = said[s];
  if (st == OK) st = orders_adopt(sets);
  if (st == OK)
    LOG_INFO("renumbered (%s): %.2f cache lines for each entry of a map, %.2f "
             "before; %.3f s",
             how == RT_RENUMBER_RCM ? "rcm" : "bisect",
             rt_locality(maps, nmaps), before, timer_wall() - begin);
  free(maps);
  free(sets);
  return st;
}

/* How many maps go between sets that may be numbered; local: of each of these
 * how far apart its entries lie, if that is asked. */
static uint32_t
maps_open(int by, double *local) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < fe_all.nmaps; k++) {
    const struct fe_map *m = fe_all.maps[k];
    const struct rt_relation *rows = &m->rt;
    bool open = is_open(m->pub.from) || is_open(m->pub.to);
    open = open && !fe_hollow(m);
    local[k] = open && by < 0 ? rt_locality(&rows, 1) : -1;
    n += open;
  }
  return n;
}

static status
number_open(int by) {
  if (all_settled()) return OK;
  uint32_t *said = mem_alloc(fe_all.nsets + 1, sizeof *said);
  struct rt_spacing *lines = mem_alloc(fe_all.nsets + 1, sizeof *lines);
  double *local = mem_alloc(fe_all.nmaps + 1, sizeof *local);
  uint32_t n = maps_open(by, local);
  int how;
  status st = fe_numbering(NULL, local, NULL, n ? by : 0, said, lines, &how);
  if (st == OK && how >= 0) st = number_sets(said, (enum rt_renumber_by)how);
  if (st == OK) lines_space(said, lines);
  free(local);
  free(lines);
  free(said);
  return st;
}

/* As the trace says of each part, `by` the pass's option. */
static status
number_parts(struct rt_dist *d, int by, struct rt_dist_ordered *got) {
  uint32_t *said = mem_alloc(fe_all.nsets + 1, sizeof *said);
  idx_g *sizes = mem_alloc(fe_all.nsets + 1, sizeof *sizes);
  uint64_t *bytes = mem_alloc(fe_all.nsets + 1, sizeof *bytes);
  SCOPED bool *settled = mem_alloc(fe_all.nsets + 1, sizeof *settled);
  SCOPED uint32_t *drift = mem_alloc(d->nmaps + 1, sizeof *drift);
  double *local = mem_alloc(d->nmaps + 1, sizeof *local);
  for (uint32_t s = 0; s < fe_all.nsets; s++) sizes[s] = d->parts[s].n;
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (!fe_all.dats[i]->freed)
      bytes[fe_all.dats[i]->pub.set->index] +=
          (uint64_t)fe_all.dats[i]->pub.size;
  if (by < 0) rt_dist_measure(d, local, drift);
  for (uint32_t k = 0; by >= 0 && k < d->nmaps; k++) local[k] = -1;
  int how;
  status st =
      fe_numbering(sizes, local, drift, d->nmaps ? by : 0, said, NULL, &how);
  for (uint32_t s = 0; s < fe_all.nsets; s++) settled[s] = !said[s];
  if (st == OK && how >= 0)
    st = rt_dist_order(d, (enum rt_renumber_by)how, bytes, settled, got);
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    fe_all.sets[s]->numbered = st == OK ? said[s] : 0;
  free(bytes);
  free(sizes);
  free(local);
  free(said);
  return st;
}

/* Bytes of this rank's elements, of all dats and maps. */
static double
bytes_here(const struct rt_dist *d) {
  double sum = 0;
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    const struct fe_dat *x = fe_all.dats[i];
    if (!x->freed) sum += (double)d->parts[x->pub.set->index].n * x->pub.size;
  }
  for (uint32_t k = 0; k < d->nmaps; k++)
    sum += (double)d->parts[d->maps[k].from].n * d->maps[k].arity *
           (double)sizeof(idx_l);
  return sum;
}

/* Numbers by depth, for fronts (passes/front.c): where loops move more than
 * caches hold, but for points and columns, of which code counts on rows that
 * follow each other. In the program's order nobody goes by depths. */
static void
number_by_depth(struct rt_dist *d) {
  enum { LEAST = 8 << 20 }; /* versions may take as much again */
  SCOPED bool *by_depth = mem_alloc(fe_all.nsets + 1, sizeof *by_depth);
  bool any = fe.opt.tile_piece > 0;
  if (fe.opt.reproducible || (!any && bytes_here(d) < LEAST)) return;
  for (uint32_t s = 0; s < fe_all.nsets; s++) {
    struct fe_set *domain, *set = fe_all.sets[s];
    fe_points_of(set, &domain);
    by_depth[s] = !domain && !fe_columns_base(set);
  }
  rt_dist_deepen(d, by_depth, any);
}

status
fe_number_parts(struct rt_dist *d) {
  struct rt_dist_ordered got = {0};
  int by = by_chosen();
  double begin = timer_wall();
  if (by < 0 && !fe_kernels_any() && !fe.source_version) by = 0;
  TRY(number_parts(d, by, &got));
  if (by) number_by_depth(d);
  counters[CNT_renumbered] += got.sets;
  if (got.sets)
    LOG_INFO("rank %d: renumbered its part: %.2f cache lines for each entry of "
             "a map; %.3f s",
             fe_ranks.rank, got.after, timer_wall() - begin);
  return OK;
}

status
fe_number(bool moves) {
  int by = by_chosen();
  if (by < 0 && !moves) return OK;
  fe_told(FE_CLOCK_MESH, NULL, NULL, true);
  bool asked = fe.renumber && !fe.opt.reproducible;
  status st = number_open(by < 0 && asked ? 1 : by);
  fe_told(FE_CLOCK_MESH, NULL, NULL, false);
  TRY(st);
  for (uint32_t s = 0; s < fe_all.nsets; s++) fe_all.sets[s]->settled = true;
  fe.unsettled = fe.unsettled_seen = false;
  return OK;
}
