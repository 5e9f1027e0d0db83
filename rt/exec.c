/* Running a program: the only loop over a command list.
 *
 *   prepare   how each launch runs, its plan, room for tables and accumulators
 *   bind      a buffer for each slot
 *   run       the commands, in order
 *   deliver   the dats get the buffers that hold their last values
 *
 * All that can fail is in the first two steps, and they change no values.
 *
 * A launch runs in parts, one per thread, and in steps, with a barrier between
 * them; part t of k is
 *
 *   RANGE      elements [n*t/k, n*(t+1)/k), cut at multiples of UNIT
 *   COLOURED   by parts (rt/parts.c): part t, then its borders in part 0;
 *              by colours: a step for each, of its blocks the same share
 *
 * and everything else is part 0 of 1: serial launches, coloured launches with a
 * payload (whose ties need element order), and small sets. A coloured launch as
 * part 0 of 1 is a plain range. Where threads cost more than they save, the
 * calling thread runs all parts (rt/team.c), without OpenMP.
 *
 * Where the order of elements can be told (serial launches, ties of payloads) and
 * the library numbers them otherwise than the program, the parts count the
 * program's elements, and each run of them that is consecutive here is a call.
 *
 * UNIT is 64 elements: cuts then fall between cache lines in every layout and
 * vector loops start aligned. Increments reach a target colour by colour, so
 * that a plan gives the same sums for any number of threads above one.
 *
 * Reproducible mode takes the number of threads out of sums altogether:
 * coloured launches run by plan on one thread, too, and reductions have a row
 * per piece of the elements (the plan's blocks, or PIECE elements) instead of
 * one per thread.
 *
 * Block length: edges of a quadrilateral mesh of 180 000 cells took 0.9 to 1.1
 * ms on two threads for all lengths from 128 to 16384 (1.9 on one). After a
 * shuffle of the edges it was 2.1 to 2.3 ms up to 512 and 3.6 ms above, where
 * every block meets every other and each colour has one block.
 *
 * Limits: parts are equal in elements, not in cost.
 */
#include "base/arena.h"
#include "base/counters.h"
#include "base/log.h"
#include "rt/device.h"
#include "rt/dist.h"
#include "rt/offload.h"
#include "rt/parts.h"
#include "rt/plan.h"
#include "rt/reduce.h"
#include "rt/residency.h"
#include "rt/team.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
  UNIT = 64,
  PIECE = 4096,
  LINE_POINTERS = 8,
  BLOCK = 512,
  COPY_THREADED = 1 << 20
};

static struct {
  idx_l block;
  bool reproducible, colours;
} tune = {BLOCK, false, false};

/* How one launch runs. */
struct run {
  const struct rt_launch *l;
  idx_l n;
  idx_l end;   /* elements [n, end) are others', run once more */
  int threads; /* parts of the elements */
  struct rt_team *team;
  idx_l piece; /* elements per accumulator row; 0: one row per thread */
  idx_l rows;
  const struct rt_plan *plan;   /* NULL: not by colours */
  const struct rt_parts *parts; /* NULL: not by parts */
  const idx_l *at; /* where the program's elements are; NULL: as they are */
  struct rt_offload_run offload;
};

struct rt_scratch {
  struct rt_buf **bufs;   /* per slot; NULL between runs */
  struct run *runs;       /* per launch */
  struct rt_team **teams; /* per launch */
  void **table;           /* [threads][row] of the running launch */
  size_t row;             /* pointers, whole cache lines */
  size_t threads;
  char *acc; /* [rows][acc_row] of the running launch */
  size_t acc_row, acc_bytes;
  struct rt_conflict *conflicts; /* for the longest list */
  struct rt_halo_item *items;    /* of the exchange under way; [nwants] */
};

void
rt_set_block_size(idx_l block) {
  tune.block = block > 0 ? block : BLOCK;
}

void
rt_set_colours(bool on) {
  tune.colours = on;
}

void
rt_set_reproducible(bool on) {
  tune.reproducible = on;
}

/* ---- prepare ------------------------------------------------------------- */

static struct rt_scratch *
scratch_new(const struct rt_program *p) {
  struct rt_scratch *s = mem_alloc(1, sizeof *s);
  uint32_t nconflicts = 0;
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    const struct rt_launch *l = &p->launches[i];
    size_t row =
        ((size_t)l->nbinds + LINE_POINTERS - 1) / LINE_POINTERS * LINE_POINTERS;
    if (row > s->row) s->row = row;
    if (rt_reduce_row(l) > s->acc_row) s->acc_row = rt_reduce_row(l);
    if (l->nconflicts > nconflicts) nconflicts = l->nconflicts;
  }
  s->bufs = mem_alloc(p->nslots, sizeof *s->bufs);
  s->runs = mem_alloc(p->nlaunches, sizeof *s->runs);
  s->teams = mem_alloc(p->nlaunches, sizeof *s->teams);
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    const struct rt_launch *l = &p->launches[i];
    s->teams[i] = rt_team_get(l->fn, p->sets[l->set]->n);
  }
  s->conflicts = mem_alloc(nconflicts, sizeof *s->conflicts);
  s->items = mem_alloc(p->nwants, sizeof *s->items);
  return s;
}

static void
scratch_free(struct rt_scratch *s) {
  if (!s) return;
  rt_mem_free(s->acc, s->acc_bytes);
  free(s->bufs);
  free(s->runs);
  free(s->teams);
  free(s->table);
  free(s->conflicts);
  free(s->items);
  free(s);
}

/* By parts or by colours: what the maps' entries allow. */
static status
find_plan(const struct rt_program *p, struct rt_launch *l, struct run *r) {
  struct rt_conflict *c = p->scratch->conflicts;
  for (uint32_t i = 0; i < l->nconflicts; i++) {
    assert(l->conflicts[i].map < p->nmaps);
    c[i] =
        (struct rt_conflict){p->maps[l->conflicts[i].map], l->conflicts[i].idx};
  }
  if (!tune.reproducible && !tune.colours) {
    TRY(rt_parts_get(r->n, r->threads, c, l->nconflicts, &r->parts));
    if (r->parts->pays) return OK;
    r->parts = NULL;
  }
  TRY(rt_plan_get(r->n, tune.block, c, l->nconflicts, false, &l->plan));
  r->plan = l->plan;
  return OK;
}

static status
prepare_offload(const struct rt_program *p, struct rt_launch *l,
                struct run *out) {
  *out = (struct run){.l = l, .n = p->sets[l->set]->n, .threads = 1, .rows = 1};
  return rt_offload_prepare(p, l, p->scratch->conflicts, &out->offload);
}

/* Over ranks: globals see only what this rank owns, and so does the order of
 * elements. */
static void
split_elements(const struct rt_part *part, const struct rt_launch *l,
               struct run *r) {
  bool own = l->nreductions || l->ntokens || l->mode == RT_RUN_SERIAL;
  r->end = part->level[l->level];
  r->n = own ? part->owned : r->end;
  counters[CNT_redundant_elements] += r->end - part->owned;
}

static status
prepare_launch(const struct rt_program *p, uint32_t i, int nthreads,
               struct run *out) {
  struct rt_launch *l = &p->launches[i];
  if (l->offload) return prepare_offload(p, l, out);
  const struct rt_set *set = p->sets[l->set];
  struct run r = {.l = l, .n = set->n, .team = p->scratch->teams[i]};
  if (set->part) split_elements(set->part, l, &r);
  r.threads = rt_team_size(r.n, nthreads);
  bool coloured = l->mode == RT_RUN_COLOURED && l->nconflicts;
  bool serial = l->mode == RT_RUN_SERIAL || (coloured && rt_reduce_ordered(l));
  if (serial || l->alone) r.threads = 1;
  if (set->order && (serial || rt_reduce_ordered(l)))
    r.at = set->part ? set->part->sorted : set->order->at;
  bool fixed = tune.reproducible && !serial;
  if (coloured && !serial && (r.threads > 1 || fixed)) {
    TRY(find_plan(p, l, &r));
  }
  if (fixed && l->nreductions) r.piece = r.plan ? tune.block : PIECE;
  r.rows =
      r.piece ? (idx_l)(((int64_t)r.n + r.piece - 1) / r.piece) : r.threads;
  *out = r;
  return OK;
}

/* Room for tables of all threads, and for accumulators of the longest
 * launch. */
static status
make_room(struct rt_scratch *s, uint32_t nlaunches, int nthreads) {
  if (s->threads < (size_t)nthreads) {
    free(s->table);
    s->table = mem_alloc((size_t)nthreads * s->row, sizeof *s->table);
    s->threads = (size_t)nthreads;
  }
  size_t rows = 0;
  for (uint32_t i = 0; i < nlaunches; i++)
    if (s->runs[i].l->nreductions && (size_t)s->runs[i].rows > rows)
      rows = (size_t)s->runs[i].rows;
  if (rows * s->acc_row <= s->acc_bytes) return OK;
  char *acc = rt_mem_new(rows * s->acc_row);
  if (!acc)
    FAIL(ERR_MEMORY, "no memory for %zu accumulators of %zu bytes", rows,
         s->acc_row);
  rt_mem_free(s->acc, s->acc_bytes);
  s->acc = acc;
  s->acc_bytes = rows * s->acc_row;
  return OK;
}

static status
prepare(struct rt_program *p, int nthreads) {
  if (!p->scratch) p->scratch = scratch_new(p);
  for (uint32_t i = 0; i < p->nlaunches; i++)
    TRY(prepare_launch(p, i, nthreads, &p->scratch->runs[i]));
  return make_room(p->scratch, p->nlaunches, nthreads);
}

/* ---- bind ---------------------------------------------------------------- */

static void
release_slots(struct rt_program *p) {
  for (uint32_t i = 0; i < p->nslots; i++) {
    rt_buf_unref(p->scratch->bufs[i]);
    p->scratch->bufs[i] = NULL;
  }
}

/* The buffer of a dat. What a device alone has comes back by a command, if it
 * is wanted at all. */
static status
bind_initial(struct rt_dat *d, const struct rt_slot *slot,
             struct rt_buf **out) {
  struct rt_buf *b;
  TRY(rt_dat_shell(d, &b));
  if (!slot->no_host)
    TRY(rt_dat_mirror_current(d) ? rt_dat_buffer(d, &b) : rt_buf_host(b));
  rt_buf_ref(b);
  *out = b;
  return OK;
}

static status
bind_slot(struct rt_program *p, const struct rt_slot *slot,
          struct rt_buf **out) {
  assert(slot->dat < p->ndats);
  struct rt_dat *d = p->dats[slot->dat];
  if (slot->initial)
    TRY(bind_initial(d, slot, out));
  else
    TRY(slot->no_host ? rt_buf_shell(d->shape, out)
                      : rt_buf_new(d->shape, out));
  return slot->device && !(*out)->dev ? rt_buf_device(*out, slot->device) : OK;
}

static status
bind_slots(struct rt_program *p) {
  for (uint32_t i = 0; i < p->nslots; i++) {
    status s = bind_slot(p, &p->slots[i], &p->scratch->bufs[i]);
    if (s == OK) continue;
    release_slots(p); /* with this one, if it was made */
    return s;
  }
  return OK;
}

static void *
bound(const struct rt_program *p, const struct rt_bind *b) {
  switch ((enum rt_bind_kind)b->kind) {
  case RT_BIND_SLOT: return p->scratch->bufs[b->index]->mem;
  case RT_BIND_STRIDE:
    return (void *)(uintptr_t)p->scratch->bufs[b->index]->stride;
  case RT_BIND_OFFSET: break; /* of devices */
  case RT_BIND_MAP: return (void *)(uintptr_t)p->maps[b->index]->table;
  case RT_BIND_NAMED:
    return (void *)(uintptr_t)(p->maps[b->index]->named
                                   ? p->maps[b->index]->named
                                   : p->maps[b->index]->table);
  case RT_BIND_ROWS: return p->sets[b->index]->order->row;
  case RT_BIND_PARAM: return (void *)(uintptr_t)p->params[b->index];
  case RT_BIND_GLOBAL: return p->globals[b->index];
  case RT_BIND_ACC: return NULL; /* put in by point_at_row */
  case RT_BIND_ADDRESS: return p->addresses[b->index];
  }
  assert(!"kind of bind");
  return NULL;
}

static void
point_at_row(const struct rt_launch *l, void **table, char *acc) {
  for (uint32_t i = 0; i < l->nbinds; i++)
    if (l->binds[i].kind == RT_BIND_ACC)
      table[i] = acc + rt_reduce_offset(l, l->binds[i].index);
}

/* Each thread has its table if there is something private in it. */
static size_t
table_stride(const struct run *r, const struct rt_scratch *s) {
  return r->l->nreductions ? s->row : 0;
}

static void
fill_tables(const struct rt_program *p, const struct run *r) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_launch *l = r->l;
  for (uint32_t i = 0; i < l->nbinds; i++) s->table[i] = bound(p, &l->binds[i]);
  if (!l->nreductions) return;
  for (int t = 0; t < r->threads; t++) {
    void **table = s->table + (size_t)t * s->row;
    if (t) memcpy(table, s->table, l->nbinds * sizeof *table);
    if (!r->piece) point_at_row(l, table, s->acc + (size_t)t * s->acc_row);
  }
}

/* ---- run: parts of a launch ---------------------------------------------- */

/* Where part t of k begins, of n things. */
static int64_t
part_begin(int64_t n, int t, int k) {
  return n / k * t + (n % k < t ? n % k : t);
}

/* Elements [lo, hi) of the launch: as they are, or in the program's order. */
static void
call_region(const struct run *r, void **table, int64_t lo, int64_t hi) {
  if (!r->at) {
    r->l->fn(table, lo, hi);
    return;
  }
  for (int64_t e = lo, first = lo; e < hi; first = e) {
    while (++e < hi && r->at[e] == r->at[e - 1] + 1) {
    }
    r->l->fn(table, r->at[first], r->at[first] + (e - first));
  }
}

static void
run_elements(const struct run *r, const struct rt_scratch *s, void **table,
             int64_t lo, int64_t hi) {
  if (lo >= hi) return;
  if (!r->piece) {
    call_region(r, table, lo, hi);
    return;
  }
  for (int64_t next; lo < hi; lo = next) {
    int64_t piece = lo / r->piece;
    next = lo + r->piece < hi ? lo + r->piece : hi;
    point_at_row(r->l, table, s->acc + (size_t)piece * s->acc_row);
    call_region(r, table, lo, next);
  }
}

static void
range_part(const struct run *r, const struct rt_scratch *s, void **table, int t,
           int k) {
  int64_t unit = r->piece ? r->piece : UNIT;
  int64_t units = ((int64_t)r->n + unit - 1) / unit;
  int64_t lo = part_begin(units, t, k) * unit;
  int64_t hi = part_begin(units, t + 1, k) * unit;
  run_elements(r, s, table, lo, hi < r->n ? hi : r->n);
}

/* Blocks order[i .. end): neighbours run in one call. */
static void
run_blocks(const struct run *r, const struct rt_scratch *s, void **table,
           idx_l i, idx_l end) {
  const struct rt_plan *plan = r->plan;
  while (i < end) {
    int64_t first = plan->order[i], last = first;
    while (++i < end && plan->order[i] == last + 1) last++;
    int64_t hi = (last + 1) * plan->block;
    run_elements(r, s, table, first * plan->block, hi < plan->n ? hi : plan->n);
  }
}

static void
coloured_part(const struct run *r, const struct rt_scratch *s, void **table,
              idx_l colour, int t, int k) {
  idx_l from = r->plan->start[colour], n = r->plan->start[colour + 1] - from;
  run_blocks(r, s, table, from + (idx_l)part_begin(n, t, k),
             from + (idx_l)part_begin(n, t + 1, k));
}

static void
run_ranges(const struct run *r, void **table, int part) {
  const struct rt_parts *p = r->parts;
  for (uint32_t i = p->start[part]; i < p->start[part + 1]; i++)
    r->l->fn(table, p->ranges[i].lo, p->ranges[i].hi);
}

/* The second step is that of the borders. */
static void
parted_part(const struct run *r, void **table, bool borders, int t, int k) {
  assert(!r->piece);
  if (borders) {
    if (t == 0) run_ranges(r, table, r->parts->parts);
    return;
  }
  for (int part = t; part < r->parts->parts; part += k)
    run_ranges(r, table, part);
}

static idx_l
run_steps(const struct run *r) {
  return r->parts ? 2 : r->plan ? r->plan->ncolours : 1;
}

static void
run_part(const struct run *r, const struct rt_scratch *s, idx_l step, int t,
         int k) {
  void **table = s->table + (size_t)t * table_stride(r, s);
  if (r->parts)
    parted_part(r, table, step > 0, t, k);
  else if (r->plan)
    coloured_part(r, s, table, step, t, k);
  else
    range_part(r, s, table, t, k);
}

static void
run_alone(const struct run *r, const struct rt_scratch *s) {
  for (idx_l step = 0; step < run_steps(r); step++)
    for (int t = 0; t < r->threads; t++) run_part(r, s, step, t, r->threads);
}

static void
run_together(const struct run *r, const struct rt_scratch *s) {
#pragma omp parallel num_threads(r->threads)
  {
    int t = omp_get_thread_num(), k = omp_get_num_threads();
    run_part(r, s, 0, t, k);
    for (idx_l step = 1; step < run_steps(r); step++) {
#pragma omp barrier
      run_part(r, s, step, t, k);
    }
  }
}

static void
run_team(const struct run *r, const struct rt_scratch *s) {
  bool together = rt_team_together(r->team, r->n, r->threads);
  double begin = rt_team_measures(r->team) ? timer_wall() : 0;
  if (together)
    run_together(r, s);
  else
    run_alone(r, s);
  if (begin) rt_team_note(r->team, together, timer_wall() - begin);
}

/* ---- run: commands ------------------------------------------------------- */

/* What a command did, for the timing table. */
struct work {
  uint32_t timer;
  uint64_t bytes;
  bool timed;
};

/* The values of what a launch writes are where it ran. */
static void
note_written(const struct rt_launch *l, struct rt_buf **bufs) {
  for (uint32_t i = 0; i < l->nbinds; i++) {
    const struct rt_bind *b = &l->binds[i];
    if (b->kind != RT_BIND_SLOT || !b->written) continue;
    struct rt_buf *buf = bufs[b->index];
    buf->reach = reach_written(buf->reach, l->level, b->far);
    rt_buf_written(buf, l->offload != NULL);
  }
}

/* ---- run: launches over ranks ------------------------------------------------- */

/* Tokens in one block of bytes. */
static size_t
tokens_copy(const struct rt_program *p, const struct rt_launch *l, char *block,
            bool out) {
  size_t at = 0;
  for (uint32_t i = 0; i < l->ntokens; i++) {
    const struct rt_token *t = &l->tokens[i];
    if (block && out) memcpy(block + at, p->globals[t->global], t->bytes);
    if (block && !out) memcpy(p->globals[t->global], block + at, t->bytes);
    at += t->bytes;
  }
  return at;
}

/* Elements of others: what they give to globals is given by their owners. */
static void
run_redundant(const struct rt_program *p, const struct run *r) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_launch *l = r->l;
  char *kept = mem_alloc(tokens_copy(p, l, NULL, true) + 1, 1);
  tokens_copy(p, l, kept, true);
  fill_tables(p, r);
  rt_reduce_start(l, p->globals, s->acc, s->acc_row, 1);
  if (l->nreductions) point_at_row(l, s->table, s->acc);
  l->fn(s->table, r->n, r->end);
  tokens_copy(p, l, kept, false);
  free(kept);
}

static void
start_elements(const struct rt_program *p, const struct run *r, char *claim) {
  const struct rt_scratch *s = p->scratch;
  fill_tables(p, r);
  rt_reduce_start(r->l, p->globals, s->acc, s->acc_row, r->rows);
  if (!claim) return;
  memcpy(claim, s->acc, rt_reduce_row(r->l));
  rt_reduce_claim_start(r->l, claim);
}

/* Elements [lo, hi) in the program's order; of claims one after the other: who
 * changed what? */
static void
run_in_order(const struct rt_program *p, const struct run *r, char *claim,
             idx_l lo, idx_l hi) {
  const struct rt_scratch *s = p->scratch;
  const struct rt_part *part = p->sets[r->l->set]->part;
  if (!claim && lo < hi) call_region(r, s->table, lo, hi);
  for (idx_l i = lo; claim && i < hi; i++) {
    idx_l e = part->sorted[i];
    r->l->fn(s->table, e, e + 1);
    rt_reduce_claim_note(r->l, claim, s->acc, part->global[e]);
  }
}

/* Extremes with payloads: the best of what the ranks claim. */
static status
settle_claims(const struct rt_program *p, const struct run *r,
              const char *claim) {
  size_t bytes = rt_reduce_claim(r->l);
  char *claims = mem_alloc(bytes, (size_t)p->comm->size);
  status st = rt_allgather(p->comm, claim, bytes, claims);
  if (st == OK) {
    rt_reduce_pick(r->l, claims, p->comm->size, p->scratch->acc);
    rt_reduce_finish(r->l, p->globals, p->scratch->acc, p->scratch->acc_row, 1);
  }
  free(claims);
  return st;
}

static void
finish_elements(const struct rt_program *p, const struct run *r,
                const char *claim) {
  const struct rt_scratch *s = p->scratch;
  if (!claim) rt_reduce_finish(r->l, p->globals, s->acc, s->acc_row, r->rows);
}

/* Where a rank is: its next element, and the globals as it knows them. */
struct turn {
  idx_g next; /* INT64_MAX: it has run all */
};

/* Whose turn it is, and the element with which that of the next one begins. */
static int
turn_of(const char *turns, size_t bytes, int ranks, idx_g *until) {
  int who = 0;
  idx_g first = INT64_MAX;
  *until = INT64_MAX;
  for (int i = 0; i < ranks; i++) {
    struct turn t;
    memcpy(&t, turns + (size_t)i * bytes, sizeof t);
    if (t.next < first) {
      *until = first;
      first = t.next;
      who = i;
    } else if (t.next < *until) {
      *until = t.next;
    }
  }
  return first == INT64_MAX ? -1 : who;
}

/* Globals that are updated in place, in the order of all ranks' elements: each
 * runs until another one's come, and hands the globals on. */
static status
run_tokens(const struct rt_program *p, const struct run *r, char *claim) {
  const struct rt_launch *l = r->l;
  const struct rt_part *part = p->sets[l->set]->part;
  struct rt_comm *c = p->comm;
  size_t head = sizeof(struct turn);
  size_t bytes = head + tokens_copy(p, l, NULL, true);
  char *mine = mem_alloc(bytes, (size_t)c->size + 1), *all = mine + bytes;
  status st = OK;
  idx_l at = 0;
  start_elements(p, r, claim);
  for (int who = 0; st == OK;) {
    struct turn t = {INT64_MAX};
    if (at < r->n) t.next = part->global[part->sorted[at]];
    memcpy(mine, &t, head);
    tokens_copy(p, l, mine + head, true);
    st = rt_allgather(c, mine, bytes, all);
    if (st != OK) break;
    tokens_copy(p, l, all + (size_t)who * bytes + head, false);
    idx_g until;
    who = turn_of(all, bytes, c->size, &until);
    if (who < 0) break;
    idx_l from = at;
    while (who == c->rank && at < r->n &&
           part->global[part->sorted[at]] < until)
      at++;
    run_in_order(p, r, claim, from, at);
  }
  finish_elements(p, r, claim);
  free(mine);
  return st;
}

/* Without tokens; with claims in order. */
static void
run_alone_or_team(const struct rt_program *p, const struct run *r,
                  char *claim) {
  if (r->n <= 0 && !claim) return;
  start_elements(p, r, claim);
  if (claim)
    run_in_order(p, r, claim, 0, r->n);
  else
    run_team(r, p->scratch);
  finish_elements(p, r, claim);
}

static status
run_on_host(const struct rt_program *p, const struct run *r) {
  const struct rt_launch *l = r->l;
  bool spread = p->comm && p->sets[l->set]->part;
  char *claim =
      spread && rt_reduce_ordered(l) ? mem_alloc(rt_reduce_claim(l), 1) : NULL;
  status st = OK;
  if (spread && l->ntokens)
    st = run_tokens(p, r, claim);
  else
    run_alone_or_team(p, r, claim);
  if (st == OK && claim) st = settle_claims(p, r, claim);
  free(claim);
  if (st == OK && r->end > r->n) run_redundant(p, r);
  return st;
}

static status
run_launch(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
           struct work *out) {
  (void)nthreads;
  assert(cmd->a < p->nlaunches);
  const struct rt_scratch *s = p->scratch;
  const struct run *r = &s->runs[cmd->a];
  const struct rt_launch *l = r->l;
  counters[CNT_regions]++;
  if (r->n > 0 && l->offload)
    TRY(rt_offload_launch(p, l, &r->offload, s->bufs, s->acc));
  else if (!l->offload)
    TRY(run_on_host(p, r));
  note_written(l, s->bufs);
  uint64_t bytes = l->bytes_per_element * (uint64_t)r->n;
  counters[CNT_bytes_moved] += (long long)bytes;
  *out = (struct work){l->timer, bytes, true};
  return OK;
}

static void
copy_bytes(char *dst, const char *src, size_t bytes, int nthreads) {
  if (bytes < COPY_THREADED || nthreads == 1) {
    memcpy(dst, src, bytes);
    return;
  }
#pragma omp parallel num_threads(nthreads)
  {
    int t = omp_get_thread_num(), k = omp_get_num_threads();
    int64_t units = (int64_t)(bytes + UNIT - 1) / UNIT;
    size_t lo = (size_t)part_begin(units, t, k) * UNIT;
    size_t hi = (size_t)part_begin(units, t + 1, k) * UNIT;
    if (hi > bytes) hi = bytes;
    if (lo < hi) memcpy(dst + lo, src + lo, hi - lo);
  }
}

static status
copy_on_device(struct rt_device *d, struct rt_buf *to, struct rt_buf *from) {
  assert(from->dev && from->dev->device == d && from->dev_valid);
  TRY(rt_buf_device(to, d));
  return d->driver->copy(d, to->dev->mem, from->dev->mem, from->dev->bytes);
}

static status
run_copy(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
         struct work *out) {
  assert(cmd->a < p->nslots && cmd->b < p->nslots);
  const struct rt_shape *shape = &p->dats[p->slots[cmd->a].dat]->shape;
  struct rt_buf *from = p->scratch->bufs[cmd->a];
  struct rt_buf *to = p->scratch->bufs[cmd->b];
  assert(from != to);
  if (cmd->device) {
    TRY(copy_on_device(cmd->device, to, from));
  } else if (from->stride == to->stride) {
    assert(from->bytes == to->bytes && !from->stale);
    copy_bytes(to->mem, from->mem, from->bytes, nthreads);
  } else {
    rt_layout_copy(to->mem, to->stride, from->mem, from->stride, 0, shape->n,
                   shape->dim, shape->type.size);
  }
  rt_buf_written(to, cmd->device != NULL);
  to->reach = from->reach;
  counters[CNT_copies]++;
  counters[CNT_bytes_moved] += 2 * (long long)from->bytes;
  *out = (struct work){rt_timer_get("(copy)"), 2 * from->bytes, true};
  return OK;
}

static status
run_set_global(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
               struct work *out) {
  (void)nthreads;
  assert(cmd->a < p->nglobals && cmd->b < p->nparams);
  memcpy(p->globals[cmd->a], p->params[cmd->b], cmd->bytes);
  *out = (struct work){0, 0, false};
  return OK;
}

static status
run_upload(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
           struct work *out) {
  (void)nthreads;
  assert(cmd->a < p->nslots);
  struct rt_buf *b = p->scratch->bufs[cmd->a];
  const struct rt_dat *d = p->dats[p->slots[cmd->a].dat];
  bool own = p->slots[cmd->a].initial && rt_dat_mirror_current(d);
  TRY(rt_buf_upload(b, cmd->device, own ? d : NULL));
  *out = (struct work){rt_timer_get("(upload)"), b->bytes, true};
  return OK;
}

static status
run_download(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
             struct work *out) {
  (void)nthreads;
  assert(cmd->a < p->nslots);
  struct rt_buf *b = p->scratch->bufs[cmd->a];
  TRY(rt_buf_download(b));
  *out = (struct work){rt_timer_get("(download)"), b->bytes, true};
  return OK;
}

static status
run_exchange(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
             struct work *out) {
  struct rt_halo_item *items = p->scratch->items;
  long long before = counters[CNT_exchange_bytes];
  (void)nthreads;
  for (uint32_t i = 0; i < cmd->b; i++) {
    const struct rt_want *w = &p->wants[cmd->a + i];
    const struct rt_dat *d = p->dats[p->slots[w->slot].dat];
    items[i] =
        (struct rt_halo_item){p->scratch->bufs[w->slot], d->part, w->reach};
  }
  TRY(rt_halo_start(p->halo, items, cmd->b));
  TRY(rt_halo_finish(p->halo));
  uint64_t bytes = (uint64_t)(counters[CNT_exchange_bytes] - before);
  *out = (struct work){rt_timer_get("(exchange)"), bytes, true};
  return OK;
}

/* The start value counts once: rank 0 has it. */
static status
run_begin(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
          struct work *out) {
  const struct rt_sum *s = &p->sums[cmd->a];
  (void)nthreads;
  if (p->comm->rank)
    type_identity(s->type, s->access, p->globals[s->global], s->dim);
  *out = (struct work){0, 0, false};
  return OK;
}

/* All sums of one type and access in one message. */
static status
reduce_alike(struct rt_program *p, const struct rt_cmd *cmd, uint32_t first,
             bool *done) {
  const struct rt_sum *s = p->sums + cmd->a, *lead = &s[first];
  char *at, *block;
  size_t n = 0;
  for (uint32_t i = first; i < cmd->b; i++) n += s[i].dim;
  at = block = mem_alloc(n, lead->type.size);
  n = 0;
  for (uint32_t i = first; i < cmd->b; i++) {
    if (!type_same(s[i].type, lead->type) || s[i].access != lead->access)
      continue;
    memcpy(at, p->globals[s[i].global], s[i].dim * s[i].type.size);
    at += s[i].dim * s[i].type.size;
    n += s[i].dim;
    done[i] = true;
  }
  status st = rt_allreduce(p->comm, block, n, lead->type, lead->access);
  at = block;
  for (uint32_t i = first; st == OK && i < cmd->b; i++) {
    if (!type_same(s[i].type, lead->type) || s[i].access != lead->access)
      continue;
    memcpy(p->globals[s[i].global], at, s[i].dim * s[i].type.size);
    at += s[i].dim * s[i].type.size;
  }
  free(block);
  return st;
}

static status
run_reduce(struct rt_program *p, const struct rt_cmd *cmd, int nthreads,
           struct work *out) {
  bool *done = mem_alloc(cmd->b, sizeof *done);
  status st = OK;
  (void)nthreads;
  for (uint32_t i = 0; st == OK && i < cmd->b; i++)
    if (!done[i]) st = reduce_alike(p, cmd, i, done);
  free(done);
  *out = (struct work){rt_timer_get("(reduce)"), 0, true};
  return st;
}

static status
run_commands(struct rt_program *p, int nthreads) {
  static status (*const run[])(struct rt_program *, const struct rt_cmd *, int,
                               struct work *) = {
      [RT_LAUNCH] = run_launch,         [RT_COPY] = run_copy,
      [RT_SET_GLOBAL] = run_set_global, [RT_UPLOAD] = run_upload,
      [RT_DOWNLOAD] = run_download,     [RT_EXCHANGE] = run_exchange,
      [RT_BEGIN] = run_begin,           [RT_REDUCE] = run_reduce};
  double before = timer_wall();
  for (uint32_t i = 0; i < p->ncmds; i++) {
    struct work w;
    bool moves = p->cmds[i].op == RT_UPLOAD || p->cmds[i].op == RT_DOWNLOAD;
    p->broken |= !moves; /* until all have run */
    TRY(run[p->cmds[i].op](p, &p->cmds[i], nthreads, &w));
    if (!w.timed) continue;
    double after = timer_wall();
    rt_timer_span(w.timer, before, after, w.bytes);
    before = after;
  }
  return OK;
}

/* ---- deliver ------------------------------------------------------------- */

static void
deliver(struct rt_program *p) {
  for (uint32_t i = 0; i < p->nouts; i++) {
    assert(p->outs[i].dat < p->ndats && p->outs[i].slot < p->nslots);
    struct rt_dat *d = p->dats[p->outs[i].dat];
    struct rt_buf *b = p->scratch->bufs[p->outs[i].slot];
    assert(d->buf == b || (!d->foreign && !b->foreign));
    if (d->buf == b) {
      rt_dat_written(d);
    } else {
      rt_buf_ref(b);
      rt_dat_set_buffer(d, b);
    }
  }
}

status
rt_exec(struct rt_program *p, int nthreads) {
  assert(nthreads >= 1);
  p->broken = false;
  TRY(prepare(p, nthreads));
  TRY(bind_slots(p));
  status st = run_commands(p, nthreads);
  if (st == OK) {
    deliver(p);
    p->broken = false;
  }
  release_slots(p);
  return st;
}

static void
offload_free(struct rt_offload *o) {
  if (!o) return;
  free(o->scalars);
  free(o->uses);
  free(o->strips);
  free(o->stages);
  free(o->args);
  free(o->staging);
  free(o);
}

void
rt_program_free(struct rt_program *p) {
  if (!p) return;
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    free(p->launches[i].binds);
    free(p->launches[i].reductions);
    free(p->launches[i].conflicts);
    free(p->launches[i].tokens);
    offload_free(p->launches[i].offload);
  }
  scratch_free(p->scratch);
  free(p->launches);
  free(p->cmds);
  free(p->slots);
  free(p->outs);
  free(p->wants);
  free(p->sums);
  free(p->sets);
  free(p->maps);
  free(p->dats);
  free(p->globals);
  free(p->params);
  free(p->addresses);
  free(p);
}
