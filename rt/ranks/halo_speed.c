/* What an exchange takes as launches make it: for reports.
 *
 * Problem. Messages alone (measure.c) are not all of an exchange of a few
 * elements: it is found among those that are kept, packed, unpacked, and the
 * clock is read around both halves. Nor is one after the other what a program
 * has: launches run between the halves and behind them, and meanwhile code and
 * data of the exchange leave the nearest caches. Between two cores of a Zen 5
 * an exchange takes 445 ns by itself, 505 among launches: finding and packing
 * 13 more, starting the messages 20, finishing them 25, and no wait is longer.
 *
 * Idea. As with launches (speed_calls.c): one is made that moves one element in
 * each direction between the ranks of a pair, again and again, with the clock
 * read as exec.c does, and with what a flush has around it: all ranks agree, a
 * launch is prepared, its core runs while the values are on their way, the rest
 * when they are there. It goes over more than the nearest cache holds. The mean
 * of all batches counts, as programs have it beside other work, of all pairs
 * the slowest.
 *
 * cost  some tens of milliseconds, once */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/log.h"
#include "rt/bound.h"
#include "rt/ranks/comm.h"
#include "rt/walk/launch.h"

#include <assert.h>
#include <string.h>

enum { BATCHES = 399, BATCH = 64, OWNED = 8192 /* elements: 64 KiB */ };

/* An exchange and what a flush has around it. */
struct flush {
  struct rt_comm *c;
  struct rt_halo *h;
  struct rt_halo_item item;
  struct rt_program *p; /* of one launch */
};

/* Seconds of one exchange that makes the item right, on average. */
static status
batch_seconds(struct flush *f, double *out) {
  uint64_t words[3] = {0};
  double sum = 0;
  bool ran;
  for (int k = 0; k < BATCH; k++) {
    f->item.buf->reach = REACH_OWNED;
    TRY(rt_allreduce(f->c, words, 3, (struct type){TYPE_U64, 8}, ACC_MIN));
    TRY(rt_exec_prepare(f->p, 1));
    struct rt_run *run = &f->p->scratch->runs[0];
    double begin = timer_wall();
    TRY(rt_halo_start(f->h, &f->item, 1));
    double middle = timer_wall();
    TRY(rt_launch_core(f->p, run, &ran));
    double again = timer_wall();
    TRY(rt_halo_finish(f->h));
    sum += timer_wall() - again + (middle - begin);
    TRY(rt_launch_run(f->p, run));
  }
  *out = sum / BATCH;
  return OK;
}

/* Of several batches. */
static status
usual_seconds(struct flush *f, double *out) {
  double tries[BATCHES] = {0};
  assert(!reach_covers(REACH_OWNED, f->item.want));
  for (int k = 0; k < BATCHES; k++) TRY(batch_seconds(f, &tries[k]));
  *out = rt_speed_mean(tries, BATCHES);
  return OK;
}

/* Element 0 goes to the peer, whose copy comes behind the owned ones. Of an odd
 * number of ranks one has no peer. */
static status
pair_seconds(struct rt_comm *c, double *out) {
  const size_t bytes = (OWNED + 1) * sizeof(double);
  double *values = rt_mem_new(bytes); /* as dats lie */
  int64_t had = values != NULL;       /* by all, or none goes on */
  TRY(rt_allreduce(c, &had, 1, (struct type){TYPE_I64, 8}, ACC_MIN));
  if (!had || !values) {
    if (values) rt_mem_free(values, bytes);
    FAIL(ERR_MEMORY, "no memory to measure exchanges");
  }
  memset(values, 0, bytes);
  idx_l own = 0, other = OWNED;
  uint8_t level = 2, via = 1;
  int peer = c->rank ^ 1;
  uint32_t links = peer < c->size;
  struct rt_link goes = {peer, 1, &own, &level, &via};
  struct rt_link comes = {peer, 1, &other, &level, &via};
  struct rt_part part = {.core = OWNED - 1,
                         .owned = OWNED,
                         .n = OWNED + 1,
                         .level = {OWNED},
                         .in = &comes,
                         .out = &goes,
                         .nin = links,
                         .nout = links};
  struct rt_set set = {.n = part.n, .name = "measured", .part = &part};
  struct rt_buf buf = {.shape = {part.n, 1, {TYPE_F64, 8}, 1, 0, NULL},
                       .mem = values,
                       .bytes = bytes,
                       .stride = 1};
  struct flush f = {
      c, rt_halo_new(c), {&buf, &part, {0, 1}}, rt_speed_program(&set, values)};
  f.p->launches[0].core_first = true;
  status st = usual_seconds(&f, out);
  if (!links) *out = 0;
  rt_program_free(f.p);
  rt_halo_free(f.h);
  rt_lists_clear(&part);
  rt_mem_free(values, bytes);
  return st;
}

/* Of the slowest pair, whose ends have `own`: the mean of both, as one waits
 * for the other, and which one does changes. */
static status
slowest_pair(struct rt_comm *c, double own, double *out) {
  uint32_t n = (uint32_t)(c->size + 1) / 2;
  SCOPED double *pairs = mem_alloc(n, sizeof *pairs);
  pairs[c->rank / 2] = own / 2;
  TRY(rt_allreduce(c, pairs, n, (struct type){TYPE_F64, 8}, ACC_INC));
  *out = 0;
  for (uint32_t k = 0; k < n; k++)
    if (pairs[k] > *out) *out = pairs[k];
  return OK;
}

status
rt_halo_measure(struct rt_comm *c, double *each) {
  long long kept[CNT_COUNT];
  memcpy(kept, counters, sizeof kept); /* they count what a program does */
  status st = pair_seconds(c, each);
  memcpy(counters, kept, sizeof kept);
  TRY(st);
  return slowest_pair(c, *each, each);
}
