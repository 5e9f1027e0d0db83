/* A front's launches, run by its plan (front_plan.c): each piece is one call of
 * its launch's function, as any other share is.
 *
 * What launches give to globals waits: each one has accumulators of its own,
 * and exact sums, and is finished where the program has its command. Elements
 * that run again have given theirs: the accumulators behind those of all
 * threads are theirs, and nobody reads them. What it sets a global to
 * in between, and in which order sums become whole, stays as it was.
 *
 * Over ranks a front has those elements that are deep enough inside
 * (front_layers.c). The others run where their launch's command is, with what
 * these gave to globals as their beginning: sums are those of a core and the
 * rest of it.
 *
 * Teams. Beside other work a thread may have its processor taken away, and all
 * wait: whether one thread runs all shares or each its own is measured, as for
 * long launches (team.c). The plan stays, and every bit with it.
 *
 * Time. Threads read the clock at each piece; a launch took the front's time in
 * the share that its pieces had of it, so that the timing table has a line for
 * each kernel with what it moved and took, as without a front. */
#include "rt/walk/front.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/fp.h"
#include "base/log.h"
#include "rt/walk/again.h"
#include "rt/walk/exact.h"
#include "rt/walk/front_layers.h"
#include "rt/walk/front_plan.h"
#include "rt/walk/reduce.h"
#include "rt/walk/team.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct rt_front {
  uint32_t chain;
  struct rt_front_plan *plan; /* NULL: none yet */
  int asked;                  /* threads that it was made for; 0: it is not */
  uint64_t version;           /* of relations, then: the sum */
  bool may;                   /* its launches, in the run at hand */
  struct rt_team *team;
  size_t *table_at; /* of a launch: where its addresses begin in a row */
  size_t row;       /* addresses of a thread, whole cache lines */
  void **table;     /* [2 * threads][row]: when running again, the latter */
  size_t *acc_at;   /* of a launch: where its accumulators begin in a row */
  size_t acc_row, acc_bytes;
  char *acc;      /* [2 * threads][acc_row] */
  size_t *sum_at; /* of a launch: how many exact sums are before its own */
  size_t nsums, each_row, each_bytes;
  struct rt_exact *sums; /* [launch][threads][its sums] */
  char *each;            /* [threads][each_row]: what elements add to them */
  double *busy;          /* [threads][line]: seconds of each launch */
  size_t line;
};

enum { LINE = 8 }; /* pointers, or doubles, of a cache line */

/* ---- prepare ------------------------------------------------------------- */

/* One thread or all, as its launches have it; else as long launches do. */
static struct rt_team *
team_of(const struct rt_program *p, const struct rt_chain *c) {
  const struct rt_launch *l = &p->launches[c->first], *end = l + c->count;
  enum rt_team_way way = l->team;
  int64_t n = 0;
  for (const struct rt_launch *k = l; k < end; k++) {
    n += p->sets[k->set]->n;
    if (k->team == way) continue;
    bool one = k->team == RT_TEAM_ONE || way == RT_TEAM_ONE;
    bool all = k->team == RT_TEAM_ALL || way == RT_TEAM_ALL;
    way = one && all ? RT_TEAM_ALL : RT_TEAM_BUSY;
  }
  if (way == RT_TEAM_MEASURED) way = RT_TEAM_BUSY;
  return rt_team_get(l->fn, (idx_l)(n % INT32_MAX), way);
}

void
rt_front_renew(struct rt_front *f, const struct rt_program *p) {
  f->team = team_of(p, &p->chains[f->chain]);
}

static struct rt_front *
front_new(const struct rt_program *p, uint32_t chain) {
  const struct rt_chain *c = &p->chains[chain];
  struct rt_front *f = mem_alloc(1, sizeof *f);
  f->chain = chain;
  f->table_at = mem_alloc(c->count, sizeof *f->table_at);
  f->acc_at = mem_alloc(c->count, sizeof *f->acc_at);
  f->sum_at = mem_alloc(c->count, sizeof *f->sum_at);
  f->line = round_up(c->count, LINE);
  f->team = team_of(p, c);
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_launch *l = &p->launches[c->first + i];
    f->table_at[i] = f->row;
    f->acc_at[i] = f->acc_row;
    f->row += round_up(l->nbinds, LINE);
    f->acc_row += rt_reduce_row(l);
    f->sum_at[i] = f->nsums;
    f->nsums += rt_exact_count(l);
    size_t each = rt_exact_each_row(l);
    if (each > f->each_row) f->each_row = each;
  }
  return f;
}

void
rt_front_free(struct rt_front *f) {
  if (!f) return;
  rt_front_plan_unref(f->plan);
  rt_mem_free(f->acc, f->acc_bytes);
  free(f->table_at);
  free(f->acc_at);
  free(f->sum_at);
  free(f->sums);
  rt_mem_free(f->each, f->each_bytes);
  free(f->table);
  free(f->busy);
  free(f);
}

/* Over ranks: on what is deep enough, the rest behind the front, but not where
 * each element, or a claim of one, has its turn. */
static bool
may_run_deep(const struct rt_program *p, const struct rt_run *r) {
  bool in_turn =
      r->nexact || rt_reduce_ordered(r->l) || r->l->mode == RT_RUN_IN_ORDER;
  return r->l->deep && !in_turn && r->core == rt_launch_deep(p, r->l);
}

/* Do the launches, as they are to run, go over elements as these are numbered,
 * and leave sums to their order? */
static bool
may_run(const struct rt_program *p, const struct rt_chain *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_run *r = &p->scratch->runs[c->first + i];
    bool part = p->sets[r->l->set]->part;
    if (r->walk->at || r->l->ntokens) return false;
    if (part ? !may_run_deep(p, r) : r->core != 0) return false;
  }
  return true;
}

/* Launches whose threads have memory besides have it for so many. */
static int
threads_of(const struct rt_program *p, const struct rt_chain *c) {
  int threads = p->scratch->nthreads;
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_run *r = &p->scratch->runs[c->first + i];
    if (r->l->scratch && r->threads < threads) threads = r->threads;
  }
  return threads;
}

static uint64_t
version_of(const struct rt_program *p, const struct rt_chain *c) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < c->ntouches; i++)
    if (c->touches[i].map != RT_DIRECT)
      sum += p->maps[c->touches[i].map]->version;
  return sum;
}

/* Of another front of the program, or its own. */
static status
find_plan(const struct rt_program *p, const struct rt_chain *c,
          struct rt_front *f, int threads, uint64_t version) {
  rt_front_plan_unref(f->plan);
  f->plan = NULL;
  for (uint32_t k = 0; k < p->nchains; k++) {
    const struct rt_front *other = p->scratch->fronts[k];
    if (!other || !other->plan || other->asked != threads) continue;
    if (other->version != version) continue;
    if (!rt_front_plan_fits(p, c, &p->chains[k])) continue;
    f->plan = rt_front_plan_ref(other->plan);
    return rt_walk_checking && f->plan->threads ? rt_front_check(p, c, f->plan)
                                                : OK;
  }
  status st = rt_front_plan_new(p, c, threads, &f->plan);
  if (st == ERR_MEMORY) LOG_INFO("%s: no front", err_last());
  return st == ERR_MEMORY ? OK : st;
}

/* A block in place of the one that is there, if any; none for 0 bytes. Code
 * counts on whole cache lines. */
static status
make_lines(char **block, size_t *have, size_t bytes, const char *what) {
  rt_mem_free(*block, *have);
  *have = 0;
  *block = bytes ? rt_mem_new(bytes) : NULL;
  if (bytes && !*block)
    FAIL(ERR_MEMORY, "no memory for a front's %s: %zu bytes", what, bytes);
  *have = bytes;
  return OK;
}

static status
make_plan(const struct rt_program *p, const struct rt_chain *c,
          struct rt_front *f, int threads, uint64_t version) {
  double begin = timer_wall();
  f->asked = 0;
  status st = find_plan(p, c, f, threads, version);
  rt_walk_seconds += timer_wall() - begin;
  if (st != OK) return st;
  size_t n = (size_t)f->plan->threads;
  free(f->table);
  free(f->busy);
  free(f->sums);
  f->sums = mem_alloc(n * f->nsums + 1, sizeof *f->sums);
  f->table = mem_alloc(2 * n * f->row + 1, sizeof *f->table);
  f->busy = mem_alloc(n * f->line + 1, sizeof *f->busy);
  TRY(make_lines(&f->each, &f->each_bytes, n * f->each_row,
                 "contributions to sums"));
  TRY(make_lines(&f->acc, &f->acc_bytes, 2 * n * f->acc_row, "accumulators"));
  f->asked = threads;
  f->version = version;
  return OK;
}

status
rt_front_prepare(const struct rt_program *p, uint32_t chain,
                 struct rt_front **front) {
  const struct rt_chain *c = &p->chains[chain];
  if (!*front) *front = front_new(p, chain);
  struct rt_front *f = *front;
  f->may = may_run(p, c);
  if (!f->may) return OK;
  int threads = threads_of(p, c);
  uint64_t version = version_of(p, c);
  if (f->asked != threads || f->version != version)
    TRY(make_plan(p, c, f, threads, version));
  for (uint32_t i = 0; i < c->count; i++)
    p->scratch->runs[c->first + i].in_front = f->plan->threads > 0;
  return OK;
}

/* ---- run ----------------------------------------------------------------- */

static char *
acc_of(const struct rt_front *f, uint32_t i, int t) {
  return f->acc + (size_t)t * f->acc_row + f->acc_at[i];
}

static struct rt_exact *
sums_of(const struct rt_front *f, uint32_t i) {
  return f->sums + (size_t)f->plan->threads * f->sum_at[i];
}

/* Each thread's addresses and accumulators. */
static void
bind_all(const struct rt_program *p, const struct rt_chain *c,
         struct rt_front *f) {
  int threads = f->plan->threads;
  for (uint32_t i = 0; i < c->count; i++) {
    const struct rt_run *r = &p->scratch->runs[c->first + i];
    void **table = f->table + f->table_at[i];
    rt_launch_tables(p, r, threads, table, f->row);
    for (int t = threads; t < 2 * threads; t++)
      memcpy(table + (size_t)t * f->row, table + (size_t)(t - threads) * f->row,
             r->l->nbinds * sizeof *table);
    if (!r->l->nreductions) continue;
    for (int t = 0; t < 2 * threads; t++) {
      rt_reduce_start(r->l, p->globals, acc_of(f, i, t), f->acc_row, 1);
      rt_launch_point(r->l, table + (size_t)t * f->row, acc_of(f, i, t));
    }
  }
  memset(f->sums, 0, (size_t)threads * f->nsums * sizeof *f->sums);
  memset(f->busy, 0, (size_t)f->plan->threads * f->line * sizeof *f->busy);
}

/* Elements of a piece by thread t. */
static void
run_elements(const struct rt_program *p, const struct rt_chain *c,
             const struct rt_front *f, int t, const struct rt_piece *y) {
  const struct rt_run *r = &p->scratch->runs[c->first + y->launch];
  bool again = y->kind == RT_PIECE_AGAIN;
  int threads = f->plan->threads, row = again ? threads + t : t;
  void **table = f->table + (size_t)row * f->row + f->table_at[y->launch];
  if (!r->nexact) {
    r->l->fn(table, y->lo, y->hi);
    return;
  }
  struct rt_worker w = {.l = r->l,
                        .table = table,
                        .acc = acc_of(f, y->launch, row),
                        .each =
                            f->each ? f->each + (size_t)t * f->each_row : NULL,
                        .sums = sums_of(f, y->launch) + r->nexact * (size_t)t,
                        .owned = r->owned,
                        .counts = !again,
                        .single = r->single};
  rt_exact_run(&w, y->lo, y->hi);
}

static void
run_piece(const struct rt_program *p, const struct rt_chain *c,
          const struct rt_front *f, int t, const struct rt_piece *y) {
  const struct rt_launch *l = &p->launches[c->first + y->launch];
  struct rt_buf **bufs = p->scratch->bufs;
  switch (y->kind) {
  case RT_PIECE_SAVE: rt_again_save(y->again, l, bufs); break;
  case RT_PIECE_BEGIN: rt_again_begin(y->again, l, bufs); break;
  case RT_PIECE_END: rt_again_end(y->again, l, bufs); break;
  case RT_PIECE_RUN:
  case RT_PIECE_AGAIN: run_elements(p, c, f, t, y); break;
  }
}

/* Those of thread t, in the half of the plan. */
static void
run_pieces(const struct rt_program *p, const struct rt_chain *c,
           const struct rt_front *f, int half, int t) {
  const struct rt_front_plan *x = f->plan;
  const uint32_t *begin = x->begin + half * x->threads + t;
  double *busy = f->busy + (size_t)t * f->line, was = timer_wall();
  for (uint32_t k = begin[0]; k < begin[1]; k++) {
    run_piece(p, c, f, t, &x->pieces[k]);
    double now = timer_wall();
    busy[x->pieces[k].launch] += now - was;
    was = now;
  }
}

/* The same by one thread. */
static void
run_alone(const struct rt_program *p, const struct rt_chain *c,
          const struct rt_front *f) {
  for (int half = 0; half < 2; half++)
    for (int t = 0; t < f->plan->threads; t++) run_pieces(p, c, f, half, t);
}

static void
run_together(const struct rt_program *p, const struct rt_chain *c,
             const struct rt_front *f) {
  uint32_t mode = fp_mode();
#pragma omp parallel num_threads(f->plan->threads)
  {
    uint32_t was = fp_mode_change(mode);
    int k = omp_get_num_threads(), me = omp_get_thread_num();
    for (int half = 0; half < 2; half++) {
      if (half) {
#pragma omp barrier
      }
      double begin = timer_wall();
      for (int t = me; t < f->plan->threads; t += k)
        run_pieces(p, c, f, half, t);
      rt_launch_worked(p->scratch, me, begin);
    }
    fp_mode_change(was);
  }
}

/* Launches are ahead, and took their share of the seconds. */
static void
note_ahead(const struct rt_program *p, const struct rt_chain *c,
           struct rt_front *f, double seconds) {
  double all = 0;
  for (int t = 0; t < f->plan->threads; t++)
    for (uint32_t i = 0; i < c->count; i++)
      all += f->busy[(size_t)t * f->line + i];
  for (uint32_t i = 0; i < c->count; i++) {
    struct rt_run *r = &p->scratch->runs[c->first + i];
    double own = 0;
    for (int t = 0; t < f->plan->threads; t++)
      own += f->busy[(size_t)t * f->line + i];
    r->ahead = f;
    r->begun = r->core > 0;
    r->seconds = all > 0 ? seconds * own / all : 0;
  }
}

void
rt_front_run(const struct rt_program *p, struct rt_front *f) {
  const struct rt_chain *c = &p->chains[f->chain];
  if (!f->may || !f->plan->threads) return;
  bool together = rt_team_together(f->team, f->plan->threads);
  bool measures = rt_team_measures(f->team);
  double begin = timer_wall();
  bind_all(p, c, f);
  counters[CNT_tiles] += f->plan->turns;
  if (together)
    run_together(p, c, f);
  else
    run_alone(p, c, f);
  double end = timer_wall();
  if (measures) rt_team_note(f->team, together, begin, end);
  note_ahead(p, c, f, end - begin);
}

int
rt_front_threads(const struct rt_front *f) {
  return f->plan->threads;
}

void
rt_front_keep(struct rt_front *f) {
  f->team->kept.used = true;
}

status
rt_front_finish(const struct rt_program *p, uint32_t i) {
  const struct rt_run *r = &p->scratch->runs[i];
  const struct rt_front *f = r->ahead;
  uint32_t own = i - p->chains[f->chain].first;
  assert(f && i >= p->chains[f->chain].first);
  if (p->sets[r->l->set]->part)
    return rt_launch_rest(p, r, acc_of(f, own, 0), f->acc_row,
                          f->plan->threads);
  if (!r->l->nreductions) return OK;
  rt_reduce_finish(r->l, p->globals, acc_of(f, own, 0), f->acc_row,
                   f->plan->threads);
  return rt_exact_finish(p, r, sums_of(f, own), f->plan->threads);
}

void
rt_front_explain(const struct rt_program *p, const struct rt_front *f,
                 struct str *out) {
  const struct rt_front_plan *x = f->plan;
  const struct rt_chain *c = &p->chains[f->chain];
  str_printf(out, "front: %s to %s ", p->launches[c->first].name,
             p->launches[c->first + c->count - 1].name);
  if (!f->may)
    str_add(out, "run one by one: their order is settled, or too little of a "
                 "rank's part is deep enough\n");
  else if (!x->threads)
    str_add(out,
            "run one by one: elements that come late name what others "
            "need early, or those deep inside what lies near the border\n");
  else
    str_printf(out,
               "run in %d turns on %d threads, %.1f per cent behind these\n",
               x->turns, x->threads, 100 * x->behind);
}
