/* Calls that C and C++ write alike, against the doubles of stubs.h. */
#ifndef CALLS_COMMON_H
#define CALLS_COMMON_H

#include "stubs.h"

struct own {
  int a;
  double b;
};

static int evaluated;
static op_arg
count_evaluation(int idx) {
  evaluated++;
  return op_arg_idx(idx, OP_ID);
}

/* Name and size of the type, as seen from a pointer of each kind. */
#define TYPE_CASE(T, name)                                                     \
  do {                                                                         \
    T value = 0;                                                               \
    const T *constant = &value;                                                \
    op_fetch_data(NULL_DAT, &value);                                           \
    EXPECT(text_is(seen.ctype, name) && seen.size == sizeof(T));               \
    op_arg_gbl(constant, 1, "t", OP_READ);                                     \
    EXPECT(text_is(seen.ctype, name) && seen.size == sizeof(T));               \
    EXPECT(seen.data == (const void *)&value);                                 \
  } while (0)
#define NULL_DAT ((op_dat)NULL)

static void
test_types(void) {
  TYPE_CASE(double, "double");
  TYPE_CASE(float, "float");
  TYPE_CASE(int, "int");
  TYPE_CASE(unsigned, "uint");
  TYPE_CASE(long long, "ll");
  TYPE_CASE(unsigned long long, "ull");
  TYPE_CASE(long, sizeof(long) == 8 ? "ll" : "int");
  TYPE_CASE(unsigned long, sizeof(long) == 8 ? "ull" : "uint");
  TYPE_CASE(short, "short");
  TYPE_CASE(char, "char");
  TYPE_CASE(signed char, "char");
  TYPE_CASE(unsigned char, "uchar");
  TYPE_CASE(bool, "bool");
}

static void
test_untyped(void) {
  double x = 0;
  struct own o = {0, 0};
  op_fetch_data(NULL_DAT, (void *)&x);
  EXPECT(!seen.ctype && seen.size == 0 && seen.data == &x);
  op_fetch_data(NULL_DAT, &o);
  EXPECT(!seen.ctype && seen.size == sizeof(struct own));
}

static void
test_data_calls(void) {
  double x[4] = {0, 0, 0, 0};
  op_set set = (op_set)(void *)x;
  op_decl_dat(set, 4, "double", x, "x");
  EXPECT(seen.line == __LINE__ - 1 && text_is(seen.file, __FILE__));
  EXPECT(text_is(seen.what, "dat") && seen.set == set && seen.dim == 4);
  EXPECT(text_is(seen.type, "double") && text_is(seen.name, "x"));
  EXPECT(seen.data == x && seen.size == sizeof(double));
  op_decl_dat(set, 1, "double", NULL, "y");
  EXPECT(!seen.data && !seen.size && !seen.ctype);
  op_decl_dat_temp(set, 2, "double", x, "t");
  EXPECT(text_is(seen.what, "temp") && seen.line == __LINE__ - 1);
  op_decl_const(4, "double", x);
  EXPECT(text_is(seen.what, "const") && !seen.name && seen.data == x);
  EXPECT(seen.line == __LINE__ - 2);
  op_decl_const2("x", 4, "double", x);
  EXPECT(text_is(seen.name, "x") && seen.line == __LINE__ - 1);
  op_fetch_data_idx(NULL_DAT, x, 3, 5);
  EXPECT(seen.low == 3 && seen.high == 5 && seen.line == __LINE__ - 1);
  float y = 0;
  op_fetch_data_idx(NULL_DAT, &y, 0, 0);
  EXPECT(text_is(seen.ctype, "float") && seen.size == sizeof y);
}

static void
test_globals(void) {
  double x = 0;
  op_arg_gbl(&x, 1, "double", OP_INC);
  EXPECT(text_is(seen.what, "gbl") && seen.opt == 1 && seen.acc == OP_INC);
  op_opt_arg_gbl(0, &x, 1, "double", OP_MIN);
  EXPECT(seen.opt == 0 && seen.acc == OP_MIN && seen.data == &x);
  EXPECT(op_arg_info(&x, 1, "double", 2).idx == 2);
  EXPECT(text_is(seen.what, "info"));
}

static void
test_places(void) {
  op_decl_set(3, "cells");
  EXPECT(text_is(seen.what, "set") && seen.line == __LINE__ - 1);
  EXPECT(seen.dim == 3 && text_is(seen.name, "cells"));
  op2_flush();
  EXPECT(text_is(seen.what, "flush") && seen.line == __LINE__ - 1);
}

static inline void
no_arguments(void) {
}
static inline void
two_arguments(const int *a, double *b) {
  *b = *a;
}

static void
test_loops(void) {
  op_set set = (op_set)(void *)&seen;
  op_par_loop(no_arguments, "none", set);
  EXPECT(seen.nargs == 0 && text_is(seen.name, "none") && seen.set == set);
  EXPECT(seen.line == __LINE__ - 2 && text_is(seen.file, __FILE__));
  EXPECT(seen.kernel == no_arguments);
  evaluated = 0;
  op_par_loop(two_arguments, "two", set, count_evaluation(5),
              count_evaluation(6));
  EXPECT(evaluated == 2);
  EXPECT(seen.nargs == 2 && seen.args[0].idx == 5 && seen.args[1].idx == 6);
  EXPECT(seen.kernel == (void (*)(void))two_arguments);
  op_par_loop(NULL, "source", set, op_arg_idx(7, OP_ID));
  EXPECT(!seen.kernel && seen.nargs == 1 && seen.args[0].idx == 7);
}

static void
test_scans(void) {
  op_set set = (op_set)(void *)&seen;
  op2_par_loop_scan(no_arguments, "none", set, OP2_BACKWARD);
  EXPECT(text_is(seen.what, "scan") && seen.low == OP2_BACKWARD);
  EXPECT(seen.line == __LINE__ - 2 && text_is(seen.file, __FILE__));
  EXPECT(seen.nargs == 0 && text_is(seen.name, "none") && seen.set == set);
  evaluated = 0;
  op2_par_loop_scan(two_arguments, "two", set, OP2_FORWARD, count_evaluation(5),
                    count_evaluation(6));
  EXPECT(evaluated == 2 && seen.low == OP2_FORWARD);
  EXPECT(seen.nargs == 2 && seen.args[0].idx == 5 && seen.args[1].idx == 6);
  EXPECT(seen.kernel == (void (*)(void))two_arguments);
  op2_par_loop_scan(NULL, "source", set, OP2_FORWARD, op_arg_idx(7, OP_ID));
  EXPECT(!seen.kernel && seen.nargs == 1 && seen.args[0].idx == 7);
}

static int
item_is(int i, void (*kernel)(void), int from_splitter, int to_offset) {
  const struct op2_level *l = &seen.items[i];
  return l->kernel == kernel && l->on.from_splitter == from_splitter &&
         l->on.to_offset == to_offset;
}

static void
test_levels(void) {
  op_set set = (op_set)(void *)&seen;
  op2_axis axis = (op2_axis)(void *)&evaluated;
  const struct op2_interval low = {0, 1, 1, -1}, top = {3, -1, 3, -2};
  evaluated = 0;
  op2_par_loop_levels("levels", set, axis, OP2_PARALLEL + OP2_GAPS,
                      op2_levels_of(op2_level(two_arguments, low),
                                    op2_level(no_arguments, top)),
                      count_evaluation(5), count_evaluation(6));
  EXPECT(text_is(seen.what, "levels") && text_is(seen.name, "levels"));
  EXPECT(seen.line == __LINE__ - 5 || seen.line == __LINE__ - 2);
  EXPECT(text_is(seen.file, __FILE__) && seen.set == set && seen.data == axis);
  EXPECT(evaluated == 2 && seen.low == OP2_PARALLEL + OP2_GAPS);
  EXPECT(seen.nargs == 2 && seen.args[0].idx == 5 && seen.args[1].idx == 6);
  EXPECT(seen.size == 2);
  EXPECT(item_is(0, (void (*)(void))two_arguments, 0, -1));
  EXPECT(item_is(1, (void (*)(void))no_arguments, 3, -2));
  op2_par_loop_levels("none", set, axis, OP2_FORWARD,
                      op2_levels_of(op2_level(no_arguments, top)));
  EXPECT(seen.nargs == 0 && seen.size == 1 && seen.low == OP2_FORWARD);
}

#define IDX8                                                                   \
  op_arg_idx(0, OP_ID), op_arg_idx(1, OP_ID), op_arg_idx(2, OP_ID),            \
      op_arg_idx(3, OP_ID), op_arg_idx(4, OP_ID), op_arg_idx(5, OP_ID),        \
      op_arg_idx(6, OP_ID), op_arg_idx(7, OP_ID)
#define IDX64 IDX8, IDX8, IDX8, IDX8, IDX8, IDX8, IDX8, IDX8

static void
test_most_arguments(void) {
  op_par_loop(NULL, "many", (op_set)NULL, IDX64);
  EXPECT(seen.nargs == OP2_ARGS_MAX && seen.args[63].idx == 7);
}

static void
test_common(void) {
  test_types();
  test_untyped();
  test_data_calls();
  test_globals();
  test_places();
  test_loops();
  test_scans();
  test_levels();
  test_most_arguments();
}

#endif
