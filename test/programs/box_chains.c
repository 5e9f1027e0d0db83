/* Chains of loops over points, drawn at random: each makes a temporary from what was
 * made before it, read at offsets, as entries, as vectors and where it is; the last
 * one adds to a field, in place. All orders and widths that the library may choose
 * give one result: integers in doubles. On boxes against plain C, on icosahedral
 * grids against the same by tables. */
#include "check.h"

enum { NI = 11, NJ = 7, H = 6, SI = NI + 2 * H, SJ = NJ + 2 * H, MOST = 5 };

#define POINT(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define ENTRY(d, k, m) op_arg_dat(d, k, m, 1, "double", OP_READ)
#define ROW(d, n, m) op_arg_dat(d, -n, m, 1, "double", OP_READ)

static void
here(const double *x, const double *y, double *out) {
  *out = *x - 2 * *y;
}
static void
entries(const double *x, const double *y, double *out) {
  *out = 3 * *x + *y;
}
static void
rows(double **x, double **y, double *out) {
  *out = x[0][0] - x[1][0] + 2 * y[0][0] + y[1][0] - y[2][0];
}
/* An integer below 2^13 again. */
static double
small(double x) {
  return x - 8191 * floor(x / 8191);
}
static void
take(const double *old, const double *x, double **y, double *sum) {
  *sum = small(*old + *x + y[0][0] - 2 * y[1][0]);
}
static void
take_here(const double *x, double **y, double *sum) {
  *sum = small(*sum + *x + y[0][0] - 2 * y[1][0]);
}

static unsigned state;
static int
draw(int n) {
  state = state * 1103515245u + 12345u;
  return (int)((state >> 16) % (unsigned)n);
}

/* ---- what a chain is ------------------------------------------------------------ */

enum { HERE, ENTRIES, ROWS, SHIFTED };
struct step {
  int kind, x,
      y; /* fields: 0 the one that is added to, k what step k - 1 makes */
  int mx, ex, ey; /* rule and entries: of x, of the one of three */
};
struct chain {
  int n;
  struct step step[MOST];
  int sum_x, sum_ex, sum_y; /* what the last loop takes */
};

static struct chain
chain_draw(void) {
  struct chain c = {.n = 1 + draw(MOST - 1)};
  for (int k = 0; k < c.n; k++)
    c.step[k] = (struct step){.kind = draw(4),
                              .x = draw(3) ? k : draw(k + 1),
                              .y = draw(k + 1),
                              .mx = draw(2),
                              .ex = draw(2),
                              .ey = draw(3)};
  c.sum_x = draw(3) ? c.n : 1 + draw(c.n);
  c.sum_ex = draw(2);
  c.sum_y = 1 + draw(c.n);
  return c;
}

/* ---- on a box ------------------------------------------------------------------- */

/* Rules of two, two, three entries, and of one. */
static int hop[4][3][2];

struct box {
  op_set set;
  op_map map[4];
  int around[2];
};

static void
box_make(struct box *b, const char *name) {
  idx_g_t n[] = {NI, NJ};
  for (int d = 0; d < 2; d++) b->around[d] = draw(2) ? OP2_PERIODIC : 0;
  b->set = op2_decl_box(2, n, b->around, name);
  static const int entries_of[] = {2, 2, 3, 1};
  for (int m = 0; m < 4; m++) {
    int at[6], count = entries_of[m];
    char text[40];
    for (int k = 0; k < count; k++)
      for (int d = 0; d < 2; d++) at[2 * k + d] = hop[m][k][d] = draw(3) - 1;
    snprintf(text, sizeof text, "%s_rule_%d", name, m);
    b->map[m] = op2_decl_map_rule(b->set, b->set, count, at, text);
  }
}

/* Values of all points and so far around them as they are known. */
struct field {
  int wide;
  double at[SJ][SI];
};

static double
value(const struct box *b, const struct field *f, int i, int j, const int *by) {
  i += by[0], j += by[1];
  if (b->around[0]) i = (i + NI) % NI;
  if (b->around[1]) j = (j + NJ) % NJ;
  return f->at[j + H][i + H];
}

static int
reach(const struct step *s, int wide_x, int wide_y) {
  int by = s->kind == HERE ? 0 : 1;
  int wide = wide_x < wide_y ? wide_x : wide_y;
  return wide - by;
}

static double
made(const struct box *b, const struct step *s, const struct field *f, int i,
     int j) {
  static const int none[2];
  const struct field *x = &f[s->x], *y = &f[s->y];
  double v[5];
  switch (s->kind) {
  case HERE:
    here(&(double){value(b, x, i, j, none)}, &(double){value(b, y, i, j, none)},
         v);
    return v[0];
  case SHIFTED:
    return 3 * value(b, x, i, j, hop[3][0]) + value(b, y, i, j, none);
  case ENTRIES:
    return 3 * value(b, x, i, j, hop[s->mx][s->ex]) +
           value(b, y, i, j, hop[2][s->ey]);
  default:
    for (int k = 0; k < 2; k++) v[k] = value(b, x, i, j, hop[s->mx][k]);
    for (int k = 0; k < 3; k++) v[2 + k] = value(b, y, i, j, hop[2][k]);
    return v[0] - v[1] + 2 * v[2] + v[3] - v[4];
  }
}

/* Each step's values, and in place of the first field what it becomes. */
static void
box_expect(const struct box *b, const struct chain *c, struct field *f) {
  static const int none[2];
  static struct field sum;
  for (int k = 0; k < c->n; k++) {
    const struct step *s = &c->step[k];
    int w = f[k + 1].wide = reach(s, f[s->x].wide, f[s->y].wide);
    int wi = b->around[0] ? 0 : w, wj = b->around[1] ? 0 : w;
    for (int j = -wj; j < NJ + wj; j++)
      for (int i = -wi; i < NI + wi; i++)
        f[k + 1].at[j + H][i + H] = made(b, s, f, i, j);
  }
  sum = f[0];
  for (int j = 0; j < NJ; j++)
    for (int i = 0; i < NI; i++) {
      const struct field *y = &f[c->sum_y];
      sum.at[j + H][i + H] = small(value(b, &f[0], i, j, none) +
                                   value(b, &f[c->sum_x], i, j, none) +
                                   value(b, y, i, j, hop[c->sum_ex][0]) -
                                   2 * value(b, y, i, j, hop[c->sum_ex][1]));
    }
  f[0] = sum;
}

static void
step_loop(const struct box *b, const struct step *s, op_dat *d, op_dat out) {
  if (s->kind == HERE)
    op_par_loop(here, "here", b->set, POINT(d[s->x], OP_READ),
                POINT(d[s->y], OP_READ), POINT(out, OP_WRITE));
  if (s->kind == SHIFTED)
    op_par_loop(entries, "shifted", b->set, ENTRY(d[s->x], 0, b->map[3]),
                POINT(d[s->y], OP_READ), POINT(out, OP_WRITE));
  if (s->kind == ENTRIES)
    op_par_loop(entries, "entries", b->set,
                ENTRY(d[s->x], s->ex, b->map[s->mx]),
                ENTRY(d[s->y], s->ey, b->map[2]), POINT(out, OP_WRITE));
  if (s->kind == ROWS)
    op_par_loop(rows, "rows", b->set, ROW(d[s->x], 2, b->map[s->mx]),
                ROW(d[s->y], 3, b->map[2]), POINT(out, OP_WRITE));
}

static const char *const made_by[] = {"made_0", "made_1", "made_2", "made_3",
                                      "made_4"};

/* Temporaries as wide as they can be made. */
static op_dat
box_temp(const struct box *b, int wide, int k) {
  int at[4];
  for (int k = 0; k < 4; k++) at[k] = b->around[k / 2] ? 0 : wide;
  return op2_decl_dat_box_temp(b->set, at, 1, "double", made_by[k]);
}

/* d[0] becomes d[0] and what the chain makes of it: in place, or in `next`, which then
 * is d[0]. */
static void
box_chain(const struct box *b, const struct chain *c, const struct field *f,
          op_dat *d, op_dat *next) {
  for (int k = 0; k < c->n; k++) {
    d[k + 1] = box_temp(b, f[k + 1].wide, k);
    step_loop(b, &c->step[k], d, d[k + 1]);
  }
  if (next) {
    op_par_loop(take, "take", b->set, POINT(d[0], OP_READ),
                POINT(d[c->sum_x], OP_READ),
                ROW(d[c->sum_y], 2, b->map[c->sum_ex]), POINT(*next, OP_WRITE));
  } else {
    op_par_loop(take_here, "take_here", b->set, POINT(d[c->sum_x], OP_READ),
                ROW(d[c->sum_y], 2, b->map[c->sum_ex]), POINT(d[0], OP_RW));
  }
  for (int k = 0; k < c->n; k++) CHECK_INT(op_free_dat_temp(d[k + 1]), 0);
  if (!next) return;
  op_dat was = d[0];
  d[0] = *next;
  *next = was;
}

static op_dat
box_field(const struct box *b, const struct field *f, const char *name) {
  int wide[4];
  double at[SJ * SI];
  int n = 0, hi = b->around[0] ? 0 : H, hj = b->around[1] ? 0 : H;
  for (int k = 0; k < 4; k++) wide[k] = b->around[k / 2] ? 0 : H;
  for (int j = -hj; j < NJ + hj; j++)
    for (int i = -hi; i < NI + hi; i++) at[n++] = f->at[j + H][i + H];
  return op2_decl_dat_box(b->set, wide, 1, "double", at, name);
}

static void
box_check(const struct box *b, op_dat d, const struct field *f) {
  double got[SJ * SI];
  int n = 0, hi = b->around[0] ? 0 : H, hj = b->around[1] ? 0 : H;
  op_fetch_data(d, got);
  for (int j = -hj; j < NJ + hj; j++)
    for (int i = -hi; i < NI + hi; i++)
      CHECK_REAL(got[n++], f->at[j + H][i + H]);
}

/* One that takes the same of each step, so that it is recorded anew. */
static bool told;
static void
note_explained(void) {
  told |= strstr(op2_explain(), "is computed where") != NULL;
}

static void
on_box(int number) {
  static struct field f[MOST + 1];
  struct box b;
  char name[20];
  op_dat d[MOST + 1], next;
  snprintf(name, sizeof name, "box_%d", number);
  box_make(&b, name);
  f[0].wide = H;
  for (int j = 0; j < SJ; j++)
    for (int i = 0; i < SI; i++) f[0].at[j][i] = draw(8191);
  d[0] = box_field(&b, &f[0], "sum");
  next = box_field(&b, &f[0], "next");
  for (int k = 0; k < 4; k++) {
    struct chain c = chain_draw();
    bool swap = draw(2);
    for (int times = 1 + draw(3); times > 0; times--) {
      box_expect(&b, &c, f);
      box_chain(&b, &c, f, d, swap ? &next : NULL);
      if (draw(2)) op2_flush();
    }
    box_check(&b, d[0], &f[0]);
    note_explained();
  }
}

/* ---- on a grid ------------------------------------------------------------------ */

enum { CELLS, EDGES, VERTICES, KINDS, GRID = 6, ALL = 3 * GRID * GRID };
static const int colours[] = {2, 3, 1};
static const int degree[KINDS][KINDS] = {{3, 3, 3}, {2, 4, 2}, {6, 6, 6}};

static void
row2(double **x, double *out) {
  *out = x[0][0] - 2 * x[1][0];
}
static void
row3(double **x, double *out) {
  *out = x[0][0] + 2 * x[1][0] - 3 * x[2][0];
}
static void
row4(double **x, double *out) {
  *out = x[0][0] - x[1][0] + 2 * x[2][0] - 3 * x[3][0];
}
static void
row6(double **x, double *out) {
  *out = x[0][0] - x[1][0] + 2 * x[2][0] - 2 * x[3][0] + x[4][0] - 3 * x[5][0];
}
static void
add_here(const double *x, double *sum) {
  *sum = small(*sum + *x);
}

struct grid {
  op_set set[KINDS];
  op_map rule[KINDS][KINDS], table[KINDS][KINDS];
};

static struct grid
grid_make(void) {
  static const char *const names[] = {"cells", "edges", "vertices"};
  static const int around[] = {OP2_PERIODIC, OP2_PERIODIC};
  struct grid g;
  for (int a = 0; a < KINDS; a++)
    g.set[a] =
        op2_decl_grid(((idx_g_t[]){GRID, GRID}), colours[a], around, names[a]);
  for (int a = 0; a < KINDS; a++)
    for (int b = 0; b < KINDS; b++) {
      char text[40];
      snprintf(text, sizeof text, "%s_to_%s", names[a], names[b]);
      g.rule[a][b] = op2_decl_map_grid(g.set[a], g.set[b], text);
      g.table[a][b] = op2_map_materialise(g.rule[a][b], text);
    }
  return g;
}

static op_dat
grid_row(op_set set, op_map map, int n, op_dat x, int k) {
  op_dat out = op_decl_dat_temp(set, 1, "double", (double *)NULL, made_by[k]);
  if (n == 2)
    op_par_loop(row2, "row2", set, ROW(x, 2, map), POINT(out, OP_WRITE));
  if (n == 3)
    op_par_loop(row3, "row3", set, ROW(x, 3, map), POINT(out, OP_WRITE));
  if (n == 4)
    op_par_loop(row4, "row4", set, ROW(x, 4, map), POINT(out, OP_WRITE));
  if (n == 6)
    op_par_loop(row6, "row6", set, ROW(x, 6, map), POINT(out, OP_WRITE));
  return out;
}

/* From these elements by way of n others to these again. */
static void
grid_chain(const struct grid *g, bool tables, const int *way, int n, op_dat d) {
  op_dat made[MOST], x = d;
  for (int k = 0; k < n; k++) {
    int from = way[(k + 1) % n], to = way[k];
    op_map map = tables ? g->table[from][to] : g->rule[from][to];
    x = made[k] = grid_row(g->set[from], map, degree[from][to], x, k);
  }
  op_par_loop(add_here, "add_here", g->set[way[0]], POINT(x, OP_READ),
              POINT(d, OP_RW));
  for (int k = 0; k < n; k++) CHECK_INT(op_free_dat_temp(made[k]), 0);
}

static void
on_grid(const struct grid *g) {
  double start[ALL], got[2][ALL];
  int way[MOST], n = 2 + draw(MOST - 2);
  for (int k = 0; k < n; k++) way[k] = draw(KINDS);
  int size = colours[way[0]] * GRID * GRID;
  for (int e = 0; e < size; e++) start[e] = draw(8191);
  for (int tables = 0; tables < 2; tables++) {
    op_dat d = op_decl_dat(g->set[way[0]], 1, "double", start, "sum");
    for (int k = 0; k < 3; k++) {
      grid_chain(g, tables, way, n, d);
      if (draw(2)) op2_flush();
    }
    op_fetch_data(d, got[tables]);
    if (!tables) note_explained();
  }
  CHECK_REALS(got[0], got[1], size);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  state = 20261128;
  int n = check_ranks() > 1 ? 3 : 24; /* nothing is inlined over ranks */
  for (int k = 0; k < n; k++) on_box(k);
  struct grid g = grid_make();
  for (int k = 0; k < n; k++) on_grid(&g);
  CHECK(op2_counter("dead_loops") < 10000);
  bool wanted = check_lazy() && getenv("OP2_INLINE") && check_ranks() == 1;
  if (wanted && !check_device()) CHECK(told);
  return check_end();
}
