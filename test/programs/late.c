/* Increments that wait for a block (hold late): any number of blocks and of
 * elements behind them, targets that blocks one after another share, several
 * dats, two loops. */
#include "check.h"

/* The loops add 2 * DIM + OTHER and OTHER components. */
enum { NODES = 7, EDGES = 100, DIM = 4, OTHER = 2 };

static void
flux(const double *w, const double *a, const double *b, double *fa, double *fb,
     int *n) {
  for (int k = 0; k < DIM; k++) {
    fa[k] += *w * (a[k] - b[k]);
    fb[k] -= *w + k;
  }
  n[0] += 1;
  n[1] -= (int)*w;
}
static void
half(const float *w, float *f) {
  for (int k = 0; k < OTHER; k++) f[k] += *w * (float)k;
}

struct mesh {
  int map[EDGES * 2];
  double w[EDGES], q[NODES * DIM], f[NODES * DIM], g[NODES * DIM];
  float v[EDGES], h[NODES * OTHER], hg[NODES * OTHER];
  int n[NODES * OTHER], m[NODES * OTHER];
};

static void
expect(struct mesh *x, int edges) {
  for (int e = 0; e < edges; e++) {
    int a = x->map[2 * e], b = x->map[2 * e + 1];
    flux(&x->w[e], &x->q[a * DIM], &x->q[b * DIM], &x->g[a * DIM],
         &x->g[b * DIM], &x->m[a * OTHER]);
    half(&x->v[e], &x->hg[b * OTHER]);
  }
}

/* near: each edge names the target of the one before, too. */
static void
run(int edges, bool near) {
  static struct mesh x;
  memset(&x, 0, sizeof x);
  for (int e = 0; e < EDGES; e++) {
    x.map[2 * e] = near ? e / 3 % NODES : e * 5 % NODES;
    x.map[2 * e + 1] = (x.map[2 * e] + 1 + (near ? 0 : e % 3)) % NODES;
    x.w[e] = e % 11;
    x.v[e] = (float)(e % 7);
  }
  for (int k = 0; k < NODES * DIM; k++) x.q[k] = k % 5;
  op_set es = op_decl_set(edges, "es"), ns = op_decl_set(NODES, "ns");
  op_map ends = op_decl_map(es, ns, 2, x.map, "ends");
  op_dat w = op_decl_dat(es, 1, "double", x.w, "w");
  op_dat v = op_decl_dat(es, 1, "float", x.v, "v");
  op_dat q = op_decl_dat(ns, DIM, "double", x.q, "q");
  op_dat f = op_decl_dat(ns, DIM, "double", x.f, "f");
  op_dat h = op_decl_dat(ns, OTHER, "float", x.h, "h");
  op_dat n = op_decl_dat(ns, OTHER, "int", x.n, "n");
  for (int step = 0; step < 2; step++) {
    op_par_loop(flux, "flux", es,
                op_arg_dat(w, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(q, 0, ends, DIM, "double", OP_READ),
                op_arg_dat(q, 1, ends, DIM, "double", OP_READ),
                op_arg_dat(f, 0, ends, DIM, "double", OP_INC),
                op_arg_dat(f, 1, ends, DIM, "double", OP_INC),
                op_arg_dat(n, 0, ends, OTHER, "int", OP_INC));
    op_par_loop(half, "half", es, op_arg_dat(v, -1, OP_ID, 1, "float", OP_READ),
                op_arg_dat(h, 1, ends, OTHER, "float", OP_INC));
    expect(&x, edges);
    op2_flush(); /* of two steps at once there would be too many to wait */
  }
  op_fetch_data(f, x.f);
  op_fetch_data(h, x.h);
  op_fetch_data(n, x.n);
  CHECK_REALS(x.f, x.g, NODES * DIM);
  for (int k = 0; k < NODES * OTHER; k++) CHECK_REAL(x.h[k], x.hg[k]);
  CHECK_INTS(x.n, x.m, NODES * OTHER);
}

int
main(int argc, char **argv) {
  static const int edges[] = {0,  1,  7,  8,  9,  15, 16,
                              17, 31, 32, 33, 47, 64, EDGES};
  check_start(argc, argv);
  for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
    run(edges[k], false);
    run(edges[k], true);
  }
  return check_end();
}
