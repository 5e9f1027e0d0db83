/* What ranks may have of their own decides nothing that all do together: constants
 * that change on one rank (their captured bytes end no trace), start values of
 * extremes, values that a rank without elements does not give. What one rank alone
 * uploads is told.
 *
 * RUN: 2 OP2_TRACE_MAX_BYTES=4K
 * RUN: 3 OP2_TRACE_MAX_BYTES=20K
 * RUN: 3 OP2_TRACE_MAX_BYTES=4K OP2_REPRODUCIBLE=1
 * RUN: 2 OP2_TARGET=opencl OP2_TRACE_MAX_BYTES=4K
 */
#include "../programs/check.h"

enum { N = 50 };
static double table[256];

static void
with_table(const double *x, double *y) {
  *y += *x * table[5];
}

static void
extremes(const double *x, double *least, double *sum) {
  if (*x < *least) *least = *x;
  *sum += *x;
}

static void
where_least(const double *x, const int *number, double *least, int *where) {
  if (*x < *least) {
    *least = *x;
    *where = *number;
  }
}

static void
through(const double *x, double *y) {
  *y += *x;
}

static int rank, ranks;

static void
constants(op_set s, op_dat x, op_dat y) {
  double out[N], expected = 0;
  for (int k = 0; k < 40; k++) {
    if (rank == 1) table[5] = k;
    op_par_loop(with_table, "with_table", s,
                op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(y, -1, OP_ID, 1, "double", OP_RW));
    if (rank == 1) expected += k;
  }
  op_fetch_data(y, out);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], expected);
}

static void
starts(op_set s, op_dat x, op_dat number) {
  double least = rank == 1 ? -5 : 100, sum = rank + 1;
  int where = -rank - 1;
  op_par_loop(extremes, "extremes", s,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  CHECK_REAL(least, -5);
  CHECK_REAL(sum, N * ranks + 1); /* that of rank 0 counts */
  least = rank ? -5 : 100;
  op_par_loop(where_least, "where_least", s,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(number, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_info(&where, 1, "int", 2));
  CHECK_REAL(least, -5);
  CHECK_INT(where, -2);
  least = rank ? 100 : 1;
  where = -rank - 1;
  op_par_loop(where_least, "where_least", s,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(number, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_info(&where, 1, "int", 2));
  CHECK_REAL(least, 1);
  CHECK_INT(where, -1);
}

/* All elements on the first rank; the others give no pointer. */
static void
nothing_given(void) {
  static double v[N];
  static int next[N];
  int n = rank ? 0 : N;
  for (int e = 0; e < N; e++) {
    v[e] = e;
    next[e] = (e + 1) % N;
  }
  op_set s = op_decl_set(n, "all on one");
  op_map m = op_decl_map(s, s, 1, rank ? NULL : next, "next");
  op_dat a = op_decl_dat(s, 1, "double", rank ? NULL : v, "a");
  for (int late = 0; late < 2; late++) {
    op_dat b = op_decl_dat(s, 1, "double", rank ? NULL : v, "b");
    op_par_loop(through, "through", s,
                op_arg_dat(a, 0, m, 1, "double", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "double", OP_RW));
    op_partition("RANDOM", "", s, m, NULL);
    op_par_loop(through, "through", s,
                op_arg_dat(b, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(a, 0, m, 1, "double", OP_INC));
    op_fetch_data(a, v);
    for (int e = 0; e < n && !late; e++)
      CHECK_REAL(v[e], e + (e + N - 1) % N + e);
  }
}

int
main(int argc, char **argv) {
  double x[N];
  int number[N];
  check_start(argc, argv);
  op_rank(&rank);
  op_set one = op_decl_set(1, "one");
  ranks = (int)op_get_size(one);
  for (int e = 0; e < N; e++) {
    x[e] = 1;
    number[e] = rank * N + e;
  }
  op_set s = op_decl_set(N, "s");
  op_dat dx = op_decl_dat(s, 1, "double", x, "x");
  op_dat dy = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  op_dat dn = op_decl_dat(s, 1, "int", number, "number");
  constants(s, dx, dy);
  starts(s, dx, dn);
  nothing_given();
  return check_end();
}
