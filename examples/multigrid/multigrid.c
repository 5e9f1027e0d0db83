/* Multigrid: Poisson's equation, -(u_xx + u_yy) = f in the unit square, u = 0 on its rim,
 * in V-cycles over grids of nodes, each with half as many along a side as the last.
 *
 *   multigrid [levels]
 *
 * Levels are sets of their own, tied by a map: each coarse node knows the nine fine ones
 * around it. Down it takes what is left there, up it adds to them, by the same weights. A
 * cycle is some fifty loops over ever smaller sets; nothing runs before its residual is
 * looked at. With f = 2 pi^2 u the answer is u = sin(pi x) sin(pi y). */
#include "op2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS_MAX = 10, AROUND = 9, SWEEPS = 2, SWEEPS_LAST = 30, CYCLES = 30 };
static const double pi = 3.14159265358979323846;

struct level {
  op_set nodes, edges;
  op_map ends, around; /* around: of this level's nodes, in the finer one */
  op_dat x, b, y;      /* y: the matrix times x */
  int m;               /* nodes along a side */
};

/* ---- kernels -------------------------------------------------------------- */

static void
source(const double *at, double *b, double *exact) {
  *exact = sin(pi * at[0]) * sin(pi * at[1]);
  *b = 2 * pi * pi * *exact * at[2] * at[2];
}
static void
clear(double *x) {
  *x = 0;
}
static void
diagonal(const double *x, double *y) {
  *y = 4 * *x;
}
static void
links(const double *xa, const double *xb, double *ya, double *yb) {
  *ya -= *xb;
  *yb -= *xa;
}
static void
relax(const double *b, const double *y, double *x) {
  *x += 0.2 * (*b - *y);
}
static void
residual(const double *b, const double *y, double *sum) {
  *sum += (*b - *y) * (*b - *y);
}
static void
compare(const double *x, const double *exact, double *worst) {
  double d = fabs(*x - *exact);
  *worst = d > *worst ? d : *worst;
}
/* Weights of the nine: 1 in the middle, 1/2 beside, 1/4 at the corners. */
static void
down(const double **b, const double **y, double *coarse) {
  *coarse = 0;
  for (int k = 0; k < AROUND; k++) {
    double w = (k % 3 == 1 ? 1 : 0.5) * (k / 3 == 1 ? 1 : 0.5);
    *coarse += w * (b[k][0] - y[k][0]);
  }
}
static void
up(const double *coarse, double **x) {
  for (int k = 0; k < AROUND; k++) {
    double w = (k % 3 == 1 ? 1 : 0.5) * (k / 3 == 1 ? 1 : 0.5);
    x[k][0] += w * *coarse;
  }
}

/* ---- loops ---------------------------------------------------------------- */

#define READ(d) op_arg_dat(d, -1, OP_ID, 1, "double", OP_READ)
#define WRITE(d) op_arg_dat(d, -1, OP_ID, 1, "double", OP_WRITE)

static void
product(struct level *l) {
  op_par_loop(diagonal, "diagonal", l->nodes, READ(l->x), WRITE(l->y));
  op_par_loop(links, "links", l->edges,
              op_arg_dat(l->x, 0, l->ends, 1, "double", OP_READ),
              op_arg_dat(l->x, 1, l->ends, 1, "double", OP_READ),
              op_arg_dat(l->y, 0, l->ends, 1, "double", OP_INC),
              op_arg_dat(l->y, 1, l->ends, 1, "double", OP_INC));
}

static void
smooth(struct level *l, int sweeps) {
  for (int k = 0; k < sweeps; k++) {
    product(l);
    op_par_loop(relax, "relax", l->nodes, READ(l->b), READ(l->y),
                op_arg_dat(l->x, -1, OP_ID, 1, "double", OP_RW));
  }
}

static void
cycle(struct level *l, int n) {
  for (int k = 0; k + 1 < n; k++) {
    smooth(&l[k], SWEEPS);
    product(&l[k]);
    op_par_loop(down, "down", l[k + 1].nodes,
                op_arg_dat(l[k].b, -AROUND, l[k + 1].around, 1, "double", OP_READ),
                op_arg_dat(l[k].y, -AROUND, l[k + 1].around, 1, "double", OP_READ),
                WRITE(l[k + 1].b));
    op_par_loop(clear, "clear", l[k + 1].nodes, WRITE(l[k + 1].x));
  }
  smooth(&l[n - 1], SWEEPS_LAST);
  for (int k = n - 1; k-- > 0;) {
    op_par_loop(up, "up", l[k + 1].nodes, READ(l[k + 1].x),
                op_arg_dat(l[k].x, -AROUND, l[k + 1].around, 1, "double", OP_INC));
    smooth(&l[k], SWEEPS);
  }
}

static double
rest(struct level *l) {
  double sum = 0;
  product(l);
  op_par_loop(residual, "residual", l->nodes, READ(l->b), READ(l->y),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sqrt(sum);
}

/* ---- grids ---------------------------------------------------------------- */

static op_map
declare_edges(struct level *l) {
  int *end = malloc(4 * sizeof *end * (size_t)l->m * (size_t)l->m), n = 0;
  if (!end) exit(1);
  for (int k = 0; k < l->m * l->m; k++)
    for (int up = 0; up < 2; up++) {
      if ((up ? k / l->m : k % l->m) == l->m - 1) continue;
      end[2 * n] = k;
      end[2 * n++ + 1] = k + (up ? l->m : 1);
    }
  l->edges = op_decl_set(n, "edges");
  op_map ends = op_decl_map(l->edges, l->nodes, 2, end, "ends");
  free(end);
  return ends;
}

/* Coarse node (i, j) lies on the fine one (2 i + 1, 2 j + 1). */
static op_map
declare_around(const struct level *l, const struct level *finer) {
  int *to = malloc(AROUND * sizeof *to * (size_t)l->m * (size_t)l->m);
  if (!to) exit(1);
  for (int k = 0; k < l->m * l->m; k++)
    for (int s = 0; s < AROUND; s++)
      to[AROUND * k + s] =
          (2 * (k / l->m) + s / 3) * finer->m + 2 * (k % l->m) + s % 3;
  op_map around = op_decl_map(l->nodes, finer->nodes, AROUND, to, "around");
  free(to);
  return around;
}

static void
declare_level(struct level *l, const struct level *finer, int m) {
  l->m = m;
  l->nodes = op_decl_set(m * m, "nodes");
  l->ends = declare_edges(l);
  if (finer) l->around = declare_around(l, finer);
  l->x = op_decl_dat(l->nodes, 1, "double", (double *)NULL, "x");
  l->b = op_decl_dat(l->nodes, 1, "double", (double *)NULL, "b");
  l->y = op_decl_dat(l->nodes, 1, "double", (double *)NULL, "y");
}

static op_dat
declare_places(const struct level *l) {
  double *at = malloc(3 * sizeof *at * (size_t)l->m * (size_t)l->m), h = 1.0 / (l->m + 1);
  if (!at) exit(1);
  for (int k = 0; k < l->m * l->m; k++) {
    at[3 * k] = (k % l->m + 1) * h;
    at[3 * k + 1] = (double)(k / l->m + 1) * h;
    at[3 * k + 2] = h;
  }
  op_dat d = op_decl_dat(l->nodes, 3, "double", at, "at");
  free(at);
  return d;
}

int
main(int argc, char **argv) {
  static struct level l[LEVELS_MAX];
  int n = argc > 1 && atoi(argv[1]) > 1 ? atoi(argv[1]) : 6, cycles = 0;
  if (n > LEVELS_MAX) n = LEVELS_MAX;
  op_init(argc, argv, 0);
  for (int k = 0; k < n; k++)
    declare_level(&l[k], k ? &l[k - 1] : NULL, (2 << (n - k)) - 1);
  op_dat at = declare_places(&l[0]);
  op_dat exact = op_decl_dat(l[0].nodes, 1, "double", (double *)NULL, "exact");
  op_par_loop(source, "source", l[0].nodes,
              op_arg_dat(at, -1, OP_ID, 3, "double", OP_READ), WRITE(l[0].b),
              WRITE(exact));
  double first = rest(&l[0]), now = first, worst = 0;
  while (now > 1e-8 * first && cycles < CYCLES) {
    cycle(l, n);
    now = rest(&l[0]);
    op_printf("%2d  %.3e\n", ++cycles, now / first);
  }
  op_par_loop(compare, "compare", l[0].nodes, READ(l[0].x), READ(exact),
              op_arg_gbl(&worst, 1, "double", OP_MAX));
  op_printf("%d nodes, %d levels: %d cycles, error %.3e\n", l[0].m * l[0].m, n, cycles,
            worst);
  op_exit();
  return now > 1e-8 * first;
}
