/* The Jacobi program against OP2's API; the three element types include it. */
#ifndef BENCH_JACOBI_JACOBI_H
#define BENCH_JACOBI_JACOBI_H

#include <math.h>

#include "op2.h"

#include "../common.h"
#include "kernels.h"

#include "graph.h"

struct jacobi {
  op_set nodes, edges;
  op_map pedge;
  op_dat A, r, u, du;
};

static void
jacobi_declare(struct jacobi *s, struct graph *g) {
  s->nodes = op_decl_set(g->nnode, "nodes");
  s->edges = op_decl_set(g->nedge, "edges");
  s->pedge = op_decl_map(s->edges, s->nodes, 2, g->edge, "pedge");
  s->A = op_decl_dat(s->edges, 1, REAL_NAME, g->A, "p_A");
  s->r = op_decl_dat(s->nodes, 1, REAL_NAME, g->r, "p_r");
  s->u = op_decl_dat(s->nodes, 1, REAL_NAME, (REAL *)NULL, "p_u");
  s->du = op_decl_dat(s->nodes, 1, REAL_NAME, (REAL *)NULL, "p_du");
}

/* One iteration; *max_out is the largest u. Returns the sum of u^2. */
static jacobi_sum
jacobi_step(struct jacobi *s, REAL *max_out) {
  REAL beta = 1;
  jacobi_sum sum = 0;
  *max_out = 0;
  op_par_loop(res, "res", s->edges,
              op_arg_dat(s->A, -1, OP_ID, 1, REAL_NAME, OP_READ),
              op_arg_dat(s->u, 1, s->pedge, 1, REAL_NAME, OP_READ),
              op_arg_dat(s->du, 0, s->pedge, 1, REAL_NAME, OP_INC),
              op_arg_gbl(&beta, 1, REAL_NAME, OP_READ));
  op_par_loop(update, "update", s->nodes,
              op_arg_dat(s->r, -1, OP_ID, 1, REAL_NAME, OP_READ),
              op_arg_dat(s->du, -1, OP_ID, 1, REAL_NAME, OP_RW),
              op_arg_dat(s->u, -1, OP_ID, 1, REAL_NAME, OP_INC),
              op_arg_gbl(&sum, 1, JACOBI_SUM_NAME, OP_INC),
              op_arg_gbl(max_out, 1, REAL_NAME, OP_MAX));
  return sum;
}

static double
jacobi_run(struct jacobi *s, const struct bench_options *o,
           struct bench_timer *t) {
  double rms = 0.0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    REAL max;
    bench_iteration(t);
    rms = sqrt((double)jacobi_step(s, &max) / (double)op_get_size(s->nodes));
    bench_progress(iter, o->iters);
    if (iter % 100 == 0)
      op_printf("%6d  rms %.6e  max %.6e\n", iter, rms, (double)max);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {1000, 1000}, .iters = 100, .warmup = 3};
  struct graph g;
  struct jacobi s;
  struct bench_timer t;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  graph_make(&g, o.size[0], o.size[1]);
  jacobi_declare(&s, &g);
  graph_clear(&g);
  double rms = jacobi_run(&s, &o, &t);
  op_timing_output();
  bench_result(argv[0], &o, bench_threads(), &t, rms);
  op_exit();
  return isfinite(rms) ? 0 : 1;
}

#endif
