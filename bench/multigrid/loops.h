/* The cycle as loops of OP2: for the benchmark and for its test. */
#ifndef BENCH_MULTIGRID_LOOPS_H
#define BENCH_MULTIGRID_LOOPS_H

#include <stdio.h>

#include "op2.h"

#include "kernels.h"
#include "levels.h"

struct multigrid {
  int n;
  struct {
    op_set nodes, edges;
    op_map ends, parents; /* parents: to the next level */
    op_dat inverse, weight, b, u, flow;
  } at[LEVELS_MOST];
  op_dat x, load; /* of the finest */
  op2_gbl rms;
};

#define MG_OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define MG_TWO(d, m, acc)                                                      \
  op_arg_dat(d, 0, m, 1, "double", acc), op_arg_dat(d, 1, m, 1, "double", acc)

static inline op_dat
multigrid_dat(op_set s, int k, double *values, const char *name) {
  char text[32];
  snprintf(text, sizeof text, "%s%d", name, k);
  return op_decl_dat(s, 1, "double", values, text);
}

static inline void
multigrid_declare_level(struct multigrid *m, int k, struct level *l) {
  char text[32];
  snprintf(text, sizeof text, "nodes%d", k);
  m->at[k].nodes = op_decl_set(l->nnode, text);
  snprintf(text, sizeof text, "edges%d", k);
  m->at[k].edges = op_decl_set(l->nedge, text);
  snprintf(text, sizeof text, "ends%d", k);
  m->at[k].ends = op_decl_map(m->at[k].edges, m->at[k].nodes, 2, l->edge, text);
  m->at[k].inverse = multigrid_dat(m->at[k].nodes, k, l->inverse, "inverse");
  m->at[k].weight = multigrid_dat(m->at[k].edges, k, l->weight, "weight");
  m->at[k].b = multigrid_dat(m->at[k].nodes, k, NULL, "b");
  m->at[k].u = multigrid_dat(m->at[k].nodes, k, NULL, "u");
  m->at[k].flow = multigrid_dat(m->at[k].nodes, k, NULL, "flow");
}

static inline void
multigrid_declare(struct multigrid *m, struct levels *l) {
  m->n = l->n;
  for (int k = 0; k < l->n; k++) multigrid_declare_level(m, k, &l->at[k]);
  for (int k = 0; k + 1 < l->n; k++) {
    char text[32];
    snprintf(text, sizeof text, "parents%d", k);
    m->at[k].parents = op_decl_map(m->at[k].nodes, m->at[k + 1].nodes, 2,
                                   l->at[k].parent, text);
  }
  m->x = op_decl_dat(m->at[0].nodes, 2, "double", l->at[0].x, "x");
  m->load = op_decl_dat(m->at[0].nodes, 1, "double", l->at[0].load, "load");
  m->rms = op2_decl_gbl(1, "double", NULL, "rms");
}

static inline void
multigrid_start(struct multigrid *m) {
  op_par_loop(source, "source", m->at[0].nodes,
              op_arg_dat(m->x, -1, OP_ID, 2, "double", OP_READ),
              MG_OWN(m->load, OP_READ), MG_OWN(m->at[0].b, OP_WRITE));
}

static inline void
multigrid_flow(struct multigrid *m, int k) {
  op_par_loop(exchange, "exchange", m->at[k].edges,
              MG_OWN(m->at[k].weight, OP_READ),
              MG_TWO(m->at[k].u, m->at[k].ends, OP_READ),
              MG_TWO(m->at[k].flow, m->at[k].ends, OP_INC));
}

static inline void
multigrid_smooth(struct multigrid *m, int k, int sweeps) {
  for (int s = 0; s < sweeps; s++) {
    multigrid_flow(m, k);
    op_par_loop(relax, "relax", m->at[k].nodes, MG_OWN(m->at[k].b, OP_READ),
                MG_OWN(m->at[k].inverse, OP_READ), MG_OWN(m->at[k].flow, OP_RW),
                MG_OWN(m->at[k].u, OP_INC));
  }
}

static inline void
multigrid_down(struct multigrid *m, int k) {
  multigrid_smooth(m, k, MULTIGRID_BEFORE);
  multigrid_flow(m, k);
  op_par_loop(begin_level, "begin_level", m->at[k + 1].nodes,
              MG_OWN(m->at[k + 1].b, OP_WRITE),
              MG_OWN(m->at[k + 1].u, OP_WRITE));
  op_par_loop(restrict_to, "restrict_to", m->at[k].nodes,
              MG_OWN(m->at[k].b, OP_READ), MG_OWN(m->at[k].inverse, OP_READ),
              MG_OWN(m->at[k].flow, OP_RW),
              MG_TWO(m->at[k + 1].b, m->at[k].parents, OP_INC));
}

static inline void
multigrid_up(struct multigrid *m, int k) {
  op_par_loop(prolong, "prolong", m->at[k].nodes,
              MG_OWN(m->at[k].inverse, OP_READ),
              MG_TWO(m->at[k + 1].u, m->at[k].parents, OP_READ),
              MG_OWN(m->at[k].u, OP_INC));
  multigrid_smooth(m, k, MULTIGRID_AFTER);
}

/* Nothing is waited for. */
static inline void
multigrid_cycle(struct multigrid *m) {
  for (int k = 0; k + 1 < m->n; k++) multigrid_down(m, k);
  multigrid_smooth(m, m->n - 1, MULTIGRID_LAST);
  for (int k = m->n - 2; k >= 0; k--) multigrid_up(m, k);
}

static inline double
multigrid_rms(struct multigrid *m) {
  double sum = 0;
  op2_gbl_set(m->rms, &sum);
  multigrid_flow(m, 0);
  op_par_loop(norm, "norm", m->at[0].nodes, MG_OWN(m->at[0].b, OP_READ),
              MG_OWN(m->at[0].inverse, OP_READ), MG_OWN(m->at[0].flow, OP_RW),
              op2_arg_gbl(m->rms, 1, "double", OP_INC));
  op2_gbl_get(m->rms, &sum);
  return sqrt(sum / (double)op_get_size(m->at[0].nodes));
}

static inline double
multigrid_error(struct multigrid *m) {
  double most = 0;
  op_par_loop(error, "error", m->at[0].nodes,
              op_arg_dat(m->x, -1, OP_ID, 2, "double", OP_READ),
              MG_OWN(m->at[0].u, OP_READ),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  return most;
}

#endif
