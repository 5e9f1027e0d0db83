/* Heat in a plate with a hole: finite volumes on triangles, explicit steps.
 *
 *   heat [plate.h5 [heat.vtkhdf]]
 *
 * The hole's rim is hot (1), the right side cold (0), all else lets no heat
 * through. doc/tutorial.md makes this program step by step. */
#include "op2.h"

enum { HOT = 1, COLD = 2 }; /* physical groups of plate.geo */
enum { STEPS = 24000, PICTURE = 4000 };

/* ---- kernels ------------------------------------------------------------- */

static void
centre(const double *a, const double *b, const double *c, double *m) {
  for (int k = 0; k < 2; k++) m[k] = (a[k] + b[k] + c[k]) / 3;
}

/* What a difference of 1 between two places drives through an edge between
 * them: its length over their distance across it. */
static double
conductance(const double *normal, const double *from, const double *to) {
  double across = normal[0] * (to[0] - from[0]) + normal[1] * (to[1] - from[1]);
  return (normal[0] * normal[0] + normal[1] * normal[1]) / across;
}

static void
conduct(const double *normal, const double *m0, const double *m1, double *g,
        double *sum0, double *sum1) {
  *g = conductance(normal, m0, m1);
  *sum0 += *g;
  *sum1 += *g;
}

static void
conduct_out(const int *tag, const double *normal, const double *m,
            const double *end, double *g, double *sum) {
  *g = *tag == HOT || *tag == COLD ? conductance(normal, m, end) : 0;
  *sum += *g;
}

static void
limit(const double *area, const double *sum, double *dt) {
  double most = 0.9 * *area / *sum;
  *dt = most < *dt ? most : *dt;
}

static void
flow(const double *g, const double *u0, const double *u1, double *gain0,
     double *gain1) {
  double f = *g * (*u1 - *u0);
  *gain0 += f;
  *gain1 -= f;
}

static void
flow_in(const int *tag, const double *g, const double *u, double *gain) {
  *gain += *g * ((*tag == HOT) - *u);
}

static void
advance(const double *dt, const double *area, double *gain, double *u) {
  *u += *dt / *area * *gain;
  *gain = 0;
}

static void
measure(const int *tag, const double *g, const double *u, double *in) {
  in[*tag == HOT ? 0 : 1] += *g * ((*tag == HOT) - *u);
}

/* ---- the program --------------------------------------------------------- */

int
main(int argc, char **argv) {
  const char *mesh = argc > 1 ? argv[1] : "plate.h5";
  const char *pictures = argc > 2 ? argv[2] : "heat.vtkhdf";
  op_init(argc, argv, 0);

  /* the mesh */
  op_set nodes = op_decl_set_hdf5(mesh, "nodes");
  op_set cells = op_decl_set_hdf5(mesh, "cells");
  op_set edges = op_decl_set_hdf5(mesh, "edges");
  op_set bedges = op_decl_set_hdf5(mesh, "bedges");
  op_map cell_nodes = op_decl_map_hdf5(cells, nodes, 3, mesh, "cell_nodes");
  op_map edge_cells = op_decl_map_hdf5(edges, cells, 2, mesh, "edge_cells");
  op_map bedge_cells = op_decl_map_hdf5(bedges, cells, 1, mesh, "bedge_cells");
  op_map bedge_nodes = op_decl_map_hdf5(bedges, nodes, 2, mesh, "bedge_nodes");
  op_dat x = op_decl_dat_hdf5(nodes, 2, "double", mesh, "x");
  op_dat area = op_decl_dat_hdf5(cells, 1, "double", mesh, "cell_area");
  op_dat normal = op_decl_dat_hdf5(edges, 2, "double", mesh, "edge_normal");
  op_dat bnormal = op_decl_dat_hdf5(bedges, 2, "double", mesh, "bedge_normal");
  op_dat tag = op_decl_dat_hdf5(bedges, 1, "int", mesh, "bedge_tag");

  /* what the steps need besides: all of it begins at zero */
  double *zero = NULL;
  op_dat u = op_decl_dat(cells, 1, "double", zero, "u");
  op_dat gain = op_decl_dat(cells, 1, "double", zero, "gain");
  op_dat g = op_decl_dat(edges, 1, "double", zero, "g");
  op_dat bg = op_decl_dat(bedges, 1, "double", zero, "bg");
  op_dat middle = op_decl_dat(cells, 2, "double", zero, "middle");
  op_dat sum = op_decl_dat(cells, 1, "double", zero, "sum");

  /* once: how well edges conduct, and how long a step may be */
  double dt = 1;
  op_par_loop(centre, "centre", cells,
              op_arg_dat(x, 0, cell_nodes, 2, "double", OP_READ),
              op_arg_dat(x, 1, cell_nodes, 2, "double", OP_READ),
              op_arg_dat(x, 2, cell_nodes, 2, "double", OP_READ),
              op_arg_dat(middle, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(conduct, "conduct", edges,
              op_arg_dat(normal, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(middle, 0, edge_cells, 2, "double", OP_READ),
              op_arg_dat(middle, 1, edge_cells, 2, "double", OP_READ),
              op_arg_dat(g, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(sum, 0, edge_cells, 1, "double", OP_INC),
              op_arg_dat(sum, 1, edge_cells, 1, "double", OP_INC));
  op_par_loop(conduct_out, "conduct_out", bedges,
              op_arg_dat(tag, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(bnormal, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(middle, 0, bedge_cells, 2, "double", OP_READ),
              op_arg_dat(x, 0, bedge_nodes, 2, "double", OP_READ),
              op_arg_dat(bg, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_dat(sum, 0, bedge_cells, 1, "double", OP_INC));
  op_par_loop(limit, "limit", cells,
              op_arg_dat(area, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&dt, 1, "double", OP_MIN));

  for (int step = 0; step <= STEPS; step++) {
    /* now and then: a look, and a picture */
    if (step % PICTURE == 0) {
      double in[2] = {0, 0}; /* through the rim, through the cold side */
      op_par_loop(measure, "measure", bedges,
                  op_arg_dat(tag, -1, OP_ID, 1, "int", OP_READ),
                  op_arg_dat(bg, -1, OP_ID, 1, "double", OP_READ),
                  op_arg_dat(u, 0, bedge_cells, 1, "double", OP_READ),
                  op_arg_gbl(in, 2, "double", OP_INC));
      op_printf("time %.3f: %.3f in, %.3f out\n", step * dt, in[0], 0 - in[1]);
      if (op2_write_vtk(pictures, step * dt, cell_nodes, 0, x, 1, &u)) {
        op_printf("%s\n", op2_last_error());
        return 1;
      }
    }
    /* a step */
    op_par_loop(flow, "flow", edges,
                op_arg_dat(g, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(u, 0, edge_cells, 1, "double", OP_READ),
                op_arg_dat(u, 1, edge_cells, 1, "double", OP_READ),
                op_arg_dat(gain, 0, edge_cells, 1, "double", OP_INC),
                op_arg_dat(gain, 1, edge_cells, 1, "double", OP_INC));
    op_par_loop(flow_in, "flow_in", bedges,
                op_arg_dat(tag, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(bg, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(u, 0, bedge_cells, 1, "double", OP_READ),
                op_arg_dat(gain, 0, bedge_cells, 1, "double", OP_INC));
    op_par_loop(advance, "advance", cells,
                op_arg_gbl(&dt, 1, "double", OP_READ),
                op_arg_dat(area, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(gain, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(u, -1, OP_ID, 1, "double", OP_RW));
  }
  op_exit();
  return 0;
}
