/* random_programs: see doc/testing.md.
 *
 *   --seed S       programs of seeds S, S + 1, ... (default 8)
 *   --count N      as many, or
 *   --time T       for T seconds; then
 *   --fresh T      for T seconds from a seed that the clock gives, and is printed
 *   --modes a,b    in these modes, not in eager, default and two drawn ones
 *   --kind NAME    programs of this kind only (kinds.c)
 *   --opaque       the kernels of this executable carry no IR
 *   --mixed        some do, some don't, and files of the plain compiler are marked
 *   --ranks        this process is one rank, under mpirun, of several that all do
 *                  the same: no further processes, modes "ranks..."
 *   --parts        with --ranks: only where each rank declares a part, of each program
 *                  what suits that
 *   --partition P  sets are cut by op_partition(P), not in ways that seeds choose; or none
 *   --jobs N       processes at once (default 1)
 *   --batch N      programs in one process, mode by mode in one session each
 *   --failures N   stop after so many
 *   --shrink T     seconds for making a failing program small
 *   --out FOLDER   where to write it
 *   --show         print the program of seed S as C (of --parts the whole mesh)
 *
 * Ends with a line "N passed, N failed": a program in a mode is one.
 */
#include "emit.h"
#include "gen.h"
#include "run.h"
#include "shrink.h"
#include "suits.h"

#include "../programs/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct options {
  uint64_t seed;
  long long count;
  double seconds;
  int batch, jobs, failures;
  double fresh, shrink;
  const char *modes, *out, *kind;
  bool show;
};

/* Small: each program's sets are spread over the ranks with those of all before. */
enum { RANKS_BATCH = 4 };

/* Failures of all jobs together, in memory that they share. */
static int *failures;

static void
usage(void) {
  fprintf(stderr,
          "usage: random_programs [--seed S] [--count N] [--time T] "
          "[--fresh T] [--modes a,b,...] [--kind NAME] [--opaque] [--mixed] "
          "[--jobs N] "
          "[--batch N] [--failures N] [--shrink T] [--out FOLDER] [--show] "
          "[--ranks [--parts]] [--partition P]\n");
  exit(2);
}

static void
option_read(struct options *o, const char *name, const char *value) {
  if (!value)
    usage();
  else if (!strcmp(name, "--seed"))
    o->seed = strtoull(value, NULL, 10);
  else if (!strcmp(name, "--count"))
    o->count = atoll(value);
  else if (!strcmp(name, "--time"))
    o->seconds = atof(value);
  else if (!strcmp(name, "--fresh"))
    o->fresh = atof(value);
  else if (!strcmp(name, "--modes"))
    o->modes = value;
  else if (!strcmp(name, "--kind"))
    o->kind = value;
  else if (!strcmp(name, "--batch"))
    o->batch = atoi(value);
  else if (!strcmp(name, "--jobs"))
    o->jobs = atoi(value);
  else if (!strcmp(name, "--failures"))
    o->failures = atoi(value);
  else if (!strcmp(name, "--shrink"))
    o->shrink = atof(value);
  else if (!strcmp(name, "--out"))
    o->out = value;
  else if (!strcmp(name, "--partition"))
    play_by = value;
  else
    usage();
}

static struct options
options_read(int argc, char **argv) {
  struct options o = {.seed = GEN_GROUP,
                      .count = 1LL << 40,
                      .seconds = 1e9,
                      .batch = GEN_GROUP,
                      .jobs = 1,
                      .failures = 10,
                      .shrink = 60,
                      .modes = "",
                      .out = "."};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--opaque"))
      run_opaque = true;
    else if (!strcmp(argv[i], "--mixed"))
      run_mixed = true;
    else if (!strcmp(argv[i], "--ranks"))
      run_ranks = true, o.batch = RANKS_BATCH, o.failures = 1;
    else if (!strcmp(argv[i], "--parts"))
      run_parts = true;
    else if (!strcmp(argv[i], "--show"))
      o.show = true;
    else
      option_read(&o, argv[i], argv[i + 1]), i++;
  }
  if (o.batch < 1 || o.jobs < 1) usage();
  return o;
}

/* The modes of a batch. */
static void
draw_modes(const struct options *o, uint64_t seed, size_t **list, int *n) {
  char text[200];
  *n = 0;
  if (*o->modes) {
    snprintf(text, sizeof text, "%s", o->modes);
    for (char *s = strtok(text, ","); s; s = strtok(NULL, ",")) {
      if (mode_find(s) == nmodes) usage();
      ADD(*list, *n, mode_find(s));
    }
    return;
  }
  for (size_t m = 0; run_ranks && m < nmodes; m++) {
    unsigned flags = modes[m].flags & (PLAY_RANKS | PLAY_APART | PLAY_PARTS);
    if (flags == (run_parts ? PLAY_RANKS | PLAY_PARTS : PLAY_RANKS) &&
        mode_is_for(&modes[m]))
      ADD(*list, *n, m);
  }
  if (!run_ranks) modes_draw(seed, list, n);
}

/* Write the program to a file of its own, small if it fails alone. */
static void
write_program(const struct options *o, const struct program *p,
              const struct result *r) {
  char path[512];
  struct result now;
  struct program *small = shrink(p, r->mode, o->shrink, &now);
  snprintf(path, sizeof path, "%s/random_%llu.c", o->out,
           (unsigned long long)p->seed);
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
report(const struct options *o, const struct batch *b, const struct result *r) {
  bool one = r->program < b->nprograms;
  const struct program *p = one ? b->programs[r->program] : NULL;
  printf("FAIL seed %llu mode %s operation %d: %s\n",
         (unsigned long long)(p ? p : b->programs[0])->seed,
         modes[r->mode].name, r->failure.op, r->failure.text);
  if (p && !run_ranks) write_program(o, p, r);
  fflush(stdout);
}

/* The program of a seed, NULL if the options want none such. */
static struct program *
make_program(const struct options *o, uint64_t seed) {
  struct program *p = gen_program(seed), *part = NULL;
  if (run_parts) part = suits_parts(p);
  if (run_parts) program_free(p);
  if (run_parts) p = part;
  if (!p || !o->kind || kind_is(o->kind, p)) return p;
  program_free(p);
  return NULL;
}

/* Play programs of seeds first...; how many failed: none or one. */
static int
run_seeds(const struct options *o, uint64_t first, int n) {
  struct batch b = {0};
  const struct program **list = get_memory((size_t)n, sizeof *list);
  struct result r = {0};
  for (int k = 0; k < n; k++) {
    struct program *p = make_program(o, first + (uint64_t)k);
    if (p) list[b.nprograms++] = p;
  }
  b.programs = list;
  draw_modes(o, first / GEN_GROUP, &b.modes, &b.nmodes);
  if (b.nprograms && run_ranks)
    run_here(&b, &r);
  else if (b.nprograms)
    run_batch(&b, &r);
  if (r.failed &&
      __atomic_fetch_add(failures, 1, __ATOMIC_RELAXED) < o->failures)
    report(o, &b, &r);
  for (int k = 0; k < b.nprograms; k++) program_free((struct program *)list[k]);
  figures.programs += b.nprograms;
  free(list);
  free(b.modes);
  return r.failed;
}

/* Every jobs-th batch from this seed on, the first one left out `job` times, until
 * the count or the time is reached. */
static long long
run_batches(const struct options *o, uint64_t seed, double seconds, int job) {
  double start = seconds_now();
  long long failed = 0, at = (long long)job * o->batch;
  while (at < o->count && !run_apart && seconds_now() - start < seconds &&
         __atomic_load_n(failures, __ATOMIC_RELAXED) < o->failures) {
    int n = o->count - at < o->batch ? (int)(o->count - at) : o->batch;
    failed += run_seeds(o, seed + (uint64_t)at, n);
    at += (long long)o->jobs * o->batch;
  }
  return failed;
}

/* What a job tells at its end. */
struct job_end {
  long long failed;
  struct figures figures;
};

/* In a process of its own; where it tells its end. */
static int
job_start(const struct options *o, uint64_t seed, double seconds, int job) {
  int fds[2];
  if (pipe(fds)) abort();
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0) abort();
  if (!pid) {
    struct job_end end;
    close(fds[0]);
    figures = (struct figures){0};
    end.failed = run_batches(o, seed, seconds, job);
    end.figures = figures;
    fflush(NULL);
    _exit(write(fds[1], &end, sizeof end) != (ssize_t)sizeof end);
  }
  close(fds[1]);
  return fds[0];
}

static long long
job_wait(int fd) {
  struct job_end end = {0};
  long long *sum = (long long *)&figures, *more = (long long *)&end.figures;
  if (read(fd, &end, sizeof end) != (ssize_t)sizeof end) end.failed = 1;
  close(fd);
  wait(NULL);
  for (size_t k = 0; k < sizeof figures / sizeof *sum; k++) sum[k] += more[k];
  return end.failed;
}

static long long
run_phase(const struct options *o, uint64_t seed, double seconds) {
  int *fds = get_memory((size_t)o->jobs, sizeof *fds);
  long long failed = 0;
  printf("programs from seed %llu on\n", (unsigned long long)seed);
  fflush(stdout);
  if (run_ranks) {
    free(fds);
    return run_batches(o, seed, seconds, 0);
  }
  for (int j = 0; j < o->jobs; j++) fds[j] = job_start(o, seed, seconds, j);
  for (int j = 0; j < o->jobs; j++) failed += job_wait(fds[j]);
  free(fds);
  return failed;
}

static void
print_figures(double seconds) {
  const struct figures *f = &figures;
  printf("%lld programs, %lld plays, %.1f plays/s; %lld loops, %lld regions "
         "run, %lld compiled, %lld flushes from cache, %lld renames\n",
         f->programs, f->plays, (double)f->plays / seconds, f->loops,
         f->regions, f->compiles, f->hits, f->renames);
  for (size_t m = 0; m < nmodes; m++)
    if (f->by_mode[m]) printf("  %-22s %lld\n", modes[m].name, f->by_mode[m]);
  printf("plays by kind:\n");
  for (int k = 0; kind_name(k); k++)
    printf("  %-22s %lld\n", kind_name(k), f->by_kind[k]);
}

/* The launcher ends all ranks when one has ended without op_exit: wait until each has
 * told its figures, in files. */
static void
end_apart(const struct options *o, int rc) {
  char path[512];
  fflush(stdout);
  for (int r = check_rank(), n = 0; n < check_ranks(); n++) {
    snprintf(path, sizeof path, "%s/apart.%d.%llu.%d", o->out, (int)getppid(),
             (unsigned long long)o->seed, (r + n) % check_ranks());
    FILE *f = n ? NULL : fopen(path, "w");
    if (f) fclose(f);
    while (access(path, F_OK)) usleep(1000);
  }
  _exit(rc);
}

/* Compiled code is kept beside this program, not where its user's lies. */
static void
cache_apart(void) {
  char path[4096] = "";
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
  char *slash = n > 0 ? strrchr(path, '/') : NULL;
  if (!slash) return;
  strcpy(slash, "/cache");
  setenv("OP2_CACHE_DIR", path, 0);
}

int
main(int argc, char **argv) {
  struct options o = options_read(argc, argv);
  double start = seconds_now();
  uint64_t fresh = (uint64_t)time(NULL) % 1000000000 * 100000;
  if (o.show) {
    struct program *p = make_program(&o, o.seed);
    if (p) emit(stdout, p, NULL);
    return !p;
  }
  modes_start();
  setenv("OP2_LOG", "0", 0);
  cache_apart();
  failures = mmap(NULL, sizeof *failures, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (failures == MAP_FAILED) abort();
  long long failed = run_phase(&o, o.seed, o.seconds);
  if (o.fresh > 0) failed += run_phase(&o, fresh, o.fresh);
  print_figures(seconds_now() - start);
  if (run_ranks) printf("bits %016llx\n", (unsigned long long)run_bits);
  printf("%lld passed, %lld failed\n", figures.plays, failed);
  if (run_apart) end_apart(&o, failed != 0);
  return failed != 0;
}
