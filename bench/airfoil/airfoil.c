/* Airfoil against OP2's API, in C, as an OP2 user writes it. The mesh is made here, or
 * read from a text file, or, as OP2's airfoil_hdf5 does, from an HDF5 file (--mesh
 * FILE.h5), which --dump writes. */
#include <stdlib.h>
#include <string.h>

#include "op2.h"

#include "../common.h"
#include "kernels.h"
#include "mesh.h"
#include "verdict.h"

struct flow {
  op_set nodes, cells, edges, bedges;
  op_map pecell, pedge, pbecell, pbedge, pcell;
  op_dat x, q, qold, adt, res, bound;
};

static void
flow_declare_maps(struct flow *f, struct mesh *m) {
  f->nodes = op_decl_set(m->nnode, "nodes");
  f->cells = op_decl_set(m->ncell, "cells");
  f->edges = op_decl_set(m->nedge, "edges");
  f->bedges = op_decl_set(m->nbedge, "bedges");
  f->pcell = op_decl_map(f->cells, f->nodes, 4, m->cell_node, "pcell");
  f->pedge = op_decl_map(f->edges, f->nodes, 2, m->edge_node, "pedge");
  f->pecell = op_decl_map(f->edges, f->cells, 2, m->edge_cell, "pecell");
  f->pbedge = op_decl_map(f->bedges, f->nodes, 2, m->bedge_node, "pbedge");
  f->pbecell = op_decl_map(f->bedges, f->cells, 1, m->bedge_cell, "pbecell");
}

static void
flow_declare(struct flow *f, struct mesh *m) {
  double *q = malloc(4 * sizeof(double) * (size_t)m->ncell);
  flow_declare_maps(f, m);
  for (int i = 0; i < 4 * m->ncell; i++) q[i] = qinf[i % 4];
  f->x = op_decl_dat(f->nodes, 2, "double", m->x, "p_x");
  f->q = op_decl_dat(f->cells, 4, "double", q, "p_q");
  f->qold = op_decl_dat(f->cells, 4, "double", (double *)NULL, "p_qold");
  f->adt = op_decl_dat(f->cells, 1, "double", (double *)NULL, "p_adt");
  f->res = op_decl_dat(f->cells, 4, "double", (double *)NULL, "p_res");
  f->bound = op_decl_dat(f->bedges, 1, "int", m->bedge_type, "p_bound");
  free(q);
  op_decl_const(1, "double", &gam);
  op_decl_const(1, "double", &gm1);
  op_decl_const(1, "double", &cfl);
  op_decl_const(1, "double", &eps);
  op_decl_const(4, "double", qinf);
}

/* The names and files are those of OP2's airfoil_hdf5. */
static const struct constant {
  const char *name;
  int dim;
  double *value;
} constants[] = {{"gam", 1, &gam}, {"gm1", 1, &gm1},   {"cfl", 1, &cfl},
                 {"eps", 1, &eps}, {"mach", 1, &mach}, {"qinf", 4, qinf}};
enum { NCONSTANTS = sizeof constants / sizeof *constants };

static void
flow_dump(const char *file) {
  double begin = bench_seconds();
  op_dump_to_hdf5(file);
  for (int i = 0; i < NCONSTANTS; i++)
    op_write_const_hdf5(constants[i].name, constants[i].dim, "double",
                        (char *)constants[i].value, file);
  op_printf("wrote %s: %.2f s\n", file, bench_seconds() - begin);
}

static void
flow_read(struct flow *f, const char *file) {
  f->nodes = op_decl_set_hdf5(file, "nodes");
  f->cells = op_decl_set_hdf5(file, "cells");
  f->edges = op_decl_set_hdf5(file, "edges");
  f->bedges = op_decl_set_hdf5(file, "bedges");
  f->pcell = op_decl_map_hdf5(f->cells, f->nodes, 4, file, "pcell");
  f->pedge = op_decl_map_hdf5(f->edges, f->nodes, 2, file, "pedge");
  f->pecell = op_decl_map_hdf5(f->edges, f->cells, 2, file, "pecell");
  f->pbedge = op_decl_map_hdf5(f->bedges, f->nodes, 2, file, "pbedge");
  f->pbecell = op_decl_map_hdf5(f->bedges, f->cells, 1, file, "pbecell");
  f->x = op_decl_dat_hdf5(f->nodes, 2, "double", file, "p_x");
  f->q = op_decl_dat_hdf5(f->cells, 4, "double", file, "p_q");
  f->qold = op_decl_dat_hdf5(f->cells, 4, "double", file, "p_qold");
  f->adt = op_decl_dat_hdf5(f->cells, 1, "double", file, "p_adt");
  f->res = op_decl_dat_hdf5(f->cells, 4, "double", file, "p_res");
  f->bound = op_decl_dat_hdf5(f->bedges, 1, "int", file, "p_bound");
  for (int i = 0; i < NCONSTANTS; i++) {
    op_get_const_hdf5(constants[i].name, constants[i].dim, "double",
                      (char *)constants[i].value, file);
    op_decl_const(constants[i].dim, "double", constants[i].value);
  }
}

static bool
is_hdf5(const char *file) {
  const char *dot = file ? strrchr(file, '.') : NULL;
  return dot && !strcmp(dot, ".h5");
}

/* Mesh and data from wherever the options say. */
static bool
flow_start(struct flow *f, const struct bench_options *o) {
  struct mesh m;
  double begin = bench_seconds();
  if (is_hdf5(o->mesh)) {
    flow_read(f, o->mesh);
    op_printf("read %s: %.2f s\n", o->mesh, bench_seconds() - begin);
    return true;
  }
  if (!o->mesh)
    mesh_make(&m, o->size[0], o->size[1]);
  else if (!mesh_read(&m, o->mesh))
    return false;
  if (o->shuffle) mesh_shuffle(&m, (unsigned)o->shuffle);
  airfoil_constants();
  flow_declare(f, &m);
  mesh_clear(&m);
  return true;
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

static double
flow_step(struct flow *f) {
  double rms = 0.0;
  op_par_loop(save_soln, "save_soln", f->cells,
              op_arg_dat(f->q, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(f->qold, -1, OP_ID, 4, "double", OP_WRITE));
  for (int k = 0; k < 2; k++) {
    rms = 0.0;
    flow_fluxes(f);
    op_par_loop(update, "update", f->cells,
                op_arg_dat(f->qold, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(f->q, -1, OP_ID, 4, "double", OP_WRITE),
                op_arg_dat(f->res, -1, OP_ID, 4, "double", OP_RW),
                op_arg_dat(f->adt, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&rms, 1, "double", OP_INC));
  }
  return sqrt(rms / (double)op_get_size(f->cells));
}

static double
run(struct flow *f, const struct bench_options *o, struct bench_timer *t) {
  double rms = 0.0;
  bench_timer_start(t, o->warmup);
  for (int iter = 1; iter <= o->iters; iter++) {
    bench_iteration(t);
    rms = flow_step(f);
    bench_progress(iter, o->iters);
    if (iter % 100 == 0) op_printf("%6d  %10.5e\n", iter, rms);
  }
  bench_iteration(t);
  return rms;
}

int
main(int argc, char **argv) {
  struct bench_options o = {.size = {400, 600}, .iters = 1000, .warmup = 3};
  struct flow f;
  struct bench_timer t;
  op_init(argc, argv, 2);
  bench_speaks(op_is_root());
  if (!bench_parse(&o, argc, argv) || !flow_start(&f, &o)) return 2;
  if (o.dump) flow_dump(o.dump);
  if (o.partition) op_partition(o.partition, "KWAY", f.edges, f.pecell, f.x);
  int ncell = (int)op_get_size(f.cells);
  double rms = run(&f, &o, &t);
  op_timing_output();
  int wrong = airfoil_verdict(ncell, o.iters, rms);
  bench_result(argv[0], &o, bench_threads(), &t, rms);
  op_exit();
  return wrong;
}
