/* Scans along the last dimension of boxes, with dats that have a halo and dats that
 * have none; layers of boxes in loops; what is refused. Exact (small integers and
 * halves) but for the tridiagonal system. */
#include "check.h"
#include "errors.h"

#include <limits.h>

#ifndef SCAN_DIMS
#define SCAN_DIMS 1 /* least dimensions of boxes that scans go along */
#endif

enum { I = 7, J = 5, K = 6, PLANE = I * J, POINTS = PLANE * K, MOST = 2048 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, i, m) op_arg_dat(d, i, m, 1, "double", OP_READ)
#define LAYER(d, dl) op2_arg_dat_layer(d, dl, 1, "double", OP_READ)

static double found[MOST], x[MOST];

/* A dat with its halo, and what it has to be. */
struct field {
  op_dat dat;
  int halo[6];
  double v[MOST];
};

/* The value at a point; the halo has numbers from -halo[2 d] on. */
static double *
at(struct field *f, int i, int j, int k) {
  const int *h = f->halo;
  int ni = I + h[0] + h[1], nj = J + h[2] + h[3];
  return &f->v[i + h[0] + ni * (j + h[2] + nj * (k + h[4]))];
}

static int
points(const struct field *f) {
  const int *h = f->halo;
  return (I + h[0] + h[1]) * (J + h[2] + h[3]) * (K + h[4] + h[5]);
}

static void
field_make(struct field *f, op_set box, const int *halo, int seed,
           const char *name) {
  memcpy(f->halo, halo, sizeof f->halo);
  for (int i = 0; i < points(f); i++) f->v[i] = i * seed % 11 + 1;
  f->dat = op2_decl_dat_box(box, f->halo, 1, "double", f->v, name);
}

/* All of it: scans leave the halo alone. */
static void
field_check(const struct field *f) {
  op_fetch_data(f->dat, found);
  CHECK_REALS(found, f->v, points(f));
}

static op_set
box_make(void) {
  return op2_decl_box(3, (idx_g_t[]){I, J, K}, NULL, "box");
}

/* Rows of k layers each. */
static op_set
upright(int i, int k, const char *name) {
  const idx_g_t flat[] = {i, k}, deep[] = {i, 1, k};
  return SCAN_DIMS > 2 ? op2_decl_box(3, deep, NULL, name)
                       : op2_decl_box(2, flat, NULL, name);
}

static const int none[6], around[6] = {1, 0, 2, 1, 2, 1},
                          wide[6] = {0, 1, 0, 1, 1, 3};

#define EACH_COLUMN                                                            \
  for (int j = 0; j < J; j++)                                                  \
    for (int i = 0; i < I; i++)

/* ---- recurrences -------------------------------------------------------------- */

static void
sweep(const double *z, const double *above, double *w) {
  *w += *above * *z;
}
static void
sum_two(const double *below, const double *lower, double *w) {
  *w = *below + *lower;
}
static void
add_next(const double *next, double *w) {
  *w += *next;
}
static void
twice(double *w) {
  *w *= 2;
}
static void
one(double *w) {
  *w = 1;
}
static void
copy(const double *from, double *to) {
  *to = *from;
}

/* 5 levels, of which the last and the first are not touched. */
static void
five(void) {
  const double result[] = {1, 1.875, 1.75, 1.5, 1};
  double one[5 * PLANE], half[5 * PLANE], want[5 * PLANE];
  int middle[3 * PLANE];
  for (int i = 0; i < 5 * PLANE; i++)
    one[i] = 1, half[i] = .5, want[i] = result[i / PLANE];
  for (int i = 0; i < 3 * PLANE; i++) middle[i] = PLANE + i;
  op_set box = op2_decl_box(3, (idx_g_t[]){I, J, 5}, NULL, "five");
  op_set inner = op2_decl_subset(box, 3 * PLANE, middle, "inner");
  op_dat w = op_decl_dat(box, 1, "double", one, "five_w");
  op_dat z = op_decl_dat(box, 1, "double", half, "five_z");
  op2_par_loop_scan(sweep, "sweep", inner, OP2_BACKWARD, OWN(z, OP_READ),
                    LAYER(w, 1), OWN(w, OP_RW));
  op_fetch_data(w, found);
  CHECK_REALS(found, want, 5 * PLANE);
}

/* In one to four dimensions, up and down: layers lie a plane apart. */
static void
dimensions(int ndim) {
  const idx_g_t n[4] = {3, 4, 2, 5};
  int plane = 1, layers = (int)n[ndim - 1];
  double want[3 * 4 * 2 * 5];
  for (int d = 0; d + 1 < ndim; d++) plane *= (int)n[d];
  op_set box = op2_decl_box(ndim, n, NULL, "dimensions");
  op_dat w = op_decl_dat(box, 1, "double", x, "dimensions_w");
  op_par_loop(twice, "twice", box, OWN(w, OP_RW));
  op2_par_loop_scan(add_next, "add_below", box, OP2_FORWARD, LAYER(w, -1),
                    OWN(w, OP_INC));
  op2_par_loop_scan(add_next, "add_above", box, OP2_BACKWARD, LAYER(w, 1),
                    OWN(w, OP_RW));
  for (int i = 0; i < plane * layers; i++) want[i] = 2 * x[i];
  for (int e = plane; e < plane * layers; e++) want[e] += want[e - plane];
  for (int e = plane * (layers - 1); e-- > 0;) want[e] += want[e + plane];
  op_fetch_data(w, found);
  CHECK_REALS(found, want, plane * layers);
}

/* ---- halos -------------------------------------------------------------------- */

/* Layers in the halo are there: Fibonacci's numbers from two of them on. */
static void
from_halo(op_set box) {
  static struct field w;
  field_make(&w, box, around, 3, "from_halo");
  op2_par_loop_scan(sum_two, "sum_two", box, OP2_FORWARD, LAYER(w.dat, -1),
                    LAYER(w.dat, -2), OWN(w.dat, OP_WRITE));
  for (int k = 0; k < K; k++)
    EACH_COLUMN *at(&w, i, j, k) = *at(&w, i, j, k - 1) + *at(&w, i, j, k - 2);
  field_check(&w);
}

/* Dats of three halos, written and read in one scan, between loops. */
static void
mix(const double *a_below, const double *b_above, const double *c_below,
    double *a, double *c, double *calls) {
  *a = *a_below - *b_above + *c;
  *c += *c_below;
  *calls += 1;
}

static void
mixed(op_set box, int order) {
  static struct field a, b, c;
  int dl = order == OP2_FORWARD ? -1 : 1;
  double calls = 0;
  field_make(&a, box, around, 3, "mixed_a");
  field_make(&b, box, wide, 5, "mixed_b");
  field_make(&c, box, none, 7, "mixed_c");
  op_par_loop(twice, "twice", box, OWN(a.dat, OP_RW));
  op2_par_loop_scan(mix, "mix", box, order, LAYER(a.dat, dl), LAYER(b.dat, 3),
                    LAYER(c.dat, dl), OWN(a.dat, OP_WRITE), OWN(c.dat, OP_RW),
                    op_arg_gbl(&calls, 1, "double", OP_INC));
  op_par_loop(twice, "twice", box, OWN(b.dat, OP_RW));
  CHECK_REAL(calls, (K - 1) * PLANE); /* c has no more layers */
  for (int k = 0; k < K; k++) EACH_COLUMN *at(&a, i, j, k) *= 2;
  EACH_COLUMN for (int l = 1; l < K; l++) {
    int k = dl < 0 ? l : K - 1 - l;
    *at(&a, i, j, k) =
        *at(&a, i, j, k + dl) - *at(&b, i, j, k + 3) + *at(&c, i, j, k);
    *at(&c, i, j, k) += *at(&c, i, j, k + dl);
  }
  for (int k = 0; k < K; k++) EACH_COLUMN *at(&b, i, j, k) *= 2;
  field_check(&a);
  field_check(&b);
  field_check(&c);
}

/* What a scan writes of a temporary is its domain. */
static void
temporaries(op_set box) {
  static struct field a, out;
  field_make(&a, box, around, 3, "temps_a");
  field_make(&out, box, none, 3, "temps_out");
  op_dat t = op2_decl_dat_box_temp(box, around, 1, "double", "temps_t");
  op_par_loop(copy, "copy", box, OWN(a.dat, OP_READ), OWN(t, OP_WRITE));
  op2_par_loop_scan(add_next, "add_below", box, OP2_FORWARD, LAYER(t, -1),
                    OWN(t, OP_RW));
  op2_par_loop_scan(add_next, "add_above", box, OP2_BACKWARD, LAYER(t, 1),
                    OWN(out.dat, OP_RW));
  op_free_dat_temp(t);
  /* the first scan begins in the halo, after it there is none */
  for (int k = 0; k < K; k++)
    EACH_COLUMN *at(&a, i, j, k) += *at(&a, i, j, k - 1);
  for (int k = K - 1; k-- > 0;)
    EACH_COLUMN *at(&out, i, j, k) += *at(&a, i, j, k + 1);
  field_check(&out);
}

/* All accesses to a dat with a halo, and a block of one entry. */
static void
gather(const double *below, double *sum, double *most, double *block) {
  *sum += *below;
  if (*below > *most) *most = *below;
  *block = 2 * *below;
}

static void
accesses(op_set box) {
  static struct field d, sum, most, block;
  field_make(&d, box, none, 3, "of");
  field_make(&sum, box, around, 5, "sum");
  field_make(&most, box, wide, 7, "most");
  field_make(&block, box, around, 2, "block");
  op2_par_loop_scan(gather, "gather", box, OP2_FORWARD, LAYER(d.dat, -1),
                    OWN(sum.dat, OP_INC), OWN(most.dat, OP_MAX),
                    op2_arg_dat_packed(block.dat, 1, OP_ID, 1, "double",
                                       OP_WRITE));
  for (int k = 1; k < K; k++)
    EACH_COLUMN gather(at(&d, i, j, k - 1), at(&sum, i, j, k),
                       at(&most, i, j, k), at(&block, i, j, k));
  field_check(&sum);
  field_check(&most);
  field_check(&block);
}

/* One dat twice in a step: what is read there is what was there before. */
static void
add_own(const double *mine, const double *below, double *w) {
  *w = *mine + *below;
}

static void
named_twice(op_set box) {
  static struct field w;
  field_make(&w, box, around, 3, "twice_w");
  op2_par_loop_scan(add_own, "read_write", box, OP2_FORWARD,
                    OWN(w.dat, OP_READ), LAYER(w.dat, -1), OWN(w.dat, OP_RW));
  op2_par_loop_scan(add_own, "layer_write", box, OP2_BACKWARD, LAYER(w.dat, 0),
                    LAYER(w.dat, 1), OWN(w.dat, OP_WRITE));
  for (int k = 0; k < K; k++)
    EACH_COLUMN *at(&w, i, j, k) += *at(&w, i, j, k - 1);
  for (int k = K; k-- > 0;)
    EACH_COLUMN *at(&w, i, j, k) += *at(&w, i, j, k + 1);
  field_check(&w);
}

/* What scans need beside the box is the library's alone. */
static void
unseen(void) {
  int lo_hi[6] = {1, 1, 1, 1, 1, 1};
  op_set box = upright(3, 4, "cells");
  op_dat w =
      op2_decl_dat_box(box, ((int[]){1, 1, 1, 1, 1, 1}), 1, "double", x, "u");
  op2_flush();
  op2_par_loop_scan(twice, "twice", box, OP2_FORWARD, OWN(w, OP_RW));
  if (op2_pending()) {
    CHECK_INT(op2_trace_compute_extent(0, lo_hi), 0);
    for (int k = 0; k < 4; k++) CHECK_INT(lo_hi[k], 0);
  }
  op_set mine = op_decl_set(77, "cells_plane");
  CHECK_INT(op_size_of_set("cells_plane"), op_get_size_local(mine));
}

/* ---- other columns ------------------------------------------------------------ */

static void
weigh(const double *west, const double *under, const double *flat,
      const double *below, double *w) {
  *w = (*west + *under) * *flat + .5 * *below;
}

/* Neighbours by rule, and a field of the plane by a table; maps that a scan of a
 * dat with a halo goes by begin at the domain as ever. */
static void
through_maps(op_set box) {
  static struct field d, w;
  static int flat_of[POINTS];
  int offsets[] = {-1, 0, 0, 0, 1, -1};
  for (int e = 0; e < POINTS; e++) flat_of[e] = e % PLANE;
  op_set flat = op_decl_set(PLANE, "flat");
  op_map near = op2_decl_map_rule(box, box, 2, offsets, "near");
  op_map onto = op_decl_map(box, flat, 1, flat_of, "onto");
  op_dat weight = op_decl_dat(flat, 1, "double", x, "weight");
  field_make(&d, box, around, 3, "through_d");
  field_make(&w, box, wide, 5, "through_w");
  op2_par_loop_scan(weigh, "weigh", box, OP2_FORWARD, VIA(d.dat, 0, near),
                    VIA(d.dat, 1, near), VIA(weight, 0, onto), LAYER(w.dat, -1),
                    OWN(w.dat, OP_WRITE));
  for (int k = 0; k < K; k++)
    EACH_COLUMN *at(&w, i, j, k) =
        (*at(&d, i - 1, j, k) + *at(&d, i, j + 1, k - 1)) * x[i + I * j] +
        .5 * *at(&w, i, j, k - 1);
  field_check(&w);
}

/* ---- subsets ------------------------------------------------------------------ */

/* Some points of each layer: columns have as many as there are. */
static void
of_subset(op_set box, int order) {
  static struct field w;
  static int at_of[POINTS];
  int n = 0, dl = order == OP2_FORWARD ? -1 : 1;
  for (int e = 0; e < POINTS; e++)
    if (e * 7 % 5 < 3 && e % PLANE != 4) at_of[n++] = e;
  op_set some = op2_decl_subset(box, n, at_of, "some");
  field_make(&w, box, wide, 3, "subset_w");
  op2_par_loop_scan(add_next, "add_next", some, order, LAYER(w.dat, dl),
                    OWN(w.dat, OP_RW));
  for (int m = 0; m < n; m++) {
    int e = at_of[order == OP2_FORWARD ? m : n - 1 - m];
    int i = e % I, j = e / I % J, k = e / PLANE;
    *at(&w, i, j, k) += *at(&w, i, j, k + dl);
  }
  field_check(&w);
  CHECK_INT(op2_free(some), 0);
}

/* ---- a tridiagonal system in each column -------------------------------------- */

static void
dominate(double *b) {
  *b += 40;
}
static void
eliminate_first(const double *b, const double *c, const double *d, double *cp,
                double *dp) {
  *cp = *c / *b;
  *dp = *d / *b;
}
static void
eliminate(const double *a, const double *b, const double *c, const double *d,
          const double *cp_below, const double *dp_below, double *cp,
          double *dp) {
  double m = 1 / (*b - *a * *cp_below);
  *cp = *c * m;
  *dp = (*d - *a * *dp_below) * m;
}
static void
substitute(const double *cp, const double *dp, const double *above,
           double *solution) {
  *solution = *dp - *cp * *above;
}

static struct field diagonal[4], solution;

/* The row of the point times the solution. */
static double
product(int i, int j, int k) {
  double sum = *at(&diagonal[1], i, j, k) * *at(&solution, i, j, k);
  if (k) sum += *at(&diagonal[0], i, j, k) * *at(&solution, i, j, k - 1);
  if (k + 1 < K)
    sum += *at(&diagonal[2], i, j, k) * *at(&solution, i, j, k + 1);
  return sum;
}

static void
solver(op_set box) {
  int first[PLANE], last[PLANE];
  for (int p = 0; p < PLANE; p++) first[p] = p, last[p] = (K - 1) * PLANE + p;
  op_set bottom = op2_decl_subset(box, PLANE, first, "bottom");
  op_set top = op2_decl_subset(box, PLANE, last, "top");
  for (int m = 0; m < 4; m++) {
    field_make(&diagonal[m], box, m == 3 ? wide : none, m + 2, "m");
    if (m == 1)
      op_par_loop(dominate, "dominate", box, OWN(diagonal[m].dat, OP_RW));
    for (int e = 0; m == 1 && e < POINTS; e++) dominate(&diagonal[m].v[e]);
  }
  field_make(&solution, box, around, 3, "solution");
  op_dat *m[] = {&diagonal[0].dat, &diagonal[1].dat, &diagonal[2].dat,
                 &diagonal[3].dat};
  op_dat cp = op_decl_dat_temp(box, 1, "double", (double *)NULL, "cp");
  op_dat dp = op_decl_dat_temp(box, 1, "double", (double *)NULL, "dp");
  op2_par_loop_scan(eliminate_first, "eliminate_first", bottom, OP2_FORWARD,
                    OWN(*m[1], OP_READ), OWN(*m[2], OP_READ),
                    OWN(*m[3], OP_READ), OWN(cp, OP_WRITE), OWN(dp, OP_WRITE));
  op2_par_loop_scan(eliminate, "eliminate", box, OP2_FORWARD,
                    OWN(*m[0], OP_READ), OWN(*m[1], OP_READ),
                    OWN(*m[2], OP_READ), OWN(*m[3], OP_READ), LAYER(cp, -1),
                    LAYER(dp, -1), OWN(cp, OP_WRITE), OWN(dp, OP_WRITE));
  op2_par_loop_scan(copy, "copy", top, OP2_BACKWARD, OWN(dp, OP_READ),
                    OWN(solution.dat, OP_WRITE));
  op_set rest = op2_set_difference(box, top, "rest"); /* above is a halo */
  op2_par_loop_scan(substitute, "substitute", rest, OP2_BACKWARD,
                    OWN(cp, OP_READ), OWN(dp, OP_READ), LAYER(solution.dat, 1),
                    OWN(solution.dat, OP_WRITE));
  op_free_dat_temp(cp);
  op_free_dat_temp(dp);
  op_fetch_data(solution.dat, solution.v);
  for (int k = 0; k < K; k++)
    EACH_COLUMN /* terms up to 20 times the sum, some roundings each */
        CHECK_NEAR(product(i, j, k), *at(&diagonal[3], i, j, k), 1e-13);
}

/* ---- layers in loops ---------------------------------------------------------- */

static void
difference(const double *lower, const double *upper, double *out) {
  *out = *upper - *lower;
}

/* Of all points where halos have them; of a subset where the domain does. */
static void
in_loops(op_set box) {
  static struct field a, b, out;
  int inner[(K - 2) * PLANE];
  for (int i = 0; i < (K - 2) * PLANE; i++) inner[i] = PLANE + i;
  op_set middle = op2_decl_subset(box, (K - 2) * PLANE, inner, "middle");
  field_make(&a, box, around, 3, "loops_a");
  field_make(&b, box, none, 5, "loops_b");
  field_make(&out, box, wide, 5, "loops_out");
  op_par_loop(difference, "all", box, LAYER(a.dat, -2), LAYER(a.dat, 1),
              OWN(out.dat, OP_WRITE));
  for (int k = 0; k < K; k++)
    EACH_COLUMN *at(&out, i, j, k) =
        *at(&a, i, j, k + 1) - *at(&a, i, j, k - 2);
  field_check(&out);
  op_par_loop(difference, "inner", middle, LAYER(b.dat, -1), LAYER(b.dat, 1),
              OWN(out.dat, OP_WRITE));
  for (int k = 1; k < K - 1; k++)
    EACH_COLUMN *at(&out, i, j, k) =
        *at(&b, i, j, k + 1) - *at(&b, i, j, k - 1);
  field_check(&out);
}

/* ---- boxes come and go -------------------------------------------------------- */

static void
freed(void) {
  for (int times = 0; times < 3; times++) {
    op_set box = upright(3, 4, "brief");
    op_dat w = op_decl_dat_temp(box, 1, "double", (double *)NULL, "brief_w");
    op_par_loop(one, "one", box, OWN(w, OP_WRITE));
    op2_par_loop_scan(add_next, "add_below", box, OP2_FORWARD, LAYER(w, -1),
                      OWN(w, OP_RW));
    op_fetch_data(w, found);
    CHECK_REAL(found[11], 4);
    op_free_dat_temp(w);
    CHECK_INT(op2_free(box), 0);
  }
}

static void
empty(void) {
  op_set box = upright(3, 0, "empty");
  op_set flat = upright(3, 1, "one_layer");
  op_dat none_of = op_decl_dat(box, 1, "double", (double *)NULL, "none_of");
  op_dat w = op_decl_dat(flat, 1, "double", x, "one_w");
  op2_par_loop_scan(add_next, "add_below", box, OP2_FORWARD, LAYER(none_of, -1),
                    OWN(none_of, OP_RW));
  op2_par_loop_scan(add_next, "add_below", flat, OP2_FORWARD, LAYER(w, -1),
                    OWN(w, OP_RW));
  op_fetch_data(w, found);
  CHECK_REALS(found, x, 3);
}

/* ---- what is refused ---------------------------------------------------------- */

#define REFUSED(text, call)                                                    \
  do {                                                                         \
    int before = errors;                                                       \
    call;                                                                      \
    CHECK_INT(errors, before + 1);                                             \
    CHECK_INT(code, OP2_ERR_ARG);                                              \
    if (!strstr(message, text)) puts(message), CHECK_INT(0, __LINE__);         \
  } while (0)

static void
refused(op_set box) {
  static struct field w;
  int offsets[] = {0, 0, 0};
  op_set ring = op2_decl_box(2, (idx_g_t[]){3, 4},
                             (int[]){OP2_HALO, OP2_PERIODIC}, "ring");
  op_dat r = op_decl_dat(ring, 1, "double", x, "ring_r");
  op_map here = op2_decl_map_rule(box, box, 1, offsets, "still");
  field_make(&w, box, around, 3, "refused_w");
  op2_set_error_handler(on_error, NULL);
  REFUSED("set: expected a box whose last dimension is OP2_HALO, since a scan "
          "begins at one end, found \"ring\", in which dimension 1 is",
          op2_par_loop_scan(twice, "twice", ring, OP2_FORWARD, OWN(r, OP_RW)));
  REFUSED("order: expected OP2_FORWARD or OP2_BACKWARD, found 3",
          op2_par_loop_scan(twice, "twice", box, 3, OWN(w.dat, OP_RW)));
  REFUSED("argument 0: layer of \"refused_w\", which the scan writes: expected "
          "one before its own, below 0 in order OP2_FORWARD, found +1",
          op2_par_loop_scan(add_next, "add_next", box, OP2_FORWARD,
                            LAYER(w.dat, 1), OWN(w.dat, OP_RW)));
  REFUSED("argument 0: a scan writes its own layer: expected OP_READ of "
          "another layer, found OP_INC of \"refused_w\"",
          op2_par_loop_scan(add_next, "add_next", box, OP2_FORWARD,
                            op2_arg_dat_layer(w.dat, -1, 1, "double", OP_INC),
                            OWN(w.dat, OP_READ)));
  REFUSED("argument 0: expected a dat that the scan does not write, or a layer "
          "of the column, found \"refused_w\" through map \"still\"",
          op2_par_loop_scan(add_next, "add_next", box, OP2_FORWARD,
                            VIA(w.dat, 0, here), OWN(w.dat, OP_RW)));
  REFUSED("argument 0: dat \"refused_w\": expected a halo of 3, below in "
          "dimension 2, found 2",
          op_par_loop(copy, "copy", box, LAYER(w.dat, -3), OWN(w.dat, OP_RW)));
  REFUSED("argument 0: dat \"refused_w\": expected a halo of 2147483647, below "
          "in dimension 2, found 2",
          op_par_loop(copy, "copy", box, LAYER(w.dat, INT_MIN),
                      OWN(w.dat, OP_RW)));
  REFUSED("argument 0: layer: expected -1048576 to 1048576, found 2147483647",
          op2_par_loop_scan(copy, "copy", box, OP2_BACKWARD,
                            LAYER(w.dat, INT_MAX), OWN(w.dat, OP_RW)));
  op2_set_error_handler(NULL, NULL);
  field_check(&w);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  for (int i = 0; i < MOST; i++) x[i] = i % 17;
  five();
  for (int ndim = SCAN_DIMS; ndim <= 4; ndim++) dimensions(ndim);
  op_set box = box_make();
  from_halo(box);
  mixed(box, OP2_FORWARD);
  mixed(box, OP2_BACKWARD);
  accesses(box);
  named_twice(box);
  unseen();
  temporaries(box);
  through_maps(box);
  of_subset(box, OP2_FORWARD);
  of_subset(box, OP2_BACKWARD);
  solver(box);
  in_loops(box);
  freed();
  empty();
  refused(box);
  return check_end();
}
