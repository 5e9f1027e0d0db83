/* What costs more than reading it nine times is made once: integers mixed, and
 * a value chosen among others, which is arithmetic as well. */
#include "check.h"

enum { N = 20, WIDE = N + 2, READS = 9 };

static void
mash(const unsigned *x, unsigned *h) {
  unsigned v = *x;
  for (int k = 0; k < 4; k++) {
    v ^= v >> 15;
    v *= 0x2c1b3c6du;
    v += 0x9e3779b9u;
  }
  *h = v;
}
static void
join(unsigned **h, unsigned *y) {
  *y = 0;
  for (int k = 0; k < READS; k++) *y = 3 * *y + h[k][0];
}

static void
order(double *a, double *b) {
  double low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low;
  *b = high;
}
static double
middle_of(double a, double b, double c, double d, double e) {
  order(&a, &b);
  order(&d, &e);
  order(&a, &d);
  order(&b, &e);
  order(&b, &c);
  order(&c, &d);
  order(&b, &c);
  return c;
}
static void
middle(const double *x, double *m) {
  *m = middle_of(*x, 4, 9 - *x, *x * 2 - 7, 5);
}
static void
blend(double **m, double *y) {
  *y = 0;
  for (int k = 0; k < READS; k++) *y = *y * 2 + m[k][0];
}

/* ---- both, and the same in plain C ---------------------------------------- */

struct plane {
  op_set box;
  op_map near;
  int one[4];
};

static struct plane
plane_make(void) {
  int at[2 * READS];
  struct plane p = {.one = {1, 1, 1, 1}};
  for (int k = 0; k < READS; k++)
    at[2 * k] = k % 3 - 1, at[2 * k + 1] = k / 3 - 1;
  p.box = op2_decl_box(2, (idx_g_t[]){N, N}, NULL, "plane");
  p.near = op2_decl_map_rule(p.box, p.box, READS, at, "near");
  return p;
}

static int
beside(int i, int j, int k) {
  return i + k % 3 + WIDE * (j + k / 3);
}

/* Unless it was asked for. */
static void
made_once(const char *loop) {
  char text[80];
  const char *inlines = getenv("OP2_INLINE");
  if (inlines && !strcmp(inlines, "always")) return;
  snprintf(text, sizeof text, "inline: %s", loop);
  const char *said = strstr(op2_explain(), text);
  CHECK(!said || strstr(said, "is not computed where it is read"));
}

static void
integers(const struct plane *p) {
  static unsigned x[WIDE * WIDE], got[N * N];
  for (int k = 0; k < WIDE * WIDE; k++) x[k] = (unsigned)k * 7919u;
  op_dat in = op2_decl_dat_box(p->box, p->one, 1, "uint", x, "in");
  op_dat out = op_decl_dat(p->box, 1, "uint", (unsigned *)NULL, "out");
  op_dat h = op2_decl_dat_box_temp(p->box, p->one, 1, "uint", "h");
  op_par_loop(mash, "mash", p->box,
              op_arg_dat(in, -1, OP_ID, 1, "uint", OP_READ),
              op_arg_dat(h, -1, OP_ID, 1, "uint", OP_WRITE));
  op_par_loop(join, "join", p->box,
              op_arg_dat(h, -READS, p->near, 1, "uint", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "uint", OP_WRITE));
  op_free_dat_temp(h);
  op_fetch_data(out, got);
  made_once("mash");
  for (int e = 0; e < N * N; e++) {
    unsigned of[READS], *at[READS], want;
    for (int k = 0; k < READS; k++) {
      at[k] = &of[k];
      mash(&x[beside(e % N, e / N, k)], at[k]);
    }
    join(at, &want);
    CHECK_INT(got[e], want);
  }
}

static void
choices(const struct plane *p) {
  static double x[WIDE * WIDE], got[N * N];
  for (int k = 0; k < WIDE * WIDE; k++) x[k] = k * 37 % 23;
  op_dat in = op2_decl_dat_box(p->box, p->one, 1, "double", x, "xin");
  op_dat out = op_decl_dat(p->box, 1, "double", (double *)NULL, "xout");
  op_dat m = op2_decl_dat_box_temp(p->box, p->one, 1, "double", "m");
  op_par_loop(middle, "middle", p->box,
              op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(m, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(blend, "blend", p->box,
              op_arg_dat(m, -READS, p->near, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
  op_free_dat_temp(m);
  op_fetch_data(out, got);
  made_once("middle");
  for (int e = 0; e < N * N; e++) {
    double of[READS], *at[READS], want;
    for (int k = 0; k < READS; k++) {
      at[k] = &of[k];
      middle(&x[beside(e % N, e / N, k)], at[k]);
    }
    blend(at, &want);
    CHECK_REAL(got[e], want);
  }
}

int
main(int argc, char **argv) {
  op_init(argc, argv, 0);
  struct plane p = plane_make();
  integers(&p);
  choices(&p);
  return check_end();
}
