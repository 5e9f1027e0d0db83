/* OP2_CHECK=nan over ranks that have parts of a box: what makes a NaN of a neighbour's
 * point is told, by a loop whose rule no loop went by before, and one that writes a dat
 * with a new halo.
 *
 * RUN: 2 OP2_CHECK=nan
 * RUN: 3 OP2_CHECK=nan
 */
#include "op2.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NI = 4, NJ = 9, ROOM = NI * (NJ + 4) };

static int rank, bad;
static char text[1024];

static void
first(const double *x, double *y) {
  *y = *x;
}
static void
root(const double *x, double *y) {
  *y = sqrt(*x);
}
static void
less(double *y) {
  *y = sqrt(-1 - *y * *y);
}

static void
told(int code, const char *message, void *user) {
  (void)code, (void)user;
  snprintf(text, sizeof text, "%s", message);
}

static void
expect(const char *loop) {
  if (!strstr(text, loop) && !bad++)
    printf("rank %d: expected an error of loop %s, found \"%s\"\n", rank, loop,
           text);
  text[0] = 0;
}

int
main(int argc, char **argv) {
  static const int by[] = {0, 1};
  static double v[ROOM], zero[ROOM];
  idx_g_t lo[2], hi[2];
  int e = 0, one[] = {0, 0, 1, 1}, two[] = {0, 0, 2, 2};
  op_init(argc, argv, 0);
  op_rank(&rank);
  op2_set_error_handler(told, NULL);
  op_set box = op2_decl_box(2, (idx_g_t[]){NI, NJ}, NULL, "box");
  if (op2_box_local(box, lo, hi)) return 1;
  for (long j = lo[1] - 1; j < hi[1] + 1; j++)
    for (long i = lo[0]; i < hi[0]; i++) v[e++] = j == NJ / 2 ? -5 : 4;
  op_dat a = op2_decl_dat_box(box, one, 1, "double", v, "a");
  op_dat b = op_decl_dat(box, 1, "double", zero, "b");
  op_dat c = op2_decl_dat_box(box, one, 1, "double", v, "c");
  op_map next = op2_decl_map_rule(box, box, 1, by, "next");
  op_par_loop(first, "first", box,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(root, "root", box, op_arg_dat(a, 0, next, 1, "double", OP_READ),
              op_arg_dat(c, -1, OP_ID, 1, "double", OP_WRITE));
  expect("root");
  op_dat d = op2_decl_dat_box(box, two, 1, "double", zero, "d");
  op_par_loop(less, "less", box, op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW));
  expect("less");
  op_exit();
  if (!bad) printf("ok\n");
  return bad != 0;
}
