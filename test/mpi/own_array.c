/* OP_NO_REALLOC on several ranks: a dat's values cannot lie in the program's array.
 * A loop whose kernel names that array, or that is given it as a global, runs while
 * both hold the same, and is refused once the dat was written (its kernel saw old
 * values, with a warning at the start only).
 *
 * RUN: 2 OP2_DECLARE=whole
 * RUN: 3 OP2_DECLARE=whole OP2_EAGER=1
 */
#include "../programs/check.h"
#include "../programs/errors.h"

enum { N = 64 };

static double table[N], out[N], other[N];
static void
fill(const int *i, double *t) {
  *t = 3.0 * *i;
}

static void
look(const int *i, double *y) {
  *y = table[*i % N] + 1;
}

static void
given(const double *first, double *y) {
  *y = *first + 2;
}

#define OWN(x, acc) op_arg_dat(x, -1, OP_ID, 1, "double", acc)

static void
by_name(op_set s, op_dat y) {
  op_par_loop(look, "look", s, op_arg_idx(-1, OP_ID), OWN(y, OP_WRITE));
}

static void
by_global(op_set s, op_dat y) {
  op_par_loop(given, "given", s, op_arg_gbl(table, 1, "double", OP_READ),
              OWN(y, OP_WRITE));
}

static void
expect(op_dat y, double first, int expected_errors) {
  op_fetch_data(y, out);
  CHECK_REAL(out[1], first);
  CHECK_INT(errors, expected_errors);
  CHECK(!errors || strstr(message, "own_array.c:"));
  CHECK(!errors || strstr(message, "dat \"table\""));
}

int
main(int argc, char **argv) {
  char *args[] = {argv[0], "OP_NO_REALLOC", NULL};
  (void)argc;
  op_init(2, args, 0);
  for (int i = 0; i < N; i++) table[i] = 10 + i;
  op_set s = op_decl_set(N, "s");
  op_dat t = op_decl_dat(s, 1, "double", table, "table");
  op_dat y = op_decl_dat(s, 1, "double", other, "y");
  op2_set_error_handler(on_error, NULL);
  by_name(s, y);
  expect(y, 12, 0);
  by_global(s, y);
  expect(y, 12, 0);
  op_par_loop(fill, "fill", s, op_arg_idx(-1, OP_ID), OWN(t, OP_WRITE));
  by_name(s, y);
  expect(y, 12, 1);
  by_global(s, y);
  expect(y, 12, 2);
  op_fetch_data(t, out);
  CHECK_REAL(out[5], 15);
  return check_end();
}
