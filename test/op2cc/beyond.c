/* Kernels that leave what their arguments have, where constants say what that is: in C
 * and C++. With -DRIGHT nothing does. */
#include "op2.h"

#ifdef RIGHT
enum { MORE = 1, SLOTS = -3 };
#else
enum { MORE = 0, SLOTS = -2 };
#endif

static void
second(const double *a, double *b) {
  b[1] = a[0];
}
static void
third(const double **a, double *b) {
  b[0] = a[0][0] + a[2][0];
}
/* Asks first; the library warns of such. */
static void
asks(const double *a, double *b) {
  if (a[0] > 1) b[7] = 1;
}

void
loops(op_set s, op_map m, op_dat x, int dim) {
  op_par_loop(second, "second", s, op_arg_dat(x, 0, m, 1, "double", OP_READ),
              op_arg_dat(x, -1, OP_ID, 1 + MORE, "double", OP_RW)); /* one */
  for (int k = 0; k < 2; k++)
    op_par_loop(third, "third", s,
                op_arg_dat(x, SLOTS, m, 1, "double", OP_READ),
                op_arg_dat(x, -1, OP_ID, 1, "double", OP_RW)); /* two */
  op_par_loop(second, "second", s,
              op_arg_dat(x, -1, OP_ID, dim, "double", OP_READ),
              op_arg_dat(x, -1, OP_ID, dim, "double", OP_RW));
  op_par_loop(asks, "asks", s, op_arg_dat(x, 0, m, 1, "double", OP_READ),
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_RW));
}
