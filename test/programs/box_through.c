/* Scans whose results may go past the caches while threads keep their columns
 * (OP2_STREAMS): layers of whole lines, and others; a kernel that has no code for several
 * columns; results of which layers stay as they were, and that a loop behind reads. Whole
 * numbers: bits of plain loops. */
#include "check.h"

enum { MOST = 40 * 9, STEPS = 3 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define LAYER(d, dl) op2_arg_dat_layer(d, dl, 1, "double", OP_READ)

static void
copy(const double *from, double *to) {
  *to = *from;
}
static void
up(const double *x, const double *below, double *c) {
  *c = *x - 2 * *below;
}
static void
down(const double *c, const double *above, double *out) {
  *out = *c + 3 * *above;
}

/* As often as the data say. */
static void
down_some(const double *c, const double *above, double *out) {
  double sum = *c;
  for (int k = 0; k < 1 + ((int)*c & 63); k++) sum += *above;
  *out = sum;
}

static void
add_to(const double *out, double *sum) {
  *sum += *out;
}

struct plain {
  double x[MOST], c[MOST], out[MOST], sum[MOST];
};

/* How a step differs: does `down` go on from the top layer that the step makes, or from
 * what that has been from the beginning? Does it add as often as the data say? */
enum { TOP = 1, SOME = 2 };

static void
plain_step(struct plain *p, int plane, int n, int how) {
  for (int e = 0; e < plane; e++) p->c[e] = p->x[e];
  for (int e = plane; e < n; e++) p->c[e] = p->x[e] - 2 * p->c[e - plane];
  for (int e = n - plane; how & TOP && e < n; e++) p->out[e] = p->c[e];
  for (int e = n - 1 - plane; e >= 0; e--) {
    double above = p->out[e + plane];
    int times = how & SOME ? 1 + ((int)p->c[e] & 63) : 3;
    p->out[e] = p->c[e] + times * above;
  }
  for (int e = 0; e < n; e++) p->sum[e] += p->out[e];
}

static op_dat
declare(op_set box, const double *values, const char *name) {
  return op_decl_dat(box, 1, "double", (double *)(uintptr_t)values, name);
}

static op_set box, bottom, top;
static op_dat x, out, sum;

static void
step(int how) {
  op_dat c = op_decl_dat_temp(box, 1, "double", (double *)NULL, "c");
  op2_par_loop_scan(copy, "copy", bottom, OP2_FORWARD, OWN(x, OP_READ),
                    OWN(c, OP_WRITE));
  op2_par_loop_scan(up, "up", box, OP2_FORWARD, OWN(x, OP_READ), LAYER(c, -1),
                    OWN(c, OP_WRITE));
  if (how & TOP)
    op2_par_loop_scan(copy, "copy", top, OP2_FORWARD, OWN(c, OP_READ),
                      OWN(out, OP_WRITE));
  if (how & SOME)
    op2_par_loop_scan(down_some, "down_some", box, OP2_BACKWARD,
                      OWN(c, OP_READ), LAYER(out, 1), OWN(out, OP_WRITE));
  else
    op2_par_loop_scan(down, "down", box, OP2_BACKWARD, OWN(c, OP_READ),
                      LAYER(out, 1), OWN(out, OP_WRITE));
  op_par_loop(add_to, "add_to", box, OWN(out, OP_READ), OWN(sum, OP_RW));
  op_free_dat_temp(c);
}

static void
one(int i, int j, int k, int how) {
  static struct plain p;
  static double found[MOST];
  idx_g_t size[] = {i, j, k};
  int plane = i * j, n = plane * k, at[MOST];
  for (int e = 0; e < n; e++) {
    p.x[e] = e * 7 % 5 - 2;
    p.out[e] = e % 3;
    p.sum[e] = 0;
    at[e] = e;
  }
  box = op2_decl_box(3, size, NULL, "box");
  bottom = op2_decl_subset(box, plane, at, "bottom");
  top = op2_decl_subset(box, plane, at + n - plane, "top");
  x = declare(box, p.x, "x");
  out = declare(box, p.out, "out");
  sum = declare(box, p.sum, "sum");
  for (int t = 0; t < STEPS; t++) {
    step(how);
    plain_step(&p, plane, n, how);
    if (t) op2_flush();
  }
  op_fetch_data(out, found);
  CHECK_REALS(found, p.out, n);
  op_fetch_data(sum, found);
  CHECK_REALS(found, p.sum, n);
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  one(8, 5, 9, 0);
  one(8, 5, 9, TOP);
  one(5, 8, 4, SOME);
  one(5, 8, 4, TOP | SOME);
  one(16, 1, 7, TOP);
  one(5, 3, 6, TOP);
  return check_end();
}
