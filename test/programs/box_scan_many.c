/* Scans over boxes of many shapes, as they are drawn: one to four dimensions, any
 * halos, either order, several layers away, over all points, some layers or some
 * points, between loops. Exact: small integers, and doubles that are halved a few
 * times. */
#include "check.h"

#ifndef SCAN_DIMS
#define SCAN_DIMS 1 /* least dimensions of boxes that scans go along */
#endif

enum { DIMS = 4, BOXES = 16, STEPS = 5, FIELDS = 4, MOST = 30000 };

/* ---- what is drawn ------------------------------------------------------------ */

static unsigned long long state = 88172645463325252ULL;

/* 0 to n - 1 (G. Marsaglia, Xorshift RNGs, 2003: 13, 7, 17). */
static int
draw(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (unsigned)n);
}

struct box {
  op_set set;
  int ndim, n[DIMS], points, plane, layers;
};

/* Fields 0 and 1 are of integers, the others of doubles. */
struct field {
  op_dat dat;
  int halo[2 * DIMS], points, i[MOST];
  double d[MOST];
};

static struct box box;
static struct field fields[FIELDS];

static void
box_draw(int k) {
  static const int most[DIMS] = {23, 6, 3, 5};
  idx_g_t n[DIMS];
  char name[32];
  box =
      (struct box){.ndim = SCAN_DIMS + draw(DIMS + 1 - SCAN_DIMS), .points = 1};
  for (int d = 0; d < box.ndim; d++) {
    bool last = d + 1 == box.ndim;
    n[d] = box.n[d] = 1 + draw(last ? 9 : most[d]);
    box.points *= box.n[d];
  }
  box.layers = box.n[box.ndim - 1];
  box.plane = box.points / box.layers;
  snprintf(name, sizeof name, "box_%d", k);
  box.set = op2_decl_box(box.ndim, n, NULL, name);
}

static void
field_draw(int k, int f) {
  struct field *x = &fields[f];
  char name[32];
  bool none = draw(3) == 0;
  x->points = 1;
  for (int d = 0; d < 2 * box.ndim; d++) x->halo[d] = none ? 0 : draw(3);
  for (int d = 0; d < box.ndim; d++)
    x->points *= box.n[d] + x->halo[2 * d] + x->halo[2 * d + 1];
  for (int e = 0; e < x->points; e++) x->d[e] = x->i[e] = draw(64);
  snprintf(name, sizeof name, "field_%d_%d", k, f);
  if (f < 2)
    x->dat = op2_decl_dat_box(box.set, x->halo, 1, "int", x->i, name);
  else
    x->dat = op2_decl_dat_box(box.set, x->halo, 1, "double", x->d, name);
}

/* Where the point that lies dl layers above point e of the domain is in field f. */
static int
at(int f, int e, int dl) {
  const int *h = fields[f].halo;
  int index = 0, stride = 1;
  for (int d = 0; d < box.ndim; d++) {
    int along = e % box.n[d] + (d + 1 == box.ndim ? dl : 0);
    e /= box.n[d];
    index += stride * (along + h[2 * d]);
    stride *= box.n[d] + h[2 * d] + h[2 * d + 1];
  }
  return index;
}

/* Has field f the layer that lies dl above that of point e? */
static bool
there(int f, int e, int dl) {
  const int *h = fields[f].halo + 2 * (box.ndim - 1);
  int k = e / box.plane + dl;
  return k >= -h[0] && k < box.layers + h[1];
}

/* ---- loops and what they do --------------------------------------------------- */

static void
of_ints(const int *before, const int *far, const int *mine, int *w) {
  *w = (3 * *before + *far + *mine - *w) & 1023;
}
static void
of_doubles(const double *before, const double *far, double *v, double *u) {
  *v = .5 * *before + *far;
  *u += *v;
}
static void
add_one(int *w) {
  *w += 1;
}
static void
halve(double *v) {
  *v *= .5;
}

#define INT(f, acc) op_arg_dat(fields[f].dat, -1, OP_ID, 1, "int", acc)
#define REAL(f, acc) op_arg_dat(fields[f].dat, -1, OP_ID, 1, "double", acc)
#define LAYER(f, dl, type)                                                     \
  op2_arg_dat_layer(fields[f].dat, dl, 1, type, OP_READ)

/* What a scan goes over: members of the set, layers that its arguments name. */
struct scan {
  op_set set;
  int order, before, far, n, list[MOST];
};

static struct scan scan;

static void
scan_draw(int step) {
  int lo = draw(box.layers), hi = lo + 1 + draw(box.layers - lo);
  int how = draw(3);
  char name[32];
  scan.order = draw(2) ? OP2_FORWARD : OP2_BACKWARD;
  scan.before = (scan.order == OP2_FORWARD ? -1 : 1) * (1 + draw(2));
  scan.far = draw(7) - 3;
  scan.n = 0;
  for (int e = 0; e < box.points; e++) {
    int k = e / box.plane;
    if (how == 0 || (how == 1 && k >= lo && k < hi) || (how == 2 && draw(3)))
      scan.list[scan.n++] = e;
  }
  snprintf(name, sizeof name, "some_%d", step);
  scan.set = how ? op2_decl_subset(box.set, scan.n, scan.list, name) : box.set;
}

/* Elements in an order that the scan may have, of those with all layers. */
static int
members(int before_of, int far_of, int *out) {
  int n = 0;
  for (int i = 0; i < scan.n; i++) {
    int e = scan.list[scan.order == OP2_FORWARD ? i : scan.n - 1 - i];
    if (there(before_of, e, scan.before) && there(far_of, e, scan.far))
      out[n++] = e;
  }
  return n;
}

static void
scan_ints(void) {
  static int list[MOST];
  op2_par_loop_scan(of_ints, "of_ints", scan.set, scan.order,
                    LAYER(0, scan.before, "int"), LAYER(1, scan.far, "int"),
                    INT(1, OP_READ), INT(0, OP_RW));
  int n = members(0, 1, list);
  const int *x = fields[1].i;
  int *w = fields[0].i;
  for (int i = 0; i < n; i++) {
    int e = list[i];
    of_ints(&w[at(0, e, scan.before)], &x[at(1, e, scan.far)], &x[at(1, e, 0)],
            &w[at(0, e, 0)]);
  }
}

static void
scan_doubles(void) {
  static int list[MOST];
  if (!scan.far || (scan.far > 0) == (scan.before > 0))
    scan.far = scan.before; /* of what it writes it reads what was before */
  else
    scan.far = -scan.far;
  op2_par_loop_scan(of_doubles, "of_doubles", scan.set, scan.order,
                    LAYER(2, scan.before, "double"),
                    LAYER(3, scan.far, "double"), REAL(2, OP_WRITE),
                    REAL(3, OP_INC));
  int n = members(2, 3, list);
  double *v = fields[2].d, *u = fields[3].d;
  for (int i = 0; i < n; i++) {
    int e = list[i];
    of_doubles(&v[at(2, e, scan.before)], &u[at(3, e, scan.far)],
               &v[at(2, e, 0)], &u[at(3, e, 0)]);
  }
}

static void
loops(void) {
  op_par_loop(add_one, "add_one", box.set, INT(0, OP_RW));
  op_par_loop(halve, "halve", box.set, REAL(3, OP_RW));
  for (int e = 0; e < box.points; e++) {
    add_one(&fields[0].i[at(0, e, 0)]);
    halve(&fields[3].d[at(3, e, 0)]);
  }
}

/* All that was drawn since the last check waits until here. */
static void
check_fields(void) {
  static int ints[MOST];
  static double reals[MOST];
  for (int f = 0; f < 2; f++) {
    op_fetch_data(fields[f].dat, ints);
    CHECK_INTS(ints, fields[f].i, fields[f].points);
  }
  for (int f = 2; f < FIELDS; f++) {
    op_fetch_data(fields[f].dat, reals);
    CHECK_REALS(reals, fields[f].d, fields[f].points);
  }
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  for (int k = 0; k < BOXES; k++) {
    box_draw(k);
    for (int f = 0; f < FIELDS; f++) field_draw(k, f);
    for (int step = 0; step < STEPS; step++) {
      scan_draw(step);
      switch (draw(3)) {
      case 0: scan_ints(); break;
      case 1: scan_doubles(); break;
      default: loops(); break;
      }
    }
    check_fields();
  }
  return check_end();
}
