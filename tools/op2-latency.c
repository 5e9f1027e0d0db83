/* What messages between ranks cost on this machine, as the library measures it:
 *
 *   mpirun -n 2 op2-latency
 *
 * Prints one line, "latency_us=1.2 MB/s=5400 reduction_us=0.7": what an exchange of a
 * few bytes takes, how fast long messages go in each direction (rt/ranks/measure.c), and
 * what the reduction takes by which ranks agree before a flush. */
#include "base/log.h"
#include "rt/ranks/comm.h"

#include <stdio.h>

enum { BATCHES = 100, BATCH = 10 };

static status
reduction(struct rt_comm *c, double *least) {
  for (int i = 0; i < BATCHES; i++) {
    uint64_t words[3] = {0};
    double begin = timer_wall();
    for (int k = 0; k < BATCH; k++)
      TRY(rt_allreduce(c, words, 3, (struct type){TYPE_U64, 8}, ACC_MIN));
    double t = (timer_wall() - begin) / BATCH;
    if (!i || t < *least) *least = t;
  }
  return OK;
}

int
main(void) {
  struct rt_comm c;
  double latency, bandwidth, sum;
  status st = rt_comm_open(&c);
  if (st == OK && c.size < 2)
    st = err_set(ERR_ARG, "expected two ranks or more, found one");
  if (st == OK) st = rt_comm_measure(&c, &latency, &bandwidth);
  if (st == OK) st = reduction(&c, &sum);
  if (st != OK) {
    fprintf(stderr, "op2-latency: %s\n", err_last());
    return 1;
  }
  if (!c.rank)
    printf("latency_us=%.3g MB/s=%.4g reduction_us=%.3g\n", 1e6 * latency,
           1e-6 * bandwidth, 1e6 * sum);
  rt_comm_close(&c);
  return 0;
}
