/* Temporaries of many components between loops over the points of a box, which are
 * computed where others read them: as many as are moved one by one, more than that,
 * and as many as a variable of the program says. Whole numbers: exact. */
#include "check.h"

enum {
  N = 14,
  WIDE = N + 2,
  READS = 5,
  FEW = 5,
  SOME = 32,
  MANY = 130,
  VARY = 40
};

static int levels = VARY;

#define KERNELS(name, n)                                                       \
  static void name##_tilt(double **x, double *t) {                             \
    for (int l = 0; l < n; l++) t[l] = 2 * x[1][l] - x[0][n - 1 - l] + l;      \
  }                                                                            \
  static void name##_sum(double **t, const double *x, double *y) {             \
    for (int l = 0; l < n; l++) {                                              \
      y[l] = *x;                                                               \
      for (int k = 0; k < READS; k++) y[l] += (k + 1) * t[k][l];               \
    }                                                                          \
  }
KERNELS(few, FEW)
KERNELS(some, SOME)
KERNELS(many, MANY)
KERNELS(vary, levels)

struct plane {
  op_set box;
  op_map two, near;
  int one[4];
};

/* A point and the one east of it; a point and its neighbours. */
static const int two_at[] = {0, 0, 1, 0};
static const int near_at[] = {0, 0, -1, 0, 1, 0, 0, -1, 0, 1};

static struct plane
plane_make(void) {
  struct plane p = {.one = {1, 1, 1, 1}};
  p.box = op2_decl_box(2, (idx_g_t[]){N, N}, NULL, "plane");
  p.two = op2_decl_map_rule(p.box, p.box, 2, (int *)two_at, "two");
  p.near = op2_decl_map_rule(p.box, p.box, READS, (int *)near_at, "near");
  return p;
}

typedef void tilt_fn(double **x, double *t);
typedef void sum_fn(double **t, const double *x, double *y);

/* x has two points around the box, its temporary one. */
static void
expect(const double *x, int n, tilt_fn *tilt, sum_fn *sum, double *y) {
  enum { X = N + 4 };
  static double t[READS][MANY];
  for (int e = 0; e < N * N; e++) {
    double *of[READS];
    for (int k = 0; k < READS; k++) {
      int i = e % N + 2 + near_at[2 * k], j = e / N + 2 + near_at[2 * k + 1];
      double *at[] = {(double *)x + (i + X * j) * n,
                      (double *)x + (i + 1 + X * j) * n};
      of[k] = t[k];
      tilt(at, t[k]);
    }
    sum(of, &x[(e % N + 2 + X * (e / N + 2)) * n], &y[e * n]);
  }
}

static void
check_made(const double *x, op_dat out, int n, tilt_fn *tilt, sum_fn *sum) {
  static double got[N * N * MANY], want[N * N * MANY];
  op_fetch_data(out, got);
  expect(x, n, tilt, sum, want);
  CHECK_REALS(got, want, N * N * n);
}

#define CHECK_LEVELS(p, name, n)                                               \
  do {                                                                         \
    static double x[(N + 4) * (N + 4) * MANY];                                 \
    int around[] = {2, 2, 2, 2};                                               \
    for (int k = 0; k < (N + 4) * (N + 4) * (n); k++) x[k] = k * 37 % 101;     \
    op_dat in = op2_decl_dat_box((p)->box, around, n, "double", x, #name "x"); \
    op_dat out =                                                               \
        op_decl_dat((p)->box, n, "double", (double *)NULL, #name "y");         \
    for (int k = 0; k < 2; k++) {                                              \
      op_dat t =                                                               \
          op2_decl_dat_box_temp((p)->box, (p)->one, n, "double", #name);       \
      op_par_loop(name##_tilt, #name "_tilt", (p)->box,                        \
                  op_arg_dat(in, -2, (p)->two, n, "double", OP_READ),          \
                  op_arg_dat(t, -1, OP_ID, n, "double", OP_WRITE));            \
      op_par_loop(name##_sum, #name "_sum", (p)->box,                          \
                  op_arg_dat(t, -READS, (p)->near, n, "double", OP_READ),      \
                  op_arg_dat(in, -1, OP_ID, n, "double", OP_READ),             \
                  op_arg_dat(out, -1, OP_ID, n, "double", OP_WRITE));          \
      op_free_dat_temp(t);                                                     \
    }                                                                          \
    check_made(x, out, n, name##_tilt, name##_sum);                            \
  } while (0)

int
main(int argc, char **argv) {
  check_start(argc, argv);
  struct plane p = plane_make();
  op_decl_const(1, "int", &levels);
  CHECK_LEVELS(&p, few, FEW);
  CHECK_LEVELS(&p, some, SOME);
  CHECK_LEVELS(&p, many, MANY);
  CHECK_LEVELS(&p, vary, VARY);
  levels = VARY - 3;
  CHECK_LEVELS(&p, vary, VARY - 3);
  return check_end();
}
