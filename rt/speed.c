/* What this machine does, measured: arithmetic, memory, scattered reads; the
 * rest is in speed_calls.c.
 *
 * Each figure is the best of several short tries: other work makes a try
 * longer, never shorter. cost: a fifth of a second, most of it for memory that
 * is touched the first time.
 *
 *         Two threads beside other work wait for each other, though: values far
 *         away took 30 times as long. So it is said whether there was any.
 *
 * limits  rates are what simple loops reach, not what the maker says; of a
 *         machine with several memories, those near the calling thread */
#include "base/arena.h"
#include "base/log.h"
#include "rt/bound.h"
#include "rt/speed_try.h"
#include "rt/walk/waiters.h"

#include <omp.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { CHAINS = 12, TRIES = 9, SHORT = 99, LINE = 8 /* doubles */ };
enum { TERMS = 16, MANY = 1250, SOME = 5000 }; /* iterations of a try */

/* Keeps what is computed. */
static _Thread_local volatile double sink;

/* ---- arithmetic ---------------------------------------------------------- */

/* Loops over a type, `first` of which is a number. `attr`: what the code may
 * use.
 *   flops   n elements, each with CHAINS (twelve) independent chains of TERMS
 *           x = x a + b, and their sum, which nothing hides: an element's first
 *           and last operations wait for each other in code of loops, too
 *   slow    CHAINS chains of x = b / x, n times
 *   triad   a[i] = b[i] + s c[i] */
#define TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define START(k) x##k = from + k;
#define STEP(k) x##k = x##k * a + b;
#define DIVIDE(k) x##k = b / x##k;
#define ADD(i, j) x##i += x##j;
#define HALVES(X)                                                              \
  X(0, 6) X(1, 7) X(2, 8) X(3, 9) X(4, 10) X(5, 11) X(0, 3) X(1, 4) X(2, 5)
#define VECTOR(bytes) __attribute__((vector_size(bytes), may_alias))
#define ARITHMETIC(name, first, attr)                                          \
  attr static void name##_flops(long n) {                                      \
    name x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11;                     \
    name a = {0}, b = {0}, sum = {0}, from = {0};                              \
    a += 0.5, b += 1;                                                          \
    for (long i = 0; i < n; i++, from += b) {                                  \
      TWELVE(START)                                                            \
      _Pragma("GCC unroll 16") for (int j = 0; j < TERMS; j++){                \
          TWELVE(STEP)} HALVES(ADD) sum += x0 + x1 + x2;                       \
    }                                                                          \
    sink = sum first;                                                          \
  }                                                                            \
  attr __attribute__((unused)) static void name##_slow(long n) {               \
    name x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11;                     \
    name b = {0}, from = {0};                                                  \
    b += 2, from += 1;                                                         \
    TWELVE(START)                                                              \
    for (long i = 0; i < n; i++) {                                             \
      TWELVE(DIVIDE)                                                           \
    }                                                                          \
    HALVES(ADD)                                                                \
    x0 += x1 + x2;                                                             \
    sink = x0 first;                                                           \
  }
#define TRIAD(name, bytes, attr)                                               \
  attr static void name##_triad(double *a, const double *b, const double *c,   \
                                long n) {                                      \
    name s = {0};                                                              \
    s += 3;                                                                    \
    for (long i = 0; i < n; i += (bytes) / 8)                                  \
      *(name *)(a + i) = *(const name *)(b + i) + s * *(const name *)(c + i);  \
  }
typedef double one, fused;
typedef double two VECTOR(16), four VECTOR(32), eight VECTOR(64);
ARITHMETIC(one, , )
ARITHMETIC(two, [0], )
TRIAD(two, 16, )
#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,fma")))
ARITHMETIC(fused, , AVX2)
ARITHMETIC(four, [0], AVX2)
TRIAD(four, 32, AVX2)
ARITHMETIC(eight, [0], AVX512)
TRIAD(eight, 64, AVX512)
#endif

typedef void loop_fn(long n);
typedef void triad_fn(double *a, const double *b, const double *c, long n);
struct loops {
  int width;
  loop_fn *scalar, *flops, *slow;
  triad_fn *triad;
};

/* Those with the widest vectors of this machine, and fused operations, as the
 * code of loops has them. */
static struct loops
loops_best(void) {
#if defined(__x86_64__)
  bool fma = __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f"))
    return (struct loops){8, fused_flops, eight_flops, eight_slow, eight_triad};
  if (fma && __builtin_cpu_supports("avx2"))
    return (struct loops){4, fused_flops, four_flops, four_slow, four_triad};
#endif
  return (struct loops){2, one_flops, two_flops, two_slow, two_triad};
}

/* Of a chain: its terms, its start, its part of the sum. */
enum { FLOPS = 2 * TERMS + 2 };

/* Operations per second, of `each` an iteration and chain. */
static double
loop_rate(loop_fn *fn, long n, double each) {
  double best = 0;
  for (int k = 0; k < SHORT; k++) {
    double begin = timer_wall();
    fn(n);
    double rate = each * CHAINS * (double)n / (timer_wall() - begin);
    if (rate > best) best = rate;
  }
  return best;
}

/* Of a thread in vectors, where all compute; two of them may share a core. */
static double
flops_of_all(int threads) {
  const struct rt_tries t = {.threads = threads};
  double best = 0;
  for (int k = 0; k < SHORT; k++) {
    double rate = 1 / rt_try_flops(&t);
    if (rate > best) best = rate;
  }
  return best;
}

static void
measure_arithmetic(int threads, struct rt_speeds *out) {
  struct loops l = loops_best();
  out->flops[0] = loop_rate(l.scalar, MANY, FLOPS);
  out->flops[1] = loop_rate(l.flops, MANY, FLOPS * l.width);
  out->flops_all = threads > 1 ? flops_of_all(threads) : out->flops[1];
  if (out->flops_all > out->flops[1]) out->flops_all = out->flops[1];
  out->slow[0] = loop_rate(one_slow, SOME, 1);
  out->slow[1] = loop_rate(l.slow, SOME, l.width);
}

static void
few_flops(const struct rt_tries *t, int thread) {
  (void)t, (void)thread;
  loops_best().flops(MANY / 8);
}

static void
many_flops(const struct rt_tries *t, int thread) {
  (void)t, (void)thread;
  loops_best().flops(MANY);
}

double
rt_try_flops(const struct rt_tries *t) {
  int team;
  double seconds = rt_try_seconds(t, few_flops, many_flops, &team);
  return seconds / ((double)FLOPS * loops_best().width * CHAINS * MANY);
}

/* ---- memory -------------------------------------------------------------- */

/* A triad by `threads`, each on its share; bytes per second that move: two
 * values are read and one is written, whose line is read before that. */
static double
stream_rate(triad_fn *fn, double *x, long n, int threads) {
  enum { LEAST = 1 << 17 };
  long share = n / threads / LINE * LINE, turns = LEAST / n + 1;
  double best = 0;
  for (int k = 0; k < TRIES; k++) {
    double begin = timer_wall();
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      double *a = x + share * omp_get_thread_num();
      for (long i = 0; i < turns; i++) fn(a, a + n, a + 2 * n, share);
    }
    double seconds = timer_wall() - begin;
    double rate = 4.0 * 8 * (double)(share * threads * turns) / seconds;
    if (rate > best) best = rate;
  }
  return best;
}

/* Each third of x is an array; a thread more than there are pieces has none. */
static void
piece_triad(const struct rt_tries *t, int thread) {
  const long n = RT_TRY_DOUBLES / 3 / LINE * LINE, pieces = n / RT_TRY_STREAM;
  double *a = t->x + (t->at * t->threads + thread) % pieces * RT_TRY_STREAM;
  if (thread < pieces) loops_best().triad(a, a + n, a + 2 * n, RT_TRY_STREAM);
}

double
rt_try_stream(const struct rt_tries *t) {
  const long pieces = RT_TRY_DOUBLES / 3 / RT_TRY_STREAM;
  int team;
  double seconds = rt_try_seconds(t, NULL, piece_triad, &team);
  double n = (double)(team < pieces ? team : pieces);
  return seconds / (4.0 * 8 * RT_TRY_STREAM * n);
}

enum { READS = 1 << 16, WINDOWS = 8, SOON = 32 };

void
rt_try_scatter(idx_l *row, long rows, long n) {
  unsigned long lines = (unsigned long)(n / LINE), at = 12345;
  for (long i = 0; i < 2 * rows; i++) {
    at = at * 6364136223846793005UL + 1442695040888963407UL;
    row[i] = (idx_l)((at >> 32) * lines >> 32);
  }
}

/* Values that rows [0, n) name, each on a line of its own, with as many under
 * way as may be. Some of what is computed. */
static double
read_rows(const double *x, const idx_l *row, long n) {
  double difference[1 << 10] = {0};
  for (long i = 0; i < n - SOON; i++) {
    const idx_l *two = row + 2 * i, *soon = two + 2 * SOON;
    __builtin_prefetch(x + LINE * (long)soon[0]);
    __builtin_prefetch(x + LINE * (long)soon[1]);
    difference[i % 1024] = x[LINE * (long)two[0]] - x[LINE * (long)two[1]];
  }
  return difference[n % 1024];
}

/* Seconds of one of them for a thread, while `threads` of them read; each try
 * goes to others. */
static double
line_seconds(const double *x, const idx_l *row, int threads) {
  double best = 0;
  long share = READS / threads;
  for (int k = 0; k < WINDOWS; k++, row += 2 * READS) {
    double begin = timer_wall(), sum = 0;
#pragma omp parallel num_threads(threads) if (threads > 1) reduction(+ : sum)
    sum += read_rows(x, row + 2 * share * omp_get_thread_num(), share);
    sink = sum;
    double t = (timer_wall() - begin) / (2.0 * (double)share);
    if (!k || t < best) best = t;
  }
  return best;
}

static void
window_read(const struct rt_tries *t, int thread) {
  long window = (t->at * t->threads + thread) % t->windows;
  sink = read_rows(t->x, t->row + 2 * window * RT_TRY_READS, RT_TRY_READS);
}

/* Where pages lie is in the caches, as for a loop that goes there all the time:
 * a try that had to find that out took 1.6 times as long as the loop. One value
 * for each line of a table of small pages. */
static void
pages_read(const struct rt_tries *t, int thread) {
  enum { APART = 4096 }; /* 8 entries of 4096 bytes */
  double sum = 0;
  for (long i = thread; i < RT_TRY_DOUBLES; i += APART) sum += t->x[i];
  sink = sum;
}

double
rt_try_lines(const struct rt_tries *t) {
  int team;
  return rt_try_seconds(t, pages_read, window_read, &team) /
         (2.0 * RT_TRY_READS);
}

static status
measure_memory(int threads, struct rt_speeds *out) {
  size_t bytes = (size_t)rt_speed_bytes[RT_SPEED_SIZES - 1];
  triad_fn *triad = loops_best().triad;
  double *x = rt_mem_new(bytes);
  SCOPED idx_l *row = mem_alloc(2 * READS * WINDOWS, sizeof *row);
  if (!x) FAIL(ERR_MEMORY, "no memory to measure memory: %zu bytes", bytes);
  memset(x, 0, bytes);
  for (int k = 0; k < RT_SPEED_SIZES; k++) {
    long n = (long)(rt_speed_bytes[k] / 3 / 8) / LINE * LINE;
    out->stream[k][0] = stream_rate(triad, x, n, 1);
    out->stream[k][1] = stream_rate(triad, x, n, threads);
    if (out->stream[k][1] < out->stream[k][0]) /* others had the processors */
      out->stream[k][1] = out->stream[k][0];
    rt_try_scatter(row, READS * WINDOWS, 3 * n);
    out->line[k][0] = line_seconds(x, row, 1);
    out->line[k][1] = line_seconds(x, row, threads);
    double one = out->line[k][0], most = threads * one;
    if (out->line[k][1] < one) out->line[k][1] = one;
    if (out->line[k][1] > most) out->line[k][1] = most; /* others, too */
  }
  rt_mem_free(x, bytes);
  return OK;
}

/* ---- other work ---------------------------------------------------------- */

/* Of the time, that this thread runs where nobody else wants its processor. */
#define SHARE 0.9

struct had {
  double wall, ran; /* seconds; of this thread */
  long switches;    /* of all threads, by the system */
};

static struct had
had_so_far(void) {
  struct timespec t = {0};
  struct rusage u = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  getrusage(RUSAGE_SELF, &u);
  return (struct had){timer_wall(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
                      u.ru_nivcsw};
}

static bool
was_crowded(const struct had *since) {
  struct had now = had_so_far();
  double wall = now.wall - since->wall;
  return now.ran - since->ran < SHARE * wall ||
         rt_waiters_crowded(wall, now.switches - since->switches);
}

status
rt_speed_measure(int threads, struct rt_speeds *out, bool *crowded) {
  struct had before = had_so_far();
  *out = (struct rt_speeds){.threads = threads};
  measure_arithmetic(threads, out);
  status st = measure_memory(threads, out);
  *crowded = was_crowded(&before);
  return st;
}
