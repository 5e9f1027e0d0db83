/* Elements of boxes that may run twice where a line of points ends: kernels that leave
 * elements as they were, and others that go on from what these left; what is made anew in
 * the region; lines shorter and longer than a vector. Whole numbers: bits of plain loops. */
#include "check.h"

enum { MOST = 64 * 5, AROUND = 66 * 7 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define NEAR(d) op_arg_dat(d, -3, near, 1, "double", OP_READ)

static void
mask(const double *m, double *y) {
  if (*m > 0) *y = *m;
}
static void
add(double **x, double *y) {
  *y += x[0][0] + x[1][0] + x[2][0];
}
static void
twice(const double *y, double *w) {
  *w = 2 * *y;
}
static void
raise(double **x, const double *w, double *y) {
  if (*w < 8) *y = *w + x[1][0];
}
static void
sum(double **x, double *z) {
  *z = x[0][0] + x[1][0];
}
static void
square(double *z) {
  *z *= *z;
}

struct plain {
  double x[AROUND], m[MOST], y[MOST], w[MOST], z[MOST];
};

static void
plain_step(struct plain *p, int n, int rows) {
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < n; i++) {
      int e = i + n * j, a = i + 1 + (n + 2) * (j + 1);
      if (p->m[e] > 0) p->y[e] = p->m[e];
      p->y[e] += p->x[a] + p->x[a - 1] + p->x[a + 1];
      if (p->m[e] > 0) p->y[e] = p->m[e];
      p->w[e] = 2 * p->y[e];
      if (p->w[e] < 8) p->y[e] = p->w[e] + p->x[a - 1];
      p->z[e] = p->x[a] + p->x[a - 1];
      p->z[e] *= p->z[e];
    }
}

static void
check_dat(op_dat d, const double *want, int points) {
  static double found[MOST];
  op_fetch_data(d, found);
  CHECK_REALS(found, want, points);
}

static void
one(int n, int rows) {
  static struct plain p;
  int offsets[] = {0, 0, -1, 0, 1, 0}, halo[] = {1, 1, 1, 1};
  for (int e = 0; e < (n + 2) * (rows + 2); e++) p.x[e] = e * 37 % 11;
  for (int e = 0; e < n * rows; e++) {
    p.m[e] = e % 3 - 1;
    p.y[e] = e % 7;
  }
  op_set box = op2_decl_box(2, (idx_g_t[]){n, rows}, NULL, "box");
  op_map near = op2_decl_map_rule(box, box, 3, offsets, "near");
  op_dat x = op2_decl_dat_box(box, halo, 1, "double", p.x, "x");
  op_dat m = op_decl_dat(box, 1, "double", p.m, "m"),
         y = op_decl_dat(box, 1, "double", p.y, "y"),
         w = op_decl_dat(box, 1, "double", (double *)NULL, "w"),
         z = op_decl_dat(box, 1, "double", (double *)NULL, "z");
  op_par_loop(mask, "mask", box, OWN(m, OP_READ), OWN(y, OP_WRITE));
  op_par_loop(add, "add", box, NEAR(x), OWN(y, OP_RW));
  op2_flush();
  op_par_loop(mask, "mask", box, OWN(m, OP_READ), OWN(y, OP_WRITE));
  op_par_loop(twice, "twice", box, OWN(y, OP_READ), OWN(w, OP_WRITE));
  op_par_loop(raise, "raise", box, NEAR(x), OWN(w, OP_READ), OWN(y, OP_WRITE));
  op2_flush();
  op_par_loop(sum, "sum", box, NEAR(x), OWN(z, OP_WRITE));
  op_par_loop(square, "square", box, OWN(z, OP_RW));
  plain_step(&p, n, rows);
  check_dat(y, p.y, n * rows);
  check_dat(w, p.w, n * rows);
  check_dat(z, p.z, n * rows);
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  one(21, 4);
  one(64, 2);
  one(7, 5);
  one(17, 1);
  return check_end();
}
