/* Ranks: how they come and go, and what they declare.
 *
 * Each rank declares its part of every set, as in OP2; or, with
 * OP2_DECLARE=whole, the whole of everything, of which the library keeps a
 * part: then a program written for one rank runs on many, unchanged. */
#include "frontend/decl.h"
#include "frontend/ranks.h"

#include "base/numbers.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_LEVEL = 2 }; /* what a loop at a time needs */

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
  const char *here = all[fe.comm.rank].host;
  cpu_set_t processors;
  int threads = 0;
  CPU_ZERO(&processors);
  for (int r = 0; r < fe.comm.size; r++) {
    if (strcmp(all[r].host, here)) continue;
    if (r < fe.comm.rank) fe.local++;
    threads += fe.nthreads;
    CPU_OR(&processors, &processors, &all[r].processors);
  }
  return threads > CPU_COUNT(&processors);
}

/* Where this rank is on its machine, and how ranks wait: all in one way, since
 * their collectives differ. */
static status
find_place(void) {
  struct place *all = mem_alloc((size_t)fe.comm.size + 1, sizeof *all);
  struct place *mine = &all[fe.comm.size];
  if (gethostname(mine->host, sizeof mine->host - 1)) mine->host[0] = 0;
  if (sched_getaffinity(0, sizeof mine->processors, &mine->processors))
    CPU_SET(0, &mine->processors);
  status st = rt_allgather(&fe.comm, mine, sizeof *mine, all);
  fe.local = 0;
  bool crowded = st == OK && is_crowded(all);
  free(all);
  if (st != OK) return st;
  int64_t naps =
      fe.opt.wait == OPT_wait_auto ? crowded : fe.opt.wait == OPT_wait_nap;
  TRY(rt_allreduce(&fe.comm, &naps, 1, (struct type){TYPE_I64, 8}, ACC_MAX));
  fe.comm.naps = naps;
  return OK;
}

/* A rank that leaves without op_exit would be waited for. */
static void
left(void) {
  if (!fe.up || !fe_ranked()) return;
  fprintf(stderr, "op2lazy: error: rank %d ends without op_exit\n",
          fe.comm.rank);
  rt_comm_abort(&fe.comm, 1);
}

/* Numbers of the text; more than three: something follows. */
static int
costs_read(const char *text, double c[3]) {
  char end;
  locale_t former = numbers_begin();
  int n = sscanf(text, "%lf,%lf,%lf%c", &c[0], &c[1], &c[2], &end);
  numbers_end(former);
  return n;
}

/* What an exchange costs: given, or measured; one rank's word for all. */
static status
halo_costs(double *latency_us, double *mb_s, double *element_ns) {
  const char *given = fe.opt.halo_costs;
  double c[3] = {0, 1, 5};
  int n = 0;
  if (*given) n = costs_read(given, c);
  if (!*given && fe_ranked()) {
    TRY(rt_comm_measure(&fe.comm, &c[0], &c[1]));
    c[0] *= 1e6;
    c[1] *= 1e-6;
  } else if (*given && (n != 3 || !(c[0] >= 0 && c[0] <= 1e9) || !(c[1] >= 1) ||
                        !(c[1] <= 1e9) || !(c[2] >= 0 && c[2] <= 1e6))) {
    FAIL(ERR_ARG,
         "OP2_HALO_COSTS=%s: expected microseconds,MB/s,nanoseconds, as "
         "2.5,8000,5",
         given);
  }
  TRY(rt_allreduce(&fe.comm, c, 3, (struct type){TYPE_F64, 8}, ACC_MAX));
  *latency_us = c[0];
  *mb_s = c[1];
  *element_ns = c[2];
  return OK;
}

/* What pass halo is told. */
static status
depth_choose(void) {
  const char *text = fe.opt.halo_limit;
  size_t size = sizeof fe.halo_with;
  double us, mb, ns;
  char *end;
  long limit = strtol(text, &end, 10);
  if (strcmp(text, "auto")) {
    if (!*text || *end || limit < 0 || limit > REACH_MAX - 2)
      FAIL(ERR_ARG, "OP2_HALO_LIMIT=%s: expected 0 to %d, or auto", text,
           REACH_MAX - 2);
    snprintf(fe.halo_with, size, "halo{limit=%ld}", limit);
    return OK;
  }
  TRY(halo_costs(&us, &mb, &ns));
  snprintf(fe.halo_with, size,
           "halo{most=%d,latency=%.0f,bandwidth=%.0f,element=%.0f}",
           REACH_MAX - 2, us * 1e3, mb, ns * 1e3);
  LOG_INFO("an exchange costs %.3g us, its bytes go with %.4g MB/s; an element "
           "costs %.3g ns",
           us, mb, ns);
  return OK;
}

status
fe_ranks_connect(const char *mpi, const void *communicator) {
  return mpi ? rt_comm_open_mpi(mpi, communicator, &fe.comm)
             : rt_comm_open(&fe.comm);
}

/* A folder of dumps for each rank. */
static void
trace_dir_choose(void) {
  if (!fe.opt.trace) return;
  if (mkdir(fe.opt.trace_dir, 0777) && errno != EEXIST)
    LOG_WARN("cannot make folder %s: %s", fe.opt.trace_dir, strerror(errno));
  fe.opt.trace_dir =
      arena_printf(&fe.arena, "%s/rank-%d", fe.opt.trace_dir, fe.comm.rank);
}

status
fe_ranks_open(void) {
  static bool watching;
  TRY(fe_agree_options());
  fe.whole = fe.opt.declare == OPT_declare_whole;
  fe.level = FIRST_LEVEL;
  TRY(depth_choose());
  if (!fe_ranked()) return OK;
  LOG_DEBUG("rank %d of %d (%s)", fe.comm.rank, fe.comm.size,
            fe.comm.ops->name);
  trace_dir_choose();
  fe.halo = rt_halo_new(&fe.comm);
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
          fe.comm.rank, err_last());
  fflush(stderr);
  rt_comm_abort(&fe.comm, 1);
}

void
fe_ranks_close(void) {
  for (uint32_t i = 0; i < fe.nsets; i++) {
    struct rt_part *p = &fe.sets[i]->part;
    free((void *)p->start);
    rt_part_clear(p);
  }
  ids_clear(&fe.reaches);
  rt_halo_free(fe.halo);
  fe.halo = NULL;
  rt_comm_close(&fe.comm);
}

/* ---- declarations ------------------------------------------------------- */

status
fe_ranks_set(struct fe_set *s) {
  struct rt_part *p = &s->part;
  int64_t ranks = fe.comm.size, mine = s->pub.size;
  int64_t *start = mem_alloc((size_t)ranks + 1, sizeof *start);
  p->start = start;
  if (fe.whole) {
    for (int64_t r = 0; r <= ranks; r++) start[r] = mine * r / ranks;
  } else {
    TRY(rt_allgather(&fe.comm, &mine, sizeof mine, start + 1));
    for (int64_t r = 0; r < ranks; r++) start[r + 1] += start[r];
  }
  p->total = start[ranks];
  p->declared = (idx_l)(start[fe.comm.rank + 1] - start[fe.comm.rank]);
  return OK;
}

status
fe_ranks_check_entry(const char *name, op_set to_handle, idx_g row, uint32_t i,
                     idx_g entry, int base) {
  const struct fe_set *to = (struct fe_set *)to_handle;
  if (entry >= 0 && entry < to->part.total) return OK;
  FAIL(ERR_ARG,
       "op_decl_map \"%s\": entry %u of element %lld: expected %d to %lld "
       "(set \"%s\", all ranks), found %lld%s",
       name, i, (long long)row, base, (long long)to->part.total - 1 + base,
       to->pub.name, (long long)entry + base,
       entry == to->part.total && !base ? FE_FROM_ONE : "");
}

status
fe_ranks_map(struct fe_map *m, const int *table32, const long long *table64,
             int base) {
  const struct fe_set *from = (struct fe_set *)m->pub.from;
  size_t arity = (size_t)m->pub.dim;
  idx_g rows = from->part.declared;
  idx_g first = fe.whole ? from->part.start[fe.comm.rank] : 0;
  if (from->rt.part && from->part.moved && !fe.whole)
    FAIL(ERR_STATE,
         "op_decl_map \"%s\": expected maps before op_partition, which moves "
         "rows of set \"%s\"; found it done",
         m->pub.name, m->pub.from->name);
  m->declared = mem_alloc((size_t)rows * arity + 1, sizeof *m->declared);
  for (idx_g e = 0; e < m->pub.from->size; e++)
    for (uint32_t i = 0; i < arity; i++) {
      size_t at = (size_t)e * arity + i;
      idx_g v = (table32 ? table32[at] : table64[at]) - base;
      TRY(fe_ranks_check_entry(m->pub.name, m->pub.to, e, i, v, base));
      if (e >= first && e < first + rows)
        m->declared[(size_t)(e - first) * arity + i] = v;
    }
  fe_whole_note(m);
  return OK;
}

void
fe_ranks_map_clear(struct fe_map *m) {
  free(m->declared);
  m->declared = NULL;
}
