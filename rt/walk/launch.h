/* One launch on the host, over all its elements; what exec.c asks of launch.c,
 * and that of ranked.c. */
#ifndef RT_LAUNCH_H
#define RT_LAUNCH_H

#include "rt/device/offload.h"
#include "rt/plan.h"

struct rt_buf;
struct rt_parts;
struct rt_team;
struct rt_halo_item;
struct rt_exact;

/* How one launch runs: found before the first command. */
struct rt_run {
  const struct rt_launch *l;
  idx_l n;
  idx_l lo, hi; /* of [0, n) those that run next */
  idx_l core;   /* [0, core) may run before the others; 0: all at once */
  idx_l end;    /* elements [n, end) are others', run once more */
  idx_l owned;  /* elements whose contributions to exact sums count */
  idx_l all;    /* the larger of n and end */
  int threads;  /* parts of the elements */
  struct rt_team *team;
  uint32_t nexact;              /* exact sums, one a component */
  bool single;                  /* of elements one at a time */
  bool crowded;                 /* on one thread: a plan would not pay */
  const struct rt_plan *plan;   /* NULL: not by colours */
  const struct rt_parts *parts; /* NULL: not by parts */
  const idx_l *at; /* where the program's elements are; NULL: as they are */
  struct rt_offload_run offload;
};

/* A program's memory, kept from run to run. */
struct rt_scratch {
  struct rt_buf **bufs;   /* per slot; NULL between runs */
  struct rt_run *runs;    /* per launch */
  struct rt_team **teams; /* per launch */
  void **table;           /* [threads][row] of the running launch */
  size_t row;             /* pointers, whole cache lines */
  size_t threads;
  char *acc; /* [threads][acc_row] of the running launch */
  size_t acc_row, acc_bytes;
  char *rooms; /* [threads][room_row] for private copies, from a page on */
  size_t room_row, room_bytes;
  char *each; /* elements' contributions to its exact sums */
  size_t each_bytes;
  struct rt_exact *exact; /* [threads][sums] */
  size_t nexact;
  struct rt_entries *conflicts; /* for the longest list */
  struct rt_halo_item *items;   /* of the exchange under way; [nwants] */
};

/* Do ranks join what their elements add to globals? */
bool rt_joins(const struct rt_program *p);

/* Cuts between parts of elements are at multiples of this. */
enum { RT_UNIT = 64 };

/* Where part t of k begins, of n things. */
static inline int64_t
rt_share(int64_t n, int t, int k) {
  return n / k * t + (n % k < t ? n % k : t);
}

/* ---- launch.c ----------------------------------------------------------- */

/* What all ranks make together for a launch, before anything of it can fail on
 * one of them. Collective. */
status rt_launch_plan(const struct rt_program *p, uint32_t i);
/* How a launch that writes through maps is kept safe, a line; or nothing. */
void rt_launch_explain(const struct rt_run *r, struct str *out);
/* By plan, by parts or as a range, on how many threads. */
status rt_launch_prepare(const struct rt_program *p, uint32_t i, int nthreads,
                         struct rt_run *out);
/* The running launch's table for each thread: what its binds stand for. */
void rt_launch_bind(const struct rt_program *p, const struct rt_run *r);
/* Its accumulators are those at acc. */
void rt_launch_point(const struct rt_launch *l, void **table, char *acc);
/* Elements [lo, hi) by thread t: as they are, or in the program's order. */
void rt_launch_call(const struct rt_run *r, const struct rt_scratch *s, int t,
                    int64_t lo, int64_t hi);
/* Elements [lo, hi) by all threads; bound, accumulators started. */
void rt_launch_team(const struct rt_run *r, const struct rt_scratch *s);

/* ---- exact_sums.c ------------------------------------------------------- */

/* Number of exact sums of a launch; whether it has some that elements don't
 * leave in an array; bytes of the arrays for n elements. */
uint32_t rt_exact_count(const struct rt_launch *l);
bool rt_exact_one_by_one(const struct rt_launch *l);
size_t rt_exact_each_bytes(const struct rt_launch *l, idx_l n);
/* The array of reductions[index]. */
char *rt_exact_each(const struct rt_run *r, const struct rt_scratch *s,
                    uint32_t index);
/* Sums of the launch are zero. */
void rt_exact_start(const struct rt_run *r, const struct rt_scratch *s);
/* Thread t ran an element: its row becomes zero, and counts or does not. */
void rt_exact_drain(const struct rt_run *r, const struct rt_scratch *s, int t,
                    bool counts);
/* The sums go into globals. Collective over ranks. */
status rt_exact_finish(const struct rt_program *p, const struct rt_run *r);

/* ---- ranked.c ----------------------------------------------------------- */

/* Core elements, before values of others are there; false: there are none, or
 * all run at once. */
status rt_launch_core(const struct rt_program *p, struct rt_run *r, bool *ran);
/* All (other) elements, with those of other ranks; accumulators into globals.
 * */
status rt_launch_run(const struct rt_program *p, const struct rt_run *r);
/* A sum over ranks begins: its start value counts on rank 0 alone, an extreme's
 * on each. */
void rt_sum_begin(const struct rt_program *p, const struct rt_sum *s);
/* sums[0 .. n): those of one type and access in one message each. Collective.
 * */
status rt_sums_reduce(const struct rt_program *p, const struct rt_sum *sums,
                      uint32_t n);

#endif
