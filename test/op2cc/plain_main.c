/* Reads dat->data as memory; compiled by any compiler. With -DLATE it lies in a
 * shared object that is opened while loops wait. */
#include "op2.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
    void
    loop_over(op_set s, op_dat d);
#ifdef LATE
int late(op_set s, op_dat d, double *p);
int
late(op_set s, op_dat d, double *p) {
  if (p[1] != 3) return 1; /* as the loop before dlopen left it */
  loop_over(s, d);
  return ((double *)d->data)[1] == 4 && p[1] == 4 ? 0 : 2;
}
#else
int
main(int argc, char **argv) {
  double x[4] = {1, 2, 3, 4};
  op_init(argc, argv, 0);
  op_set s = op_decl_set(4, "s");
  op_dat d = op_decl_dat(s, 1, "double", x, "x");
  double *p = (double *)d->data;
  loop_over(s, d);
  loop_over(s, d);
  printf("read %g\n", p[1]);
  int bad = p[1] != 4;
  op_exit();
  return bad;
}
#endif
