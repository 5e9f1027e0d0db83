/* Single tries of what speed.c and speed_calls.c measure, as pace.c takes them:
 * by so many threads at once, which a launch waits for: the slowest counts. */
#ifndef RT_SPEED_TRY_H
#define RT_SPEED_TRY_H

#include "rt/bound.h"

/* Doubles that are like memory. Of a thread's try: those of each array of the
 * triad; rows, of which there are so many times as many. */
enum { RT_TRY_DOUBLES = 192 << 17, RT_TRY_STREAM = 1 << 16 };
enum { RT_TRY_READS = 1 << 15, RT_TRY_WINDOWS = 32 };

/* Seconds of an addition or a multiplication of each thread, in vectors. */
double rt_try_flops(int threads);
/* Of a byte, of all that go to or from x, of RT_TRY_DOUBLES; `at`: the number
 * of the try. Writes zeros where there were zeros. */
double rt_try_stream(double *x, long at, int threads);
/* Of a line that rows name. */
void rt_try_scatter(idx_l *row); /* 2 RT_TRY_WINDOWS RT_TRY_READS */
double rt_try_lines(const double *x, const idx_l *row, long at, int threads);
/* Of an addition to one of 16 components; on average over the threads, since
 * what meets between their parts is one thread's. */
double rt_try_additions(int threads);
double rt_try_additions_known(const struct rt_speeds *s);

#endif
