/* Single tries of what speed.c and speed_calls.c measure, by all threads at
 * once: speed_try.c. */
#ifndef RT_SPEED_TRY_H
#define RT_SPEED_TRY_H

#include "rt/bound.h"

/* Doubles that are like memory. Of a thread's try: those of each array of the
 * triad; rows of two, which make a window; vectors of so many components that
 * are added to, and how often. */
enum { RT_TRY_DOUBLES = 192 << 17, RT_TRY_STREAM = 1 << 16 };
enum { RT_TRY_READS = 1 << 15, RT_TRY_WINDOWS = 32 /* at least */ };
enum { RT_TRY_TARGETS = 1 << 8, RT_TRY_ROW = 16, RT_TRY_ADDS = 1 << 13 };

/* What they work on. */
struct rt_tries {
  int threads; /* a team may have fewer */
  double *x;   /* zeros; NULL: there is no memory, and nothing below */
  idx_l *row;  /* of windows, one at least for each thread */
  long windows;
  double *to; /* of each thread */
  idx_l *map;
  long at; /* number of the try; another goes elsewhere */
};
/* KEEP nothing: rt_tries_free. */
void rt_tries_new(int threads, struct rt_tries *out);
void rt_tries_free(struct rt_tries *t);

/* warm, if any, by each thread, then run; its seconds, and how many threads. */
typedef void rt_try_fn(const struct rt_tries *t, int thread);
double rt_try_seconds(const struct rt_tries *t, rt_try_fn *warm, rt_try_fn *run,
                      int *team);

/* ---- speed.c ------------------------------------------------------------- */

/* Seconds of an addition or a multiplication of each thread, in vectors; needs
 * no memory. */
double rt_try_flops(const struct rt_tries *t);
/* Of a byte, of all that go to or from x; writes zeros where zeros were. */
double rt_try_stream(const struct rt_tries *t);
/* Of a line that a row of each thread names. */
double rt_try_lines(const struct rt_tries *t);
/* Two of n doubles for each of `rows` rows, each anywhere and on a line of its
 * own, as edges name nodes that lie far apart. */
void rt_try_scatter(idx_l *row, long rows, long n);

/* ---- speed_calls.c ------------------------------------------------------- */

/* Of an addition to a component of each thread, and by the rates. */
double rt_try_additions(const struct rt_tries *t);
double rt_try_additions_known(const struct rt_speeds *s);

#endif
