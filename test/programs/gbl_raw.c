/* A raw-pointer global that a loop writes holds its value when op_par_loop
 * returns; INC adds to, MIN and MAX start from, what stood there. */
#include "check.h"

enum { N = 1000 };

static void
fill(const int *e, int *a) {
  *a = *e * 7 % N;
}
static void
add(const int *a, int *sum) {
  *sum += *a;
}
static void
least(const int *a, int *low) {
  *low = *a < *low ? *a : *low;
}
static void
most(const int *a, int *high) {
  *high = *a > *high ? *a : *high;
}
static void
keep(const int *a, int *last) {
  *last = *a;
}
/* Serial by contract: each element sees what the one before left. */
static void
chain(const int *a, unsigned *state) {
  *state = *state * 31u + (unsigned)*a;
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  int sum = 5, low = 3, low2 = -9, high = -1, high2 = 5000, last = 0;
  unsigned state = 1, expected = 1;

  op_par_loop(fill, "fill", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(add, "add", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  CHECK_INT(sum, 5 + N * (N - 1) / 2);
  op_par_loop(least, "least", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&low, 1, "int", OP_MIN));
  CHECK_INT(low, 0);
  op_par_loop(least, "least", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&low2, 1, "int", OP_MIN));
  CHECK_INT(low2, -9);
  op_par_loop(most, "most", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&high, 1, "int", OP_MAX));
  CHECK_INT(high, N - 1);
  op_par_loop(most, "most", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&high2, 1, "int", OP_MAX));
  CHECK_INT(high2, 5000);
  op_par_loop(keep, "keep", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&last, 1, "int", OP_WRITE));
  CHECK_INT(last, (N - 1) * 7 % N);
  op_par_loop(chain, "chain", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&state, 1, "uint", OP_RW));
  for (int e = 0; e < N; e++) expected = expected * 31u + (unsigned)(e * 7 % N);
  CHECK_INT(state, expected);
  return check_end();
}
