/* Reads that stay while elements name the same target (hold kept): along two
 * maps at once, of one dat and of its copy, which may be a second name for
 * it. */
#include "check.h"

enum { NODES = 9, EDGES = 70 };

static void
along(const double *a, const double *b, double *f, double *g) {
  *f += *a + 2 * *b;
  *g += *b;
}
static void
across(const double *a, const double *c, const double *d, double *f) {
  *f += *a + 3 * *c + 5 * *d;
}
static void
copy(const double *a, double *b) {
  *b = *a;
}

struct mesh {
  int one[EDGES], two[EDGES], ends[EDGES * 2];
  double u[NODES], w[NODES], f[NODES], g[NODES], h[NODES];
  double want_f[NODES], want_g[NODES], want_h[NODES];
};

static void
make(struct mesh *x) {
  memset(x, 0, sizeof *x);
  for (int e = 0; e < EDGES; e++) {
    x->one[e] = e / 3 % NODES;
    x->two[e] = (e / 4 + 5) % NODES;
    x->ends[2 * e] = e / 5 % NODES;
    x->ends[2 * e + 1] = (e / 5 + 1 + e % 5) % NODES;
  }
  for (int k = 0; k < NODES; k++) x->u[k] = 1 << k;
}

static void
expect(struct mesh *x, int edges) {
  for (int e = 0; e < edges; e++) {
    int a = x->one[e], b = x->two[e], c = x->ends[2 * e],
        d = x->ends[2 * e + 1];
    along(&x->u[a], &x->u[b], &x->want_f[a], &x->want_g[b]);
    across(&x->u[a], &x->u[c], &x->u[d], &x->want_h[c]);
  }
}

static void
run(int edges) {
  static struct mesh x;
  make(&x);
  expect(&x, edges);
  op_set es = op_decl_set(edges, "es"), ns = op_decl_set(NODES, "ns");
  op_map one = op_decl_map(es, ns, 1, x.one, "one");
  op_map two = op_decl_map(es, ns, 1, x.two, "two");
  op_map ends = op_decl_map(es, ns, 2, x.ends, "ends");
  op_dat u = op_decl_dat(ns, 1, "double", x.u, "u");
  op_dat w = op_decl_dat(ns, 1, "double", x.w, "w");
  op_dat f = op_decl_dat(ns, 1, "double", x.f, "f");
  op_dat g = op_decl_dat(ns, 1, "double", x.g, "g");
  op_dat h = op_decl_dat(ns, 1, "double", x.h, "h");
  op_par_loop(copy, "copy", ns, op_arg_dat(u, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(w, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(along, "along", es, op_arg_dat(u, 0, one, 1, "double", OP_READ),
              op_arg_dat(u, 0, two, 1, "double", OP_READ),
              op_arg_dat(f, 0, one, 1, "double", OP_INC),
              op_arg_dat(g, 0, two, 1, "double", OP_INC));
  op_par_loop(across, "across", es, op_arg_dat(u, 0, one, 1, "double", OP_READ),
              op_arg_dat(w, 0, ends, 1, "double", OP_READ),
              op_arg_dat(w, 1, ends, 1, "double", OP_READ),
              op_arg_dat(h, 0, ends, 1, "double", OP_INC));
  op2_flush(); /* all at once */
  op_fetch_data(f, x.f);
  op_fetch_data(g, x.g);
  op_fetch_data(h, x.h);
  CHECK_REALS(x.f, x.want_f, NODES);
  CHECK_REALS(x.g, x.want_g, NODES);
  CHECK_REALS(x.h, x.want_h, NODES);
}

int
main(int argc, char **argv) {
  static const int edges[] = {1, 7, 8, 9, 16, 33, 64, EDGES};
  check_start(argc, argv);
  for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) run(edges[k]);
  return check_end();
}
