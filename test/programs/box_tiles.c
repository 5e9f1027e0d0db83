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

/* ---- tiles there are ------------------------------------------------------------- */

/* Is it the library's choice of rows, or this program's, that loops have? */
static void
tiles_run(void) {
  bool wanted = check_lazy() && !check_device() && !getenv("OP2_DISABLE");
  const char *check = getenv("OP2_CHECK"), *target = getenv("OP2_TARGET");
  if (!wanted || (check && !strcmp(check, "nan")) || getenv("OP2_DEBUG"))
    return;
  if (target && !strcmp(target, "seq")) return;
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
  check_start(argc, argv);
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int way = 0; way < 4; way++) steps(&shapes[k], way & 1, way >> 1);
  tiles_run();
  return check_end();
}
