/* What is computed for neighbours along a line, too: blocks take it from the
 * element before. Lines shorter and longer than blocks, fluxes of fluxes,
 * values of several components, of both sizes, that read a value or a global
 * besides, or more than one step apart; rules that come in again. Whole
 * numbers: bits of plain loops. */
#include "check.h"

enum {
  HALO = 4,
  ROWS = 3,
  MOST = 150,
  AROUND = (MOST + 2 * HALO) * ROWS,
  DIM = 3
};

/* ---- kernels ------------------------------------------------------------- */

static void
bend(double **x, double *b) {
  *b = 2 * x[1][0] - x[0][0] - x[2][0];
}
static void
flow(double **b, double **x, double *f) {
  double f0 = b[1][0] - b[0][0];
  *f = f0 * (x[1][0] - x[0][0]) > 0 ? 0 : f0;
}
static void
move(const double *x, double **f, double *next) {
  *next = *x - (f[1][0] - f[0][0]);
  if (*next > 50 || *next < -50) *next = *x;
}
static void
thin(float **x, float *b) {
  *b = 3 * x[1][0] - x[0][0] - x[2][0];
}
static void
part(float **b, float *out) {
  *out = 5 * b[0][0] + b[1][0] + 7 * b[2][0];
}

static void
spin(double **x, double *s) {
  for (int c = 0; c < DIM; c++) s[c] = x[1][(c + 1) % DIM] - 2 * x[0][c];
}
static void
join(double **s, double *out) {
  *out = 0;
  for (int k = 0; k < 5; k++)
    for (int c = 0; c < DIM; c++) *out += (k + 1) * (c + 2) * s[k][c];
}
static void
scale(double **x, const double *by, const double *from, double *s) {
  *s = *by * (x[1][0] - x[0][0]) + *from - 3;
}
static void
both(double **s, double *out) {
  *out = s[0][0] + 10 * s[1][0] + 100 * s[2][0];
}

/* ---- fluxes of what is bent ---------------------------------------------- */

struct line {
  op_set box;
  op_map near, up, back;
  int n, halo[4];
};

static op_map
rule(op_set box, int n, const int *i, const char *name) {
  int at[10] = {0};
  for (int k = 0; k < n; k++) at[2 * k] = i[k];
  return op2_decl_map_rule(box, box, n, at, name);
}

static struct line
line_of(int n) {
  struct line l = {.n = n, .halo = {HALO, HALO, 0, 0}};
  l.box = op2_decl_box(2, (idx_g_t[]){n, ROWS}, NULL, "box");
  l.near = rule(l.box, 3, (int[]){-1, 0, 1}, "near");
  l.up = rule(l.box, 2, (int[]){0, 1}, "up");
  l.back = rule(l.box, 2, (int[]){-1, 0}, "back");
  return l;
}

static op_dat
temp(const struct line *l, int west, int east, int dim, const char *type,
     const char *name) {
  int halo[] = {west, east, 0, 0};
  return op2_decl_dat_box_temp(l->box, halo, dim, type, name);
}

#define PLACE(l, i, j) ((i) + HALO + ((l)->n + 2 * HALO) * (j))

static void
step(const struct line *l, op_dat x, op_dat next) {
  op_dat b = temp(l, 1, 1, 1, "double", "b");
  op_dat f = temp(l, 1, 0, 1, "double", "f");
  op_par_loop(bend, "bend", l->box,
              op_arg_dat(x, -3, l->near, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flow, "flow", l->box,
              op_arg_dat(b, -2, l->up, 1, "double", OP_READ),
              op_arg_dat(x, -2, l->up, 1, "double", OP_READ),
              op_arg_dat(f, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(move, "move", l->box,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(f, -2, l->back, 1, "double", OP_READ),
              op_arg_dat(next, -1, OP_ID, 1, "double", OP_WRITE));
  op_free_dat_temp(b);
  op_free_dat_temp(f);
  op2_flush();
}

static double
bent(const double *x) {
  return 2 * x[0] - x[-1] - x[1];
}
static double
flux(const double *x) {
  double f = bent(x + 1) - bent(x);
  return f * (x[1] - x[0]) > 0 ? 0 : f;
}
static double
moved(const double *x) {
  double next = *x - (flux(x) - flux(x - 1));
  return next > 50 || next < -50 ? *x : next;
}

static void
fluxes(int n) {
  static double x[AROUND], next[AROUND], found[AROUND];
  struct line l = line_of(n);
  int points = (n + 2 * HALO) * ROWS;
  for (int p = 0; p < points; p++) x[p] = next[p] = p * 37 % 23 - 9;
  op_dat a = op2_decl_dat_box(l.box, l.halo, 1, "double", x, "a");
  op_dat b = op2_decl_dat_box(l.box, l.halo, 1, "double", x, "b");
  for (int s = 0; s < 3; s++) {
    step(&l, s % 2 ? b : a, s % 2 ? a : b);
    for (int j = 0; j < ROWS; j++)
      for (int i = 0; i < n; i++)
        next[PLACE(&l, i, j)] = moved(&x[PLACE(&l, i, j)]);
    memcpy(x, next, sizeof x);
  }
  op_fetch_data(b, found);
  CHECK_REALS(found, x, points);
}

/* Blocks of twice as many. */
static void
floats(int n) {
  static float x[AROUND], found[MOST * ROWS];
  struct line l = line_of(n);
  for (int p = 0; p < (n + 2 * HALO) * ROWS; p++) x[p] = p * 37 % 23 - 9;
  op_dat d = op2_decl_dat_box(l.box, l.halo, 1, "float", x, "d");
  op_dat o = op_decl_dat(l.box, 1, "float", (float *)NULL, "o");
  op_dat b = temp(&l, 1, 1, 1, "float", "b");
  op_par_loop(thin, "thin", l.box,
              op_arg_dat(d, -3, l.near, 1, "float", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "float", OP_WRITE));
  op_par_loop(part, "part", l.box,
              op_arg_dat(b, -3, l.near, 1, "float", OP_READ),
              op_arg_dat(o, -1, OP_ID, 1, "float", OP_WRITE));
  op_free_dat_temp(b);
  op_fetch_data(o, found);
  for (int j = 0; j < ROWS; j++)
    for (int i = 0; i < n; i++) {
      const float *p = &x[PLACE(&l, i, j)];
      float want = 0, times[] = {5, 1, 7};
      for (int k = -1; k < 2; k++)
        want += times[k + 1] * (3 * p[k] - p[k - 1] - p[k + 1]);
      CHECK_REAL(found[i + n * j], want);
    }
}

/* ---- components, several steps, values ----------------------------------- */

static double
spun(const double *x, int c) {
  return x[DIM + (c + 1) % DIM] - 2 * x[c];
}

/* Five in a row: four of them slide, in a chain; one is left out. */
static void
several(int n) {
  static double x[AROUND * DIM], found[MOST * ROWS];
  struct line l = line_of(n);
  op_map five = rule(l.box, 5, (int[]){1, -2, 0, -1, 2}, "five");
  op_map three = rule(l.box, 5, (int[]){2, -2, 0, -1, -2}, "three");
  for (int p = 0; p < (n + 2 * HALO) * ROWS * DIM; p++) x[p] = p * 31 % 17 - 8;
  op_dat d = op2_decl_dat_box(l.box, l.halo, DIM, "double", x, "d");
  op_dat out = op_decl_dat(l.box, 1, "double", (double *)NULL, "out");
  for (int twice = 0; twice < 2; twice++) {
    static const int at[2][5] = {{1, -2, 0, -1, 2}, {2, -2, 0, -1, -2}};
    op_dat s = temp(&l, 2, 2, DIM, "double", "s");
    op_par_loop(spin, "spin", l.box,
                op_arg_dat(d, -2, l.up, DIM, "double", OP_READ),
                op_arg_dat(s, -1, OP_ID, DIM, "double", OP_WRITE));
    op_par_loop(join, "join", l.box,
                op_arg_dat(s, -5, twice ? three : five, DIM, "double", OP_READ),
                op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
    op_free_dat_temp(s);
    op_fetch_data(out, found);
    for (int j = 0; j < ROWS; j++)
      for (int i = 0; i < n; i++) {
        double want = 0;
        for (int k = 0; k < 5; k++)
          for (int c = 0; c < DIM; c++)
            want += (k + 1) * (c + 2) *
                    spun(&x[DIM * PLACE(&l, i + at[twice][k], j)], c);
        CHECK_REAL(found[i + n * j], want);
      }
  }
}

/* A captured value and a global; in place of what others read. */
static void
values(int n) {
  static double x[AROUND], found[AROUND], out[MOST * ROWS];
  struct line l = line_of(n);
  int points = (n + 2 * HALO) * ROWS;
  for (int p = 0; p < points; p++) x[p] = p * 29 % 13 - 6;
  double start = 2;
  op_dat d = op2_decl_dat_box(l.box, l.halo, 1, "double", x, "d");
  op_dat o = op_decl_dat(l.box, 1, "double", (double *)NULL, "o");
  op2_gbl from = op2_decl_gbl(1, "double", &start, "from");
  for (int k = 0; k < 2; k++) {
    double by = 3 + k;
    op_dat s = temp(&l, 1, 1, 1, "double", "s");
    op_par_loop(scale, "scale", l.box,
                op_arg_dat(d, -2, l.up, 1, "double", OP_READ),
                op_arg_gbl(&by, 1, "double", OP_READ),
                op2_arg_gbl(from, 1, "double", OP_READ),
                op_arg_dat(s, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(both, "both", l.box,
                op_arg_dat(s, -3, l.near, 1, "double", OP_READ),
                op_arg_dat(k ? d : o, -1, OP_ID, 1, "double", OP_WRITE));
    op_free_dat_temp(s);
    op2_flush();
  }
  op_fetch_data(o, out);
  op_fetch_data(d, found);
  for (int j = 0; j < ROWS; j++)
    for (int i = 0; i < n; i++) {
      double want[2] = {0, 0};
      for (int k = 0; k < 2; k++)
        for (int a = -1, ten = 1; a < 2; a++, ten *= 10) {
          const double *p = &x[PLACE(&l, i + a, j)];
          want[k] += ten * ((3 + k) * (p[1] - p[0]) + 2 - 3);
        }
      CHECK_REAL(out[i + n * j], want[0]);
      CHECK_REAL(found[PLACE(&l, i, j)], want[1]);
    }
}

/* The neighbour of the last point is the first one. */
static void
around(int n) {
  static double x[MOST * ROWS], found[MOST * ROWS];
  op_set ring = op2_decl_box(2, (idx_g_t[]){n, ROWS}, (int[]){1, 0}, "ring");
  op_map near = rule(ring, 3, (int[]){-1, 0, 1}, "near");
  op_map back = rule(ring, 2, (int[]){-1, 0}, "back");
  for (int p = 0; p < n * ROWS; p++) x[p] = p * 37 % 23 - 9;
  op_dat d = op_decl_dat(ring, 1, "double", x, "d");
  op_dat o = op_decl_dat(ring, 1, "double", (double *)NULL, "o");
  op_dat b = op2_decl_dat_box_temp(ring, (int[4]){0}, 1, "double", "b");
  op_par_loop(bend, "bend", ring, op_arg_dat(d, -3, near, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(flow, "flow", ring, op_arg_dat(b, -2, back, 1, "double", OP_READ),
              op_arg_dat(d, -2, back, 1, "double", OP_READ),
              op_arg_dat(o, -1, OP_ID, 1, "double", OP_WRITE));
  op_free_dat_temp(b);
  op_fetch_data(o, found);
  for (int j = 0; j < ROWS; j++)
    for (int i = 0; i < n; i++) {
      double at[4];
      for (int k = 0; k < 4; k++) at[k] = x[(i + k - 2 + 2 * n) % n + n * j];
      double f = bent(at + 2) - bent(at + 1);
      CHECK_REAL(found[i + n * j], f * (at[2] - at[1]) > 0 ? 0 : f);
    }
}

int
main(int argc, char **argv) {
  static const int lengths[] = {1, 5, 8, 16, 23, 40, 64, 131};
  op_init(argc, argv, 0);
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    fluxes(lengths[k]);
    floats(lengths[k]);
    several(lengths[k]);
    values(lengths[k]);
    around(lengths[k] + 3);
  }
  return check_end();
}
