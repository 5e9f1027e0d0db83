/* Scans: loops along columns whose kernels see what they wrote in the layers
 * before, among loops that read and write the same; a tridiagonal solver; what is
 * refused. Exact but for the solver: small integers and halves. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { CELLS = 60, LAYERS = 10, MOST = CELLS * LAYERS };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "double", acc)
#define LAYER(d, dl) op2_arg_dat_layer(d, dl, 1, "double", OP_READ)

static double found[2 * MOST], want[2 * MOST], x[MOST], y[MOST];
static int range[2 * CELLS], first[CELLS + 1], same;

static void
alike(void) {
  same = 1;
  for (int b = 0; b <= CELLS; b++) first[b] = b * LAYERS;
}

/* Columns of 0 to LAYERS layers. */
static void
of_lengths(void) {
  for (int b = 0; b < CELLS; b++) {
    range[2 * b] = b % 3;
    range[2 * b + 1] = b % 3 + b * 7 % (LAYERS + 1 - b % 3);
    first[b + 1] = first[b] + range[2 * b + 1] - range[2 * b];
  }
}

/* Columns that no loop has moved yet. */
static op_set
fresh(void) {
  op_set base = op_decl_set(CELLS, "base");
  return same ? op2_decl_columns(base, LAYERS, "columns")
              : op2_decl_columns_var(base, range, "columns");
}

static void
make(void) {
  for (int i = 0; i < MOST; i++) x[i] = i % 17, y[i] = i % 5 + 1;
}

static void
check_dat(op_dat d, int n) {
  op_fetch_data(d, found);
  for (int i = 0; i < n; i++) CHECK_REAL(found[i], want[i]);
}

/* ---- a recurrence ------------------------------------------------------------ */

static void
sweep(const double *z, const double *above, double *w) {
  *w += *above * *z;
}

/* 5 levels, of which the last and the first are not touched. */
static void
five(void) {
  static double one[5 * CELLS], half[5 * CELLS];
  const double result[] = {1, 1.875, 1.75, 1.5, 1};
  for (int i = 0; i < 5 * CELLS; i++) one[i] = 1, half[i] = .5;
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, 5, "columns");
  op_set inner = op2_columns_region(columns, OP2_INTERIOR, "inner");
  op_set bottom = op2_columns_region(columns, OP2_BOTTOM, "bottom");
  op_set middle = op2_set_difference(inner, bottom, "middle");
  op_dat w = op_decl_dat(columns, 1, "double", one, "w");
  op_dat z = op_decl_dat(columns, 1, "double", half, "z");
  op2_par_loop_scan(sweep, "sweep", middle, OP2_BACKWARD, OWN(z, OP_READ),
                    LAYER(w, 1), OWN(w, OP_RW));
  for (int i = 0; i < 5 * CELLS; i++) want[i] = result[i % 5];
  check_dat(w, 5 * CELLS);
}

/* ---- among other loops ------------------------------------------------------- */

static void
sum_two(const double *below, const double *lower, double *w) {
  *w = *below + *lower;
}
static void
copy(const double *from, double *to) {
  *to = *from;
}
static void
twice(double *w) {
  *w *= 2;
}
static void
add_below(const double *below, double *w) {
  *w += *below;
}
static void
add_above(const double *above, double *w) {
  *w += *above;
}

/* Fibonacci's numbers in each column, as a scan over all that have two below. */
static void
two_below(int n) {
  op_set columns = fresh();
  op_dat w = op_decl_dat(columns, 1, "double", y, "w");
  op_dat before = op_decl_dat(columns, 1, "double", x, "before");
  op_dat after = op_decl_dat(columns, 1, "double", x, "after");
  op_par_loop(twice, "twice", columns, OWN(w, OP_RW));
  op_par_loop(copy, "copy", columns, OWN(w, OP_READ), OWN(before, OP_WRITE));
  op2_par_loop_scan(sum_two, "sum_two", columns, OP2_FORWARD, LAYER(w, -1),
                    LAYER(w, -2), OWN(w, OP_WRITE));
  op_par_loop(copy, "copy", columns, OWN(w, OP_READ), OWN(after, OP_WRITE));
  op_par_loop(twice, "twice", columns, OWN(w, OP_RW));
  for (int i = 0; i < first[n]; i++) want[i] = 2 * y[i];
  check_dat(before, first[n]);
  for (int b = 0; b < n; b++)
    for (int e = first[b] + 2; e < first[b + 1]; e++)
      want[e] = want[e - 1] + want[e - 2];
  check_dat(after, first[n]);
  for (int i = 0; i < first[n]; i++) want[i] *= 2;
  check_dat(w, first[n]);
}

/* Up and down again: what the second scan starts with the first has made. */
static void
up_and_down(int n) {
  op_set columns = fresh();
  op_dat w = op_decl_dat(columns, 1, "double", y, "w");
  for (int times = 0; times < 2; times++) {
    op2_par_loop_scan(add_below, "add_below", columns, OP2_FORWARD,
                      LAYER(w, -1), OWN(w, OP_INC));
    op2_par_loop_scan(add_above, "add_above", columns, OP2_BACKWARD,
                      LAYER(w, 1), OWN(w, OP_RW));
  }
  memcpy(want, y, sizeof y);
  for (int times = 0; times < 2; times++)
    for (int b = 0; b < n; b++) {
      for (int e = first[b] + 1; e < first[b + 1]; e++) want[e] += want[e - 1];
      for (int e = first[b + 1] - 2; e >= first[b]; e--) want[e] += want[e + 1];
    }
  check_dat(w, first[n]);
}

static void
difference(const double *lower, const double *upper, double *out) {
  *out = *upper - *lower;
}

/* Old values on both sides, of a dat that the scan does not write. */
static void
both_sides(int n) {
  op_set columns = fresh();
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  op_dat out = op_decl_dat(columns, 1, "double", y, "out");
  op2_par_loop_scan(difference, "difference", columns, OP2_BACKWARD,
                    LAYER(d, -1), LAYER(d, 1), OWN(out, OP_WRITE));
  op_par_loop(twice, "twice", columns, OWN(d, OP_RW));
  memcpy(want, y, sizeof y);
  for (int b = 0; b < n; b++)
    for (int e = first[b] + 1; e < first[b + 1] - 1; e++)
      want[e] = x[e + 1] - x[e - 1];
  check_dat(out, first[n]);
  for (int i = 0; i < first[n]; i++) want[i] = 2 * x[i];
  check_dat(d, first[n]);
}

/* Two components, one of which comes from the layer below. */
static void
cross(const double *below, double *w, const double *factor, double *calls) {
  w[0] += below[1] * *factor;
  w[1] += w[0];
  *calls += 1;
}

static void
components(int n) {
  op_set columns = fresh();
  static double pairs[2 * MOST];
  double factor = .5, calls = 0;
  int expected = 0;
  for (int i = 0; i < 2 * MOST; i++) pairs[i] = want[i] = i % 9;
  op_dat w = op_decl_dat(columns, 2, "double", pairs, "w");
  op2_par_loop_scan(cross, "cross", columns, OP2_FORWARD,
                    op2_arg_dat_layer(w, -1, 2, "double", OP_READ),
                    op_arg_dat(w, -1, OP_ID, 2, "double", OP_RW),
                    op_arg_gbl(&factor, 1, "double", OP_READ),
                    op_arg_gbl(&calls, 1, "double", OP_INC));
  for (int b = 0; b < n; b++)
    for (int e = first[b] + 1; e < first[b + 1]; e++, expected++) {
      want[2 * e] += want[2 * e - 1] * .5;
      want[2 * e + 1] += want[2 * e];
    }
  CHECK_REAL(calls, expected);
  op_fetch_data(w, found);
  for (int i = 0; i < 2 * first[n]; i++) CHECK_REAL(found[i], want[i]);
}

/* Nothing is written but globals: columns side by side. */
static void
measure(const double *below, const double *d, double *sum, double *most) {
  *sum += *d * (*d - *below);
  if (*d - *below > *most) *most = *d - *below;
}

static void
sums(int n) {
  op_set columns = fresh();
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  double sum = 3, most = -100, total = 3, largest = -100;
  op2_par_loop_scan(measure, "measure", columns, OP2_BACKWARD, LAYER(d, -1),
                    OWN(d, OP_READ), op_arg_gbl(&sum, 1, "double", OP_INC),
                    op_arg_gbl(&most, 1, "double", OP_MAX));
  for (int b = 0; b < n; b++)
    for (int e = first[b] + 1; e < first[b + 1]; e++)
      measure(&x[e - 1], &x[e], &total, &largest);
  CHECK_REAL(sum, total);
  CHECK_REAL(most, largest);
}

/* ---- through maps ------------------------------------------------------------ */

static void
weigh(const double *weight, const double *side, const double *below,
      double *w) {
  *w = *weight * *side + *below;
}

static int next[CELLS], none[1];

/* The base by each column's element, and another column. */
static void
through_maps(void) {
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  for (int b = 0; b < CELLS; b++) next[b] = (b * 7 + 1) % CELLS;
  op_map beside = op_decl_map(base, base, 1, next, "beside");
  op_map side = op2_decl_map_columns(columns, columns, beside, none, "side");
  op_map onto = op2_decl_map_columns(columns, base, NULL, NULL, "onto");
  op_dat weight = op_decl_dat(base, 1, "double", y, "weight");
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  op_dat w = op_decl_dat(columns, 1, "double", y, "w");
  op2_par_loop_scan(weigh, "weigh", columns, OP2_FORWARD,
                    VIA(weight, 0, onto, OP_READ), VIA(d, 0, side, OP_READ),
                    LAYER(w, -1), OWN(w, OP_WRITE));
  op_par_loop(copy, "copy", columns, VIA(w, 0, side, OP_READ),
              OWN(d, OP_WRITE));
  memcpy(want, y, sizeof y);
  for (int b = 0; b < CELLS; b++)
    for (int e = first[b] + 1; e < first[b + 1]; e++)
      want[e] = y[b] * x[first[next[b]] + e - first[b]] + want[e - 1];
  check_dat(w, MOST);
  memcpy(y, want, sizeof y);
  for (int b = 0; b < CELLS; b++)
    for (int k = 0; k < LAYERS; k++) want[first[b] + k] = y[first[next[b]] + k];
  check_dat(d, MOST);
  make();
}

/* ---- a tridiagonal system in each column ------------------------------------- */

static void
eliminate_first(const double *b, const double *c, const double *d, double *cp,
                double *dp) {
  *cp = *c / *b;
  *dp = *d / *b;
}
static void
eliminate(const double *a, const double *b, const double *c, const double *d,
          const double *cp_below, const double *dp_below, double *cp,
          double *dp) {
  double m = 1 / (*b - *a * *cp_below);
  *cp = *c * m;
  *dp = (*d - *a * *dp_below) * m;
}
static void
substitute(const double *cp, const double *dp, const double *above,
           double *solution) {
  *solution = *dp - *cp * *above;
}

static double diagonal[4][MOST];

static void
solve_by_hand(int n) {
  double cp[LAYERS], dp[LAYERS];
  for (int b = 0; b < n; b++) {
    int lo = first[b], layers = first[b + 1] - lo;
    const double *a = diagonal[0] + lo, *m = diagonal[1] + lo;
    const double *c = diagonal[2] + lo, *d = diagonal[3] + lo;
    if (layers) eliminate_first(m, c, d, cp, dp);
    for (int k = 1; k < layers; k++)
      eliminate(a + k, m + k, c + k, d + k, cp + k - 1, dp + k - 1, cp + k,
                dp + k);
    for (int k = layers - 1; k >= 0; k--)
      want[lo + k] = k + 1 < layers ? dp[k] - cp[k] * want[lo + k + 1] : dp[k];
  }
}

/* Its ends by loops over regions, or by scans of one layer, which fuse. */
static void
solver(int n, int ends) {
  op_set columns = fresh();
  op_set bottom = op2_columns_region(columns, OP2_BOTTOM, "bottom");
  op_set top = op2_columns_region(columns, OP2_TOP, "top");
  op_dat m[4];
  long long up = op2_counter("h2d");
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < MOST; i++)
      diagonal[k][i] = k == 1 ? 4 + i % 3 : 1 + .25 * (i * (k + 2) % 7);
    m[k] = op_decl_dat(columns, 1, "double", diagonal[k], "m");
  }
  op_dat s = op_decl_dat(columns, 1, "double", (double *)NULL, "s");
  op_dat cp = op_decl_dat_temp(columns, 1, "double", (double *)NULL, "cp");
  op_dat dp = op_decl_dat_temp(columns, 1, "double", (double *)NULL, "dp");
  if (ends)
    op2_par_loop_scan(eliminate_first, "eliminate_first", bottom, OP2_FORWARD,
                      OWN(m[1], OP_READ), OWN(m[2], OP_READ),
                      OWN(m[3], OP_READ), OWN(cp, OP_WRITE), OWN(dp, OP_WRITE));
  else
    op_par_loop(eliminate_first, "eliminate_first", bottom, OWN(m[1], OP_READ),
                OWN(m[2], OP_READ), OWN(m[3], OP_READ), OWN(cp, OP_WRITE),
                OWN(dp, OP_WRITE));
  op2_par_loop_scan(eliminate, "eliminate", columns, OP2_FORWARD,
                    OWN(m[0], OP_READ), OWN(m[1], OP_READ), OWN(m[2], OP_READ),
                    OWN(m[3], OP_READ), LAYER(cp, -1), LAYER(dp, -1),
                    OWN(cp, OP_WRITE), OWN(dp, OP_WRITE));
  if (ends)
    op2_par_loop_scan(copy, "copy", top, OP2_BACKWARD, OWN(dp, OP_READ),
                      OWN(s, OP_WRITE));
  else
    op_par_loop(copy, "copy", top, OWN(dp, OP_READ), OWN(s, OP_WRITE));
  op2_par_loop_scan(substitute, "substitute", columns, OP2_BACKWARD,
                    OWN(cp, OP_READ), OWN(dp, OP_READ), LAYER(s, 1),
                    OWN(s, OP_WRITE));
  op_free_dat_temp(cp);
  op_free_dat_temp(dp);
  solve_by_hand(n);
  op_fetch_data(s, found);
  if (check_device()) /* m and s; the zeros of cp and dp are made there */
    CHECK(op2_counter("h2d") - up <= 5);
  for (int i = 0; i < first[n]; i++) CHECK_NEAR(found[i], want[i], 1e-13);
}

static void
over_columns(int n) {
  two_below(n);
  up_and_down(n);
  both_sides(n);
  components(n);
  sums(n);
  solver(n, 0);
  solver(n, 1);
}

/* ---- on one rank ------------------------------------------------------------- */

#ifndef TEST_MPI_SLICE_H
/* Layers 0, 3, 4 and 9 of some columns. */
static void
of_subset(void) {
  int at[4 * CELLS], n = 0;
  const int layers[] = {0, 3, 4, 9};
  for (int b = 0; b < CELLS; b += 2)
    for (int k = 0; k < 4; k++) at[n++] = b * LAYERS + layers[k];
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  op_set some = op2_decl_subset(columns, n, at, "some");
  op_dat w = op_decl_dat(columns, 1, "double", y, "w");
  op2_par_loop_scan(add_below, "add_below", some, OP2_FORWARD, LAYER(w, -1),
                    OWN(w, OP_RW));
  memcpy(want, y, sizeof y);
  for (int i = 0; i < n; i++)
    if (at[i] % LAYERS) want[at[i]] += want[at[i] - 1];
  check_dat(w, MOST);
}

/* What a global keeps is that of the last element in the scan's order. */
static void
keep(const double *w, double *last) {
  *last = *w;
}

static void
last_one(void) {
  double last = -1;
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  op_dat w = op_decl_dat(columns, 1, "double", x, "w");
  op2_par_loop_scan(keep, "keep", columns, OP2_BACKWARD, OWN(w, OP_READ),
                    op_arg_gbl(&last, 1, "double", OP_WRITE));
  CHECK_REAL(last, x[(CELLS - 1) * LAYERS]);
}

static void
freed(void) {
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  op_set inner = op2_columns_region(columns, OP2_INTERIOR, "inner");
  op_dat w = op_decl_dat(columns, 1, "double", y, "w");
  op2_par_loop_scan(add_above, "add_above", inner, OP2_BACKWARD, LAYER(w, 1),
                    OWN(w, OP_RW));
  CHECK_INT(op2_free(inner), 0);
  memcpy(want, y, sizeof y);
  for (int b = 0; b < CELLS; b++)
    for (int e = first[b + 1] - 2; e >= first[b]; e--) want[e] += want[e + 1];
  check_dat(w, MOST);
  op_set again = op2_columns_region(columns, OP2_INTERIOR, "again");
  op2_par_loop_scan(add_above, "add_above", again, OP2_BACKWARD, LAYER(w, 1),
                    OWN(w, OP_RW));
  for (int b = 0; b < CELLS; b++)
    for (int e = first[b + 1] - 2; e >= first[b]; e--) want[e] += want[e + 1];
  check_dat(w, MOST);
}

/* ---- what is refused --------------------------------------------------------- */

static void
number(const int *e, double *w) {
  *w = *e;
}

#define REFUSED(text, set, order, kernel, ...)                                 \
  do {                                                                         \
    int before = errors;                                                       \
    op2_par_loop_scan(kernel, #kernel, set, order, __VA_ARGS__);               \
    CHECK_INT(errors, before + 1);                                             \
    CHECK_INT(code, OP2_ERR_ARG);                                              \
    if (!strstr(message, text)) puts(message), CHECK_INT(0, __LINE__);         \
  } while (0)

static void
refused_order(op_set base, op_set c, op_dat w) {
  REFUSED("scan.c:", base, OP2_FORWARD, twice, OWN(w, OP_RW));
  REFUSED("op2_par_loop_scan \"twice\": set: expected columns "
          "(op2_decl_columns), a box, or a subset of these, found set \"base\"",
          base, OP2_FORWARD, twice, OWN(w, OP_RW));
  REFUSED("order: expected OP2_FORWARD or OP2_BACKWARD, found 7", c, 7, twice,
          OWN(w, OP_RW));
  REFUSED("order: expected OP2_FORWARD or OP2_BACKWARD", c, 0, twice,
          OWN(w, OP_RW));
  REFUSED("argument 0: layer of \"w\", which the scan writes: expected one "
          "before its own, below 0 in order OP2_FORWARD, found +1",
          c, OP2_FORWARD, add_above, LAYER(w, 1), OWN(w, OP_RW));
  REFUSED("above 0 in order OP2_BACKWARD, found -2", c, OP2_BACKWARD, add_below,
          LAYER(w, -2), OWN(w, OP_RW));
}

static void
refused_writes(op_set base, op_set c, op_dat w, op_dat d) {
  op_map onto = op2_decl_map_columns(c, base, NULL, NULL, "onto");
  op_map side = op2_decl_map_columns(c, c, NULL, none, "side");
  op_dat sum = op_decl_dat(base, 1, "double", y, "sum");
  REFUSED("argument 0: a scan writes its own layer: expected OP_READ of "
          "another layer, found OP_WRITE of \"w\"",
          c, OP2_FORWARD, copy, op2_arg_dat_layer(w, -1, 1, "double", OP_WRITE),
          OWN(d, OP_READ));
  REFUSED("argument 1: a scan writes its own layer: expected OP_READ through "
          "a map, found OP_INC of \"sum\"",
          c, OP2_FORWARD, add_below, OWN(w, OP_READ),
          VIA(sum, 0, onto, OP_INC));
  REFUSED("argument 0: expected a dat that the scan does not write, or a "
          "layer of the column, found \"w\" through map \"side\"",
          c, OP2_FORWARD, add_below, VIA(w, 0, side, OP_READ), OWN(w, OP_RW));
  REFUSED("argument 0: expected dats and globals in a scan, found an index", c,
          OP2_FORWARD, number, op_arg_idx(-1, OP_ID), OWN(w, OP_WRITE));
  REFUSED("wrong set", c, OP2_FORWARD, twice, OWN(sum, OP_RW));
}

static void
refused(void) {
  op_set base = op_decl_set(CELLS, "base");
  op_set c = op2_decl_columns(base, LAYERS, "c");
  op_dat w = op_decl_dat(c, 1, "double", y, "w");
  op_dat d = op_decl_dat(c, 1, "double", x, "d");
  op2_set_error_handler(on_error, NULL);
  refused_order(base, c, w);
  refused_writes(base, c, w, d);
  op2_set_error_handler(NULL, NULL);
  memcpy(want, y, sizeof y);
  check_dat(w, MOST);
}
#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  make();
  five();
  of_lengths();
  over_columns(CELLS);
  alike();
  over_columns(CELLS);
  through_maps();
#ifndef TEST_MPI_SLICE_H
  of_subset();
  last_one();
  freed();
  refused();
#endif
  return check_end();
}
