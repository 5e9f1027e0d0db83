/* Threads that wait beside other work.
 *
 * Problem. OpenMP's threads spin where they wait for each other and for the
 * next launch, some milliseconds long. On processors of their own that is
 * quickest. Where other processes want these, too, a thread that spins has the
 * processor, and the one that all wait for has not: two threads were ten times
 * slower than one. OMP_WAIT_POLICY=passive helps, but is read before main
 * begins, and costs microseconds in each launch on an idle machine.
 *
 * Idea. The system counts how often it took a processor from this process
 * (involuntary switches): 50 a second on an idle machine, 250 beside other work
 * (two processors). Where they are many, threads are asked to sleep soon:
 *
 *   libgomp   spins 300 times less while there are more OpenMP threads than
 *             processors (its manual, GOMP_SPINCOUNT): a second team of as many
 *             makes it so, which sleeps until the machine has been quiet for a
 *             while
 *   libomp    has a function for it, kmp_set_blocktime
 *
 * A program that says by itself how threads wait is left alone.
 *
 * Cost. A system call in LOOK seconds; where it is crowded a thread for each
 * processor, asleep. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "rt/walk/waiters.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LOOK 0.2      /* seconds from one look to the next */
#define CROWDED 150.0 /* switches a second */
#define QUIET 5.0     /* seconds without, until threads may spin again */

static struct {
  double looked, crowded; /* when last */
  long switches;
  uint32_t changes;
  bool naps, filled;
  pthread_t filler;
} waiters;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool filling;

/* A team of its own, which then waits. */
static void *
fill(void *none) {
  static int came; /* without something to do there would be no team */
#pragma omp parallel num_threads(omp_get_num_procs() + 1)
  __atomic_fetch_add(&came, 1, __ATOMIC_RELAXED);
  (void)none;
  pthread_mutex_lock(&lock);
  while (filling) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void
set_filler(bool on) {
  if (on == waiters.filled) return;
  pthread_mutex_lock(&lock);
  filling = on;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  if (!on)
    pthread_join(waiters.filler, NULL);
  else if (pthread_create(&waiters.filler, NULL, fill, NULL))
    return;
  waiters.filled = on;
}

static void
set_naps(bool naps) {
  void (*set_blocktime)(int);
  void *f = dlsym(RTLD_DEFAULT, "kmp_set_blocktime");
  if (naps == waiters.naps) return;
  waiters.naps = naps;
  waiters.changes++;
  memcpy(&set_blocktime, &f, sizeof f);
  if (f)
    set_blocktime(naps ? 0 : 200); /* its default */
  else
    set_filler(naps);
}

static bool
is_said(void) {
  return getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") ||
         getenv("KMP_BLOCKTIME");
}

bool
rt_waiters_crowded(double seconds, long switches) {
  return (double)switches > CROWDED * seconds;
}

uint32_t
rt_waiters_judge(double now, long switches) {
  bool first = !waiters.looked;
  bool crowded =
      rt_waiters_crowded(now - waiters.looked, switches - waiters.switches);
  waiters.looked = now;
  waiters.switches = switches;
  if (first || is_said()) return waiters.changes;
  if (crowded) {
    waiters.crowded = now;
    set_naps(true);
  } else if (now - waiters.crowded > QUIET) {
    set_naps(false);
  }
  return waiters.changes;
}

uint32_t
rt_waiters_look(double now) {
  struct rusage u;
  if (now - waiters.looked < LOOK || getrusage(RUSAGE_SELF, &u))
    return waiters.changes;
  return rt_waiters_judge(now, u.ru_nivcsw);
}

bool
rt_waiters_nap(void) {
  return waiters.naps;
}

void
rt_waiters_clear(void) {
  set_naps(false);
  waiters.looked = 0;
}
