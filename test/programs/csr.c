/* Maps whose rows have any length: empty ones, repeated targets, reads, increments,
 * minima, writes through them, alone and beside other maps; padded ones; composed
 * ones, and over subsets. Exact: integers, and sums of small whole numbers. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { CELLS = 300, NODES = 170, LONGEST = 9, ENTRIES = CELLS * LONGEST };

#define OWN(d, dim, type, acc) op_arg_dat(d, -1, OP_ID, dim, type, acc)
#define ROW(d, m, dim, type, acc) op_arg_dat(d, -LONGEST, m, dim, type, acc)

/* ---- kernels -------------------------------------------------------------- */

static void
gather(const int *n, double **x, double *sum, double *least) {
  *sum = 0;
  *least = 1e30;
  for (int i = 0; i < *n; i++) {
    *sum += x[i][0] + 2 * x[i][1];
    if (x[i][1] < *least) *least = x[i][1];
  }
}
static void
scatter(const int *n, const int *v, int **sum, int **low, int **high) {
  for (int i = 0; i < *n; i++) {
    *sum[i] += *v + i;
    if (*v - i < *low[i]) *low[i] = *v - i;
    if (*v + i > *high[i]) *high[i] = *v + i;
  }
}
static void
both(const int *n, const int *fixed, int **any, int *out) {
  *out = *fixed;
  for (int i = 0; i < *n; i++) *out = 3 * *out + *any[i];
}
static void
rotate(const int *n, int **x) {
  for (int i = 0; i + 1 < *n; i++) {
    int t = *x[i];
    *x[i] = *x[i + 1] + 1;
    *x[i + 1] = t + 1;
  }
}
static void
give(const int *n, const int *v, float **to) {
  for (int i = 0; i < *n; i++)
    for (int c = 0; c < 3; c++) to[i][c] = (float)(*v + 10 * i + c);
}
static void
even(const int *n, const int *v, float **to) {
  for (int i = 0; i < *n; i += 2) to[i][1] = (float)*v;
}
static void
lengths(const int *n, const int *two, const int *v, int *out) {
  *out = 1000 * *two + *n + 10000 * *v;
}
static void
weigh(const int *n, int **v, int *out) {
  *out = *n;
  for (int i = 0; i < *n; i++) *out += (i + 1) * *v[i];
}
static void
step(const int *v, int *out) {
  *out += 2 * *v;
}
static void
step_long(const idx_g_t *v, int *out) {
  *out += (int)(2 * *v);
}

/* ---- the mesh --------------------------------------------------------------- */

static int draw_state = 7;
static int
draw(int n) {
  draw_state = (int)((unsigned)draw_state * 1664525u + 1013904223u);
  return (int)(((unsigned)draw_state >> 9) % (unsigned)n);
}

static idx_g_t ptr[CELLS + 1];
static int col[ENTRIES], two[2 * CELLS], v[CELLS], x[NODES], y[CELLS],
    got[ENTRIES];
static int z[NODES], sum[NODES], low[NODES], high[NODES], dealt[ENTRIES],
    in[CELLS], nin;
static double p[2 * NODES], ps[CELLS], pl[CELLS], seen[ENTRIES];
static idx_g_t own_ptr[CELLS + 1];

static int
length(int c) {
  return (int)(ptr[c + 1] - ptr[c]);
}

static void
fill(void) {
  for (int c = 0; c < CELLS; c++) {
    int n = c % 11 == 3 ? 0 : 1 + draw(c % 50 ? 5 : LONGEST);
    if (c == 20) n = LONGEST;
    ptr[c + 1] = ptr[c] + n;
    for (int i = 0; i < n; i++)
      col[ptr[c] + i] = c % 7 || !i ? draw(NODES) : col[ptr[c]];
    two[2 * c] = draw(NODES);
    two[2 * c + 1] = draw(NODES);
    v[c] = draw(100);
    y[c] = c;
    if (c % 3 != 1) in[nin++] = c;
  }
  for (int n = 0; n < NODES; n++) {
    x[n] = draw(9);
    p[2 * n] = draw(20);
    p[2 * n + 1] = draw(20);
    sum[n] = n;
    low[n] = 1000;
    high[n] = -1000;
  }
}

static struct mesh {
  op_set cells, nodes;
  op_set items, part, no_cells;
  op_map row, two, deal, padded, some, first, far, round, none, no_rows;
  op_dat v, x, y, z, p, sum, low, high, value, given, no_value;
} m;

static void
declare(void) {
  m.cells = op_decl_set(CELLS, "cells");
  m.nodes = op_decl_set(NODES, "nodes");
  m.row = op2_decl_map_csr(m.cells, m.nodes, ptr, col, "row");
  m.two = op_decl_map(m.cells, m.nodes, 2, two, "two");
  m.v = op_decl_dat(m.cells, 1, "int", v, "v");
  m.y = op_decl_dat(m.cells, 1, "int", y, "y");
  m.x = op_decl_dat(m.nodes, 1, "int", x, "x");
  m.z = op_decl_dat(m.nodes, 1, "int", z, "z");
  m.p = op_decl_dat(m.nodes, 2, "double", p, "p");
  m.sum = op_decl_dat(m.nodes, 1, "int", sum, "sum");
  m.low = op_decl_dat(m.nodes, 1, "int", low, "low");
  m.high = op_decl_dat(m.nodes, 1, "int", high, "high");
  CHECK_INT(m.row->dim, LONGEST);
  CHECK(m.row->from == m.cells && m.row->to == m.nodes);
}

/* ---- reads ------------------------------------------------------------------ */

static void
reads(void) {
  op_dat ds = op_decl_dat(m.cells, 1, "double", (double *)NULL, "ds");
  op_dat dl = op_decl_dat(m.cells, 1, "double", (double *)NULL, "dl");
  op_par_loop(gather, "gather", m.cells, op2_arg_row_length(m.row),
              ROW(m.p, m.row, 2, "double", OP_READ),
              OWN(ds, 1, "double", OP_WRITE), OWN(dl, 1, "double", OP_WRITE));
  for (int c = 0; c < CELLS; c++) {
    ps[c] = 0;
    pl[c] = 1e30;
    for (idx_g_t k = ptr[c]; k < ptr[c + 1]; k++) {
      ps[c] += p[2 * col[k]] + 2 * p[2 * col[k] + 1];
      if (p[2 * col[k] + 1] < pl[c]) pl[c] = p[2 * col[k] + 1];
    }
  }
  op_fetch_data(ds, seen);
  CHECK_REALS(seen, ps, CELLS);
  op_fetch_data(dl, seen);
  CHECK_REALS(seen, pl, CELLS);
}

static void
reads_beside_others(void) {
  op_par_loop(both, "both", m.cells, op2_arg_row_length(m.row),
              op_arg_dat(m.x, 1, m.two, 1, "int", OP_READ),
              ROW(m.x, m.row, 1, "int", OP_READ), OWN(m.y, 1, "int", OP_WRITE));
  for (int c = 0; c < CELLS; c++) {
    y[c] = x[two[2 * c + 1]];
    for (idx_g_t k = ptr[c]; k < ptr[c + 1]; k++) y[c] = 3 * y[c] + x[col[k]];
  }
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
}

static void
numbers(void) {
  op_par_loop(lengths, "lengths", m.cells, op2_arg_row_length(m.row),
              op2_arg_row_length(m.two), OWN(m.v, 1, "int", OP_READ),
              OWN(m.y, 1, "int", OP_WRITE));
  for (int c = 0; c < CELLS; c++) y[c] = 2000 + length(c) + 10000 * v[c];
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
}

/* ---- writes ----------------------------------------------------------------- */

static void
adds(void) {
  for (int again = 0; again < 2; again++) {
    op_par_loop(scatter, "scatter", m.cells, op2_arg_row_length(m.row),
                OWN(m.v, 1, "int", OP_READ),
                ROW(m.sum, m.row, 1, "int", OP_INC),
                ROW(m.low, m.row, 1, "int", OP_MIN),
                ROW(m.high, m.row, 1, "int", OP_MAX));
    op_par_loop(step, "step", m.nodes, OWN(m.sum, 1, "int", OP_READ),
                OWN(m.x, 1, "int", OP_RW));
    for (int c = 0; c < CELLS; c++)
      for (int i = 0; i < length(c); i++) {
        int t = col[ptr[c] + i];
        sum[t] += v[c] + i;
        low[t] = v[c] - i < low[t] ? v[c] - i : low[t];
        high[t] = v[c] + i > high[t] ? v[c] + i : high[t];
      }
    for (int n = 0; n < NODES; n++) x[n] += 2 * sum[n];
  }
  op_fetch_data(m.sum, got);
  CHECK_INTS(got, sum, NODES);
  op_fetch_data(m.low, got);
  CHECK_INTS(got, low, NODES);
  op_fetch_data(m.high, got);
  CHECK_INTS(got, high, NODES);
  op_fetch_data(m.x, got);
  CHECK_INTS(got, x, NODES);
}

/* Rows that share no target, so that any order is right: each cell has some of
 * `items`, a few of them twice. */
static int items, value[ENTRIES];
static float given[3 * ENTRIES], wanted[3 * ENTRIES];

static void
declare_deal(void) {
  for (int c = 0; c < CELLS; c++) {
    int n = (c * 5 + 2) % 6, mine = items;
    for (int i = 0; i < n; i++) {
      bool again = c % 4 == 1 && i == 3;
      dealt[own_ptr[c] + i] = again ? mine : items;
      items += !again;
    }
    own_ptr[c + 1] = own_ptr[c] + n;
  }
  m.items = op_decl_set(items, "items");
  m.deal = op2_decl_map_csr(m.cells, m.items, own_ptr, dealt, "deal");
  for (int k = 0; k < items; k++) value[k] = 5 * k;
  for (int k = 0; k < 3 * items; k++) wanted[k] = (float)k;
  m.value = op_decl_dat(m.items, 1, "int", value, "value");
  m.given = op_decl_dat(m.items, 3, "float", wanted, "given");
}

static void
deals(void) {
  op_par_loop(rotate, "rotate", m.cells, op2_arg_row_length(m.deal),
              op_arg_dat(m.value, -5, m.deal, 1, "int", OP_RW));
  op_par_loop(give, "give", m.cells, op2_arg_row_length(m.deal),
              OWN(m.v, 1, "int", OP_READ),
              op_arg_dat(m.given, -5, m.deal, 3, "float", OP_WRITE));
  op_par_loop(even, "even", m.cells, op2_arg_row_length(m.deal),
              OWN(m.y, 1, "int", OP_READ),
              op_arg_dat(m.given, -5, m.deal, 3, "float", OP_WRITE));
  for (int c = 0; c < CELLS; c++) {
    const int *row = dealt + own_ptr[c];
    int n = (int)(own_ptr[c + 1] - own_ptr[c]);
    for (int i = 0; i + 1 < n; i++) {
      int t = value[row[i]];
      value[row[i]] = value[row[i + 1]] + 1;
      value[row[i + 1]] = t + 1;
    }
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++)
        wanted[3 * row[i] + k] = (float)(v[c] + 10 * i + k);
    for (int i = 0; i < n; i += 2) wanted[3 * row[i] + 1] = (float)y[c];
  }
  op_fetch_data(m.value, got);
  CHECK_INTS(got, value, items);
  op_fetch_data(m.given, given);
  for (int k = 0; k < 3 * items; k++) CHECK_REAL(given[k], wanted[k]);
}

/* ---- other ways to such maps -------------------------------------------------- */

static void
weighs(op_set set, op_map map, int longest) {
  op_par_loop(weigh, "weigh", set, op2_arg_row_length(map),
              op_arg_dat(m.x, -longest, map, 1, "int", OP_READ),
              OWN(m.y, 1, "int", OP_WRITE));
}

static int table[4 * CELLS];

static void
declare_padded(void) {
  for (int k = 0; k < 4 * CELLS; k++) table[k] = draw(3) ? draw(NODES) : -1;
  for (int i = 0; i < 4; i++) table[4 * 6 + i] = -1, table[4 * 8 + i] = 5 + i;
  m.padded = op2_decl_map_padded(m.cells, m.nodes, 4, table, "padded");
  CHECK_INT(m.padded->dim, 4);
}

static void
padded(void) {
  weighs(m.cells, m.padded, 4);
  for (int c = 0; c < CELLS; c++) {
    int n = 0;
    y[c] = 0;
    for (int i = 0; i < 4; i++)
      if (table[4 * c + i] >= 0) y[c] += 1 + ++n * x[table[4 * c + i]];
  }
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
}

/* Rows of one or two: the first is an argument like any other. */
static idx_g_t first_ptr[CELLS + 1];
static int first_col[2 * CELLS];

static void
declare_first(void) {
  for (int c = 0; c < CELLS; c++) {
    idx_g_t end = first_ptr[c + 1] = first_ptr[c] + 1 + c % 2;
    for (idx_g_t k = first_ptr[c]; k < end; k++) first_col[k] = draw(NODES);
  }
  m.first =
      op2_decl_map_csr(m.cells, m.nodes, first_ptr, first_col, "one_or_two");
}

static int
first(int c) {
  return first_col[first_ptr[c]];
}

static void
one_entry(void) {
  op_par_loop(step, "step", m.cells,
              op_arg_dat(m.x, 0, m.first, 1, "int", OP_READ),
              OWN(m.y, 1, "int", OP_RW));
  op_par_loop(step, "step", m.cells, OWN(m.v, 1, "int", OP_READ),
              op_arg_dat(m.x, 0, m.first, 1, "int", OP_INC));
#ifndef TEST_MPI_SLICE_H /* numbers are the rank's own */
  op_par_loop(step, "step", m.cells, op_arg_idx(0, m.first),
              OWN(m.y, 1, "int", OP_RW));
  for (int c = 0; c < CELLS; c++) y[c] += 2 * first(c);
#endif
  op_par_loop(step_long, "step_long", m.cells, op2_arg_idx_long(0, m.first),
              OWN(m.y, 1, "int", OP_RW));
  for (int c = 0; c < CELLS; c++) y[c] += 2 * first(c);
  for (int c = 0; c < CELLS; c++) y[c] += 2 * x[first(c)];
  for (int c = 0; c < CELLS; c++) x[first(c)] += 2 * v[c];
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
  op_fetch_data(m.x, got);
  CHECK_INTS(got, x, NODES);
}

static void
over_subsets(void) {
  weighs(m.part, m.row, LONGEST);
  for (int k = 0; k < nin; k++) {
    int c = in[k];
    y[c] = length(c);
    for (int i = 0; i < length(c); i++) y[c] += (i + 1) * x[col[ptr[c] + i]];
  }
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
}

/* cells -> two others each -> their rows; and nodes -> cells of any number -> rows. */
static int pair[2 * CELLS], some[3 * NODES];
static idx_g_t some_ptr[NODES + 1];

static void
declare_composed(void) {
  for (int i = 0; i < 2 * CELLS; i++) pair[i] = draw(CELLS);
  for (int n = 0; n < NODES; n++) {
    idx_g_t end = some_ptr[n + 1] = some_ptr[n] + n % 4;
    for (idx_g_t k = some_ptr[n]; k < end; k++) some[k] = draw(CELLS);
  }
  op_map two_cells = op_decl_map(m.cells, m.cells, 2, pair, "pair");
  m.some = op2_decl_map_csr(m.nodes, m.cells, some_ptr, some, "some");
  m.far = op2_decl_map_composed(two_cells, m.row, "far");
  m.round = op2_decl_map_composed(m.some, m.row, "round");
}

static void
far(void) {
  int longest = 0;
  for (int c = 0; c < CELLS; c++) {
    int n = 0;
    y[c] = 0;
    for (int i = 0; i < 2; i++)
      for (int k = 0; k < length(pair[2 * c + i]); k++)
        y[c] += 1 + ++n * x[col[ptr[pair[2 * c + i]] + k]];
    longest = n > longest ? n : longest;
  }
  CHECK_INT(m.far->dim, longest);
  weighs(m.cells, m.far, longest);
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
}

static void
around(void) {
  op_par_loop(weigh, "weigh", m.nodes, op2_arg_row_length(m.round),
              op_arg_dat(m.x, -3 * LONGEST, m.round, 1, "int", OP_READ),
              OWN(m.z, 1, "int", OP_WRITE));
  for (int n = 0; n < NODES; n++) {
    int k = 0;
    z[n] = 0;
    for (idx_g_t j = some_ptr[n]; j < some_ptr[n + 1]; j++)
      for (int i = 0; i < length(some[j]); i++)
        z[n] += 1 + ++k * x[col[ptr[some[j]] + i]];
  }
  op_fetch_data(m.z, got);
  CHECK_INTS(got, z, NODES);
}

/* Rows without entries. */
static void
nothing(void) {
  weighs(m.cells, m.none, 2);
  op_fetch_data(m.y, got);
  for (int c = 0; c < CELLS; c++) CHECK_INT(got[c], y[c] = 0);
}

/* No rows: any entry is in all of them. */
static void
second(int **v, int *out) {
  *out = *v[1];
}

static void
empty(void) {
  op_par_loop(second, "second", m.no_cells,
              op_arg_dat(m.x, -2, m.no_rows, 1, "int", OP_READ),
              OWN(m.no_value, 1, "int", OP_WRITE));
  op_par_loop(step, "step", m.no_cells,
              op_arg_dat(m.x, 3, m.no_rows, 1, "int", OP_READ),
              OWN(m.no_value, 1, "int", OP_RW));
  op_fetch_data(m.no_value, got);
}

static void
declare_others(void) {
  static idx_g_t none[CELLS + 1];
  declare_deal();
  declare_padded();
  declare_first();
  declare_composed();
  m.part = op2_decl_subset(m.cells, nin, in, "part");
  m.no_cells = op_decl_set(0, "no_cells");
  m.no_rows = op2_decl_map_csr(m.no_cells, m.nodes, none, NULL, "no_rows");
  m.no_value = op_decl_dat(m.no_cells, 1, "int", (int *)NULL, "no_value");
  m.none = op2_decl_map_csr(m.cells, m.nodes, none, NULL, "none");
  CHECK_INT(m.none->dim, 1);
}

/* ---- what is refused ----------------------------------------------------------- */

#ifndef TEST_MPI_SLICE_H
static void
expect_error(const char *text) {
  static int before;
  CHECK_INT(errors, ++before);
  CHECK_INT(code, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}
#define REFUSED(call, text) (call, expect_error(text))
#define LOOP(arg)                                                              \
  op_par_loop(step, "step", m.cells, arg, OWN(m.y, 1, "int", OP_RW))

static void
refused(void) {
  static idx_g_t late[CELLS + 1] = {1}, back[CELLS + 1] = {0, 3, 2};
  static idx_g_t wide[CELLS + 1] = {0, 70000};
  static int bad[4 * CELLS];
  bad[7] = NODES;
  op2_set_error_handler(on_error, NULL);
  REFUSED(op2_decl_map_csr(m.cells, m.nodes, NULL, col, "c"),
          "op2_decl_map_csr \"c\": row_ptr: expected 301 numbers, found NULL");
  REFUSED(op2_decl_map_csr(m.cells, m.nodes, late, col, "c"),
          "\"c\": row_ptr[0]: expected 0, found 1");
  REFUSED(op2_decl_map_csr(m.cells, m.nodes, back, col, "c"),
          "\"c\": row_ptr[2]: expected 3 to 65539 (rows have at most 65536 "
          "entries), found 2");
  REFUSED(op2_decl_map_csr(m.cells, m.nodes, wide, col, "c"),
          "row_ptr[1]: expected 0 to 65536");
  REFUSED(op2_decl_map_csr(m.cells, m.nodes, ptr, NULL, "c"),
          "entries, found NULL");
  REFUSED(op2_decl_map_csr(m.cells, NULL, ptr, col, "c"),
          "to: expected a declared set, found NULL");
  REFUSED(op2_decl_map_csr(m.cells, m.nodes, ptr, col, NULL),
          "op2_decl_map_csr: name: expected a text, found NULL");
  REFUSED(op2_decl_map_padded(m.cells, m.nodes, 4, bad, "p"),
          "op2_decl_map_padded \"p\": entry 3 of element 1: expected 0 to 169");
  REFUSED(op2_decl_map_padded(m.cells, m.nodes, -1, bad, "p"),
          "\"p\": width: expected 0 to 65536, found -1");
  REFUSED(op2_decl_map_padded(m.cells, m.nodes, 4, NULL, "p"),
          "table: expected 300 rows of 4 entries, found NULL");
  REFUSED(op2_decl_map_permuted(m.row, (int[]){0, 1, 2}, "q"),
          "map: expected one whose rows have one length, found \"row\" of "
          "op2_decl_map_csr");
  REFUSED(LOOP(op_arg_dat(m.x, 0, m.row, 1, "int", OP_READ)),
          "index outside rows of map \"row\": expected 0 to -1, as all rows");
  REFUSED(LOOP(op_arg_dat(m.x, -3, m.row, 1, "int", OP_READ)),
          "rows of map \"row\": expected -9 or less for a vector argument, as "
          "the longest row has 9 entries, found -3");
  REFUSED(LOOP(op2_arg_row_length(NULL)), "row length: expected a map");
  op2_set_error_handler(NULL, NULL);
}
#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  fill();
  declare();
  declare_others();
  reads();
  reads_beside_others();
  numbers();
  adds();
  deals();
  padded();
  one_entry();
  over_subsets();
  far();
  around();
  nothing();
  empty();
#ifndef TEST_MPI_SLICE_H
  refused();
#endif
  return check_end();
}
