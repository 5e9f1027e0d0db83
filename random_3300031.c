/* seed 3300031, mode opencl-staged-rcm: value 0 is 1, expected -7
 * op2cc x.c -o x && OMP_NUM_THREADS=2 OP2_TARGET=opencl OP2_INCREMENTS=staged OP2_RENUMBER=rcm ./x */
#include "op2.h"
#include <stdio.h>
/* d->data, but op2cc doesn't see it and keep mirrors current */
#define MIRROR(d) (*(char **)((char *)(d) + __builtin_offsetof(struct op_dat_core, data)))
static void
count_f1(float * g) { for (int c = 0; c < 1; c++) g[c] += 1; }
#define copy_C1 k0
static void
copy_C1(const unsigned char *a, unsigned char *w) { for (int c = 0; c < 1; c++) w[c] = a[c]; }
static void
mean_r1(const double **v, double *w) { for (int c = 0; c < 1; c++) { double s = v[0][c] + v[1][c]; s = s + v[2][c]; w[c] = s / 3; } }
static void
total_Cf(const unsigned char *a, float *w) { *w += (float)(long long)*a; }
int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  op_set s0 = op_decl_set(1, "s0");
  op_map m0 = op_decl_map(s0, s0, 3, ((int[]){0, 0, 0}), "m0");
  op_dat d0 = op_decl_dat(s0, 1, "double", (double *)NULL, "d0");
  op_dat d4 = op_decl_dat(s0, 1, "uchar", (unsigned char *)NULL, "d4");
  static float g1[1];
  op2_gbl h1 = op2_decl_gbl(1, "float", g1, "h1");
  for (int i = 0; i < 1; i += 1) g1[i] = (i * 18 + 13) % 24 - 12;
  op2_gbl_set(h1, g1);
  for (int i = 0; i < 1; i += 1) g1[i] = (i * 14 + 18) % 17 - 8;
  op2_gbl_set(h1, g1);
  op2_target_push("openmp");
  op_par_loop(mean_r1, "mean_r1", s0,
              op_arg_dat(d0, -3, m0, 1, "double", OP_READ),
              op_arg_dat(d0, -1, OP_ID, 1, "double", OP_WRITE));
  op2_target_pop();
  op2_target_push("opencl");
  op_par_loop(mean_r1, "mean_r1", s0,
              op_arg_dat(d0, -3, m0, 1, "double", OP_READ),
              op_arg_dat(d0, -1, OP_ID, 1, "double", OP_WRITE));
  op2_target_pop();
  op2_target_push("opencl");
  op_par_loop(count_f1, "count_f1", s0,
              op2_arg_gbl(h1, 1, "float", OP_INC));
  op2_target_pop();
  op2_target_push("opencl");
  op_par_loop(copy_C1, "copy_C1", s0,
              op_arg_dat(d4, -1, OP_ID, 1, "uchar", OP_READ),
              op_arg_dat(d4, -1, OP_ID, 1, "uchar", OP_WRITE));
  op2_target_pop();
  double *seen7 = op2_dat_data_rw(d0);
  for (int i = 0; i < 1; i += 2) seen7[i] = ((i * 5 + 16) % 35 - 17 + 0.5) / 7;
  for (int i = 0; i < 1; i += 1) g1[i] = (i * 14 + 18) % 17 - 8;
  op2_gbl_set(h1, g1);
  op2_target_push("opencl");
  op_par_loop(mean_r1, "mean_r1", s0,
              op_arg_dat(d0, -3, m0, 1, "double", OP_READ),
              op_arg_dat(d0, -1, OP_ID, 1, "double", OP_WRITE));
  op2_target_pop();
  op2_target_push("opencl");
  op_par_loop(mean_r1, "mean_r1", s0,
              op_arg_dat(d0, -3, m0, 1, "double", OP_READ),
              op_arg_dat(d0, -1, OP_ID, 1, "double", OP_WRITE));
  op2_target_pop();
  op2_target_push("openmp");
  op_par_loop(total_Cf, "total_Cf", s0,
              op_arg_dat(d4, -1, OP_ID, 1, "uchar", OP_READ),
              op2_arg_gbl(h1, 1, "float", OP_INC));
  op2_target_pop();
  op2_sync(d4);
  unsigned char *seen13 = (unsigned char *)MIRROR(d4);
  for (int i = 0; i < 1; i += 2) seen13[i] = (i * 9 + 8) % 24;
  op_upload_dat(d4);
  op2_gbl_get(h1, g1);
  if (g1[0] != -7)
    return printf("found %.17g, expected -7\n", (double)g1[0]), 1;
  op_exit();
  return 0;
}
