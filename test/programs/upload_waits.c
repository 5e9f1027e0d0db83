/* Loops that wait see what a dat held when they were called, also where only its mirror
 * has that on the host: a device wrote it, op2_sync brought it, and then the program
 * wrote over it. */
#include "check.h"

#include <stddef.h>

enum { N = 30 };

/* The field is reached by hand: op2cc would put a look before the writes. */
static int *
mirror(op_dat d) {
  return *(int **)((char *)d + offsetof(struct op_dat_core, data));
}

static void
add_index(const int *e, int *a) {
  *a += *e;
}

static void
total(const int *a, int *sum) {
  *sum += *a;
}

/* On the host, whatever the target. */
static void
sum_on_host(op_set s, op_dat a, op2_gbl sum) {
  CHECK_INT(op2_target_push("openmp"), 0);
  op_par_loop(total, "total", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op2_arg_gbl(sum, 1, "int", OP_INC));
  op2_target_pop();
}

static int
value_of(op2_gbl sum) {
  int value = 0;
  op2_gbl_get(sum, &value);
  return value;
}

/* Called before op2_sync, and behind it. */
static void
check_waiting(op_set s, int before) {
  int zero = 0, first = N * (N - 1) / 2;
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op2_gbl sum = op2_decl_gbl(1, "int", &zero, "sum");
  op_par_loop(add_index, "add_index", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
  if (before) sum_on_host(s, a, sum);
  op2_sync(a);
  if (!before) sum_on_host(s, a, sum);
  op2_sync(a);
  for (int e = 0; e < N; e++) mirror(a)[e] = 1000;
  op_upload_dat(a);
  CHECK_INT(value_of(sum), first);
  sum_on_host(s, a, sum);
  CHECK_INT(value_of(sum), first + N * 1000);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  check_waiting(s, 1);
  check_waiting(s, 0);
  return check_end();
}
