/* seed 52, mode eager: value 1 is 0, expected 7
 * op2cc x.c -o x && OMP_NUM_THREADS=1 OP2_EAGER=1 ./x */
#include "op2.h"
#include <stdio.h>
#define ext_d1 op2_kernel
static void
ext_d1(const double *a, double *lo, double *hi) { for (int c = 0; c < 1; c++) { lo[c] = a[c] < lo[c] ? a[c] : lo[c]; hi[c] = a[c] > hi[c] ? a[c] : hi[c]; } }
int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  op_set s7 = op2_decl_grid(((idx_g_t[]){2, 1}), 3, ((int[]){OP2_HALO, OP2_HALO}), "s7");
  op_dat d1 = op2_decl_dat_box(s7, ((int[]){0, 0, 0, 0}), 1, "double", ((double[]){-5, -1, 3, 7, -4, 0}), "d1");
  static double g0[1];
  static double g2[1];
  op_par_loop(ext_d1, "ext_d1", s7,
              op_arg_dat(d1, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(g0, 1, "double", OP_MIN), op_arg_gbl(g2, 1, "double", OP_MAX));
  if (g2[0] != 7)
    return printf("found %.17g, expected 7\n", (double)g2[0]), 1;
  op_exit();
  return 0;
}
