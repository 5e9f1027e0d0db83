/* Matrices and solvers of PETSc: what its Mat holds, shared and copied; solutions against
 * conjugate gradients in plain C; options; op_init after op_exit. Where the library is
 * built without PETSc: what it says then. PETSc's functions are found where the library
 * has opened them. */
#include "check.h"
#include "errors.h"

#include <dlfcn.h>

enum { W = 13, H = 11, N = W * H, E = (W - 1) * H + W * (H - 1) };

/* Do ranks have parts? Then Mats are copies, and mistakes are another test's. */
#ifdef TEST_MPI_SLICE_H
static const int parts = 1;
#else
static const int parts = 0;
#endif
static int ends[2 * E];
static double rhs[2 * N], plain[N], got[2 * N], before[2 * N];
static op_set nodes, edges;
static op_map pair;
static op2_sparsity links;
static op_dat right; /* rhs: before op_partition, in its order then */

/* ---- kernels ------------------------------------------------------------- */

static void
couple(const double *wind, double *a) {
  a[1] -= 1 - *wind;
  a[2] -= 1 + *wind;
}
static void
couple_floats(float *a) {
  a[1] -= 1;
  a[2] -= 1.5f;
}
static void
couple_blocks(double *a) {
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 2; c++) {
      a[r * 4 + 2 + c] -= r == c ? 1 : 0.25 * (1 + r);
      a[(2 + r) * 4 + c] -= r == c ? 0.5 : 0.125 * (1 + c);
    }
}

/* ---- matrices ------------------------------------------------------------ */

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
  for (int i = 0; i < 2 * N; i++) rhs[i] = 1 + i % 7 - (i % 5) * 0.5;
  nodes = op_decl_set(N, "nodes");
  edges = op_decl_set(E, "edges");
  pair = op_decl_map(edges, nodes, 2, ends, "pair");
  links = op2_decl_sparsity(1, &pair, &pair, "links");
  right = op_decl_dat(nodes, 1, "double", rhs, "right");
}

static void
assemble(op2_mat a, double diagonal, double wind) {
  op2_mat_zero(a);
  op_par_loop(couple, "couple", edges, op_arg_gbl(&wind, 1, "double", OP_READ),
              op2_arg_mat(a, pair, pair, 1, 1, "double", OP_INC));
  op2_mat_set_diagonal(a, NULL, diagonal);
}

static op2_mat
blocks_make(void) {
  op2_mat a = op2_decl_mat(links, 2, 2, "double", "blocks");
  op_par_loop(couple_blocks, "couple_blocks", edges,
              op2_arg_mat(a, pair, pair, 2, 2, "double", OP_INC));
  op2_mat_set_diagonal(a, NULL, 5);
  return a;
}

static op2_mat
floats_make(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "float", "floats");
  op_par_loop(couple_floats, "couple_floats", edges,
              op2_arg_mat(a, pair, pair, 1, 1, "float", OP_INC));
  op2_mat_set_diagonal(a, NULL, 6);
  return a;
}

/* ---- PETSc --------------------------------------------------------------- */

static void *
of_petsc(const char *name) {
  void *f = dlsym(dlopen(NULL, RTLD_LAZY), name);
  CHECK(f != NULL);
  return f;
}

/* Numbers of 64 bits serve for 32, too: the lower half comes first. */
static double
entry(void *mat, long long row, long long column) {
  int (*get)(void *, long long, const long long *, long long, const long long *,
             double *);
  double value = NAN;
  *(void **)&get = of_petsc("MatGetValues");
  if (get) CHECK_INT(get(mat, 1, &row, 1, &column, &value), 0);
  return value;
}

static const double *
array_of(void *mat) {
  int (*get)(void *, const double **);
  const double *values = NULL;
  *(void **)&get = of_petsc("MatSeqAIJGetArrayRead");
  if (get) CHECK_INT(get(mat, &values), 0);
  return values;
}

/* All that the library has, and a zero where it has none. */
static void
check_values(op2_mat a, int dim, int wide) {
  void *mat = op2_mat_petsc(a);
  CHECK(mat != NULL);
  if (!mat) return;
  struct op2_csr c = op2_mat_csr(a);
  long long first = op_get_global_set_offset(nodes);
  for (long long e = 0; e < c.rows; e++)
    for (long long k = c.row_ptr[e]; k < c.row_ptr[e + 1]; k++)
      for (int i = 0; i < dim * dim; i++) {
        long long at = k * dim * dim + i;
        double expected = wide ? ((const double *)c.values)[at]
                               : (double)((const float *)c.values)[at];
        CHECK_REAL(entry(mat, (first + e) * dim + i / dim,
                         c.column[k] * dim + i % dim),
                   expected);
      }
  if (c.rows && !first) CHECK_REAL(entry(mat, 0, (long long)N * dim - 1), 0);
}

static void
check_shared(op2_mat a) {
  void *mat = op2_mat_petsc(a);
  CHECK(mat && op2_mat_petsc(a) == mat);
  if (!mat) return;
  const void *values = op2_mat_csr(a).values;
  CHECK(op2_mat_petsc(a) == mat && (const void *)array_of(mat) == values);
}

static void
test_values(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "a");
  check_values(a, 1, 1);
  assemble(a, 4, 0.25);
  /* op_partition, at the first loop in parts, runs what waits */
  if (check_lazy() && !getenv("PART")) CHECK_INT(op2_pending(), 3);
  if (!parts) check_shared(a);
  check_values(a, 1, 1);
  assemble(a, 5, 0);
  check_values(a, 1, 1);
  op2_mat b = blocks_make();
  check_values(b, 2, 1);
  op2_mat f = floats_make();
  check_values(f, 1, 0);
  op2_mat_set_diagonal(b, NULL, 7);
  op2_mat_set_diagonal(f, NULL, 7);
  check_values(b, 2, 1);
  check_values(f, 1, 0);
  CHECK_INT(op2_free(b), 0);
  CHECK_INT(op2_free(f), 0);
  CHECK_INT(op2_free(a), 0);
}

/* ---- plain C ------------------------------------------------------------- */

static void
plain_apply(const double *x, double *y) {
  for (int i = 0; i < N; i++) y[i] = 4 * x[i];
  for (int e = 0; e < E; e++) {
    y[ends[2 * e]] -= x[ends[2 * e + 1]];
    y[ends[2 * e + 1]] -= x[ends[2 * e]];
  }
}

static double
dot(const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += x[i] * y[i];
  return sum;
}

/* Conjugate gradients from zero, as far as doubles go. */
static void
plain_cg(void) {
  static double r[N], p[N], q[N];
  memset(plain, 0, sizeof plain);
  memcpy(r, rhs, sizeof r);
  memcpy(p, rhs, sizeof p);
  double rr = dot(r, r), limit = 1e-28 * rr;
  for (int k = 0; rr > limit && k < 1000; k++) {
    plain_apply(p, q);
    double alpha = rr / dot(p, q), old = rr;
    for (int i = 0; i < N; i++) plain[i] += alpha * p[i];
    for (int i = 0; i < N; i++) r[i] -= alpha * q[i];
    rr = dot(r, r);
    for (int i = 0; i < N; i++) p[i] = r[i] + rr / old * p[i];
  }
}

/* ---- solving ------------------------------------------------------------- */

static struct op2_solve_info info;

static void
check_solution(op2_mat a, op_dat x, op_dat b, const char *options,
               double within) {
  CHECK_INT(op2_solve(a, x, b, options, &info), 0);
  CHECK_INT(info.converged, 1);
  CHECK(info.residual < within);
  op_fetch_data(x, got);
  for (int i = 0; i < N; i++) CHECK(fabs(got[i] - plain[i]) < within * 10);
}

static void
test_solve(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "a");
  op_dat x = op_decl_dat_temp(nodes, 1, "double", (double *)NULL, "x");
  op_dat b = right;
  assemble(a, 4, 0);
  check_solution(a, x, b, "petsc -ksp_type cg -pc_type jacobi", 1e-6);
  CHECK(info.iterations > 3);
  check_solution(a, x, b, " petsc\t-ksp_type cg -ksp_rtol 1e-12", 1e-10);
  /* from the solution on */
  CHECK_INT(op2_solve(a, x, b, "petsc", &info), 0);
  CHECK_INT(info.iterations, 0);
  op2_dat_zero(x);
  check_solution(a, x, b, "petsc", 1e-6);
  op2_dat_zero(x); /* ranks take factors of other libraries */
  if (!parts)
    check_solution(a, x, b, "petsc -ksp_type preonly -pc_type lu", 1e-12);
  op2_dat_zero(x);
  CHECK_INT(op2_solve(a, x, b, "petsc -pc_type none -ksp_max_it 2", &info), 0);
  CHECK(info.iterations == 2 && !info.converged && info.residual > 1e-3);
  op2_dat_zero(b);
  CHECK_INT(op2_solve(a, x, b, "petsc", &info), 0);
  CHECK(info.converged && info.residual == 0);
  op_fetch_data(x, got);
  for (int i = 0; i < N; i++) CHECK_REAL(got[i], 0);
  CHECK_INT(op2_free(a), 0);
  CHECK_INT(op_free_dat_temp(x), 0);
}

/* In PETSc's database, as if from PETSC_OPTIONS; NULL: no more. */
static void
set_option(const char *name, const char *value) {
  int (*set)(void *, const char *, const char *);
  int (*clear)(void *, const char *);
  *(void **)&set = of_petsc("PetscOptionsSetValue");
  *(void **)&clear = of_petsc("PetscOptionsClearValue");
  if (!set || !clear) return;
  CHECK_INT(value ? set(NULL, name, value) : clear(NULL, name), 0);
}

/* Options of the database count under the call's prefix, before its own. */
static void
test_prefix(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "a");
  op_dat x = op_decl_dat_temp(nodes, 1, "double", (double *)NULL, "x");
  op_dat b = right; /* which test_solve makes zero */
  assemble(a, 4, 0);
  set_option("-ksp_max_it", "1");
  set_option("-heat_ksp_rtol", "1e-12");
  set_option("-heat_ksp_max_it", "900");
  set_option("-heat_", "none");
  check_solution(a, x, b, "petsc -ksp_type cg", 1e-6);
  op2_dat_zero(x);
  check_solution(a, x, b, "petsc  prefix=heat_ -ksp_type cg -ksp_max_it 2",
                 1e-10);
  op2_dat_zero(x);
  CHECK_INT(op2_solve(a, x, b, "petsc prefix=cold_ -ksp_max_it 2", &info), 0);
  CHECK_INT(info.iterations, 2);
  set_option("-heat_ksp_max_it", "3");
  op2_dat_zero(x);
  CHECK_INT(op2_solve(a, x, b, "petsc prefix=heat_", &info), 0);
  CHECK_INT(info.iterations, 3);
  set_option("-ksp_max_it", NULL);
  CHECK_INT(op2_free(a), 0);
  CHECK_INT(op_free_dat_temp(x), 0);
}

/* A type of the database's is filled by copies, also where values are shared
 * otherwise. */
static void
test_type(void) {
  int (*type)(void *, const char **);
  const char *found = NULL;
  *(void **)&type = of_petsc("MatGetType");
  set_option("-typed_mat_type", "aijperm");
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "typed");
  assemble(a, 4, 0.25);
  void *mat = op2_mat_petsc(a);
  CHECK(mat && type);
  if (!mat || !type) return;
  CHECK_INT(type(mat, &found), 0);
  CHECK(found && strstr(found, "aijperm"));
  check_values(a, 1, 1);
  set_option("-typed_mat_type", NULL);
  assemble(a, 5, 0);
  check_values(a, 1, 1);
  CHECK_INT(op2_free(a), 0);
}

/* Their own residuals, by the library's product. */
static void
check_residual(op2_mat a, op_dat x, op_dat b, op_dat r, double within) {
  op2_dat_zero(x);
  CHECK_INT(op2_solve(a, x, b, "petsc -ksp_rtol 1e-9", &info), 0);
  CHECK(info.converged && info.residual < within);
  op2_mat_mult(a, x, r);
  op2_dat_axpy(r, -1, b);
  op2_gbl rr = op2_decl_gbl(1, r->type, NULL, "rr");
  double norm = 1;
  float norm_float = 1;
  int wide = r->size / r->dim == 8;
  op2_dat_norm(r, rr);
  op2_gbl_get(rr, wide ? (void *)&norm : (void *)&norm_float);
  CHECK((wide ? norm : (double)norm_float) < within * 100);
  op2_free_gbl(rr);
}

static void
test_others(void) {
  static float single[N];
  for (int i = 0; i < N; i++) single[i] = (float)rhs[i];
  op2_mat blocks = blocks_make(), floats = floats_make();
  op_dat x = op_decl_dat_temp(nodes, 2, "double", (double *)NULL, "x2");
  op_dat r = op_decl_dat_temp(nodes, 2, "double", (double *)NULL, "r2");
  op_dat b = op_decl_dat(nodes, 2, "double", rhs, "b2");
  check_residual(blocks, x, b, r, 1e-7);
  op_dat xf = op_decl_dat_temp(nodes, 1, "float", (float *)NULL, "xf");
  op_dat rf = op_decl_dat_temp(nodes, 1, "float", (float *)NULL, "rf");
  op_dat bf = op_decl_dat(nodes, 1, "float", single, "bf");
  check_residual(floats, xf, bf, rf, 1e-5);
}

/* ---- mistakes ------------------------------------------------------------ */

#define WRONG(call, status, text)                                              \
  do {                                                                         \
    errors = 0;                                                                \
    call;                                                                      \
    CHECK_INT(errors, 1);                                                      \
    CHECK_INT(code, status);                                                   \
    CHECK(strstr(message, text) != NULL);                                      \
    CHECK(strstr(message, "petsc.c:") != NULL);                                \
  } while (0)
#define SOLVE(options)                                                         \
  do {                                                                         \
    int status = op2_solve(a, x, b, options, &info);                           \
    CHECK_INT(status, code);                                                   \
  } while (0)

static void
test_wrong_options(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "a");
  op_dat x = op_decl_dat(nodes, 1, "double", got, "x");
  op_dat b = op_decl_dat(nodes, 1, "double", rhs, "b");
  assemble(a, 4, 0);
  for (int i = 0; i < N; i++) before[i] = got[i];
  WRONG(SOLVE("petsc -ksp_tpye cg"), OP2_ERR_ARG, "found \"-ksp_tpye\"");
  WRONG(SOLVE("petsc -ksp_type nonsense"), OP2_ERR_STATE, "nonsense");
  WRONG(SOLVE("petsc prefix= -ksp_type cg"), OP2_ERR_STATE, "prefix=");
  set_option("-heat_ksp_tpye", "cg");
  WRONG(SOLVE("petsc prefix=heat_"), OP2_ERR_ARG, "found \"-ksp_tpye\"");
  set_option("-heat_ksp_tpye", NULL);
  WRONG(SOLVE("petscy"), OP2_ERR_ARG, "found \"petscy\"");
  WRONG(SOLVE("cg petsc"), OP2_ERR_ARG, "found \"petsc\"");
  op_fetch_data(x, got);
  for (int i = 0; i < N; i++) CHECK_REAL(got[i], before[i]);
  CHECK_INT(op2_solve(a, x, b, "petsc", &info), 0); /* goes on */
  CHECK_INT(info.converged, 1);
}

static void
test_wrong_matrix(void) {
  op2_mat whole = op2_decl_mat(links, 1, 1, "int", "whole");
  WRONG(CHECK(!op2_mat_petsc(whole)), OP2_ERR_ARG, "found \"int\"");
  WRONG(CHECK(!op2_mat_petsc(NULL)), OP2_ERR_ARG, "found NULL");
  CHECK_INT(op2_free(whole), 0);
  WRONG(CHECK(!op2_mat_petsc(whole)), OP2_ERR_ARG, "op2_mat_petsc: matrix");
}

/* The matrix can be asked for again. */
static void
test_wrong_type(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "odd");
  assemble(a, 4, 0);
  set_option("-odd_mat_type", "nonsense");
  WRONG(CHECK(!op2_mat_petsc(a)), OP2_ERR_STATE, "nonsense");
  set_option("-odd_mat_type", NULL);
  check_shared(a);
  CHECK_INT(op2_free(a), 0);
}

/* The library has no PETSc: both say how to get it. */
static void
test_without(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "a");
  op_dat x = op_decl_dat(nodes, 1, "double", got, "x");
  op_dat b = op_decl_dat(nodes, 1, "double", rhs, "b");
  assemble(a, 4, 0);
  WRONG(CHECK(!op2_mat_petsc(a)), OP2_ERR_STATE, "libpetsc-real-dev");
  WRONG(SOLVE("petsc -ksp_type cg"), OP2_ERR_STATE, "libpetsc-real-dev");
  CHECK_INT(op2_solve(a, x, b, "cg", &info), 0);
  CHECK_INT(info.converged, 1);
}

/* ---- all ----------------------------------------------------------------- */

static int
has_petsc(void) {
  op2_mat a = op2_decl_mat(links, 1, 1, "double", "probe");
  errors = 0;
  int has = op2_mat_petsc(a) || !strstr(message, "PETSc is not there");
  CHECK_INT(op2_free(a), 0);
  return has;
}

static void
test_all(void) {
  mesh_make();
  plain_cg();
  if (!parts) test_wrong_matrix();
  if (!has_petsc()) {
    printf("built without PETSc: only what it says then\n");
    if (!parts) test_without();
    return;
  }
  test_values();
  test_prefix();
  test_solve();
  test_type();
  test_others();
  if (!parts) test_wrong_options();
  if (!parts) test_wrong_type();
}

int
main(int argc, char **argv) {
  op2_set_error_handler(on_error, NULL);
  check_start(argc, argv);
  test_all();
  op_exit();
  check_start(argc, argv);
  test_all();
  return check_end();
}
