// The templates of op2_cpp.h.
#include "calls_common.h"

#include <cstdlib>
#include <string>

struct checked {
  double x;
};
static int
type_error(const checked *, const char *type) {
  return strcmp(type, "checked");
}

static void
rows(const double **a, double **b, const int *const *c, own *d) {
  **b = **a + **c + d->a;
}
template <class T>
static void
copy(const T *a, T *b) noexcept {
  *b = *a;
}

static void
test_param_types() {
  op_set set = nullptr;
  op_arg a = op_arg_idx(0, OP_ID);
  op_par_loop(rows, "rows", set, a, a, a, a);
  EXPECT(text_is(seen.what, "typed") && seen.nparams == 4);
  EXPECT(text_is(seen.params[0], "double*"));
  EXPECT(text_is(seen.params[1], "double*"));
  EXPECT(text_is(seen.params[2], "int*"));
  EXPECT(!seen.params[3]);
  op_par_loop(two_arguments, "two", set, a, a);
  EXPECT(text_is(seen.params[0], "int") && text_is(seen.params[1], "double"));
}

static void
test_kernels() {
  op_set set = nullptr;
  const op_arg a = op_arg_idx(0, OP_ID);
  void (*pointer)(const int *, double *) = two_arguments;
  op_par_loop(pointer, "pointer", set, a, a);
  EXPECT(seen.kernel == reinterpret_cast<void (*)()>(two_arguments));
  op_par_loop(&two_arguments, "address", set, a, a);
  EXPECT(seen.kernel == reinterpret_cast<void (*)()>(two_arguments));
  op_par_loop(copy<float>, "copy", set, a, a);
  EXPECT(text_is(seen.params[1], "float"));
  op_par_loop([](const ll *x, ll *y) { *y = *x; }, "lambda", set, a, a);
  EXPECT(seen.kernel && text_is(seen.params[0], "ll") && seen.nargs == 2);
  EXPECT(seen.line == __LINE__ - 2);
  op_par_loop(nullptr, "source", set, a);
  EXPECT(!seen.kernel && seen.nargs == 1 && text_is(seen.what, "loop"));
  op2_par_loop_scan([](const ll *x, ll *y) { *y = *x; }, "lambda", set,
                    OP2_FORWARD, a, a);
  EXPECT(seen.kernel && text_is(seen.params[0], "ll") && seen.nargs == 2);
  EXPECT(text_is(seen.what, "scan") && seen.low == OP2_FORWARD);
  op2_par_loop_levels(
      "lambda", set, nullptr, OP2_PARALLEL,
      op2_levels_of(op2_level([](const ll *x, ll *y) { *y = *x; },
                              op2_interval{0, 1, 1, -1})),
      a, a);
  EXPECT(seen.size == 1 && seen.items[0].kernel && seen.items[0].nparams == 2);
  EXPECT(text_is(seen.items[0].param_types[1], "ll") && seen.nargs == 2);
  std::string name("made");
  op_par_loop(no_arguments, name.c_str(), set);
  EXPECT(text_is(seen.name, "made"));
}

static void
test_own_types() {
  checked c = {0};
  op_decl_dat(nullptr, 1, "checked", &c, "c");
  EXPECT(!seen.ctype && seen.size == sizeof(checked));
  op_decl_dat(nullptr, 1, "other", &c, "c");
  EXPECT(text_is(seen.ctype, "?"));
  op_decl_dat<double>(nullptr, 1, "double", nullptr, "d");
  EXPECT(text_is(seen.ctype, "double") && !seen.data);
}

static void
test_type_error() {
  EXPECT(!type_error((double *)nullptr, "double"));
  EXPECT(!type_error((double *)nullptr, "double:soa"));
  EXPECT(type_error((double *)nullptr, "doubles"));
  EXPECT(type_error((ull *)nullptr, "ll"));
  EXPECT(!type_error((bool *)nullptr, "bool"));
}

int
main() {
  test_common();
  test_param_types();
  test_kernels();
  test_own_types();
  test_type_error();
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
