#include "common.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One row an option: its name, where it goes, how many numbers follow (or
 * TEXT: a text; FLAG: nothing, 1 is stored). */
enum { TEXT = 0, FLAG = -1 };
static const struct {
  const char *name;
  size_t at;
  int numbers;
} option_table[] = {
    {"--mesh", offsetof(struct bench_options, mesh), TEXT},
    {"--dump", offsetof(struct bench_options, dump), TEXT},
    {"--size", offsetof(struct bench_options, size), 2},
    {"--iters", offsetof(struct bench_options, iters), 1},
    {"--warmup", offsetof(struct bench_options, warmup), 1},
    {"--shuffle", offsetof(struct bench_options, shuffle), 1},
    {"--rcm", offsetof(struct bench_options, rcm), FLAG},
    {"--threads", offsetof(struct bench_options, threads), 1},
    {"--block", offsetof(struct bench_options, block), 1},
    {"--flush-every", offsetof(struct bench_options, flush_every), 1},
    {"--degree", offsetof(struct bench_options, degree), 1},
    {"--layers", offsetof(struct bench_options, layers), 1},
    {"--rows", offsetof(struct bench_options, rows), FLAG},
    {"--partition", offsetof(struct bench_options, partition), TEXT},
    {"--simd", offsetof(struct bench_options, simd), FLAG},
    {"--free", offsetof(struct bench_options, free), FLAG},
    {"--table", offsetof(struct bench_options, table), FLAG},
};
enum { NOPTIONS = sizeof option_table / sizeof option_table[0] };

static bool
usage(const char *wrong) {
  static const char *const words[] = {"", " FILE", " N", " I J"};
  fprintf(stderr, "wrong option '%s'; options:", wrong);
  for (int i = 0; i < NOPTIONS; i++)
    fprintf(stderr, " %s%s", option_table[i].name,
            words[option_table[i].numbers - FLAG]);
  fprintf(stderr, " OP_...\n");
  return false;
}

static bool
parse_numbers(int *out, int n, char **text) {
  for (int i = 0; i < n; i++) {
    char *end = NULL;
    if (!text[i]) return false;
    out[i] = (int)strtol(text[i], &end, 10);
    if (end == text[i] || *end || out[i] < 0) return false;
  }
  return true;
}

/* Read the option at argv[0]; the number of words it took, 0: not
 * understood. */
static int
parse_one(struct bench_options *o, char **argv) {
  for (int i = 0; i < NOPTIONS; i++) {
    int n = option_table[i].numbers;
    void *at = (char *)o + option_table[i].at;
    if (strcmp(argv[0], option_table[i].name)) continue;
    if (n == FLAG) return *(int *)at = 1;
    if (n != TEXT) return parse_numbers(at, n, argv + 1) ? 1 + n : 0;
    if (!argv[1]) return 0;
    *(const char **)at = argv[1];
    return 2;
  }
  return strncmp(argv[0], "OP_", 3) == 0;
}

bool
bench_parse(struct bench_options *o, int argc, char **argv) {
  for (int i = 1; i < argc;) {
    int taken = parse_one(o, argv + i);
    if (!taken) return usage(argv[i]);
    i += taken;
  }
  if (o->mesh) o->size[0] = o->size[1] = 0;
  if (o->warmup >= o->iters) o->warmup = o->iters > 1 ? 1 : 0;
  return true;
}

double
bench_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
bench_progress(int iter, int iters) {
  static double last;
  double now = bench_seconds();
  if (!isatty(2)) return;
  if (now - last < 0.2 && iter < iters) return;
  last = now;
  fprintf(stderr, "\r%d/%d%s", iter, iters, iter < iters ? "" : "\r\033[K");
  fflush(stderr);
}

void
bench_timer_start(struct bench_timer *t, int warmup) {
  *t = (struct bench_timer){.warmup = warmup, .iter = -1};
  t->start = t->warm = t->now = bench_seconds();
  t->least = INFINITY;
}

void
bench_iteration(struct bench_timer *t) {
  double now = bench_seconds();
  t->iter++;
  if (t->iter <= t->warmup)
    t->warm = now;
  else if (now - t->now < t->least)
    t->least = now - t->now;
  t->now = now;
}

double
bench_ms_per_iter(const struct bench_timer *t) {
  int n = t->iter - t->warmup;
  return n > 0 ? 1e3 * (t->now - t->warm) / n : 0;
}

void
bench_speaks(int root) {
  if (!root && !freopen("/dev/null", "w", stdout)) fclose(stdout);
}

int
bench_threads(void) {
  const char *text = getenv("OMP_NUM_THREADS");
  int n = text ? atoi(text) : 0;
  return n > 0 ? n : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

void
bench_result_values(const char *argv0, const struct bench_options *o,
                    int threads, const struct bench_timer *t,
                    const struct bench_value *values, int n) {
  const char *slash = strrchr(argv0, '/');
  printf("result name=%s%s threads=%d size=%dx%d iters=%d ms_per_iter=%.6g "
         "first_ms=%.6g",
         slash ? slash + 1 : argv0, o->variant ? o->variant : "", threads,
         o->size[0], o->size[1], t->iter, bench_ms_per_iter(t),
         1e3 * (t->warm - t->start));
  for (int i = 0; i < n; i++)
    printf(" %s=%.17g", values[i].name, values[i].value);
  printf("\n");
}

void
bench_result(const char *argv0, const struct bench_options *o, int threads,
             const struct bench_timer *t, double rms) {
  bench_result_values(argv0, o, threads, t, &(struct bench_value){"rms", rms},
                      1);
}
