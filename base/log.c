#include "base/log.h"

#include "base/numbers.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

int log_level = 1;

void
log_at(int level, const char *fmt, ...) {
  if (level > log_level) return;
  va_list ap;
  va_start(ap, fmt);
  SCOPED_NUMBERS;
  flockfile(stderr);
  fputs("op2lazy: ", stderr);
  vfprintf(stderr, fmt, ap);
  fputc('\n', stderr);
  funlockfile(stderr);
  va_end(ap);
}

static double
timer_of(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
timer_wall(void) {
  return timer_of(CLOCK_MONOTONIC);
}

double
timer_cpu(void) {
  return timer_of(CLOCK_PROCESS_CPUTIME_ID);
}
