/* Tiers: a region runs quick code at once, and what the optimiser makes of it
 * once that is there.
 *
 * Problem. Optimised code of a region takes 26 to 70 ms to make, 3 to 7 as it
 * is (jit.c). A program on a small mesh is done before its first loop has run.
 *
 * Idea. Code has two tiers, as in virtual machines. Regions get quick code in
 * the flush that needs them; threads beside the program optimise them, in the
 * order in which they came; the cache puts what is ready in the place of the
 * other between two flushes. Both have the same bits, but for those of NaNs, so
 * that only the clock knows when that was.
 *
 *   program   | quick a, b | flush | flush | take a | flush | take b | flush
 *   threads   |            | a ------------| b ------------|
 *
 * Who asks for quick code, and until when, is the frontend's (frontend/tier.c).
 *
 * A job has its region, and a copy of its kernels' code, since a file with
 * kernels may go while they compile; nobody waits for that, because who unloads
 * it holds a lock of the loader that a compilation may need. Other facts of
 * kernels, and constants, stay until their owner has waited (low_tiers_finish).
 * A fork waits until the threads have ended, each after what it compiles, but
 * not for ever, for the same reason; then the parent starts others. The child
 * has none, and compiles the rest by itself once it does not want to go on
 * without. At the end of the process what is under way is waited for, and
 * nothing more is begun.
 *
 * cost    processors that the program leaves alone, while there is something to
 *         do; a copy of the bitcode of each file whose kernels are under way
 * source  tiered compilation: U. Hoelzle and D. Ungar, "A third-generation SELF
 *         implementation", OOPSLA 1994
 * limits  the optimiser starts with the region, as quick code did: nothing is
 *         shared. Ranks that share a disk optimise one region at a time */
#include "base/arena.h"
#include "base/fp.h"
#include "base/log.h"
#include "lower/disk.h"
#include "lower/job.h"
#include "lower/lower.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A fork waits no longer, as it may hold what a compilation waits for. */
enum { FORK_SECONDS = 5 };
/* Others look each millisecond whether it is their turn. */
enum { PAUSE = 2000000 };

/* A copy of a file's bitcode, for all that are of that file. */
struct code {
  const void *from;
  size_t bytes;
  uint32_t users;
  char *copy;
};

struct tier {
  struct low_region region;
  struct low_job job;
  struct code **codes; /* that it uses */
  uint32_t ncodes, capcodes;
  bool done;
};

static struct {
  pthread_mutex_t lock; /* of all that follows */
  pthread_cond_t idle;  /* `busy` or `at_work` has become less */
  struct tier **all;    /* not taken yet, in the order in which they came */
  uint32_t n, cap, begun;
  uint32_t busy;      /* of these are being compiled */
  pthread_t *threads; /* not joined; of these so many are at work */
  uint32_t nthreads, capthreads, at_work;
  uint32_t most; /* to be at work */
  bool watched;  /* forks are, and the end of the process */
  uint32_t held; /* forks under way: threads begin nothing */
  bool over;     /* the process ends */
} tiers = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

/* Of the program's thread alone. */
static struct {
  struct code **all;
  uint32_t n, cap;
} codes;

/* ---- bitcode ------------------------------------------------------------- */

static struct code *
code_find(const void *from, size_t bytes) {
  for (uint32_t k = 0; k < codes.n; k++) {
    struct code *c = codes.all[k];
    if (c->from == from && c->bytes == bytes && !memcmp(c->copy, from, bytes))
      return c;
  }
  struct code *c = mem_alloc(1, sizeof *c);
  *c = (struct code){from, bytes, 0, mem_grow(NULL, bytes, 1)};
  memcpy(c->copy, from, bytes);
  VEC_PUSH(codes.all, codes.n, codes.cap, c);
  return c;
}

/* That bitcode, for as long as the tier is there. */
static const void *
tier_code(struct tier *t, const void *from, size_t bytes) {
  if (!from) return NULL;
  struct code *c = code_find(from, bytes);
  c->users++;
  VEC_PUSH(t->codes, t->ncodes, t->capcodes, c);
  return c->copy;
}

static void
codes_free(struct tier *t) {
  uint32_t left = 0;
  for (uint32_t k = 0; k < t->ncodes; k++) t->codes[k]->users--;
  for (uint32_t k = 0; k < codes.n; k++) {
    struct code *c = codes.all[k];
    if (c->users) {
      codes.all[left++] = c;
      continue;
    }
    free(c->copy);
    free(c);
  }
  codes.n = left;
  free(t->codes);
  if (left) return;
  free(codes.all);
  codes.all = NULL;
  codes.cap = 0;
}

static void
tier_free(struct tier *t) {
  codes_free(t);
  low_code_clear(&t->job.code);
  low_job_clear(&t->job);
  low_region_clear(&t->region);
  free(t);
}

/* ---- compiling ----------------------------------------------------------- */

/* The next one to compile; NULL: there is none, and a thread that is at work
 * ends. */
static struct tier *
tier_next(bool at_work) {
  struct tier *t = NULL;
  pthread_mutex_lock(&tiers.lock);
  assert(tiers.begun <= tiers.n);
  bool ends = at_work && tiers.held;
  if (!ends && tiers.begun < tiers.n) t = tiers.all[tiers.begun++];
  tiers.busy += t != NULL;
  if (!t && at_work) {
    tiers.at_work--;
    pthread_cond_broadcast(&tiers.idle);
  }
  pthread_mutex_unlock(&tiers.lock);
  return t;
}

/* Ranks of a machine take turns, and find what others made meanwhile. */
static void
tier_make(struct tier *t) {
  const struct timespec pause = {0, PAUSE};
  struct low_turn turn = low_disk_turn_begin();
  bool found = turn.fd >= 0 && low_job_find_kept(&t->job);
  if (!found) low_job_compile(&t->job);
  if (!found && t->job.result == OK) low_job_keep(&t->job);
  low_disk_turn_end(turn);
  if (turn.fd >= 0) nanosleep(&pause, NULL);
}

/* Code is made with plain arithmetic, whatever the program computes with. */
static void
tier_compile(struct tier *t) {
  uint32_t was = fp_mode_change(fp_mode_plain());
  tier_make(t);
  fp_mode_change(was);
  pthread_mutex_lock(&tiers.lock);
  t->done = true;
  assert(tiers.busy > 0);
  tiers.busy--;
  pthread_cond_broadcast(&tiers.idle);
  pthread_mutex_unlock(&tiers.lock);
}

/* ---- threads ------------------------------------------------------------- */

static void *
tier_work(void *arg) {
  int thread = (int)(intptr_t)arg;
  for (struct tier *t; (t = tier_next(true));) {
    t->job.thread = thread;
    tier_compile(t);
  }
  return NULL;
}

/* With the lock; those that are not at work need it no more. */
static void
join_all(void) {
  assert(!tiers.at_work);
  for (uint32_t k = 0; k < tiers.nthreads; k++)
    pthread_join(tiers.threads[k], NULL);
  tiers.nthreads = 0;
}

/* One more thread, which gets no signals: handlers are the program's. With the
 * lock. */
static bool
start_one(void) {
  sigset_t all, was;
  pthread_t thread;
  intptr_t number = 1 + (intptr_t)tiers.nthreads;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &was);
  bool started = low_job_start(&thread, tier_work, (void *)number);
  pthread_sigmask(SIG_SETMASK, &was, NULL);
  if (!started) return false;
  VEC_PUSH(tiers.threads, tiers.nthreads, tiers.capthreads, thread);
  tiers.at_work++;
  return true;
}

/* Threads for what waits; where none is to be had, low_tiers_finish has it.
 * With the lock. */
static void
start_some(void) {
  if (tiers.over || tiers.held) return;
  if (!tiers.at_work) join_all();
  uint32_t waits = tiers.n - tiers.begun;
  while (waits && tiers.at_work < tiers.most && start_one()) waits--;
}

/* With the lock, which is not held meanwhile. */
static void
wait_idle(void) {
  while (tiers.busy) pthread_cond_wait(&tiers.idle, &tiers.lock);
}

/* ---- forks, and the end -------------------------------------------------- */

/* Threads end, so that the child has all of what they did. */
static void
before_fork(void) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += FORK_SECONDS;
  pthread_mutex_lock(&tiers.lock);
  tiers.held++;
  while ((tiers.busy || tiers.at_work) &&
         !pthread_cond_timedwait(&tiers.idle, &tiers.lock, &end))
    continue;
  if (!tiers.at_work) join_all();
  pthread_mutex_unlock(&tiers.lock);
}

static void
after_fork(void) {
  pthread_mutex_lock(&tiers.lock);
  tiers.held--;
  start_some();
  pthread_mutex_unlock(&tiers.lock);
}

/* What was begun and is not done is the parent's. One of its threads may have
 * the lock, to see that it has to end. A fork of this child's starts none. */
static void
in_child(void) {
  pthread_mutex_init(&tiers.lock, NULL);
  pthread_cond_init(&tiers.idle, NULL);
  tiers.nthreads = tiers.at_work = tiers.busy = tiers.held = 0;
  tiers.most = 0;
}

static void
at_end(void) {
  pthread_mutex_lock(&tiers.lock);
  tiers.over = true;
  pthread_mutex_unlock(&tiers.lock);
  low_tiers_end();
}

static void
watch(void) {
  if (tiers.watched) return;
  pthread_atfork(before_fork, after_fork, in_child);
  atexit(at_end);
  tiers.watched = true;
}

/* ---- what is to be done -------------------------------------------------- */

/* The region, with kernels of its own. */
static void
take_region(struct low_region *from, struct tier *t) {
  struct low_region *r = &t->region;
  *r = *from;
  *from = (struct low_region){0};
  for (uint32_t i = 0; i < r->ninstances; i++) {
    struct low_kernel *k = low_kernel_copy(r->instances[i].kernel, &r->arena);
    k->bitcode = tier_code(t, k->bitcode, k->bitcode_bytes);
    for (uint32_t u = 0; u < k->nunits; u++)
      k->units[u].bitcode =
          tier_code(t, k->units[u].bitcode, k->units[u].bitcode_bytes);
    r->instances[i].kernel = k;
  }
}

void
low_tiers_add(struct low_region *r, const char *key, size_t bytes,
              uint32_t beside) {
  assert(!r->quick && !r->lines && bytes);
  struct tier *t = mem_alloc(1, sizeof *t);
  take_region(r, t);
  t->job.r = &t->region;
  t->job.key = t->job.object = (struct str)STR_INIT;
  str_addn(&t->job.key, key, bytes);
  watch();
  pthread_mutex_lock(&tiers.lock);
  tiers.most = beside < low_job_threads() ? beside : low_job_threads();
  VEC_PUSH(tiers.all, tiers.n, tiers.cap, t);
  start_some();
  pthread_mutex_unlock(&tiers.lock);
}

/* Those that are done, out of the list of all. */
static uint32_t
take_done(struct tier **out) {
  uint32_t left = 0, begun = 0, n = 0;
  pthread_mutex_lock(&tiers.lock);
  for (uint32_t k = 0; k < tiers.n; k++) {
    struct tier *t = tiers.all[k];
    if (t->done) {
      out[n++] = t;
    } else {
      begun += k < tiers.begun;
      tiers.all[left++] = t;
    }
  }
  tiers.n = left;
  tiers.begun = begun;
  pthread_mutex_unlock(&tiers.lock);
  return n;
}

void
low_tiers_each(void (*fn)(struct low_job *j)) {
  SCOPED struct tier **done = mem_alloc(tiers.n + 1, sizeof *done);
  uint32_t n = take_done(done);
  for (uint32_t k = 0; k < n; k++) {
    fn(&done[k]->job);
    tier_free(done[k]);
  }
}

void
low_tiers_finish(void) {
  double begin = timer_wall();
  for (struct tier *t; (t = tier_next(false));) tier_compile(t);
  pthread_mutex_lock(&tiers.lock);
  wait_idle();
  pthread_mutex_unlock(&tiers.lock);
  low_compile_seconds += timer_wall() - begin;
}

void
low_tiers_end(void) {
  pthread_mutex_lock(&tiers.lock);
  for (uint32_t k = tiers.begun; k < tiers.n; k++) tier_free(tiers.all[k]);
  tiers.n = tiers.begun;
  wait_idle();
  for (uint32_t k = 0; k < tiers.n; k++) tier_free(tiers.all[k]);
  tiers.n = tiers.begun = 0;
  while (tiers.at_work) pthread_cond_wait(&tiers.idle, &tiers.lock);
  join_all();
  pthread_mutex_unlock(&tiers.lock);
  free(tiers.all);
  free(tiers.threads);
  tiers.all = NULL;
  tiers.threads = NULL;
  tiers.cap = tiers.capthreads = 0;
}
