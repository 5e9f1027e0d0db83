/* airfoil_limit: Airfoil's time step by hand, outside the library: what its
 * code could become, to be measured beside what it is.
 *
 *   --form increments     loops fused as the library does it today: adt with the
 *                         update before it, increments of edges into memory
 *   --form gather         one loop over cells a half step: each sums the fluxes
 *                         of its sides, then update and adt (the default)
 *   --form tiled          gather in wavefronts: --tile CELLS, --steps in a chain
 *   --width 4|8           doubles in a vector
 *   --next table|edges    neighbours from a table, or through lists of edges
 *   --geometry pairs|corners|stored   dx, dy of a side: from the edge's nodes,
 *                         from the cell's nodes as adt has them, or stored once
 *   --derived kept        p, u, v of a cell kept beside adt
 *   --adt apart, --update apart, --fluxes stored   gather with one step less
 *
 * The other options are those of the references. Each run first makes some steps
 * beside plain C; the exit code is 1 if rms differs by more than 1e-12. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../airfoil/rcm.h"
#include "../airfoil/ref.h"
#include "../airfoil/verdict.h"
#include "../common.h"
#include "forms.h"
#include "tiled.h"

enum { CHECKED = 5, VARIANT = 96 };

/* ---- options of its own -------------------------------------------------- */

/* One row a word of an option: which number of the struct becomes which. */
static const struct {
  const char *option, *word;
  size_t at;
  int value;
} words[] = {
#define AT(f) offsetof(struct limit_how, f)
    {"--form", "increments", AT(form), LIMIT_INCREMENTS},
    {"--form", "gather", AT(form), LIMIT_GATHER},
    {"--form", "tiled", AT(form), LIMIT_TILED},
    {"--width", "4", AT(width), 4},
    {"--width", "8", AT(width), 8},
    {"--next", "table", AT(next), LIMIT_TABLE},
    {"--next", "edges", AT(next), LIMIT_EDGES},
    {"--geometry", "pairs", AT(geometry), LIMIT_PAIRS},
    {"--geometry", "corners", AT(geometry), LIMIT_CORNERS},
    {"--geometry", "stored", AT(geometry), LIMIT_STORED},
    {"--derived", "kept", AT(kept), 1},
    {"--adt", "apart", AT(apart_adt), 1},
    {"--update", "apart", AT(apart_update), 1},
    {"--fluxes", "stored", AT(flux), 1},
#undef AT
};

static bool
take_word(struct limit_how *h, const char *option, const char *word) {
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(option, words[i].option) || strcmp(word, words[i].word))
      continue;
    *(int *)((char *)h + words[i].at) = words[i].value;
    return true;
  }
  return false;
}

static bool
take_number(struct limit_how *h, const char *option, const char *word) {
  int n = atoi(word);
  if (n < 1) return false;
  if (!strcmp(option, "--tile")) h->tile = n;
  if (!strcmp(option, "--steps")) h->steps = n < TILED_STEPS ? n : TILED_STEPS;
  return !strcmp(option, "--tile") || !strcmp(option, "--steps");
}

/* Take this program's own options out of argv; the number of words left. */
static int
parse(struct limit_how *h, char *variant, int argc, char **argv) {
  int n = 1;
  for (int i = 1; i < argc; i++) {
    if (i + 1 < argc && (take_word(h, argv[i], argv[i + 1]) ||
                         take_number(h, argv[i], argv[i + 1]))) {
      size_t used = strlen(variant);
      snprintf(variant + used, VARIANT - used, "_%s", argv[++i]);
    } else {
      argv[n++] = argv[i];
    }
  }
  return n;
}

/* What bench_parse does not know of. */
static int
usage(void) {
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    fprintf(stderr, " %s %s", words[i].option, words[i].word);
  fprintf(stderr, " --tile CELLS --steps N\n");
  return 2;
}

/* Is there a loop for each thing that the form runs? Tiles are of one loop. */
static bool
built(const struct limit_how *h, const struct loops *s) {
  if (h->form == LIMIT_TILED && (h->apart_adt || h->apart_update || h->flux))
    return false;
  bool increments = h->form == LIMIT_INCREMENTS;
  if (!s->adt || (!increments && !s->gather)) return false;
  return (!increments && !h->apart_update) || (s->res && s->update);
}

/* ---- the run ------------------------------------------------------------- */

/* 0 if the first steps' rms is the reference's to 1e-12. */
static int
check(struct limit *l, const struct loops *s, const struct mesh *m) {
  double rms[TILED_STEPS];
  struct ref r;
  int wrong = 0, n = l->how.steps;
  ref_start(&r, m, 1, 1024);
  for (int i = 0; i < CHECKED || i % n; i++) {
    double want = ref_step(&r), got;
    if (i % n == 0) forms_run(l, s, i == 0, n, rms);
    got = rms[i % n];
    if (fabs(got / want - 1.0) < 1e-12) continue;
    printf("step %d: rms %.17g, expected %.17g\n", i + 1, got, want);
    wrong = 1;
  }
  ref_stop(&r);
  limit_reset(l);
  return wrong;
}

/* Steps by chains of how.steps; timing begins with a chain. */
static double
run(struct limit *l, const struct loops *s, const struct bench_options *o,
    struct bench_timer *t) {
  double rms[TILED_STEPS] = {0};
  int last = 0;
  bench_timer_start(t, o->warmup);
  for (int iter = 0; iter < o->iters; iter += last) {
    int end = iter < o->warmup ? o->warmup : o->iters;
    last = end - iter < l->how.steps ? end - iter : l->how.steps;
    for (int i = 0; i < last; i++) bench_iteration(t);
    forms_run(l, s, iter == 0, last, rms);
    bench_progress(iter + last, o->iters);
    if (iter / 100 != (iter + last) / 100)
      printf("%6d  %10.5e\n", iter + last, rms[last - 1]);
  }
  bench_iteration(t);
  return rms[last - 1];
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {400, 600}, .iters = 1000, .warmup = 3};
  struct limit_how how = {
      .form = LIMIT_GATHER, .width = 8, .steps = 1, .tile = 1024};
  char variant[VARIANT] = "";
  struct mesh m;
  struct limit l;
  struct bench_timer t;
  o.threads = bench_threads();
  argc = parse(&how, variant, argc, argv);
  if (!bench_parse(&o, argc, argv)) return usage();
  if (!o.mesh)
    mesh_make(&m, o.size[0], o.size[1]);
  else if (!mesh_read(&m, o.mesh))
    return 2;
  if (o.shuffle) mesh_shuffle(&m, (unsigned)o.shuffle);
  if (o.rcm) mesh_rcm(&m);
  limit_start(&l, &m, how, o.threads);
  struct loops s = loops_for(&how);
  o.variant = variant;
  if (!built(&how, &s)) return fprintf(stderr, "not built: see loops.c\n"), 2;
  int wrong = check(&l, &s, &m);
  double rms = run(&l, &s, &o, &t);
  wrong |= airfoil_verdict(m.ncell, o.iters, rms);
  bench_result(argv[0], &o, l.threads, &t, rms);
  limit_stop(&l);
  mesh_clear(&m);
  return wrong;
}
