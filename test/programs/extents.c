/* How much of their dats pending loops on boxes want, and how far they have to run: what
 * op2_trace_extents and op2_trace_compute_extent say, beside what comes out. */
#include "check.h"
#include "errors.h"

enum { N = 6, WIDE = 8, ROOM = N + 2 * WIDE };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, k, m) op_arg_dat(d, -k, m, 1, "double", OP_READ)
#define ONE(d, m) op_arg_dat(d, 0, m, 1, "double", OP_READ)

static void
of3_2(double **x, double **y, double *out) {
  *out = x[0][0] + x[1][0] + x[2][0] + y[0][0] + y[1][0];
}
static void
of3_4(double **x, double **y, double *out) {
  *out = x[0][0] + x[1][0] + x[2][0] + y[0][0] + y[1][0] + y[2][0] + y[3][0];
}
static void
of4_5_3(double **x, double **y, double **z, double *out) {
  *out = 0;
  for (int k = 0; k < 4; k++) *out += x[k][0];
  for (int k = 0; k < 5; k++) *out += y[k][0];
  for (int k = 0; k < 3; k++) *out += z[k][0];
}
static void
copy(const double *x, double *out) {
  *out = *x;
}
static void
add_three(double **x, double *out) {
  *out = x[0][0] + x[1][0] + x[2][0];
}

/* ---- a line ------------------------------------------------------------------ */

static op_set line;

/* Entries from offset lo to hi. */
static op_map
offsets(int lo, int hi) {
  int at[16];
  char name[32];
  for (int k = lo; k <= hi; k++) at[k - lo] = k;
  snprintf(name, sizeof name, "from_%d_to_%d", lo, hi);
  return op2_decl_map_rule(line, line, hi - lo + 1, at, name);
}

/* a i i + b i + c for i from -lo to N + hi - 1 */
static op_dat
field(int lo, int hi, int a, int b, int c, const char *name) {
  double at[ROOM];
  for (int k = 0; k < lo + N + hi; k++) {
    int i = k - lo;
    at[k] = a * i * i + b * i + c;
  }
  return op2_decl_dat_box(line, ((int[]){lo, hi}), 1, "double", at, name);
}

static op_dat
temp(int lo, int hi, const char *name) {
  return op2_decl_dat_box_temp(line, (int[]){lo, hi}, 1, "double", name);
}

/* Only where loops wait is there something to ask about. */
static void
check_dat(op_dat dat, int lo, int hi) {
  int found[2] = {77, 77};
  if (!check_lazy()) return;
  CHECK_INT(op2_trace_extents(dat, found), 0);
  CHECK_INT(found[0], lo);
  CHECK_INT(found[1], hi);
}

static void
check_loop(int loop, int lo, int hi) {
  int found[2] = {77, 77};
  if (!check_lazy()) return;
  CHECK_INT(op2_trace_compute_extent(loop, found), 0);
  CHECK_INT(found[0], lo);
  CHECK_INT(found[1], hi);
}

static void
check_values(op_dat e, const double *expected) {
  double got[ROOM];
  op_fetch_data(e, got);
  CHECK_REALS(got, expected, N);
}

static void
free_both(op_dat a, op_dat b) {
  CHECK_INT(op_free_dat_temp(a), 0);
  CHECK_INT(op_free_dat_temp(b), 0);
}

/* ---- chains ------------------------------------------------------------------ */

static void
loops(op_dat a, op_dat b, op_dat c, op_dat second, op_dat d, op_dat f1_out,
      op_dat e) {
  op_par_loop(of3_2, "f0", line, VIA(b, 3, offsets(-1, 1)),
              VIA(c, 2, offsets(0, 1)), OWN(a, OP_WRITE));
  op_par_loop(of3_4, "f1", line, VIA(b, 3, offsets(-2, 0)),
              VIA(second, 4, offsets(-1, 2)), OWN(f1_out, OP_WRITE));
  op_par_loop(of4_5_3, "f2", line, VIA(a, 4, offsets(-1, 2)),
              VIA(d, 5, offsets(-2, 2)), VIA(c, 3, offsets(-1, 1)),
              OWN(e, OP_WRITE));
}

static void
chain(void) {
  static const double expected[] = {166, 268, 424, 634, 898, 1216};
  op_dat a = temp(1, 2, "a"), d = temp(2, 2, "d");
  op_dat b = field(4, 3, 1, 0, 0, "b"), c = field(3, 4, 0, 3, 1, "c");
  op_dat e = field(0, 0, 0, 0, 0, "e");
  loops(a, b, c, c, d, d, e);
  check_dat(a, -1, 2);
  check_dat(b, -4, 3);
  check_dat(c, -3, 4);
  check_dat(d, -2, 2);
  check_dat(e, 0, 0);
  check_loop(0, -1, 2);
  check_loop(1, -2, 2);
  check_loop(2, 0, 0);
  CHECK_PENDING(3); /* to ask runs nothing */
  check_values(e, expected);
  free_both(a, d);
}

/* The second loop reads what the first one made. */
static void
chain_of_both(void) {
  static const double expected[] = {526, 808, 1264, 1894, 2698, 3676};
  op_dat a = temp(3, 4, "a"), d = temp(2, 2, "d");
  op_dat b = field(4, 5, 1, 0, 0, "b5"), c = field(3, 5, 0, 3, 1, "c5");
  op_dat e = field(0, 0, 0, 0, 0, "e5");
  loops(a, b, c, a, d, d, e);
  check_dat(a, -3, 4);
  check_dat(b, -4, 5);
  check_dat(c, -3, 5);
  check_dat(d, -2, 2);
  check_dat(e, 0, 0);
  check_values(e, expected);
  free_both(a, d);
}

/* Temporaries are wider than they need to be. */
static void
written_again(void) {
  static const double in_c[] = {63, 108, 183, 288, 423, 588};
  static const double in_e[] = {277, 465, 767, 1183, 1713, 2357};
  op_dat b = field(8, 8, 1, 0, 0, "bw"), c0 = field(8, 8, 0, 3, 1, "c0");
  op_dat d = field(2, 2, 0, 1, 0, "dw"), e = field(0, 0, 0, 0, 0, "ew");
  op_dat out = field(0, 0, 0, 0, 0, "out");
  op_dat a = temp(5, 5, "a"), c = temp(7, 7, "c");
  op_par_loop(copy, "fill", line, OWN(c0, OP_READ), OWN(c, OP_WRITE));
  loops(a, b, c, a, d, c, e);
  op_par_loop(copy, "look", line, OWN(c, OP_READ), OWN(out, OP_WRITE));
  check_dat(a, -2, 3);
  check_dat(b, -3, 4);
  check_dat(c, -2, 4);
  check_dat(c0, -2, 4);
  check_dat(d, -2, 2);
  check_loop(0, -2, 4);
  check_loop(1, -2, 3);
  check_loop(2, -1, 1);
  check_values(e, in_e);
  check_values(out, in_c);
  free_both(a, c);
}

/* From the first reader on, not from the domain. */
static void
tight(void) {
  op_dat t = temp(1, 3, "t"), x = field(1, 3, 0, 10, 0, "x");
  op_dat y = field(0, 0, 0, 0, 0, "y");
  double expected[N];
  for (int i = 0; i < N; i++) expected[i] = 10 * (i + 3);
  op_par_loop(copy, "make", line, OWN(x, OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "use", line, ONE(t, offsets(3, 3)), OWN(y, OP_WRITE));
  check_dat(t, 3, 3);
  check_dat(x, 3, 3);
  check_dat(y, 0, 0);
  check_loop(0, 3, 3);
  check_values(y, expected);
  CHECK_INT(op_free_dat_temp(t), 0);
}

static void
in_place(void) {
  static const double expected[] = {-10, 0, 10, 20, 30, 40};
  op_dat q = field(1, 0, 0, 10, 0, "q"), t = temp(1, 0, "t");
  double got[ROOM];
  op_par_loop(copy, "g0", line, OWN(q, OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "g1", line, ONE(t, offsets(-1, -1)), OWN(q, OP_WRITE));
  check_dat(t, -1, -1);
  check_dat(q, -1, 0);
  check_loop(0, -1, -1);
  check_loop(1, 0, 0);
  op_fetch_data(q, got);
  CHECK_REALS(got + 1, expected, N);
  CHECK_INT(op_free_dat_temp(t), 0);
}

/* ---- more dimensions --------------------------------------------------------- */

/* Periodic in j: there nothing lies around the domain. On a grid an entry is wherever
 * it lies for some colour. */
static void
grid(void) {
  idx_g_t n[] = {5, 4};
  op_set plane = op2_decl_box(2, n, (int[]){OP2_HALO, OP2_PERIODIC}, "plane");
  op_map m =
      op2_decl_map_rule(plane, plane, 3, (int[]){-2, 0, 1, 3, 0, -1}, "m");
  double zero[8 * 4] = {0};
  op_dat x =
      op2_decl_dat_box(plane, ((int[]){2, 1, 0, 0}), 1, "double", zero, "px");
  op_dat y = op_decl_dat(plane, 1, "double", (double *)NULL, "py");
  op_par_loop(add_three, "three", plane, VIA(x, 3, m), OWN(y, OP_WRITE));
  int found[4] = {7, 7, 7, 7}, of_plane[] = {-2, 1, 0, 0};
  if (check_lazy()) CHECK_INT(op2_trace_extents(x, found), 0);
  if (check_lazy()) CHECK_INTS(found, of_plane, 4);
  op2_flush();

  op_set cells = op2_decl_grid(n, 2, NULL, "cells");
  op_map cc = op2_decl_map_grid(cells, cells, "cells_cells");
  static double in[7 * 6 * 2];
  op_dat u =
      op2_decl_dat_box(cells, ((int[]){1, 1, 1, 1}), 1, "double", in, "u");
  op_dat v = op_decl_dat(cells, 1, "double", (double *)NULL, "v");
  op_par_loop(add_three, "near", cells, VIA(u, 3, cc), OWN(v, OP_WRITE));
  int of_cells[] = {-1, 1, -1, 1};
  if (check_lazy()) CHECK_INT(op2_trace_extents(u, found), 0);
  if (check_lazy()) CHECK_INTS(found, of_cells, 4);
  if (check_lazy()) CHECK_INT(op2_trace_compute_extent(0, found), 0);
  if (check_lazy()) CHECK_INTS(found, ((int[]){0, 0, 0, 0}), 4);
  op2_flush();
}

/* ---- what is refused --------------------------------------------------------- */

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
  int found[2];
  op_set other = op_decl_set(3, "other");
  op_dat z = op_decl_dat(other, 1, "double", (double *)NULL, "z");
  op_dat z2 = op_decl_dat(other, 1, "double", (double *)NULL, "z2");
  op_dat x = field(0, 0, 0, 1, 0, "rx");
  op2_set_error_handler(on_error, NULL);
  CHECK_INT(op2_trace_extents(z, found), OP2_ERR_ARG);
  expect("op2_trace_extents: dat: expected one on a box or grid, found dat "
         "\"z\"");
  CHECK_INT(op2_trace_extents(x, NULL), OP2_ERR_ARG);
  expect("op2_trace_extents: lo_hi: expected room for numbers, found NULL");
  CHECK_INT(op2_trace_extents(x, found), OP2_ERR_ARG);
  expect("expected one that pending loops want, found dat \"rx\", which none "
         "does");
  op_par_loop(copy, "elsewhere", other, OWN(z, OP_READ), OWN(z2, OP_WRITE));
  if (check_lazy()) {
    CHECK_INT(op2_trace_compute_extent(0, found), OP2_ERR_ARG);
    expect("op2_trace_compute_extent: loop: expected one over a box or grid, "
           "found 0, \"elsewhere\", over set \"other\"");
    CHECK_INT(op2_trace_compute_extent(1, found), OP2_ERR_ARG);
    expect(
        "op2_trace_compute_extent: loop: expected one of 1 that are pending, "
        "from 0, found 1");
  }
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  line = op2_decl_box(1, (idx_g_t[]){N}, NULL, "line");
  chain();
  chain_of_both();
  written_again();
  tight();
  in_place();
  grid();
  refused();
  return check_end();
}
