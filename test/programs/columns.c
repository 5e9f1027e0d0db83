/* Columns: their regions, maps between them and into the base, columns of their
 * own lengths, subsets of them, and what is refused. Exact: small integers. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { CELLS = 60, NODES = 41, LAYERS = 10, MOST = CELLS * LAYERS };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "double", acc)

static void
set_one(double *x) {
  *x = 1;
}
static void
set_two(double *x) {
  *x = 2;
}
static void
add_one(double *sum) {
  *sum += 1;
}
static void
add(const double *x, double *sum) {
  *sum += *x;
}
static void
difference(const double *above, const double *here, double *out) {
  *out = *above - *here;
}

static double found[MOST], want[MOST], x[MOST], y[MOST];
static int corner[CELLS][3], range[2 * CELLS];

/* Corners of the base, some of which repeat; columns of 0 to LAYERS layers. */
static void
make(void) {
  for (int c = 0; c < CELLS; c++) {
    for (int i = 0; i < 3; i++) corner[c][i] = (c / 2 + i * (c % 5)) % NODES;
    range[2 * c] = c % 3;
    range[2 * c + 1] = c % 3 + c * 7 % (LAYERS + 1 - c % 3);
  }
  for (int i = 0; i < MOST; i++) x[i] = i % 17, y[i] = i % 5;
}

static void
check_dat(op_dat d, int n) {
  op_fetch_data(d, found);
  for (int i = 0; i < n; i++) CHECK_REAL(found[i], want[i]);
}

static void
want_all(double value, int n) {
  for (int i = 0; i < n; i++) want[i] = value;
}

/* ---- layers that meet ----------------------------------------------------- */

static void
meet(void) {
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  op_set inner = op2_columns_region(columns, OP2_INTERIOR, "inner");
  op_map up = op2_decl_map_columns(columns, base, NULL, NULL, "up");
  CHECK_INT(op_get_size(columns), CELLS * LAYERS);
  CHECK_INT(op_get_size(inner), CELLS * (LAYERS - 1));
  CHECK_INT(up->dim, 1);
  op_dat sum = op_decl_dat(base, 1, "double", (double *)NULL, "sum");
  op_par_loop(add_one, "add_one", inner, VIA(sum, 0, up, OP_INC));
  want_all(LAYERS - 1, CELLS);
  check_dat(sum, CELLS);
  op_par_loop(add_one, "add_one", columns, VIA(sum, 0, up, OP_INC));
  want_all(2 * LAYERS - 1, CELLS);
  check_dat(sum, CELLS);
}

static void
regions(void) {
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  op_set bottom = op2_columns_region(columns, OP2_BOTTOM, "bottom");
  op_set top = op2_columns_region(columns, OP2_TOP, "top");
  op_set ends = op2_set_union(top, bottom, "ends");
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  op_dat own = op_decl_dat(ends, 1, "double", y, "own");
  op_par_loop(set_one, "set_one", bottom, OWN(d, OP_WRITE));
  op_par_loop(set_two, "set_two", top, OWN(d, OP_WRITE));
  op_par_loop(add, "add", ends, OWN(own, OP_READ), OWN(d, OP_INC));
  for (int b = 0; b < CELLS; b++)
    for (int l = 0; l < LAYERS; l++) {
      int e = b * LAYERS + l;
      want[e] = l == 0            ? 1 + y[2 * b]
                : l == LAYERS - 1 ? 2 + y[2 * b + 1]
                                  : x[e];
    }
  check_dat(d, CELLS * LAYERS);
}

/* ---- maps between columns -------------------------------------------------- */

static int
node_of(int c, int l, int i) {
  return corner[c][i % 3] * (LAYERS + 1) + l + i / 3;
}

/* Prisms: three corners below, three above. */
static void
prisms(void) {
  static int six[CELLS][6], offset[] = {0, 0, 0, 1, 1, 1};
  op_set cells = op_decl_set(CELLS, "cells"),
         nodes = op_decl_set(NODES, "nodes");
  for (int c = 0; c < CELLS; c++)
    for (int i = 0; i < 6; i++) six[c][i] = corner[c][i % 3];
  op_map base = op_decl_map(cells, nodes, 6, six[0], "base");
  op_set prism = op2_decl_columns(cells, LAYERS, "prism");
  op_set node = op2_decl_columns(nodes, LAYERS + 1, "node");
  op_map m = op2_decl_map_columns(prism, node, base, offset, "m");
  op_map flat = op2_decl_map_columns(prism, nodes, base, NULL, "flat");
  op_dat dx = op_decl_dat(prism, 1, "double", x, "px");
  op_dat dy = op_decl_dat(node, 1, "double", y, "py");
  op_dat sum = op_decl_dat(node, 1, "double", (double *)NULL, "sum");
  op_dat all = op_decl_dat(nodes, 1, "double", (double *)NULL, "all");
  op_dat up = op_decl_dat(prism, 1, "double", (double *)NULL, "up");
  for (int i = 0; i < 6; i++) {
    op_par_loop(add, "add", prism, OWN(dx, OP_READ), VIA(sum, i, m, OP_INC));
    op_par_loop(add, "add", prism, OWN(dx, OP_READ), VIA(all, i, flat, OP_INC));
  }
  op_par_loop(difference, "difference", prism, VIA(dy, 4, m, OP_READ),
              VIA(dy, 1, m, OP_READ), OWN(up, OP_WRITE));
  want_all(0, NODES * (LAYERS + 1));
  for (int e = 0; e < CELLS * LAYERS; e++)
    for (int i = 0; i < 6; i++)
      want[node_of(e / LAYERS, e % LAYERS, i)] += x[e];
  check_dat(sum, NODES * (LAYERS + 1));
  want_all(0, NODES);
  for (int e = 0; e < CELLS * LAYERS; e++)
    for (int i = 0; i < 6; i++) want[corner[e / LAYERS][i % 3]] += x[e];
  check_dat(all, NODES);
  for (int e = 0; e < CELLS * LAYERS; e++)
    want[e] = y[node_of(e / LAYERS, e % LAYERS, 4)] -
              y[node_of(e / LAYERS, e % LAYERS, 1)];
  check_dat(up, CELLS * LAYERS);
}

/* ---- columns of their own lengths ------------------------------------------ */

static int first[CELLS + 1];

static void
lengths(void) {
  int above[] = {1};
  for (int b = 0; b < CELLS; b++)
    first[b + 1] = first[b] + range[2 * b + 1] - range[2 * b];
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns_var(base, range, "columns");
  op_set inner = op2_columns_region(columns, OP2_INTERIOR, "inner");
  op_map up = op2_decl_map_columns(columns, base, NULL, NULL, "up");
  op_map next = op2_decl_map_columns(inner, columns, NULL, above, "next");
  CHECK_INT(op_get_size(columns), first[CELLS]);
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  op_dat step = op_decl_dat(columns, 1, "double", y, "step");
  op_dat sum = op_decl_dat(base, 1, "double", (double *)NULL, "sum");
  op_par_loop(difference, "difference", inner, VIA(d, 0, next, OP_READ),
              OWN(d, OP_READ), OWN(step, OP_WRITE));
  op_par_loop(add, "add", columns, OWN(step, OP_READ), VIA(sum, 0, up, OP_INC));
  for (int b = 0; b < CELLS; b++)
    for (int e = first[b]; e < first[b + 1]; e++)
      want[e] = e + 1 < first[b + 1] ? x[e + 1] - x[e] : y[e];
  check_dat(step, first[CELLS]);
  for (int b = 0; b < CELLS; b++) {
    double s = 0;
    for (int e = first[b]; e < first[b + 1]; e++) s += want[e];
    CHECK_REAL((op_fetch_data(sum, found), found[b]), s);
  }
}

/* Layers 2 to 5 of every column that has them, from columns of any length. */
static void
between(void) {
  static int part[2 * CELLS], one[CELLS], zero[] = {0};
  for (int b = 0; b < CELLS; b++) {
    bool has = range[2 * b] <= 2 && range[2 * b + 1] >= 5;
    one[b] = b, part[2 * b] = 2, part[2 * b + 1] = has ? 5 : 2;
  }
  op_set base = op_decl_set(CELLS, "base"), same = op_decl_set(CELLS, "same");
  op_map id = op_decl_map(same, base, 1, one, "id");
  op_set columns = op2_decl_columns_var(base, range, "columns");
  op_set some = op2_decl_columns_var(same, part, "some");
  op_map m = op2_decl_map_columns(some, columns, id, zero, "m");
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  op_par_loop(set_two, "set_two", some, VIA(d, 0, m, OP_WRITE));
  for (int b = 0; b < CELLS; b++)
    for (int e = first[b]; e < first[b + 1]; e++) {
      int l = e - first[b] + range[2 * b];
      want[e] = part[2 * b + 1] == 5 && l >= 2 && l < 5 ? 2 : x[e];
    }
  check_dat(d, first[CELLS]);
}

/* ---- other layers of the same column ---------------------------------------- */

#define LAYER(d, dl, acc) op2_arg_dat_layer(d, dl, 1, "double", acc)

static void
second(const double *above, const double *here, const double *below,
       double *out) {
  *out = *above - 2 * *here + *below;
}
static void
copy(const double *from, double *to) {
  *to = *from;
}

/* Of columns whose elements are first[b] to first[b + 1] - 1. */
static void
want_second(int columns) {
  for (int b = 0; b < columns; b++)
    for (int e = first[b]; e < first[b + 1]; e++)
      want[e] = e == first[b] || e + 1 == first[b + 1]
                    ? y[e]
                    : x[e + 1] - 2 * x[e] + x[e - 1];
}

static void
over_columns(op_set columns, int n) {
  op_set inner = op2_columns_region(columns, OP2_INTERIOR, "inner");
  op_set bottom = op2_columns_region(columns, OP2_BOTTOM, "bottom");
  op_set top = op2_columns_region(columns, OP2_TOP, "top");
  op_set middle = op2_set_difference(inner, bottom, "middle");
  op_set above = op2_set_difference(columns, bottom, "above");
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  op_dat out = op_decl_dat(columns, 1, "double", y, "out");
  op_dat sum = op_decl_dat(columns, 1, "double", y, "sum");
  op_par_loop(second, "second", middle, LAYER(d, 1, OP_READ), OWN(d, OP_READ),
              LAYER(d, -1, OP_READ), LAYER(out, 0, OP_WRITE));
  want_second(n);
  check_dat(out, first[n]);
  op_par_loop(add, "add", inner, OWN(d, OP_READ), LAYER(sum, 1, OP_INC));
  op_par_loop(add, "add", above, OWN(d, OP_READ), LAYER(sum, -1, OP_INC));
  for (int b = 0; b < n; b++)
    for (int e = first[b]; e < first[b + 1]; e++)
      want[e] = y[e] + (e > first[b] ? x[e - 1] : 0) +
                (e + 1 < first[b + 1] ? x[e + 1] : 0);
  check_dat(sum, first[n]);
  op_set ends = op2_set_intersection(top, above, "ends");
  op_par_loop(copy, "copy", ends, OWN(d, OP_READ), LAYER(sum, -1, OP_WRITE));
  for (int b = 0; b < n; b++)
    if (first[b + 1] > first[b] + 1)
      want[first[b + 1] - 2] = x[first[b + 1] - 1];
  check_dat(sum, first[n]);
}

static void
layers(void) {
  op_set base = op_decl_set(CELLS, "base");
  over_columns(op2_decl_columns_var(base, range, "columns"), CELLS);
  for (int b = 0; b <= CELLS; b++) first[b] = b * LAYERS;
  base = op_decl_set(CELLS, "base"); /* the other may have moved */
  over_columns(op2_decl_columns(base, LAYERS, "columns"), CELLS);
}

/* ---- what sees one rank's numbers ------------------------------------------- */

#ifndef TEST_MPI_SLICE_H
static void
add_number(const int *e, double *out) {
  *out += *e;
}

static void
indices(void) {
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  op_set inner = op2_columns_region(columns, OP2_INTERIOR, "inner");
  int at[] = {0, LAYERS, 3};
  op_set some = op2_decl_subset(inner, 3, at, "some");
  op_dat d = op_decl_dat(columns, 1, "double", x, "d");
  op_par_loop(set_one, "set_one", some, OWN(d, OP_WRITE));
  op_par_loop(add_number, "add_number", inner, op_arg_idx(-1, OP_ID),
              OWN(d, OP_INC));
  for (int e = 0; e < CELLS * LAYERS; e++)
    want[e] = (e == 0 || e == LAYERS + 1 || e == 3 ? 1 : x[e]) +
              (e % LAYERS < LAYERS - 1 ? e : 0);
  check_dat(d, CELLS * LAYERS);
}

static void
freed(void) {
  op_set base = op_decl_set(CELLS, "base");
  op_set columns = op2_decl_columns(base, LAYERS, "columns");
  op_set inner = op2_columns_region(columns, OP2_INTERIOR, "inner");
  op_map up = op2_decl_map_columns(inner, base, NULL, NULL, "up");
  op_dat sum = op_decl_dat(base, 1, "double", (double *)NULL, "sum");
  op_par_loop(add_one, "add_one", inner, VIA(sum, 0, up, OP_INC));
  op2_set_error_handler(on_error, NULL);
  CHECK(op2_free(columns));
  CHECK(strstr(message, "no set made of it, found \"inner\""));
  op2_set_error_handler(NULL, NULL);
  op2_free(up);
  op2_free(inner);
  CHECK_INT(op2_free(columns), 0);
  want_all(LAYERS - 1, CELLS);
  check_dat(sum, CELLS);
}

/* ---- what is refused ---------------------------------------------------------- */

#define REFUSED(call, text)                                                    \
  do {                                                                         \
    int before = errors;                                                       \
    CHECK((call) == NULL);                                                     \
    CHECK_INT(errors, before + 1);                                             \
    CHECK_INT(code, OP2_ERR_ARG);                                              \
    if (!strstr(message, text)) puts(message), CHECK_INT(0, __LINE__);         \
  } while (0)

static void
refused_sets(op_set base) {
  int backwards[2 * CELLS] = {0, 1, 3, 2}, below[2 * CELLS] = {-1, 1};
  REFUSED(op2_decl_columns(NULL, 3, "c"), "base: expected a declared set");
  REFUSED(op2_decl_columns(base, 0, "c"),
          "layers: expected 1 or more, found 0");
  REFUSED(op2_decl_columns(base, 1 << 30, "c"), "at most 2147483647 elements");
  REFUSED(op2_decl_columns(base, 3, NULL), "name: expected a text, found NULL");
  REFUSED(op2_decl_columns_var(base, NULL, "c"), "60 pairs of layers");
  REFUSED(op2_decl_columns_var(base, backwards, "c"),
          "range of column 1: expected 0 <= first layer <= end, found 3 to 2");
  REFUSED(op2_decl_columns_var(base, below, "c"), "found -1 to 1");
  REFUSED(op2_columns_region(base, OP2_TOP, "r"),
          "a set of op2_decl_columns, found set \"base\"");
  REFUSED(op2_columns_region(op2_decl_columns(base, 2, "c"), 7, "r"),
          "OP2_BOTTOM, OP2_TOP or OP2_INTERIOR, found 7");
}

static void
refused_maps(op_set base) {
  int one[] = {1}, back[] = {-1};
  op_set c = op2_decl_columns(base, 3, "c"), other = op_decl_set(2, "other");
  op_set d = op2_decl_columns(other, 3, "d");
  op_set r = op2_columns_region(c, OP2_INTERIOR, "r");
  REFUSED(op2_decl_map_columns(c, c, NULL, one, "m"),
          "entry 0 of element 2: layer 2, offset 1: expected layers 0 to 2 of "
          "its column in \"c\", found 3");
  REFUSED(op2_decl_map_columns(r, c, NULL, back, "m"), "element 0: layer 0");
  REFUSED(op2_decl_map_columns(base, c, NULL, one, "m"),
          "from: expected a set of op2_decl_columns, or a subset of one");
  REFUSED(op2_decl_map_columns(c, d, NULL, one, "m"),
          "to: expected columns over set \"base\", or that set, found \"d\"");
  REFUSED(op2_decl_map_columns(c, base, NULL, one, "m"),
          "offset: expected NULL, since all layers");
  REFUSED(op2_decl_map_columns(r, c, NULL, NULL, "m"),
          "offset: expected 1 numbers, found NULL");
  REFUSED(op2_decl_map_columns(c, c, (op_map)c, one, "m"), "declared map");
  int zeros[6] = {0};
  op_map up = op2_decl_map_columns(c, base, NULL, NULL, "up");
  op_map m = op_decl_map(other, base, 3, zeros, "m");
  REFUSED(op2_decl_map_columns(c, c, m, zeros, "m"),
          "base: expected a map from set \"base\", the base of \"c\", found "
          "\"m\" from \"other\"");
  CHECK(up != NULL);
}

static void
refused_layers(op_set base) {
  op_set c = op2_decl_columns(base, 3, "c");
  op_set r = op2_columns_region(c, OP2_INTERIOR, "r");
  op_dat d = op_decl_dat(c, 1, "double", x, "d");
  op_dat flat = op_decl_dat(base, 1, "double", x, "flat");
  int before = errors;
  op_par_loop(set_one, "set_one", c, LAYER(d, 1, OP_WRITE));
  CHECK(strstr(message, "op_par_loop \"set_one\": argument 0: layer +1: "
                        "expected a loop over a region where all elements "
                        "have it, found set \"c\", whose element 2 is in "
                        "layer 2 of 0 to 2"));
  op_par_loop(set_one, "set_one", r, LAYER(d, -1, OP_WRITE));
  CHECK(strstr(message, "set \"r\", whose element 0 is in layer 0 of 0 to 2"));
  op_par_loop(set_one, "set_one", base, LAYER(flat, 1, OP_WRITE));
  CHECK(strstr(message,
               "expected a dat on columns (op2_decl_columns) or a box, found "
               "flat on set \"base\""));
  op_par_loop(set_one, "set_one", base, LAYER(d, 1, OP_WRITE));
  CHECK(strstr(message, "wrong set"));
  CHECK_INT(errors, before + 4);
}

static void
refused(void) {
  op_set base = op_decl_set(CELLS, "base");
  op2_set_error_handler(on_error, NULL);
  refused_sets(base);
  refused_maps(base);
  refused_layers(base);
  op_set c = op2_decl_columns(base, 3, "c");
  int before = errors;
  op_partition("RANDOM", "", c, NULL, NULL);
  CHECK_INT(errors, before + 1);
  CHECK(strstr(message, "expected one of the base \"base\""));
  op2_set_error_handler(NULL, NULL);
}
#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  make();
  meet();
  regions();
  prisms();
  lengths();
  between();
  layers();
#ifndef TEST_MPI_SLICE_H
  indices();
  freed();
  refused();
#endif
  return check_end();
}
