/* op2_mat_mask: what loops leave for some rows and columns is dropped, of OP_INC,
 * OP_WRITE, OP_RW and OP_MAX, scalars and blocks, local matrices of one entry; masks
 * change between loops that wait, and go. Exact: small whole numbers. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { CELLS = 80, NODES = 50, K = 3 };

static int corner[K * CELLS], first[CELLS], v[CELLS];
static int x[2 * NODES], y[2 * NODES], got[2 * NODES];
static int dense[NODES][NODES], block[2 * NODES][2 * NODES];
static int some[NODES], others[NODES], nsome, nothers;
static bool is_some[NODES], is_other[NODES];

static op_set cells, nodes, fixed, free_columns;
static op_map to_nodes, to_first;
static op_dat values, in, out, in2, out2;
static op2_sparsity scalars;
static op2_mat a, b, c;

/* ---- kernels ---------------------------------------------------------------- */

static int
term(int value, int i, int j) {
  return value + 7 * i - 3 * j;
}

static void
add(const int *value, int *m) {
  for (int i = 0; i < K; i++)
    for (int j = 0; j < K; j++) m[K * i + j] = term(*value, i, j);
}
static void
put(int *m) {
  for (int k = 0; k < K * K; k++) m[k] = 5;
}
static void
twice(int *m) {
  m[0] *= 2;
}
static void
most(const int *value, int *m) {
  for (int k = 0; k < K * K; k++)
    if (m[k] < *value * 4) m[k] = *value * 4;
}
static void
add_blocks(const int *value, int *m) {
  for (int i = 0; i < K; i++)
    for (int r = 0; r < 2; r++)
      for (int j = 0; j < K; j++)
        for (int s = 0; s < 2; s++)
          m[((i * 2 + r) * K + j) * 2 + s] += term(*value, i, j) + r - 2 * s;
}
static void
one(const int *value, int *m) {
  *m += *value;
}

/* ---- the mesh ---------------------------------------------------------------- */

static int
draw(int n) {
  static unsigned state = 77;
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 9) % (unsigned)n);
}

static void
fill(void) {
  for (int e = 0; e < CELLS; e++) {
    for (int i = 0; i < K; i++)
      corner[K * e + i] = (e * NODES / CELLS + 3 * i + draw(3)) % NODES;
    first[e] = draw(NODES);
    v[e] = draw(15) - 5;
  }
  for (int n = 0; n < NODES; n++) {
    is_some[n] = n % 4 == 1;
    is_other[n] = n % 5 == 2;
    if (is_some[n]) some[nsome++] = n;
    if (is_other[n]) others[nothers++] = n;
  }
  for (int n = 0; n < 2 * NODES; n++) x[n] = draw(9) - 4;
}

static void
declare(void) {
  cells = op_decl_set(CELLS, "cells");
  nodes = op_decl_set(NODES, "nodes");
  to_nodes = op_decl_map(cells, nodes, K, corner, "to_nodes");
  to_first = op_decl_map(cells, nodes, 1, first, "to_first");
  values = op_decl_dat(cells, 1, "int", v, "values");
  in = op_decl_dat(nodes, 1, "int", x, "in");
  in2 = op_decl_dat(nodes, 2, "int", x, "in2");
  out = op_decl_dat(nodes, 1, "int", y, "out");
  out2 = op_decl_dat(nodes, 2, "int", y, "out2");
  fixed = op2_decl_subset(nodes, nsome, some, "fixed");
  free_columns = op2_decl_subset(nodes, nothers, others, "others");
  scalars = op2_decl_sparsity(1, &to_nodes, &to_nodes, "s");
  op2_sparsity single = op2_decl_sparsity(1, &to_first, &to_first, "single");
  a = op2_decl_mat(scalars, 1, 1, "int", "a");
  b = op2_decl_mat(scalars, 2, 2, "int", "b");
  c = op2_decl_mat(single, 1, 1, "int", "c");
}

/* ---- both ways ---------------------------------------------------------------- */

#define VALUE op_arg_dat(values, -1, OP_ID, 1, "int", OP_READ)
#define LOCAL(acc) op2_arg_mat(a, to_nodes, to_nodes, 1, 1, "int", acc)

/* The entries that count, each with its element and place. */
#define EACH(rows, columns)                                                    \
  for (int e = 0; e < CELLS; e++)                                              \
    for (int i = 0, p = corner[K * e]; i < K; p = corner[K * e + ++i % K])     \
      for (int j = 0, q = corner[K * e]; j < K; q = corner[K * e + ++j % K])   \
        if (!((rows) && is_some[p]) && !((columns) && is_other[q]))

static void
check_product(void) {
  op2_mat_mult(a, in, out);
  for (int i = 0; i < NODES; i++) {
    y[i] = 0;
    for (int j = 0; j < NODES; j++) y[i] += dense[i][j] * x[j];
  }
  op_fetch_data(out, got);
  CHECK_INTS(got, y, NODES);
}

static void
increments(void) {
  op_par_loop(add, "add", cells, VALUE, LOCAL(OP_INC));
  op2_mat_mask(a, fixed, NULL);
  op_par_loop(add, "add", cells, VALUE, LOCAL(OP_INC));
  op2_mat_mask(a, NULL, free_columns);
  op_par_loop(add, "add", cells, VALUE, LOCAL(OP_INC));
  op2_mat_mask(a, fixed, free_columns);
  for (int k = 0; k < 2; k++)
    op_par_loop(add, "add", cells, VALUE, LOCAL(OP_INC));
  op2_mat_mask(a, NULL, NULL);
  op_par_loop(add, "add", cells, VALUE, LOCAL(OP_INC));
  EACH(0, 0) dense[p][q] += 2 * term(v[e], i, j);
  EACH(1, 0) dense[p][q] += term(v[e], i, j);
  EACH(0, 1) dense[p][q] += term(v[e], i, j);
  EACH(1, 1) dense[p][q] += 2 * term(v[e], i, j);
  check_product();
}

static void
writes(void) {
  op2_mat_mask(a, fixed, NULL);
  op_par_loop(put, "put", cells, LOCAL(OP_WRITE));
  EACH(1, 0) dense[p][q] = 5;
  check_product();
  op2_mat_mask(a, fixed, free_columns);
  op_par_loop(most, "most", cells, VALUE, LOCAL(OP_MAX));
  EACH(1, 1) if (dense[p][q] < 4 * v[e]) dense[p][q] = 4 * v[e];
  check_product();
  op2_mat_mask(a, nodes, NULL); /* all */
  op_par_loop(put, "put", cells, LOCAL(OP_WRITE));
  check_product();
  op2_mat_mask(a, NULL, NULL);
}

/* A local matrix of one entry; OP_RW. */
static void
single(void) {
  static int diagonal[NODES];
#define SINGLE(acc) op2_arg_mat(c, to_first, to_first, 1, 1, "int", acc)
  op_par_loop(one, "one", cells, VALUE, SINGLE(OP_INC));
  op2_mat_mask(c, fixed, NULL);
  op_par_loop(one, "one", cells, VALUE, SINGLE(OP_INC));
  op_par_loop(twice, "twice", cells, SINGLE(OP_RW));
  for (int e = 0; e < CELLS; e++)
    diagonal[first[e]] += (is_some[first[e]] ? 1 : 2) * v[e];
  for (int e = 0; e < CELLS; e++)
    if (!is_some[first[e]]) diagonal[first[e]] *= 2;
  op2_mat_mult(c, in, out);
  for (int i = 0; i < NODES; i++) y[i] = diagonal[i] * x[i];
  op_fetch_data(out, got);
  CHECK_INTS(got, y, NODES);
}

static void
blocks(void) {
  op2_mat_mask(b, fixed, free_columns);
  for (int k = 0; k < 2; k++)
    op_par_loop(add_blocks, "add_blocks", cells, VALUE,
                op2_arg_mat(b, to_nodes, to_nodes, 2, 2, "int", OP_INC));
  EACH(1, 1)
  for (int r = 0; r < 4; r++)
    block[2 * p + r / 2][2 * q + r % 2] +=
        2 * (term(v[e], i, j) + r / 2 - 2 * (r % 2));
  op2_mat_mult(b, in2, out2);
  for (int i = 0; i < 2 * NODES; i++) {
    y[i] = 0;
    for (int j = 0; j < 2 * NODES; j++) y[i] += block[i][j] * x[j];
  }
  op_fetch_data(out2, got);
  CHECK_INTS(got, y, 2 * NODES);
}

#ifndef TEST_MPI_SLICE_H
static void
expect_error(const char *text) {
  static int before;
  CHECK_INT(errors, ++before);
  CHECK_INT(code, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}

static void
refused(void) {
  op2_set_error_handler(on_error, NULL);
  op2_mat_mask(a, cells, NULL);
  expect_error(
      "op2_mat_mask: rows: expected set \"nodes\" of matrix \"a\" or a "
      "subset of it, found \"cells\"");
  op2_mat_mask(a, NULL, cells);
  expect_error("columns: expected set \"nodes\"");
  op2_mat_mask(NULL, NULL, NULL);
  expect_error("matrix: expected a declared one, found NULL");
  CHECK_INT(op2_free(b), 0); /* with its mask */
  op2_mat_mask(b, NULL, NULL);
  expect_error("found a freed matrix");
  op2_set_error_handler(NULL, NULL);
}
#endif

/* Names of masks are the library's own: matrices may share one, and the program's
 * temporaries may have it. */
static void
names(void) {
  op2_mat twin = op2_decl_mat(scalars, 1, 1, "int", "a");
  op2_mat_mask(a, fixed, NULL);
  op2_mat_mask(twin, fixed, NULL);
  op_dat like = op_decl_dat_temp(nodes, 1, "int", (int *)NULL, "a");
  op_dat mask = op_decl_dat_temp(nodes, 1, "int", (int *)NULL, "a_mask");
  op_par_loop(one, "one", nodes, op_arg_dat(in, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(mask, -1, OP_ID, 1, "int", OP_INC));
  op_fetch_data(mask, got);
  CHECK_INTS(got, x, NODES);
  CHECK_INT(op_free_dat_temp(like), 0);
  CHECK_INT(op_free_dat_temp(mask), 0);
  CHECK_INT(op2_free(twin), 0);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  fill();
  declare();
  increments();
  writes();
  single();
  blocks();
  names();
#ifndef TEST_MPI_SLICE_H
  refused();
#endif
  return check_end();
}
