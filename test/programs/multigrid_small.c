/* Multigrid on small meshes against plain C: u on all levels after the first cycle
 * and on the finest after each, the residual, and the known solution in the end;
 * the meshes by their sums: weights of an edge graph give nothing for a constant,
 * and a third of all triangles around nodes fills the square. */
#include "check.h"

#include "../../bench/colour.c"
#include "../../bench/multigrid/levels.c"
#include "../../bench/multigrid/loops.h"
#include "../../bench/multigrid/ref.c"

enum { NI = 21, NJ = 12, CYCLES = 14, SEED = 3 };

static void
compare_u(struct multigrid *m, const struct mref *want, int k, int cycle) {
  int n = want->l->at[k].nnode;
  double *found = malloc((size_t)n * sizeof *found);
  if (!found) exit(2);
  op_fetch_data(m->at[k].u, found);
  for (int i = 0; i < n; i++)
    if (!(fabs(found[i] - want->at[k].u[i]) <= 1e-13))
      check_fail(__FILE__, __LINE__,
                 "cycle %d, level %d: u[%d] is %.17g, expected %.17g", cycle, k,
                 i, found[i], want->at[k].u[i]);
  free(found);
}

static void
check_levels(const struct levels *l) {
  CHECK_INT(l->at[l->n - 1].ni, 2);
  CHECK_INT(l->at[l->n - 1].nj, 2);
  for (int k = 0; k < l->n; k++) {
    double area = 0;
    for (int n = 0; n < l->at[k].nnode; n++) area += l->at[k].load[n];
    CHECK_NEAR(area, 1.0, 1e-13);
    for (int e = 0; e < 2 * l->at[k].nedge; e++)
      CHECK(l->at[k].edge[e] >= 0 && l->at[k].edge[e] < l->at[k].nnode);
  }
}

int
main(int argc, char **argv) {
  static struct levels l;
  static struct multigrid m;
  static struct mref want;
  check_start(argc, argv);
  levels_make(&l, NI, NJ, SEED);
  check_levels(&l);
  mref_start(&want, &l, 1, 0);
  multigrid_declare(&m, &l);
  multigrid_start(&m);
  double first = multigrid_rms(&m), rms = first;
  CHECK_NEAR(first, mref_rms(&want), 1e-12);
  for (int cycle = 1; cycle <= CYCLES; cycle++) {
    multigrid_cycle(&m);
    mref_cycle(&want);
    for (int k = 0; k < (cycle == 1 ? l.n : 1); k++)
      compare_u(&m, &want, k, cycle);
    if (cycle % 5 && cycle < CYCLES) continue;
    rms = multigrid_rms(&m);
    CHECK(fabs(rms - mref_rms(&want)) <= 1e-13 * first);
  }
  CHECK(rms <= first * pow(0.5, CYCLES));
  CHECK_NEAR(multigrid_error(&m), mref_error(&want), 1e-9);
  CHECK(multigrid_error(&m) <= 0.5 / (NJ * NJ));
  mref_stop(&want);
  levels_clear(&l);
  return check_end();
}
