/* Rows of so many components that kernels work on them in memory (hold place):
 * read and added to through maps, chains of loops on the element itself, a
 * second name for an old version, targets named twice, extremes, a dat that
 * nobody wants. */
#include "check.h"

enum { EDGES = 37, NODES = 11, DIM = 170, STEPS = 3 };

static void
flux(const int *w, const int *restrict a, const int *restrict b,
     int *restrict fa, int *restrict fb) {
  for (int k = 0; k < DIM; k++) {
    int x = *w * (a[k] - b[k]) + k;
    fa[k] += x;
    fb[k] -= x;
    fb[k] += *w;
  }
}
static void
least(const int *a, int *restrict m) {
  for (int k = 0; k < DIM; k++) m[k] = a[k] < m[k] ? a[k] : m[k];
}
static void
keep(const int *q, int *old) {
  for (int k = 0; k < DIM; k++) old[k] = q[k];
}
static void
twice(const int *q, int *t) {
  for (int k = 0; k < DIM; k++) t[k] = 2 * q[DIM - 1 - k];
}
static void
update(const int *t, int *f, int *q) {
  for (int k = 0; k < DIM; k++) {
    q[k] = (q[k] + f[k] + t[k]) % 1001;
    f[k] = 0;
  }
}
static void
change(const int *old, int *q) {
  for (int k = 1; k < DIM; k++) q[k] = (q[k - 1] + 3 * old[k]) % 997;
}

static void
smooth(int *m) {
  for (int k = 1; k < DIM; k++) m[k] = (m[k] + m[k - 1]) / 2;
}

struct data {
  int map[2 * EDGES], both[2 * EDGES], w[EDGES];
  int q[NODES * DIM], f[NODES * DIM], m[NODES * DIM], old[NODES * DIM];
};

static int *
row(int *x, int e) {
  return x + (size_t)e * DIM;
}

/* as OP2 runs it, loop by loop */
static void
expect(struct data *x) {
  static int t[NODES * DIM];
  for (int step = 0; step < STEPS; step++) {
    memcpy(x->old, x->q, sizeof x->q);
    for (int n = 0; n < NODES; n++) twice(row(x->q, n), row(t, n));
    for (int e = 0; e < EDGES; e++) {
      int a = x->map[2 * e], b = x->map[2 * e + 1];
      flux(&x->w[e], row(x->q, a), row(x->q, b), row(x->f, a), row(x->f, b));
      least(row(x->q, a), row(x->m, b));
    }
    for (int e = 0; e < EDGES; e++) { /* both ends may be one node */
      int add[2][DIM] = {{0}}, *to[2];
      for (int k = 0; k < 2; k++) to[k] = row(x->f, x->both[2 * e + k]);
      flux(&x->w[e], row(x->q, x->both[2 * e]), row(x->q, x->both[2 * e + 1]),
           add[0], add[1]);
      for (int k = 0; k < 2; k++)
        for (int c = 0; c < DIM; c++) to[k][c] += add[k][c];
    }
    for (int n = 0; n < NODES; n++)
      update(row(t, n), row(x->f, n), row(x->q, n));
    for (int n = 0; n < NODES; n++) change(row(x->old, n), row(x->q, n));
    for (int n = 0; n < NODES; n++) smooth(row(x->m, n)), smooth(row(x->m, n));
  }
}

static void
begin(struct data *x) {
  for (int e = 0; e < EDGES; e++) {
    x->map[2 * e] = e * 7 % NODES;
    x->map[2 * e + 1] = (x->map[2 * e] + 1 + e % 3) % NODES;
    x->both[2 * e] = e % NODES;
    x->both[2 * e + 1] = e % 5 ? (e + e % 4) % NODES : e % NODES;
    x->w[e] = e % 5 - 2;
  }
  for (int k = 0; k < NODES * DIM; k++) {
    x->q[k] = k % 101;
    x->m[k] = 1000;
  }
}

static void
edges_add(op_set edges, op_map m, op_dat w, op_dat q, op_dat f) {
  op_par_loop(flux, "flux", edges, op_arg_dat(w, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(q, 0, m, DIM, "int", OP_READ),
              op_arg_dat(q, 1, m, DIM, "int", OP_READ),
              op_arg_dat(f, 0, m, DIM, "int", OP_INC),
              op_arg_dat(f, 1, m, DIM, "int", OP_INC));
}

int
main(int argc, char **argv) {
  static struct data x, want;
  check_start(argc, argv);
  begin(&x);
  begin(&want);
  op_set edges = op_decl_set(EDGES, "edges"),
         nodes = op_decl_set(NODES, "nodes");
  op_map map = op_decl_map(edges, nodes, 2, x.map, "map");
  op_map both = op_decl_map(edges, nodes, 2, x.both, "both");
  op_dat w = op_decl_dat(edges, 1, "int", x.w, "w");
  op_dat q = op_decl_dat(nodes, DIM, "int", x.q, "q");
  op_dat f = op_decl_dat(nodes, DIM, "int", x.f, "f");
  op_dat m = op_decl_dat(nodes, DIM, "int", x.m, "m");
  op_dat old = op_decl_dat(nodes, DIM, "int", x.old, "old");
  for (int step = 0; step < STEPS; step++) {
    op_dat t = op_decl_dat_temp(nodes, DIM, "int", (int *)NULL, "t");
    op_par_loop(keep, "keep", nodes,
                op_arg_dat(q, -1, OP_ID, DIM, "int", OP_READ),
                op_arg_dat(old, -1, OP_ID, DIM, "int", OP_WRITE));
    op_par_loop(twice, "twice", nodes,
                op_arg_dat(q, -1, OP_ID, DIM, "int", OP_READ),
                op_arg_dat(t, -1, OP_ID, DIM, "int", OP_WRITE));
    edges_add(edges, map, w, q, f);
    op_par_loop(least, "least", edges,
                op_arg_dat(q, 0, map, DIM, "int", OP_READ),
                op_arg_dat(m, 1, map, DIM, "int", OP_MIN));
    edges_add(edges, both, w, q, f);
    op_par_loop(update, "update", nodes,
                op_arg_dat(t, -1, OP_ID, DIM, "int", OP_READ),
                op_arg_dat(f, -1, OP_ID, DIM, "int", OP_RW),
                op_arg_dat(q, -1, OP_ID, DIM, "int", OP_RW));
    op_free_dat_temp(t);
    op_par_loop(change, "change", nodes,
                op_arg_dat(old, -1, OP_ID, DIM, "int", OP_READ),
                op_arg_dat(q, -1, OP_ID, DIM, "int", OP_RW));
    for (int k = 0; k < 2; k++)
      op_par_loop(smooth, "smooth", nodes,
                  op_arg_dat(m, -1, OP_ID, DIM, "int", OP_RW));
  }
  op_fetch_data(q, x.q);
  op_fetch_data(f, x.f);
  op_fetch_data(m, x.m);
  op_fetch_data(old, x.old);
  expect(&want);
  CHECK_INTS(x.q, want.q, NODES * DIM);
  CHECK_INTS(x.f, want.f, NODES * DIM);
  CHECK_INTS(x.m, want.m, NODES * DIM);
  CHECK_INTS(x.old, want.old, NODES * DIM);
  return check_end();
}
