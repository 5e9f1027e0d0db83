/* Matrices in files and checkpoints, on any ranks:
 *   matrices write     two matrices to mat.h5, a checkpoint to mat-run.h5
 *   matrices read      on any number of ranks: they come back
 *   matrices restart   the same from the checkpoint
 *   matrices wrong     what does not fit is an error, and the matrix as it was
 * With "moved" as last word op_partition gives elements to other ranks. Values are
 * integers; what a product is each rank computes on the whole mesh. */
#include "test/programs/check.h"

#include "test/programs/errors.h"

enum { N = 300, E = 700 };

static int table[E][2], rank, ranks;
static double want_a[N], want_b[N][2];
static bool moved;

/* ---- the whole, without the library ---------------------------------------- */

static double
weight(int e) {
  return e % 13 - 6;
}
static double
x_of(int c, int k) {
  return (c + 3 * k) % 7 - 3;
}

/* Entry (i, j) of an edge's matrix; and value (r, s) of its block. */
static double
couple(double w, int i, int j) {
  return w * (i == j ? 2 : -1) + i;
}
static double
block(double w, int i, int j, int r, int s) {
  return couple(w, i, j) + 2 * r - s;
}

static void
expect(void) {
  for (int e = 0; e < E; e++) {
    table[e][0] = e * 7 % N;
    table[e][1] = (e * e + 11 * e + 5) % N;
  }
  for (int e = 0; e < E; e++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        int row = table[e][i], column = table[e][j];
        want_a[row] += couple(weight(e), i, j) * x_of(column, 0);
        for (int r = 0; r < 2; r++)
          for (int s = 0; s < 3; s++)
            want_b[row][r] += block(weight(e), i, j, r, s) * x_of(column, s);
      }
}

/* ---- the program ----------------------------------------------------------- */

static void
fill_a(const double *w, double *m) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) m[2 * i + j] += *w * (i == j ? 2 : -1) + i;
}
static void
fill_b(const double *w, float *m) { /* [i][r][j][s] */
  for (int i = 0; i < 2; i++)
    for (int r = 0; r < 2; r++)
      for (int j = 0; j < 2; j++)
        for (int s = 0; s < 3; s++)
          m[((2 * i + r) * 2 + j) * 3 + s] +=
              (float)(*w * (i == j ? 2 : -1) + i + 2 * r - s);
}

static op_set cells, edges;
static op_map ends;
static op_dat w, xa, ya, xb, yb;
static op2_sparsity couples;
static op2_mat a, b;
static int first_cell, ncells;

/* Ranks have unlike parts; the first of several has no cells. */
static int
first_of(int n, int r) {
  if (r >= ranks) return n;
  return ranks > 1 && n == N ? (r ? n * (r - 1) / (ranks - 1) : 0)
                             : n * r / ranks;
}

static void
declare(void) {
  static double weights[E], a_of[N];
  static float b_of[N][3];
  int first = first_of(E, rank), n = first_of(E, rank + 1) - first;
  first_cell = first_of(N, rank);
  ncells = first_of(N, rank + 1) - first_cell;
  for (int e = 0; e < n; e++) weights[e] = weight(first + e);
  for (int c = 0; c < ncells; c++)
    for (int k = 0; k < 3; k++) {
      if (!k) a_of[c] = x_of(first_cell + c, 0);
      b_of[c][k] = (float)x_of(first_cell + c, k);
    }
  cells = op_decl_set(ncells, "cells");
  edges = op_decl_set(n, "edges");
  ends = op_decl_map(edges, cells, 2, table[first], "ends");
  w = op_decl_dat(edges, 1, "double", weights, "w");
  xa = op_decl_dat(cells, 1, "double", a_of, "xa");
  ya = op_decl_dat(cells, 1, "double", (double *)NULL, "ya");
  xb = op_decl_dat(cells, 3, "float", &b_of[0][0], "xb");
  yb = op_decl_dat(cells, 2, "float", (float *)NULL, "yb");
  couples = op2_decl_sparsity(1, &ends, &ends, "couples");
  a = op2_decl_mat(couples, 1, 1, "double", "a");
  b = op2_decl_mat(couples, 2, 3, "float", "b");
  if (moved) op_partition("RANDOM", "", cells, ends, NULL);
}

static void
assemble(void) {
  op_par_loop(fill_a, "fill_a", edges,
              op_arg_dat(w, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_mat(a, ends, ends, 1, 1, "double", OP_INC));
  op_par_loop(fill_b, "fill_b", edges,
              op_arg_dat(w, -1, OP_ID, 1, "double", OP_READ),
              op2_arg_mat(b, ends, ends, 2, 3, "float", OP_INC));
}

/* This rank's rows of both products; times 0: no matrix is there. */
static void
compare(double times) {
  static double found_a[N];
  static float found_b[N][2];
  op2_mat_mult(a, xa, ya);
  op2_mat_mult(b, xb, yb);
  op_fetch_data(ya, found_a);
  op_fetch_data(yb, &found_b[0][0]);
  for (int c = 0; c < ncells; c++) {
    CHECK_REAL(found_a[c], times * want_a[first_cell + c]);
    CHECK_REAL(found_b[c][0], times * want_b[first_cell + c][0]);
    CHECK_REAL(found_b[c][1], times * want_b[first_cell + c][1]);
  }
}

static void
write_all(void) {
  declare();
  assemble();
  op2_mat_write_hdf5(a, "mat.h5", NULL);
  op2_mat_write_hdf5(b, "mat.h5", "flow/b");
  CHECK_INT(op2_checkpoint("mat-run.h5"), 0);
  compare(1);
  assemble(); /* another one takes its place */
  op2_mat_write_hdf5(a, "mat.h5", "twice");
  compare(2);
}

static void
read_all(void) {
  declare();
  compare(0);
  op2_mat_read_hdf5(a, "mat.h5", "twice");
  op2_mat_read_hdf5(a, "mat.h5", NULL);
  op2_mat_read_hdf5(b, "mat.h5", "flow/b");
  compare(1);
  assemble();
  compare(2);
}

static void
restart(void) {
  declare();
  CHECK_INT(op2_restart("mat-run.h5"), 0);
  compare(1);
}

/* ---- errors ---------------------------------------------------------------- */

static void
said(int line, const char *words) {
  if (errors != 1 || !strstr(message, words))
    check_fail(__FILE__, line, "%d messages, \"%s\", expected \"...%s...\"",
               errors, message, words);
  errors = 0;
}

static void
wrong(void) {
  declare();
  int n = edges->size, *self = calloc((size_t)(n ? n : 1), sizeof *self);
  op_map one = op_decl_map(edges, cells, 1, self, "one");
  op2_sparsity other = op2_decl_sparsity(1, &one, &ends, "other");
  op2_mat c = op2_decl_mat(other, 1, 1, "double", "a");
  free(self);
  assemble();
  op2_set_error_handler(on_error, NULL);
  op2_mat_read_hdf5(a, "mat.h5", "flow/b");
  said(__LINE__, "op2_mat_read_hdf5: \"mat.h5\": matrix \"flow/b\": expected "
                 "rdim 1, found 2");
  op2_mat_read_hdf5(a, "mat.h5", "none");
  said(__LINE__, "expected a data set \"none/row_start\", found none");
  op2_mat_read_hdf5(c, "mat.h5", NULL);
  said(__LINE__, "expected the nonzeros of sparsity \"other\"");
  op2_mat_read_hdf5(b, "missing.h5", NULL);
  said(__LINE__, "\"missing.h5\": expected a file to read");
  op2_mat_write_hdf5(a, "/nowhere/a.h5", NULL);
  said(__LINE__, "op2_mat_write_hdf5: \"/nowhere/a.h5\": cannot be written");
  op2_mat_write_hdf5(a, "mat.h5", "/");
  said(__LINE__, "expected the name of a data set, found \"/\"");
  op2_mat_write_hdf5(NULL, "mat.h5", NULL);
  said(__LINE__, "matrix: expected a declared one, found NULL");
  op2_mat_write_hdf5(c, "mat.h5", "a"); /* what is there stays */
  said(__LINE__, "\"a/column\": wrong shape");
  op2_mat_write_hdf5(a, "mat.h5", "flow/b");
  said(__LINE__, "\"flow/b/values\": wrong shape");
  op2_mat_read_hdf5(a, "mat.h5", NULL);
  op2_mat_read_hdf5(b, "mat.h5", "flow/b");
  CHECK_INT(errors, 0);
  op2_mat_read_hdf5(a, NULL, NULL);
  said(__LINE__, "expected a file name, found NULL");
  compare(1);
  CHECK_INT(errors, 0);
}

int
main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "write";
  moved = !strcmp(argv[argc - 1], "moved");
  check_start(0, NULL);
  op_rank(&rank);
  op_set one = op_decl_set(1, "one of each rank");
  ranks = (int)op_get_size(one);
  op_exit();
  check_start(0, NULL);
  expect();
  if (!strcmp(what, "write")) write_all();
  if (!strcmp(what, "read")) read_all();
  if (!strcmp(what, "restart")) restart();
  if (!strcmp(what, "wrong")) wrong();
  return check_end();
}
