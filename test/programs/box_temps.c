/* Temporaries of boxes: loops that write them run over their halo, as far as what they
 * read is there. With values that the extents of a chain give. Exact. */
#include "check.h"
#include "errors.h"

#ifndef BOX_PARTS
#define BOX_PARTS 0 /* does a rank see a part of the box? */
#endif

enum { N = 6, ROOM = 40 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, k, m) op_arg_dat(d, -k, m, 1, "double", OP_READ)

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
copy_both(const double *x, double *a, double *b) {
  *a = *b = *x;
}
static void
copy_sum(const double *x, const double *y, double *out) {
  *out = *x + *y;
}
static void
add_up(const double *x, double *out, double *sum) {
  *out = *x;
  *sum += *x;
}

/* Entries from offset lo to hi. */
static op_map
offsets(op_set line, int lo, int hi) {
  int at[16];
  char name[32];
  for (int k = lo; k <= hi; k++) at[k - lo] = k;
  snprintf(name, sizeof name, "from_%d_to_%d", lo, hi);
  return op2_decl_map_rule(line, line, hi - lo + 1, at, name);
}

struct line {
  op_set set;
  op_map m_1_1, m0_1, m_2_0, m_1_2, m_2_2;
};

static struct line
line_make(const char *name) {
  struct line l;
  l.set = op2_decl_box(1, (idx_g_t[]){N}, NULL, name);
  l.m_1_1 = offsets(l.set, -1, 1);
  l.m0_1 = offsets(l.set, 0, 1);
  l.m_2_0 = offsets(l.set, -2, 0);
  l.m_1_2 = offsets(l.set, -1, 2);
  l.m_2_2 = offsets(l.set, -2, 2);
  return l;
}

/* f(i) for i from -lo to N + hi - 1. */
static op_dat
field(const struct line *l, int lo, int hi, double (*f)(double),
      const char *name) {
  double at[ROOM];
  for (int k = 0; k < lo + N + hi; k++) at[k] = f(k - lo);
  return op2_decl_dat_box(l->set, ((int[]){lo, hi}), 1, "double", at, name);
}
static double
square(double i) {
  return i * i;
}
static double
line3(double i) {
  return 3 * i + 1;
}
static double
same(double i) {
  return i;
}
static double
tens(double i) {
  return 10 * i;
}

static op_dat
temp(const struct line *l, int lo, int hi, const char *name) {
  return op2_decl_dat_box_temp(l->set, (int[]){lo, hi}, 1, "double", name);
}

/* Is e this? Its halo is the program's. */
static void
check_values(op_dat e, const double *expected) {
  double got[ROOM];
  op_fetch_data(e, got);
  CHECK_REALS(got, expected, N);
}

static void
expect(const char *text) {
  static int wrong;
  CHECK_INT(errors, ++wrong);
  CHECK_INT(code, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}

/* ---- extents in one dimension ------------------------------------------------ */

static void
chain(const struct line *l, op_dat a, op_dat b, op_dat c, op_dat d, op_dat e,
      bool again) {
  op_par_loop(of3_2, "f0", l->set, VIA(b, 3, l->m_1_1), VIA(c, 2, l->m0_1),
              OWN(a, OP_WRITE));
  op_par_loop(of3_4, "f1", l->set, VIA(b, 3, l->m_2_0),
              VIA(again ? a : c, 4, l->m_1_2), OWN(d, OP_WRITE));
  op_par_loop(of4_5_3, "f2", l->set, VIA(a, 4, l->m_1_2), VIA(d, 5, l->m_2_2),
              VIA(c, 3, l->m_1_1), OWN(e, OP_WRITE));
}

static void
extents(void) {
  static const double once[] = {166, 268, 424, 634, 898, 1216};
  static const double twice[] = {526, 808, 1264, 1894, 2698, 3676};
  struct line l = line_make("extents");
  op_dat e = field(&l, 0, 0, same, "e");
  op_dat a = temp(&l, 1, 2, "a"), d = temp(&l, 2, 2, "d");
  op_dat b = field(&l, 4, 3, square, "b"), c = field(&l, 3, 4, line3, "c");
  for (int step = 0; step < 3; step++) chain(&l, a, b, c, d, e, false);
  CHECK_PENDING(9);
  check_values(e, once);
  op_dat wide = temp(&l, 3, 4, "wide");
  op_dat b5 = field(&l, 4, 5, square, "b5"), c5 = field(&l, 3, 5, line3, "c5");
  chain(&l, wide, b5, c5, d, e, true);
  check_values(e, twice);
  /* the halo of a temporary can be looked at */
  double got[ROOM];
  op_fetch_data(a, got);
  for (int k = 0; k < N + 3; k++) {
    double i = k - 1;
    CHECK_REAL(got[k], square(i - 1) + square(i) + square(i + 1) + line3(i) +
                           line3(i + 1));
  }
  CHECK_INT(op_free_dat_temp(a), 0);
  CHECK_INT(op_free_dat_temp(d), 0);
  CHECK_INT(op_free_dat_temp(wide), 0);
}

/* c is written again, a keeps what it was made from. */
static void
written_again(void) {
  static const double ce[] = {63, 108, 183, 288, 423, 588};
  static const double ee[] = {277, 465, 767, 1183, 1713, 2357};
  struct line l = line_make("again");
  op_dat b = field(&l, 8, 8, square, "ab"), c0 = field(&l, 8, 8, line3, "ac0");
  op_dat d = field(&l, 2, 2, same, "ad"), e = field(&l, 0, 0, same, "ae");
  op_dat out = field(&l, 0, 0, same, "aout");
  op_dat a = temp(&l, 2, 3, "aa"), c = temp(&l, 6, 6, "ac");
  op_par_loop(copy, "fill", l.set, OWN(c0, OP_READ), OWN(c, OP_WRITE));
  op_par_loop(of3_2, "f0", l.set, VIA(b, 3, l.m_1_1), VIA(c, 2, l.m0_1),
              OWN(a, OP_WRITE));
  op_par_loop(of3_4, "f1", l.set, VIA(b, 3, l.m_2_0), VIA(a, 4, l.m_1_2),
              OWN(c, OP_WRITE));
  op_par_loop(of4_5_3, "f2", l.set, VIA(a, 4, l.m_1_2), VIA(d, 5, l.m_2_2),
              VIA(c, 3, l.m_1_1), OWN(e, OP_WRITE));
  op_par_loop(copy, "look", l.set, OWN(c, OP_READ), OWN(out, OP_WRITE));
  check_values(e, ee);
  check_values(out, ce);
  CHECK_INT(op_free_dat_temp(a), 0);
  CHECK_INT(op_free_dat_temp(c), 0);
}

static void
in_place(void) {
  static const double expected[] = {-10, 0, 10, 20, 30, 40, 50, 60};
  double got[ROOM], q[9];
  for (int k = 0; k < 9; k++) q[k] = tens(k - 1);
  op_set line = op2_decl_box(1, (idx_g_t[]){8}, NULL, "trap");
  op_map before = op2_decl_map_rule(line, line, 1, (int[]){-1}, "before");
  op_dat dq = op2_decl_dat_box(line, ((int[]){1, 0}), 1, "double", q, "q");
  op_dat t = op2_decl_dat_box_temp(line, (int[]){1, 0}, 1, "double", "trap_t");
  op_par_loop(copy, "g0", line, OWN(dq, OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "g1", line, op_arg_dat(t, 0, before, 1, "double", OP_READ),
              OWN(dq, OP_WRITE));
  op_fetch_data(dq, got);
  CHECK_REAL(got[0], -10);
  CHECK_REALS(got + 1, expected, 8);
  CHECK_INT(op_free_dat_temp(t), 0);
}

/* What the program puts into a temporary counts as made; two at once. */
static void
by_the_program(void) {
  struct line l = line_make("host");
  op_dat t = temp(&l, 1, 1, "ht"), u = temp(&l, 1, 1, "hu");
  op_dat v = temp(&l, 1, 1, "hv"), w = temp(&l, 1, 1, "hw");
  op_dat x = field(&l, 0, 0, same, "hx");
  double got[ROOM], *host = (double *)op2_dat_data_rw(t);
  for (int k = 0; k < N + 2; k++) host[k] = 5 * k;
  op_par_loop(copy_both, "both", l.set, OWN(t, OP_READ), OWN(u, OP_WRITE),
              OWN(v, OP_WRITE));
  op2_dat_copy(w, v);
  op_par_loop(copy, "shift", l.set,
              op_arg_dat(w, 0, l.m_1_1, 1, "double", OP_READ),
              OWN(x, OP_WRITE));
  op_fetch_data(x, got);
  for (int k = 0; k < N; k++) CHECK_REAL(got[k], 5 * k);
  op_fetch_data(u, got);
  for (int k = 0; k < N + 2; k++) CHECK_REAL(got[k], 5 * k);
  op_dat all[] = {t, u, v, w};
  for (int k = 0; k < 4; k++) CHECK_INT(op_free_dat_temp(all[k]), 0);
}

/* Periodic in j: there nothing is to be made around the domain. */
static void
plane(void) {
  enum { NI = 11, NJ = 7, W = NI + 4 };
  double f[W * NJ], got[NI * NJ];
  int near[] = {-1, 0, 1, 0, 0, -1, 0, 2};
  op_set set = op2_decl_box(2, (idx_g_t[]){NI, NJ},
                            (int[]){OP2_HALO, OP2_PERIODIC}, "plane");
  op_map m = op2_decl_map_rule(set, set, 4, near, "near");
  for (int k = 0; k < W * NJ; k++) f[k] = (k * 37) % 101;
  op_dat x = op2_decl_dat_box(set, ((int[]){2, 2, 0, 0}), 1, "double", f, "px");
  op_dat y = op_decl_dat(set, 1, "double", (double *)NULL, "py");
  op_dat t = op2_decl_dat_box_temp(set, (int[]){1, 1, 0, 0}, 1, "double", "pt");
  op_map two = op2_decl_map_rule(set, set, 3, near, "three");
  op_par_loop(of3_4, "first", set, VIA(x, 3, two), VIA(x, 4, m),
              OWN(t, OP_WRITE));
  op_par_loop(of3_4, "second", set, VIA(t, 3, two), VIA(t, 4, m),
              OWN(y, OP_WRITE));
  op_fetch_data(y, got);
#define AT(a, i, j) (a)[(i) + 2 + W * (((j) + NJ) % NJ)]
#define SUM(a, i, j)                                                           \
  (2 * (AT(a, (i) - 1, j) + AT(a, (i) + 1, j) + AT(a, i, (j) - 1)) +           \
   AT(a, i, (j) + 2))
  double made[W * NJ];
  for (int j = 0; j < NJ; j++)
    for (int i = -1; i <= NI; i++) AT(made, i, j) = SUM(f, i, j);
  for (int j = 0; j < NJ; j++)
    for (int i = 0; i < NI; i++) CHECK_REAL(got[i + NI * j], SUM(made, i, j));
  printf("bits %016llx\n",
         (unsigned long long)check_hash(got, sizeof got, 0xcbf29ce484222325u));
  CHECK_INT(op_free_dat_temp(t), 0);
}

/* All that is read lies above: what is below the domain is made of the domain,
 * which has no halo there, and by as much the less is wanted. */
static void
one_side(void) {
  struct line l = line_make("aside");
  op_map above = offsets(l.set, 2, 3), below = offsets(l.set, -2, -2);
  op_dat t = temp(&l, 2, 0, "at"), u = temp(&l, 2, 0, "au");
  op_dat y = field(&l, 0, 3, square, "ay"), z = field(&l, 0, 0, same, "az");
  double got[ROOM];
  op_par_loop(copy, "above", l.set,
              op_arg_dat(y, 0, above, 1, "double", OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "further", l.set,
              op_arg_dat(y, 1, above, 1, "double", OP_READ), OWN(u, OP_WRITE));
  op_par_loop(copy_sum, "back", l.set,
              op_arg_dat(t, 0, below, 1, "double", OP_READ),
              op_arg_dat(u, 0, below, 1, "double", OP_READ), OWN(z, OP_WRITE));
  op_fetch_data(z, got);
  for (int i = 0; i < N; i++) CHECK_REAL(got[i], square(i) + square(i + 1));
  CHECK_INT(op_free_dat_temp(t), 0);
  CHECK_INT(op_free_dat_temp(u), 0);
}

#define LAYER(d, by) op2_arg_dat_layer(d, by, 1, "double", OP_READ)

/* The same of layers; a box that has none reads none of the domain. */
static void
layers_aside(int layers) {
  enum { NI = 3, MOST = 4 };
  double v[NI * (MOST + 2)], got[NI * (MOST + 2)];
  op_set set = op2_decl_box(2, (idx_g_t[]){NI, layers}, NULL, "layers");
  for (int k = 0; k < NI * (layers + 2); k++) v[k] = 1 + k * k;
  op_dat x = op2_decl_dat_box(set, ((int[]){0, 0, 0, 2}), 1, "double", v, "lx");
  op_dat y = op_decl_dat(set, 1, "double", (double *)NULL, "ly");
  op_dat t = op2_decl_dat_box_temp(set, (int[]){0, 0, 2, 2}, 1, "double", "lt");
  op_par_loop(copy, "up", set, LAYER(x, 2), OWN(t, OP_WRITE));
  op_par_loop(copy, "down", set, LAYER(t, -2), OWN(y, OP_WRITE));
  op_fetch_data(y, got);
  CHECK_REALS(got, v, NI * layers);
  CHECK_INT(op_free_dat_temp(t), 0);
}

/* ---- too little of a halo ------------------------------------------------------ */

static void
shortage(int blo, int bhi, int clo, int chi, const char *text) {
  struct line l = line_make("short");
  op_dat a = temp(&l, 1, 2, "sa"), d = temp(&l, 2, 2, "sd");
  op_dat b = field(&l, blo, bhi, square, "sb");
  op_dat c = field(&l, clo, chi, line3, "sc"), e = field(&l, 0, 0, same, "se");
  chain(&l, a, b, c, d, e, false);
  expect(text);
  CHECK_INT(op_free_dat_temp(a), 0);
  CHECK_INT(op_free_dat_temp(d), 0);
}

/* What lies beyond is not there, whether there are layers or not. */
static void
layers_short(int layers) {
  op_set set = op2_decl_box(2, (idx_g_t[]){3, layers}, NULL, "few_layers");
  op_dat y = op_decl_dat(set, 1, "double", (double *)NULL, "fy");
  op_dat t = op2_decl_dat_box_temp(set, (int[]){0, 0, 0, 2}, 1, "double", "ft");
  op_par_loop(copy, "make", set, OWN(y, OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "use", set, LAYER(t, 1), OWN(y, OP_WRITE));
  expect("temporary \"ft\": expected values 1 beyond the domain, above in "
         "dimension 1, found 0: loop \"make\" made it, and it has no more of "
         "\"fy\"");
  CHECK_INT(op_free_dat_temp(t), 0);
}

static void
refused(void) {
  double sum = 0;
  op2_set_error_handler(on_error, NULL);
  layers_short(0);
  layers_short(4);
  shortage(3, 3, 3, 4,
           "op_par_loop \"f2\": argument 1: temporary \"sd\": expected values "
           "2 beyond the domain, below in dimension 0, found 1: loop \"f1\" "
           "made it, and it has no more of \"sb\"");
  shortage(4, 2, 3, 4,
           "op_par_loop \"f2\": argument 0: temporary \"sa\": expected values "
           "2 beyond the domain, above in dimension 0, found 1: loop \"f0\" "
           "made it, and it has no more of \"sb\"");
  shortage(4, 3, 2, 4,
           "temporary \"sd\": expected values 2 beyond the domain, "
           "below in dimension 0, found 1");
  shortage(4, 3, 3, 3,
           "temporary \"sd\": expected values 2 beyond the domain, "
           "above in dimension 0, found 1");
  struct line l = line_make("kept");
  op_dat t = temp(&l, 1, 1, "kt"), x = field(&l, 1, 1, same, "kx");
  op_par_loop(add_up, "add_up", l.set, OWN(x, OP_READ), OWN(t, OP_WRITE),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  CHECK_REAL(sum, 15);
  op_par_loop(copy, "use", l.set,
              op_arg_dat(t, 0, l.m_1_1, 1, "double", OP_READ),
              OWN(x, OP_WRITE));
  expect("found 0: loop \"add_up\" made it, and it writes a global");
  op_par_loop(copy_both, "two", l.set, OWN(x, OP_READ), OWN(t, OP_WRITE),
              OWN(x, OP_WRITE));
  op_par_loop(copy, "use", l.set,
              op_arg_dat(t, 0, l.m_1_1, 1, "double", OP_READ),
              OWN(x, OP_WRITE));
  expect("loop \"two\" made it, and it writes a dat that is no temporary of a "
         "box, too");
  op_map table = op2_map_materialise(l.m_1_1, "kept_table");
  op_par_loop(copy, "tabled", l.set,
              op_arg_dat(x, 1, table, 1, "double", OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "use", l.set,
              op_arg_dat(t, 2, l.m_1_1, 1, "double", OP_READ),
              OWN(x, OP_WRITE));
  expect("loop \"tabled\" made it, and it goes through a table");
  CHECK(!temp(&l, 1, 1, "kt"));
  expect(
      "op2_decl_dat_box_temp \"kt\": expected a name that no live temporary");
  CHECK(!op_decl_dat_overlay(l.set, t));
  expect("expected a dat that is no temporary of a box, found \"kt\"");
  CHECK_INT(op_free_dat_temp(t), 0);
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  extents();
  written_again();
  in_place();
  if (!BOX_PARTS) by_the_program(); /* it writes all of a dat */
  plane();
  one_side();
  layers_aside(4);
  layers_aside(1);
  if (!BOX_PARTS) layers_aside(0); /* a part of nothing has no halo */
  refused();
  return check_end();
}
