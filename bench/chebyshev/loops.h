/* The smoothing as loops of OP2, over edges and over rows: for the benchmark and
 * for its test. */
#ifndef BENCH_CHEBYSHEV_LOOPS_H
#define BENCH_CHEBYSHEV_LOOPS_H

#include "op2.h"

#include "graph.h"
#include "kernels.h"

struct chebyshev {
  op_set nodes, edges, entries;
  op_map ends, neighbours, own; /* own: the entries of a node's row */
  op_dat x, weight, diagonal, b, u, next, d, flow;
  op2_gbl rms;
  int longest; /* row; 0: over edges */
};

#define CHEB_OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define CHEB_ENDS(d, acc)                                                      \
  op_arg_dat(d, 0, c->ends, 1, "double", acc),                                 \
      op_arg_dat(d, 1, c->ends, 1, "double", acc)
#define CHEB_ROW(d, m) op_arg_dat(d, -c->longest, m, 1, "double", OP_READ)

static inline void
chebyshev_declare_edges(struct chebyshev *c, struct graph *g) {
  c->edges = op_decl_set(g->box.nedge, "edges");
  c->ends = op_decl_map(c->edges, c->nodes, 2, g->box.edge, "ends");
  c->weight = op_decl_dat(c->edges, 1, "double", g->weight, "weight");
  c->flow = op_decl_dat(c->nodes, 1, "double", (double *)NULL, "flow");
}

static inline void
chebyshev_declare_rows(struct chebyshev *c, struct graph *g) {
  c->entries = op_decl_set(g->nentry, "entries");
  c->neighbours = op2_decl_map_csr(c->nodes, c->nodes, g->rows.ptr, g->rows.col,
                                   "neighbours");
  c->own = op2_decl_map_csr(c->nodes, c->entries, g->rows.ptr, g->entry, "own");
  c->weight = op_decl_dat(c->entries, 1, "double", g->entry_weight, "weight");
  c->next = op_decl_dat(c->nodes, 1, "double", (double *)NULL, "next");
  c->longest = c->neighbours->dim;
}

static inline void
chebyshev_declare(struct chebyshev *c, struct graph *g, int as_rows) {
  *c = (struct chebyshev){.longest = 0};
  c->nodes = op_decl_set(g->box.nnode, "nodes");
  c->x = op_decl_dat(c->nodes, 3, "double", g->box.x, "x");
  c->diagonal = op_decl_dat(c->nodes, 1, "double", g->diagonal, "diagonal");
  c->b = op_decl_dat(c->nodes, 1, "double", g->b, "b");
  c->u = op_decl_dat(c->nodes, 1, "double", (double *)NULL, "u");
  c->d = op_decl_dat(c->nodes, 1, "double", (double *)NULL, "d");
  c->rms = op2_decl_gbl(1, "double", NULL, "rms");
  if (as_rows)
    chebyshev_declare_rows(c, g);
  else
    chebyshev_declare_edges(c, g);
}

static inline void
chebyshev_exchange(struct chebyshev *c) {
  op_par_loop(exchange, "exchange", c->edges, CHEB_OWN(c->weight, OP_READ),
              CHEB_ENDS(c->u, OP_READ), CHEB_ENDS(c->flow, OP_INC));
}

static inline void
chebyshev_over_edges(struct chebyshev *c, const double *ab) {
  chebyshev_exchange(c);
  op_par_loop(advance, "advance", c->nodes,
              op_arg_gbl(ab, 2, "double", OP_READ), CHEB_OWN(c->b, OP_READ),
              CHEB_OWN(c->diagonal, OP_READ), CHEB_OWN(c->flow, OP_RW),
              CHEB_OWN(c->d, OP_RW), CHEB_OWN(c->u, OP_RW));
}

/* u and next change places. */
static inline void
chebyshev_over_rows(struct chebyshev *c, const double *ab) {
  op_dat u = c->u, next = c->next;
  op_par_loop(advance_row, "advance_row", c->nodes,
              op2_arg_row_length(c->neighbours), CHEB_ROW(c->weight, c->own),
              CHEB_ROW(u, c->neighbours), op_arg_gbl(ab, 2, "double", OP_READ),
              CHEB_OWN(c->b, OP_READ), CHEB_OWN(c->diagonal, OP_READ),
              CHEB_OWN(c->d, OP_RW), CHEB_OWN(u, OP_READ),
              CHEB_OWN(next, OP_WRITE));
  c->u = next;
  c->next = u;
}

/* s steps; nothing is waited for. */
static inline void
chebyshev_smooth(struct chebyshev *c, int s) {
  double rho = 0, ab[2];
  for (int k = 0; k < s; k++) {
    chebyshev_next(k, &rho, ab);
    if (c->longest)
      chebyshev_over_rows(c, ab);
    else
      chebyshev_over_edges(c, ab);
  }
}

static inline void
chebyshev_norm(struct chebyshev *c) {
  if (c->longest) {
    op_par_loop(norm_row, "norm_row", c->nodes,
                op2_arg_row_length(c->neighbours), CHEB_ROW(c->weight, c->own),
                CHEB_ROW(c->u, c->neighbours), CHEB_OWN(c->b, OP_READ),
                CHEB_OWN(c->diagonal, OP_READ), CHEB_OWN(c->u, OP_READ),
                op2_arg_gbl(c->rms, 1, "double", OP_INC));
    return;
  }
  chebyshev_exchange(c);
  op_par_loop(norm, "norm", c->nodes, CHEB_OWN(c->b, OP_READ),
              CHEB_OWN(c->diagonal, OP_READ), CHEB_OWN(c->u, OP_READ),
              CHEB_OWN(c->flow, OP_RW),
              op2_arg_gbl(c->rms, 1, "double", OP_INC));
}

/* Of what is left. */
static inline double
chebyshev_rms(struct chebyshev *c) {
  double sum = 0;
  op2_gbl_set(c->rms, &sum);
  chebyshev_norm(c);
  op2_gbl_get(c->rms, &sum);
  return sqrt(sum / (double)op_get_size(c->nodes));
}

#endif
