/* Reads through maps beside increments, which blocks of a device may take by way of
 * local memory (OP2_READS): through the entries that are added to and through others of
 * the same map, of several types, and with zeros whose sign shows where one adds to what
 * is only read; and a sum, whose parts take the same memory when blocks are done. */
#include "check.h"

enum { NODES = 700, EDGES = 2100 };

static void
gather(const double *far, const double *w, double *to) {
  *to += *w * far[0] - far[1];
}
static void
both(const double *a0, const double *a1, const float *f, const int *i,
     double *b0, double *b1, double *sum) {
  *sum += *a0 + *i;
  *b0 += *a0 - *a1 + *f;
  *b1 += *a1 - *a0 - *i;
}

static int map[3 * EDGES];
static double a[2 * NODES], b[NODES], w[EDGES], out[NODES];
static float f[NODES];
static int n[NODES];

/* Nodes from 600 on are read and never added to. */
static void
make(void) {
  for (int e = 0; e < EDGES; e++) {
    map[3 * e] = (e / 3 + e % 7) % 600;
    map[3 * e + 1] = (e / 3 + 11) % 600;
    map[3 * e + 2] = 600 + e % 100;
    w[e] = e % 5 - 2;
  }
  for (int k = 0; k < NODES; k++) {
    a[2 * k] = k % 13 - 6;
    a[2 * k + 1] = k % 3;
    b[k] = -0.0;
    f[k] = (float)(k % 4);
    n[k] = k % 9;
  }
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  make();
  op_set nodes = op_decl_set(NODES, "nodes");
  op_set edges = op_decl_set(EDGES, "edges");
  op_map m = op_decl_map(edges, nodes, 3, map, "m");
  op_dat da = op_decl_dat(nodes, 2, "double", a, "a");
  op_dat db = op_decl_dat(nodes, 1, "double", b, "b");
  op_dat dw = op_decl_dat(edges, 1, "double", w, "w");
  op_dat df = op_decl_dat(nodes, 1, "float", f, "f");
  op_dat dn = op_decl_dat(nodes, 1, "int", n, "n");
  double sum = 0, want = 0;
  for (int k = 0; k < 3; k++) {
    op_par_loop(gather, "gather", edges,
                op_arg_dat(da, 2, m, 2, "double", OP_READ),
                op_arg_dat(dw, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(db, 0, m, 1, "double", OP_INC));
    op2_flush();
    op_par_loop(both, "both", edges, op_arg_dat(da, 0, m, 2, "double", OP_READ),
                op_arg_dat(da, 1, m, 2, "double", OP_READ),
                op_arg_dat(df, 2, m, 1, "float", OP_READ),
                op_arg_dat(dn, 0, m, 1, "int", OP_READ),
                op_arg_dat(db, 0, m, 1, "double", OP_INC),
                op_arg_dat(db, 1, m, 1, "double", OP_INC),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    op2_flush();
    for (int e = 0; e < EDGES; e++)
      gather(&a[2 * map[3 * e + 2]], &w[e], &b[map[3 * e]]);
    for (int e = 0; e < EDGES; e++)
      both(&a[2 * map[3 * e]], &a[2 * map[3 * e + 1]], &f[map[3 * e + 2]],
           &n[map[3 * e]], &b[map[3 * e]], &b[map[3 * e + 1]], &want);
  }
  op_fetch_data(db, out);
  CHECK_REALS(out, b, NODES);
  CHECK(sum == want);
  for (int k = 600; k < NODES; k++) CHECK(signbit(out[k]));
  return check_end();
}
