/* The scheme as loops of OP2: for the benchmark and for its test. */
#ifndef BENCH_EULER_LOOPS_H
#define BENCH_EULER_LOOPS_H

#include "op2.h"

#include "box.h"
#include "kernels.h"

struct euler {
  op_set nodes, edges, walls;
  op_map ends, at; /* of edges, of walls */
  op_dat x, volume, normal, wall_normal;
  op_dat u, old, w, sum, grad, low, high, phi, r, size;
  op2_gbl dt, rms;
};

#define EULER_OWN(d, dim, acc) op_arg_dat(d, -1, OP_ID, dim, "double", acc)
#define EULER_VIA(d, i, m, dim, acc) op_arg_dat(d, i, m, dim, "double", acc)
/* Both ends of an edge. */
#define EULER_ENDS(d, dim, acc)                                                \
  EULER_VIA(d, 0, f->ends, dim, acc), EULER_VIA(d, 1, f->ends, dim, acc)

static inline op_dat
euler_zeros(op_set s, int dim, const char *name) {
  return op_decl_dat(s, dim, "double", (double *)NULL, name);
}

static inline void
euler_declare(struct euler *f, struct box *b) {
  f->nodes = op_decl_set(b->nnode, "nodes");
  f->edges = op_decl_set(b->nedge, "edges");
  f->walls = op_decl_set(b->nwall, "walls");
  f->ends = op_decl_map(f->edges, f->nodes, 2, b->edge, "ends");
  f->at = op_decl_map(f->walls, f->nodes, 1, b->wall, "at");
  f->x = op_decl_dat(f->nodes, 3, "double", b->x, "x");
  f->volume = op_decl_dat(f->nodes, 1, "double", b->volume, "volume");
  f->normal = op_decl_dat(f->edges, 3, "double", b->normal, "normal");
  f->wall_normal =
      op_decl_dat(f->walls, 3, "double", b->wall_normal, "wall_normal");
  f->u = euler_zeros(f->nodes, 5, "u");
  f->old = euler_zeros(f->nodes, 5, "old");
  f->w = euler_zeros(f->nodes, 5, "w");
  f->sum = euler_zeros(f->nodes, 15, "sum");
  f->grad = euler_zeros(f->nodes, 15, "grad");
  f->low = euler_zeros(f->nodes, 5, "low");
  f->high = euler_zeros(f->nodes, 5, "high");
  f->phi = euler_zeros(f->nodes, 5, "phi");
  f->r = euler_zeros(f->nodes, 5, "r");
  f->size = euler_zeros(f->nodes, 1, "size");
  f->dt = op2_decl_gbl(1, "double", NULL, "dt");
  f->rms = op2_decl_gbl(1, "double", NULL, "rms");
  op_decl_const(1, "double", &cfl);
}

static inline void
euler_start(struct euler *f) {
  op_par_loop(start_node, "start_node", f->nodes, EULER_OWN(f->x, 3, OP_READ),
              EULER_OWN(f->u, 5, OP_WRITE));
  op_par_loop(add_area, "add_area", f->edges, EULER_OWN(f->normal, 3, OP_READ),
              EULER_ENDS(f->size, 1, OP_INC));
  op_par_loop(node_size, "node_size", f->nodes,
              EULER_OWN(f->volume, 1, OP_READ), EULER_OWN(f->size, 1, OP_RW));
}

static inline void
euler_gradients(struct euler *f) {
  op_par_loop(gradient, "gradient", f->edges, EULER_OWN(f->normal, 3, OP_READ),
              EULER_ENDS(f->w, 5, OP_READ), EULER_ENDS(f->sum, 15, OP_INC));
  op_par_loop(wall_gradient, "wall_gradient", f->walls,
              EULER_OWN(f->wall_normal, 3, OP_READ),
              EULER_VIA(f->w, 0, f->at, 5, OP_READ),
              EULER_VIA(f->sum, 0, f->at, 15, OP_INC));
  op_par_loop(end_gradient, "end_gradient", f->nodes,
              EULER_OWN(f->volume, 1, OP_READ), EULER_OWN(f->sum, 15, OP_RW),
              EULER_OWN(f->grad, 15, OP_WRITE));
}

static inline void
euler_limits(struct euler *f) {
  op_par_loop(extremes, "extremes", f->edges, EULER_ENDS(f->w, 5, OP_READ),
              EULER_ENDS(f->low, 5, OP_MIN), EULER_ENDS(f->high, 5, OP_MAX));
  op_par_loop(limit, "limit", f->edges, EULER_ENDS(f->x, 3, OP_READ),
              EULER_ENDS(f->w, 5, OP_READ), EULER_ENDS(f->grad, 15, OP_READ),
              EULER_ENDS(f->low, 5, OP_READ), EULER_ENDS(f->high, 5, OP_READ),
              EULER_ENDS(f->phi, 5, OP_MIN));
}

static inline void
euler_fluxes(struct euler *f) {
  op_par_loop(edge_flux, "edge_flux", f->edges,
              EULER_OWN(f->normal, 3, OP_READ), EULER_ENDS(f->x, 3, OP_READ),
              EULER_ENDS(f->w, 5, OP_READ), EULER_ENDS(f->grad, 15, OP_READ),
              EULER_ENDS(f->phi, 5, OP_READ), EULER_ENDS(f->r, 5, OP_INC));
  op_par_loop(wall_flux, "wall_flux", f->walls,
              EULER_OWN(f->wall_normal, 3, OP_READ),
              EULER_VIA(f->w, 0, f->at, 5, OP_READ),
              EULER_VIA(f->r, 0, f->at, 5, OP_INC));
}

static inline void
euler_end_stage(struct euler *f, int k) {
  static const double alpha[EULER_STAGES - 1] = {0.25, 1 / 6.0, 0.375, 0.5};
  const double zero = 0;
  if (k < EULER_STAGES - 1) {
    op_par_loop(stage, "stage", f->nodes, EULER_OWN(f->old, 5, OP_READ),
                EULER_OWN(f->volume, 1, OP_READ), EULER_OWN(f->r, 5, OP_RW),
                EULER_OWN(f->u, 5, OP_WRITE),
                op_arg_gbl(&alpha[k], 1, "double", OP_READ),
                op2_arg_gbl(f->dt, 1, "double", OP_READ));
    return;
  }
  op2_gbl_set(f->rms, &zero);
  op_par_loop(last_stage, "last_stage", f->nodes, EULER_OWN(f->old, 5, OP_READ),
              EULER_OWN(f->volume, 1, OP_READ), EULER_OWN(f->r, 5, OP_RW),
              EULER_OWN(f->u, 5, OP_WRITE),
              op2_arg_gbl(f->dt, 1, "double", OP_READ),
              op2_arg_gbl(f->rms, 1, "double", OP_INC));
}

/* Nothing is waited for: dt and rms stay in the library. */
static inline void
euler_step(struct euler *f) {
  const double most = 1e30;
  op2_gbl_set(f->dt, &most);
  op_par_loop(begin_step, "begin_step", f->nodes, EULER_OWN(f->u, 5, OP_READ),
              EULER_OWN(f->size, 1, OP_READ), EULER_OWN(f->old, 5, OP_WRITE),
              op2_arg_gbl(f->dt, 1, "double", OP_MIN));
  for (int k = 0; k < EULER_STAGES; k++) {
    op_par_loop(begin_stage, "begin_stage", f->nodes,
                EULER_OWN(f->u, 5, OP_READ), EULER_OWN(f->w, 5, OP_WRITE),
                EULER_OWN(f->low, 5, OP_WRITE), EULER_OWN(f->high, 5, OP_WRITE),
                EULER_OWN(f->phi, 5, OP_WRITE));
    euler_gradients(f);
    euler_limits(f);
    euler_fluxes(f);
    euler_end_stage(f, k);
  }
}

static inline double
euler_rms(struct euler *f) {
  double rms;
  op2_gbl_get(f->rms, &rms);
  return sqrt(rms / (double)op_get_size(f->nodes));
}

static inline void
euler_totals(struct euler *f, double *sum) {
  for (int c = 0; c < 3; c++) sum[c] = 0;
  op_par_loop(totals, "totals", f->nodes, EULER_OWN(f->u, 5, OP_READ),
              EULER_OWN(f->volume, 1, OP_READ),
              op_arg_gbl(sum, 3, "double", OP_INC));
}

/* Of the last stage. */
static inline double
euler_excess(struct euler *f) {
  double most = -1e30;
  op_par_loop(excess, "excess", f->edges, EULER_ENDS(f->x, 3, OP_READ),
              EULER_ENDS(f->w, 5, OP_READ), EULER_ENDS(f->grad, 15, OP_READ),
              EULER_ENDS(f->low, 5, OP_READ), EULER_ENDS(f->high, 5, OP_READ),
              EULER_ENDS(f->phi, 5, OP_READ),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  return most;
}

#endif
