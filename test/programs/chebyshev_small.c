/* Chebyshev smoothing on a small graph against plain C, over edges and over rows: u
 * and the residual after each smoothing of 4 and of 8 steps; both forms have one
 * residual. */
#include "check.h"

#include "../../bench/chebyshev/graph.c"
#include "../../bench/chebyshev/loops.h"
#include "../../bench/chebyshev/ref.c"
#include "../../bench/colour.c"
#include "../../bench/euler/box.c"

enum { N = 5, ROUNDS = 3 };

static void
compare_u(struct chebyshev *c, const struct cref *want, int round) {
  int n = want->g->box.nnode;
  double *found = malloc((size_t)n * sizeof *found);
  if (!found) exit(2);
  op_fetch_data(c->u, found);
  for (int i = 0; i < n; i++)
    if (!(fabs(found[i] - want->u[i]) <= 1e-12))
      check_fail(__FILE__, __LINE__,
                 "%s, round %d: u[%d] is %.17g, expected %.17g",
                 c->longest ? "rows" : "edges", round, i, found[i], want->u[i]);
  free(found);
}

/* The residual at the end. */
static double
smooth(struct graph *g, int as_rows) {
  struct chebyshev c;
  struct cref want;
  cref_start(&want, g, as_rows, 1, 0);
  chebyshev_declare(&c, g, as_rows);
  double first = chebyshev_rms(&c), rms = first;
  for (int round = 0; round < ROUNDS; round++) {
    chebyshev_smooth(&c, round % 2 ? 8 : 4);
    cref_smooth(&want, round % 2 ? 8 : 4);
    rms = chebyshev_rms(&c);
    CHECK(fabs(rms - cref_rms(&want)) <= 1e-13 * first);
    compare_u(&c, &want, round);
  }
  CHECK(rms < 0.5 * first);
  cref_stop(&want);
  return rms;
}

int
main(int argc, char **argv) {
  static struct graph g;
  check_start(argc, argv);
  graph_make(&g, N, N - 1, N, 3);
  double over_edges = smooth(&g, 0), over_rows = smooth(&g, 1);
  CHECK_NEAR(over_edges, over_rows, 1e-11);
  graph_clear(&g);
  return check_end();
}
