/* A set of which a rank has something only farther out than its mirrors go: buffers are
 * filled with nothing that lies behind these. Elements are so large that a read there
 * ends the program.
 *
 * RUN: 2
 * RUN: 2 OP2_HALO_LIMIT=6
 * RUN: 3 OP2_HALO_LIMIT=6
 */
#include "../programs/check.h"

enum { N = 1, LARGE = 1 << 22 };

static void
take(const double *large, double *first) {
  *first = 2 * large[0];
}

static void
pass(const double *from, double *to) {
  *to = *from + 1;
}

/* The first rank has pointers to links, which the last one has; nodes are two maps
 * away from it. */
int
main(int argc, char **argv) {
  static int to_links[N], to_nodes[N];
  static double large[N * LARGE], got[N];
  check_start(argc, argv);
  bool first = check_rank() == 0, last = check_rank() == check_ranks() - 1;
  int n = last ? N : 0;
  op_set pointers = op_decl_set(first ? N : 0, "pointers");
  op_set links = op_decl_set(n, "links"), nodes = op_decl_set(n, "nodes");
  for (int e = 0; e < N; e++) {
    to_links[e] = (e + 1) % N;
    to_nodes[e] = N - 1 - e;
    large[(size_t)e * LARGE] = 10 * e;
  }
  op_map pl = op_decl_map(pointers, links, 1, to_links, "pl");
  op_map ln = op_decl_map(links, nodes, 1, to_nodes, "ln");
  op_dat v = op_decl_dat(nodes, LARGE, "double", large, "v");
  op_dat t = op_decl_dat(links, 1, "double", (double *)NULL, "t");
  op_dat s = op_decl_dat(pointers, 1, "double", (double *)NULL, "s");
  op_par_loop(take, "take", links,
              op_arg_dat(v, 0, ln, LARGE, "double", OP_READ),
              op_arg_dat(t, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(pass, "pass", pointers,
              op_arg_dat(t, 0, pl, 1, "double", OP_READ),
              op_arg_dat(s, -1, OP_ID, 1, "double", OP_WRITE));
  op_fetch_data(s, got);
  for (int e = 0; first && e < N; e++)
    CHECK_REAL(got[e], 20 * to_nodes[to_links[e]] + 1);
  return check_end();
}
