/* OP2_REPORT: where time went, and what held regions up. See report.c. */
#ifndef FRONTEND_REPORT_H
#define FRONTEND_REPORT_H

#include "base/err.h"
#include "rt/bound.h"

struct str;

/* Where the time since op_init went: TIME(enum, "text", "json"). */
#define FE_TIMES(TIME)                                                         \
  TIME(REGIONS, "loops", "loops")                                              \
  TIME(COPIES, "copies of whole dats", "copies")                               \
  TIME(RANKS, "exchanges and sums over ranks, waiting included", "ranks")      \
  TIME(TRANSFERS, "copies to and from devices", "transfers")                   \
  TIME(COMPILE, "compiling", "compile")                                        \
  TIME(PROGRAMS, "passes, lowering, finding programs", "programs")             \
  TIME(PLANS, "plans", "plans")                                                \
  TIME(MESH, "renumbering, spreading over ranks", "renumbering")               \
  TIME(CONNECTING, "op_init: starting MPI", "starting_mpi")                    \
  TIME(RECORDING, "op_par_loop: recording, first checks", "recording")         \
  TIME(REPORT, "this report: tries of the machine", "report")                  \
  TIME(OTHER, "other calls of the library", "other_calls")                     \
  TIME(OUTSIDE, "outside the library", "outside")
enum fe_time {
#define TIME(name, text, json) FE_TIME_##name,
  FE_TIMES(TIME)
#undef TIME
      FE_TIME_COUNT
};

/* A region, or what stands in brackets: (exchange), (copy), ... */
struct fe_region {
  struct rt_timing t; /* this rank's */
  struct rt_bounds b;
  double least, most; /* its seconds over the ranks */
};

struct fe_report {
  double seconds, inside; /* since op_init; of these: in calls of the library */
  int ranks, threads;
  struct rt_speeds speeds;
  bool kept;                 /* speeds are an earlier run's */
  bool differ;               /* ranks have other regions: rank 0's alone */
  struct fe_region *regions; /* by time */
  uint32_t n, cap;
  double times[FE_TIME_COUNT];
  double most[FE_TIME_COUNT]; /* of all ranks */
};

/* ---- report_machine.c ---------------------------------------------------- */

/* Speeds of this machine; how many ranks. Collective. ERR_MEMORY */
status fe_report_measure(struct fe_report *r);

/* ---- report_join.c ------------------------------------------------------- */

/* Least and most seconds of all ranks. Collective. */
status fe_report_join(struct fe_report *r);

/* ---- report_words.c ------------------------------------------------------ */

/* How it goes over its elements; why its code is not in vectors ("" if it is);
 * the one change that would help most. */
void fe_report_walk(const struct rt_timing *t, struct str *out);
const char *fe_report_scalar(const struct rt_timing *t);
const char *fe_report_advice(const struct rt_timing *t,
                             const struct rt_bounds *b);
/* Bytes per second of a line, and of this machine for such data; 0: unknown. */
double fe_report_rate(const struct fe_region *g);
double fe_report_stream(const struct fe_report *r, const struct fe_region *g);
/* A limit that explains less than this of what was taken is none. */
#define FE_REPORT_FAR 4.0

/* ---- report_text.c, report_json.c ---------------------------------------- */

void fe_report_text(const struct fe_report *r, struct str *out);
void fe_report_json(const struct fe_report *r, struct str *out);
#endif
