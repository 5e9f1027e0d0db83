/* Exchanges with a communicator that gives a rank's messages back to it. */
#ifndef TEST_HALO_MAKE_H
#define TEST_HALO_MAKE_H

#include "base/counters.h"
#include "rt/ranks/comm.h"
#include "rt/ranks/dist.h"
#include "rt/store/residency.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { N = 9, OWNED = 6 };

static char said[1024], *said_to = said; /* or a longer text */

static inline void
say(const char *what, size_t bytes) {
  size_t at = strlen(said_to);
  snprintf(said_to + at, sizeof said - at, "%s%zu ", what, bytes);
}

/* ---- a communicator --------------------------------------------------------- */

static struct rt_message sent, received;

static inline status
mirror_prepare(struct rt_comm *c, const struct rt_message *send, int nsend,
               const struct rt_message *recv, int nrecv, void **out) {
  (void)c;
  cr_assert_eq(nsend, 1);
  cr_assert_eq(nrecv, 1);
  cr_assert_eq(send->bytes, recv->bytes);
  sent = *send;
  received = *recv;
  *out = &sent;
  return OK;
}

static inline status
mirror_start(struct rt_comm *c, void *exchange) {
  (void)c, (void)exchange;
  say("send", sent.bytes);
  return OK;
}

static inline status
mirror_finish(struct rt_comm *c, void *exchange) {
  (void)c, (void)exchange;
  memcpy(received.data, sent.data, sent.bytes);
  say("receive", received.bytes);
  return OK;
}

static inline void
mirror_release(struct rt_comm *c, void *exchange) {
  (void)c, (void)exchange;
}

/* Both have the same. */
static inline status
mirror_allreduce(struct rt_comm *c, void *data, size_t n, struct type type,
                 enum access op) {
  (void)c, (void)data, (void)n, (void)type, (void)op;
  return OK;
}

static const struct rt_comm_ops mirror_ops = {.allreduce = mirror_allreduce,
                                              .prepare = mirror_prepare,
                                              .start = mirror_start,
                                              .finish = mirror_finish,
                                              .release = mirror_release};
static struct rt_comm comm = {.ops = &mirror_ops, .size = 2};

/* Elements 1, 4 and 5 go to 8, 6 and 7. */
static idx_l goes[] = {1, 4, 5}, comes[] = {8, 6, 7};
static uint8_t level[] = {2, 2, 2}, via[] = {1, 1, 1};
static struct rt_link out = {1, 3, goes, level, via};
static struct rt_link in = {1, 3, comes, level, via};
static struct rt_part part = {
    .owned = OWNED, .n = N, .in = &in, .out = &out, .nin = 1, .nout = 1};

/* ---- buffers ---------------------------------------------------------------- */

/* Owned elements hold their bytes' places, others nothing. */
static inline struct rt_buf *
buf_new(uint32_t dim, struct type type) {
  struct rt_buf *b;
  struct rt_shape s = {N, dim, type, 1, 0, NULL};
  size_t row = (size_t)dim * type.size;
  cr_assert_eq(rt_buf_new(s, &b), OK);
  for (size_t k = 0; k < row * N; k++)
    ((uint8_t *)b->mem)[k] = k < row * OWNED ? (uint8_t)(k + 1) : 0;
  b->reach = REACH_OWNED;
  return b;
}

static inline void
to_device(struct rt_buf *b, struct rt_device *d, bool host_too) {
  cr_assert_eq(rt_buf_upload(b, d, NULL), OK);
  if (!host_too) rt_buf_written(b, true);
}

/* On the host, after the exchange. */
static inline void
check(const struct rt_buf *b) {
  size_t row = (size_t)b->shape.dim * b->shape.type.size;
  const char *mem = b->mem;
  for (int k = 0; k < 3; k++)
    cr_assert_arr_eq(mem + (size_t)comes[k] * row, mem + (size_t)goes[k] * row,
                     row, "element %d", comes[k]);
  cr_assert(mem[(size_t)goes[0] * row]);
  cr_assert(reach_covers(b->reach, (struct reach){0, 1}));
}

static inline void
exchange(struct rt_halo *h, struct rt_buf **bufs, uint32_t n) {
  struct rt_halo_item items[4];
  for (uint32_t i = 0; i < n; i++)
    items[i] = (struct rt_halo_item){bufs[i], &part, {0, 1}};
  *said_to = 0;
  cr_assert_eq(rt_halo_start(h, items, n), OK, "%s", err_last());
  cr_assert_eq(rt_halo_finish(h), OK, "%s", err_last());
}

static inline void
end(struct rt_halo *h, struct rt_buf **bufs, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) rt_buf_unref(bufs[i]);
  rt_halo_free(h);
  rt_lists_clear(&part);
  rt_pool_clear();
}

#endif
