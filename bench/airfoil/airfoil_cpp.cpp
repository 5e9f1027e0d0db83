/* Airfoil in C++, newest form: kernels in headers, the largest del^2 by OP_MAX
 * and its cell by op_arg_idx and op_arg_info. The place is checked against the
 * fields themselves after the last iteration. */
#include <cmath>
#include <cstdio>
#include <vector>

#include "op2.h"

#include "../common.h"
#include "kernels.h"
#include "mesh.h"
#include "update.hpp"
#include "verdict.h"

namespace {

struct Flow {
  op_set nodes, cells, edges, bedges;
  op_map pecell, pedge, pbecell, pbedge, pcell;
  op_dat x, q, qold, adt, res, bound;
};

struct Change {
  double rms, max_del;
  int max_cell;
};

void
declare_maps(Flow &f, mesh &m) {
  f.nodes = op_decl_set(m.nnode, "nodes");
  f.cells = op_decl_set(m.ncell, "cells");
  f.edges = op_decl_set(m.nedge, "edges");
  f.bedges = op_decl_set(m.nbedge, "bedges");
  f.pcell = op_decl_map(f.cells, f.nodes, 4, m.cell_node, "pcell");
  f.pedge = op_decl_map(f.edges, f.nodes, 2, m.edge_node, "pedge");
  f.pecell = op_decl_map(f.edges, f.cells, 2, m.edge_cell, "pecell");
  f.pbedge = op_decl_map(f.bedges, f.nodes, 2, m.bedge_node, "pbedge");
  f.pbecell = op_decl_map(f.bedges, f.cells, 1, m.bedge_cell, "pbecell");
}

Flow
declare(mesh &m) {
  Flow f;
  std::vector<double> q(4 * std::size_t(m.ncell));
  for (std::size_t i = 0; i < q.size(); i++) q[i] = qinf[i % 4];
  double *none = nullptr;
  declare_maps(f, m);
  f.x = op_decl_dat(f.nodes, 2, "double", m.x, "p_x");
  f.q = op_decl_dat(f.cells, 4, "double", q.data(), "p_q");
  f.qold = op_decl_dat(f.cells, 4, "double", none, "p_qold");
  f.adt = op_decl_dat(f.cells, 1, "double", none, "p_adt");
  f.res = op_decl_dat(f.cells, 4, "double", none, "p_res");
  f.bound = op_decl_dat(f.bedges, 1, "int", m.bedge_type, "p_bound");
  op_decl_const(1, "double", &gam);
  op_decl_const(1, "double", &gm1);
  op_decl_const(1, "double", &cfl);
  op_decl_const(1, "double", &eps);
  op_decl_const(4, "double", qinf);
  return f;
}

void
fluxes(Flow &f) {
  op_par_loop(adt_calc, "adt_calc", f.cells,
              op_arg_dat(f.x, 0, f.pcell, 2, "double", OP_READ),
              op_arg_dat(f.x, 1, f.pcell, 2, "double", OP_READ),
              op_arg_dat(f.x, 2, f.pcell, 2, "double", OP_READ),
              op_arg_dat(f.x, 3, f.pcell, 2, "double", OP_READ),
              op_arg_dat(f.q, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(f.adt, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(res_calc, "res_calc", f.edges,
              op_arg_dat(f.x, 0, f.pedge, 2, "double", OP_READ),
              op_arg_dat(f.x, 1, f.pedge, 2, "double", OP_READ),
              op_arg_dat(f.q, 0, f.pecell, 4, "double", OP_READ),
              op_arg_dat(f.q, 1, f.pecell, 4, "double", OP_READ),
              op_arg_dat(f.adt, 0, f.pecell, 1, "double", OP_READ),
              op_arg_dat(f.adt, 1, f.pecell, 1, "double", OP_READ),
              op_arg_dat(f.res, 0, f.pecell, 4, "double", OP_INC),
              op_arg_dat(f.res, 1, f.pecell, 4, "double", OP_INC));
  op_par_loop(bres_calc, "bres_calc", f.bedges,
              op_arg_dat(f.x, 0, f.pbedge, 2, "double", OP_READ),
              op_arg_dat(f.x, 1, f.pbedge, 2, "double", OP_READ),
              op_arg_dat(f.q, 0, f.pbecell, 4, "double", OP_READ),
              op_arg_dat(f.adt, 0, f.pbecell, 1, "double", OP_READ),
              op_arg_dat(f.res, 0, f.pbecell, 4, "double", OP_INC),
              op_arg_dat(f.bound, -1, OP_ID, 1, "int", OP_READ));
}

Change
step(Flow &f) {
  Change c = {};
  op_par_loop(save_soln, "save_soln", f.cells,
              op_arg_dat(f.q, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(f.qold, -1, OP_ID, 4, "double", OP_WRITE));
  for (int k = 0; k < 2; k++) {
    c = {0.0, 0.0, -1};
    fluxes(f);
    op_par_loop(update_max, "update_max", f.cells,
                op_arg_dat(f.qold, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(f.q, -1, OP_ID, 4, "double", OP_WRITE),
                op_arg_dat(f.res, -1, OP_ID, 4, "double", OP_RW),
                op_arg_dat(f.adt, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&c.rms, 1, "double", OP_INC),
                op_arg_gbl(&c.max_del, 1, "double", OP_MAX),
                op_arg_idx(-1, OP_ID), op_arg_info(&c.max_cell, 1, "int", 5));
  }
  c.rms = std::sqrt(c.rms / double(op_get_size(f.cells)));
  return c;
}

Change
run(Flow &f, const bench_options &o, bench_timer &t) {
  Change c = {};
  bench_timer_start(&t, o.warmup);
  for (int iter = 1; iter <= o.iters; iter++) {
    bench_iteration(&t);
    c = step(f);
    bench_progress(iter, o.iters);
    if (iter % 100 == 0)
      op_printf("%6d  %10.5e  %10.5e in cell %d\n", iter, c.rms, c.max_del,
                c.max_cell);
  }
  bench_iteration(&t);
  return c;
}

/* Largest component of (qold - q)^2 in cell e. */
double
cell_change(const std::vector<double> &q, const std::vector<double> &qold,
            std::size_t e) {
  double most = 0.0;
  for (std::size_t i = 4 * e; i < 4 * e + 4; i++)
    most = std::fmax(most, (qold[i] - q[i]) * (qold[i] - q[i]));
  return most;
}

/* Is the reported cell the one that changed most? del was rounded when it was
 * taken off qold: cells within that rounding count as equal. */
bool
place_is_right(Flow &f, const Change &c) {
  std::size_t n = std::size_t(op_get_size(f.cells));
  std::vector<double> q(4 * n), qold(4 * n);
  op_fetch_data(f.q, q.data());
  op_fetch_data(f.qold, qold.data());
  double most = 0.0;
  for (std::size_t e = 0; e < n; e++)
    most = std::fmax(most, cell_change(q, qold, e));
  bool right = c.max_cell >= 0 && std::size_t(c.max_cell) < n;
  double there = right ? cell_change(q, qold, std::size_t(c.max_cell)) : -1;
  double rounding = 1e-14 * std::sqrt(most) + 1e-9 * most;
  right = right && std::fabs(there - most) <= rounding &&
          std::fabs(c.max_del - most) <= rounding;
  std::printf("largest change %.6e in cell %d: %s\n", c.max_del, c.max_cell,
              right ? "right" : "WRONG");
  return right;
}

} // namespace

int
main(int argc, char **argv) {
  bench_options o = {};
  mesh m;
  bench_timer t;
  o.size[0] = 400;
  o.size[1] = 600;
  o.iters = 1000;
  o.warmup = 3;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv)) return 2;
  if (!o.mesh)
    mesh_make(&m, o.size[0], o.size[1]);
  else if (!mesh_read(&m, o.mesh))
    return 2;
  if (o.shuffle) mesh_shuffle(&m, unsigned(o.shuffle));
  airfoil_constants();
  Flow f = declare(m);
  int ncell = m.ncell;
  mesh_clear(&m);
  Change c = run(f, o, t);
  op_timing_output();
  int wrong = airfoil_verdict(ncell, o.iters, c.rms);
  if (!place_is_right(f, c)) wrong = 1;
  bench_result(argv[0], &o, bench_threads(), &t, c.rms);
  op_exit();
  return wrong;
}
