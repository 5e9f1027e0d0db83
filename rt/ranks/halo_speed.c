/* What an exchange takes as launches make it: for reports.
 *
 * Problem. Messages alone (measure.c) are not all of an exchange of a few
 * elements: it is found among those that are kept, packed, unpacked, and the
 * clock is read around both halves.
 *
 * Idea. As with launches (speed_calls.c): one is made that moves one element in
 * each direction between the ranks of a pair, again and again, with the clock
 * read as exec.c does. In between all ranks agree, as before a flush: then each
 * half finds MPI as cold as in a program. The shortest batch counts, of all
 * pairs the slowest.
 *
 * cost  a few milliseconds, once */
#include "rt/ranks/dist.h"

#include "base/counters.h"
#include "base/log.h"
#include "rt/ranks/comm.h"
#include "rt/store/store.h"

#include <assert.h>
#include <string.h>

enum { BATCHES = 9, BATCH = 64 };

/* Seconds of one exchange that makes the item right, on average. */
static status
batch_seconds(struct rt_comm *c, struct rt_halo *h,
              const struct rt_halo_item *item, double *out) {
  uint64_t words[3] = {0};
  double sum = 0;
  for (int k = 0; k < BATCH; k++) {
    item->buf->reach = REACH_OWNED;
    TRY(rt_allreduce(c, words, 3, (struct type){TYPE_U64, 8}, ACC_MIN));
    double begin = timer_wall();
    TRY(rt_halo_start(h, item, 1));
    double middle = timer_wall();
    TRY(rt_halo_finish(h));
    sum += timer_wall() - middle + (middle - begin);
  }
  *out = sum / BATCH;
  return OK;
}

/* Element 0 is this rank's, 1 the peer's. Of an odd number of ranks one has
 * none. */
static status
pair_seconds(struct rt_comm *c, double *out) {
  double values[2] = {0};
  idx_l own = 0, other = 1;
  uint8_t level = 2, via = 1;
  int peer = c->rank ^ 1;
  uint32_t links = peer < c->size;
  struct rt_link goes = {peer, 1, &own, &level, &via};
  struct rt_link comes = {peer, 1, &other, &level, &via};
  struct rt_part part = {.owned = 1,
                         .n = 2,
                         .in = &comes,
                         .out = &goes,
                         .nin = links,
                         .nout = links};
  struct rt_buf buf = {.shape = {2, 1, {TYPE_F64, 8}, 1, 0, NULL},
                       .mem = values,
                       .bytes = sizeof values,
                       .stride = 1};
  struct rt_halo_item item = {&buf, &part, {0, 1}};
  struct rt_halo *h = rt_halo_new(c);
  status st = OK;
  assert(!reach_covers(REACH_OWNED, item.want));
  for (int k = 0; st == OK && k < BATCHES; k++) {
    double t = 0;
    st = batch_seconds(c, h, &item, &t);
    if (links && (!k || t < *out)) *out = t;
  }
  rt_halo_free(h);
  rt_lists_clear(&part);
  return st;
}

status
rt_halo_measure(struct rt_comm *c, double *each) {
  long long kept[CNT_COUNT];
  memcpy(kept, counters, sizeof kept); /* they count what a program does */
  *each = 0;
  status st = pair_seconds(c, each);
  memcpy(counters, kept, sizeof kept);
  TRY(st);
  return rt_allreduce(c, each, 1, (struct type){TYPE_F64, 8}, ACC_MAX);
}
