/* Teams of threads by OpenMP; without it, one thread. */
#ifndef BENCH_LIMIT_TEAM_H
#define BENCH_LIMIT_TEAM_H

#ifdef _OPENMP
#include <omp.h>
#define TEAM_TEXT(x) #x
#define TEAM_DO(x) _Pragma(TEAM_TEXT(x))
#define TEAM(n) TEAM_DO(omp parallel num_threads(n))
#define BARRIER TEAM_DO(omp barrier)
#define THREAD omp_get_thread_num()
#else
#define TEAM(n)
#define BARRIER
#define THREAD 0
#endif

#endif
