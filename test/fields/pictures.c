/* op2_write_vtk, on any number of ranks, each of which declares its part:
 *   pictures write [moved]    two series, quads.vtkhdf and tets.vtkhdf; moved:
 *                             elements go to other ranks first
 *   pictures wrong            what is wrong is told, and changes no file
 * What is in the files test/fields/run.sh has others look at. */
#include "test/fields/pictures.h"
#include "test/programs/check.h"

static int rank, ranks;

static int
first_of(int n, int r) {
  return n * r / ranks;
}

static void
fill_q(double *q, const long long *e, const int *step) {
  for (int k = 0; k < 2; k++)
    q[k] = (double)((*e * 3 + k * 7 + *step * 11) % 101) + 0.25;
}
static void
fill_t(float *t, const long long *e, const int *step) {
  *t = (float)((*e * 3 + *step * 11) % 101) - 0.5f;
}
static void
shear(double *x) {
  double across = x[0] * 2;
  x[0] += 0.125 * across;
  x[1] += 0.125 * across;
}

/* ---- quads: every type --------------------------------------------------- */

#define TYPES(X)                                                               \
  X(double, "double", f64)                                                     \
  X(float, "float", f32)                                                       \
  X(int, "int", i32)                                                           \
  X(unsigned, "uint", u32)                                                     \
  X(long long, "ll", i64)                                                      \
  X(unsigned long long, "ull", u64)                                            \
  X(short, "short", i16)                                                       \
  X(signed char, "char", i8)                                                   \
  X(unsigned char, "uchar", u8)

static op_set cells, nodes;
static op_map cell_nodes;
static op_dat x, q, t, flag, vector, five, all[9], cell_number, node_number;
static op_dat named[5];
enum { NDATS = 14 };

#define VALUES(type, name, tag)                                                \
  static op_dat declare_##tag(int lo, int n) {                                 \
    static type v[QUADS];                                                      \
    for (int e = 0; e < n; e++) v[e] = (type)value_of(lo + e, 0, 0);           \
    return op_decl_dat(cells, 1, name, v, "types/" #tag);                      \
  }
TYPES(VALUES)

static void
declare_types(int lo, int n) {
  static bool on[QUADS];
  static short v[QUADS][5];
  int i = 0;
#define DECLARE(type, name, tag) all[i++] = declare_##tag(lo, n);
  TYPES(DECLARE)
  for (int e = 0; e < n; e++) {
    on[e] = (lo + e) % 3 == 0;
    for (int k = 0; k < 5; k++) v[e][k] = (short)value_of(lo + e, k, 0);
  }
  five = op_decl_dat(cells, 5, "short", &v[0][0], "five");
  flag = op_decl_dat(cells, 1, "bool", on, "flag");
}

/* A dat has the name that another one's component has in XDMF; names with what
 * patterns have. */
static void
declare_names(int lo, int n) {
  static const char *const odd[] = {"a%", "b%%", "c%b"};
  static int v[QUADS];
  named[0] = five;
  named[1] = op_decl_dat(cells, 1, "int", (int *)NULL, "five_0");
  for (int k = 0; k < 3; k++) {
    for (int e = 0; e < n; e++) v[e] = (int)value_of(lo + e, k, 0);
    named[2 + k] = op_decl_dat(cells, 1, "int", v, odd[k]);
  }
}

static op_dat
numbers(op_set set, int lo, int n) {
  static long long v[NODES];
  for (int i = 0; i < n; i++) v[i] = lo + i;
  return op_decl_dat(set, 1, "ll", v, "numbers");
}

static void
declare_quads(void) {
  static int table[QUADS][4];
  static double at[NODES][2];
  static int v[NODES][3];
  int lo = first_of(QUADS, rank), n = first_of(QUADS, rank + 1) - lo;
  int first = first_of(NODES, rank), m = first_of(NODES, rank + 1) - first;
  for (int e = 0; e < n; e++)
    for (int i = 0; i < 4; i++) table[e][i] = quad_node(lo + e, i);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < 3; k++) {
      if (k < 2) at[i][k] = quad_x(first + i, k, 0);
      v[i][k] = (int)value_of(first + i, k, 0) - 50;
    }
  cells = op_decl_set(n, "cells");
  nodes = op_decl_set(m, "nodes");
  cell_nodes = op_decl_map(cells, nodes, 4, &table[0][0], "cell_nodes");
  x = op_decl_dat(nodes, 2, "double", &at[0][0], "x");
  vector = op_decl_dat(nodes, 3, "int", &v[0][0], "v <\"&>");
  q = op_decl_dat(cells, 2, "double:soa", (double *)NULL, "flow/q");
  t = op_decl_dat(nodes, 1, "float", (float *)NULL, "t");
  cell_number = numbers(cells, lo, n);
  node_number = numbers(nodes, first, m);
  declare_types(lo, n);
  declare_names(lo, n);
}

static void
step_quads(int step) {
  op_dat dats[NDATS] = {q, t, flag, vector, five};
  memcpy(dats + 5, all, sizeof all);
  op_par_loop(fill_q, "fill_q", cells,
              op_arg_dat(q, -1, OP_ID, 2, "double:soa", OP_WRITE),
              op_arg_dat(cell_number, -1, OP_ID, 1, "ll", OP_READ),
              op_arg_gbl(&step, 1, "int", OP_READ));
  op_par_loop(fill_t, "fill_t", nodes,
              op_arg_dat(t, -1, OP_ID, 1, "float", OP_WRITE),
              op_arg_dat(node_number, -1, OP_ID, 1, "ll", OP_READ),
              op_arg_gbl(&step, 1, "int", OP_READ));
  if (step == MOVED)
    op_par_loop(shear, "shear", nodes,
                op_arg_dat(x, -1, OP_ID, 2, "double", OP_RW));
  int st = op2_write_vtk("quads.vtkhdf", time_of(step), cell_nodes, 9, x, NDATS,
                         dats);
  if (st) printf("%s\n", op2_last_error());
  CHECK_INT(st, 0);
}

/* ---- tetrahedra: the kind of cell by rule, one step, nothing on them ------ */

static void
write_tets(void) {
  float at[CORNERS][3];
  int table[TETS][4];
  int lo = first_of(TETS, rank), n = first_of(TETS, rank + 1) - lo;
  int first = first_of(CORNERS, rank), m = first_of(CORNERS, rank + 1) - first;
  for (int i = 0; i < m; i++)
    for (int k = 0; k < 3; k++) at[i][k] = (float)((first + i) >> k & 1);
  memcpy(table, tet_node[lo], sizeof table[0] * (size_t)n);
  op_set tets = op_decl_set(n, "tets"), corners = op_decl_set(m, "corners");
  op_map map = op_decl_map(tets, corners, 4, &table[0][0], "tet_corners");
  op_dat place = op_decl_dat(corners, 3, "float", &at[0][0], "place");
  CHECK_INT(op2_write_vtk("tets.vtkhdf", 0, map, 0, place, 0, NULL), 0);
}

static void
write_names(void) {
  for (int s = 0; s < 2; s++)
    CHECK_INT(op2_write_vtk("names.vtkhdf", s, cell_nodes, 9, x, 5, named), 0);
}

static void
write_all(bool moved) {
  declare_quads();
  if (moved) op_partition("RANDOM", "", cells, cell_nodes, NULL);
  for (int s = 0; s < STEPS; s++) step_quads(s);
  write_names();
  write_tets();
}

/* ---- errors -------------------------------------------------------------- */

static int nmessages;
static char message[4096];

static void
on_error(int status, const char *text, void *user) {
  (void)status, (void)user;
  nmessages++;
  snprintf(message, sizeof message, "%s", text);
}

static void
said(int line, int st, int want, const char *words) {
  if (st != want || nmessages != 1 || !strstr(message, words))
    check_fail(__FILE__, line,
               "status %d, %d messages, \"%s\", expected "
               "\"...%s...\"",
               st, nmessages, message, words);
  nmessages = 0;
}
#define WRONG(status, words, ...)                                              \
  said(__LINE__, op2_write_vtk(__VA_ARGS__), OP2_ERR_##status, words)

struct own {
  double a, b, c;
};

static void
wrong_arguments(void) {
  struct own none[QUADS] = {{0}};
  op_dat lost = op_decl_dat(cells, 1, "own", none, "lost");
  op_dat wide = op_decl_dat(nodes, 4, "double", (double *)NULL, "wide");
  op_dat far =
      op_decl_dat(op_decl_set(1, "others"), 1, "int", (int *)NULL, "far");
  WRONG(ARG, "path: expected a file name, found NULL", NULL, 0, cell_nodes, 0,
        x, 0, NULL);
  WRONG(ARG, "path: expected the HDF5 file's", "a.xdmf", 0, cell_nodes, 0, x, 0,
        NULL);
  WRONG(ARG,
        "op2_write_vtk \"a.h5\": cells_to_nodes: expected a declared map, "
        "found NULL",
        "a.h5", 0, NULL, 0, x, 0, NULL);
  WRONG(ARG, "time: expected a finite number", "a.h5", 1 / 0., cell_nodes, 0, x,
        0, NULL);
  WRONG(ARG, "coordinates \"q\": wrong set: expected \"nodes\"", "a.h5", 0,
        cell_nodes, 0, op_decl_dat(cells, 2, "double", (double *)NULL, "q"), 0,
        NULL);
  WRONG(ARG, "coordinates \"wide\": dim: expected 1, 2 or 3, found 4", "a.h5",
        0, cell_nodes, 0, wide, 0, NULL);
  WRONG(ARG,
        "coordinates \"v <\"&>\": type: expected double or float, found "
        "\"int\"",
        "a.h5", 0, cell_nodes, 0, vector, 0, NULL);
  WRONG(ARG, "vtk_cell_type: expected 0 or one of 1 vertex, 3 line", "a.h5", 0,
        cell_nodes, 7, x, 0, NULL);
  WRONG(ARG,
        "vtk_cell_type 5 (triangle): map \"cell_nodes\": expected rows of "
        "3, found 4",
        "a.h5", 0, cell_nodes, 5, x, 0, NULL);
  WRONG(ARG, "n: expected 0 or more, found -1", "a.h5", 0, cell_nodes, 9, x, -1,
        NULL);
  WRONG(ARG, "dats: expected 2 dats, found NULL", "a.h5", 0, cell_nodes, 9, x,
        2, NULL);
  WRONG(ARG, "dat 1: expected a declared dat, found NULL", "a.h5", 0,
        cell_nodes, 9, x, 2, ((op_dat[]){t, NULL}));
  WRONG(ARG,
        "dat \"far\": wrong set: expected \"cells\" or \"nodes\" of map "
        "\"cell_nodes\", found \"others\"",
        "a.h5", 0, cell_nodes, 9, x, 1, &far);
  WRONG(ARG, "dat \"lost\": type: expected numbers, found \"own\"", "a.h5", 0,
        cell_nodes, 9, x, 1, &lost);
  WRONG(ARG, "expected one dat \"t\" on \"nodes\", found two", "a.h5", 0,
        cell_nodes, 9, x, 2, ((op_dat[]){t, t}));
}

static void
wrong_series(void) {
  int table[] = {0, 1, 2};
  op_map other = op_decl_map(op_decl_set(1, "one"), nodes, 3, table, "other");
  CHECK_INT(op2_write_vtk("b.h5", 1, cell_nodes, 9, x, 1, &t), 0);
  WRONG(ARG, "time: expected more than 1, that of the step before, found 1",
        "b.h5", 1, cell_nodes, 9, x, 1, &t);
  WRONG(ARG, "n: expected 1 dats, as in the series so far, found 0", "b.h5", 2,
        cell_nodes, 9, x, 0, NULL);
  WRONG(ARG,
        "dat 0: expected \"t\" (1 of f32 on nodes), as in the series so far, "
        "found \"flow_q\" (2 of f64 on cells)",
        "b.h5", 2, cell_nodes, 9, x, 1, &q);
  WRONG(ARG, "expected the mesh of the series so far (35 of quadrilateral",
        "b.h5", 2, other, 5, x, 1, &t);
  WRONG(IO, "\"/nowhere/a.h5.part\": cannot be written", "/nowhere/a.h5", 1,
        cell_nodes, 9, x, 1, &t);
  CHECK_INT(op2_write_vtk("b.h5", 2, cell_nodes, 9, x, 1, &t), 0);
  CHECK_INT(nmessages, 0);
}

static void
wrong(void) {
  op2_set_error_handler(on_error, NULL);
  declare_quads();
  wrong_arguments();
  wrong_series();
}

int
main(int argc, char **argv) {
  bool moved = !strcmp(argv[argc - 1], "moved");
  check_start(0, NULL);
  op_rank(&rank);
  op_set one = op_decl_set(1, "one of each rank");
  ranks = (int)op_get_size(one);
  op_exit();
  check_start(0, NULL);
  if (argc > 1 && !strcmp(argv[1], "wrong"))
    wrong();
  else
    write_all(moved);
  return check_end();
}
