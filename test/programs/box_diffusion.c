/* Horizontal diffusion of fourth order with limited fluxes on a box: four loops with
 * temporaries between them, against plain C. Exact: a rate of 1/8
 * on small integers. */
#include "check.h"

enum { NI = 13, NJ = 9, NK = 3, H = 2, STEPS = 4 };
enum { WI = NI + 2 * H, WJ = NJ + 2 * H, ALL = WI * WJ * NK };

#define RATE 0.125
#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, k, m) op_arg_dat(d, -k, m, 1, "double", OP_READ)

/* x: the point, then west, east, south, north */
static void
laplacian(double **x, double *lap) {
  *lap = 4 * x[0][0] - (x[1][0] + x[2][0] + x[3][0] + x[4][0]);
}
/* The point, and the next one along an axis. */
static void
limited(double **lap, double **x, double *flux) {
  double f = lap[1][0] - lap[0][0];
  *flux = f * (x[1][0] - x[0][0]) > 0 ? 0 : f;
}
/* Each flux: of the point before along its axis, and of the point. */
static void
diffuse(const double *x, double **flx, double **fly, double *out) {
  *out = *x - RATE * (flx[1][0] - flx[0][0] + fly[1][0] - fly[0][0]);
}

/* ---- plain C ------------------------------------------------------------------- */

static int
at(int i, int j, int k) {
  return i + H + WI * (j + H + WJ * k);
}

static double
plain_flux(const double *lap, const double *x, int here, int next) {
  double f = lap[next] - lap[here];
  return f * (x[next] - x[here]) > 0 ? 0 : f;
}

static void
plain_step(const double *x, double *out, int k) {
  static double lap[ALL], flx[ALL], fly[ALL];
  for (int j = -1; j <= NJ; j++)
    for (int i = -1; i <= NI; i++) {
      int e = at(i, j, k);
      lap[e] = 4 * x[e] - (x[e - 1] + x[e + 1] + x[e - WI] + x[e + WI]);
    }
  for (int j = -1; j < NJ; j++)
    for (int i = -1; i < NI; i++) {
      int e = at(i, j, k);
      flx[e] = plain_flux(lap, x, e, e + 1);
      fly[e] = plain_flux(lap, x, e, e + WI);
    }
  for (int j = 0; j < NJ; j++)
    for (int i = 0; i < NI; i++) {
      int e = at(i, j, k);
      out[e] = x[e] - RATE * (flx[e] - flx[e - 1] + fly[e] - fly[e - WI]);
    }
}

static void
start(double *x) {
  for (int e = 0; e < ALL; e++) x[e] = e * 37 % 101;
}

static const double *
plain(void) {
  static double x[2][ALL];
  start(x[0]);
  start(x[1]);
  for (int step = 0; step < STEPS; step++)
    for (int k = 0; k < NK; k++) plain_step(x[step % 2], x[1 - step % 2], k);
  return x[STEPS % 2];
}

/* ---- on a box ------------------------------------------------------------------- */

struct box {
  op_set set;
  op_map star, east, north, west_here, south_here;
};

static op_map
two(op_set set, int from_i, int from_j, int to_i, int to_j, const char *name) {
  int rule[] = {from_i, from_j, 0, to_i, to_j, 0};
  return op2_decl_map_rule(set, set, 2, rule, name);
}

static struct box
box_make(void) {
  static const int star[] = {0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0};
  struct box b;
  b.set = op2_decl_box(3, (idx_g_t[]){NI, NJ, NK}, NULL, "box");
  b.star = op2_decl_map_rule(b.set, b.set, 5, star, "star");
  b.east = two(b.set, 0, 0, 1, 0, "east");
  b.north = two(b.set, 0, 0, 0, 1, "north");
  b.west_here = two(b.set, -1, 0, 0, 0, "west_here");
  b.south_here = two(b.set, 0, -1, 0, 0, "south_here");
  return b;
}

static void
box_step(const struct box *b, op_dat x, op_dat lap, op_dat flx, op_dat fly,
         op_dat out) {
  op_par_loop(laplacian, "laplacian", b->set, VIA(x, 5, b->star),
              OWN(lap, OP_WRITE));
  op_par_loop(limited, "flux_x", b->set, VIA(lap, 2, b->east),
              VIA(x, 2, b->east), OWN(flx, OP_WRITE));
  op_par_loop(limited, "flux_y", b->set, VIA(lap, 2, b->north),
              VIA(x, 2, b->north), OWN(fly, OP_WRITE));
  op_par_loop(diffuse, "diffuse", b->set, OWN(x, OP_READ),
              VIA(flx, 2, b->west_here), VIA(fly, 2, b->south_here),
              OWN(out, OP_WRITE));
}

static op_dat
field(const struct box *b, const char *name) {
  double x[ALL];
  start(x);
  return op2_decl_dat_box(b->set, ((int[]){H, H, H, H, 0, 0}), 1, "double", x,
                          name);
}

static op_dat
temp(const struct box *b, int west, int east, int south, int north,
     const char *name) {
  int halo[] = {west, east, south, north, 0, 0};
  return op2_decl_dat_box_temp(b->set, halo, 1, "double", name);
}

/* The temporaries are freed each step, or kept. */
static void
box_steps(const struct box *b, bool free_each, const double *expected) {
  op_dat x[] = {field(b, "x"), field(b, "next")}, t[3] = {NULL};
  double got[ALL];
  for (int step = 0; step < STEPS; step++) {
    if (!t[0]) {
      t[0] = temp(b, 1, 1, 1, 1, "lap");
      t[1] = temp(b, 1, 0, 0, 0, "flx");
      t[2] = temp(b, 0, 0, 1, 0, "fly");
    }
    box_step(b, x[step % 2], t[0], t[1], t[2], x[1 - step % 2]);
    if (!free_each && step + 1 < STEPS) continue;
    for (int k = 0; k < 3; k++) CHECK_INT(op_free_dat_temp(t[k]), 0);
    t[0] = NULL;
  }
  CHECK_PENDING(4 * STEPS);
  op_fetch_data(x[STEPS % 2], got);
  CHECK_REALS(got, expected, ALL);
  printf("bits %016llx\n",
         (unsigned long long)check_hash(got, sizeof got, 0xcbf29ce484222325u));
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  const double *expected = plain();
  struct box b = box_make();
  box_steps(&b, false, expected);
  box_steps(&b, true, expected);
  CHECK(expected[at(1, 1, 1)] != expected[at(2, 1, 1)]);
  return check_end();
}
