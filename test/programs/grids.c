/* Icosahedral grids: all nine connectivities against geometry, in their order, and
 * against their transposes; by rule and by table. Exact: integers. */
#include "check.h"
#include "errors.h"

enum { NI = 6, NJ = 5, MOST = 6 };

/* Places in units of which a and b have six: |x a + y b|^2 = x x - x y + y y. */
static const int places[3][3][2] = {
    {{4, 2}, {2, 4}}, {{3, 0}, {0, 3}, {3, 3}}, {{0, 0}}};
static const int colours[3] = {2, 3, 1}; /* cells, edges, vertices */
static const char *const words[3] = {"cells", "edges", "vertices"};
static const int counts[3][3] = {{3, 3, 3}, {2, 4, 2}, {6, 6, 6}};
/* |distance|^2 of neighbours */
static const int far[3][3] = {{12, 3, 12}, {3, 9, 9}, {12, 9, 36}};

static void
take(int **at, const int *length, int *out) {
  for (int k = 0; k < *length; k++)
    for (int c = 0; c < 2; c++) out[2 * k + c] = at[k][c];
}
static void
divergence(double **flux, double *out) {
  *out = flux[0][0] + flux[1][0] - 2 * flux[2][0];
}
static void
add_half(const double *x, double *a, double *b) {
  *a += *x;
  *b -= *x / 2;
}

static void
place_of(int kind, int colour, int i, int j, int *out) {
  out[0] = 6 * i + places[kind][colour][0];
  out[1] = 6 * j + places[kind][colour][1];
}

static int
distance(const int *a, const int *b) {
  int x = a[0] - b[0], y = a[1] - b[1];
  return x * x - x * y + y * y;
}

/* ---- neighbours by geometry ---------------------------------------------------- */

/* got[e][k]: places of the neighbours that loops see. */
static int got[3][3][NI * NJ * 3][MOST][2];

static op_dat
places_on(op_set set, int kind) {
  static int at[(NI + 2) * (NJ + 2) * 3][2];
  char name[32];
  for (int j = -1; j <= NJ; j++)
    for (int c = 0; c < colours[kind]; c++)
      for (int i = -1; i <= NI; i++)
        place_of(kind, c, i, j,
                 at[i + 1 + (NI + 2) * (c + colours[kind] * (j + 1))]);
  snprintf(name, sizeof name, "places_%s", words[kind]);
  return op2_decl_dat_box(set, ((int[]){1, 1, 1, 1}), 2, "int", at[0], name);
}

/* Those of one pair, by rule or by table. */
static void
look(op_set from, op_map map, int a, int b, op_dat places_b) {
  int n = counts[a][b], elements = NI * NJ * colours[a];
  op_dat out = op_decl_dat_temp(from, 2 * MOST, "int", (int *)NULL, "out");
  op_par_loop(take, "take", from,
              op_arg_dat(places_b, -n, map, 2, "int", OP_READ),
              op2_arg_row_length(map),
              op_arg_dat(out, -1, OP_ID, 2 * MOST, "int", OP_RW));
  static int seen[NI * NJ * 3][MOST][2];
  op_fetch_data(out, &seen[0][0][0]);
  memcpy(got[a][b], seen, sizeof seen[0] * (size_t)elements);
  CHECK_INT(op_free_dat_temp(out), 0);
}

/* Each is as far as neighbours are, no two are one, and there are no others. */
static void
check_pair(int a, int b) {
  for (int e = 0; e < NI * NJ * colours[a]; e++) {
    int i = e % NI, c = e / NI % colours[a], j = e / NI / colours[a];
    int own[2], other[2], near = 0;
    place_of(a, c, i, j, own);
    for (int k = 0; k < counts[a][b]; k++) {
      CHECK_INT(distance(own, got[a][b][e][k]), far[a][b]);
      for (int l = 0; l < k; l++)
        CHECK(distance(got[a][b][e][k], got[a][b][e][l]));
    }
    for (int d = 0; d < 25 * colours[b]; d++) {
      place_of(b, d / 25, i + d % 5 - 2, j + d / 5 % 5 - 2, other);
      near += distance(own, other) == far[a][b];
    }
    CHECK_INT(near, counts[a][b]);
  }
}

/* f x = g s + h t? */
static int
is_sum(int f, const int *x, int g, const int *s, int h, const int *t) {
  return f * x[0] == g * s[0] + h * t[0] && f * x[1] == g * s[1] + h * t[1];
}

enum { CELLS, EDGES, VERTICES };

static void
check_orders(void) {
  int own[2];
  for (int e = 0; e < 2 * NI * NJ; e++) {
    place_of(CELLS, e / NI % 2, e % NI, e / NI / 2, own);
    for (int k = 0; k < 3; k++) {
      const int *edge = got[CELLS][EDGES][e][k];
      CHECK(is_sum(2, edge, 1, own, 1, got[CELLS][CELLS][e][k]));
      CHECK(is_sum(3, own, 1, got[CELLS][VERTICES][e][k], 2, edge));
    }
  }
  for (int e = 0; e < NI * NJ; e++) {
    place_of(VERTICES, 0, e % NI, e / NI, own);
    for (int k = 0; k < 6; k++) {
      const int *v = got[VERTICES][VERTICES][e][k];
      const int *next = got[VERTICES][VERTICES][e][(k + 1) % 6];
      const int *cell = got[VERTICES][CELLS][e][k];
      CHECK(is_sum(2, got[VERTICES][EDGES][e][k], 1, own, 1, v));
      for (int d = 0; d < 2; d++)
        CHECK_INT(3 * cell[d], own[d] + v[d] + next[d]);
      int cross = (v[0] - own[0]) * (next[1] - own[1]) -
                  (v[1] - own[1]) * (next[0] - own[0]);
      CHECK(cross > 0);
    }
  }
  for (int e = 0; e < 3 * NI * NJ; e++) {
    place_of(EDGES, e / NI % 3, e % NI, e / NI / 3, own);
    CHECK(is_sum(2, own, 1, got[EDGES][VERTICES][e][0], 1,
                 got[EDGES][VERTICES][e][1]));
    for (int k = 0; k < 2; k++) {
      const int *cell = got[EDGES][CELLS][e][k];
      CHECK_INT((cell[0] + 6) % 6, places[CELLS][k][0]);
      for (int l = 2 * k; l < 2 * k + 2; l++)
        CHECK_INT(distance(cell, got[EDGES][EDGES][e][l]), far[CELLS][EDGES]);
    }
  }
}

static void
geometry(void) {
  op_set sets[3];
  op_dat at[3];
  for (int a = 0; a < 3; a++) {
    sets[a] = op2_decl_grid((idx_g_t[]){NI, NJ}, colours[a], NULL, words[a]);
    at[a] = places_on(sets[a], a);
    CHECK_INT(op_get_size(sets[a]), NI * NJ * colours[a]);
  }
  for (int tables = 0; tables < 2; tables++) {
    memset(got, 0, sizeof got);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        op_map m = op2_decl_map_grid(sets[a], sets[b], "neighbours");
        CHECK_INT(m->dim, counts[a][b]);
        if (tables) m = op2_map_materialise(m, "table");
        look(sets[a], m, a, b, at[b]);
        check_pair(a, b);
      }
    check_orders();
  }
}

/* ---- on a torus: transposes, and cells by number --------------------------------- */

static int
names(op_map m, int e, int f) {
  int n = 0;
  for (int k = 0; k < m->dim; k++) n += m->map[e * m->dim + k] == f;
  return n;
}

static void
transposes(void) {
  int periodic[] = {OP2_PERIODIC, OP2_PERIODIC};
  op_set sets[3];
  op_map maps[3][3];
  for (int a = 0; a < 3; a++)
    sets[a] =
        op2_decl_grid((idx_g_t[]){NI, NJ}, colours[a], periodic, words[a]);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      maps[a][b] = op2_map_materialise(
          op2_decl_map_grid(sets[a], sets[b], "round"), "round_table");
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int e = 0; e < NI * NJ * colours[a]; e++)
        for (int f = 0; f < NI * NJ * colours[b]; f++)
          CHECK_INT(names(maps[a][b], e, f), names(maps[b][a], f, e));
  const int *c = maps[CELLS][CELLS]->map;
  int of14[] = {20, 21, 8}, of20[] = {13, 26, 14};
  CHECK_INTS(c + 3 * 14, of14, 3);
  CHECK_INTS(c + 3 * 20, of20, 3);
}

/* Gathers and increments through rules, against plain tables. */
static void
computes(void) {
  enum { CELL = 2 * NI * NJ, EDGE = 3 * NI * NJ };
  int periodic[] = {OP2_PERIODIC, OP2_PERIODIC};
  double flux[EDGE], cell[CELL], found[CELL];
  op_set cells = op2_decl_grid((idx_g_t[]){NI, NJ}, 2, periodic, "c");
  op_set edges = op2_decl_grid((idx_g_t[]){NI, NJ}, 3, periodic, "e");
  op_map ce = op2_decl_map_grid(cells, edges, "ce");
  op_map ec = op2_decl_map_grid(edges, cells, "ec");
  op_map ce_table = op2_map_materialise(ce, "ce_table");
  op_map ec_table = op2_map_materialise(ec, "ec_table");
  for (int e = 0; e < EDGE; e++) flux[e] = (e * 31) % 17;
  op_dat df = op_decl_dat(edges, 1, "double", flux, "flux");
  op_dat dc = op_decl_dat(cells, 1, "double", (double *)NULL, "div");
  op_par_loop(divergence, "divergence", cells,
              op_arg_dat(df, -3, ce, 1, "double", OP_READ),
              op_arg_dat(dc, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(add_half, "add_half", edges,
              op_arg_dat(df, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dc, 0, ec, 1, "double", OP_INC),
              op_arg_dat(dc, 1, ec, 1, "double", OP_INC));
  for (int c = 0; c < CELL; c++) {
    const int *row = ce_table->map + 3 * c;
    cell[c] = flux[row[0]] + flux[row[1]] - 2 * flux[row[2]];
  }
  for (int e = 0; e < EDGE; e++)
    add_half(&flux[e], &cell[ec_table->map[2 * e]],
             &cell[ec_table->map[2 * e + 1]]);
  op_fetch_data(dc, found);
  CHECK_REALS(found, cell, CELL);
  printf("bits %016llx\n", (unsigned long long)check_hash(found, sizeof found,
                                                          0xcbf29ce484222325u));
}

/* ---- what is refused ------------------------------------------------------------- */

static void
expect(const char *text) {
  static int wrong;
  CHECK_INT(errors, ++wrong);
  CHECK_INT(code, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}

static void
refused(void) {
  idx_g_t n[] = {NI, NJ};
  op_set cells = op2_decl_grid(n, 2, NULL, "cells");
  op_set four = op2_decl_grid(n, 4, NULL, "four");
  op_set box = op2_decl_box(2, n, NULL, "box");
  op2_set_error_handler(on_error, NULL);
  CHECK(!op2_decl_grid(n, 0, NULL, "none"));
  expect("\"none\": colours: expected 1 to 64, found 0");
  CHECK(!op2_decl_map_grid(cells, four, "m"));
  expect("\"m\": expected grids of cells (2 colours), edges (3) or vertices "
         "(1), found \"cells\" with 2 and \"four\" with 4");
  CHECK(!op2_decl_map_grid(box, cells, "m"));
  expect("found \"box\" with 1 and \"cells\" with 2");
  CHECK(!op2_decl_map_rule(cells, four, 1, (int[]){0, 0, 3, 0, 0, 4}, "m"));
  expect("\"m\": colour 1, entry 0: colour of \"four\": expected 0 to 3, found "
         "4");
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  geometry();
  transposes();
  computes();
  refused();
  return check_end();
}
