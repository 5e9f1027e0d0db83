/* Running a program: the only loop over a command list.
 *
 *   prepare   how each launch runs, its plan, room for tables and accumulators
 *   bind      a buffer for each slot
 *   run       the commands, in order
 *   deliver   the dats get the buffers that hold their last values
 *
 * All that can fail is in the first two steps, and they change no values.
 */
#include "base/arena.h"
#include "base/counters.h"
#include "base/event.h"
#include "base/log.h"
#include "rt/device/device.h"
#include "rt/device/globals.h"
#include "rt/events.h"
#include "rt/ranks/dist.h"
#include "rt/walk/again.h"
#include "rt/walk/exact.h"
#include "rt/walk/front.h"
#include "rt/walk/launch.h"
#include "rt/walk/reduce.h"
#include "rt/walk/tiles.h"
#include "rt/store/residency.h"
#include "rt/walk/team.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_POINTERS = 8, COPY_THREADED = 1 << 20 };

/* ---- prepare ------------------------------------------------------------- */

static struct rt_scratch *
scratch_new(const struct rt_program *p) {
  struct rt_scratch *s = mem_alloc(1, sizeof *s);
  uint32_t nconflicts = 0;
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    const struct rt_launch *l = &p->launches[i];
    size_t row = round_up(l->nbinds, LINE_POINTERS);
    if (row > s->row) s->row = row;
    size_t acc = l->offload ? l->offload->row : rt_reduce_row(l);
    if (acc > s->acc_row) s->acc_row = acc;
    if (l->scratch > s->room_row) s->room_row = l->scratch;
    if (l->nconflicts > nconflicts) nconflicts = l->nconflicts;
    size_t each = rt_exact_each_row(l);
    if (each > s->each_row) s->each_row = each;
  }
  s->bufs = mem_alloc(p->nslots, sizeof *s->bufs);
  s->runs = mem_alloc(p->nlaunches, sizeof *s->runs);
  s->teams = mem_alloc(p->nlaunches, sizeof *s->teams);
  s->ranges = mem_alloc(p->nlaunches, sizeof *s->ranges);
  s->again = mem_alloc(p->nlaunches, sizeof *s->again);
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    const struct rt_launch *l = &p->launches[i];
    s->teams[i] = rt_team_get(l->fn, p->sets[l->set]->n, l->team);
  }
  s->conflicts = mem_alloc(nconflicts, sizeof *s->conflicts);
  s->items = mem_alloc(p->nwants, sizeof *s->items);
  s->tiles = mem_alloc((size_t)p->nchains + 1, sizeof *s->tiles);
  s->fronts = mem_alloc((size_t)p->nchains + 1, sizeof *s->fronts);
  return s;
}

static void
scratch_free(struct rt_scratch *s, uint32_t nlaunches, uint32_t nchains) {
  if (!s) return;
  for (uint32_t i = 0; i < nchains; i++) {
    rt_tiles_free(s->tiles[i]);
    rt_front_free(s->fronts[i]);
  }
  free(s->tiles);
  free(s->fronts);
  for (uint32_t i = 0; i < nlaunches; i++) {
    for (int k = 0; k < 3; k++) rt_walk_free(s->ranges[i][k]);
    rt_again_free(s->again[i].again);
  }
  free(s->ranges);
  free(s->again);
  rt_mem_free(s->acc, s->acc_bytes);
  rt_mem_free(s->each, s->each_bytes);
  rt_mem_free(s->rooms, s->room_bytes);
  free(s->exact);
  free(s->at_work);
  free(s->bufs);
  free(s->runs);
  free(s->teams);
  free(s->table);
  free(s->conflicts);
  free(s->items);
  free(s);
}

/* A block of memory has at least `bytes`; what it held is lost. */
static status
make_block(char **block, size_t *have, size_t bytes, const char *what) {
  if (bytes <= *have) return OK;
  char *larger = rt_mem_new(bytes);
  if (!larger) FAIL(ERR_MEMORY, "no memory for %s: %zu bytes", what, bytes);
  rt_mem_free(*block, *have);
  *block = larger;
  *have = bytes;
  return OK;
}

/* Room for tables of all threads, and for accumulators of the launch that needs
 * most. */
static status
make_room(struct rt_scratch *s, uint32_t nlaunches, int nthreads) {
  if (s->threads < (size_t)nthreads) {
    free(s->table);
    s->table = mem_alloc(((size_t)nthreads + 1) * s->row, sizeof *s->table);
    s->threads = (size_t)nthreads;
  }
  if (event_in_words() && s->nat_work < (size_t)nthreads) {
    free(s->at_work);
    s->at_work = mem_alloc((size_t)nthreads, sizeof *s->at_work);
    s->nat_work = (size_t)nthreads;
  }
  size_t rows = 0, exact = 0, rooms = 0;
  for (uint32_t i = 0; i < nlaunches; i++) {
    const struct rt_run *r = &s->runs[i];
    size_t threads = (size_t)r->threads, sums = threads * r->nexact;
    if (r->l->nreductions && threads >= rows) rows = threads + 1;
    if (r->l->scratch && threads > rooms) rooms = threads;
    if (sums > exact) exact = sums;
  }
  if (exact > s->nexact) {
    free(s->exact);
    s->exact = mem_alloc(exact, sizeof *s->exact);
    s->nexact = exact;
  }
  if (rooms)
    TRY(make_block(&s->rooms, &s->room_bytes, RT_PAGE + rooms * s->room_row,
                   "private copies of elements"));
  TRY(make_block(&s->each, &s->each_bytes, rows * s->each_row,
                 "contributions to sums"));
  return make_block(&s->acc, &s->acc_bytes, rows * s->acc_row, "accumulators");
}

static status
prepare_launches(struct rt_program *p, int nthreads) {
  if (!p->scratch) p->scratch = scratch_new(p);
  p->scratch->nthreads = nthreads;
  for (uint32_t i = 0; i < p->nlaunches; i++)
    TRY(rt_launch_prepare(p, i, nthreads, &p->scratch->runs[i]));
  for (uint32_t i = 0; i < p->nchains; i++)
    TRY(p->chains[i].piece ? rt_front_prepare(p, i, &p->scratch->fronts[i])
                           : rt_tiles_prepare(p, i, &p->scratch->tiles[i]));
  for (uint32_t i = 0; i < p->nlaunches; i++)
    TRY(rt_launch_prepare_again(p, i));
  return make_room(p->scratch, p->nlaunches, nthreads);
}

void
rt_exec_keep(struct rt_program *p) {
  for (uint32_t i = 0; p->scratch && i < p->nlaunches; i++)
    p->scratch->teams[i]->kept.used = true;
  for (uint32_t i = 0; p->scratch && i < p->nchains; i++)
    if (p->scratch->fronts[i]) rt_front_keep(p->scratch->fronts[i]);
}

void
rt_launch_renew(struct rt_program *p, uint32_t i, rt_region_fn fn,
                uint32_t lanes) {
  struct rt_launch *l = &p->launches[i];
  assert(fn && lanes && !l->offload);
  l->fn = fn;
  l->lanes = lanes;
  l->seconds = l->took = 0;
  l->untimed = 0;
  if (!p->scratch) return;
  p->scratch->teams[i] = rt_team_get(fn, p->sets[l->set]->n, l->team);
  for (uint32_t k = 0; k < p->nchains; k++)
    if (p->chains[k].first == i && p->scratch->fronts[k])
      rt_front_renew(p->scratch->fronts[k], p);
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
    TRY(rt_dat_mirror_current(d) || b->zeros ? rt_dat_buffer(d, &b)
                                             : rt_buf_host(b));
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
/* ---- run: commands ------------------------------------------------------- */

/* What a command did, for the timing table. */
enum timed { UNTIMED, BY_HOST, BY_DEVICE };
struct work {
  uint32_t timer;
  uint64_t bytes;
  enum timed timed;
};

/* Buffers that a launch writes, those in which no old value shows through or
 * the others: their values are where it ran. What rows add is whole on own
 * elements, further out perhaps not. */
static void
note_some(const struct rt_launch *l, struct rt_buf **bufs, bool fresh) {
  for (uint32_t i = 0; i < l->nbinds; i++) {
    const struct rt_bind *b = &l->binds[i];
    if (b->kind != RT_BIND_SLOT || !b->written || b->own || fresh != !b->old)
      continue;
    struct rt_buf *buf = bufs[b->index];
    const struct rt_buf *old =
        fresh || b->far ? buf : bufs[l->binds[b->old - 1].index];
    int level = l->numbered || (l->rows && b->far) ? 0 : l->level;
    buf->reach = reach_written(old->reach, level, b->far, fresh);
    rt_buf_written(buf, l->offload != NULL);
  }
}

/* First what depends on old values, which others may have taken the place of.
 * */
static void
note_written(const struct rt_launch *l, struct rt_buf **bufs) {
  note_some(l, bufs, false);
  note_some(l, bufs, true);
}

/* For reports: a launch's way changes little, so not each is looked at. */
static void
note_detail(struct rt_program *p, uint32_t i) {
  struct rt_launch *l = &p->launches[i];
  const struct rt_run *r = &p->scratch->runs[i];
  struct rt_way way;
  uint64_t runs = ++l->runs;
  rt_timer_work(l->timer, &l->effort, r->n);
  if (runs & (runs - 1)) return;
  rt_launch_way(p, r, &way);
  rt_timer_way(l->timer, &way);
}

static status
run_launch(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  assert(cmd->a < p->nlaunches);
  const struct rt_scratch *s = p->scratch;
  const struct rt_run *r = &s->runs[cmd->a];
  const struct rt_launch *l = r->l;
  counters[CNT_regions]++;
  if (r->ahead)
    TRY(rt_front_finish(p, cmd->a));
  else
    TRY(rt_launch_run(p, r));
  note_written(l, s->bufs);
  uint64_t bytes = l->bytes_per_element * (uint64_t)r->n;
  counters[CNT_bytes_moved] += (long long)bytes;
  *out = (struct work){l->timer, bytes, l->offload ? BY_DEVICE : BY_HOST};
  return OK;
}

/* The same of a chain: its last launch's way, with the narrowest vectors and
 * all bytes, and the work of all. */
static void
note_chain(struct rt_program *p, const struct rt_chain *c) {
  struct rt_way way, one;
  const struct rt_run *last = &p->scratch->runs[c->first + c->count - 1];
  rt_launch_way(p, last, &way);
  way.bytes = 0;
  for (uint32_t i = c->first; i < c->first + c->count; i++) {
    const struct rt_run *r = &p->scratch->runs[i];
    rt_launch_way(p, r, &one);
    if (one.lanes < way.lanes) way.lanes = one.lanes;
    way.bytes += one.bytes;
    rt_timer_work(c->timer, &r->l->effort, r->n);
  }
  rt_timer_way(c->timer, &way);
}

static status
run_chain(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  assert(cmd->a < p->nchains);
  const struct rt_chain *c = &p->chains[cmd->a];
  uint64_t bytes = 0;
  for (uint32_t i = c->first; i < c->first + c->count; i++)
    TRY(rt_globals_here(p, &p->launches[i]));
  if (c->piece) { /* its launches' commands follow, and do the rest */
    rt_front_run(p, p->scratch->fronts[cmd->a]);
    const struct rt_run *r = &p->scratch->runs[c->first];
    counters[CNT_exchanges_overlapped] +=
        r->l->core_first && r->ahead && r->core > 0;
    return OK;
  }
  rt_tiles_run(p, cmd->a, p->scratch->tiles[cmd->a]);
  for (uint32_t i = c->first; i < c->first + c->count; i++) {
    const struct rt_launch *l = &p->launches[i];
    note_written(l, p->scratch->bufs);
    bytes += l->bytes_per_element * (uint64_t)p->scratch->runs[i].n;
  }
  if (rt_timer_detail) note_chain(p, c);
  counters[CNT_regions] += c->count;
  counters[CNT_bytes_moved] += (long long)bytes;
  *out = (struct work){c->timer, bytes, BY_HOST};
  return OK;
}

static status
run_core(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  struct rt_run *r = &p->scratch->runs[cmd->a];
  bool ran = false;
  if (!r->ahead) TRY(rt_launch_core(p, r, &ran));
  counters[CNT_exchanges_overlapped] += ran;
  *out = (struct work){r->l->timer, 0, ran ? BY_HOST : UNTIMED};
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
    int64_t units = (int64_t)(bytes + RT_UNIT - 1) / RT_UNIT;
    size_t lo = (size_t)rt_share(units, t, k) * RT_UNIT;
    size_t hi = (size_t)rt_share(units, t + 1, k) * RT_UNIT;
    if (hi > bytes) hi = bytes;
    if (lo < hi) memcpy(dst + lo, src + lo, hi - lo);
  }
}

static status
copy_on_device(struct rt_device *d, struct rt_buf *to, struct rt_buf *from) {
  assert(from->dev && from->dev->device == d && from->dev_valid);
  TRY(rt_buf_device(to, d));
  uint32_t timer = rt_timer_of(RT_TIMER_COPY);
  TRY(rt_dev_span_begin(d, timer));
  status st =
      d->driver->copy(d, to->dev->mem, from->dev->mem, from->dev->bytes);
  status end = rt_dev_span_end(d, timer);
  return st == OK ? end : st;
}

static status
run_copy(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  assert(cmd->a < p->nslots && cmd->b < p->nslots);
  const struct rt_shape *shape = &p->dats[p->slots[cmd->a].dat]->shape;
  struct rt_buf *from = p->scratch->bufs[cmd->a];
  struct rt_buf *to = p->scratch->bufs[cmd->b];
  assert(from != to);
  if (cmd->device) {
    TRY(copy_on_device(cmd->device, to, from));
  } else if (from->stride == to->stride) {
    assert(from->bytes == to->bytes && !from->stale);
    copy_bytes(to->mem, from->mem, from->bytes, p->scratch->nthreads);
  } else {
    rt_layout_copy(to->mem, to->stride, from->mem, from->stride, 0, shape->n,
                   shape->dim, shape->type.size);
  }
  rt_buf_written(to, cmd->device != NULL);
  to->reach = from->reach;
  counters[CNT_copies]++;
  counters[CNT_bytes_moved] += 2 * (long long)from->bytes;
  *out = (struct work){rt_timer_of(RT_TIMER_COPY), 2 * from->bytes,
                       cmd->device ? BY_DEVICE : BY_HOST};
  return OK;
}

static status
run_set_global(struct rt_program *p, const struct rt_cmd *cmd,
               struct work *out) {
  (void)out;
  assert(cmd->a < p->nglobals && cmd->b < p->nparams);
  memcpy(p->globals[cmd->a], p->params[cmd->b], cmd->bytes);
  rt_global_written(p, cmd->a);
  return OK;
}

static status
run_upload(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  assert(cmd->a < p->nslots);
  struct rt_buf *b = p->scratch->bufs[cmd->a];
  const struct rt_dat *d = p->dats[p->slots[cmd->a].dat];
  bool own = p->slots[cmd->a].initial && rt_dat_mirror_current(d);
  enum rt_timer_own what = b->zeros ? RT_TIMER_ZERO : RT_TIMER_UPLOAD;
  TRY(rt_buf_upload(b, cmd->device, own ? d : NULL));
  *out = (struct work){rt_timer_of(what), b->bytes, BY_HOST};
  return OK;
}

static status
run_download(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  assert(cmd->a < p->nslots);
  struct rt_buf *b = p->scratch->bufs[cmd->a];
  TRY(rt_buf_download(b));
  *out = (struct work){rt_timer_of(RT_TIMER_DOWNLOAD), b->bytes, BY_HOST};
  return OK;
}

static status
run_start(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  struct rt_halo_item *items = p->scratch->items;
  long long before = counters[CNT_exchange_bytes];
  for (uint32_t i = 0; i < cmd->b; i++) {
    const struct rt_want *w = &p->wants[cmd->a + i];
    struct rt_dat *d = p->dats[p->slots[w->slot].dat];
    struct rt_buf *b = p->scratch->bufs[w->slot];
    if (b->stale && !b->dev_valid) TRY(rt_dat_buffer(d, &b)); /* not yet used */
    items[i] = (struct rt_halo_item){b, d->part, w->reach};
  }
  TRY(rt_halo_start(p->halo, items, cmd->b));
  uint64_t bytes = (uint64_t)(counters[CNT_exchange_bytes] - before);
  *out = (struct work){rt_timer_of(RT_TIMER_EXCHANGE), bytes, BY_HOST};
  return OK;
}

static status
run_finish(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  (void)cmd;
  TRY(rt_halo_finish(p->halo));
  *out = (struct work){rt_timer_of(RT_TIMER_EXCHANGE), 0, BY_HOST};
  return OK;
}

static status
run_begin(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  (void)out;
  assert(cmd->a < p->nsums);
  rt_sum_begin(p, &p->sums[cmd->a]);
  return OK;
}

static status
run_reduce(struct rt_program *p, const struct rt_cmd *cmd, struct work *out) {
  TRY(rt_sums_reduce(p, p->sums + cmd->a, cmd->b));
  *out = (struct work){rt_timer_of(RT_TIMER_REDUCE), 0, BY_HOST};
  return OK;
}

/* The device that may keep the command back with those around it. Uploads are
 * not: what a failure loses is what launches and copies write. */
static struct rt_device *
batch_of(const struct rt_program *p, const struct rt_cmd *cmd) {
  const struct rt_launch *l =
      cmd->op == RT_LAUNCH ? &p->launches[cmd->a] : NULL;
  if (l && l->offload) return rt_launch_device(l);
  return cmd->op == RT_COPY ? cmd->device : NULL;
}

/* Commands that others go on with: timed as one call. */
static bool
first_half(enum rt_cmd_op op) {
  return op == RT_EXCHANGE_START || op == RT_LAUNCH_CORE;
}

/* A chain's launches took what their share of its bytes is: for trials, which
 * compare launches. */
static void
chain_took(struct rt_program *p, const struct rt_chain *c, double seconds,
           uint64_t bytes) {
  for (uint32_t i = c->first; i < c->first + c->count; i++) {
    struct rt_launch *l = &p->launches[i];
    double own = (double)l->bytes_per_element * p->scratch->runs[i].n;
    if (bytes) rt_launch_took(l, seconds * own / (double)bytes);
  }
}

/* What came before the launch that is next; it counts as that one's. */
struct ahead {
  double seconds, bytes;
  long long n;
};

/* The line of the timing table of what runs loops; NULL: it does not. */
static const uint32_t *
timer_of(const struct rt_program *p, const struct rt_cmd *cmd) {
  if (cmd->op == RT_CHAIN) return &p->chains[cmd->a].timer;
  return cmd->op == RT_LAUNCH ? &p->launches[cmd->a].timer : NULL;
}

static void
note_ahead(const struct rt_program *p, const struct rt_cmd *cmd, double seconds,
           uint64_t bytes, struct ahead *ahead) {
  bool begins = cmd->op == RT_EXCHANGE_START;
  bool moves = cmd->op == RT_UPLOAD || cmd->op == RT_DOWNLOAD;
  if (begins || moves || cmd->op == RT_EXCHANGE_FINISH) {
    struct ahead *a = &ahead[moves ? RT_BEFORE_TRANSFER : RT_BEFORE_EXCHANGE];
    a->seconds += seconds;
    a->bytes += (double)bytes;
    a->n += begins || moves;
  }
  const uint32_t *timer = timer_of(p, cmd);
  for (int k = 0; timer && k < RT_BEFORE_COUNT; k++) {
    rt_timer_before(*timer, (enum rt_before)k, ahead[k].seconds, ahead[k].bytes,
                    ahead[k].n);
    ahead[k] = (struct ahead){0};
  }
}

static status (*const run[])(struct rt_program *, const struct rt_cmd *,
                             struct work *) = {
    [RT_LAUNCH] = run_launch,
    [RT_CHAIN] = run_chain,
    [RT_COPY] = run_copy,
    [RT_SET_GLOBAL] = run_set_global,
    [RT_UPLOAD] = run_upload,
    [RT_DOWNLOAD] = run_download,
    [RT_EXCHANGE_START] = run_start,
    [RT_LAUNCH_CORE] = run_core,
    [RT_EXCHANGE_FINISH] = run_finish,
    [RT_BEGIN] = run_begin,
    [RT_REDUCE] = run_reduce};

/* While tools listen, what a device is given lasts until it is done. */
static status
run_one(struct rt_program *p, const struct rt_cmd *cmd,
        struct rt_device **batch, struct work *w) {
  struct rt_device *d = batch_of(p, cmd);
  bool waits = event_listening & EVENT_TOOLS;
  if (cmd->op != RT_SET_GLOBAL && !waits) TRY(rt_device_batch(batch, d));
  TRY(run[cmd->op](p, cmd, w));
  return waits && d ? d->driver->finish(d) : OK;
}

/* Does anybody want to know how long the command takes? */
static bool
is_timed(struct rt_program *p, const struct rt_cmd *cmd) {
  struct rt_launch *l = cmd->op == RT_LAUNCH ? &p->launches[cmd->a] : NULL;
  if (!l || l->offload || l->core_first || rt_timer_detail) return true;
  return rt_launch_timed(l);
}

static status
run_each(struct rt_program *p, struct rt_device **batch) {
  struct ahead ahead[RT_BEFORE_COUNT] = {0};
  double before = 0; /* not read */
  for (uint32_t i = 0; i < p->ncmds; i++) {
    const struct rt_cmd *cmd = &p->cmds[i];
    struct work w = {.timed = UNTIMED};
    struct event e = {0};
    if (event_listening) e = rt_event_of(p, cmd);
    if (e.kind) event_begin(&e);
    bool moves = cmd->op == RT_UPLOAD || cmd->op == RT_DOWNLOAD;
    bool timed = is_timed(p, cmd);
    if (!timed || event_listening || rt_timer_detail) before = 0;
    if (timed && before <= 0) before = timer_wall();
    p->broken |= !moves; /* until all have run */
    status st = run_one(p, cmd, batch, &w);
    double after = timed && w.timed != UNTIMED ? timer_wall() : 0;
    if (e.kind) rt_event_end(p, cmd, &e, w.bytes); /* also if it failed */
    TRY(st);
    if (!timed) rt_timer_add(w.timer, 0, w.bytes);
    if (cmd->op == RT_CHAIN && w.timed == UNTIMED) before = 0; /* a front's */
    if (w.timed == UNTIMED || !timed) continue;
    double seconds = after - before;
    if (cmd->op == RT_LAUNCH && p->scratch->runs[cmd->a].ahead)
      seconds += p->scratch->runs[cmd->a].seconds; /* it ran the rest */
    if (cmd->op == RT_CHAIN)
      chain_took(p, &p->chains[cmd->a], seconds, w.bytes);
    if (cmd->op == RT_LAUNCH || cmd->op == RT_LAUNCH_CORE)
      seconds = rt_launch_took(&p->launches[cmd->a], seconds);
    if (w.timed == BY_DEVICE)
      rt_timer_given(w.timer, w.bytes);
    else
      rt_timer_part(w.timer, seconds, w.bytes, !first_half(cmd->op));
    if (rt_timer_detail) {
      note_ahead(p, cmd, after - before, w.bytes, ahead);
      if (cmd->op == RT_LAUNCH) note_detail(p, cmd->a);
    }
    before = after;
  }
  return OK;
}

static status
run_commands(struct rt_program *p) {
  struct rt_device *batch = NULL;
  rt_globals_begin(p);
  status st = run_each(p, &batch);
  status end = rt_device_batch(&batch, NULL);
  TRY(st == OK ? end : st);
  return rt_globals_end(p);
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
rt_exec_prepare(struct rt_program *p, int nthreads) {
  assert(nthreads >= 1);
  p->broken = false;
  TRY(prepare_launches(p, nthreads));
  return bind_slots(p);
}

void
rt_exec_explain(const struct rt_program *p, struct str *out) {
  for (uint32_t i = 0; p->scratch && i < p->nlaunches; i++)
    if (p->scratch->runs[i].l) rt_launch_explain(&p->scratch->runs[i], out);
  for (uint32_t i = 0; p->scratch && i < p->nchains; i++)
    if (p->scratch->fronts[i]) rt_front_explain(p, p->scratch->fronts[i], out);
}

void
rt_exec_cancel(struct rt_program *p) {
  release_slots(p);
}

/* A run broke: others' messages are on their way, and what was to go up may not
 * have. */
static void
forget_sent(struct rt_program *p) {
  if (p->halo) rt_halo_finish(p->halo);
  rt_globals_broken(p);
  for (uint32_t i = 0; i < p->nlaunches; i++)
    if (p->launches[i].offload) p->launches[i].offload->sent = false;
}

status
rt_exec_run(struct rt_program *p) {
  status st = run_commands(p);
  if (st == OK) {
    deliver(p);
    p->broken = false;
  } else {
    forget_sent(p);
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
  rt_dev_mem_free(o->scalar_mem);
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
    free(p->launches[i].writes);
    free(p->launches[i].tokens);
    offload_free(p->launches[i].offload);
  }
  scratch_free(p->scratch, p->nlaunches, p->nchains);
  for (uint32_t i = 0; i < p->nchains; i++) {
    free(p->chains[i].layers);
    free(p->chains[i].own);
    free(p->chains[i].touches);
  }
  free(p->chains);
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
  for (uint32_t i = 0; p->own_cells && i < p->nglobals; i++)
    rt_cell_clear(&p->own_cells[i]);
  free(p->own_cells);
  free(p->cells);
  free(p->params);
  free(p->addresses);
  free(p);
}
