/* What stands in dat->data at op_upload_dat counts from there on, also where new maps,
 * or loops that reach far, need sets anew before: loops recorded before see the old
 * values. Exact: integers. */
#include "check.h"

#include <stddef.h>

enum { N = 120 };

static void
add(const int *a, int *b) {
  *b += *a;
}

/* The field is reached by hand: op2cc would keep mirrors current if it saw it. */
static void
put(op_dat d, int value) {
  int *mirror = *(int **)((char *)d + offsetof(struct op_dat_core, data));
  for (int e = 0; e < d->set->size; e++) mirror[e] = value;
}

#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "int", acc)

int
main(int argc, char **argv) {
  int link[2 * N], one[N], zero[N] = {0}, out[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    link[2 * e] = e;
    link[2 * e + 1] = (e + 1) % N;
    one[e] = 1;
  }
  op_set nodes = op_decl_set(N, "nodes"), edges = op_decl_set(N, "edges");
  op_map ring = op_decl_map(edges, nodes, 2, link, "ring");
  op_dat a = op_decl_dat(nodes, 1, "int", one, "a");
  op_dat b = op_decl_dat(nodes, 1, "int", zero, "b");
  op_dat c = op_decl_dat(nodes, 1, "int", zero, "c");
#define ADD(x, y)                                                              \
  op_par_loop(add, "add_" #x, edges, VIA(x, 0, ring, OP_READ),                 \
              VIA(y, 1, ring, OP_INC))
  ADD(a, b);
  op2_flush();
  ADD(a, b); /* 2 */
  put(a, 10);
  op_set more = op_decl_set(N, "more");
  op_map to = op_decl_map(more, nodes, 2, link, "to");
  op_par_loop(add, "add_more", more, VIA(b, 1, to, OP_READ),
              VIA(c, 0, to, OP_INC)); /* 2 */
  op_upload_dat(a);
  ADD(a, b); /* 12 */
  ADD(b, c); /* 14 */
  ADD(c, b); /* 26 */
  put(a, 100);
  op_upload_dat(a);
  ADD(a, b); /* 126 */
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 126);
  op_fetch_data(c, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 14);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 100);
  return check_end();
}
