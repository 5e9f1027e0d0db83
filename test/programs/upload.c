/* What stands in dat->data at op_upload_dat are the new values, from there on:
 * loops recorded before see the old ones, whether they read the dat or write
 * it. */
#include "check.h"

#include <stddef.h>

enum { N = 200000 }; /* above the size whose stale mirrors are released */

static void
add_to(const double *a, double *b) {
  *b += *a;
}
static void
add_one(double *a) {
  *a += 1;
}

/* The field is reached by hand: op2cc would keep mirrors current if it saw it. */
static double *
mirror(op_dat d) {
  return *(double **)((char *)d + offsetof(struct op_dat_core, data));
}

static op_set s;
static op_dat a, b;

static void
sum_up(void) {
  op_par_loop(add_to, "add_to", s,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_INC));
}

static void
upload(double value) {
  for (int e = 0; e < N; e++) mirror(a)[e] = value;
  op_upload_dat(a);
}

int
main(int argc, char **argv) {
  static double out[N];
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "double", (double *)NULL, "a");
  b = op_decl_dat(s, 1, "double", (double *)NULL, "b");
  sum_up(); /* 0 */
  upload(5);
  sum_up(); /* 5 */
  op_par_loop(add_one, "add_one", s,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_RW));
  sum_up(); /* 6 */
  upload(100);
  sum_up();
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], 111);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], 100);
  return check_end();
}
