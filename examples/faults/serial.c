/* The fault: kernel flux counts what it cuts off in a variable of this file, so that its
 * loop runs at its call, in order and on one thread: "A loop that runs serial" of
 * doc/performance.md.
 *
 *   serial             as that
 *   serial argument    the count is an argument of the loop
 *   serial handle      the same, a global in a handle */
#include "op2.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 500, NODES = WIDE * WIDE, EDGES = 2 * WIDE * (WIDE - 1), STEPS = 100 };

static long clipped;

static double
cut(double flow, long *count) {
  if (flow <= 0.5) return flow;
  ++*count;
  return 0.5;
}

static void
flux(const double *a, const double *b, double *from, double *to) {
  double f = cut(0.1 * (*a - *b), &clipped);
  *from -= f;
  *to += f;
}

static void
flux_counted(const double *a, const double *b, double *from, double *to, long *count) {
  double f = cut(0.1 * (*a - *b), count);
  *from -= f;
  *to += f;
}

static int *
grid(void) { /* edges of a square grid, row by row */
  int *ends = malloc(2 * EDGES * sizeof *ends), n = 0;
  for (int i = 0; i < NODES; i++) {
    if (i % WIDE < WIDE - 1) ends[n++] = i, ends[n++] = i + 1;
    if (i + WIDE < NODES) ends[n++] = i, ends[n++] = i + WIDE;
  }
  return ends;
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  double *start = malloc(NODES * sizeof *start);
  int *ends = grid();
  for (int i = 0; i < NODES; i++) start[i] = i % 17;
  op_set nodes = op_decl_set(NODES, "nodes"), edges = op_decl_set(EDGES, "edges");
  op_map map = op_decl_map(edges, nodes, 2, ends, "ends");
  op_dat q = op_decl_dat(nodes, 1, "double", start, "q");
  op_dat r = op_decl_dat(nodes, 1, "double", (double *)NULL, "r");
  op2_gbl handle = op2_decl_gbl(1, "long", &clipped, "clipped");
  const char *how = argc > 1 ? argv[1] : "";
  for (int k = 0; k < STEPS; k++) {
    op_arg a = op_arg_dat(q, 0, map, 1, "double", OP_READ);
    op_arg b = op_arg_dat(q, 1, map, 1, "double", OP_READ);
    op_arg from = op_arg_dat(r, 0, map, 1, "double", OP_INC);
    op_arg to = op_arg_dat(r, 1, map, 1, "double", OP_INC);
    if (!strcmp(how, "argument"))
      op_par_loop(flux_counted, "flux", edges, a, b, from, to,
                  op_arg_gbl(&clipped, 1, "long", OP_INC));
    else if (!strcmp(how, "handle"))
      op_par_loop(flux_counted, "flux", edges, a, b, from, to,
                  op2_arg_gbl(handle, 1, "long", OP_INC));
    else
      op_par_loop(flux, "flux", edges, a, b, from, to);
  }
  if (!strcmp(how, "handle")) op2_gbl_get(handle, &clipped);
  op_printf("%ld flows of %d cut off\n", clipped, EDGES * STEPS);
  free(ends);
  free(start);
  op_exit();
  return 0;
}
