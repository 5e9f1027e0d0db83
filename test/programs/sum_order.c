/* A float sum has the same bits whatever the compiler makes of its loop, and whatever
 * else is in its region: a kernel that becomes vectors, one with a loop of unknown
 * length, which does not, both in one region, beside wider values, beside so many that
 * blocks are shorter, and two loops that add to one global. */
#include "check.h"

enum { N = 1003 };

static void
smooth(const double *x, double *sum) {
  *sum += *x;
}
/* Halved until it is small, and back: exact. */
static void
rough(const double *x, double *sum) {
  double v = *x;
  int n = 0;
  for (; v > 1; n++) v *= 0.5;
  for (; n > 0; n--) v *= 2;
  *sum += v;
}
static void
rough_float(const float *x, float *most, float *sum) {
  float v = *x;
  int n = 0;
  for (; v > 1; n++) v *= 0.5f;
  for (; n > 0; n--) v *= 2;
  if (v > most[1]) most[1] = v;
  sum[0] += v;
  sum[1] -= 3 * v;
}
static void
smooth_float(const float *x, float *sum) {
  sum[0] += *x;
  sum[1] -= 3 * *x;
}

enum { MANY = 26 };
/* More values than long vectors are good for. */
static void
heavy(const double *x, double *many) {
  for (int i = 0; i < MANY; i++) many[i] = i * *x + many[i] / 2;
}

static op_set set;
static op_dat x, y, many, more;

static void
doubles(double want) {
  double first = 1, second = 1, both[2] = {1, 1};
  op_par_loop(smooth, "smooth", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&first, 1, "double", OP_INC));
  op2_flush();
  op_par_loop(rough, "rough", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&second, 1, "double", OP_INC));
  op2_flush();
  op_par_loop(smooth, "smooth", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&both[0], 1, "double", OP_INC));
  op_par_loop(rough, "rough", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&both[1], 1, "double", OP_INC));
  CHECK_NEAR(first, want, 1e-11);
  CHECK_REAL(second, first);
  CHECK_REAL(both[0], first);
  CHECK_REAL(both[1], first);
}

static void
floats(float want) {
  float first[2] = {0, 0}, second[2] = {0, 0}, most[2] = {0, 0};
  op_par_loop(smooth_float, "smooth_float", set,
              op_arg_dat(y, -1, OP_ID, 1, "float", OP_READ),
              op_arg_gbl(first, 2, "float", OP_INC));
  op2_flush();
  op_par_loop(rough_float, "rough_float", set,
              op_arg_dat(y, -1, OP_ID, 1, "float", OP_READ),
              op_arg_gbl(most, 2, "float", OP_MAX),
              op_arg_gbl(second, 2, "float", OP_INC));
  CHECK_REAL(most[1], want);
  CHECK_REAL(second[0], first[0]);
  CHECK_REAL(second[1], first[1]);
}

/* What alone has as many running sums as a line has floats, beside doubles. */
static void
beside_wider(void) {
  float alone[2] = {1, 1}, fused[2] = {1, 1};
  double wide = 0;
  op_par_loop(smooth_float, "smooth_float", set,
              op_arg_dat(y, -1, OP_ID, 1, "float", OP_READ),
              op_arg_gbl(alone, 2, "float", OP_INC));
  op2_flush();
  op_par_loop(smooth, "smooth", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&wide, 1, "double", OP_INC));
  op_par_loop(smooth_float, "smooth_float", set,
              op_arg_dat(y, -1, OP_ID, 1, "float", OP_READ),
              op_arg_gbl(fused, 2, "float", OP_INC));
  op2_flush();
  CHECK_REAL(fused[0], alone[0]);
  CHECK_REAL(fused[1], alone[1]);
}

static void
heavy_loop(op_dat of, double *sum) {
  op_par_loop(heavy, "heavy", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(of, -1, OP_ID, MANY, "double", OP_RW));
  op_par_loop(smooth, "smooth", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(sum, 1, "double", OP_INC));
}

/* Where blocks are shorter, and where the global is that of two loops. */
static void
beside_many(void) {
  double alone = 1, again = 1, fused = 1, two = 0.1, both = 0.1;
  op_par_loop(smooth, "smooth", set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&alone, 1, "double", OP_INC));
  op2_flush();
  heavy_loop(many, &again);
  heavy_loop(more, &fused);
  op2_flush();
  CHECK_REAL(again, alone);
  CHECK_REAL(fused, alone);
  for (int k = 0; k < 2; k++) {
    op_par_loop(smooth, "smooth", set,
                op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&two, 1, "double", OP_INC));
    op2_flush();
  }
  for (int k = 0; k < 2; k++)
    op_par_loop(smooth, "smooth", set,
                op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&both, 1, "double", OP_INC));
  CHECK_REAL(both, two);
}

int
main(int argc, char **argv) {
  static double a[N];
  static float b[N];
  static double of[N][MANY];
  double sum = 1;
  float most = 0;
  for (int i = 0; i < N; i++) {
    a[i] = 1 / (3.0 + i) + i % 17;
    b[i] = (float)a[i];
    sum += a[i];
    if (b[i] > most) most = b[i];
  }
  check_start(argc, argv);
  set = op_decl_set(N, "set");
  x = op_decl_dat(set, 1, "double", a, "x");
  y = op_decl_dat(set, 1, "float", b, "y");
  many = op_decl_dat(set, MANY, "double", of, "many");
  more = op_decl_dat(set, MANY, "double", of, "more");
  doubles(sum);
  floats(most);
  beside_wider();
  beside_many();
  doubles(sum);
  return check_end();
}
