/* What messages cost: latency and bandwidth between ranks.
 *
 * Problem. Whether ranks had better exchange less often and compute more by
 * themselves depends on the machine.
 *
 * Idea. Pairs of ranks exchange: a few bytes, again and again, and a long
 * message a few times. Of all repetitions the shortest counts (longer ones are
 * other people's), of all pairs the slowest, since ranks wait for each other;
 * so all ranks have the same numbers.
 *
 * cost  a few milliseconds, once
 * limits  neighbours in number, not in the mesh; one pair's messages do not
 *         meet others' on a shared line */
#include "rt/ranks/comm.h"

#include "base/arena.h"
#include "base/log.h"

#include <stdlib.h>

enum { SHORT = 8, LONG = 1 << 20, BATCHES = 100, BATCH = 4 };

/* Seconds of one exchange of `bytes` in each direction with `peer`; -1: nobody.
 * */
static status
shortest(struct rt_comm *c, int peer, size_t bytes, int batch, double *out) {
  SCOPED char *memory = mem_alloc(2, bytes);
  struct rt_message send = {peer, memory, bytes},
                    recv = {peer, memory + bytes, bytes};
  int n = peer >= 0;
  void *exchange;
  *out = 0;
  status st = rt_comm_prepare(c, &send, n, &recv, n, &exchange);
  for (int i = 0; st == OK && i < BATCHES; i++) {
    double begin = timer_wall();
    for (int k = 0; st == OK && k < batch; k++) {
      st = rt_comm_start(c, exchange);
      if (st == OK) st = rt_comm_finish(c, exchange);
    }
    double t = (timer_wall() - begin) / batch;
    if (n && (!i || t < *out)) *out = t;
  }
  if (st == OK) rt_comm_release(c, exchange);
  return st;
}

status
rt_comm_measure(struct rt_comm *c, double *latency, double *bandwidth) {
  double t[2] = {0};
  int peer = c->rank ^ 1;
  if (peer >= c->size) peer = -1;
  if (latency) TRY(shortest(c, peer, SHORT, BATCH, &t[0]));
  TRY(shortest(c, peer, LONG, 1, &t[1]));
  TRY(rt_allreduce(c, t, 2, (struct type){TYPE_F64, 8}, ACC_MAX));
  if (latency) *latency = t[0];
  *bandwidth = LONG / (t[1] > 1e-9 ? t[1] : 1e-9);
  return OK;
}
