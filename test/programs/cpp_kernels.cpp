/* C++: kernels that are inline functions in a namespace, function templates and
 * captureless lambdas; typed declarations and fetches; handles. */
#include <vector>

#include "check.h"

namespace {

constexpr int N = 100;
int offset = 5; /* a constant of the kernel */

namespace inner {
inline void
fill(const int *e, double *a) {
  a[0] = *e;
  a[1] = offset;
}
} // namespace inner

inline void
number(const idx_g_t *e, const idx_g_t *first, double *b) {
  *b = double(1000 * *e + *first);
}

template <class T, int dim>
void
add_up(const T *a, T *sum) {
  for (int c = 0; c < dim; c++) *sum += a[c];
}

template <class T>
void
pull(T **x, T *out) {
  *out = x[0][0] - x[1][0];
}

} // namespace

int
main(int argc, char **argv) {
  check_start(argc, argv);
  std::vector<int> map(2 * N);
  for (int e = 0; e < N; e++) {
    map[std::size_t(2 * e)] = (e + 1) % N;
    map[std::size_t(2 * e + 1)] = e;
  }
  std::vector<double> out(N), start(2 * N, 1.0);
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 2, map.data(), "m");
  op_dat a = op_decl_dat(s, 2, "double", start.data(), "a");
  op_dat b = op_decl_dat(s, 1, "double", (double *)nullptr, "b");
  double sum = 0;

  op_par_loop(inner::fill, "fill", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 2, "double", OP_WRITE));
  offset = 1000; /* too late for the loop above */
  op_par_loop(pull<double>, "pull", s,
              op_arg_dat(a, -2, m, 2, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop([](double *x) { *x *= 2; }, "twice", s,
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_RW));
  CHECK_PENDING(3);
  op_par_loop(add_up<double, 2>, "add_up", s,
              op_arg_dat(a, -1, OP_ID, 2, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  CHECK_REAL(sum, N * (N - 1) / 2 + 5 * N);
  op_fetch_data(b, out.data());
  for (int e = 0; e < N; e++)
    CHECK_REAL(out[std::size_t(e)], e == N - 1 ? -2.0 * (N - 1) : 2.0);
  op_par_loop(number, "number", s, op2_arg_idx_long(-1, OP_ID),
              op2_arg_idx_long(0, m),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_fetch_data(b, out.data());
  for (int e = 0; e < N; e++)
    CHECK_REAL(out[std::size_t(e)], 1000.0 * e + (e + 1) % N);
  return check_end();
}
