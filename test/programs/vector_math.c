/* exp, log, pow, sin, ...: the same bits in blocks, at ragged ends, on borders
 * between threads, fused and eager; within 8 ulp of the C library's (the GNU C
 * Library manual gives 4 for its vector variants, libm's own is below 1). */
#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1237, DIM = 8 };

static void
functions(const double *x, double *y) {
  y[0] = exp(x[0]);
  y[1] = log(x[0]);
  y[2] = pow(x[0], 1.7);
  y[3] = sin(x[0]);
  y[4] = cos(x[0]);
  y[5] = tanh(x[0]);
  y[6] = log10(x[0]);
  y[7] = atan(x[0]);
}
static void
functions_f(const double *x, float *y) {
  float v = (float)x[0];
  y[0] = expf(v);
  y[1] = logf(v);
  y[2] = powf(v, 1.7f);
  y[3] = sinf(v);
}
/* Two increments to each node: their sum has the same bits in either order. */
static void
to_nodes(const double *x, double *left, double *right) {
  *left += exp(-x[0]);
  *right += cos(3 * x[0]);
}

static double
relative(double found, double expected) {
  return fabs(found - expected) / fabs(expected);
}

static void
check_functions(const double *x, const double *y, const float *f) {
  for (int e = 0; e < N; e++) {
    const double *r = y + e * DIM;
    double want[DIM] = {exp(x[e]), log(x[e]),  pow(x[e], 1.7), sin(x[e]),
                        cos(x[e]), tanh(x[e]), log10(x[e]),    atan(x[e])};
    for (int c = 0; c < DIM; c++)
      CHECK(relative(r[c], want[c]) <= 8 * DBL_EPSILON);
    float v = (float)x[e];
    float single[4] = {expf(v), logf(v), powf(v, 1.7f), sinf(v)};
    for (int c = 0; c < 4; c++)
      CHECK(relative(f[e * 4 + c], single[c]) <= 8 * FLT_EPSILON);
  }
}

int
main(int argc, char **argv) {
  static double x[N], y[N * DIM], nodes[N];
  static float f[N * 4];
  static int ends[2 * N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    x[e] = 0.013 + e * 0.00123; /* away from the zeros of log and cos */
    if (fabs(x[e] - 1) < 0.01) x[e] += 0.02;
    ends[2 * e] = e;
    ends[2 * e + 1] = (e + 1) % N;
  }
  op_set edges = op_decl_set(N, "edges"), set = op_decl_set(N, "nodes");
  op_map map = op_decl_map(edges, set, 2, ends, "map");
  op_dat dx = op_decl_dat(edges, 1, "double", x, "x");
  op_dat dy = op_decl_dat(edges, DIM, "double", (double *)NULL, "y");
  op_dat df = op_decl_dat(edges, 4, "float", (float *)NULL, "f");
  op_dat dn = op_decl_dat(set, 1, "double", (double *)NULL, "n");

  op_par_loop(functions, "functions", edges,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dy, -1, OP_ID, DIM, "double", OP_WRITE));
  op_par_loop(functions_f, "functions_f", edges,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(df, -1, OP_ID, 4, "float", OP_WRITE));
  op_par_loop(to_nodes, "to_nodes", edges,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dn, 0, map, 1, "double", OP_INC),
              op_arg_dat(dn, 1, map, 1, "double", OP_INC));
  op_fetch_data(dy, y);
  op_fetch_data(df, f);
  op_fetch_data(dn, nodes);
  check_functions(x, y, f);
  /* devices have functions of their own: to the same accuracy, in other bits */
  const char *target = getenv("OP2_TARGET");
  bool device = target && strcmp(target, "seq") && strcmp(target, "openmp");
  printf("%s y %016llx f %016llx nodes %016llx\n", device ? "device" : "bits",
         (unsigned long long)check_hash(y, sizeof y, 0),
         (unsigned long long)check_hash(f, sizeof f, 0),
         (unsigned long long)check_hash(nodes, sizeof nodes, 0));
  return check_end();
}
