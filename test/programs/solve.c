/* op2_solve_with: a Laplacian (and one with a stream) as loops through a map, against
 * conjugate gradients in plain C: solutions, residuals, numbers of iterations; how often
 * the host looks; options; errors. */
#include "check.h"
#include "errors.h"

enum { W = 24, H = 17, N = W * H, E = (W - 1) * H + W * (H - 1) };

static int ends[2 * E];
static double rhs[N], plain[N], got[N];
static op_set nodes, edges;
static op_map pair;

/* ---- the operator -------------------------------------------------------- */

static void
diagonal(const double *x, double *y) {
  *y = 4 * *x;
}
static void
links(const double *xa, const double *xb, double *ya, double *yb) {
  *ya -= *xb;
  *yb -= *xa;
}
static void
stream(const double *wind, const double *xa, const double *xb, double *ya,
       double *yb) {
  *ya -= (1 - *wind) * *xb;
  *yb -= (1 + *wind) * *xa;
}
static void
diagonal_float(const float *x, float *y) {
  y[0] = 4 * x[0];
  y[1] = 3 * x[1];
}

static void
laplace(op_dat x, op_dat y, void *user) {
  (void)user;
  op_par_loop(diagonal, "diagonal", nodes,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(links, "links", edges,
              op_arg_dat(x, 0, pair, 1, "double", OP_READ),
              op_arg_dat(x, 1, pair, 1, "double", OP_READ),
              op_arg_dat(y, 0, pair, 1, "double", OP_INC),
              op_arg_dat(y, 1, pair, 1, "double", OP_INC));
}

static void
convect(op_dat x, op_dat y, void *user) {
  op_par_loop(diagonal, "diagonal", nodes,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(stream, "stream", edges,
              op_arg_gbl((double *)user, 1, "double", OP_READ),
              op_arg_dat(x, 0, pair, 1, "double", OP_READ),
              op_arg_dat(x, 1, pair, 1, "double", OP_READ),
              op_arg_dat(y, 0, pair, 1, "double", OP_INC),
              op_arg_dat(y, 1, pair, 1, "double", OP_INC));
}

static void
scaled(op_dat x, op_dat y, void *user) {
  (void)user;
  op_par_loop(diagonal_float, "diagonal_float", nodes,
              op_arg_dat(x, -1, OP_ID, 2, "float", OP_READ),
              op_arg_dat(y, -1, OP_ID, 2, "float", OP_WRITE));
}

static void
nothing(op_dat x, op_dat y, void *user) {
  (void)x, (void)user;
  op2_dat_zero(y);
}

/* ---- plain C ------------------------------------------------------------- */

static void
plain_apply(const double *x, double *y, double wind) {
  for (int i = 0; i < N; i++) y[i] = 4 * x[i];
  for (int e = 0; e < E; e++) {
    y[ends[2 * e]] -= (1 - wind) * x[ends[2 * e + 1]];
    y[ends[2 * e + 1]] -= (1 + wind) * x[ends[2 * e]];
  }
}

static double
plain_dot(const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += x[i] * y[i];
  return sum;
}

/* Iterations of conjugate gradients from zero. */
static int
plain_cg(double *x, double rtol) {
  static double r[N], p[N], q[N];
  int k = 0;
  memset(x, 0, N * sizeof *x);
  memcpy(r, rhs, sizeof r);
  memcpy(p, rhs, sizeof p);
  double rr = plain_dot(r, r), limit = rtol * rtol * rr;
  for (; rr > limit; k++) {
    plain_apply(p, q, 0);
    double alpha = rr / plain_dot(p, q), old = rr;
    for (int i = 0; i < N; i++) x[i] += alpha * p[i];
    for (int i = 0; i < N; i++) r[i] -= alpha * q[i];
    rr = plain_dot(r, r);
    for (int i = 0; i < N; i++) p[i] = r[i] + rr / old * p[i];
  }
  return k;
}

/* |b - A x| / |b| of what was got. */
static double
plain_residual(double wind) {
  static double r[N];
  plain_apply(got, r, wind);
  for (int i = 0; i < N; i++) r[i] = rhs[i] - r[i];
  return sqrt(plain_dot(r, r) / plain_dot(rhs, rhs));
}

/* ---- tests --------------------------------------------------------------- */

static void
mesh_make(void) {
  int e = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int d = 0; d < 2; d++) {
        if (x + !d == W || y + d == H) continue;
        ends[2 * e] = y * W + x;
        ends[2 * e++ + 1] = (y + d) * W + x + !d;
      }
  for (int i = 0; i < N; i++) rhs[i] = 1 + i % 7 - (i % 5) * 0.5;
  nodes = op_decl_set(N, "nodes");
  edges = op_decl_set(E, "edges");
  pair = op_decl_map(edges, nodes, 2, ends, "pair");
}

static void
check_cg(op_dat x, op_dat b, const char *options, int check) {
  struct op2_solve_info info;
  int expected = plain_cg(plain, 1e-8);
  op2_dat_zero(x);
  op2_flush();
  op2_counters_reset();
  CHECK_INT(op2_solve_with(laplace, NULL, x, b, options, &info), 0);
  if (check_lazy() && !getenv("OP2_TRACE_MAX_LOOPS"))
    CHECK(op2_counter("flushes") <= (info.iterations + check - 1) / check + 4);
  op_fetch_data(x, got);
  CHECK_INT(info.converged, 1);
  CHECK(abs(info.iterations - expected) <= 1);
  CHECK(info.residual <= 1e-8);
  CHECK(plain_residual(0) <= 1.01e-8);
  for (int i = 0; i < N; i++) CHECK(fabs(got[i] - plain[i]) <= 1e-6);
}

/* Both ways of a stream, which no conjugate gradients take. */
static void
check_stream(op_dat x, op_dat b, const char *options, double rtol) {
  struct op2_solve_info info;
  double wind = 0.6;
  op2_dat_zero(x);
  CHECK_INT(op2_solve_with(convect, &wind, x, b, options, &info), 0);
  op_fetch_data(x, got);
  CHECK_INT(info.converged, 1);
  CHECK(info.iterations > 3 && info.iterations < 300);
  CHECK(info.residual <= rtol);
  CHECK(plain_residual(wind) <= 1.01 * rtol);
}

/* The start counts; zero as the right-hand side; too few iterations; an operator that
 * has no solution; nothing to tell. */
static void
check_ends(op_dat x, op_dat b) {
  struct op2_solve_info info;
  op_dat zero = op_decl_dat(nodes, 1, "double", (double *)NULL, "zero");
  check_cg(x, b, "cg", 10);
  CHECK_INT(op2_solve_with(laplace, NULL, x, b, "", &info), 0);
  CHECK(info.converged && info.iterations <= 1);
  const char *const methods[] = {"cg maxit=7", "bicgstab maxit=7 check=3",
                                 "gmres maxit=7 restart=4"};
  for (int m = 0; m < 3; m++) {
    op2_dat_zero(x);
    CHECK_INT(op2_solve_with(laplace, NULL, x, b, methods[m], &info), 0);
    op_fetch_data(x, got);
    CHECK(!info.converged && info.iterations == 7);
    CHECK_NEAR(info.residual, plain_residual(0), 1e-10);
    op2_dat_zero(x);
    CHECK_INT(op2_solve_with(nothing, NULL, x, b, methods[m], &info), 0);
    CHECK(!info.converged && info.residual == 1);
  }
  op2_dat_axpy(x, 1, b);
  CHECK_INT(op2_solve_with(laplace, NULL, x, zero, NULL, &info), 0);
  CHECK(info.converged && info.iterations == 0 && info.residual == 0);
  op_fetch_data(x, got);
  for (int i = 0; i < N; i++) CHECK_REAL(got[i], 0);
  CHECK_INT(op2_solve_with(laplace, NULL, x, b, "cg maxit=0", NULL), 0);
}

static void
check_float(void) {
  static float f[2 * N], found[2 * N];
  struct op2_solve_info info;
  for (int i = 0; i < 2 * N; i++) f[i] = (float)(i % 9 + 1);
  op_dat x = op_decl_dat(nodes, 2, "float", (float *)NULL, "xf");
  op_dat b = op_decl_dat(nodes, 2, "float", f, "bf");
  const char *const methods[] = {"cg rtol=1e-5", "bicgstab rtol=1e-5",
                                 "gmres rtol=1e-5"};
  for (int m = 0; m < 3; m++) {
    op2_dat_zero(x);
    CHECK_INT(op2_solve_with(scaled, NULL, x, b, methods[m], &info), 0);
    CHECK(info.converged && info.iterations <= 3);
    op_fetch_data(x, found);
    for (int i = 0; i < 2 * N; i++)
      CHECK(fabs((double)found[i] * (i % 2 ? 3 : 4) - f[i]) < 1e-3);
  }
}

#define CHECK_ERROR(call, text)                                                \
  do {                                                                         \
    errors = 0;                                                                \
    CHECK_INT(call, OP2_ERR_ARG);                                              \
    CHECK_INT(errors, 1);                                                      \
    if (!strstr(message, text) || !strstr(message, "solve.c:"))                \
      check_fail(__FILE__, __LINE__, "found \"%s\"", message);                 \
  } while (0)

static void
check_errors(op_dat x, op_dat b) {
  op_dat i = op_decl_dat(nodes, 1, "int", (int *)NULL, "i");
  op_dat e = op_decl_dat(edges, 1, "double", (double *)NULL, "e");
  op2_set_error_handler(on_error, NULL);
  CHECK_ERROR(op2_solve_with(NULL, NULL, x, b, "cg", NULL),
              "op2_solve_with: apply: expected a function, found NULL");
  CHECK_ERROR(op2_solve_with(laplace, NULL, NULL, b, "cg", NULL),
              "op2_solve_with: x: expected a declared dat, found NULL");
  CHECK_ERROR(op2_solve_with(laplace, NULL, i, b, "cg", NULL),
              "x: wrong type: expected double or float, found \"int\"");
  CHECK_ERROR(
      op2_solve_with(laplace, NULL, x, e, "cg", NULL),
      "b: expected 1 of \"double\" on set \"nodes\" as \"x\", found 1 of "
      "\"double\" on set \"edges\"");
  CHECK_ERROR(op2_solve_with(laplace, NULL, x, x, "cg", NULL),
              "b: expected another dat than x, found \"x\"");
  const char *const wrong[] = {
      "cg jacobi", "rtol",    "rtol=",     "rtol=-1",     "rtol=1e-8x",
      "maxit=1.5", "check=0", "restart=0", "cg, maxit=3", "petsc"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    CHECK_ERROR(
        op2_solve_with(laplace, NULL, x, b, wrong[k], NULL),
        "options: expected cg, bicgstab or gmres, rtol=, maxit=, check= "
        "or restart=, found");
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  mesh_make();
  op_dat x = op_decl_dat(nodes, 1, "double", (double *)NULL, "x");
  op_dat b = op_decl_dat(nodes, 1, "double", rhs, "b");
  check_cg(x, b, NULL, 10);
  check_cg(x, b, "cg rtol=1e-8 check=1", 1);
  check_cg(x, b, " cg  check=25\tmaxit=100 ", 25);
  check_stream(x, b, "bicgstab", 1e-8);
  check_stream(x, b, "bicgstab check=3 rtol=1e-5", 1e-5);
  check_stream(x, b, "gmres", 1e-8);
  check_stream(x, b, "gmres restart=8 rtol=1e-6", 1e-6);
  check_ends(x, b);
  check_float();
  check_errors(x, b);
  return check_end();
}
