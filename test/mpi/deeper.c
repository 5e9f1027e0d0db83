/* A loop that needs deeper halos than there are spreads sets anew, after which only
 * owned values are right: also of a dat that was right as far as it is needed, and
 * would need no exchange.
 *
 * RUN: 2 OP2_HALO_LIMIT=4
 * RUN: 3 OP2_RENUMBER=rcm PART=RANDOM
 * RUN: 3 OP2_HALO_LIMIT=4
 * RUN: 3 OP2_HALO_LIMIT=auto OP2_HALO_COSTS=1e6,1000,1
 * RUN: 3 OP2_HALO_LIMIT=4 OP2_TARGET=opencl
 */
#include "slice.h"

#include "../programs/check.h"

enum { N = 60 };

static void
add(const double *a, const double *b, double *sa, double *sb) {
  *sa += *b;
  *sb += *a;
}

static void
add_products(const double *a, const double *b, const double *wa,
             const double *wb, double *sa, double *sb) {
  *sa += *b * *wb;
  *sb += *a * *wa;
}

#define VIA(dat, i, acc) op_arg_dat(dat, i, ring, 1, "double", acc)

/* Edges (i, i + 1): the neighbours' values. */
static double
around(const double *v, int i) {
  return v[(i + N - 1) % N] + v[(i + 1) % N];
}

int
main(int argc, char **argv) {
  int link[2 * N];
  double d0[N], w0[N], zero[N] = {0}, w[N], out[N];
  check_start(argc, argv);
  for (int i = 0; i < N; i++) {
    link[2 * i] = i;
    link[2 * i + 1] = (i + 1) % N;
    d0[i] = i % 7;
    w0[i] = i % 5;
  }
  op_set nodes = op_decl_set(N, "nodes"), edges = op_decl_set(N, "edges");
  op_map ring = op_decl_map(edges, nodes, 2, link, "ring");
  op_dat d = op_decl_dat(nodes, 1, "double", d0, "d");
  op_dat u = op_decl_dat(nodes, 1, "double", w0, "u");
  op_dat first = op_decl_dat(nodes, 1, "double", zero, "first");
  op_dat sum = op_decl_dat(nodes, 1, "double", zero, "sum");
  op_dat last = op_decl_dat(nodes, 1, "double", zero, "last");
  op_par_loop(add, "first", edges, VIA(d, 0, OP_READ), VIA(d, 1, OP_READ),
              VIA(first, 0, OP_INC), VIA(first, 1, OP_INC));
  op2_flush(); /* d is right where edges over L_1 name it */
  op_par_loop(add, "sum", edges, VIA(u, 0, OP_READ), VIA(u, 1, OP_READ),
              VIA(sum, 0, OP_INC), VIA(sum, 1, OP_INC));
  op_par_loop(add_products, "last", edges, VIA(d, 0, OP_READ),
              VIA(d, 1, OP_READ), VIA(sum, 0, OP_READ), VIA(sum, 1, OP_READ),
              VIA(last, 0, OP_INC), VIA(last, 1, OP_INC));
  op_fetch_data(last, out);
  for (int i = 0; i < N; i++) w[i] = d0[i] * around(w0, i);
  for (int i = 0; i < N; i++) CHECK_NEAR(out[i], around(w, i), 0);
  return check_end();
}
