/* Temporaries of a step, freed behind it, that the step's loops read from each other
 * at offsets: whatever tiles they run in, results are those of plain C. In three
 * dimensions, of which some are periodic, with offsets in the last one or without,
 * into another dat or in place. Exact: integers. */
#include "check.h"

enum { DIMS = 3, H = 4, STEPS = 3, MODULUS = 1009 };

/* A box, and whether its loops reach into other layers of the last dimension. */
struct shape {
  int n[DIMS];
  int periodic[DIMS];
  int across;
  const char *name;
};

struct box {
  const struct shape *s;
  op_set set;
  op_map around, made, last;
  int wide[DIMS]; /* halo of fields */
};

/* ---- kernels --------------------------------------------------------------------- */

static void
make_a(int **x, int *a) {
  for (int c = 0; c < 2; c++)
    a[c] = ((c + 1) * x[0][0] + 2 * x[1][0] + 3 * x[2][0] + x[3][0]) % MODULUS;
}
static void
make_b(int **a, double *b) {
  *b = (a[0][0] + 2 * a[1][1] + 3 * a[2][0]) % MODULUS;
}
static void
make_out(const int *x, const int *a, double **b, int *out) {
  *out = (*x + (int)b[0][0] + 5 * (int)b[1][0] + a[1]) % MODULUS;
}

/* ---- plain C --------------------------------------------------------------------- */

static int
wide(const struct shape *s, int d) {
  return s->periodic[d] ? 0 : H;
}

static int
points(const struct shape *s) {
  int n = 1;
  for (int d = 0; d < DIMS; d++) n *= s->n[d] + 2 * wide(s, d);
  return n;
}

static int
at(const struct shape *s, int i, int j, int k) {
  int p[DIMS] = {i, j, k}, e = 0;
  for (int d = DIMS; d-- > 0;) {
    if (s->periodic[d]) p[d] = (p[d] + s->n[d]) % s->n[d];
    e = e * (s->n[d] + 2 * wide(s, d)) + p[d] + wide(s, d);
  }
  return e;
}

static int
plain_a(const struct shape *s, const int *x, int i, int j, int k, int c) {
  return ((c + 1) * x[at(s, i, j, k)] + 2 * x[at(s, i - 1, j, k)] +
          3 * x[at(s, i, j + 1, k)] + x[at(s, i, j - 1, k + s->across)]) %
         MODULUS;
}

static int
plain_b(const struct shape *s, const int *x, int i, int j, int k) {
  return (plain_a(s, x, i, j - 2, k, 0) + 2 * plain_a(s, x, i + 1, j, k, 1) +
          3 * plain_a(s, x, i, j + 1, k - s->across, 0)) %
         MODULUS;
}

static void
plain_step(const struct shape *s, const int *x, int *out) {
  for (int k = 0; k < s->n[2]; k++)
    for (int j = 0; j < s->n[1]; j++)
      for (int i = 0; i < s->n[0]; i++)
        out[at(s, i, j, k)] =
            (x[at(s, i, j, k)] + plain_b(s, x, i, j, k) +
             5 * plain_b(s, x, i - 1, j, k) + plain_a(s, x, i, j, k, 1)) %
            MODULUS;
}

/* ---- on a box -------------------------------------------------------------------- */

static struct box
box_make(const struct shape *s) {
  int boundary[DIMS], k = s->across;
  idx_g_t n[DIMS];
  int around[] = {0, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, k};
  int made[] = {0, -2, 0, 1, 0, 0, 0, 1, -k};
  static const int last[] = {0, 0, 0, -1, 0, 0};
  struct box b = {.s = s};
  for (int d = 0; d < DIMS; d++) {
    n[d] = s->n[d];
    boundary[d] = s->periodic[d] ? OP2_PERIODIC : OP2_HALO;
    b.wide[d] = wide(s, d);
  }
  b.set = op2_decl_box(DIMS, n, boundary, s->name);
  b.around = op2_decl_map_rule(b.set, b.set, 4, around, "around");
  b.made = op2_decl_map_rule(b.set, b.set, 3, made, "made");
  b.last = op2_decl_map_rule(b.set, b.set, 2, last, "last");
  return b;
}

/* No values beyond the domain in periodic dimensions. */
static void
halo_of(const struct box *b, const int *want, int *halo) {
  for (int k = 0; k < 2 * DIMS; k++)
    halo[k] = b->s->periodic[k / 2] ? 0 : want[k];
}

static op_dat
field(const struct box *b, int *values, const char *name) {
  int halo[2 * DIMS];
  for (int k = 0; k < 2 * DIMS; k++) halo[k] = b->wide[k / 2];
  return op2_decl_dat_box(b->set, halo, 1, "int", values, name);
}

static void
step(const struct box *b, op_dat x, op_dat out) {
  int k = b->s->across, of_a[] = {1, 1, 2, 1, k, 0},
      of_b[] = {1, 0, 0, 0, 0, 0};
  int halo[2 * DIMS];
  halo_of(b, of_a, halo);
  op_dat a = op2_decl_dat_box_temp(b->set, halo, 2, "int", "a");
  halo_of(b, of_b, halo);
  op_dat t = op2_decl_dat_box_temp(b->set, halo, 1, "double", "b");
  op_par_loop(make_a, "make_a", b->set,
              op_arg_dat(x, -4, b->around, 1, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 2, "int", OP_WRITE));
  op_par_loop(make_b, "make_b", b->set,
              op_arg_dat(a, -3, b->made, 2, "int", OP_READ),
              op_arg_dat(t, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(make_out, "make_out", b->set,
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 2, "int", OP_READ),
              op_arg_dat(t, -2, b->last, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
  op_free_dat_temp(a);
  op_free_dat_temp(t);
}

/* in_place: a step's last loop writes over what its first one reads around it. */
static void
steps(const struct shape *s, int in_place, int at_once) {
  int n = points(s);
  int *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
  int *got = calloc((size_t)n, sizeof *got);
  for (int e = 0; e < n; e++) x[e] = y[e] = e * 37 % 101;
  struct box b = box_make(s);
  op_dat dx = field(&b, x, "x"), dy = in_place ? dx : field(&b, y, "y");
  for (int k = 0; k < STEPS; k++) {
    op_dat from = dx;
    step(&b, from, dy);
    plain_step(s, x, y);
    if (in_place)
      memcpy(x, y, (size_t)n * sizeof *x);
    else {
      int *was = x;
      x = y;
      y = was;
    }
    dx = dy;
    dy = from;
    if (!at_once) op2_flush();
  }
  op_fetch_data(dx, got);
  CHECK_INTS(got, x, n);
  printf("bits %016llx\n",
         (unsigned long long)check_hash(got, (size_t)n * sizeof *got,
                                        0xcbf29ce484222325u));
  free(x);
  free(y);
  free(got);
}

/* ---- a grid of one row, and a global that a device may have made ------------------- */

enum { LINE = 40, COLOURS = 2, CELLS = LINE * COLOURS };

static void
add_one(const int *x, int *sum) {
  *sum += *x > -1;
}
static void
make_t(const int *x, const int *sum, int *t) {
  *t = 2 * *x + *sum;
}
static void
use_t(int **t, int *out) {
  *out = t[0][0] + 100 * t[1][0];
}

/* Elements of the other colour at a point are LINE numbers away. */
static void
grid_of_one_row(void) {
  static const int both[] = {0, 0, 1, 0, 0, 0,
                             0, 0, 0, 0, 0, 1}; /* other, own */
  static const int none[4];
  idx_g_t n[] = {LINE, 1};
  int x[CELLS], got[CELLS], expected[CELLS], zero = 0;
  for (int e = 0; e < CELLS; e++) x[e] = e * 7 % 31;
  op_set cells = op2_decl_grid(n, COLOURS, NULL, "row_of_cells");
  op_map pair = op2_decl_map_rule(cells, cells, 2, both, "pair");
  op_dat dx = op_decl_dat(cells, 1, "int", x, "row_x");
  op_dat out = op_decl_dat(cells, 1, "int", x, "row_out");
  op2_gbl sum = op2_decl_gbl(1, "int", &zero, "cells_so_far");
  for (int step = 1; step <= STEPS; step++) {
    op_par_loop(add_one, "add_one", cells,
                op_arg_dat(dx, -1, OP_ID, 1, "int", OP_READ),
                op2_arg_gbl(sum, 1, "int", OP_INC));
    CHECK_INT(op2_target_push("openmp"), 0);
    op_dat t = op2_decl_dat_box_temp(cells, none, 1, "int", "t");
    op_par_loop(make_t, "make_t", cells,
                op_arg_dat(dx, -1, OP_ID, 1, "int", OP_READ),
                op2_arg_gbl(sum, 1, "int", OP_READ),
                op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
    op_par_loop(use_t, "use_t", cells,
                op_arg_dat(t, -2, pair, 1, "int", OP_READ),
                op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
    op_free_dat_temp(t);
    op2_target_pop();
    op_fetch_data(out, got);
    for (int e = 0; e < CELLS; e++) {
      int other = (e + LINE) % CELLS, s = step * CELLS;
      expected[e] = 2 * x[other] + s + 100 * (2 * x[e] + s);
    }
    CHECK_INTS(got, expected, CELLS);
  }
}

/* A chain reads what the loop before it, perhaps on a device, added up. */
static void
global_before(void) {
  static const int beside[] = {0, 1}, one[] = {0, 1};
  idx_g_t n[] = {CELLS};
  int x[CELLS + 1], got[CELLS], expected[CELLS], zero = 0;
  for (int e = 0; e <= CELLS; e++) x[e] = e * 7 % 31;
  op_set line = op2_decl_box(1, n, NULL, "line");
  op_map next = op2_decl_map_rule(line, line, 2, beside, "next");
  op_dat dx = op2_decl_dat_box(line, one, 1, "int", x, "line_x");
  op_dat out = op_decl_dat(line, 1, "int", x, "line_out");
  op2_gbl sum = op2_decl_gbl(1, "int", &zero, "points_so_far");
  for (int step = 1; step <= STEPS; step++) {
    op_par_loop(add_one, "add_one", line,
                op_arg_dat(out, -1, OP_ID, 1, "int", OP_READ),
                op2_arg_gbl(sum, 1, "int", OP_INC));
    CHECK_INT(op2_target_push("openmp"), 0);
    op_dat t = op2_decl_dat_box_temp(line, one, 1, "int", "t");
    op_par_loop(make_t, "make_t", line,
                op_arg_dat(dx, -1, OP_ID, 1, "int", OP_READ),
                op2_arg_gbl(sum, 1, "int", OP_READ),
                op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
    op_par_loop(use_t, "use_t", line,
                op_arg_dat(t, -2, next, 1, "int", OP_READ),
                op_arg_dat(out, -1, OP_ID, 1, "int", OP_WRITE));
    op_free_dat_temp(t);
    op2_target_pop();
    op_fetch_data(out, got);
    for (int e = 0; e < CELLS; e++) {
      int s = step * CELLS;
      expected[e] = 2 * x[e] + s + 100 * (2 * x[e + 1] + s);
    }
    CHECK_INTS(got, expected, CELLS);
  }
}

/* ---- tiles there are ------------------------------------------------------------- */

/* Is it the library's choice of rows, or this program's, that loops have? */
static void
tiles_run(void) {
  const char *without = getenv("OP2_DISABLE");
  bool wanted =
      check_lazy() && !check_device() && without && !strcmp(without, "inline");
  const char *check = getenv("OP2_CHECK"), *target = getenv("OP2_TARGET");
  if (!wanted || (check && !strcmp(check, "nan")) || getenv("OP2_DEBUG"))
    return;
  if (target && !strcmp(target, "seq")) return;
  if (check_ranks() > 1) return; /* chains lie on one rank */
  CHECK(op2_counter("tiles") > 0);
}

int
main(int argc, char **argv) {
  static const struct shape shapes[] = {
      {{7, 6, 5}, {0, 0, 0}, 0, "flat"},
      {{7, 6, 5}, {0, 0, 0}, 1, "deep"},
      {{5, 9, 1}, {1, 0, 0}, 0, "ring"},
      {{4, 5, 6}, {0, 1, 0}, 0, "tubes"},
      {{4, 5, 6}, {0, 0, 1}, 1, "round"},
      {{31, 12, 7}, {0, 0, 0}, 1, "large"}, /* enough for several threads */
  };
  setenv("OP2_TILE_ROWS", "2", 0);
  setenv("OP2_DISABLE", "inline", 0); /* or nothing is left to be in tiles */
  check_start(argc, argv);
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int way = 0; way < 4; way++) steps(&shapes[k], way & 1, way >> 1);
  grid_of_one_row();
  global_before();
  tiles_run();
  return check_end();
}
