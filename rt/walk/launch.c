/* One launch: its walk, its tables, its threads.
 *
 * A launch goes by a walk (rt/walk/walk.h), in steps, with a barrier between
 * them. Thread t of k takes the t-th share of each step's tasks; what lies side
 * by side there is one call.
 *
 *   RANGE      a range of k tasks
 *   COLOURED   parts, or colours: whichever pays, or is asked for
 *   IN_ORDER   parts, of which some elements run again; else one task
 *
 * and everything else is a range of one task: serial launches, coloured ones
 * with a payload (whose ties need element order), and small sets. Where threads
 * cost more than they save, the calling thread takes all shares, one after
 * another (rt/walk/team.c), without OpenMP.
 *
 * Where the order of elements can be told (serial launches, ties of payloads)
 * and the library numbers them otherwise than the program, the walk's places
 * are the program's elements, and each run of them that is consecutive here is
 * a call.
 *
 * RT_UNIT is 64 elements: cuts then fall between cache lines in every layout
 * and vector loops start aligned. Increments reach a target colour by colour,
 * so that colours give the same sums for any number of threads above one.
 *
 * Reproducible mode takes the number of threads and ranks out of sums: through
 * maps they come in the order of the program's elements (parts.c), over
 * elements they are exact (exact_sums.c).
 *
 * Block length: edges of a quadrilateral mesh of 180 000 cells took 0.9 to 1.1
 * ms on two threads for all lengths from 128 to 16384 (1.9 on one). After a
 * shuffle of the edges it was 2.1 to 2.3 ms up to 512 and 3.6 ms above, where
 * every block meets every other and each colour has one block.
 *
 * Limits: shares are equal in elements, not in cost.
 */
#include "rt/walk/launch.h"
#include "base/arena.h"
#include "base/counters.h"
#include "base/fp.h"
#include "base/log.h"
#include "rt/mesh/step.h"
#include "rt/mesh/stretch.h"
#include "rt/ranks/dist.h"
#include "rt/walk/again.h"
#include "rt/walk/exact.h"
#include "rt/walk/reduce.h"
#include "rt/walk/team.h"

#include <omp.h>
#include <string.h>

enum { BLOCK = 512, REST_SHARE = 16, DEEP_SHARE = 4 };

static struct {
  idx_l block;
  bool reproducible, apart;
} tune = {BLOCK, false, false};

void
rt_set_block_size(idx_l block) {
  tune.block = block > 0 ? block : BLOCK;
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

/* Elements meet: by parts or by colours, as the maps' entries allow. */
static status
find_walk(const struct rt_program *p, struct rt_run *r,
          struct rt_walk_want *want) {
  const struct rt_launch *l = r->l;
  bool coloured = l->mode == RT_RUN_COLOURED;
  *want = (struct rt_walk_want){.kind = RT_WALK_PARTS,
                                .n = r->n,
                                .tasks = r->threads,
                                .c = conflicts_of(p, l),
                                .nc = l->nconflicts};
  if (!coloured) TRY(rt_walk_get(want, &r->walk));
  if (r->walk) return OK;
  want->kind = coloured ? RT_WALK_COLOURS : RT_WALK_COLOURS_FOR;
  want->block = tune.block;
  if (coloured) want->tasks = 0;
  TRY(rt_walk_get(want, &r->walk));
  r->crowded = !r->walk;
  if (r->crowded) r->threads = 1; /* all of it, in order */
  return OK;
}

/* Of the maps through which the launch writes: the sum. */
static uint64_t
writes_version(const struct rt_program *p, const struct rt_launch *l) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < l->nwrites; i++)
    if (l->writes[i].map != RT_DIRECT)
      sum += p->maps[l->writes[i].map]->version;
  return sum;
}

/* Elements that run again by its walk: those of its last step, apart from the
 * others there. */
static status
find_again(const struct rt_program *p, struct rt_run *r,
           struct rt_kept_again *kept) {
  const struct rt_walk *w = r->walk;
  uint32_t n[2] = {0}, cap[2] = {0};
  idx_l *at[2] = {NULL, NULL};
  uint64_t version = writes_version(p, r->l);
  r->again = kept->again;
  if (kept->walk == w->id && kept->version == version) return OK;
  for (idx_l i = w->task[w->ntasks - 1]; i < w->npieces; i++)
    for (idx_l x = w->piece[i].lo; x < w->piece[i].hi; x++) {
      int k = w->again[i] != 0;
      VEC_PUSH(at[k], n[k], cap[k], w->at ? w->at[x] : x);
    }
  rt_again_free(kept->again);
  *kept = (struct rt_kept_again){0};
  status st = rt_again_make(p, r->l, at[1], (idx_l)n[1], at[0], (idx_l)n[0],
                            &kept->again);
  if (st == OK) {
    kept->walk = w->id;
    kept->version = version;
  }
  r->again = kept->again;
  free(at[0]);
  free(at[1]);
  return st;
}

/* As if one thread ran the program's elements: all of them that this rank has,
 * others' in between. */
static status
find_in_order(const struct rt_program *p, struct rt_run *r,
              struct rt_walk_want *want) {
  const struct rt_launch *l = r->l;
  if (!l->nwrites) r->threads = 1;
  *want = (struct rt_walk_want){.kind = RT_WALK_IN_ORDER,
                                .n = r->n,
                                .tasks = r->threads,
                                .c = conflicts_of(p, l),
                                .nc = l->nconflicts,
                                .set = p->sets[l->set],
                                .level = l->level};
  TRY(rt_walk_get(want, &r->walk));
  if (p->sets[l->set]->part) r->n = r->end;
  if (r->walk->again) return OK;
  r->crowded = r->threads > 1;
  r->threads = 1;
  return OK;
}

/* Over ranks: globals see only what this rank owns, and so does the order of
 * elements. Exact sums look at each element, and an extreme does not mind what
 * its owner has seen, too. */
static void
split_elements(const struct rt_part *part, const struct rt_launch *l,
               struct rt_run *r) {
  bool own = l->ntokens || l->mode == RT_RUN_SERIAL || rt_reduce_ordered(l);
  assert(0 <= l->level && l->level <= REACH_MAX);
  for (uint32_t k = 0; k < l->nreductions; k++)
    own |= !l->reductions[k].exact && l->reductions[k].access == ACC_INC;
  r->end = part->level[l->level];
  r->n = own ? part->owned : r->end;
  r->owned = part->owned;
  counters[CNT_redundant_elements] += r->end - part->owned;
}

/* Elements that may run while values of others are on their way (see ranked.c):
 * in whole units, so that cuts stay what they were; in a front those that are
 * deep enough. Where order counts, or where the others are more than a small
 * share, which threads would not run evenly: none. */
static idx_l
core_elements(const struct rt_part *part, const struct rt_run *r) {
  const struct rt_launch *l = r->l;
  if (!(l->core_first || l->deep) || l->ntokens || rt_reduce_ordered(l))
    return 0;
  idx_l core = l->deep ? part->deep[l->deep] : part->core;
  if (core > RT_UNIT && !l->deep) core -= core % RT_UNIT;
  assert(core <= part->owned && part->owned <= r->n);
  idx_l rest = r->n / (l->deep ? DEEP_SHARE * r->threads : REST_SHARE);
  bool forced = l->deep && rt_front_is_tight();
  return forced || r->threads == 1 || r->n - core <= rest ? core : 0;
}

void
rt_launch_explain(const struct rt_run *r, struct str *out) {
  const struct rt_walk *w = r->walk;
  const char *name = r->l->name;
  if (r->l->core_first && r->core && !r->in_front)
    str_printf(out, "ranks: %s runs %d of its %d elements while values come\n",
               name, r->core, r->n);
  else if (r->l->core_first && !r->in_front)
    str_printf(out,
               "ranks: %s waits for all values: too few of its elements need "
               "none\n",
               name);
  if (r->crowded && r->kind == RT_WALK_IN_ORDER)
    str_printf(out,
               "threads: %s runs on one: in order, parts share too many "
               "targets for more\n",
               name);
  else if (r->crowded)
    str_printf(
        out,
        "threads: %s runs on one: writes through maps meet so often that "
        "colours have too few blocks of %d elements for more\n",
        name, tune.block);
  if (r->kind == RT_WALK_RANGE || (r->kind == RT_WALK_IN_ORDER && !w->again))
    return;
  if (r->kind == RT_WALK_COLOURS || r->kind == RT_WALK_COLOURS_FOR) {
    str_printf(out, "threads: %s runs in %d colours of %d blocks\n", name,
               w->nsteps, w->ntasks);
    return;
  }
  str_printf(
      out, "threads: %s runs in %d parts, then %d of its %d elements on one\n",
      name, w->ntasks - 1, rt_launch_border(w), w->n);
}

/* On a device the launch behind an exchange is cut where its halves cost no
 * more than the whole and nothing waits for the first one. */
static bool
offload_cuts(const struct rt_launch *l) {
  return l->offload->form == RT_FORM_PLAIN && l->mode != RT_RUN_SERIAL &&
         !l->nreductions;
}

/* Places [0, n) of an order, or elements as they are. */
static status
make_ranges(const struct rt_program *p, uint32_t i, struct rt_run *r,
            const idx_l *at) {
  struct rt_walk **own = p->scratch->ranges[i];
  TRY(rt_walk_range(0, r->n, r->threads, at, &own[0]));
  r->walk = own[0];
  if (!r->core) return OK;
  assert(!at);
  TRY(rt_walk_range(0, r->core, r->threads, NULL, &own[1]));
  TRY(rt_walk_range(r->core, r->n, r->threads, NULL, &own[2]));
  r->halves[0] = own[1];
  r->halves[1] = own[2];
  return OK;
}

/* On the host. Over ranks, writes that meet and run serially come in the
 * program's order where that is asked for: those of others' elements in
 * between, not afterwards. */
static status
find_order(const struct rt_program *p, uint32_t i, struct rt_run *r) {
  const struct rt_launch *l = r->l;
  const struct rt_set *set = p->sets[l->set];
  const idx_l *at = NULL;
  struct rt_walk_want want = {.kind = RT_WALK_RANGE};
  bool ordered = rt_reduce_ordered(l), meets = l->nconflicts > 0;
  bool in_order = l->mode == RT_RUN_IN_ORDER;
  bool coloured = l->mode == RT_RUN_COLOURED || l->mode == RT_RUN_PARTS;
  bool serial =
      l->mode == RT_RUN_SERIAL || ((coloured || in_order) && meets && ordered);
  if (serial || l->alone) r->threads = 1;
  if (set->order && (serial || ordered))
    at = set->part ? set->part->sorted : set->order->at;
  if (serial && meets && set->part && tune.reproducible && !l->ntokens)
    TRY(find_in_order(p, r, &want));
  else if (in_order && !serial && (r->threads > 1 || set->part || set->order))
    TRY(find_in_order(p, r, &want));
  else if (coloured && meets && !serial && r->threads > 1)
    TRY(find_walk(p, r, &want));
  if (set->part && !serial && !in_order) r->core = core_elements(set->part, r);
  if (!r->walk) return make_ranges(p, i, r, at);
  r->kind = want.kind;
  if (!r->core) return OK;
  TRY(rt_walk_get_cut(&want, 0, r->core, &r->halves[0]));
  return rt_walk_get_cut(&want, r->core, r->n, &r->halves[1]);
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
  *out = r;
  return find_order(p, i, out);
}

status
rt_launch_prepare_again(const struct rt_program *p, uint32_t i) {
  struct rt_run *r = &p->scratch->runs[i];
  if (!r->walk || !r->walk->again || r->in_front) return OK;
  return find_again(p, r, &p->scratch->again[i]);
}

/* ---- bind ---------------------------------------------------------------- */

static void *
bound(const struct rt_program *p, const struct rt_bind *b) {
  switch ((enum rt_bind_kind)b->kind) {
  case RT_BIND_SLOT: return p->scratch->bufs[b->index]->mem;
  case RT_BIND_STRIDE:
    return (void *)(uintptr_t)p->scratch->bufs[b->index]->stride;
  case RT_BIND_OFFSET: break; /* of devices */
  case RT_BIND_MAP: return (void *)(uintptr_t)p->maps[b->index]->table;
  case RT_BIND_START: return (void *)(uintptr_t)p->maps[b->index]->start;
  case RT_BIND_HEAD: return p->maps[b->index]->steps->first;
  case RT_BIND_FIRST: return p->maps[b->index]->stretches->first;
  case RT_BIND_BEGIN: return p->maps[b->index]->stretches->start;
  case RT_BIND_COUNT: return (void *)(uintptr_t)p->maps[b->index]->stretches->n;
  case RT_BIND_NAMED:
    return (void *)(uintptr_t)(p->maps[b->index]->named
                                   ? p->maps[b->index]->named
                                   : p->maps[b->index]->table);
  case RT_BIND_ROWS: return p->sets[b->index]->order->row;
  case RT_BIND_NUMBERS: return p->sets[b->index]->part->global;
  case RT_BIND_PARAM: return (void *)(uintptr_t)p->params[b->index];
  case RT_BIND_GLOBAL: return p->globals[b->index];
  case RT_BIND_ACC:
  case RT_BIND_SCRATCH: return NULL; /* put in for each thread */
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
      table[i] =
          first + (size_t)t * s->room_row + (size_t)l->binds[i].index * RT_LINE;
}

void
rt_launch_bind(const struct rt_program *p, const struct rt_run *r) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_launch *l = r->l;
  for (uint32_t i = 0; i < l->nbinds; i++) s->table[i] = bound(p, &l->binds[i]);
  if (!table_stride(r, s)) return;
  for (int t = 0; t < r->threads + (r->again != NULL); t++) {
    void **table = s->table + (size_t)t * s->row;
    if (t) memcpy(table, s->table, l->nbinds * sizeof *table);
    if (l->nreductions)
      rt_launch_point(l, table, s->acc + (size_t)t * s->acc_row);
    if (l->scratch) bind_room(l, s, t < r->threads ? t : 0, table);
  }
}

void
rt_launch_tables(const struct rt_program *p, const struct rt_run *r,
                 int threads, void **out, size_t row) {
  const struct rt_scratch *s = p->scratch;
  struct rt_run all = *r;
  all.threads = threads;
  all.again = NULL;
  rt_launch_bind(p, &all);
  for (int t = 0; t < threads; t++)
    memcpy(out + (size_t)t * row, s->table + (size_t)t * table_stride(r, s),
           r->l->nbinds * sizeof *out);
}

/* ---- run ----------------------------------------------------------------- */

void
rt_launch_here(const struct rt_run *r, const struct rt_scratch *s, int t,
               int64_t lo, int64_t hi, bool counts) {
  void **table = s->table + (size_t)t * table_stride(r, s);
  assert(0 <= lo && lo < hi && hi <= r->all);
  assert(t < r->threads + (r->again != NULL));
  if (!r->nexact) {
    r->l->fn(table, lo, hi);
    return;
  }
  struct rt_worker w = {.l = r->l,
                        .table = table,
                        .acc = s->acc + (size_t)t * s->acc_row,
                        .each = s->each ? s->each + (size_t)t * s->each_row
                                        : NULL, /* no launch leaves any */
                        .sums = s->exact + r->nexact * (size_t)t,
                        .owned = r->owned,
                        .counts = counts,
                        .single = r->single};
  rt_exact_run(&w, lo, hi);
}

/* Places [lo, hi). */
static void
call_places(const struct rt_run *r, const struct rt_scratch *s, int t,
            int64_t lo, int64_t hi, bool counts) {
  const idx_l *at = r->walk->at;
  if (!at) {
    if (lo < hi) rt_launch_here(r, s, t, lo, hi, counts);
    return;
  }
  for (int64_t x = lo, first = lo; x < hi; first = x) {
    while (++x < hi && at[x] == at[x - 1] + 1) {
    }
    rt_launch_here(r, s, t, at[first], at[first] + (x - first), counts);
  }
}

void
rt_launch_call(const struct rt_run *r, const struct rt_scratch *s, int t,
               int64_t lo, int64_t hi) {
  call_places(r, s, t, lo, hi, true);
}

/* Share t of a step's tasks: neighbours run in one call. */
static void
run_share(const struct rt_run *r, const struct rt_scratch *s,
          const struct rt_walk *w, idx_l step, int t) {
  idx_l from = w->step[step], n = w->step[step + 1] - from;
  assert(step < w->nsteps && (!w->at || w->at == r->walk->at));
  idx_l i = w->task[from + rt_share(n, t, r->threads)];
  idx_l end = w->task[from + rt_share(n, t + 1, r->threads)];
  while (i < end) {
    struct rt_range x = w->piece[i];
    while (++i < end && w->piece[i].lo == x.hi) x.hi = w->piece[i].hi;
    rt_launch_call(r, s, t, x.lo, x.hi);
  }
}

/* Shares t, t + k, ... of a step. */
static void
run_step(const struct rt_run *r, const struct rt_scratch *s,
         const struct rt_walk *w, idx_l step, int t, int k) {
  for (; t < r->threads; t += k) run_share(r, s, w, step, t);
}

void
rt_launch_worked(const struct rt_scratch *s, int t, double begin) {
  if (!s->at_work) return;
  struct rt_at_work *a = &s->at_work[t];
  assert(t >= 0 && (size_t)t < s->nat_work);
  if (a->begin <= 0) a->begin = begin;
  a->end = timer_wall();
  a->busy += a->end - begin;
}

/* The same, with a look at the clock: who was at work when? */
static void
run_step_watched(const struct rt_run *r, const struct rt_scratch *s,
                 const struct rt_walk *w, idx_l step, int t, int k) {
  double begin = timer_wall();
  run_step(r, s, w, step, t, k);
  rt_launch_worked(s, t, begin);
}

/* All threads round as the caller does; the team is the program's, too. */
static void
run_together(const struct rt_run *r, const struct rt_scratch *s,
             const struct rt_walk *w, idx_l nsteps) {
  uint32_t mode = fp_mode();
#pragma omp parallel num_threads(r->threads)
  {
    uint32_t was = fp_mode_change(mode);
    int t = omp_get_thread_num(), k = omp_get_num_threads();
    for (idx_l step = 0; step < nsteps; step++) {
      if (step) {
#pragma omp barrier
      }
      if (s->at_work)
        run_step_watched(r, s, w, step, t, k);
      else
        run_step(r, s, w, step, t, k);
    }
    fp_mode_change(was);
  }
}

/* The last step of a walk in order. */
static void
run_again(const struct rt_run *r, const struct rt_scratch *s,
          const struct rt_walk *w) {
  assert(w == r->walk && r->again);
  rt_again_begin(r->again, r->l, s->bufs);
  for (idx_l i = w->task[w->ntasks - 1]; i < w->npieces; i++) {
    int t = w->again[i] ? r->threads : 0;
    call_places(r, s, t, w->piece[i].lo, w->piece[i].hi, !w->again[i]);
  }
  rt_again_end(r->again, r->l, s->bufs);
}

void
rt_launch_team(const struct rt_run *r, const struct rt_scratch *s,
               const struct rt_walk *w) {
  bool together = rt_team_together(r->team, r->threads);
  bool measures = !r->begun && rt_team_measures(r->team);
  double begin = measures ? timer_wall() : 0;
  idx_l nsteps = w->nsteps - (w->again != NULL);
  if (w->again) rt_again_save(r->again, r->l, s->bufs);
  if (together)
    run_together(r, s, w, nsteps);
  else
    for (idx_l step = 0; step < nsteps; step++) run_step(r, s, w, step, 0, 1);
  if (w->again) run_again(r, s, w);
  if (measures) rt_team_note(r->team, together, begin, timer_wall());
}
