/* Latency hidden: elements that name owned ones only run while values come from
 * others. One thread gives the same bits as without (each target gets its increments
 * in the order of elements), more threads the same to rounding; under
 * OP2_REPRODUCIBLE nothing is cut. (PT-Scotch cuts otherwise when called again.)
 *
 * RUN: 2
 * RUN: 3 OP2_RENUMBER=rcm PART=RANDOM
 * RUN: 3 PART=RANDOM
 * RUN: 4 PART=INERTIAL OP2_HALO_LIMIT=4
 * RUN: 2 OMP_NUM_THREADS=2
 * RUN: 2 OMP_NUM_THREADS=2 OP2_THREADING=colours
 * RUN: 3 OMP_NUM_THREADS=2 OP2_REPRODUCIBLE=1
 */
#define main airfoil_main
#include "slice.h"

#include "../programs/airfoil_small.c"
#undef main

enum { STEPS = 10 };

static int
number(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

/* q after some steps; how many exchanges were overlapped, and how many there were. */
static void
play(int argc, char **argv, const char *overlap, double *q, long long *hidden,
     long long *all) {
  bool told = false;
  static struct ref r;
  struct mesh m;
  struct flow f;
  setenv("OP2_OVERLAP", overlap, 1);
  memset(&slice, 0, sizeof slice);
  check_start(argc, argv);
  mesh_make(&m, 64, 48);
  ref_start(&r, &m, 1, 0);
  memcpy(q, r.q, 4 * sizeof *q * (size_t)m.ncell);
  declare(&f, &m, q);
  step(&f, m.ncell); /* x comes, once, when adt_calc first runs */
  ref_step(&r);
  op2_counters_reset();
  for (int k = 1; k < STEPS; k++) {
    step(&f, m.ncell);
    ref_step(&r);
    told |= strstr(op2_explain(), "elements while values come") != NULL;
  }
  *hidden = op2_counter("exchanges_overlapped");
  *all = op2_counter("exchanges");
  CHECK_INT(told, *hidden > 0);
  compare_q(&f, &r, q, STEPS);
  ref_stop(&r);
  mesh_clear(&m);
  op_exit();
}

int
main(int argc, char **argv) {
  size_t n = (size_t)4 * 64 * 48 * 3;
  double *q = malloc(2 * n * sizeof *q), *without = q + n;
  long long hidden, all;
  if (!q) return 2;
  play(argc, argv, "0", without, &hidden, &all);
  CHECK_INT(hidden, 0);
  play(argc, argv, "1", q, &hidden, &all);
  CHECK(all > 0);
  CHECK_INT(hidden, number("OP2_REPRODUCIBLE") || !check_ir() ? 0 : all);
  if (number("OMP_NUM_THREADS") == 1 || number("OP2_REPRODUCIBLE"))
    CHECK(!memcmp(q, without, n * sizeof *q));
  free(q);
  if (!check_failures) printf("ok\n");
  return check_failures != 0;
}
