/* What a region could reach on this machine, and what it is held up by:
 * bound.c, speed.c. Reports read this; nothing is decided by it. */
#ifndef RT_BOUND_H
#define RT_BOUND_H

#include "base/err.h"
#include "rt/plan.h"

enum rt_bound {
#define BOUND(name, text, what) RT_BOUND_##name,
#include "rt/bound.def"
#undef BOUND
  RT_BOUND_COUNT
};
const char *rt_bound_text(enum rt_bound b);

/* Sizes of data that bandwidth and latency are measured for: small and large
 * caches, the last of these memory. */
enum { RT_SPEED_SIZES = 4 };
extern const double rt_speed_bytes[RT_SPEED_SIZES];

/* What beside the loops may be slower than at its best: pace.c. */
enum rt_pace {
  RT_PACE_ARITHMETIC,
  RT_PACE_STREAM, /* memory in order */
  RT_PACE_LINES,  /* lines out of order */
  RT_PACE_ADDITIONS,
  RT_PACE_COUNT
};

/* What this machine does. Rates are of one thread where nothing else is said;
 * 0: not measured. */
struct rt_speeds {
  double threads;
  double stream[RT_SPEED_SIZES][2]; /* bytes/s that move in a triad, with lines
                                       that are read to be written: one thread,
                                       all */
  double line[RT_SPEED_SIZES][2];   /* seconds of a value somewhere in so much
                                     data that a row names, with others under
                                     way: one thread, each of all */
  double
      flops[2]; /* additions and multiplications per second: scalar, vectors */
  double flops_all; /* of each thread, in vectors, where all compute */
  double slow[2];   /* divisions */
  double add;  /* seconds of adding a component to an element through a map, in
                  cache */
  double more; /* of each component more */
  double kept; /* of a component where a register keeps the sum from one element
                  to the next */
  double launch;        /* seconds of a launch of one thread */
  double fork;          /* what each step of a launch of all takes more */
  double message, wire; /* seconds of an exchange, bytes/s of long ones */
  double copy, bus; /* seconds of a copy to or from the device, bytes/s of long
                       ones; 0: no device */
  double pace[RT_PACE_COUNT]; /* times as long as by these figures, beside the
                                 loops; 0: unknown */
};
/* Arithmetic, memory, scattered reads, on `threads` threads; a fifth of a
 * second. Best of several tries, as other work only adds; crowded: there was so
 * much that the figures are of no use later. ERR_MEMORY */
status rt_speed_measure(int threads, struct rt_speeds *out, bool *crowded);
/* speed_calls.c: additions, launches, threads; the rest of *out stays.
 * ERR_MEMORY */
status rt_speed_calls(int threads, struct rt_speeds *out);

/* ---- pace.c -------------------------------------------------------------- */

/* Short tries beside what a program does, by all threads at once, one after
 * another on all ranks: 2 % of the time.
 *   begin    takes memory, some 0.1 s
 *   take     one try, if it is time; nothing before begin, nor in a child of
 *            fork, which has none of the threads
 *   end      the last tries; drop. Nothing before begin
 *   drop     frees; nothing more is tried
 *   set      what all said against the rates in *out
 *   seconds  that begin and all tries beside the loops took */
void rt_pace_begin(int threads, int ranks);
void rt_pace_take(void);
void rt_pace_end(void);
void rt_pace_drop(void);
void rt_pace_set(struct rt_speeds *out);
double rt_pace_seconds(void);

/* ---- for all of these ---------------------------------------------------- */

/* The middle one of n tries, at least one, which it puts in order. */
double rt_speed_middle(double *tries, size_t n);
/* Their mean, each one as RT_SPEED_OUTLIER times the least at most: one that
 * waited for its processor is not slow. */
#define RT_SPEED_OUTLIER 2
double rt_speed_mean(const double *tries, size_t n);
/* A program (GIVE) of one launch that counts, in x[e], that it ran; x begins at
 * a whole line, elements are in fours (KEEP set, x). */
struct rt_program *rt_speed_program(const struct rt_set *set, const double *x);

/* ---- bound.c ------------------------------------------------------------- */

/* Limits of one line of the timing table, of all its calls together.
 *   seconds    that each limit alone would take; 0: does not apply
 *   run        the longest of those of its run; UNKNOWN: there are none
 *   which      that, or what came before it, if this took longer than the run
 *   took       what was measured: the run, or what came before
 *   least      seconds that it takes at least: of a run, its starts, which
 *              overlap nothing, and the longest of the others
 *   distance   took over least; 0: no limit known */
struct rt_bounds {
  double seconds[RT_BOUND_COUNT];
  enum rt_bound run, which;
  double took, least, distance, run_distance;
};
struct rt_bounds rt_bounds_of(const struct rt_timing *line,
                              const struct rt_speeds *s);
/* Bytes that go to and from memory: the line's and those that are read only to
 * be written, without what stays in tiles. */
double rt_bytes_moved(const struct rt_timing *line);
/* Which of the sizes data of so many bytes are like. */
int rt_speed_size(double bytes);

#endif
