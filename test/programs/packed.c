/* Arguments as one block: the kernel takes T x[k][dim]. All accesses, kernels that
 * assign what they add, blocks stored in part, entries that repeat, several types, a
 * type of the program's own, constants, blocks too long to be spelt out. Exact:
 * integers, and sums of small whole numbers. */
#include "check.h"
#ifndef TEST_MPI_SLICE_H
#include "errors.h"
#endif

enum { CELLS = 200, NODES = 130, CORNERS = 4, MANY = 24 };

#define OWN(d, dim, type, acc) op_arg_dat(d, -1, OP_ID, dim, type, acc)
#define BLOCK(d, k, m, dim, type, acc)                                         \
  op2_arg_dat_packed(d, k, m, dim, type, acc)

struct rgb {
  unsigned char part[3];
};

/* ---- kernels -------------------------------------------------------------- */

static double scale = 2;

static void
gather(const double *x, double *sum) {
  *sum = 0;
  for (int i = 0; i < CORNERS; i++)
    *sum += scale * x[2 * i] - (i + 1) * x[2 * i + 1];
}
/* It assigns: the block of an increment begins at 0. */
static void
assign(const int *v, int *x) {
  for (int i = 0; i < CORNERS; i++) x[i] = *v * (i + 1);
  x[2] += 5;
}
static void
bounds(const int *v, int *low, long long *high) {
  for (int i = 0; i < 3; i++) {
    if (*v - i < low[i]) low[i] = *v - i;
    if (*v + i > high[i]) high[i] = *v + i;
  }
}
static void
give(const int *v, float *to) {
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 2; c++) to[2 * i + c] = (float)(*v + 10 * i + c);
}
static void
even(const int *v, float *to) {
  to[1] = (float)*v;
  to[4] = (float)-*v;
}
static void
turn(int *x) {
  int first = x[0];
  x[0] = x[1] + 1;
  x[1] = x[2] + 2;
  x[2] = first + 3;
}
static void
mix(const struct rgb *x, int *out) {
  *out = x[0].part[0] + 256 * x[1].part[1] + 65536 * x[2].part[2];
}
static void
many(const double *x, double *sum, double *y) {
  *sum = 0;
  for (int i = 0; i < 3 * MANY; i++) {
    *sum += (i % 5) * x[i];
    y[i] += x[i] + i;
  }
}
static void
one(const int *x, int *own, int *out) {
  *out += *x + own[0];
  own[0] += 1;
}
static void
step(const int *v, int *out) {
  *out += 2 * *v;
}

/* ---- the mesh --------------------------------------------------------------- */

static int draw_state = 11;
static int
draw(int n) {
  draw_state = (int)((unsigned)draw_state * 1664525u + 1013904223u);
  return (int)(((unsigned)draw_state >> 9) % (unsigned)n);
}

static int corner[CORNERS * CELLS], own[3 * CELLS], far[MANY * CELLS];
static int v[CELLS], y[CELLS], x[NODES], low[NODES], got[3 * CELLS],
    items[3 * CELLS];
static long long high[NODES], seen_high[NODES];
static double p[2 * NODES], q[3 * NODES], r[3 * NODES], s[CELLS],
    seen[3 * NODES];
static float given[6 * CELLS], seen_given[6 * CELLS];
static struct rgb tint[NODES];

static struct mesh {
  op_set cells, nodes, items, part;
  op_map corner, own, far;
  op_dat v, y, x, low, high, p, q, r, s, item, given, tint;
} m;

static void
fill(void) {
  for (int k = 0; k < CORNERS * CELLS; k++)
    corner[k] = k % 9 ? draw(NODES) : corner[k / 4 * 4];
  for (int k = 0; k < 3 * CELLS; k++) own[k] = items[k] = k;
  for (int k = 0; k < MANY * CELLS; k++) far[k] = draw(NODES);
  for (int c = 0; c < CELLS; c++) v[c] = y[c] = draw(100);
  for (int n = 0; n < NODES; n++) {
    x[n] = draw(50);
    low[n] = 1000;
    high[n] = -1000;
    for (int c = 0; c < 2; c++) p[2 * n + c] = draw(20);
    for (int c = 0; c < 3; c++) {
      q[3 * n + c] = draw(9);
      r[3 * n + c] = draw(9);
      tint[n].part[c] = (unsigned char)draw(256);
    }
  }
  for (int k = 0; k < 6 * CELLS; k++) given[k] = (float)k;
}

static void
declare(void) {
  m.cells = op_decl_set(CELLS, "cells");
  m.nodes = op_decl_set(NODES, "nodes");
  m.items = op_decl_set(3 * CELLS, "items");
  m.corner = op_decl_map(m.cells, m.nodes, CORNERS, corner, "corner");
  m.own = op_decl_map(m.cells, m.items, 3, own, "own");
  m.far = op_decl_map(m.cells, m.nodes, MANY, far, "far");
  m.v = op_decl_dat(m.cells, 1, "int", v, "v");
  m.y = op_decl_dat(m.cells, 1, "int", y, "y");
  m.s = op_decl_dat(m.cells, 1, "double", s, "s");
  m.x = op_decl_dat(m.nodes, 1, "int", x, "x");
  m.low = op_decl_dat(m.nodes, 1, "int", low, "low");
  m.high = op_decl_dat(m.nodes, 1, "long long", high, "high");
  m.p = op_decl_dat(m.nodes, 2, "double", p, "p");
  m.q = op_decl_dat(m.nodes, 3, "double", q, "q");
  m.r = op_decl_dat(m.nodes, 3, "double", r, "r");
  m.tint = op_decl_dat(m.nodes, 1, "struct rgb", tint, "tint");
  m.item = op_decl_dat(m.items, 1, "int", items, "item");
  m.given = op_decl_dat(m.items, 2, "float", given, "given");
}

/* ---- reads ------------------------------------------------------------------ */

static void
reads(void) {
  for (int again = 0; again < 2; again++) {
    op_par_loop(gather, "gather", m.cells,
                BLOCK(m.p, CORNERS, m.corner, 2, "double", OP_READ),
                OWN(m.s, 1, "double", OP_WRITE));
    for (int c = 0; c < CELLS; c++) {
      s[c] = 0;
      for (int i = 0; i < CORNERS; i++) {
        int n = corner[CORNERS * c + i];
        s[c] += scale * p[2 * n] - (i + 1) * p[2 * n + 1];
      }
    }
    scale = 3; /* a constant that changes */
  }
  op_fetch_data(m.s, seen);
  CHECK_REALS(seen, s, CELLS);
}

static void
own_types(void) {
  op_par_loop(mix, "mix", m.cells,
              BLOCK(m.tint, 3, m.corner, 1, "struct rgb", OP_READ),
              OWN(m.y, 1, "int", OP_WRITE));
  for (int c = 0; c < CELLS; c++) {
    const int *n = corner + CORNERS * c;
    y[c] = tint[n[0]].part[0] + 256 * tint[n[1]].part[1] +
           65536 * tint[n[2]].part[2];
  }
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
}

/* ---- writes ----------------------------------------------------------------- */

static void
adds(void) {
  for (int again = 0; again < 2; again++) {
    op_par_loop(assign, "assign", m.cells, OWN(m.v, 1, "int", OP_READ),
                BLOCK(m.x, CORNERS, m.corner, 1, "int", OP_INC));
    for (int c = 0; c < CELLS; c++)
      for (int i = 0; i < CORNERS; i++)
        x[corner[CORNERS * c + i]] += v[c] * (i + 1) + 5 * (i == 2);
    op_par_loop(step, "step", m.cells,
                op_arg_dat(m.x, 1, m.corner, 1, "int", OP_READ),
                OWN(m.y, 1, "int", OP_RW));
    for (int c = 0; c < CELLS; c++) y[c] += 2 * x[corner[CORNERS * c + 1]];
  }
  op_fetch_data(m.x, got);
  CHECK_INTS(got, x, NODES);
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
}

static void
extremes(void) {
  op_par_loop(bounds, "bounds", m.cells, OWN(m.v, 1, "int", OP_READ),
              BLOCK(m.low, 3, m.corner, 1, "int", OP_MIN),
              BLOCK(m.high, 3, m.corner, 1, "long long", OP_MAX));
  for (int c = 0; c < CELLS; c++)
    for (int i = 0; i < 3; i++) {
      int n = corner[CORNERS * c + i];
      low[n] = v[c] - i < low[n] ? v[c] - i : low[n];
      high[n] = v[c] + i > high[n] ? v[c] + i : high[n];
    }
  op_fetch_data(m.low, got);
  CHECK_INTS(got, low, NODES);
  op_fetch_data(m.high, seen_high);
  for (int n = 0; n < NODES; n++) CHECK_INT(seen_high[n], high[n]);
}

/* Cells share no item: any order is right. */
static void
stores(void) {
  op_par_loop(give, "give", m.cells, OWN(m.v, 1, "int", OP_READ),
              BLOCK(m.given, 3, m.own, 2, "float", OP_WRITE));
  op_par_loop(even, "even", m.part, OWN(m.y, 1, "int", OP_READ),
              BLOCK(m.given, 3, m.own, 2, "float", OP_WRITE));
  op_par_loop(turn, "turn", m.cells, BLOCK(m.item, 3, m.own, 1, "int", OP_RW));
  for (int c = 0; c < CELLS; c++) {
    float *to = given + 6 * c;
    int *of = items + 3 * c, first = of[0];
    for (int k = 0; k < 6; k++) to[k] = (float)(v[c] + 10 * (k / 2) + k % 2);
    if (c % 3 == 0) to[1] = (float)y[c], to[4] = (float)-y[c];
    of[0] = of[1] + 1;
    of[1] = of[2] + 2;
    of[2] = first + 3;
  }
  op_fetch_data(m.given, seen_given);
  for (int k = 0; k < 6 * CELLS; k++) CHECK_REAL(seen_given[k], given[k]);
  op_fetch_data(m.item, got);
  CHECK_INTS(got, items, 3 * CELLS);
}

/* 72 values a cell. */
static void
long_blocks(void) {
  op_par_loop(many, "many", m.cells,
              BLOCK(m.q, MANY, m.far, 3, "double", OP_READ),
              OWN(m.s, 1, "double", OP_WRITE),
              BLOCK(m.r, MANY, m.far, 3, "double", OP_INC));
  for (int c = 0; c < CELLS; c++) {
    s[c] = 0;
    for (int i = 0; i < 3 * MANY; i++) {
      int at = 3 * far[MANY * c + i / 3] + i % 3;
      s[c] += (i % 5) * q[at];
      r[at] += q[at] + i;
    }
  }
  op_fetch_data(m.s, seen);
  CHECK_REALS(seen, s, CELLS);
  op_fetch_data(m.r, seen);
  CHECK_REALS(seen, r, 3 * NODES);
}

/* One entry, and the element itself. */
static void
single(void) {
  op_par_loop(one, "one", m.cells, BLOCK(m.x, 1, m.corner, 1, "int", OP_READ),
              BLOCK(m.v, 1, OP_ID, 1, "int", OP_RW), OWN(m.y, 1, "int", OP_RW));
  for (int c = 0; c < CELLS; c++) y[c] += x[corner[CORNERS * c]] + v[c]++;
  op_fetch_data(m.y, got);
  CHECK_INTS(got, y, CELLS);
  op_fetch_data(m.v, got);
  CHECK_INTS(got, v, CELLS);
}

static void
declare_part(void) {
  static int third[CELLS];
  int n = 0;
  for (int c = 0; c < CELLS; c += 3) third[n++] = c;
  m.part = op2_decl_subset(m.cells, n, third, "part");
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
#define REFUSED(arg, text)                                                     \
  (op_par_loop(step, "step", m.cells, arg, OWN(m.y, 1, "int", OP_RW)),         \
   expect_error(text))

static void
refused(void) {
  static idx_g_t start[CELLS + 1];
  op_map rows = op2_decl_map_csr(m.cells, m.nodes, start, NULL, "rows");
  op2_set_error_handler(on_error, NULL);
  REFUSED(
      BLOCK(m.x, 5, m.corner, 1, "int", OP_READ),
      "packed argument: expected 1 to 4 entries of map \"corner\", found 5");
  REFUSED(BLOCK(m.x, 0, m.corner, 1, "int", OP_READ), "found 0");
  REFUSED(BLOCK(m.x, -2, m.corner, 1, "int", OP_READ), "found -2");
  REFUSED(BLOCK(m.v, 2, OP_ID, 1, "int", OP_READ), "without a map");
  REFUSED(BLOCK(m.x, 1, rows, 1, "int", OP_READ),
          "expected a map whose rows have one length, found \"rows\"");
  REFUSED(BLOCK(m.x, 2, m.corner, 2, "int", OP_READ), "wrong dim");
  REFUSED(BLOCK(m.x, 2, m.corner, 1, "double", OP_READ), "wrong type");
  REFUSED(BLOCK(NULL, 2, m.corner, 1, "int", OP_READ), "dat: expected");
  op_dat large = op_decl_dat(m.nodes, 80000, "int", (int *)NULL, "large");
  REFUSED(BLOCK(large, 4, m.corner, 80000, "int", OP_READ),
          "argument 0: packed argument: expected at most 1048576 bytes, found "
          "1280000");
  op2_set_error_handler(NULL, NULL);
}
#endif

int
main(int argc, char **argv) {
  check_start(argc, argv);
  fill();
  declare();
  declare_part();
  reads();
  own_types();
  adds();
  extremes();
  stores();
  long_blocks();
  single();
#ifndef TEST_MPI_SLICE_H
  refused();
#endif
  return check_end();
}
