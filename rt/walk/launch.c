/* One launch: parts, steps, threads.
 *
 * A launch runs in parts, one per thread, and in steps, with a barrier between
 * them; part t of k is
 *
 *   RANGE      elements [n*t/k, n*(t+1)/k), cut at multiples of RT_UNIT
 *   COLOURED   by parts (rt/walk/parts.c): part t, then its borders in part 0;
 *              by colours: a step for each, of its blocks the same share
 *
 * and everything else is part 0 of 1: serial launches, coloured launches with a
 * payload (whose ties need element order), and small sets. A coloured launch as
 * part 0 of 1 is a plain range. Where threads cost more than they save, the
 * calling thread runs all parts (rt/walk/team.c), without OpenMP.
 *
 * Where the order of elements can be told (serial launches, ties of payloads)
 * and the library numbers them otherwise than the program, the parts count the
 * program's elements, and each run of them that is consecutive here is a call.
 *
 * RT_UNIT is 64 elements: cuts then fall between cache lines in every layout
 * and vector loops start aligned. Increments reach a target colour by colour,
 * so that a plan gives the same sums for any number of threads above one.
 *
 * Reproducible mode takes the number of threads out of sums altogether:
 * coloured launches run by plan on one thread, too, over ranks by one plan of
 * all ranks' elements (plan_ranks.c), and sums are exact (exact_sums.c).
 *
 * Block length: edges of a quadrilateral mesh of 180 000 cells took 0.9 to 1.1
 * ms on two threads for all lengths from 128 to 16384 (1.9 on one). After a
 * shuffle of the edges it was 2.1 to 2.3 ms up to 512 and 3.6 ms above, where
 * every block meets every other and each colour has one block.
 *
 * Limits: parts are equal in elements, not in cost.
 */
#include "rt/walk/launch.h"
#include "base/counters.h"
#include "base/fp.h"
#include "base/log.h"
#include "rt/ranks/dist.h"
#include "rt/walk/parts.h"
#include "rt/walk/reduce.h"
#include "rt/walk/team.h"

#include <assert.h>
#include <omp.h>
#include <string.h>

enum { BLOCK = 512, REST_SHARE = 16 };

static struct {
  idx_l block;
  bool reproducible, overlap, apart;
} tune = {BLOCK, false, true, false};

void
rt_set_block_size(idx_l block) {
  tune.block = block > 0 ? block : BLOCK;
}

void
rt_set_overlap(bool on) {
  tune.overlap = on;
}

void
rt_set_reproducible(bool on) {
  tune.reproducible = on;
}

void
rt_set_apart(bool on) {
  tune.apart = on;
}

bool
rt_joins(const struct rt_program *p) {
  return p->comm && !tune.apart;
}

/* ---- prepare ------------------------------------------------------------- */

/* Through which entries of which maps the launch writes. */
static const struct rt_entries *
conflicts_of(const struct rt_program *p, const struct rt_launch *l) {
  struct rt_entries *c = p->scratch->conflicts;
  for (uint32_t i = 0; i < l->nconflicts; i++) {
    assert(l->conflicts[i].map < p->nmaps);
    c[i] = (struct rt_entries){p->maps[l->conflicts[i].map],
                               l->conflicts[i].first, l->conflicts[i].count};
  }
  return c;
}

/* By parts or by colours: what the maps' entries allow. */
static status
find_plan(const struct rt_program *p, struct rt_launch *l, struct rt_run *r) {
  const struct rt_entries *c = conflicts_of(p, l);
  bool fixed = tune.reproducible || l->mode == RT_RUN_COLOURED;
  if (!fixed) {
    TRY(rt_parts_get(r->n, r->threads, c, l->nconflicts, &r->parts));
    if (r->parts->pays) return OK;
    r->parts = NULL;
  }
  const struct rt_set *set = p->sets[l->set];
  if (tune.reproducible && set->part)
    TRY(rt_plan_get_ranks(p->comm, set, l->level, tune.block, c, l->nconflicts,
                          &l->plan));
  else if (fixed)
    TRY(rt_plan_get(r->n, tune.block, c, l->nconflicts, false, &l->plan));
  else
    TRY(rt_plan_get_for(r->n, tune.block, r->threads, c, l->nconflicts,
                        &l->plan));
  if (!l->plan) {
    r->threads = 1; /* all of it, in order */
    r->crowded = true;
    return OK;
  }
  r->plan = l->plan;
  r->at = l->plan->at;
  return OK;
}

status
rt_launch_plan(const struct rt_program *p, uint32_t i) {
  struct rt_launch *l = &p->launches[i];
  struct rt_run r = {0};
  bool together = tune.reproducible && p->sets[l->set]->part && !l->offload;
  return together && l->nconflicts && !l->ntokens ? find_plan(p, l, &r) : OK;
}

/* Over ranks: globals see only what this rank owns, and so does the order of
 * elements. Exact sums look at each element, and an extreme does not mind what
 * its owner has seen, too. */
static void
split_elements(const struct rt_part *part, const struct rt_launch *l,
               struct rt_run *r) {
  bool own = l->ntokens || l->mode == RT_RUN_SERIAL || rt_reduce_ordered(l);
  for (uint32_t k = 0; k < l->nreductions; k++)
    own |= !l->reductions[k].exact && l->reductions[k].access == ACC_INC;
  r->end = part->level[l->level];
  r->n = own ? part->owned : r->end;
  r->owned = part->owned;
  counters[CNT_redundant_elements] += r->end - part->owned;
}

/* Elements that may run while values of others are on their way (see ranked.c):
 * in whole units, so that cuts stay what they were. Where order counts, or
 * where the others are more than a small share, which threads would not run
 * evenly: none. */
static idx_l
core_elements(const struct rt_part *part, const struct rt_run *r) {
  const struct rt_launch *l = r->l;
  if (!tune.overlap || tune.reproducible || l->ntokens || rt_reduce_ordered(l))
    return 0;
  idx_l core = part->core;
  if (core > RT_UNIT) core -= core % RT_UNIT;
  return r->threads == 1 || r->n - core <= r->n / REST_SHARE ? core : 0;
}

/* Increments of a launch in the program's order of elements: those of others in
 * between, not afterwards. */
static status
order_all(const struct rt_program *p, struct rt_launch *l, struct rt_run *r) {
  TRY(find_plan(p, l, r));
  r->plan = NULL;
  r->n = r->end;
  return OK;
}

void
rt_launch_explain(const struct rt_run *r, struct str *out) {
  const char *name = r->l->name;
  idx_l border = 0;
  if (r->crowded)
    str_printf(
        out,
        "threads: %s runs on one: writes through maps meet so often that "
        "colours have too few blocks of %d elements for more\n",
        name, tune.block);
  else if (r->plan)
    str_printf(out, "threads: %s runs in %d colours of %d blocks\n", name,
               r->plan->ncolours, r->plan->nblocks);
  if (!r->parts) return;
  const struct rt_parts *p = r->parts;
  for (uint32_t i = p->start[p->parts]; i < p->start[p->parts + 1]; i++)
    border += p->ranges[i].hi - p->ranges[i].lo;
  str_printf(
      out, "threads: %s runs in %d parts, then %d of its %d elements on one\n",
      name, p->parts, border, p->n);
}

/* On a device the launch behind an exchange is cut where its halves cost no
 * more than the whole and nothing waits for the first one. */
static bool
offload_cuts(const struct rt_launch *l) {
  return l->offload->form == RT_FORM_PLAIN && l->mode != RT_RUN_SERIAL &&
         !l->nreductions;
}

status
rt_launch_prepare(const struct rt_program *p, uint32_t i, int nthreads,
                  struct rt_run *out) {
  struct rt_launch *l = &p->launches[i];
  const struct rt_set *set = p->sets[l->set];
  struct rt_run r = {.l = l,
                     .n = set->n,
                     .end = set->n,
                     .owned = set->n,
                     .threads = 1,
                     .team = p->scratch->teams[i],
                     .nexact = rt_exact_count(l),
                     .single = rt_exact_one_by_one(l)};
  if (set->part) split_elements(set->part, l, &r);
  r.all = r.end > r.n ? r.end : r.n;
  if (l->offload) {
    if (set->part && offload_cuts(l)) r.core = core_elements(set->part, &r);
    *out = r;
    return rt_offload_prepare(p, l, r.n, r.end, conflicts_of(p, l),
                              &out->offload);
  }
  r.threads = rt_team_size(r.n, nthreads);
  bool meets = l->mode == RT_RUN_COLOURED || l->mode == RT_RUN_PARTS;
  bool coloured = meets && l->nconflicts;
  bool serial = l->mode == RT_RUN_SERIAL || (coloured && rt_reduce_ordered(l));
  if (serial || l->alone) r.threads = 1;
  if (set->order && (serial || rt_reduce_ordered(l)))
    r.at = set->part ? set->part->sorted : set->order->at;
  if (coloured && !serial && (r.threads > 1 || tune.reproducible))
    TRY(find_plan(p, l, &r));
  if (serial && l->nconflicts && set->part && tune.reproducible && !l->ntokens)
    TRY(order_all(p, l, &r));
  r.hi = r.n;
  if (set->part && !serial) r.core = core_elements(set->part, &r);
  *out = r;
  return OK;
}

/* ---- bind ---------------------------------------------------------------- */

static void *
bound(const struct rt_program *p, const struct rt_bind *b) {
  switch ((enum rt_bind_kind)b->kind) {
  case RT_BIND_SLOT: return p->scratch->bufs[b->index]->mem;
  case RT_BIND_STRIDE:
    return (void *)(uintptr_t)p->scratch->bufs[b->index]->stride;
  case RT_BIND_OFFSET: break; /* of devices */
  case RT_BIND_MAP:
    assert(!p->maps[b->index]->start && "code goes by the arity");
    return (void *)(uintptr_t)p->maps[b->index]->table;
  case RT_BIND_NAMED:
    return (void *)(uintptr_t)(p->maps[b->index]->named
                                   ? p->maps[b->index]->named
                                   : p->maps[b->index]->table);
  case RT_BIND_ROWS: return p->sets[b->index]->order->row;
  case RT_BIND_PARAM: return (void *)(uintptr_t)p->params[b->index];
  case RT_BIND_GLOBAL: return p->globals[b->index];
  case RT_BIND_ACC:
  case RT_BIND_SCRATCH: return NULL; /* put in by rt_launch_point */
  case RT_BIND_ADDRESS: return p->addresses[b->index];
  }
  assert(!"kind of bind");
  return NULL;
}

static bool
is_each(const struct rt_launch *l, const struct rt_bind *b) {
  return b->kind == RT_BIND_ACC && l->reductions[b->index].each;
}

void
rt_launch_point(const struct rt_launch *l, void **table, char *acc) {
  for (uint32_t i = 0; i < l->nbinds; i++)
    if (l->binds[i].kind == RT_BIND_ACC && !is_each(l, &l->binds[i]))
      table[i] = acc + rt_reduce_offset(l, l->binds[i].index);
}

/* Each thread has its table if there is something private in it. */
static size_t
table_stride(const struct rt_run *r, const struct rt_scratch *s) {
  return r->l->nreductions || r->l->scratch ? s->row : 0;
}

static void
bind_room(const struct rt_launch *l, const struct rt_scratch *s, int t,
          void **table) {
  char *first = s->rooms + (RT_PAGE - (uintptr_t)s->rooms % RT_PAGE);
  for (uint32_t i = 0; i < l->nbinds; i++)
    if (l->binds[i].kind == RT_BIND_SCRATCH)
      table[i] = first + (size_t)t * s->room_row;
}

void
rt_launch_bind(const struct rt_program *p, const struct rt_run *r) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_launch *l = r->l;
  for (uint32_t i = 0; i < l->nbinds; i++)
    s->table[i] = is_each(l, &l->binds[i])
                      ? rt_exact_each(r, s, l->binds[i].index)
                      : bound(p, &l->binds[i]);
  if (!table_stride(r, s)) return;
  for (int t = 0; t < r->threads; t++) {
    void **table = s->table + (size_t)t * s->row;
    if (t) memcpy(table, s->table, l->nbinds * sizeof *table);
    if (l->nreductions)
      rt_launch_point(l, table, s->acc + (size_t)t * s->acc_row);
    if (l->scratch) bind_room(l, s, t, table);
  }
}

/* ---- run: parts of a launch ---------------------------------------------- */

/* Elements [lo, hi) as they are here. */
static void
call_here(const struct rt_run *r, const struct rt_scratch *s, int t, int64_t lo,
          int64_t hi) {
  void **table = s->table + (size_t)t * table_stride(r, s);
  if (!r->single) {
    r->l->fn(table, lo, hi);
    return;
  }
  for (int64_t e = lo; e < hi; e++) {
    r->l->fn(table, e, e + 1);
    rt_exact_drain(r, s, t, e < r->owned);
  }
}

void
rt_launch_call(const struct rt_run *r, const struct rt_scratch *s, int t,
               int64_t lo, int64_t hi) {
  if (!r->at) {
    if (lo < hi) call_here(r, s, t, lo, hi);
    return;
  }
  for (int64_t e = lo, first = lo; e < hi; first = e) {
    while (++e < hi && r->at[e] == r->at[e - 1] + 1) {
    }
    call_here(r, s, t, r->at[first], r->at[first] + (e - first));
  }
}

static void
range_part(const struct rt_run *r, const struct rt_scratch *s, int t, int k) {
  int64_t units = ((int64_t)r->hi - r->lo + RT_UNIT - 1) / RT_UNIT;
  int64_t lo = r->lo + rt_share(units, t, k) * RT_UNIT;
  int64_t hi = r->lo + rt_share(units, t + 1, k) * RT_UNIT;
  rt_launch_call(r, s, t, lo, hi < r->hi ? hi : r->hi);
}

/* Those of [lo, hi) that run now: part of a set without conflicts has none
 * either. */
static void
run_clipped(const struct rt_run *r, const struct rt_scratch *s, int t,
            int64_t lo, int64_t hi) {
  rt_launch_call(r, s, t, lo > r->lo ? lo : r->lo, hi < r->hi ? hi : r->hi);
}

/* Blocks order[i .. end): neighbours run in one call. */
static void
run_blocks(const struct rt_run *r, const struct rt_scratch *s, int t, idx_l i,
           idx_l end) {
  const struct rt_plan *plan = r->plan;
  while (i < end) {
    idx_l first = plan->order[i], last = first;
    while (++i < end && plan->order[i] == last + 1) last++;
    run_clipped(r, s, t, rt_plan_first(plan, first),
                rt_plan_first(plan, last + 1));
  }
}

static void
coloured_part(const struct rt_run *r, const struct rt_scratch *s, idx_l colour,
              int t, int k) {
  idx_l from = r->plan->start[colour], n = r->plan->start[colour + 1] - from;
  run_blocks(r, s, t, from + (idx_l)rt_share(n, t, k),
             from + (idx_l)rt_share(n, t + 1, k));
}

static void
run_ranges(const struct rt_run *r, const struct rt_scratch *s, int t,
           int part) {
  const struct rt_parts *p = r->parts;
  for (uint32_t i = p->start[part]; i < p->start[part + 1]; i++)
    run_clipped(r, s, t, p->ranges[i].lo, p->ranges[i].hi);
}

/* The second step is that of the borders. */
static void
parted_part(const struct rt_run *r, const struct rt_scratch *s, bool borders,
            int t, int k) {
  if (borders) {
    if (t == 0) run_ranges(r, s, t, r->parts->parts);
    return;
  }
  for (int part = t; part < r->parts->parts; part += k)
    run_ranges(r, s, t, part);
}

static idx_l
run_steps(const struct rt_run *r) {
  return r->parts ? 2 : r->plan ? r->plan->ncolours : 1;
}

static void
run_part(const struct rt_run *r, const struct rt_scratch *s, idx_l step, int t,
         int k) {
  if (r->parts)
    parted_part(r, s, step > 0, t, k);
  else if (r->plan)
    coloured_part(r, s, step, t, k);
  else
    range_part(r, s, t, k);
}

static void
run_alone(const struct rt_run *r, const struct rt_scratch *s) {
  for (idx_l step = 0; step < run_steps(r); step++)
    for (int t = 0; t < r->threads; t++) run_part(r, s, step, t, r->threads);
}

/* All threads round as the caller does; the team is the program's, too. */
static void
run_together(const struct rt_run *r, const struct rt_scratch *s) {
  uint32_t mode = fp_mode();
#pragma omp parallel num_threads(r->threads)
  {
    uint32_t was = fp_mode_change(mode);
    int t = omp_get_thread_num(), k = omp_get_num_threads();
    run_part(r, s, 0, t, k);
    for (idx_l step = 1; step < run_steps(r); step++) {
#pragma omp barrier
      run_part(r, s, step, t, k);
    }
    fp_mode_change(was);
  }
}

void
rt_launch_team(const struct rt_run *r, const struct rt_scratch *s) {
  bool together = rt_team_together(r->team, r->hi - r->lo, r->threads);
  bool measures = !r->lo && rt_team_measures(r->team);
  double begin = measures ? timer_wall() : 0;
  if (together)
    run_together(r, s);
  else
    run_alone(r, s);
  if (measures) rt_team_note(r->team, together, begin, timer_wall());
}
