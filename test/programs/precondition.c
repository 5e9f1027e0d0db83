/* op2_solve with preconditioners: an equation with coefficients of very different size
 * on a grid, as scalars, blocks and floats, against conjugate gradients in plain C and
 * known solutions; numbers of iterations; a chain, whose incomplete factors are exact;
 * rows without a pivot. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { W = 7, H = 6, N = W * H, E = (W - 1) * H + W * (H - 1) };

static int ends[2 * E], self[N], chain[2 * (N - 1)];
static double k_link[E], k_own[N], k_chain[N - 1];
static double wanted[2 * N], got[2 * N];
static double rhs[N], rhs_wind[N], rhs_blocks[2 * N];
static float wanted_f[N], rhs_f[N], got_f[N];
static double a[N][N];

static op_set nodes, edges, links;
static op_map pair, own, next;
static op_dat link_k, own_k, chain_k, x, b, bw, x2, b2, xf, bf;
static op2_sparsity grid, line;

/* ---- kernels ------------------------------------------------------------------ */

static void
link(const double *k, const double *wind, double *m) {
  m[0] += *k;
  m[1] -= *k * (1 - *wind);
  m[2] -= *k * (1 + *wind);
  m[3] += *k;
}
static void
own_term(const double *k, double *m) {
  *m += *k;
}
static void
link_float(const double *k, float *m) {
  m[0] += (float)*k;
  m[1] -= (float)*k;
  m[2] -= (float)*k;
  m[3] += (float)*k;
}
static void
own_float(const double *k, float *m) {
  *m += (float)*k;
}
/* Times [2 .5; .5 1]: m[i][r][j][c]. */
static void
link_blocks(const double *k, double *m) {
  static const double block[2][2] = {{2, .5}, {.5, 1}};
  for (int i = 0; i < 2; i++)
    for (int r = 0; r < 2; r++)
      for (int j = 0; j < 2; j++)
        for (int c = 0; c < 2; c++)
          m[((i * 2 + r) * 2 + j) * 2 + c] +=
              i == j ? *k * block[r][c] : -*k * block[r][c];
}
static void
own_blocks(const double *k, double *m) {
  m[0] += 2 * *k;
  m[1] += .5 * *k;
  m[2] += .5 * *k;
  m[3] += *k;
}

/* ---- the mesh ------------------------------------------------------------------- */

static double
coefficient(int i) {
  static const double size[] = {1, 30, .3, 7, 10};
  return size[i * 7 % 5] + .01 * (i % 3);
}

static void
fill(void) {
  int e = 0;
  for (int j = 0; j < H; j++)
    for (int i = 0; i < W; i++)
      for (int d = 0; d < 2; d++) {
        if (i + !d == W || j + d == H) continue;
        ends[2 * e] = j * W + i;
        ends[2 * e++ + 1] = (j + d) * W + i + !d;
      }
  for (e = 0; e < E; e++) k_link[e] = coefficient(e);
  for (int i = 0; i < N; i++) {
    self[i] = i;
    k_own[i] = .02 * coefficient(i + 1);
    wanted_f[i] = (float)(1 + i % 5);
    for (int r = 0; r < 2; r++)
      wanted[2 * i + r] = 3 + i % 5 - .5 * r * (i % 3);
  }
  for (int i = 0; i + 1 < N; i++) {
    chain[2 * i] = i;
    chain[2 * i + 1] = i + 1;
    k_chain[i] = coefficient(i);
  }
}

static void
declare(void) {
  nodes = op_decl_set(N, "nodes");
  edges = op_decl_set(E, "edges");
  links = op_decl_set(N - 1, "links");
  pair = op_decl_map(edges, nodes, 2, ends, "pair");
  own = op_decl_map(nodes, nodes, 1, self, "own");
  next = op_decl_map(links, nodes, 2, chain, "next");
  link_k = op_decl_dat(edges, 1, "double", k_link, "link_k");
  own_k = op_decl_dat(nodes, 1, "double", k_own, "own_k");
  chain_k = op_decl_dat(links, 1, "double", k_chain, "chain_k");
  x = op_decl_dat(nodes, 1, "double", (double *)NULL, "x");
  b = op_decl_dat(nodes, 1, "double", rhs, "b");
  bw = op_decl_dat(nodes, 1, "double", rhs_wind, "bw");
  x2 = op_decl_dat(nodes, 2, "double", (double *)NULL, "x2");
  b2 = op_decl_dat(nodes, 2, "double", rhs_blocks, "b2");
  xf = op_decl_dat(nodes, 1, "float", (float *)NULL, "xf");
  bf = op_decl_dat(nodes, 1, "float", rhs_f, "bf");
  op_map both[] = {pair, own}, along[] = {next, own};
  grid = op2_decl_sparsity(2, both, both, "grid");
  line = op2_decl_sparsity(2, along, along, "line");
}

static op2_mat
assemble(op2_sparsity sparsity, double wind, const char *name) {
  op2_mat m = op2_decl_mat(sparsity, 1, 1, "double", name);
  op_set set = sparsity == grid ? edges : links;
  op_map map = sparsity == grid ? pair : next;
  op_par_loop(link, "link", set,
              op_arg_dat(sparsity == grid ? link_k : chain_k, -1, OP_ID, 1,
                         "double", OP_READ),
              op_arg_gbl(&wind, 1, "double", OP_READ),
              op2_arg_mat(m, map, map, 1, 1, "double", OP_INC));
  op_par_loop(own_term, "own_term", nodes,
              op_arg_dat(own_k, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_mat(m, own, own, 1, 1, "double", OP_INC));
  return m;
}

/* ---- plain C ---------------------------------------------------------------------- */

static void
plain_assemble(double wind) {
  memset(a, 0, sizeof a);
  for (int e = 0; e < E; e++) {
    int p = ends[2 * e], q = ends[2 * e + 1];
    a[p][p] += k_link[e];
    a[p][q] -= k_link[e] * (1 - wind);
    a[q][p] -= k_link[e] * (1 + wind);
    a[q][q] += k_link[e];
  }
  for (int i = 0; i < N; i++) a[i][i] += k_own[i];
}

static void
plain_apply(const double *from, double *to) {
  for (int i = 0; i < N; i++) {
    to[i] = 0;
    for (int j = 0; j < N; j++) to[i] += a[i][j] * from[j];
  }
}

static double
plain_dot(const double *u, const double *v) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += u[i] * v[i];
  return sum;
}

/* Iterations of conjugate gradients, with the diagonal or not. */
static int
plain_cg(const double *right, bool jacobi) {
  static double r[N], z[N], p[N], q[N];
  int k = 0;
  memcpy(r, right, sizeof r);
  for (int i = 0; i < N; i++) p[i] = z[i] = r[i] / (jacobi ? a[i][i] : 1);
  double rz = plain_dot(r, z), limit = 1e-20 * plain_dot(r, r);
  for (; plain_dot(r, r) > limit; k++) {
    plain_apply(p, q);
    double alpha = rz / plain_dot(p, q), old = rz;
    for (int i = 0; i < N; i++) r[i] -= alpha * q[i];
    for (int i = 0; i < N; i++) z[i] = r[i] / (jacobi ? a[i][i] : 1);
    rz = plain_dot(r, z);
    for (int i = 0; i < N; i++) p[i] = z[i] + rz / old * p[i];
  }
  return k;
}

/* What the known solutions are solutions for. */
static void
right_sides(void) {
  static double first[N], second[N], f[N], from[3][N];
  for (int i = 0; i < N; i++) {
    from[0][i] = wanted[2 * i];
    from[1][i] = wanted[2 * i + 1];
    from[2][i] = (double)wanted_f[i];
  }
  plain_assemble(.4);
  plain_apply(from[0], rhs_wind);
  plain_assemble(0);
  plain_apply(from[0], first);
  plain_apply(from[1], second);
  plain_apply(from[2], f);
  for (int i = 0; i < N; i++) {
    rhs[i] = first[i];
    rhs_f[i] = (float)f[i];
    rhs_blocks[2 * i] = 2 * first[i] + .5 * second[i];
    rhs_blocks[2 * i + 1] = .5 * first[i] + second[i];
  }
}

/* ---- tests ------------------------------------------------------------------------ */

/* Solve for a known solution; returns iterations. */
static int
solve(op2_mat m, op_dat right, const char *options) {
  struct op2_solve_info info;
  int dim = right->dim;
  op_dat sol = dim == 1 ? x : x2;
  op2_dat_zero(sol);
  CHECK_INT(op2_solve(m, sol, right, options, &info), 0);
  CHECK_INT(info.converged, 1);
  op_fetch_data(sol, got);
  for (int i = 0; i < N; i++)
    for (int r = 0; r < dim; r++)
      CHECK_NEAR(got[dim * i + r], wanted[2 * i + r], 1e-5);
  return info.iterations;
}

static void
symmetric(void) {
  op2_mat m = assemble(grid, 0, "m");
  plain_assemble(0);
  int none = solve(m, b, "cg rtol=1e-10 none");
  int jacobi = solve(m, b, "cg rtol=1e-10 jacobi");
  int ilu = solve(m, b, "cg rtol=1e-10 bjacobi");
  CHECK(abs(none - plain_cg(rhs, false)) <= 3);
  CHECK(abs(jacobi - plain_cg(rhs, true)) <= 3);
  CHECK(jacobi < none && ilu < jacobi);
}

static void
with_wind(void) {
  op2_mat m = assemble(grid, .4, "windy");
  int none = solve(m, bw, "bicgstab rtol=1e-8 check=3");
  CHECK(solve(m, bw, "bicgstab rtol=1e-8 jacobi check=3") < none);
  int jacobi = solve(m, bw, "gmres rtol=1e-8 jacobi restart=8 check=2");
  CHECK(solve(m, bw, "gmres rtol=1e-8 ilu restart=8 check=2") < jacobi);
}

static void
in_blocks(void) {
  op2_mat m = op2_decl_mat(grid, 2, 2, "double", "blocks");
  op_par_loop(link_blocks, "link_blocks", edges,
              op_arg_dat(link_k, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_mat(m, pair, pair, 2, 2, "double", OP_INC));
  op_par_loop(own_blocks, "own_blocks", nodes,
              op_arg_dat(own_k, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_mat(m, own, own, 2, 2, "double", OP_INC));
  int jacobi = solve(m, b2, "cg rtol=1e-10 jacobi");
  CHECK(solve(m, b2, "cg rtol=1e-10 ilu") < jacobi);
}

static void
in_floats(void) {
  struct op2_solve_info info;
  op2_mat m = op2_decl_mat(grid, 1, 1, "float", "floats");
  op_par_loop(link_float, "link_float", edges,
              op_arg_dat(link_k, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_mat(m, pair, pair, 1, 1, "float", OP_INC));
  op_par_loop(own_float, "own_float", nodes,
              op_arg_dat(own_k, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_mat(m, own, own, 1, 1, "float", OP_INC));
  CHECK_INT(op2_solve(m, xf, bf, "cg jacobi rtol=1e-5", &info), 0);
  CHECK_INT(info.converged, 1);
  op_fetch_data(xf, got_f);
  for (int i = 0; i < N; i++)
    CHECK_NEAR((double)got_f[i], (double)wanted_f[i], 1e-1);
}

#ifndef TEST_MPI_SLICE_H
/* Nothing is filled in: on one rank the factors are those of A. */
static void
on_a_chain(void) {
  struct op2_solve_info info;
  op2_mat m = assemble(line, 0, "tridiagonal");
  op2_dat_zero(x);
  CHECK_INT(op2_solve(m, x, b, "cg ilu rtol=1e-9", &info), 0);
  CHECK(info.converged && info.iterations <= 3);
  op2_dat_zero(x);
  CHECK_INT(op2_solve(m, x, b, "bicgstab bjacobi check=1", &info), 0);
  CHECK(info.converged && info.iterations <= 3);
}

static void
expect_error(int returned, const char *text) {
  static int before;
  CHECK_INT(errors, ++before);
  CHECK_INT(returned, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}

static void
identity(op_dat from, op_dat to, void *user) {
  (void)user;
  op2_dat_copy(to, from);
}

static void
refused(void) {
  op2_mat m = assemble(grid, 0, "holed");
  op2_mat_zero_rows(m, NULL, 0);
  op2_set_error_handler(on_error, NULL);
  expect_error(op2_solve(m, x, b, "cg bjacobi", NULL),
               "op2_solve: bjacobi: matrix \"holed\": expected a pivot in each "
               "row, found none in row 0, component 0");
  expect_error(
      op2_solve(m, x, b, "cg jacoby", NULL),
      "op2_solve: options: expected cg, bicgstab or gmres, none, jacobi, "
      "bjacobi or ilu, rtol=, maxit=, check= or restart=, found "
      "\"jacoby\"");
  expect_error(
      op2_solve_with(identity, NULL, x, b, "cg jacobi", NULL),
      "op2_solve_with: options: expected cg, bicgstab or gmres, rtol=");
  op2_set_error_handler(NULL, NULL);
  CHECK_INT(op2_solve(m, x, b, "cg jacobi maxit=3", NULL),
            0); /* 1 for a zero */
}
#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  fill();
  right_sides();
  declare();
  symmetric();
  if (!check_device() || check_ranks() == 1) { /* a minute's code there */
    with_wind();
    in_blocks();
    in_floats();
  }
#ifndef TEST_MPI_SLICE_H
  on_a_chain();
  refused();
#endif
  return check_end();
}
