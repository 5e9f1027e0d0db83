/* Ranks: how they come and go, and what they declare.
 *
 * Each rank declares its part of every set, as in OP2; or, with
 * OP2_DECLARE=whole, the whole of everything, of which the library keeps a
 * part: then a program written for one rank runs on many, unchanged. */
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "base/log.h"
#include "base/numbers.h"
#include "rt/ranks/comm.h"
#include "rt/ranks/dist.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_LEVEL = 2 }; /* what a loop at a time needs */

static struct rt_comm comm;
struct fe_ranks fe_ranks;

/* ---- up and down -------------------------------------------------------- */

/* What ranks tell each other of where they are. */
struct place {
  char host[256];
  cpu_set_t processors; /* that it may use: launchers bind ranks to some */
};

/* Do the ranks of this machine, with their threads, outnumber its processors?
 * */
static bool
is_crowded(const struct place *all) {
  const char *here = all[fe_ranks.rank].host;
  cpu_set_t processors;
  int threads = 0, ranks = 0;
  CPU_ZERO(&processors);
  for (int r = 0; r < fe_ranks.size; r++) {
    if (strcmp(all[r].host, here)) continue;
    if (r < fe_ranks.rank) fe_ranks.local++;
    threads += fe.nthreads;
    ranks++;
    CPU_OR(&processors, &processors, &all[r].processors);
  }
  fe.processors = CPU_COUNT(&processors) / ranks;
  return threads > CPU_COUNT(&processors);
}

/* Those that this process may use. */
static void
find_processors(cpu_set_t *out) {
  CPU_ZERO(out);
  if (sched_getaffinity(0, sizeof *out, out)) CPU_SET(0, out);
  fe.processors = CPU_COUNT(out);
}

/* Where this rank is on its machine, and how ranks wait: all in one way, since
 * their collectives differ. */
static status
find_place(void) {
  SCOPED struct place *all = mem_alloc((size_t)fe_ranks.size + 1, sizeof *all);
  struct place *mine = &all[fe_ranks.size];
  if (gethostname(mine->host, sizeof mine->host - 1)) mine->host[0] = 0;
  find_processors(&mine->processors);
  status st = rt_allgather(fe_ranks.comm, mine, sizeof *mine, all);
  fe_ranks.local = 0;
  bool crowded = st == OK && is_crowded(all);
  if (st != OK) return st;
  int64_t naps =
      fe.opt.wait == OPT_wait_auto ? crowded : fe.opt.wait == OPT_wait_nap;
  TRY(fe_join(&naps, 1, TYPE_I64, ACC_MAX));
  comm.naps = naps;
  return OK;
}

/* A rank that leaves without op_exit would be waited for. */
static void
left(void) {
  if (!fe.up || !fe_ranked()) return;
  fprintf(stderr, "op2lazy: error: rank %d ends without op_exit\n",
          fe_ranks.rank);
  rt_comm_abort(fe_ranks.comm, 1);
}

/* Numbers of the text; more than three: something follows. */
static int
costs_read(const char *text, double c[3]) {
  char end;
  SCOPED_NUMBERS;
  return sscanf(text, "%lf,%lf,%lf%c", &c[0], &c[1], &c[2], &end);
}

/* What an exchange costs: given, or measured; one rank's word for all. */
static status
halo_costs(double *latency_us, double *mb_s, double *element_ns) {
  const char *given = fe.opt.halo_costs;
  double c[3] = {0, 1, 5};
  int n = 0;
  if (*given) n = costs_read(given, c);
  if (!*given && fe_ranked()) {
    TRY(rt_comm_measure(fe_ranks.comm, &c[0], &c[1]));
    c[0] *= 1e6;
    c[1] *= 1e-6;
  } else if (*given && (n != 3 || !(c[0] >= 0 && c[0] <= 1e9) || !(c[1] >= 1) ||
                        !(c[1] <= 1e9) || !(c[2] >= 0 && c[2] <= 1e6))) {
    FAIL(ERR_ARG,
         "OP2_HALO_COSTS=%s: expected microseconds,MB/s,nanoseconds, as "
         "2.5,8000,5",
         given);
  }
  TRY(fe_join(c, 3, TYPE_F64, ACC_MAX));
  *latency_us = c[0];
  *mb_s = c[1];
  *element_ns = c[2];
  return OK;
}

/* What pass halo is told. */
static status
depth_choose(void) {
  const char *text = fe.opt.halo_limit;
  size_t size = sizeof fe_ranks.halo_with;
  double us, mb, ns;
  char *end;
  long limit = strtol(text, &end, 10);
  if (strcmp(text, "auto")) {
    if (!*text || *end || limit < 0 || limit > REACH_MAX - 2)
      FAIL(ERR_ARG, "OP2_HALO_LIMIT=%s: expected 0 to %d, or auto", text,
           REACH_MAX - 2);
    snprintf(fe_ranks.halo_with, size, "halo{limit=%ld}", limit);
    return OK;
  }
  TRY(halo_costs(&us, &mb, &ns));
  snprintf(fe_ranks.halo_with, size,
           "halo{most=%d,latency=%.0f,bandwidth=%.0f,element=%.0f}",
           REACH_MAX - 2, us * 1e3, mb, ns * 1e3);
  LOG_INFO("an exchange costs %.3g us, its bytes go with %.4g MB/s; an element "
           "costs %.3g ns",
           us, mb, ns);
  return OK;
}

status
fe_ranks_connect(const char *mpi, const void *communicator) {
  double begin = timer_wall();
  fe_ranks.comm = &comm;
  status st =
      mpi ? rt_comm_open_mpi(mpi, communicator, &comm) : rt_comm_open(&comm);
  fe_ranks.rank = comm.rank;
  fe_ranks.size = comm.size;
  fe_ranks.connecting = timer_wall() - begin;
  return st;
}

/* A folder of dumps for each rank. */
static void
trace_dir_choose(void) {
  if (!fe.opt.trace) return;
  if (mkdir(fe.opt.trace_dir, 0777) && errno != EEXIST)
    LOG_WARN("cannot make folder %s: %s", fe.opt.trace_dir, strerror(errno));
  fe.opt.trace_dir =
      arena_printf(&fe.arena, "%s/rank-%d", fe.opt.trace_dir, fe_ranks.rank);
}

status
fe_ranks_open(void) {
  static bool watching;
  TRY(fe_agree_options());
  fe_ranks.whole = fe.opt.declare == OPT_declare_whole;
  fe_ranks.level = FIRST_LEVEL;
  TRY(depth_choose());
  cpu_set_t mine;
  find_processors(&mine);
  if (!fe_ranked()) return OK;
  LOG_DEBUG("rank %d of %d (%s)", fe_ranks.rank, fe_ranks.size, comm.ops->name);
  trace_dir_choose();
  fe_ranks.halo = rt_halo_new(fe_ranks.comm);
  TRY(find_place());
  if (!watching) atexit(left);
  watching = true;
  return OK;
}

void
fe_ranks_end(void) {
  if (!fe_ranked()) return;
  fprintf(stderr,
          "op2lazy: error: rank %d: %s; others wait for it, so all ranks end\n",
          fe_ranks.rank, err_last());
  fflush(stderr);
  rt_comm_abort(fe_ranks.comm, 1);
}

void
fe_ranks_close(void) {
  rt_halo_free(fe_ranks.halo);
  rt_comm_close(&comm);
  fe_ranks = (struct fe_ranks){0};
  memset(&comm, 0, sizeof comm);
}

/* ---- declarations ------------------------------------------------------- */

void
fe_ranks_sweep(void) {
  rt_halo_sweep(fe_ranks.halo);
}
