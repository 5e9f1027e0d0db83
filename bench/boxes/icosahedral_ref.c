/* Diffusion on the cells of an icosahedral grid in plain C, without the library:
 * two loops, neighbours by arithmetic. */
#include "../common.h"
#include "../take.h"
#include "fields.h"
#include "kernels.h"

enum { CELLS = 2, EDGES = 3 };

struct grid {
  int ni, nj, threads;
  double *x, *g;
};

static int
around(int i, int n) {
  return i < 0 ? i + n : i >= n ? i - n : i;
}

/* n values of colour c of `colours` at (i, j), which may lie one beyond. */
static inline double *
at(const struct grid *g, double *values, int colours, int i, int c, int j,
   size_t n) {
  size_t row = (size_t)c + (size_t)colours * (size_t)around(j, g->nj);
  return values + n * ((size_t)around(i, g->ni) + (size_t)g->ni * row);
}

/* n is 1 or `layers`: a constant where it is 1, or kernels would be called. */
static inline void
gradients_row(const struct grid *g, int j, size_t n) {
  double *x = g->x;
  for (int i = 0; i < g->ni; i++) {
    double *here[] = {at(g, x, CELLS, i, 0, j, n), at(g, x, CELLS, i, 1, j, n)};
    double *of0[] = {here[0], at(g, x, CELLS, i, 1, j - 1, n)};
    double *of1[] = {at(g, x, CELLS, i - 1, 0, j, n), here[1]};
    double *to[] = {at(g, g->g, EDGES, i, 0, j, n),
                    at(g, g->g, EDGES, i, 1, j, n),
                    at(g, g->g, EDGES, i, 2, j, n)};
    if (n == 1) {
      gradient(of0, to[0]);
      gradient(of1, to[1]);
      gradient(here, to[2]);
    } else {
      gradient_levels(of0, to[0]);
      gradient_levels(of1, to[1]);
      gradient_levels(here, to[2]);
    }
  }
}

static void
gradients(const struct grid *g) {
#pragma omp parallel for num_threads(g->threads) schedule(static)
  for (int j = 0; j < g->nj; j++)
    if (layers == 1)
      gradients_row(g, j, 1);
    else
      gradients_row(g, j, (size_t)layers);
}

static inline void
flows_row(const struct grid *g, int j, size_t n) {
  static const double side[] = {1, -1};
  double *v = g->g, *x = g->x;
  for (int i = 0; i < g->ni; i++) {
    double *own = at(g, v, EDGES, i, 2, j, n);
    double *of0[] = {own, at(g, v, EDGES, i + 1, 1, j, n),
                     at(g, v, EDGES, i, 0, j, n)};
    double *of1[] = {at(g, v, EDGES, i, 1, j, n),
                     at(g, v, EDGES, i, 0, j + 1, n), own};
    if (n == 1) {
      flow_in(of0, &side[0], at(g, x, CELLS, i, 0, j, n));
      flow_in(of1, &side[1], at(g, x, CELLS, i, 1, j, n));
    } else {
      flow_in_levels(of0, &side[0], at(g, x, CELLS, i, 0, j, n));
      flow_in_levels(of1, &side[1], at(g, x, CELLS, i, 1, j, n));
    }
  }
}

static void
flows(const struct grid *g) {
#pragma omp parallel for num_threads(g->threads) schedule(static)
  for (int j = 0; j < g->nj; j++)
    if (layers == 1)
      flows_row(g, j, 1);
    else
      flows_row(g, j, (size_t)layers);
}

static size_t
values_of(const struct grid *g, int colours) {
  return (size_t)g->ni * (size_t)g->nj * (size_t)colours * (size_t)layers;
}

static double
mean_square(const struct grid *g) {
  double sum = 0;
  size_t n = values_of(g, CELLS);
  for (size_t e = 0; e < n; e += (size_t)layers) add_squares(g->x + e, &sum);
  return sum / (double)n;
}

int
main(int argc, char **argv) {
  struct bench_options o = {
      .size = {1000, 1000}, .layers = 1, .iters = 100, .warmup = 4};
  struct bench_timer t;
  double squares[2];
  o.threads = bench_threads();
  if (!bench_parse(&o, argc, argv)) return 2;
  layers = o.layers;
  struct grid g = {o.size[0], o.size[1], o.threads, NULL, NULL};
  g.x = bench_take(values_of(&g, CELLS), sizeof *g.x);
  g.g = bench_take(values_of(&g, EDGES), sizeof *g.g);
  for (size_t e = 0; e < values_of(&g, CELLS); e++) g.x[e] = fields_rough(e);
  squares[0] = mean_square(&g);
  bench_timer_start(&t, o.warmup);
  for (int iter = 1; iter <= o.iters; iter++) {
    bench_iteration(&t);
    gradients(&g);
    flows(&g);
    bench_progress(iter, o.iters);
  }
  bench_iteration(&t);
  squares[1] = mean_square(&g);
  double ideal = 2.0 * sizeof(double) * (double)values_of(&g, CELLS);
  int wrong = fields_result(argv[0], &o, g.threads, &t, ideal, squares);
  free(g.x);
  free(g.g);
  return wrong;
}
