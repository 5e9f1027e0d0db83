/* Long rows that are written anew, in memory, by loops that run past the rank's own
 * elements: all that was known of the buffer's old values is over, so that no rank
 * asks for an exchange. Two dats take turns in buffers which only rank 0 has of one
 * size.
 *
 * RUN: 2 OP2_DECLARE=whole OP2_CHECK=1
 * RUN: 2 OP2_DECLARE=whole OP2_PLACE=0
 * RUN: 3 OP2_DECLARE=whole
 */
#include <stdio.h>
#include <string.h>

#include "op2.h"

enum { EDGES = 400, BARS = 250, NODES = 401, LONG = 202, HALF = 101 };

static void
flux(const int *a, int *f, int *r0, int *r1) {
  for (int k = 0; k < LONG; k++) {
    f[k] = a[k % 3] + k;
    r0[k] += 1;
    r1[k] -= 2;
  }
}
static void
bars(const int *a, double *h, int *r0, int *r1) {
  for (int k = 0; k < HALF; k++) {
    h[k] = a[k % 3] + k;
    r0[k] += 1;
    r1[k] -= 2;
  }
}
static void
use_half(const double *h, int *r0, int *r1) {
  for (int k = 0; k < HALF; k++) {
    r0[k] += (int)h[k];
    r1[k] -= (int)h[k];
  }
}
static void
use(const int *f, int *r0, int *r1) {
  for (int k = 0; k < LONG; k++) {
    r0[k] += f[k];
    r1[k] -= f[k];
  }
}
static void
far(const int *f, int *z) {
  *z += f[1];
}

static struct {
  op_set edges, bars, nodes;
  op_map ends, bar_ends, edge;
  op_dat r, q, z;
} mesh;
static int table[2 * EDGES], edge_of[NODES], r[NODES * LONG], q[NODES * 3],
    z[NODES];

static void
declare(void) {
  for (int e = 0; e < EDGES; e++) table[2 * e] = e, table[2 * e + 1] = e + 1;
  for (int k = 0; k < NODES * 3; k++) q[k] = k % 101;
  for (int k = 0; k < NODES; k++) edge_of[k] = k < EDGES ? k : EDGES - 1;
  mesh.edges = op_decl_set(EDGES, "edges");
  mesh.nodes = op_decl_set(NODES, "nodes");
  mesh.bars = op_decl_set(BARS, "bars");
  mesh.ends = op_decl_map(mesh.edges, mesh.nodes, 2, table, "ends");
  mesh.bar_ends = op_decl_map(mesh.bars, mesh.nodes, 2, table, "bar_ends");
  mesh.edge = op_decl_map(mesh.nodes, mesh.edges, 1, edge_of, "edge");
  mesh.r = op_decl_dat(mesh.nodes, LONG, "int", r, "r");
  mesh.q = op_decl_dat(mesh.nodes, 3, "int", q, "q");
  mesh.z = op_decl_dat(mesh.nodes, 1, "int", z, "z");
}

static void
halves(void) {
  op_dat h = op_decl_dat_temp(mesh.bars, HALF, "double", (double *)NULL, "h");
  op_par_loop(bars, "bars", mesh.bars,
              op_arg_dat(mesh.q, 0, mesh.bar_ends, 3, "int", OP_READ),
              op_arg_dat(h, -1, OP_ID, HALF, "double", OP_WRITE),
              op_arg_dat(mesh.r, 0, mesh.bar_ends, LONG, "int", OP_INC),
              op_arg_dat(mesh.r, 1, mesh.bar_ends, LONG, "int", OP_INC));
  op2_flush();
  op_par_loop(use_half, "use_half", mesh.bars,
              op_arg_dat(h, -1, OP_ID, HALF, "double", OP_READ),
              op_arg_dat(mesh.r, 0, mesh.bar_ends, LONG, "int", OP_INC),
              op_arg_dat(mesh.r, 1, mesh.bar_ends, LONG, "int", OP_INC));
  op2_flush();
  op_free_dat_temp(h);
}

/* Returns how many exchanges `use` made. */
static long long
wholes(void) {
  op_dat f = op_decl_dat_temp(mesh.edges, LONG, "int", (int *)NULL, "f");
  op_par_loop(flux, "flux", mesh.edges,
              op_arg_dat(mesh.q, 0, mesh.ends, 3, "int", OP_READ),
              op_arg_dat(f, -1, OP_ID, LONG, "int", OP_WRITE),
              op_arg_dat(mesh.r, 0, mesh.ends, LONG, "int", OP_INC),
              op_arg_dat(mesh.r, 1, mesh.ends, LONG, "int", OP_INC));
  op_par_loop(far, "far", mesh.nodes,
              op_arg_dat(f, 0, mesh.edge, LONG, "int", OP_READ),
              op_arg_dat(mesh.z, -1, OP_ID, 1, "int", OP_RW));
  op2_flush();
  long long before = (long long)op2_counter("exchanges");
  op_par_loop(use, "use", mesh.edges,
              op_arg_dat(f, -1, OP_ID, LONG, "int", OP_READ),
              op_arg_dat(mesh.r, 0, mesh.ends, LONG, "int", OP_INC),
              op_arg_dat(mesh.r, 1, mesh.ends, LONG, "int", OP_INC));
  op2_flush();
  op_free_dat_temp(f);
  return (long long)op2_counter("exchanges") - before;
}

/* What the same loops give, one after another. */
static void
expect(int *want, const int *a, int steps) {
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < LONG; k++) {
      int once = a[3 * e + k % 3] + k;
      want[e * LONG + k] += steps * (1 + once);
      want[(e + 1) * LONG + k] -= steps * (2 + once);
      if (e >= BARS || k >= HALF) continue;
      want[e * LONG + k] += steps * (1 + once);
      want[(e + 1) * LONG + k] -= steps * (2 + once);
    }
}

int
main(int argc, char **argv) {
  enum { STEPS = 3 };
  static int want[NODES * LONG], a[NODES * 3];
  long long exchanges = 0;
  op_init(argc, argv, 0);
  declare();
  memcpy(a, q, sizeof q);
  for (int step = 0; step < STEPS; step++) {
    halves();
    exchanges += wholes();
  }
  op_fetch_data(mesh.r, r);
  expect(want, a, STEPS);
  int wrong = memcmp(r, want, sizeof want) != 0;
  if (wrong) printf("other sums\n");
  if (exchanges) printf("%lld exchanges, expected none\n", exchanges);
  op_exit();
  if (!wrong && !exchanges) printf("ok\n");
  return wrong || exchanges;
}
