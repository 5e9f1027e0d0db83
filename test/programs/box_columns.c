/* Scans that leave temporaries for scans behind them, which no memory but a
 * thread's own keeps: numbers of one and of two components, in 4 and 8 bytes and
 * as structs, read at their own layer and at others, forth and back, in boxes and
 * in columns; layers that nobody wrote are zero all the same, and what is wanted
 * later is there. Exact: integers in each type. */
#include "check.h"

enum { NI = 23, NJ = 19, NK = 9, MOST = NI * NJ * NK };
static int plane, n; /* columns, elements */

struct pair {
  int a, b;
};

static void
rise(const int *x, const int *below, const float *deep, int *t, float *u,
     double *v, double *w) {
  *t = *x + 2 * *below;
  *u = (float)*x - *deep;
  v[0] = *x;
  v[1] = *below - *x;
  w[0] = *x;
  w[1] = -2 * *x;
}
static void
begin(const int *x, int *t, float *u, double *w) {
  *t = *x;
  *u = (float)*x;
  w[0] = 1;
  w[1] = *x;
}
static void
fall(const int *t, const float *u, const double *v, const double *v_above,
     const double *w, const double *w_above, const int *above, int *out) {
  *out = *t + (int)*u + (int)(v[0] + 3 * v_above[1]) - *above;
  *out += (int)(w[0] + w_above[1]);
}
static void
join(const int *x, struct pair *p) {
  p->a = *x;
  p->b = 2 * *x;
}
static void
part(const struct pair *p, const struct pair *above, int *out) {
  *out = p->a + above->b;
}
static void
copy(const int *t, int *out) {
  *out = *t;
}

static int
value(int e) {
  return e * 7 % 31 - 12;
}

#define OWN(d, n, type, acc) op_arg_dat(d, -1, OP_ID, n, type, acc)
#define LAYER(d, by, n, type) op2_arg_dat_layer(d, by, n, type, OP_READ)
#define TEMP(s, n, type, T, name) op_decl_dat_temp(s, n, type, (T *)NULL, name)

/* The same, with arrays: layer k of column c at at(c, k). */
struct shape {
  int each, apart;
};
static int
at(const struct shape *s, int c, int k) {
  return c * s->each + k * s->apart;
}

static int want_t[MOST], want[MOST];
static void
expect(const struct shape *s) {
  static double v[MOST][2], w[MOST][2];
  static int u[MOST];
  for (int c = 0; c < plane; c++) {
    for (int k = 0; k < NK; k++) {
      int e = at(s, c, k), x = value(e);
      bool low = k < 2;
      want_t[e] = low ? x : x + 2 * want_t[at(s, c, k - 1)];
      u[e] = low ? x : x - u[at(s, c, k - 2)];
      w[e][0] = low ? 1 : x;
      w[e][1] = low ? x : -2 * x;
      v[e][0] = low ? 0 : x;
      v[e][1] = low ? 0 : want_t[at(s, c, k - 1)] - x;
    }
    want[at(s, c, NK - 1)] = 0;
    for (int k = NK - 2; k >= 0; k--) {
      int e = at(s, c, k), over = at(s, c, k + 1);
      want[e] = want_t[e] + u[e] + (int)(v[e][0] + 3 * v[over][1]) - want[over];
      want[e] += (int)(w[e][0] + w[over][1]);
    }
  }
}

/* The two lowest layers have a loop of their own. */
static op_set
lowest(op_set box, const struct shape *s) {
  static int list[2 * MOST];
  int found = 0;
  for (int e = 0; e < n; e++)
    for (int k = 0; k < 2; k++)
      if ((e - k * s->apart) % s->each == 0 && e >= k * s->apart &&
          (e - k * s->apart) / s->each < plane)
        list[found++] = e;
  CHECK_INT(found, 2 * plane);
  return op2_decl_subset(box, found, list, "lowest");
}

/* Of v the two lowest layers are nobody's: zeros, which fall reads. */
static void
forth_and_back(op_set box, const struct shape *s, op_dat x, op_dat sum) {
  static int got[MOST];
  op_set low = lowest(box, s);
  op_dat t = TEMP(box, 1, "int", int, "t"),
         u = TEMP(box, 1, "float", float, "u");
  op_dat v = TEMP(box, 2, "double", double, "v");
  op_dat w = TEMP(box, 2, "double", double, "w");
  op2_par_loop_scan(begin, "begin", low, OP2_FORWARD, OWN(x, 1, "int", OP_READ),
                    OWN(t, 1, "int", OP_WRITE), OWN(u, 1, "float", OP_WRITE),
                    OWN(w, 2, "double", OP_WRITE));
  op2_par_loop_scan(rise, "rise", box, OP2_FORWARD, OWN(x, 1, "int", OP_READ),
                    LAYER(t, -1, 1, "int"), LAYER(u, -2, 1, "float"),
                    OWN(t, 1, "int", OP_WRITE), OWN(u, 1, "float", OP_WRITE),
                    OWN(v, 2, "double", OP_WRITE),
                    OWN(w, 2, "double", OP_WRITE));
  op2_par_loop_scan(fall, "fall", box, OP2_BACKWARD, OWN(t, 1, "int", OP_READ),
                    OWN(u, 1, "float", OP_READ), OWN(v, 2, "double", OP_READ),
                    LAYER(v, 1, 2, "double"), OWN(w, 2, "double", OP_READ),
                    LAYER(w, 1, 2, "double"), LAYER(sum, 1, 1, "int"),
                    OWN(sum, 1, "int", OP_WRITE));
  CHECK_INT(op_free_dat_temp(u), 0);
  CHECK_INT(op_free_dat_temp(v), 0);
  CHECK_INT(op_free_dat_temp(w), 0);
  expect(s);
  op_fetch_data(sum, got);
  for (int e = 0; e < n; e++) CHECK_INT(got[e], want[e]);
  op_par_loop(copy, "copy", box, OWN(t, 1, "int", OP_READ),
              OWN(sum, 1, "int", OP_WRITE));
  CHECK_INT(op_free_dat_temp(t), 0);
  op_fetch_data(sum, got);
  for (int e = 0; e < n; e++) CHECK_INT(got[e], want_t[e]);
}

/* All layers are written before any is read, so that none is in memory. */
static void
structs(op_set box, const struct shape *s, op_dat x, op_dat sum) {
  static int got[MOST], zero[MOST];
  op_dat p = TEMP(box, 1, "pair", struct pair, "p");
  op_dat t = TEMP(box, 1, "int", int, "t2");
  op2_par_loop_scan(join, "join", box, OP2_FORWARD, OWN(x, 1, "int", OP_READ),
                    OWN(p, 1, "pair", OP_WRITE));
  op2_par_loop_scan(part, "part", box, OP2_BACKWARD, OWN(p, 1, "pair", OP_READ),
                    LAYER(p, 1, 1, "pair"), OWN(t, 1, "int", OP_WRITE));
  op2_par_loop_scan(copy, "copy_scan", box, OP2_FORWARD, LAYER(t, -1, 1, "int"),
                    OWN(sum, 1, "int", OP_WRITE));
  CHECK_INT(op_free_dat_temp(p), 0);
  CHECK_INT(op_free_dat_temp(t), 0);
  op_fetch_data(sum, got);
  for (int c = 0; c < plane; c++)
    for (int k = 1; k < NK; k++)
      CHECK_INT(got[at(s, c, k)],
                value(at(s, c, k - 1)) + 2 * value(at(s, c, k)));
  op_par_loop(copy, "clear", box,
              OWN(op_decl_dat(box, 1, "int", zero, "zero"), 1, "int", OP_READ),
              OWN(sum, 1, "int", OP_WRITE));
}

static void
play(op_set box, const struct shape *s) {
  static int x[MOST], zero[MOST];
  for (int e = 0; e < n; e++) x[e] = value(e);
  op_dat in = op_decl_dat(box, 1, "int", x, "in");
  op_dat sum = op_decl_dat(box, 1, "int", zero, "sum");
  structs(box, s, in, sum);
  forth_and_back(box, s, in, sum);
}

/* Boxes of one to three dimensions, columns on a set. */
static void
play_all(int ni, int nj) {
  plane = ni * nj;
  n = plane * NK;
  if (nj > 1)
    play(op2_decl_box(3, (idx_g_t[]){ni, nj, NK}, NULL, "box"),
         &(struct shape){1, plane});
  else if (ni > 1)
    play(op2_decl_box(2, (idx_g_t[]){ni, NK}, NULL, "box"),
         &(struct shape){1, plane});
  else
    play(op2_decl_box(1, (idx_g_t[]){NK}, NULL, "box"), &(struct shape){1, 1});
  op_set base = op_decl_set(plane, "base");
  play(op2_decl_columns(base, NK, "columns"), &(struct shape){NK, 1});
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  play_all(NI, NJ);
  play_all(1, 1);
  play_all(8, 1);
  play_all(NI, 1);
  return check_end();
}
