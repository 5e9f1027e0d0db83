/* Airfoil with deferred globals: nothing runs until somebody asks. rms is a
 * handle, set and summed like a dat, and looked at once in --flush-every
 * steps. */
#include <stdlib.h>

#include "op2.h"

#include "../common.h"
#include "kernels.h"
#include "mesh.h"
#include "verdict.h"

struct flow {
  op_set cells, edges, bedges;
  op_map pecell, pedge, pbecell, pbedge, pcell;
  op_dat x, q, qold, adt, res, bound;
  op2_gbl rms;
};

static void
flow_declare_maps(struct flow *f, struct mesh *m, op_set nodes) {
  f->cells = op_decl_set(m->ncell, "cells");
  f->edges = op_decl_set(m->nedge, "edges");
  f->bedges = op_decl_set(m->nbedge, "bedges");
  f->pcell = op_decl_map(f->cells, nodes, 4, m->cell_node, "pcell");
  f->pedge = op_decl_map(f->edges, nodes, 2, m->edge_node, "pedge");
  f->pecell = op_decl_map(f->edges, f->cells, 2, m->edge_cell, "pecell");
  f->pbedge = op_decl_map(f->bedges, nodes, 2, m->bedge_node, "pbedge");
  f->pbecell = op_decl_map(f->bedges, f->cells, 1, m->bedge_cell, "pbecell");
}

static void
flow_declare(struct flow *f, struct mesh *m) {
  double *q = malloc(4 * sizeof(double) * (size_t)m->ncell);
  op_set nodes = op_decl_set(m->nnode, "nodes");
  flow_declare_maps(f, m, nodes);
  for (int i = 0; i < 4 * m->ncell; i++) q[i] = qinf[i % 4];
  f->x = op_decl_dat(nodes, 2, "double", m->x, "p_x");
  f->q = op_decl_dat(f->cells, 4, "double", q, "p_q");
  f->qold = op_decl_dat(f->cells, 4, "double", (double *)NULL, "p_qold");
  f->adt = op_decl_dat(f->cells, 1, "double", (double *)NULL, "p_adt");
  f->res = op_decl_dat(f->cells, 4, "double", (double *)NULL, "p_res");
  f->bound = op_decl_dat(f->bedges, 1, "int", m->bedge_type, "p_bound");
  f->rms = op2_decl_gbl(1, "double", NULL, "rms");
  free(q);
}

static void
flow_fluxes(struct flow *f) {
  op_par_loop(adt_calc, "adt_calc", f->cells,
              op_arg_dat(f->x, 0, f->pcell, 2, "double", OP_READ),
              op_arg_dat(f->x, 1, f->pcell, 2, "double", OP_READ),
              op_arg_dat(f->x, 2, f->pcell, 2, "double", OP_READ),
              op_arg_dat(f->x, 3, f->pcell, 2, "double", OP_READ),
              op_arg_dat(f->q, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(f->adt, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(res_calc, "res_calc", f->edges,
              op_arg_dat(f->x, 0, f->pedge, 2, "double", OP_READ),
              op_arg_dat(f->x, 1, f->pedge, 2, "double", OP_READ),
              op_arg_dat(f->q, 0, f->pecell, 4, "double", OP_READ),
              op_arg_dat(f->q, 1, f->pecell, 4, "double", OP_READ),
              op_arg_dat(f->adt, 0, f->pecell, 1, "double", OP_READ),
              op_arg_dat(f->adt, 1, f->pecell, 1, "double", OP_READ),
              op_arg_dat(f->res, 0, f->pecell, 4, "double", OP_INC),
              op_arg_dat(f->res, 1, f->pecell, 4, "double", OP_INC));
  op_par_loop(bres_calc, "bres_calc", f->bedges,
              op_arg_dat(f->x, 0, f->pbedge, 2, "double", OP_READ),
              op_arg_dat(f->x, 1, f->pbedge, 2, "double", OP_READ),
              op_arg_dat(f->q, 0, f->pbecell, 4, "double", OP_READ),
              op_arg_dat(f->adt, 0, f->pbecell, 1, "double", OP_READ),
              op_arg_dat(f->res, 0, f->pbecell, 4, "double", OP_INC),
              op_arg_dat(f->bound, -1, OP_ID, 1, "int", OP_READ));
}

static void
flow_step(struct flow *f) {
  const double zero = 0.0;
  op_par_loop(save_soln, "save_soln", f->cells,
              op_arg_dat(f->q, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(f->qold, -1, OP_ID, 4, "double", OP_WRITE));
  for (int k = 0; k < 2; k++) {
    flow_fluxes(f);
    op2_gbl_set(f->rms, &zero);
    op_par_loop(update, "update", f->cells,
                op_arg_dat(f->qold, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(f->q, -1, OP_ID, 4, "double", OP_WRITE),
                op_arg_dat(f->res, -1, OP_ID, 4, "double", OP_RW),
                op_arg_dat(f->adt, -1, OP_ID, 1, "double", OP_READ),
                op2_arg_gbl(f->rms, 1, "double", OP_INC));
  }
}

static double
flow_rms(struct flow *f) {
  double rms;
  op2_flush();
  op2_gbl_get(f->rms, &rms);
  return sqrt(rms / (double)op_get_size(f->cells));
}

/* Flush where the warm-up ends, too, or its work would be timed. */
static bool
looks_at(const struct bench_options *o, int iter) {
  return iter % o->flush_every == 0 || iter == o->warmup || iter == o->iters;
}

static double
run(struct flow *f, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0.0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    flow_step(f);
    bench_progress(iter, o->iters);
    if (!looks_at(o, iter)) continue;
    rms = flow_rms(f);
    if (iter % 100 == 0) op_printf("%6d  %10.5e\n", iter, rms);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {400, 600}, .iters = 1000, .warmup = 100};
  struct mesh m;
  struct flow f;
  struct bench_timer t;
  o.flush_every = 100;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  if (o.flush_every < 1) o.flush_every = o.iters;
  if (!o.mesh)
    mesh_make(&m, o.size[0], o.size[1]);
  else if (!mesh_read(&m, o.mesh))
    return 2;
  if (o.shuffle) mesh_shuffle(&m, (unsigned)o.shuffle);
  airfoil_constants();
  flow_declare(&f, &m);
  if (o.partition) op_partition(o.partition, "KWAY", f.edges, f.pecell, f.x);
  int ncell = m.ncell;
  mesh_clear(&m);
  double rms = run(&f, &o, &t);
  op_timing_output();
  int wrong = airfoil_verdict(ncell, o.iters, rms);
  bench_result(argv[0], &o, bench_threads(), &t, rms);
  op_exit();
  return wrong;
}
