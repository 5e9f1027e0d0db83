/* Loops over levels of a vertical axis: kernels in intervals, splitters in several
 * places, orders; what is refused. Exact: small integers and halves. */
#include "check.h"
#include "errors.h"

enum { I = 5, J = 3, K = 8, PLANE = I * J, POINTS = PLANE * K };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, m) op_arg_dat(d, 0, m, 1, "double", OP_READ)
#define LAYER(d, dl) op2_arg_dat_layer(d, dl, 1, "double", OP_READ)
#define INTERVAL(...) ((struct op2_interval){__VA_ARGS__})
#define ALL INTERVAL(0, 1, 3, -1)

static double x[POINTS], found[POINTS], want[POINTS];

static op_set
box_make(const char *name) {
  return op2_decl_box(3, (idx_g_t[]){I, J, K}, NULL, name);
}

static op2_axis
axis_make(op_set box, int a, int b, int c, int d) {
  op2_axis axis = op2_decl_axis(box, 2, 4, 3);
  CHECK_INT(op2_axis_place(axis, (idx_l_t[]){a, b, c, d}), 0);
  return axis;
}

/* ---- kernels in intervals ------------------------------------------------------ */

static void
f0(const double *in, double *w) {
  *w += 100 + *in;
}
static void
f1(const double *in, double *w) {
  *w = 2 * *w + *in;
}
static void
f2(const double *in, double *w) {
  *w -= 3 * *in;
}
static void
f3(const double *in, double *w) {
  *w = *w / 2 + *in;
}

#define FOUR                                                                   \
  op2_levels_of(op2_level(f0, INTERVAL(3, -1, 3, -1)),                         \
                op2_level(f1, INTERVAL(0, 1, 2, -1)),                          \
                op2_level(f2, INTERVAL(0, 1, 1, -1)),                          \
                op2_level(f3, INTERVAL(1, 1, 3, -1)))

static void
four(op_set box, op2_axis axis, op_dat in, op_dat w) {
  op2_par_loop_levels("four", box, axis, OP2_PARALLEL, FOUR, OWN(in, OP_READ),
                      OWN(w, OP_RW));
}

static void
reference(const int *at, const double *in, double *w) {
  for (int k = 0; k < K; k++)
    for (int p = 0; p < PLANE; p++) {
      int e = p + PLANE * k;
      if (k == at[3] - 1) f0(in + e, w + e);
      if (at[0] <= k && k < at[2]) f1(in + e, w + e);
      if (at[0] <= k && k < at[1]) f2(in + e, w + e);
      if (at[1] <= k && k < at[3]) f3(in + e, w + e);
    }
}

/* The layers of each loop interval, with none in some. */
static void
places(op_set box) {
  static const int at[][4] = {{0, 2, 5, 8}, {0, 2, 5, 6}, {0, 0, 7, 8},
                              {1, 4, 4, 7}, {3, 3, 3, 4}, {0, 2, 5, 8}};
  op2_axis axis = axis_make(box, 0, 2, 5, 8);
  op_dat in = op_decl_dat(box, 1, "double", x, "in");
  op_dat w = op_decl_dat(box, 1, "double", x, "w");
  memcpy(want, x, sizeof want);
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    CHECK_INT(op2_axis_place(axis, at[i]), 0);
    four(box, axis, in, w);
    reference(at[i], x, want);
    if (i % 2) op_fetch_data(w, found);
    if (i % 2) CHECK_REALS(found, want, POINTS);
  }
  CHECK_INT(op2_free(axis), 0);
}

/* Loops that wait are where splitters were when they were called. */
static void
waiting(op_set box) {
  static const int first[] = {0, 1, 2, 3}, then[] = {4, 5, 6, 8};
  op2_axis axis = axis_make(box, 0, 1, 2, 3);
  op_dat in = op_decl_dat(box, 1, "double", x, "waiting_in");
  op_dat w = op_decl_dat(box, 1, "double", x, "waiting_w");
  four(box, axis, in, w);
  CHECK_PENDING(2 + 2 + 2); /* (2,1)-(3,-2) is none */
  CHECK_INT(op2_axis_place(axis, then), 0);
  four(box, axis, in, w);
  CHECK_INT(op2_free(axis), 0);
  memcpy(want, x, sizeof want);
  reference(first, x, want);
  reference(then, x, want);
  op_fetch_data(w, found);
  CHECK_REALS(found, want, POINTS);
}

static void
gaps(op_set box) {
  op2_axis axis = axis_make(box, 0, 2, 5, 8);
  op_dat in = op_decl_dat(box, 1, "double", x, "gaps_in");
  op_dat w = op_decl_dat(box, 1, "double", x, "gaps_w");
  op2_par_loop_levels("gaps", box, axis, OP2_PARALLEL + OP2_GAPS,
                      op2_levels_of(op2_level(f0, INTERVAL(2, 2, 3, -1)),
                                    op2_level(f1, INTERVAL(0, 1, 1, -2))),
                      OWN(in, OP_READ), OWN(w, OP_RW));
  memcpy(want, x, sizeof want);
  for (int e = 6 * PLANE; e < POINTS; e++) f0(x + e, want + e);
  for (int e = 0; e < PLANE; e++) f1(x + e, want + e);
  op_fetch_data(w, found);
  CHECK_REALS(found, want, POINTS);
  CHECK_INT(op2_free(axis), 0);
}

/* A place in each step. */
static void
many(op_set box) {
  op2_axis axis = axis_make(box, 0, 2, 5, 8);
  op_dat in = op_decl_dat(box, 1, "double", x, "many_in");
  op_dat w = op_decl_dat(box, 1, "double", x, "many_w");
  memcpy(want, x, sizeof want);
  for (int i = 0; i < 24; i++) {
    int at[] = {0, i % 3, 3 + i % 4, 8};
    CHECK_INT(op2_axis_place(axis, at), 0);
    four(box, axis, in, w);
    reference(at, x, want);
  }
  op_fetch_data(w, found);
  CHECK_REALS(found, want, POINTS);
  CHECK_INT(op2_free(axis), 0);
}

/* ---- neighbours ---------------------------------------------------------------- */

static void
beside(const double *west, const double *below, double *out) {
  *out = *west + 10 * *below;
}
static void
negative(const double *west, const double *below, double *out) {
  *out = -*west - *below;
}

/* Rules and other layers, with a halo below the box and to its west. */
static void
neighbours(op_set box) {
  enum { W = I + 1 };
  static double a[W * J * (K + 1)], b[POINTS];
  for (int i = 0; i < W * J * (K + 1); i++) a[i] = i % 13;
  int halo[] = {1, 0, 0, 0, 1, 0}, by[] = {-1, 0, 0};
  op2_axis axis = axis_make(box, 0, 3, 4, 8);
  op_map west = op2_decl_map_rule(box, box, 1, by, "west");
  op_dat in = op2_decl_dat_box(box, halo, 1, "double", a, "beside_in");
  op_dat out = op_decl_dat(box, 1, "double", b, "beside_out");
  op2_par_loop_levels("beside", box, axis, OP2_PARALLEL,
                      op2_levels_of(op2_level(beside, INTERVAL(0, 1, 1, -1)),
                                    op2_level(negative, INTERVAL(1, 1, 3, -1))),
                      VIA(in, west), LAYER(in, -1), OWN(out, OP_WRITE));
  for (int e = 0; e < POINTS; e++) {
    int i = e % I, j = e / I % J, k = e / PLANE, at = i + W * (j + J * (k + 1));
    (k < 3 ? beside : negative)(&a[at], &a[at + 1 - W * J], &want[e]);
  }
  op_fetch_data(out, found);
  CHECK_REALS(found, want, POINTS);
  CHECK_INT(op2_free(axis), 0);
}

/* ---- in order ------------------------------------------------------------------- */

static void
begin(const double *in, const double *before, double *w) {
  *w = *in + *before;
}
static void
go_on(const double *in, const double *before, double *w) {
  *w = *before + 2 * *in;
}
static void
end(const double *in, const double *before, double *w) {
  *w = *before - *in;
}

/* Sums from one end: the first layer finds what lies in the halo. */
static void
sums(op_set box, int order) {
  static double b[PLANE * (K + 2)];
  int up = order == OP2_FORWARD, halo[] = {0, 0, 0, 0, 1, 1};
  for (int i = 0; i < PLANE * (K + 2); i++) b[i] = i % 7;
  op2_axis axis = axis_make(box, 0, 2, 5, 8);
  op_dat in = op_decl_dat(box, 1, "double", x, "sums_in");
  op_dat w = op2_decl_dat_box(box, halo, 1, "double", b, "sums_w");
  op2_par_loop_levels("sums", box, axis, order,
                      op2_levels_of(op2_level(go_on, INTERVAL(1, 1, 3, -2)),
                                    op2_level(end, INTERVAL(3, -1, 3, -1)),
                                    op2_level(begin, INTERVAL(0, 1, 1, -1))),
                      OWN(in, OP_READ), LAYER(w, up ? -1 : 1), OWN(w, OP_RW));
  for (int i = 0; i < K; i++)
    for (int p = 0; p < PLANE; p++) {
      int k = up ? i : K - 1 - i, e = p + PLANE * k, at = e + PLANE;
      (k < 2   ? begin
       : k < 7 ? go_on
               : end)(&x[e], &b[up ? at - PLANE : at + PLANE], &b[at]);
    }
  static double all[PLANE * (K + 2)];
  op_fetch_data(w, all);
  CHECK_REALS(all, b, PLANE * (K + 2));
  CHECK_INT(op2_free(axis), 0);
}

/* ---- grids, lifetimes ----------------------------------------------------------- */

static void
add_one(double *w) {
  *w += 1;
}

/* In a grid layers are j, with all colours; a whole time step is in a scope. */
static void
grid(void) {
  for (int round = 0; round < 3; round++) {
    op_set cells = op2_decl_grid((idx_g_t[]){4, 6}, 2, NULL, "cells");
    op2_axis axis = op2_decl_axis(cells, 1, 2, 1);
    CHECK_INT(op2_axis_place(axis, (idx_l_t[]){2, 5}), 0);
    op_dat w = op_decl_dat_temp(cells, 1, "double", (double *)NULL, "cells_w");
    op2_par_loop_levels(
        "add_one", cells, axis, OP2_PARALLEL,
        op2_levels_of(op2_level(add_one, INTERVAL(0, 1, 1, -1))),
        OWN(w, OP_RW));
    CHECK_INT(op2_free(axis), 0);
    op_fetch_data(w, found);
    for (int e = 0; e < 48; e++) want[e] = e >= 2 * 8 && e < 5 * 8;
    CHECK_REALS(found, want, 48);
    op_free_dat_temp(w);
    CHECK_INT(op2_free(cells), 0);
  }
}

/* ---- what is refused ------------------------------------------------------------ */

#define REFUSED_AS(status, text, call)                                         \
  do {                                                                         \
    int before = errors;                                                       \
    call;                                                                      \
    CHECK_INT(errors, before + 1);                                             \
    CHECK_INT(code, status);                                                   \
    if (!strstr(message, text)) puts(message), CHECK_INT(0, __LINE__);         \
    if (!strstr(message, "box_levels.c:")) CHECK_INT(0, __LINE__);             \
  } while (0)
#define REFUSED(text, call) REFUSED_AS(OP2_ERR_ARG, text, call)

static void
refused_axes(op_set box) {
  op_set plain = op_decl_set(4, "plain");
  REFUSED("op2_decl_axis: set: expected a box or grid, found set \"plain\"",
          op2_decl_axis(plain, 0, 4, 3));
  REFUSED("op2_decl_axis: set: expected a box or grid, found NULL",
          op2_decl_axis(NULL, 0, 4, 3));
  REFUSED("op2_decl_axis: dimension: expected 2, the last one of \"box\": no "
          "other has axes so far; found 1",
          op2_decl_axis(box, 1, 4, 3));
  REFUSED("op2_decl_axis: nsplitters: expected 2 to 1024, found 1",
          op2_decl_axis(box, 2, 1, 3));
  REFUSED("op2_decl_axis: limit: expected 1 to 1024, found 0",
          op2_decl_axis(box, 2, 4, 0));
  REFUSED("op2_axis_place: axis: expected a declared axis, found set \"box\"",
          CHECK_INT(op2_axis_place((op2_axis)(void *)box, (idx_l_t[]){0}),
                    OP2_ERR_ARG));
}

static void
refused_places(op_set box, op2_axis axis) {
  REFUSED("op2_axis_place: positions: expected 4 numbers, found NULL",
          CHECK_INT(op2_axis_place(axis, NULL), OP2_ERR_ARG));
  REFUSED("op2_axis_place: box \"box\": position of splitter 2: expected 3 to "
          "8, found 2",
          CHECK_INT(op2_axis_place(axis, (idx_l_t[]){0, 3, 2, 8}),
                    OP2_ERR_ARG));
  REFUSED("op2_axis_place: box \"box\": position of splitter 3: expected 5 to "
          "8, found 9",
          CHECK_INT(op2_axis_place(axis, (idx_l_t[]){0, 3, 5, 9}),
                    OP2_ERR_ARG));
  REFUSED("op2_free: box \"box\": expected no axis of it, found one",
          CHECK_INT(op2_free(box), OP2_ERR_ARG));
}

#define TRY_LEVELS(order, ...)                                                 \
  op2_par_loop_levels("try", box, axis, order, op2_levels_of(__VA_ARGS__),     \
                      OWN(in, OP_READ), OWN(w, OP_RW))

static void
refused_items(op_set box, op2_axis axis, op_dat in, op_dat w) {
  REFUSED("op2_par_loop_levels \"try\": item 1: from: expected an offset above "
          "-3, since no level of the splitter is before that, found (1,-3)",
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, ALL),
                     op2_level(f1, INTERVAL(1, -3, 2, 1))));
  REFUSED("item 0: to: expected an offset below 3, since no level of the "
          "splitter is behind that, found (3,3)",
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, INTERVAL(0, 1, 3, 3))));
  REFUSED("item 0: to: splitter: expected 0 to 3, found 4",
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, INTERVAL(0, 1, 4, -1))));
  REFUSED("item 0: expected an end not before its begin, found (1,2)-(1,1)",
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, INTERVAL(1, 2, 1, 1))));
  REFUSED("item 0: kernel: expected a function, found NULL",
          TRY_LEVELS(OP2_PARALLEL, op2_level(NULL, ALL)));
  REFUSED("order: expected OP2_PARALLEL, OP2_FORWARD or OP2_BACKWARD, found 3",
          TRY_LEVELS(3, op2_level(f0, ALL)));
  REFUSED("items: expected 1 to 64, found 0 at NULL",
          op2_par_loop_levels("try", box, axis, OP2_PARALLEL,
                              ((op2_levels){NULL, 0}), OWN(w, OP_RW)));
}

static void
refused_levels(op_set box, op2_axis axis, op_dat in, op_dat w) {
  REFUSED("\"try\": expected no gap, found (1,1)-(2,-1) in no item",
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, INTERVAL(2, 1, 3, -1)),
                     op2_level(f1, INTERVAL(0, 1, 1, -1))));
  REFUSED("\"try\": (0,-1)-(3,-1): expected levels within the axis, found "
          "layers -1 to 7",
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, INTERVAL(0, -1, 3, -1))));
  REFUSED("\"try\": (1,2)-(2,-3): expected levels that do not overlap, found "
          "layers 3 to 1",
          CHECK_INT(op2_axis_place(axis, (idx_l_t[]){0, 2, 4, 8}), 0);
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, INTERVAL(1, 2, 2, -3))));
  REFUSED("\"try\": (0,1)-(1,-1): expected one item in order OP2_BACKWARD, "
          "where a layer goes through several kernels",
          TRY_LEVELS(OP2_BACKWARD, op2_level(f0, ALL),
                     op2_level(f1, INTERVAL(0, 1, 1, -1))));
  REFUSED("\"try\": set: expected box \"box\", whose axis it is, found NULL",
          op2_par_loop_levels("try", NULL, axis, OP2_PARALLEL, FOUR,
                              OWN(in, OP_READ), OWN(w, OP_RW)));
  REFUSED("op_par_loop \"try (0,1)-(1,-1)\": ",
          op2_par_loop_levels(
              "try", box, axis, OP2_PARALLEL,
              op2_levels_of(op2_level(f0, INTERVAL(0, 1, 1, -1))),
              OWN(in, OP_READ), op_arg_dat(w, -1, OP_ID, 2, "double", OP_RW)));
}

/* A place where levels of a loop overlap; splitters stay where they were. */
static void
refused_later(op_set box, op2_axis axis, op_dat in, op_dat w) {
  CHECK_INT(op2_axis_place(axis, (idx_l_t[]){0, 2, 5, 6}), 0);
  four(box, axis, in, w);
  REFUSED("op2_axis_place: box \"box\": (2,1)-(3,-2): expected levels that do "
          "not overlap, found layers 5 to 3",
          CHECK_INT(op2_axis_place(axis, (idx_l_t[]){0, 2, 5, 5}),
                    OP2_ERR_ARG));
  four(box, axis, in, w);
  memcpy(want, x, sizeof want);
  for (int i = 0; i < 2; i++) reference((int[]){0, 2, 5, 6}, x, want);
  op_fetch_data(w, found);
  CHECK_REALS(found, want, POINTS);
}

static void
refused(op_set box) {
  op_dat in = op_decl_dat(box, 1, "double", x, "refused_in");
  op_dat w = op_decl_dat(box, 1, "double", x, "refused_w");
  op2_set_error_handler(on_error, NULL);
  refused_axes(box);
  op2_axis axis = op2_decl_axis(box, 2, 4, 3);
  REFUSED_AS(OP2_ERR_STATE,
             "\"try\": axis: expected splitters that were placed",
             TRY_LEVELS(OP2_PARALLEL, op2_level(f0, ALL)));
  CHECK_INT(op2_axis_place(axis, (idx_l_t[]){0, 2, 5, 8}), 0);
  refused_places(box, axis);
  refused_items(box, axis, in, w);
  refused_levels(box, axis, in, w);
  refused_later(box, axis, in, w);
  CHECK_INT(op2_free(axis), 0);
  REFUSED("\"try\": axis: expected a declared axis, found a freed axis",
          TRY_LEVELS(OP2_PARALLEL, op2_level(f0, ALL)));
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  for (int i = 0; i < POINTS; i++) x[i] = i % 17;
  op_set box = box_make("box");
  places(box);
  waiting(box);
  gaps(box);
  many(box);
  neighbours(box);
  sums(box, OP2_FORWARD);
  sums(box, OP2_BACKWARD);
  grid();
  refused(box);
  op2_decl_axis(box, 2, 2, 1); /* for op_exit */
  return check_end();
}
