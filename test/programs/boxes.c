/* Boxes: dats with a halo, maps by rule and as tables, periodic or not, one to four
 * dimensions. Exact: integers. */
#include "check.h"
#include "errors.h"

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "int", acc)

static void
sum3(int **x, int *out) {
  *out = x[0][0] + 10 * x[1][0] + 100 * x[2][0];
}
static void
sum5(int **x, int *out) {
  *out = 4 * x[0][0] - x[1][0] - 2 * x[2][0] - 3 * x[3][0] - 5 * x[4][0];
}
static void
packed3(const int *x, int *out) {
  *out = x[0] + 10 * x[1] + 100 * x[2];
}
static void
twice(const int *x, int *out) {
  *out = 2 * *x;
}
static void
add_to(const int *x, int *to) {
  *to += *x;
}
static void
number(const int *index, const int *next, const int *length, int *out) {
  *out = *index + 100 * *next + 10000 * *length;
}
static void
scale(int *x, const double *by) {
  *x = (int)(*x * *by);
}

static int got[4000], want[4000];

/* ---- one dimension --------------------------------------------------------- */

/* 6 points, halo 1 below and 2 above: -1, ..., 7 by place. */
static void
line_halo(void) {
  int x[9], offsets[] = {-1, 0, 2};
  for (int i = 0; i < 9; i++) x[i] = i;
  op_set line = op2_decl_box(1, (idx_g_t[]){6}, NULL, "line");
  CHECK_INT(op_get_size(line), 6);
  op_map m = op2_decl_map_rule(line, line, 3, offsets, "near");
  CHECK_INT(m->dim, 3);
  CHECK(m->from == line && m->to == line);
  op_dat dx = op2_decl_dat_box(line, ((int[]){1, 2}), 1, "int", x, "x");
  CHECK_INT(op_get_size(dx->set), 9);
  op_dat dy = op_decl_dat(line, 1, "int", (int *)NULL, "y");
  op_par_loop(sum3, "sum3", line, VIA(dx, -3, m, OP_READ), OWN(dy, OP_WRITE));
  for (int i = 0; i < 6; i++) want[i] = i + 10 * (i + 1) + 100 * (i + 3);
  op_fetch_data(dy, got);
  CHECK_INTS(got, want, 6);
  op_map table = op2_map_materialise(m, "near_table");
  CHECK_INT(table->dim, 3);
  op_par_loop(sum3, "sum3", line, VIA(dx, -3, table, OP_READ),
              OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  CHECK_INTS(got, want, 6);
  op_par_loop(packed3, "packed3", line,
              op2_arg_dat_packed(dx, 3, m, 1, "int", OP_READ),
              OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  CHECK_INTS(got, want, 6);
  /* loops write the domain */
  op_par_loop(twice, "twice", line, VIA(dy, 1, m, OP_READ), OWN(dx, OP_WRITE));
  op_fetch_data(dx, got);
  for (int i = 0; i < 9; i++)
    CHECK_INT(got[i], i < 1 || i > 6 ? i : 2 * want[i - 1]);
  /* the program writes the halo */
  int *host = (int *)op2_dat_data_rw(dx);
  host[0] = 1000;
  op_par_loop(twice, "twice", line, VIA(dx, 0, m, OP_READ), OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  CHECK_INT(got[0], 2000);
  CHECK_INT(got[5], 4 * want[4]);
}

/* Numbers are those of the domain, also where other entries leave it. */
static void
line_numbers(void) {
  int offsets[] = {0, -1, 2};
  op_set line = op2_decl_box(1, (idx_g_t[]){6}, NULL, "numbers");
  op_map m = op2_decl_map_rule(line, line, 3, offsets, "leaves");
  op_dat dy = op_decl_dat(line, 1, "int", (int *)NULL, "ny");
  op_par_loop(number, "number", line, op_arg_idx(-1, OP_ID), op_arg_idx(0, m),
              op2_arg_row_length(m), OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  for (int i = 0; i < 6; i++) CHECK_INT(got[i], i + 100 * i + 30000);
}

/* Offsets come in again, numbers too; increments through a rule. */
static void
line_periodic(void) {
  int x[7], y[7] = {0}, offsets[] = {-1, 3, 16};
  for (int i = 0; i < 7; i++) x[i] = i * i;
  op_set ring = op2_decl_box(1, (idx_g_t[]){7}, (int[]){OP2_PERIODIC}, "ring");
  op_map m = op2_decl_map_rule(ring, ring, 3, offsets, "around");
  op_dat dx = op2_decl_dat_box(ring, ((int[]){0, 0}), 1, "int", x, "rx");
  op_dat dy = op_decl_dat(ring, 1, "int", y, "ry");
  CHECK(dx->set == ring);
  op_par_loop(sum3, "sum3", ring, VIA(dx, -3, m, OP_READ), OWN(dy, OP_WRITE));
  op_par_loop(add_to, "add_to", ring, OWN(dx, OP_READ), VIA(dy, 1, m, OP_INC));
  for (int i = 0; i < 7; i++)
    want[i] = x[(i + 6) % 7] + 10 * x[(i + 3) % 7] + 100 * x[(i + 2) % 7];
  for (int i = 0; i < 7; i++) want[(i + 3) % 7] += x[i];
  op_fetch_data(dy, got);
  CHECK_INTS(got, want, 7);
  op_par_loop(number, "number", ring, op_arg_idx(-1, OP_ID), op_arg_idx(0, m),
              op2_arg_row_length(m), OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  for (int i = 0; i < 7; i++)
    CHECK_INT(got[i], i + 100 * ((i + 6) % 7) + 30000);
  /* a table like any other */
  op_map table = op2_map_materialise(m, "around_table");
  CHECK(table->to == ring);
  op_map twice_on = op2_decl_map_composed(table, table, "twice_on");
  op_par_loop(twice, "twice", ring, VIA(dx, 4, twice_on, OP_READ),
              OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  for (int i = 0; i < 7; i++) CHECK_INT(got[i], 2 * x[(i + 6) % 7]);
}

/* ---- two dimensions, one of them periodic; subsets -------------------------- */

enum { NI = 13, NJ = 9, LI = 2, HI = 1, LJ = 1, HJ = 3 };
enum { WI = LI + NI + HI, WJ = LJ + NJ + HJ };

static int
at(int i, int j) {
  return i + LI + WI * (j + LJ);
}

static void
plane_of(int periodic) {
  static int f[WI * WJ];
  int five[] = {0, 0, 1, 0, -2, 0, 0, 3, 0, -1};
  int boundary[] = {OP2_HALO, periodic ? OP2_PERIODIC : OP2_HALO};
  int lj = periodic ? 0 : LJ, hj = periodic ? 0 : HJ, wj = lj + NJ + hj;
  int halo[] = {LI, HI, lj, hj}, members[20];
  idx_g_t n[] = {NI, NJ}, lo[2], hi[2];
  op_set plane = op2_decl_box(2, n, boundary, "plane");
  CHECK_INT(op2_box_local(plane, lo, hi), 0);
  CHECK(!lo[0] && !lo[1] && hi[0] == NI && hi[1] == NJ);
  for (int k = 0; k < WI * wj; k++) f[k] = (k * 7919) % 1009;
  op_map m = op2_decl_map_rule(plane, plane, 5, five, "star");
  op_dat df = op2_decl_dat_box(plane, halo, 1, "int", f, "f");
  op_dat dg = op2_decl_dat_box(plane, halo, 1, "int", f, "g");
  op_par_loop(sum5, "sum5", plane, VIA(df, -5, m, OP_READ), OWN(dg, OP_WRITE));
  memcpy(want, f, sizeof(int) * (size_t)(WI * wj));
#define F(i, j) f[at(i, periodic ? ((j) + NJ) % NJ - LJ : (j))]
  for (int j = 0; j < NJ; j++)
    for (int i = 0; i < NI; i++)
      want[at(i, j - (periodic ? LJ : 0))] = 4 * F(i, j) - F(i + 1, j) -
                                             2 * F(i - 2, j) - 3 * F(i, j + 3) -
                                             5 * F(i, j - 1);
  op_fetch_data(dg, got);
  CHECK_INTS(got, want, WI * wj);
  /* every sixth point */
  for (int k = 0; k < 19; k++) members[k] = 6 * k;
  op_set some = op2_decl_subset(plane, 19, members, "some");
  op_par_loop(twice, "twice", some, VIA(df, 3, m, OP_READ), OWN(dg, OP_WRITE));
  for (int k = 0; k < 19; k++) {
    int i = members[k] % NI, j = members[k] / NI;
    want[at(i, j - (periodic ? LJ : 0))] = 2 * F(i, j + 3);
  }
#undef F
  op_fetch_data(dg, got);
  CHECK_INTS(got, want, WI * wj);
  printf("bits plane %d %016llx\n", periodic,
         (unsigned long long)check_hash(got, sizeof(int) * (size_t)(WI * wj),
                                        0xcbf29ce484222325u));
  /* algebra goes over the domain */
  op2_dat_zero(dg);
  op_fetch_data(dg, got);
  CHECK_INT(got[0], f[0]);
  CHECK_INT(got[at(0, periodic ? -LJ : 0)], 0);
}

/* An unstructured part names points; so do both at once. */
static void
coupled(void) {
  int f[8], pick[] = {3, 0, 5}, y[3] = {0};
  for (int k = 0; k < 8; k++) f[k] = 10 * k;
  op_set line = op2_decl_box(1, (idx_g_t[]){6}, NULL, "coupled");
  op_set probes = op_decl_set(3, "probes");
  op_map m = op_decl_map(probes, line, 1, pick, "pick");
  op_dat df = op2_decl_dat_box(line, ((int[]){1, 1}), 1, "int", f, "cf");
  op_dat dy = op_decl_dat(probes, 1, "int", y, "cy");
  op_par_loop(twice, "twice", probes, VIA(df, 0, m, OP_READ),
              OWN(dy, OP_WRITE));
  op_par_loop(add_to, "add_to", probes, OWN(dy, OP_READ),
              VIA(df, 0, m, OP_INC));
  op_fetch_data(dy, got);
  for (int k = 0; k < 3; k++) CHECK_INT(got[k], 20 * (pick[k] + 1));
  op_fetch_data(df, got);
  for (int k = 0; k < 8; k++) {
    int hit = k == 4 || k == 1 || k == 6;
    CHECK_INT(got[k], hit ? 30 * k : 10 * k);
  }
}

/* ---- four dimensions --------------------------------------------------------- */

static void
four(void) {
  idx_g_t n[] = {3, 4, 2, 5};
  int halo[] = {1, 0, 0, 1, 2, 0, 1, 1}, w[4];
  int rule[] = {-1, 1, -2, 1, 0, 0, -1, -1, -1, 0, 0, 0};
  static int f[4 * 5 * 4 * 7], y[3 * 4 * 2 * 5];
  op_set box = op2_decl_box(4, n, NULL, "four");
  for (int d = 0; d < 4; d++) w[d] = halo[2 * d] + (int)n[d] + halo[2 * d + 1];
  for (int k = 0; k < 4 * 5 * 4 * 7; k++) f[k] = k;
  op_map m = op2_decl_map_rule(box, box, 3, rule, "hops");
  op_dat df = op2_decl_dat_box(box, halo, 1, "int", f, "ff");
  op_dat dy = op_decl_dat(box, 1, "int", y, "fy");
  op_par_loop(sum3, "sum3", box, VIA(df, -3, m, OP_READ), OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  for (int e = 0; e < 3 * 4 * 2 * 5; e++) {
    int p[] = {e % 3, e / 3 % 4, e / 12 % 2, e / 24}, v[3];
    for (int k = 0; k < 3; k++) {
      v[k] = 0;
      for (int d = 3; d >= 0; d--)
        v[k] = v[k] * w[d] + p[d] + rule[4 * k + d] + halo[2 * d];
    }
    CHECK_INT(got[e], v[0] + 10 * v[1] + 100 * v[2]);
  }
}

/* ---- what is refused ----------------------------------------------------------- */

static int wrong;
static void
expect(const char *text, int status) {
  CHECK_INT(errors, ++wrong);
  CHECK_INT(code, status);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}

static void
refused_declarations(op_set line, op_map rule) {
  idx_g_t n[] = {6, -1}, huge[] = {1 << 20, 1 << 20};
  CHECK(!op2_decl_box(5, n, NULL, "b"));
  expect("\"b\": ndim: expected 1 to 4, found 5", OP2_ERR_ARG);
  CHECK(!op2_decl_box(2, n, NULL, "b"));
  expect("n[1]: expected 0 to 2147483647, found -1", OP2_ERR_ARG);
  CHECK(!op2_decl_box(2, huge, NULL, "b"));
  expect("expected at most 2147483647 points", OP2_ERR_ARG);
  CHECK(!op2_decl_box(1, n, (int[]){7}, "b"));
  expect("boundary[0]: expected OP2_PERIODIC or OP2_HALO, found 7",
         OP2_ERR_ARG);
  op_set ring = op2_decl_box(1, n, (int[]){OP2_PERIODIC}, "ring_of_6");
  CHECK(!op2_decl_dat_box(ring, ((int[]){0, 2}), 1, "int", (int *)NULL, "d"));
  expect("\"d\": lo_hi[1]: expected 0 in dimension 0, which is OP2_PERIODIC",
         OP2_ERR_ARG);
  CHECK(!op2_decl_dat_box(line, ((int[]){-1, 2}), 1, "int", (int *)NULL, "d"));
  expect("lo_hi[0]: expected 0 or more, found -1", OP2_ERR_ARG);
  CHECK(!op2_decl_map_rule(line, ring, 1, (int[]){0}, "r"));
  expect("\"r\": to: expected n = 6 in dimension 0 as \"refusing\", found 6 "
         "(periodic)",
         OP2_ERR_ARG);
  CHECK(!op2_decl_map_rule(line, line, 0, (int[]){0}, "r"));
  expect("dim: expected 1 to 65536, found 0", OP2_ERR_ARG);
  CHECK(!op2_decl_map_composed(rule, rule, "c"));
  expect("first: expected a declared map, found rule \"sides\"", OP2_ERR_ARG);
  CHECK(!op2_map_materialise((op_map)line, "t"));
  expect("map: expected one by rule, found set \"refusing\"", OP2_ERR_ARG);
}

static void
refused(void) {
  int f[9] = {0}, y[6] = {0};
  op_set line = op2_decl_box(1, (idx_g_t[]){6}, NULL, "refusing");
  op_map m = op2_decl_map_rule(line, line, 2, (int[]){-2, 1}, "sides");
  op_dat df = op2_decl_dat_box(line, ((int[]){1, 2}), 1, "int", f, "short");
  op_dat dy = op_decl_dat(line, 1, "int", y, "wy");
  op_map table = op2_map_materialise(m, "sides_table");
  op2_set_error_handler(on_error, NULL);
  op_par_loop(twice, "reach", line, VIA(df, 0, m, OP_READ), OWN(dy, OP_WRITE));
  expect("op_par_loop \"reach\": argument 0: dat \"short\": expected a halo of "
         "2, below in dimension 0, found 1",
         OP2_ERR_ARG);
  op_par_loop(twice, "reach", line, VIA(df, 1, table, OP_READ),
              OWN(dy, OP_WRITE));
  expect("argument 0: dat \"short\": expected a halo of 2, below", OP2_ERR_ARG);
  op_par_loop(add_to, "add", line, OWN(dy, OP_READ), VIA(df, 1, m, OP_INC));
  expect("op_par_loop \"add\": argument 1: dat \"short\": loops write the "
         "domain: expected OP_READ through entries that lie 1 beyond it in "
         "dimension 0",
         OP2_ERR_ARG);
  op_par_loop(twice, "over", df->set, OWN(df, OP_READ), OWN(df, OP_WRITE));
  expect("op_par_loop \"over\": set: expected a box, whose domain loops go "
         "over, found \"refusing_halo_1_2\"",
         OP2_ERR_ARG);
  op_par_loop(number, "number", line, op_arg_idx(-1, OP_ID), op_arg_idx(1, m),
              op2_arg_row_length(m), OWN(dy, OP_WRITE));
  expect("expected an entry that stays in the box, found 1 of \"sides\"",
         OP2_ERR_ARG);
  op_par_loop(twice, "index", line, VIA(df, 2, m, OP_READ), OWN(dy, OP_WRITE));
  expect("argument 0: index outside map \"sides\": expected 0 to 1",
         OP2_ERR_ARG);
  refused_declarations(line, m);
  op2_set_error_handler(NULL, NULL);
  /* it goes on */
  double two = 2;
  op_par_loop(scale, "scale", line, OWN(dy, OP_RW),
              op_arg_gbl(&two, 1, "double", OP_READ));
  op_par_loop(twice, "reach", line, VIA(df, 1, m, OP_READ), OWN(dy, OP_WRITE));
  op_fetch_data(dy, got);
  CHECK_INT(got[0], 0);
}

/* As many entries as several threads write down: around in the first dimension,
 * into a halo of 1 in the second. */
static void
large(void) {
  enum { N = 613, M = 157, K = 3 }; /* 288 723 entries */
  int rule[2 * K] = {-2, 0, 5, -1, 7, 1}, wrong = 0;
  int sides[] = {OP2_PERIODIC, OP2_HALO};
  op_set box = op2_decl_box(2, (idx_g_t[]){N, M}, sides, "large");
  op_map m = op2_decl_map_rule(box, box, K, rule, "large_rule");
  op_map table = op2_map_materialise(m, "large_table");
  CHECK_INT(op_get_size(box), N * M);
  CHECK(table && table->map);
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < K; k++) {
        int to = (i + rule[2 * k] + N) % N + N * (j + 1 + rule[2 * k + 1]);
        wrong += table->map[(i + N * j) * K + k] != to;
      }
  CHECK_INT(wrong, 0);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  line_halo();
  line_numbers();
  line_periodic();
  large();
  plane_of(0);
  plane_of(1);
  coupled();
  four();
  refused();
  return check_end();
}
