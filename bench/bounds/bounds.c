/* Loops that are each held up by one thing, for OP2_REPORT to name: bounds.py runs
 * them and sets what it names against what is measured.
 *
 *   bounds KIND    memory, arithmetic, latency, conflicts, fork-join, exchange (on
 *                  several ranks), transfer (on a device), compile
 *
 * Each step is a flush of its own, so that steps are not joined. Short ones are so many
 * that starting, when threads and processors are not yet at speed, is a small part. */
#include "op2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 6 << 20, MIDDLE = 1 << 18, SMALL = 4096, ROW = 8 };
enum { TERMS = 24, CHAINS = 12 }; /* of a polynomial; of these */
enum { TEAM = 1100 }; /* elements of a set that two threads just share */

static void
triad(const double *b, const double *c, double *a) {
  *a = *a * 0.5 + *b + 3 * *c;
}
/* Several at once, as each has to wait for its own last term; so do sums. */
static void
polynomial(double *a) {
  double x = *a, y[CHAINS];
  for (int i = 0; i < CHAINS; i++) y[i] = x + i;
  for (int k = 0; k < TERMS; k++)
    for (int i = 0; i < CHAINS; i++) y[i] = y[i] * x + 0.25;
  for (int n = CHAINS / 2; n >= 3; n /= 2)
    for (int i = 0; i < n; i++) y[i] += y[i + n];
  *a = (y[0] + y[1] + y[2]) * 0.02;
}
static void
far_apart(const double *p, const double *q, double *a) {
  *a += p[0] - q[0];
}
static void
spread(const double *a, double *p, double *q) {
  for (int k = 0; k < ROW; k++) {
    p[k] += a[0];
    q[k] -= a[0];
  }
}
static void
tiny(double *a) {
  *a += 1;
}
static void
neighbours(const double *p, const double *q, double *a) {
  *a = 0.5 * (*p + *q);
}
/* Takes LLVM long: nothing of it is like another. */
static void
long_code(double *a) {
  for (int k = 0; k < 24; k++)
    for (int i = 0; i < 24; i++)
      a[k] = a[(k * 7 + i) % 24] * (1 + 0.01 * i) + a[i] * a[k] - 0.5 * k;
}

static double *
numbers(size_t n) {
  double *x = malloc(n * sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = 0.5 + 1e-9 * (double)i;
  return x;
}

static op_dat
dat(op_set s, int dim, const char *name) {
  return op_decl_dat(s, dim, "double",
                     numbers((size_t)op_get_size(s) * (size_t)dim), name);
}

#define OWN(d, dim, acc) op_arg_dat(d, -1, OP_ID, dim, "double", acc)

static void
run_memory(void) {
  op_set s = op_decl_set(LARGE, "values");
  op_dat a = dat(s, 1, "a"), b = dat(s, 1, "b"), c = dat(s, 1, "c");
  for (int k = 0; k < 60; k++) {
    op_par_loop(triad, "triad", s, OWN(b, 1, OP_READ), OWN(c, 1, OP_READ),
                OWN(a, 1, OP_RW));
    op2_flush();
  }
}

static void
run_arithmetic(void) {
  op_set s = op_decl_set(MIDDLE, "values");
  op_dat a = dat(s, 1, "a");
  for (int k = 0; k < 300; k++) {
    op_par_loop(polynomial, "polynomial", s, OWN(a, 1, OP_RW));
    op2_flush();
  }
}

/* Two entries an edge, anywhere. */
static int *
scattered(int edges, int nodes) {
  int *map = malloc(2 * sizeof *map * (size_t)edges);
  unsigned long at = 1;
  for (int i = 0; i < 2 * edges; i++) {
    at = at * 6364136223846793005UL + 1442695040888963407UL;
    map[i] = (int)((at >> 33) % (unsigned long)nodes);
  }
  return map;
}

/* Edge e leads from e * nodes / edges to the next. */
static int *
in_a_row(int edges, int nodes) {
  int *map = malloc(2 * sizeof *map * (size_t)edges);
  for (int e = 0; e < edges; e++) {
    map[2 * e] = (int)((long)e * nodes / edges);
    map[2 * e + 1] = (map[2 * e] + 1) % nodes;
  }
  return map;
}

static void
run_latency(void) {
  op_set nodes = op_decl_set(LARGE / 2, "nodes");
  op_set edges = op_decl_set(LARGE / 4, "edges");
  op_map m =
      op_decl_map(edges, nodes, 2, scattered(LARGE / 4, LARGE / 2), "ends");
  op_dat p = dat(nodes, ROW, "p"), a = dat(edges, 1, "a");
  for (int k = 0; k < 20; k++) {
    op_par_loop(far_apart, "far_apart", edges,
                op_arg_dat(p, 0, m, ROW, "double", OP_READ),
                op_arg_dat(p, 1, m, ROW, "double", OP_READ), OWN(a, 1, OP_RW));
    op2_flush();
  }
}

static void
run_conflicts(void) {
  op_set nodes = op_decl_set(SMALL, "nodes");
  op_set edges = op_decl_set(3 * SMALL, "edges");
  op_map m = op_decl_map(edges, nodes, 2, in_a_row(3 * SMALL, SMALL), "ends");
  op_dat p = dat(nodes, ROW, "p"), a = dat(edges, 1, "a");
  for (int k = 0; k < 40000; k++) {
    op_par_loop(spread, "spread", edges, OWN(a, 1, OP_READ),
                op_arg_dat(p, 0, m, ROW, "double", OP_INC),
                op_arg_dat(p, 1, m, ROW, "double", OP_INC));
    op2_flush();
  }
}

static void
run_fork_join(void) {
  op_set s = op_decl_set(TEAM, "values");
  op_dat a = dat(s, 1, "a");
  for (int k = 0; k < 500000; k++) {
    op_par_loop(tiny, "tiny", s, OWN(a, 1, OP_RW));
    op2_flush();
  }
}

static void
run_exchange(void) {
  int n = SMALL;
  op_set nodes = op_decl_set(n, "nodes");
  op_map m = op_decl_map(nodes, nodes, 2, in_a_row(n, n), "ends");
  op_dat a = dat(nodes, 1, "a"), b = dat(nodes, 1, "b");
  for (int k = 0; k < 500000; k++) {
    op_dat from = k % 2 ? a : b, to = k % 2 ? b : a;
    op_par_loop(neighbours, "neighbours", nodes,
                op_arg_dat(from, 0, m, 1, "double", OP_READ),
                op_arg_dat(from, 1, m, 1, "double", OP_READ),
                OWN(to, 1, OP_WRITE));
    op2_flush();
  }
}

static void
run_transfer(void) {
  static int map[] = {0, 1, 2, 3};
  op_set s = op_decl_set(LARGE, "values"), few = op_decl_set(4, "few");
  op_map some = op_decl_map(few, s, 1, map, "some");
  op_dat a = dat(s, 1, "a");
  double *values = numbers(LARGE);
  for (int k = 0; k < 300; k++) {
    op_fetch_data(a, values);
    memcpy(a->data, values, sizeof *values * (LARGE));
    op_upload_dat(a);
    op_par_loop(tiny, "tiny", few, op_arg_dat(a, 0, some, 1, "double", OP_RW));
    op2_flush();
  }
}

static void
run_compile(void) {
  op_set s = op_decl_set(64, "values");
  op_dat a = dat(s, 24, "a");
  op_par_loop(long_code, "long_code", s, OWN(a, 24, OP_RW));
}

int
main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } kinds[] = {{"memory", run_memory},       {"arithmetic", run_arithmetic},
               {"latency", run_latency},     {"conflicts", run_conflicts},
               {"fork-join", run_fork_join}, {"exchange", run_exchange},
               {"transfer", run_transfer},   {"compile", run_compile}};
  size_t k = 0, n = sizeof kinds / sizeof *kinds;
  while (k < n && (argc < 2 || strcmp(argv[1], kinds[k].name))) k++;
  if (k == n) {
    fprintf(stderr, "usage: bounds KIND; see the head of bounds.c\n");
    return 1;
  }
  op_init(argc, argv, 0);
  kinds[k].run();
  op_exit();
  return 0;
}
