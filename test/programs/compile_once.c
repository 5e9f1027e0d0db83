/* Code is made once for each shape of region: never again for other sizes of
 * sets, other dats, maps or values of READ globals. */
#include "check.h"

static void
start(double *x, const double *a) {
  *x = *a;
}

static void
flow(const double *x, double *l, double *r) {
  *l += *x;
  *r -= *x;
}

static void
add(double *x, const double *l) {
  *x += *l;
}

static void
add2(double *x, const double *l) {
  x[0] += l[0];
  x[1] += l[1];
}

/* Regions that this process had to get code for. */
static long long
made(void) {
  return op2_counter("compiles") + op2_counter("cache_loads");
}

static op_dat
temp(op_set set, int dim, const char *mesh, const char *name) {
  char full[32];
  snprintf(full, sizeof full, "%s %s", mesh, name);
  return op_decl_dat_temp(set, dim, "double", NULL, full);
}

/* A mesh of `n` edges in a ring, which follow each other in steps of this many, in
 * storage of its own; `a` goes in as a global. */
static void
run(int n, int step, double a, const char *name) {
  int *ends = malloc(2 * (size_t)n * sizeof *ends);
  for (int e = 0; e < n; e++) {
    ends[2 * e] = (int)((long)step * e % n);
    ends[2 * e + 1] = (ends[2 * e] + 1) % n;
  }
  op_set nodes = op_decl_set(n, name), edges = op_decl_set(n, name);
  op_map pe = op_decl_map(edges, nodes, 2, ends, name);
  op_dat x = temp(edges, 1, name, "x");
  op_dat s = temp(nodes, 1, name, "s");
  op_dat t = temp(nodes, 1, name, "t");
  op_par_loop(start, "start", edges,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_gbl(&a, 1, "double", OP_READ));
  op_par_loop(start, "start", nodes,
              op_arg_dat(s, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_gbl(&a, 1, "double", OP_READ));
  op_par_loop(flow, "flow", edges,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(s, 0, pe, 1, "double", OP_INC),
              op_arg_dat(s, 1, pe, 1, "double", OP_INC));
  op_par_loop(start, "start", nodes,
              op_arg_dat(t, -1, OP_ID, 1, "double", OP_WRITE),
              op_arg_gbl(&a, 1, "double", OP_READ));
  op_par_loop(add, "add", nodes, op_arg_dat(t, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(s, -1, OP_ID, 1, "double", OP_READ));
  double *found = malloc((size_t)n * sizeof *found);
  op_fetch_data(t, found);
  for (int k = 0; k < n; k++) CHECK_REAL(found[k], 2 * a);
  free(found);
  free(ends);
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  /* targets that step one by one are another shape than others */
  run(3000, 7, 1.5, "first");
  run(3000, 1, 1.5, "even");
  run(5, 2, 2.5, "small");
  long long once = made();
  CHECK(once > 0);
  run(3000, 7, 1.5, "same");
  run(6, 5, 2.5, "small again");
  run(70001, 5, -1, "large");
  run(50001, 1, -1, "large even");
  run(2, 1, 8, "two");
  CHECK_INT(made(), once);

  /* another dimension is another region */
  op_set set = op_decl_set(10, "set");
  op_dat d = temp(set, 2, "set", "d");
  op_dat e = temp(set, 2, "set", "e");
  op_par_loop(add2, "add2", set, op_arg_dat(d, -1, OP_ID, 2, "double", OP_RW),
              op_arg_dat(e, -1, OP_ID, 2, "double", OP_READ));
  double out[20];
  op_fetch_data(d, out);
  CHECK_INT(made(), once + 1);
  return check_end();
}
