/* op2_dat_zero, copy, scale, axpy, axpy_gbl, dot, norm: the values of plain C for each
 * type and dim, in loops that wait and fuse with their neighbours. Sums are of small
 * whole numbers, so that their order does not matter. */
#include "check.h"
#include "errors.h"

enum { N = 60, DIM = 3 };

static op_set cells, others;

static void
twice(double *x) {
  for (int c = 0; c < DIM; c++) x[c] *= 2;
}

/* ---- each type ----------------------------------------------------------- */

/* All calls on dats of one type, against the same in C. */
#define CHECK_TYPE(T, name, dim, minus)                                        \
  static void check_##T##_##dim(void) {                                        \
    static T x0[N * dim], y0[N * dim], x[N * dim], y[N * dim];                 \
    T sum = 0, two = 2, found;                                                 \
    for (int i = 0; i < N * dim; i++) {                                        \
      x0[i] = (T)(i % 3);                                                      \
      y0[i] = (T)(i % 2 + 3);                                                  \
    }                                                                          \
    op_dat dx = op_decl_dat(cells, dim, name, x0, "x_" #T #dim);               \
    op_dat dy = op_decl_dat(cells, dim, name, y0, "y_" #T #dim);               \
    op_dat dz = op_decl_dat(cells, dim, name, y0, "z_" #T #dim);               \
    op2_gbl a = op2_decl_gbl(1, name, &two, "a_" #T #dim);                     \
    op2_gbl out = op2_decl_gbl(1, name, &two, "out_" #T #dim);                 \
    op2_dat_scale(dx, 2);                                                      \
    op2_dat_axpy(dy, 3, dx);                                                   \
    op2_dat_axpy(dy, minus, dx);                                               \
    op2_dat_axpy_gbl(dy, 1, a, dx);                                            \
    op2_dat_axpy_gbl_on(cells, dy, minus, a, dx);                              \
    op2_dat_copy(dz, dy);                                                      \
    op2_dat_zero(dy);                                                          \
    op2_dat_axpy_on(cells, dy, 1, dz);                                         \
    op2_dat_axpy(dx, 1, dx);                                                   \
    for (int i = 0; i < N * dim; i++) {                                        \
      x0[i] = (T)(2 * x0[i]);                                                  \
      y0[i] = (T)(y0[i] + 2 * x0[i]);                                          \
      x0[i] = (T)(2 * x0[i]);                                                  \
    }                                                                          \
    op_fetch_data(dx, x);                                                      \
    op_fetch_data(dy, y);                                                      \
    for (int i = 0; i < N * dim; i++) {                                        \
      CHECK_REAL((double)x[i], (double)x0[i]);                                 \
      CHECK_REAL((double)y[i], (double)y0[i]);                                 \
    }                                                                          \
    for (int i = 0; i < N * dim; i++) sum = (T)(sum + x0[i] * y0[i]);          \
    op2_dat_dot(dx, dy, out);                                                  \
    op2_dat_dot_on(cells, dx, dy, out);                                        \
    op2_gbl_get(out, &found);                                                  \
    CHECK_REAL((double)found, (double)sum);                                    \
    op2_free_gbl(a);                                                           \
    op2_free_gbl(out);                                                         \
  }

typedef unsigned char uchar;
CHECK_TYPE(double, "double", 1, -1)
CHECK_TYPE(double, "double", 3, -1)
CHECK_TYPE(double, "double:soa", 4, -1)
CHECK_TYPE(double, "double", 70, -1)
CHECK_TYPE(float, "float", 1, -1)
CHECK_TYPE(float, "float", 2, -1)
CHECK_TYPE(int, "int", 1, -1)
CHECK_TYPE(int, "int", 4, -1)
CHECK_TYPE(uint, "uint", 2, -1)
CHECK_TYPE(ll, "ll", 2, -1)
CHECK_TYPE(ull, "ull", 1, -1)
CHECK_TYPE(short, "short", 3, -1)
CHECK_TYPE(char, "char", 1, -1)
CHECK_TYPE(uchar, "uchar", 2, -1)

struct pair {
  int first;
  float second, third;
};

static void
check_bytes(void) {
  static struct pair p[N], q[N];
  static bool b[N], c[N];
  for (int e = 0; e < N; e++) {
    p[e] = (struct pair){e, 0.5f, 2.f * (float)e};
    b[e] = e % 3 == 0;
  }
  op_dat dp = op_decl_dat(cells, 1, "pair", p, "p");
  op_dat dq = op_decl_dat(cells, 1, "pair", q, "q");
  op_dat db = op_decl_dat(cells, 1, "bool", b, "b");
  op_dat dc = op_decl_dat(cells, 1, "bool", c, "c");
  op2_dat_copy(dq, dp);
  op2_dat_zero_on(cells, dp);
  op2_dat_copy_on(cells, dc, db);
  op2_dat_zero(db);
  op_fetch_data(dq, q);
  op_fetch_data(dc, c);
  for (int e = 0; e < N; e++) {
    CHECK(q[e].first == p[e].first && q[e].second == p[e].second &&
          q[e].third == p[e].third);
    CHECK(b[e] == c[e]);
  }
  op_fetch_data(dp, p);
  op_fetch_data(db, b);
  for (int e = 0; e < N; e++) CHECK(!p[e].first && !p[e].third && !b[e]);
}

/* ---- norms --------------------------------------------------------------- */

static void
check_norm(void) {
  static double x[N * DIM];
  static float f[N];
  double two, out = -1;
  float fout;
  x[4] = -3;
  x[77] = 4;
  f[7] = 12;
  f[8] = 5;
  op_dat dx = op_decl_dat(cells, DIM, "double", x, "nx");
  op_dat df = op_decl_dat(cells, 1, "float", f, "nf");
  op2_gbl norm = op2_decl_gbl(1, "double", &out, "norm");
  op2_gbl fnorm = op2_decl_gbl(1, "float", NULL, "fnorm");
  op2_dat_norm(dx, norm);
  op2_dat_axpy_gbl(dx, 1, norm, dx); /* by 6 */
  op2_dat_norm_on(cells, dx, norm);
  op2_dat_norm(df, fnorm);
  op2_gbl_get(norm, &two);
  op2_gbl_get(fnorm, &fout);
  CHECK_REAL(two, 30);
  CHECK_REAL(fout, 13);
  op_fetch_data(dx, x);
  CHECK_REAL(x[4], -18);
  op2_dat_scale(dx, NAN);
  op2_dat_norm(dx, norm);
  op2_gbl_get(norm, &two);
  CHECK(isnan(two));
  op2_dat_zero(dx);
  op2_dat_dot(dx, dx, norm); /* nothing of what it held is left */
  op2_gbl_get(norm, &two);
  CHECK_REAL(two, 0);
}

/* ---- waiting and fusing -------------------------------------------------- */

static bool
fuses(void) {
  return check_lazy() && !check_disabled("fuse") && !check_device() &&
         check_ranks() == 1 && !getenv("OP2_TRACE_MAX_LOOPS");
}

/* One region for what goes over the same elements; no flush before the look. */
static void
check_fusion(void) {
  static double x[N * DIM], y[N * DIM];
  double found, zero = 0;
  for (int i = 0; i < N * DIM; i++) x[i] = i % 4, y[i] = i % 5;
  op_dat dx = op_decl_dat(cells, DIM, "double", x, "fx");
  op_dat dy = op_decl_dat(cells, DIM, "double", y, "fy");
  op2_gbl out = op2_decl_gbl(1, "double", &zero, "sum");
  double sum = 0;
  for (int step = 0; step < 3; step++) {
    op2_flush();
    op2_counters_reset();
    op2_dat_axpy(dy, 2, dx);
    op_par_loop(twice, "twice", cells,
                op_arg_dat(dx, -1, OP_ID, DIM, "double", OP_RW));
    op2_dat_axpy(dy, -1, dx);
    op2_dat_dot(dx, dy, out);
    if (check_lazy()) {
      CHECK_INT(op2_counter("flushes"), 0);
      CHECK_PENDING(4);
    }
    op2_gbl_get(out, &found);
    sum = 0;
    for (int i = 0; i < N * DIM; i++) {
      y[i] += 2 * x[i];
      x[i] *= 2;
      y[i] -= x[i];
      sum += x[i] * y[i];
    }
    CHECK_REAL(found, sum);
    if (fuses()) CHECK_INT(op2_counter("regions"), 1);
  }
  if (fuses()) CHECK(strstr(op2_explain(), "dat_axpy"));
  op2_dat_copy(dy, dx);
  op_fetch_data(dy, y);
  for (int i = 0; i < N * DIM; i++) CHECK_REAL(y[i], x[i]);
}

/* A kernel of the program's that has the name of one of these is another one. */
static void
check_names(void) {
  double x[N], found[N];
  for (int e = 0; e < N; e++) x[e] = e;
  op_dat dx = op_decl_dat(cells, 1, "double", x, "named");
  CHECK_INT(op2_kernel_source("dat_scale",
                              "void dat_scale(double *x) { *x += 1; }"),
            0);
  op_par_loop(NULL, "dat_scale", cells,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_RW));
  op2_dat_scale(dx, 2);
  op_fetch_data(dx, found);
  for (int e = 0; e < N; e++) CHECK_REAL(found[e], 2 * (x[e] + 1));
}

/* ---- errors -------------------------------------------------------------- */

/* The call is refused, once, by its own name, at its place. */
#define CHECK_ERROR(call, text)                                                \
  do {                                                                         \
    errors = 0;                                                                \
    call;                                                                      \
    check_error(text);                                                         \
  } while (0)

static void
check_error(const char *text) {
  CHECK_INT(errors, 1);
  if (errors && (!strstr(message, text) || !strstr(message, "algebra.c:")))
    check_fail(__FILE__, __LINE__, "found \"%s\", expected \"%s\"", message,
               text);
}

/* Every third element of a set, and the last of those: the others keep theirs. */
static void
check_subsets(void) {
  static int x0[N * DIM], y0[N * DIM], x[N * DIM], y[N * DIM];
  static double r0[N];
  idx_l_t thirds[N / 3];
  for (int i = 0; i < N * DIM; i++) {
    x0[i] = i % 5;
    y0[i] = i % 7;
  }
  for (int i = 0; i < N; i++) r0[i] = i % 3 ? 7 : i == 57 ? 4 : i == 3 ? 3 : 0;
  for (int i = 0; i < N / 3; i++) thirds[i] = 3 * i;
  op_set some = op2_decl_subset(cells, N / 3, thirds, "some");
  op_set last = op2_decl_subset(some, 1, (idx_l_t[]){N / 3 - 1}, "last");
  op_dat dx = op_decl_dat(cells, DIM, "int", x0, "sx");
  op_dat dy = op_decl_dat(cells, DIM, "int", y0, "sy");
  op_dat dr = op_decl_dat(cells, 1, "double", r0, "sr");
  op2_gbl out = op2_decl_gbl(1, "int", NULL, "sout");
  op2_gbl norm = op2_decl_gbl(1, "double", NULL, "snorm");
  op2_dat_scale_on(some, dx, 2);
  op2_dat_axpy_on(some, dy, -3, dx);
  op2_dat_axpy_on(some, dx, 1, dx);
  op2_dat_dot_on(some, dx, dy, out);
  op2_dat_copy_on(last, dy, dx);
  op2_dat_norm_on(some, dr, norm);
  op2_dat_zero_on(last, dx);
  int sum = 0, found;
  double root;
  for (int i = 0; i < N * DIM; i++) {
    if (i / DIM % 3) continue;
    x0[i] *= 2;
    y0[i] -= 3 * x0[i];
    x0[i] *= 2;
    sum += x0[i] * y0[i];
    if (i / DIM == N - 3) {
      y0[i] = x0[i];
      x0[i] = 0;
    }
  }
  op_fetch_data(dx, x);
  op_fetch_data(dy, y);
  op2_gbl_get(out, &found);
  op2_gbl_get(norm, &root);
  CHECK(!memcmp(x, x0, sizeof x));
  CHECK(!memcmp(y, y0, sizeof y));
  CHECK_INT(found, sum);
  CHECK_REAL(root, 5.0);
  op2_free_gbl(out);
  op2_free_gbl(norm);
}

static void
check_errors(void) {
  op_dat a = op_decl_dat(cells, 2, "double", (double *)NULL, "ea");
  op_dat one = op_decl_dat(cells, 1, "double", (double *)NULL, "eone");
  op_dat f = op_decl_dat(cells, 2, "float", (float *)NULL, "ef");
  op_dat i = op_decl_dat(cells, 2, "int", (int *)NULL, "ei");
  op_dat b = op_decl_dat(cells, 2, "bool", (bool *)NULL, "eb");
  op_dat far = op_decl_dat(others, 2, "double", (double *)NULL, "efar");
  op_dat gone = op_decl_dat_temp(cells, 2, "double", (double *)NULL, "egone");
  op2_gbl g = op2_decl_gbl(1, "double", NULL, "eg");
  op2_gbl g2 = op2_decl_gbl(2, "double", NULL, "eg2");
  op2_gbl gi = op2_decl_gbl(1, "int", NULL, "egi");
  op2_flush();
  op_free_dat_temp(gone);
  op2_set_error_handler(on_error, NULL);
  CHECK_ERROR(op2_dat_zero(NULL),
              "op2_dat_zero: x: expected a declared dat, found NULL");
  CHECK_ERROR(op2_dat_axpy(a, 1, gone),
              "op2_dat_axpy: x: expected a declared dat, found a freed dat");
  CHECK_ERROR(op2_dat_copy(a, far),
              "op2_dat_copy: from: wrong set: expected a dat on set \"cells\" "
              "as \"ea\", found \"efar\" on set \"others\"");
  CHECK_ERROR(op2_dat_axpy_on(others, a, 1, a),
              "op2_dat_axpy_on: subset: expected set \"cells\" of dat "
              "\"ea\" or a subset of it, found \"others\"");
  CHECK_ERROR(op2_dat_zero_on(NULL, a),
              "op2_dat_zero_on: subset: expected a declared set, found NULL");
  CHECK_ERROR(op2_dat_dot(a, one, g),
              "op2_dat_dot: y: wrong dim: expected 2 as \"ea\", found 1 of "
              "\"eone\"");
  CHECK_ERROR(op2_dat_axpy(a, 1, f),
              "op2_dat_axpy: x: wrong type: expected \"double\" as \"ea\", "
              "found \"float\" of \"ef\"");
  CHECK_ERROR(op2_dat_scale(b, 2),
              "op2_dat_scale: x: wrong type: expected one with arithmetic, "
              "found \"bool\" of dat \"eb\"");
  CHECK_ERROR(op2_dat_norm(i, gi),
              "op2_dat_norm: x: wrong type: expected double or float, found "
              "\"int\" of dat \"ei\"");
  CHECK_ERROR(op2_dat_scale(i, 0.5),
              "op2_dat_scale: a: expected a number of type \"int\" of dat "
              "\"ei\", found 0.5");
  CHECK_ERROR(op2_dat_axpy(i, 3e9, i), "op2_dat_axpy: a: expected a number");
  CHECK_ERROR(op2_dat_axpy_gbl(i, NAN, gi, i),
              "op2_dat_axpy_gbl: sign: expected a number");
  CHECK_ERROR(
      op2_dat_dot(a, a, NULL),
      "op2_dat_dot: out: expected a handle of op2_decl_gbl, found NULL");
  CHECK_ERROR(op2_dat_axpy_gbl(a, 1, g2, a),
              "op2_dat_axpy_gbl: a: wrong dim: expected 1 of global \"eg2\", "
              "found 2");
  CHECK_ERROR(op2_dat_norm(a, gi),
              "op2_dat_norm: out: wrong type: expected \"double\" as dat "
              "\"ea\", found i32 of global \"egi\"");
  op2_set_error_handler(NULL, NULL);
  CHECK_PENDING(0);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  cells = op_decl_set(N, "cells");
  others = op_decl_set(N, "others");
  check_double_1();
  check_double_3();
  check_double_4();
  check_double_70();
  check_float_1();
  check_float_2();
  check_int_1();
  check_int_4();
  check_uint_2();
  check_ll_2();
  check_ull_1();
  check_subsets();
  check_short_3();
  check_char_1();
  check_uchar_2();
  check_bytes();
  check_norm();
  check_fusion();
  check_names();
  check_errors();
  return check_end();
}
