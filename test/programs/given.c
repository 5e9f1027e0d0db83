/* Loops in kernels over numbers that are variables of the program: what is proven of
 * them with the values that they have holds as long as they have these. */
#include "check.h"

enum { N = 307, MOST = 12 };

static int levels = MOST, upwards = 1;
static short stride = 1;
static double rate = 0.5;

static void
fill(const double *x, double *y) {
  for (int l = 0; l < levels; l++) y[l] = x[l] * rate + l;
}
static void
shift(double **x, double *y) {
  for (int l = 0; l < levels; l += stride)
    if (upwards)
      y[l] += x[0][l] - x[1][l];
    else
      y[levels - 1 - l] -= x[1][l];
}
static void
total(const double *x, double *sum) {
  for (int l = 0; l < levels; l++) *sum += x[l];
}
/* Ends where the data say so, however many levels there are. */
static void
count(const double *x, int *n) {
  int l = 0;
  while (l < levels && x[l] < 1e9) l++;
  *n = l;
}

static int power = 2, other = 1;

/* What a power of a constant is computed as does not depend on who knows what. */
static void
raise(const double *x, double *y) {
  for (int l = 0; l < levels; l++)
    y[l] = pow(0.1 + 1e-3 * x[l], power) + sin(0.37 * l) + (other > 100);
}

static struct {
  op_set s;
  op_map next;
  op_dat x, y, n;
  int map[2 * N], c[N];
  double a[N * MOST], b[N * MOST];
} g;

static void
declare(void) {
  for (int e = 0; e < N; e++) {
    g.map[2 * e] = (e + 1) % N;
    g.map[2 * e + 1] = (e * 7 + 3) % N;
  }
  for (int i = 0; i < N * MOST; i++) {
    g.a[i] = i % 17;
    g.b[i] = -1 - i % 3;
  }
  g.s = op_decl_set(N, "s");
  g.next = op_decl_map(g.s, g.s, 2, g.map, "next");
  g.x = op_decl_dat(g.s, MOST, "double", g.a, "x");
  g.y = op_decl_dat(g.s, MOST, "double", g.b, "y");
  g.n = op_decl_dat(g.s, 1, "int", g.c, "n");
  op_decl_const(1, "int", &levels);
  op_decl_const(1, "int", &upwards);
  op_decl_const(1, "short", &stride);
  op_decl_const(1, "double", &rate);
}

/* The same by hand. */
static double
expected(void) {
  double sum = 0;
  for (int e = 0; e < N; e++) fill(&g.a[e * MOST], &g.b[e * MOST]);
  for (int e = 0; e < N; e++) {
    double *x[] = {&g.a[g.map[2 * e] * MOST], &g.a[g.map[2 * e + 1] * MOST]};
    shift(x, &g.b[e * MOST]);
  }
  for (int e = 0; e < N; e++) total(&g.b[e * MOST], &sum);
  for (int e = 0; e < N; e++) count(&g.b[e * MOST], &g.c[e]);
  return sum;
}

/* All numbers are halves: sums are exact in any order. */
static void
step(void) {
  double sum = 0, got[N * MOST], want;
  int n[N];
  op_par_loop(fill, "fill", g.s,
              op_arg_dat(g.x, -1, OP_ID, MOST, "double", OP_READ),
              op_arg_dat(g.y, -1, OP_ID, MOST, "double", OP_WRITE));
  op_par_loop(shift, "shift", g.s,
              op_arg_dat(g.x, -2, g.next, MOST, "double", OP_READ),
              op_arg_dat(g.y, -1, OP_ID, MOST, "double", OP_RW));
  op_par_loop(total, "total", g.s,
              op_arg_dat(g.y, -1, OP_ID, MOST, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  op_par_loop(count, "count", g.s,
              op_arg_dat(g.y, -1, OP_ID, MOST, "double", OP_READ),
              op_arg_dat(g.n, -1, OP_ID, 1, "int", OP_WRITE));
  want = expected();
  CHECK_REAL(sum, want);
  op_fetch_data(g.y, got);
  CHECK_REALS(got, g.b, N * MOST);
  op_fetch_data(g.n, n);
  CHECK_INTS(n, g.c, N);
}

/* Loops that are recorded before a change see the value that there was. */
static void
step_changed_between(void) {
  double got[N * MOST];
  for (int k = 3; k < 6; k++) {
    levels = k;
    op_par_loop(fill, "fill", g.s,
                op_arg_dat(g.x, -1, OP_ID, MOST, "double", OP_READ),
                op_arg_dat(g.y, -1, OP_ID, MOST, "double", OP_WRITE));
    for (int e = 0; e < N; e++) fill(&g.a[e * MOST], &g.b[e * MOST]);
    rate = -rate;
  }
  op_fetch_data(g.y, got);
  CHECK_REALS(got, g.b, N * MOST);
}

/* Two dats in turns, each with a number of its own: what is above the smaller one
 * stays. */
static void
numbers_alternate(void) {
  static double start[2][N * MOST], got[N * MOST];
  static const int of[2] = {MOST, 5};
  op_dat y[2];
  for (int i = 0; i < N * MOST; i++) start[0][i] = start[1][i] = -1 - i % 7;
  for (int k = 0; k < 2; k++)
    y[k] = op_decl_dat(g.s, MOST, "double", start[k], k ? "few" : "all");
  for (int k = 0; k < 4; k++) {
    levels = of[k % 2];
    op_par_loop(fill, "fill", g.s,
                op_arg_dat(g.x, -1, OP_ID, MOST, "double", OP_READ),
                op_arg_dat(y[k % 2], -1, OP_ID, MOST, "double", OP_WRITE));
    for (int e = 0; e < N; e++) fill(&g.a[e * MOST], &start[k % 2][e * MOST]);
    op_fetch_data(y[k % 2], got);
    CHECK_REALS(got, start[k % 2], N * MOST);
  }
  levels = MOST;
}

/* Each step has dats of its own, so that its loop is new, and another value. */
static void
step_anew(void) {
  static double got[N * MOST], want[N * MOST];
  for (int k = 0; k < 2 * MOST; k++) {
    levels = k % MOST + 1;
    memset(want, 0, sizeof want);
    op_dat y = op_decl_dat_temp(g.s, MOST, "double", (double *)NULL, "anew");
    op_par_loop(fill, "fill", g.s,
                op_arg_dat(g.x, -1, OP_ID, MOST, "double", OP_READ),
                op_arg_dat(y, -1, OP_ID, MOST, "double", OP_WRITE));
    for (int e = 0; e < N; e++) fill(&g.a[e * MOST], &want[e * MOST]);
    op_fetch_data(y, got);
    CHECK_REALS(got, want, N * MOST);
    op_free_dat_temp(y);
  }
}

/* The same loop on the same data before and after an integer has changed that
 * does nothing to it: the same bits. */
static void
bits_stay(void) {
  static double got[2][N * MOST];
  for (int k = 0; k < 2; k++) {
    other = k + 1;
    op_par_loop(raise, "raise", g.s,
                op_arg_dat(g.x, -1, OP_ID, MOST, "double", OP_READ),
                op_arg_dat(g.y, -1, OP_ID, MOST, "double", OP_WRITE));
    op_fetch_data(g.y, got[k]);
  }
  CHECK(!memcmp(got[0], got[1], sizeof got[0]));
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  declare();
  numbers_alternate();
  step();
  step();
  rate = 1.5;
  step();
  levels = 5; /* what is above them stays */
  step();
  upwards = 0;
  step();
  levels = 7;
  stride = 2;
  step();
  levels = MOST;
  stride = 1;
  step();
  step_changed_between();
  step_anew();
  levels = MOST;
  bits_stay();
  return check_end();
}
