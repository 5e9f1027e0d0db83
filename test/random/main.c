/* random_programs: see doc/testing.md.
 *
 *   random_programs [--seed S] [--count N] [--time SECONDS] [--batch N]
 *                   [--modes a,b,...] [--opaque] [--show]
 *
 * Programs of seeds S, S + 1, ... in batches; a batch is played in mode eager, in
 * mode default and in two others, or in those given. Ends with a line
 * "N passed, N failed".
 */
#include "emit.h"
#include "gen.h"
#include "run.h"
#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  uint64_t seed;
  long long count;
  double seconds;
  int batch, failures; /* stop after so many */
  const char *modes;
  bool show; /* print the program of the seed */
};

static void
usage(void) {
  fprintf(stderr, "usage: random_programs [--seed S] [--count N] [--time "
                  "SECONDS] [--batch N] [--modes a,b,...] [--opaque]\n");
  exit(2);
}

static struct options
options_read(int argc, char **argv) {
  struct options o = {8, 1LL << 40, 1e9, GEN_GROUP, 20, "", false};
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    i++;
    if (!strcmp(argv[i - 1], "--seed"))
      o.seed = strtoull(value, NULL, 10);
    else if (!strcmp(argv[i - 1], "--count"))
      o.count = atoll(value);
    else if (!strcmp(argv[i - 1], "--time"))
      o.seconds = atof(value);
    else if (!strcmp(argv[i - 1], "--batch"))
      o.batch = atoi(value);
    else if (!strcmp(argv[i - 1], "--failures"))
      o.failures = atoi(value);
    else if (!strcmp(argv[i - 1], "--modes"))
      o.modes = value;
    else if (!strcmp(argv[i - 1], "--opaque"))
      run_opaque = true, i--;
    else if (!strcmp(argv[i - 1], "--show"))
      o.show = true, i--;
    else
      usage();
  }
  if (o.batch < 1) usage();
  return o;
}

/* The modes of a batch. */
static void
draw_modes(const struct options *o, uint64_t seed, size_t **list, int *n) {
  char text[200];
  struct rnd r = {seed * 77};
  *n = 0;
  if (*o->modes) {
    snprintf(text, sizeof text, "%s", o->modes);
    for (char *s = strtok(text, ","); s; s = strtok(NULL, ",")) {
      if (mode_find(s) == nmodes) usage();
      ADD(*list, *n, mode_find(s));
    }
    return;
  }
  ADD(*list, *n, MODE_EAGER);
  ADD(*list, *n, MODE_DEFAULT);
  for (int k = 0; k < 2; k++) {
    size_t m = (size_t)(2 + rnd_below(&r, (int)nmodes - 2));
    ADD(*list, *n, m);
    if (!strcmp(modes[m].name, "reproducible")) /* compared with each other */
      ADD(*list, *n, mode_find("reproducible-3"));
  }
}

/* Write the program to a file of its own, small if it fails alone. */
static void
write_program(const struct program *p, const struct result *r) {
  char path[64];
  struct result now;
  struct program *small = shrink(p, r->mode, 60, &now);
  snprintf(path, sizeof path, "random_%llu.c", (unsigned long long)p->seed);
  FILE *f = fopen(path, "w");
  if (!now.failed) printf("  not when played alone\n");
  if (f) {
    emit(f, small, now.failed ? &now : r);
    fclose(f);
    printf("  program: %s\n", path);
  }
  program_free(small);
}

static void
report(const struct batch *b, const struct result *r) {
  bool one = r->program < b->nprograms;
  const struct program *p = one ? b->programs[r->program] : NULL;
  printf("FAIL seed %llu mode %s operation %d: %s\n",
         (unsigned long long)(p ? p : b->programs[0])->seed,
         modes[r->mode].name, r->failure.op, r->failure.text);
  if (p) write_program(p, r);
  fflush(stdout);
}

/* Play programs of seeds first...; how many failed: none or one. */
static int
run_seeds(const struct options *o, uint64_t first, int n) {
  struct batch b = {0};
  const struct program **list = get_memory((size_t)n, sizeof *list);
  struct result r;
  for (int k = 0; k < n; k++) list[k] = gen_program(first + (uint64_t)k);
  b.programs = list;
  b.nprograms = n;
  draw_modes(o, first, &b.modes, &b.nmodes);
  run_batch(&b, &r);
  if (r.failed) report(&b, &r);
  for (int k = 0; k < n; k++) program_free((struct program *)list[k]);
  free(list);
  free(b.modes);
  return r.failed;
}

int
main(int argc, char **argv) {
  struct options o = options_read(argc, argv);
  double start = seconds_now();
  long long failed = 0;
  if (o.show) {
    emit(stdout, gen_program(o.seed), NULL);
    return 0;
  }
  setenv("OP2_LOG", "0", 0);
  printf("random programs from seed %llu\n", (unsigned long long)o.seed);
  while (figures.programs < o.count && seconds_now() - start < o.seconds &&
         failed < o.failures) {
    int n = o.count - figures.programs < o.batch
                ? (int)(o.count - figures.programs)
                : o.batch;
    failed += run_seeds(&o, o.seed + (uint64_t)figures.programs, n);
    figures.programs += n;
  }
  double s = seconds_now() - start;
  printf("%lld programs, %lld plays, %.1f plays/s; %lld loops, %lld regions "
         "run, %lld compiled, %lld flushes from cache, %lld renames\n",
         figures.programs, figures.plays, (double)figures.plays / s,
         figures.loops, figures.regions, figures.compiles, figures.hits,
         figures.renames);
  for (size_t m = 0; m < nmodes; m++)
    if (figures.by_mode[m])
      printf("  %-22s %lld\n", modes[m].name, figures.by_mode[m]);
  printf("%lld passed, %lld failed\n", figures.plays, failed);
  return failed != 0;
}
