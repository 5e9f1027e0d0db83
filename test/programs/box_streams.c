/* Loops on boxes whose results may be stored past the caches (OP2_STREAMS): one that is
 * written twice in one region, dats of two halos side by side, lines that begin anywhere.
 * Whole numbers: bits of plain loops. */
#include "check.h"

enum { N = 1003, STEPS = 3, WEST = 1, FAR = 3 };

static void
smooth(double **x, double *out) {
  *out = 4 * x[1][0] - x[0][0] - x[2][0];
}
static void
weigh(double **x, double *out) {
  *out = x[0][0] + x[1][0] + 2 * x[2][0];
}
static void
add_to(const double *x, double *y) {
  *y += *x;
}
static void
twice(const double *x, double *near, double *far) {
  *near = 2 * *x;
  *far = *x - 1;
}
static void
join(double *near, const double *far) {
  *near += 3 * *far;
}

static double
before(int i) {
  return (i + 40) * 7 % 17;
}
static double
smoothed(int i) {
  return 4 * before(i) - before(i - 1) - before(i + 1);
}
static double
weighed(int i) {
  return before(i - 1) + before(i) + 2 * before(i + 1);
}

static op_set line;
static op_dat x, p, y, near, far;

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)

static op_dat
declare(int halo, const char *name) {
  double values[N + 2 * FAR];
  int both[] = {halo, halo};
  for (int i = 0; i < N + 2 * halo; i++) values[i] = before(i - halo);
  return op2_decl_dat_box(line, both, 1, "double", values, name);
}

/* p is written, read and written again, in one region where fusing is on. */
static void
step(op_map star) {
  op_par_loop(smooth, "smooth", line,
              op_arg_dat(x, -3, star, 1, "double", OP_READ), OWN(p, OP_WRITE));
  op_par_loop(add_to, "add_to", line, OWN(p, OP_READ), OWN(y, OP_RW));
  op_par_loop(weigh, "weigh", line,
              op_arg_dat(x, -3, star, 1, "double", OP_READ), OWN(p, OP_WRITE));
  op2_flush();
  op_par_loop(twice, "twice", line, OWN(p, OP_READ), OWN(near, OP_WRITE),
              OWN(far, OP_WRITE));
  op_par_loop(join, "join", line, OWN(near, OP_RW), OWN(far, OP_READ));
}

int
main(int argc, char **argv) {
  static double found[N], want[4][N];
  idx_g_t size[] = {N};
  int offsets[] = {-1, 0, 1};
  op_init(argc, argv, 0);
  line = op2_decl_box(1, size, NULL, "line");
  op_map star = op2_decl_map_rule(line, line, 3, offsets, "star");
  x = declare(WEST, "x");
  near = declare(WEST, "near");
  far = declare(FAR, "far");
  p = op_decl_dat(line, 1, "double", (double *)NULL, "p");
  y = op_decl_dat(line, 1, "double", (double *)NULL, "y");
  for (int k = 0; k < STEPS; k++) step(star);
  for (int i = 0; i < N; i++) {
    want[0][i] = weighed(i);
    want[1][i] = STEPS * smoothed(i);
    want[2][i] = 2 * weighed(i) + 3 * (weighed(i) - 1);
    want[3][i] = weighed(i) - 1;
  }
  op_dat all[] = {p, y, near, far};
  int halos[] = {0, 0, WEST, FAR};
  for (int k = 0; k < 4; k++) {
    double rows[N + 2 * FAR];
    op_fetch_data(all[k], rows);
    for (int i = 0; i < N; i++) found[i] = rows[i + halos[k]];
    CHECK_REALS(found, want[k], N);
    for (int i = 0; i < halos[k]; i++) /* what the program put there */
      CHECK_REAL(rows[i], before(i - halos[k]));
  }
  return check_end();
}
