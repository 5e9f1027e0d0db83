/* OP_MIN and OP_MAX through maps, of numbers of both signs, both zeros, infinities and
 * NaNs: of two zeros -0 is the smaller one, whatever the order; a NaN is not better than
 * anything, and nothing is better than a NaN. Integers on both sides of what their signed
 * kind can hold. Exact in bits. */
#include "check.h"

#include <limits.h>

enum { NODES = 60, EDGES = 900 };

static int ends[2 * EDGES];
static double x[EDGES], low[NODES], high[NODES], found[NODES];
static float y[EDGES], low_y[NODES], found_y[NODES];
static long long far[EDGES], most[NODES], found_most[NODES];

static unsigned code[EDGES], least[NODES], found_least[NODES];
static unsigned long long id[EDGES], last[NODES], found_last[NODES];

static void
coded(const unsigned *c, const unsigned long long *i, unsigned *l,
      unsigned long long *h) {
  if (*c < *l) *l = *c;
  if (*i > *h) *h = *i;
}
static void
wide(const double *v, double *la, double *lb, double *h) {
  if (*v < *la) *la = *v;
  if (*v < *lb) *lb = *v;
  if (*v > *h) *h = *v;
}
static void
narrow(const float *v, const long long *f, float *l, long long *m) {
  if (*v < *l) *l = *v;
  if (*f > *m) *m = *f;
}

static double
number(int k) {
  static const double of[] = {0.0, -0.0, 1.5, -1.5, 1e-30, -1e-30};
  if (k % 31 == 0) return k % 2 ? (double)NAN : -(double)NAN;
  if (k % 97 == 0) return k % 2 ? (double)INFINITY : -(double)INFINITY;
  return of[k % 6] * (k % 4);
}

/* What a node has before: mostly `zero`, some NaNs of both signs. */
static double
start(int n, double zero) {
  return n % 7 == 0 ? (double)NAN : n % 7 == 3 ? -(double)NAN : zero;
}

static void
fill(void) {
  unsigned r = 11;
  for (int k = 0; k < 2 * EDGES; k++) { /* no edge leads back */
    r = r * 1664525u + 1013904223u;
    int to = (int)((r >> 9) % (NODES - 1));
    ends[k] = k % 2 ? (ends[k - 1] + 1 + to) % NODES : to;
  }
  for (int e = 0; e < EDGES; e++) {
    x[e] = ends[2 * e] % 3 ? number(e) : number(e) * 0;
    y[e] = (float)x[e];
    far[e] = (long long)(e * 37 % 101 - 50) * 10000000000;
    code[e] = 0x80000000u + (unsigned)(e * 37 % 101 - 50);
    id[e] = (1ull << 63) + (unsigned long long)(e * 37 % 103 - 51);
  }
  for (int n = 0; n < NODES; n++) {
    low[n] = start(n, 0.0);
    high[n] = start(n, -0.0);
    low_y[n] = (float)low[n];
    least[n] = 0x80000014u + (unsigned)n;
    last[n] = n % 2 ? 0 : 1ull << 63;
    most[n] = n % 2 ? LLONG_MIN : 3;
  }
}

/* The better one of old and v. */
static double
best(double old, double v, int max) {
  if (old == v) return (signbit(v) ? max : !max) ? old : v;
  return (max ? v > old : v < old) ? v : old;
}

static void
reference(void) {
  for (int e = 0; e < EDGES; e++) {
    int a = ends[2 * e], b = ends[2 * e + 1];
    low[a] = best(low[a], x[e], 0);
    low[b] = best(low[b], x[e], 0);
    high[b] = best(high[b], x[e], 1);
    low_y[a] = (float)best(low_y[a], y[e], 0);
    if (far[e] > most[b]) most[b] = far[e];
    if (code[e] < least[a]) least[a] = code[e];
    if (id[e] > last[b]) last[b] = id[e];
  }
}

/* Kernels that work in memory keep the zero that came first. */
static void
same(double got, double wanted) {
  CHECK(isnan(wanted) ? isnan(got) : got == wanted);
  if (check_ir() && wanted == 0) CHECK(!signbit(got) == !signbit(wanted));
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  fill();
  op_set nodes = op_decl_set(NODES, "nodes"),
         edges = op_decl_set(EDGES, "edges");
  op_map pe = op_decl_map(edges, nodes, 2, ends, "ends");
  op_dat dx = op_decl_dat(edges, 1, "double", x, "x");
  op_dat dy = op_decl_dat(edges, 1, "float", y, "y");
  op_dat df = op_decl_dat(edges, 1, "ll", far, "far");
  op_dat dc = op_decl_dat(edges, 1, "uint", code, "code");
  op_dat di = op_decl_dat(edges, 1, "ull", id, "id");
  op_dat de = op_decl_dat(nodes, 1, "uint", least, "least");
  op_dat da = op_decl_dat(nodes, 1, "ull", last, "last");
  op_dat dl = op_decl_dat(nodes, 1, "double", low, "low");
  op_dat dh = op_decl_dat(nodes, 1, "double", high, "high");
  op_dat dn = op_decl_dat(nodes, 1, "float", low_y, "narrow");
  op_dat dm = op_decl_dat(nodes, 1, "ll", most, "most");
  op_par_loop(wide, "wide", edges,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dl, 0, pe, 1, "double", OP_MIN),
              op_arg_dat(dl, 1, pe, 1, "double", OP_MIN),
              op_arg_dat(dh, 1, pe, 1, "double", OP_MAX));
  op_par_loop(narrow, "narrow", edges,
              op_arg_dat(dy, -1, OP_ID, 1, "float", OP_READ),
              op_arg_dat(df, -1, OP_ID, 1, "ll", OP_READ),
              op_arg_dat(dn, 0, pe, 1, "float", OP_MIN),
              op_arg_dat(dm, 1, pe, 1, "ll", OP_MAX));
  op_par_loop(coded, "coded", edges,
              op_arg_dat(dc, -1, OP_ID, 1, "uint", OP_READ),
              op_arg_dat(di, -1, OP_ID, 1, "ull", OP_READ),
              op_arg_dat(de, 0, pe, 1, "uint", OP_MIN),
              op_arg_dat(da, 1, pe, 1, "ull", OP_MAX));
  reference();
  op_fetch_data(dl, found);
  for (int n = 0; n < NODES; n++) same(found[n], low[n]);
  op_fetch_data(dh, found);
  for (int n = 0; n < NODES; n++) same(found[n], high[n]);
  op_fetch_data(dn, found_y);
  for (int n = 0; n < NODES; n++) same(found_y[n], low_y[n]);
  op_fetch_data(dm, found_most);
  for (int n = 0; n < NODES; n++) CHECK_INT(found_most[n], most[n]);
  op_fetch_data(de, found_least);
  for (int n = 0; n < NODES; n++) CHECK(found_least[n] == least[n]);
  op_fetch_data(da, found_last);
  for (int n = 0; n < NODES; n++) CHECK(found_last[n] == last[n]);
  return check_end();
}
