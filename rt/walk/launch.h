/* One launch on the host, over all its elements; what exec.c asks of launch.c,
 * and that of ranked.c. */
#ifndef RT_LAUNCH_H
#define RT_LAUNCH_H

#include "rt/device/offload.h"
#include "rt/walk/walk.h"

struct rt_buf;
struct rt_team;
struct rt_halo_item;
struct rt_exact;
struct rt_tiles;
struct rt_front;
struct rt_again;

/* How one launch runs: found before the first command. */
struct rt_run {
  const struct rt_launch *l;
  idx_l n;     /* elements of the walk; those that globals see */
  idx_l core;  /* [0, core) may run before the others; 0: all at once */
  idx_l end;   /* elements [n, end) are others', run once more */
  idx_l owned; /* elements whose contributions to exact sums count */
  idx_l all;   /* the larger of n and end */
  int threads; /* rows of accumulators: shares of each step's tasks */
  struct rt_team *team;
  uint32_t nexact;        /* exact sums, one a component */
  bool single;            /* of elements one at a time */
  bool crowded;           /* on one thread: neither parts nor colours pay */
  bool begun;             /* the core has run */
  bool in_front;          /* a front is going to run it */
  struct rt_front *ahead; /* that in which all elements have run, over ranks
                             the core; NULL: none */
  double seconds;         /* there */
  enum rt_walk_kind kind;
  struct rt_again *again;          /* of the walk; NULL: none */
  const struct rt_walk *walk;      /* on the host: all n elements, */
  const struct rt_walk *halves[2]; /* the core, and the rest */
  struct rt_offload_run offload;
};

/* What of a launch runs again by a walk with that id, of maps whose versions
 * have that sum. */
struct rt_kept_again {
  uint64_t walk, version;
  struct rt_again *again;
};

/* When a thread of a team was at work on its shares; begin 0: it was not, since
 * somebody was told. */
struct rt_at_work {
  double begin, end;
  double busy; /* seconds: without waiting for others between steps */
};

/* A program's memory, kept from run to run. */
struct rt_scratch {
  int nthreads;                 /* of the run at hand */
  struct rt_buf **bufs;         /* per slot; NULL between runs */
  struct rt_run *runs;          /* per launch */
  struct rt_team **teams;       /* per launch */
  struct rt_walk *(*ranges)[3]; /* per launch: all, core, rest; NULL: unused */
  struct rt_kept_again *again;  /* per launch */
  struct rt_tiles **tiles;      /* per chain; NULL: of pieces */
  struct rt_front **fronts;     /* per chain; NULL: not of pieces */
  void **table;                 /* [threads + 1][row] of the running launch */
  size_t row;                   /* pointers, whole cache lines */
  size_t threads;
  char *acc; /* [threads + 1][acc_row] of the running launch; the last one is of
                elements that run again: nobody reads it */
  size_t acc_row, acc_bytes;
  char *rooms; /* [threads][room_row] for private copies, from a page on */
  size_t room_row, room_bytes;
  char *each; /* [threads][each_row]: what elements add to its exact sums */
  size_t each_row, each_bytes;
  struct rt_at_work *at_work; /* [threads], of the command at hand; NULL: nobody
                                 asks (event_in_words) */
  size_t nat_work;
  struct rt_exact *exact; /* [threads][sums] */
  size_t nexact;
  struct rt_entries *conflicts; /* for the longest list */
  struct rt_halo_item *items;   /* of the exchange under way; [nwants] */
};

/* Do ranks join what their elements add to globals? */
bool rt_joins(const struct rt_program *p);

/* ---- launch.c ----------------------------------------------------------- */

/* What its plan decides: how a launch that writes through maps is kept safe,
 * whether its core comes first; lines, or nothing. */
void rt_launch_explain(const struct rt_run *r, struct str *out);
/* The same as numbers: way.c; its walk alone, and all. cost that of
 * rt_locality */
void rt_launch_walk(const struct rt_run *r, struct rt_way *out);
void rt_launch_way(const struct rt_program *p, const struct rt_run *r,
                   struct rt_way *out);
/* Thread t of a team was at work on one of its shares from `begin` to now, if
 * anybody asks. */
void rt_launch_worked(const struct rt_scratch *s, int t, double begin);
/* Elements behind the parts of a walk by parts. */
idx_l rt_launch_border(const struct rt_walk *w);
/* By which walk, on how many threads. */
status rt_launch_prepare(const struct rt_program *p, uint32_t i, int nthreads,
                         struct rt_run *out);
/* Behind that, and behind rt_front_prepare of all: what runs again by its walk,
 * unless it is in a front. */
status rt_launch_prepare_again(const struct rt_program *p, uint32_t i);
/* The running launch's table for each thread: what its binds stand for. */
void rt_launch_bind(const struct rt_program *p, const struct rt_run *r);
/* The same for so many threads, in tables of the caller's: out[t * row]. */
void rt_launch_tables(const struct rt_program *p, const struct rt_run *r,
                      int threads, void **out, size_t row);
/* Its accumulators are those at acc. */
void rt_launch_point(const struct rt_launch *l, void **table, char *acc);
/* Elements [lo, hi) by thread t, or behind the last one, with accumulators that
 * nobody reads; !counts: they are no part of exact sums. */
void rt_launch_here(const struct rt_run *r, const struct rt_scratch *s, int t,
                    int64_t lo, int64_t hi, bool counts);
/* Places [lo, hi) of its walk, by thread t. */
void rt_launch_call(const struct rt_run *r, const struct rt_scratch *s, int t,
                    int64_t lo, int64_t hi);
/* The walk, or a half of it, by all threads; bound, accumulators started. */
void rt_launch_team(const struct rt_run *r, const struct rt_scratch *s,
                    const struct rt_walk *w);

/* ---- exact_sums.c ------------------------------------------------------- */

/* Number of exact sums of a launch; whether it has some whose kernel works on
 * the accumulator; bytes of the lines in which a thread's elements leave what
 * they add. */
uint32_t rt_exact_count(const struct rt_launch *l);
bool rt_exact_one_by_one(const struct rt_launch *l);
size_t rt_exact_each_row(const struct rt_launch *l);
/* With what a thread runs a launch that has exact sums. */
struct rt_worker {
  const struct rt_launch *l;
  void **table;
  char *acc, *each; /* each: NULL: elements leave nothing */
  struct rt_exact *sums;
  idx_l owned; /* elements [0, owned) count, */
  bool counts; /* but not if they did before */
  bool single; /* rt_exact_one_by_one */
};
/* Elements [lo, hi). */
void rt_exact_run(const struct rt_worker *w, int64_t lo, int64_t hi);
/* The sums of threads, sums[threads][nexact], go into globals. Collective over
 * ranks. */
status rt_exact_finish(const struct rt_program *p, const struct rt_run *r,
                       struct rt_exact *sums, int threads);

/* ---- ranked.c ----------------------------------------------------------- */

/* Core elements, before values of others are there; false: there are none, or
 * all run at once. */
status rt_launch_core(const struct rt_program *p, struct rt_run *r, bool *ran);
/* All (other) elements, with those of other ranks; accumulators into globals.
 * */
status rt_launch_run(const struct rt_program *p, const struct rt_run *r);
/* The elements that a front has left: behind the core, or all. What `rows`
 * threads of the front gave to globals stands at acc, `row` bytes apart. */
status rt_launch_rest(const struct rt_program *p, const struct rt_run *r,
                      const char *acc, size_t row, int rows);
/* A sum over ranks begins: its start value counts on rank 0 alone, an extreme's
 * on each. */
void rt_sum_begin(const struct rt_program *p, const struct rt_sum *s);
/* sums[0 .. n): those of one type and access in one message each. Collective.
 * */
status rt_sums_reduce(const struct rt_program *p, const struct rt_sum *sums,
                      uint32_t n);

#endif
