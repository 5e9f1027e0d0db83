/* OP2_CHECK=nan: the first value that is not finite is an error of the loop that made
 * it, which names element, row and inputs; loops that pass it on, or get one that the
 * program put there, make none. What they compute is there all the same. */
#include "check.h"
#include "errors.h"

enum { N = 40, BAD = 17 };

static op_set nodes, edges;
static op_map ends;
static op_dat x, y, z, z1, f, load, heap, given, carried, turned;
static op2_gbl sum;

/* The last call's error: with this text, and its place, which for a call over several
 * lines is the first or the last one. */
static void
expect(int line, const char *text) {
  const char *at = strstr(message, "nan.c:");
  int place = errors && at ? atoi(at + strlen("nan.c:")) : 0;
  if (errors != 1 || !strstr(message, text))
    check_fail(__FILE__, line, "%d errors, expected \"%s\", found %s", errors,
               text, errors ? message : "none");
  else if (abs(place - line) > 15)
    check_fail(__FILE__, line, "no 'nan.c:%d' in %s", line, message);
  CHECK_INT(code, OP2_ERR_STATE);
  errors = code = 0;
}

static void
expect_none(int line) {
  if (errors)
    check_fail(__FILE__, line, "expected no error, found %s", message);
  errors = code = 0;
}
#define NONE(call)                                                             \
  do {                                                                         \
    call;                                                                      \
    expect_none(__LINE__);                                                     \
  } while (0)
#define EXPECT(text, call)                                                     \
  do {                                                                         \
    call;                                                                      \
    expect(__LINE__, text);                                                    \
  } while (0)

static void
root(const double *a, double *b) {
  b[0] = a[0];
  b[1] = sqrt(a[1]);
}
static void
twice(const double *a, double *b) {
  b[0] = 2 * a[0];
  b[1] = 2 * a[1];
}
/* The last edge alone divides by zero; others reach its nodes before it. */
static void
flux(const double *a, const double *b, double *to, double *from) {
  double q = 1 / (a[0] - b[0] - (N - 1));
  to[0] += q;
  from[0] -= q;
}
static void
carry(const double *a, const double *b, double *to, double *from) {
  to[0] += a[0] - b[0];
  from[0] += b[0] - a[0];
}
static void
logs(const double **a, float *b) {
  b[0] = 1;
  b[1] = logf((float)(a[0][0] * a[1][0]));
}
static void
rate(const double *a, double *s) {
  s[0] += 1;
  s[1] += 1 / (a[0] - 5);
}
static void
scale(double *b, const double *s) {
  b[0] *= *s;
}
static void
steep(const int *i, double *b) {
  *b = 1.0 / (*i - 9);
}
static void
steep_long(const idx_g_t *i, double *b) {
  *b = 1.0 / (double)(*i - 4);
}
static void
burden(double *a, double *b) {
  *a += 1e308;
  *b += 1e308;
}
static void
widest(const double *a, double *most) {
  *most = *most > a[1] ? *most : a[1];
}
static int seen;
static void
counted(const double *a, double *b) {
  seen++;
  *b = sqrt(a[1]);
}
static void
count(int *n) {
  *n += 1;
}

#define NODE(d, n, acc) op_arg_dat(d, -1, OP_ID, n, "double", acc)
#define END(d, i, n, acc) op_arg_dat(d, i, ends, n, "double", acc)

/* What the loop made is there, as without the option. */
static void
direct(void) {
  double v[2 * N];
  EXPECT(
      "op_par_loop \"root\": argument 1, dat \"y\": expected finite values of "
      "finite inputs, found nan in component 1 of element 17 of set \"nodes\"; "
      "inputs of that element: argument 0, dat \"x\": 17 -4",
      op_par_loop(root, "root", nodes, NODE(x, 2, OP_READ),
                  NODE(y, 2, OP_WRITE)));
  CHECK_INT(op2_pending(), 0);
  op_fetch_data(y, v);
  for (int i = 0; i < N; i++) {
    CHECK_REAL(v[2 * i], i);
    if (i != BAD) CHECK_REAL(v[2 * i + 1], i);
  }
  CHECK(isnan(v[2 * BAD + 1]));
}

/* It was made before, or by the program. */
static void
passed_on(void) {
  double most = 0, bad = NAN;
  NONE(op_par_loop(twice, "twice", nodes, NODE(y, 2, OP_READ),
                   NODE(z, 2, OP_WRITE)));
  NONE(op_par_loop(widest, "widest", nodes, NODE(y, 2, OP_READ),
                   op_arg_gbl(&most, 1, "double", OP_MAX)));
  NONE(op_par_loop(scale, "scale", nodes, NODE(z, 2, OP_RW),
                   op_arg_gbl(&bad, 1, "double", OP_READ)));
  NONE(op_par_loop(twice, "twice", nodes, NODE(given, 2, OP_READ),
                   NODE(z, 2, OP_WRITE)));
  for (int e = 0; e < 3; e++)
    NONE(op_par_loop(carry, "carry", edges, END(given, 0, 2, OP_READ),
                     END(given, 1, 2, OP_READ), END(carried, 0, 1, OP_INC),
                     END(carried, 1, 1, OP_INC)));
  NONE(op_par_loop(carry, "carry", edges, END(given, 0, 2, OP_READ),
                   END(given, 1, 2, OP_READ), END(carried, 0, 1, OP_RW),
                   END(carried, 1, 1, OP_RW)));
}

static void
through_maps(void) {
  EXPECT("op_par_loop \"flux\": argument 2, dat \"load\": expected finite "
         "values of "
         "finite inputs, found inf in component 0 of element 39 of set "
         "\"nodes\", made "
         "by element 39 of set \"edges\" (row of map \"ends\": 39 0); inputs "
         "of that "
         "element: argument 0, dat \"x\" element 39: 39 1521; argument 1, dat "
         "\"x\" "
         "element 0: 0 0; argument 2, dat \"load\" element 39:",
         op_par_loop(flux, "flux", edges, END(x, 0, 2, OP_READ),
                     END(x, 1, 2, OP_READ), END(load, 0, 1, OP_INC),
                     END(load, 1, 1, OP_INC)));
  EXPECT(
      "op_par_loop \"logs\": argument 1, dat \"f\": expected finite values of "
      "finite inputs, found -inf in component 1 of element 0 of set \"edges\"; "
      "inputs of that element: argument 0, dat \"x\" element 0: 0 0, element "
      "1: "
      "1 1",
      op_par_loop(logs, "logs", edges, END(x, -2, 2, OP_READ),
                  op_arg_dat(f, -1, OP_ID, 2, "float", OP_WRITE)));
}

/* Its kernel has no address: who reaches the place first is named. */
static void
from_text(void) {
  CHECK_INT(op2_kernel_source("invert",
                              "void invert(const double *a, double *b)"
                              "{ *b += 1 / *a; }"),
            0);
  EXPECT("op_par_loop \"invert\": argument 1, dat \"turned\": expected finite "
         "values "
         "of finite inputs, found inf in component 0 of element 1 of set "
         "\"nodes\", "
         "which is first reached by element 0 of set \"edges\" (row of map "
         "\"ends\": 0 "
         "1); inputs of that element: argument 0, dat \"x\" element 0: 0 0; "
         "argument 1, "
         "dat \"turned\" element 1: 0",
         op_par_loop(NULL, "invert", edges, END(x, 0, 2, OP_READ),
                     END(turned, 1, 1, OP_INC)));
}

static void
globals(void) {
  double both[2] = {0, 0}, start[2] = {2, 0.5};
  int n = 0;
  EXPECT("op_par_loop \"rate\": argument 1, global: expected finite values of "
         "finite "
         "inputs, found inf in component 1, made by element 5 of set "
         "\"nodes\"; inputs "
         "of that element: argument 0, dat \"x\": 5 25; argument 1, global:",
         op_par_loop(rate, "rate", nodes, NODE(x, 2, OP_READ),
                     op_arg_gbl(both, 2, "double", OP_INC)));
  CHECK_REAL(both[0], N);
  CHECK(isinf(both[1]));
  op2_gbl_set(sum, start);
  EXPECT("argument 1, global \"sum\": expected finite values of finite inputs, "
         "found "
         "inf in component 1, made by element 5 of set \"nodes\"",
         op_par_loop(rate, "rate", nodes, NODE(x, 2, OP_READ),
                     op2_arg_gbl(sum, 2, "double", OP_INC)));
  op2_gbl_get(sum, start);
  CHECK_REAL(start[0], N + 2);
  NONE(op_par_loop(count, "count", nodes, op_arg_gbl(&n, 1, "int", OP_INC)));
  CHECK_INT(n, N);
}

/* A kernel that is known to have effects does not run again. */
static void
with_effects(void) {
  CHECK_INT(op2_target_push("openmp"), 0);
  EXPECT("op_par_loop \"counted\": argument 1, dat \"turned\": expected finite "
         "values "
         "of finite inputs, found nan in component 0 of element 17 of set "
         "\"nodes\"; "
         "inputs of that element: argument 0, dat \"x\": 17 -4",
         op_par_loop(counted, "counted", nodes, NODE(x, 2, OP_READ),
                     NODE(turned, 1, OP_WRITE)));
  CHECK_INT(op2_target_pop(), 0);
  if (check_ir()) CHECK_INT(seen, N);
}

/* The program's order alone tells who made them. */
static void
on_one_rank(void) {
  EXPECT(
      "op_par_loop \"steep\": argument 1, dat \"z1\": expected finite values "
      "of "
      "finite inputs, found inf in component 0 of element 9 of set \"nodes\"; "
      "inputs of that element: argument 0, index: 9",
      op_par_loop(steep, "steep", nodes, op_arg_idx(-1, OP_ID),
                  NODE(z1, 1, OP_WRITE)));
  EXPECT("op_par_loop \"steep_long\": argument 1, dat \"z1\": expected finite "
         "values of finite inputs, found inf in component 0 of element 4 of "
         "set \"nodes\"; inputs of that element: argument 0, index: 4",
         op_par_loop(steep_long, "steep_long", nodes,
                     op2_arg_idx_long(-1, OP_ID), NODE(z1, 1, OP_WRITE)));
  EXPECT("found inf in component 0 of element 1 of set \"nodes\", made by "
         "element 1 "
         "of set \"edges\" (row of map \"ends\": 1 2); inputs of that element: "
         "argument 0, dat \"heap\" element 1: 1e+308; argument 1, dat \"heap\" "
         "element 2: 0",
         op_par_loop(burden, "burden", edges, END(heap, 0, 1, OP_INC),
                     END(heap, 1, 1, OP_INC)));
}

static void
declare(void) {
  static double xs[2 * N], two[2 * N], one[N];
  static float fs[2 * N];
  static int table[2 * N];
  for (int i = 0; i < N; i++) {
    xs[2 * i] = i;
    xs[2 * i + 1] = i * i;
    table[2 * i] = i;
    table[2 * i + 1] = (i + 1) % N;
  }
  xs[2 * BAD + 1] = -4;
  nodes = op_decl_set(N, "nodes");
  edges = op_decl_set(N, "edges");
  ends = op_decl_map(edges, nodes, 2, table, "ends");
  x = op_decl_dat(nodes, 2, "double", xs, "x");
  y = op_decl_dat(nodes, 2, "double", two, "y");
  z = op_decl_dat(nodes, 2, "double", two, "z");
  z1 = op_decl_dat(nodes, 1, "double", one, "z1");
  heap = op_decl_dat(nodes, 1, "double", one, "heap");
  load = op_decl_dat(nodes, 1, "double", one, "load");
  f = op_decl_dat(edges, 2, "float", fs, "f");
  turned = op_decl_dat(nodes, 1, "double", one, "turned");
  carried = op_decl_dat(nodes, 1, "double", one, "carried");
  for (int i = 2; i < N; i += 9)
    two[2 * i] = INFINITY; /* many ranks have one */
  given = op_decl_dat(nodes, 2, "double", two, "given");
  sum = op2_decl_gbl(2, "double", one, "sum");
}

int
main(int argc, char **argv) {
  setenv("OP2_CHECK", "nan", 1);
  check_start(argc, argv);
  op2_set_error_handler(on_error, NULL);
  declare();
  direct();
  passed_on();
  through_maps();
  from_text();
  globals();
  if (check_ranks() == 1) {
    with_effects();
    on_one_rank();
  }
  return check_end();
}
