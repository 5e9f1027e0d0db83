/* Kernels that loop over components as far as a variable, or an argument, says: of small
 * dats, whose arrays are shorter than a vector. Exact: integers in each type. */
#include "check.h"

enum { N = 37, MOST = 9 };

static int count;

#define KERNELS(T)                                                             \
  static void add_count_##T(const T *x, T *sum) {                              \
    for (int c = 0; c < count; c++) sum[c] += x[c] + 100;                      \
  }                                                                            \
  static void add_given_##T(const int *n, const T *x, T *sum) {                \
    for (int c = 0; c < *n; c++) sum[c] += x[c] + 100;                         \
  }                                                                            \
  static void own_array_##T(const int *n, const T *x, T *sum) {                \
    T own[3] = {1, 2, 3};                                                      \
    for (int c = 0; c < *n; c++) own[c % 3] += x[c];                           \
    sum[0] += own[0] + own[1] + own[2];                                        \
  }
KERNELS(int)
KERNELS(float)
KERNELS(double)

static int table[N];
static op_set set;
static op_map next;

#define TRY(T, dim)                                                            \
  {                                                                            \
    static T x[N * MOST], zero[N * MOST], out[N * MOST];                       \
    int n = dim;                                                               \
    for (int i = 0; i < N * dim; i++) x[i] = (T)(i % 23);                      \
    op_dat a = op_decl_dat(set, dim, #T, x, "a");                              \
    op_dat b = op_decl_dat(set, dim, #T, zero, "b");                           \
    op_dat s = op_decl_dat(set, 1, #T, zero, "s");                             \
    count = dim;                                                               \
    op_par_loop(add_count_##T, "add_count", set,                               \
                op_arg_dat(a, -1, OP_ID, dim, #T, OP_READ),                    \
                op_arg_dat(b, -1, OP_ID, dim, #T, OP_INC));                    \
    op_par_loop(add_given_##T, "add_given", set,                               \
                op_arg_gbl(&n, 1, "int", OP_READ),                             \
                op_arg_dat(a, -1, OP_ID, dim, #T, OP_READ),                    \
                op_arg_dat(b, 0, next, dim, #T, OP_INC));                      \
    op_par_loop(own_array_##T, "own_array", set,                               \
                op_arg_gbl(&n, 1, "int", OP_READ),                             \
                op_arg_dat(a, -1, OP_ID, dim, #T, OP_READ),                    \
                op_arg_dat(s, -1, OP_ID, 1, #T, OP_INC));                      \
    op_fetch_data(b, out);                                                     \
    for (int e = 0; e < N; e++)                                                \
      for (int c = 0; c < dim; c++) {                                          \
        int before = (e + N - 1) % N;                                          \
        CHECK_REAL(out[e * dim + c],                                           \
                   x[e * dim + c] + x[before * dim + c] + 200);                \
      }                                                                        \
    op_fetch_data(s, out);                                                     \
    for (int e = 0; e < N; e++) {                                              \
      T all = 6;                                                               \
      for (int c = 0; c < dim; c++) all += x[e * dim + c];                     \
      CHECK_REAL(out[e], all);                                                 \
    }                                                                          \
  }

int
main(int argc, char **argv) {
  check_start(argc, argv);
  for (int e = 0; e < N; e++) table[e] = (e + 1) % N;
  set = op_decl_set(N, "set");
  next = op_decl_map(set, set, 1, table, "next");
  for (int dim = 1; dim <= MOST; dim++) {
    TRY(int, dim)
    TRY(float, dim)
    TRY(double, dim)
  }
  return check_end();
}
