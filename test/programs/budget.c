/* Code that would take minutes to compile if it were spelt out: inner loops of constant
 * length, and 64 map entries of 32 components. And rows of more components than are
 * moved one by one. */
#include "check.h"

enum { LONG = 100000, N = 203, ARITY = 64, DIM = 32, SOME = 20, LEVELS = 70 };

static void
substeps(const double *dt, double *u) {
  double a = u[0], b = u[1];
  for (int k = 0; k < LONG; k++) {
    double c = a * 0.5 - b;
    b += *dt * c;
    a -= *dt * b;
    if (a > 10) a -= 10;
  }
  u[0] = a;
  u[1] = b;
}
static void
total(const int *x, int *y) {
  unsigned r = (unsigned)*x;
  for (unsigned k = 0; k < LONG; k++) r ^= r * 3 + k;
  *y = (int)(r >> 1);
}
static void
gather(const int **x, int *y) {
  for (int d = 0; d < DIM; d++) {
    y[d] = 0;
    for (int k = 0; k < ARITY; k++) y[d] += x[k][d] * (k + 1);
  }
}
static void
scatter(const int *x, int **y) {
  for (int k = 0; k < ARITY; k++)
    for (int d = 0; d < DIM; d++) y[k][d] += x[d];
}

static void
mix(const int **x, int *y) {
  for (int d = 0; d < LEVELS; d++)
    for (int k = 0; k < SOME; k++) y[d] += (x[k][d] - x[k][LEVELS - 1 - d]) * k;
}
static void
spread(const int *x, int **y) {
  for (int k = 0; k < SOME; k++)
    for (int d = 0; d < LEVELS; d++) y[k][d] += x[d] * (d + k);
}

static op_set s;

static void
check_loops(void) {
  static int x[N], y[N], want;
  double dt = 1e-3, u[2] = {1, 2}, expected[2] = {1, 2}, out[2];
  for (int e = 0; e < N; e++) x[e] = e;
  op_set one = op_decl_set(1, "one");
  op_dat du = op_decl_dat(one, 2, "double", u, "u");
  op_dat dx = op_decl_dat(s, 1, "int", x, "x");
  op_dat dy = op_decl_dat(s, 1, "int", (int *)NULL, "y");
  op_par_loop(substeps, "substeps", one, op_arg_gbl(&dt, 1, "double", OP_READ),
              op_arg_dat(du, -1, OP_ID, 2, "double", OP_RW));
  op_par_loop(total, "total", s, op_arg_dat(dx, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(dy, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(du, out);
  op_fetch_data(dy, y);
  substeps(&dt, expected);
  for (int c = 0; c < 2; c++) CHECK_NEAR(out[c], expected[c], 1e-6);
  for (int e = 0; e < N; e++) {
    total(&x[e], &want);
    CHECK_INT(y[e], want);
  }
}

static void
check_entries(void) {
  static int map[N * ARITY], x[N * DIM], y[N * DIM], z[N * DIM], got[N * DIM];
  for (int i = 0; i < N * ARITY; i++) map[i] = (i * 37 + i / ARITY) % N;
  for (int i = 0; i < N * DIM; i++) x[i] = i % 7;
  op_map m = op_decl_map(s, s, ARITY, map, "m");
  op_dat dx = op_decl_dat(s, DIM, "int", x, "wx");
  op_dat dy = op_decl_dat(s, DIM, "int", (int *)NULL, "wy");
  op_dat dz = op_decl_dat(s, DIM, "int", (int *)NULL, "wz");
  op_par_loop(gather, "gather", s,
              op_arg_dat(dx, -ARITY, m, DIM, "int", OP_READ),
              op_arg_dat(dy, -1, OP_ID, DIM, "int", OP_WRITE));
  op_par_loop(scatter, "scatter", s,
              op_arg_dat(dy, -1, OP_ID, DIM, "int", OP_READ),
              op_arg_dat(dz, -ARITY, m, DIM, "int", OP_INC));
  for (int e = 0; e < N; e++) {
    const int *from[ARITY];
    int *to[ARITY];
    for (int k = 0; k < ARITY; k++) {
      from[k] = &x[map[e * ARITY + k] * DIM];
      to[k] = &z[map[e * ARITY + k] * DIM];
    }
    gather(from, &y[e * DIM]);
    scatter(&y[e * DIM], to);
  }
  op_fetch_data(dz, got);
  CHECK_INTS(got, z, N * DIM);
}

static void
check_levels(void) {
  static int map[N * SOME], x[N * LEVELS], y[N * LEVELS], z[N * LEVELS],
      got[N * LEVELS];
  for (int i = 0; i < N * SOME; i++) map[i] = (i * 41 + i / SOME) % N;
  for (int i = 0; i < N * LEVELS; i++) x[i] = i % 11;
  op_map m = op_decl_map(s, s, SOME, map, "some");
  op_dat dx = op_decl_dat(s, LEVELS, "int", x, "lx");
  op_dat dy = op_decl_dat(s, LEVELS, "int", x, "ly");
  op_dat dz = op_decl_dat(s, LEVELS, "int", (int *)NULL, "lz");
  op_par_loop(mix, "mix", s, op_arg_dat(dx, -SOME, m, LEVELS, "int", OP_READ),
              op_arg_dat(dy, -1, OP_ID, LEVELS, "int", OP_RW));
  op_par_loop(spread, "spread", s,
              op_arg_dat(dy, -1, OP_ID, LEVELS, "int", OP_READ),
              op_arg_dat(dz, -SOME, m, LEVELS, "int", OP_INC));
  memcpy(y, x, sizeof y);
  for (int e = 0; e < N; e++) {
    const int *from[SOME];
    int *to[SOME];
    for (int k = 0; k < SOME; k++) {
      from[k] = &x[map[e * SOME + k] * LEVELS];
      to[k] = &z[map[e * SOME + k] * LEVELS];
    }
    mix(from, &y[e * LEVELS]);
    spread(&y[e * LEVELS], to);
  }
  op_fetch_data(dz, got);
  CHECK_INTS(got, z, N * LEVELS);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  check_loops();
  check_entries();
  check_levels();
  return check_end();
}
