/* Sets of which a rank has nothing, while rows of its last level name elements there:
 * they are put in no order.
 *
 * RUN: 2 OP2_RENUMBER=rcm
 * RUN: 2 OP2_RENUMBER=bisect
 * RUN: 3 OP2_RENUMBER=rcm OP2_HALO_LIMIT=4
 */
#include "../programs/check.h"

enum { N = 12 };

static void
gather(const int *x, const int *y, int *sum) {
  *sum = *x + 10 * *y;
}

/* Pointers on the first rank, to links on the last one, to large nodes there. */
int
main(int argc, char **argv) {
  static int values[N], big[N * 64], got[N], to_links[2 * N], to_nodes[2 * N];
  check_start(argc, argv);
  bool first = check_rank() == 0, last = check_rank() == check_ranks() - 1;
  int n = last ? N : 0;
  op_set pointers = op_decl_set(first ? N : 0, "pointers");
  op_set links = op_decl_set(n, "links"), nodes = op_decl_set(n, "nodes");
  for (int e = 0; e < 2 * N; e++) {
    to_links[e] = (e * 5 + 2) % N;
    to_nodes[e] = (e * 7 + 1) % N;
  }
  for (int e = 0; e < N; e++) values[e] = e;
  for (int i = 0; i < N * 64; i++) big[i] = i / 64;
  op_map pl = op_decl_map(pointers, links, 2, to_links, "pl");
  op_map ln = op_decl_map(links, nodes, 2, to_nodes, "ln");
  op_dat x = op_decl_dat(links, 1, "int", values, "x");
  op_dat s = op_decl_dat(pointers, 1, "int", (int *)NULL, "s");
  op_dat v = op_decl_dat(nodes, 64, "int", big, "v");
  op_dat t = op_decl_dat(links, 1, "int", (int *)NULL, "t");
  op_par_loop(gather, "gather", pointers,
              op_arg_dat(x, 0, pl, 1, "int", OP_READ),
              op_arg_dat(x, 1, pl, 1, "int", OP_READ),
              op_arg_dat(s, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(gather, "gather_nodes", links,
              op_arg_dat(v, 0, ln, 64, "int", OP_READ),
              op_arg_dat(v, 1, ln, 64, "int", OP_READ),
              op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(s, got);
  for (int e = 0; first && e < N; e++)
    CHECK_INT(got[e], to_links[2 * e] + 10 * to_links[2 * e + 1]);
  op_fetch_data(t, got);
  for (int e = 0; last && e < N; e++)
    CHECK_INT(got[e], to_nodes[2 * e] + 10 * to_nodes[2 * e + 1]);
  return check_end();
}
