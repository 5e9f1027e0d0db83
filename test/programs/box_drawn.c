/* Chains of loops drawn at random: temporaries of one component, of several, of
 * the other size and of integers, read along lines and across them by one or
 * several loops, in boxes of any form. What loops make where others read it,
 * what slides from one element to the next and where a block begins must not
 * show. Whole numbers: bits of the chain computed point by point. Two numbers
 * behind the name of the program: the first chain, and how many. */
#include "check.h"

enum { DIMS = 3, INPUTS = 4, STAGES = 5, READS = 3, VECTOR = 3, READERS = 3 };

/* ---- kernels ------------------------------------------------------------- */

static void
tilt(double **x, double *s) {
  *s = 2 * x[0][0] - 3 * x[1][0] + 1;
}
static void
bend(double **x, double *s) {
  *s = 2 * x[1][0] - x[0][0] - 5 * x[2][0];
}
static void
limit(double **b, double **x, double *s) {
  double f = b[1][0] - 2 * b[0][0];
  *s = f * (x[1][0] - x[0][0]) > 0 ? 3 : f;
}
static void
scale(double **x, const double *by, const double *from, double *s) {
  *s = *by * (x[1][0] - x[0][0]) + *from - 3;
}
static void
here(const double *x, double **y, double *s) {
  *s = 3 * *x - y[0][0] + y[1][0];
}
static void
spin(double **x, double *s) {
  for (int c = 0; c < VECTOR; c++) s[c] = x[1][(c + 1) % VECTOR] - 2 * x[0][c];
}
static void
spread(double **x, double *s) {
  s[0] = x[0][0];
  s[1] = x[1][0] + 1;
  s[2] = x[0][0] - 2 * x[1][0];
}
static void
join(double **x, double *s) {
  *s = 0;
  for (int k = 0; k < READS; k++)
    for (int c = 0; c < VECTOR; c++) *s += (k + 1) * (c + 2) * x[k][c];
}
static void
thin(float **x, float *s) {
  *s = 3 * x[1][0] - x[0][0] - x[2][0];
}
static void
mix(float **x, double **y, double *s) {
  *s = 3 * x[1][0] - x[0][0] - y[0][0] + y[1][0];
}

static void
cut(int **x, int *s) {
  *s = (5 * x[1][0] - x[0][0]) % 1009;
}

static void
add(double **t, const double *x, double *out) {
  *out = t[0][0] + 2 * t[1][0] - 3 * t[2][0] + *x;
}
static void
change(double **t, double *x) {
  double v = *x + t[0][0] - 2 * t[1][0];
  *x = v > 9 || v < -9 ? 1 : v;
}
static void
count(double **t, const int *e, double *out, int *sum, double *most) {
  *out = t[0][0] - t[1][0] + *e;
  *sum += *out > 0;
  if (*out > *most) *most = *out;
}
static void
turn(double **t, double *out) {
  *out = t[0][0] + 2 * t[1][1] - 3 * t[0][2];
}
static void
pair(float **t, float *out) {
  *out = t[0][0] + 2 * t[1][0];
}
static void
tell(int **t, int *out) {
  *out = t[0][0] - 7 * t[1][0];
}

/* ---- chains -------------------------------------------------------------- */

/* What a dat holds, and the first dats, which are declared with values. */
enum form { SCALAR, TUPLE, FLOAT, WHOLE };
static const int dims[] = {1, VECTOR, 1, 1};
static const char *const types[] = {"double", "double", "float", "int"};

enum how {
  TILT,
  BEND,
  LIMIT,
  SCALE,
  HERE,
  SPIN,
  SPREAD,
  JOIN,
  THIN,
  MIX,
  CUT,
  HOWS
};
static const struct made {
  enum form makes, of[2];
  int reads[2]; /* points; of nothing: 0 */
} made[] = {
    [TILT] = {SCALAR, {SCALAR}, {2}},
    [BEND] = {SCALAR, {SCALAR}, {3}},
    [LIMIT] = {SCALAR, {SCALAR, SCALAR}, {2, 2}},
    [SCALE] = {SCALAR, {SCALAR}, {2}},
    [HERE] = {SCALAR, {SCALAR, SCALAR}, {1, 2}},
    [SPIN] = {TUPLE, {TUPLE}, {2}},
    [SPREAD] = {TUPLE, {SCALAR}, {2}},
    [JOIN] = {SCALAR, {TUPLE}, {3}},
    [THIN] = {FLOAT, {FLOAT}, {3}},
    [MIX] = {SCALAR, {FLOAT, SCALAR}, {2, 2}},
    [CUT] = {WHOLE, {WHOLE}, {2}},
};
enum end { ADD, CHANGE, COUNT, TURN, PAIR, TELL };

struct point {
  int at[DIMS];
};

struct stage {
  enum how how;
  enum form form;
  int from[2];
  struct point by[2][READS];
  op_map map[2];
  int halo[2 * DIMS];
  double times;
  op_dat dat;
};

struct reader {
  enum end how;
  int from, sum, want_sum;
  struct point by[READS];
  op_map map;
  op_dat out;
  double most, want_most, *want;
};

struct chain {
  int ndim, n[DIMS], turns[DIMS], points;
  op_set box;
  struct stage s[INPUTS + STAGES];
  struct reader r[READERS];
  int nstages, nreaders;
  double *x[INPUTS], *now; /* with halos; the first one within a step */
  op2_gbl from;
};

static const char *const names[] = {"a", "b", "c", "d", "e",
                                    "f", "g", "h", "i"};
static const double start = 2;
static uint64_t state;

static int
below(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}

/* ---- point by point ------------------------------------------------------ */

static int
along(const struct chain *c, const int *halo, int d) {
  return halo[2 * d] + c->n[d] + halo[2 * d + 1];
}

static int
around(const struct chain *c, const int *halo) {
  int n = 1;
  for (int d = 0; d < c->ndim; d++) n *= along(c, halo, d);
  return n;
}

/* The place of a point in what has this halo. */
static int
place(const struct chain *c, const int *halo, const struct point *p) {
  int at = 0;
  for (int d = c->ndim; d-- > 0;) {
    int i = p->at[d], n = c->n[d];
    if (c->turns[d]) i = (i % n + n) % n;
    at = at * along(c, halo, d) + i + halo[2 * d];
  }
  return at;
}

/* Point number e of what has this halo, from the domain's first one on. */
static struct point
point_of(const struct chain *c, const int *halo, int e) {
  struct point p = {{0}};
  for (int d = 0; d < c->ndim; d++) {
    p.at[d] = e % along(c, halo, d) - halo[2 * d];
    e /= along(c, halo, d);
  }
  return p;
}

static struct point
beside(struct point p, const struct point *by) {
  for (int d = 0; d < DIMS; d++) p.at[d] += by->at[d];
  return p;
}

static void
make(const struct stage *g, double **a, double **b, double *out) {
  float f[READS] = {(float)a[0][0], (float)a[1][0], (float)a[2][0]}, narrow;
  float *floats[] = {&f[0], &f[1], &f[2]};
  int i[] = {(int)a[0][0], (int)a[1][0]}, *ints[] = {&i[0], &i[1]}, whole;
  switch (g->how) {
  case TILT: tilt(a, out); break;
  case BEND: bend(a, out); break;
  case LIMIT: limit(a, b, out); break;
  case SCALE: scale(a, &g->times, &start, out); break;
  case HERE: here(a[0], b, out); break;
  case SPIN: spin(a, out); break;
  case SPREAD: spread(a, out); break;
  case JOIN: join(a, out); break;
  case THIN: thin(floats, &narrow), *out = narrow; break;
  case CUT: cut(ints, &whole), *out = whole; break;
  default: mix(floats, b, out);
  }
}

/* What dat s holds at the point. */
static void
value(const struct chain *c, int s, struct point p, double *out) {
  const struct stage *g = &c->s[s];
  if (s < INPUTS) {
    const double *x = c->x[s] + place(c, g->halo, &p) * dims[g->form];
    memcpy(out, x, sizeof *x * (size_t)dims[g->form]);
    return;
  }
  double held[2][READS][VECTOR] = {{{0}}}, *at[2][READS];
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < READS; j++) {
      at[k][j] = held[k][j];
      if (j < made[g->how].reads[k])
        value(c, g->from[k], beside(p, &g->by[k][j]), held[k][j]);
    }
  make(g, at[0], at[1], out);
}

/* ---- drawing ------------------------------------------------------------- */

/* Points in a line mostly: one after another, in either direction, or each
 * second one. */
static void
draw_points(const struct chain *c, struct point *by, int n) {
  int base = below(3) - 1, step = (int[]){1, 1, -1, 2}[below(4)];
  bool line = below(8) < 5;
  for (int k = 0; k < n; k++) {
    by[k] = (struct point){{line ? base + step * (k - n / 2) : below(3) - 1}};
    for (int d = 1; d < c->ndim && !line; d++) by[k].at[d] = below(3) - 1;
  }
}

/* A dat of this form: the last one made mostly. */
static int
draw_dat(const struct chain *c, enum form form) {
  int found = form;
  for (int s = INPUTS; s < c->nstages; s++)
    if (c->s[s].form == form && (found < INPUTS || below(3))) found = s;
  return found;
}

static void
draw_stage(struct chain *c) {
  struct stage *g = &c->s[c->nstages];
  g->how = below(3) ? (enum how)below(HOWS) : below(2) ? LIMIT : HERE;
  const struct made *m = &made[g->how];
  g->form = m->makes;
  g->times = 2 + below(3);
  for (int k = 0; k < 2; k++) {
    g->from[k] = draw_dat(c, m->of[k]);
    draw_points(c, g->by[k], m->reads[k]);
  }
  if (g->how == LIMIT && below(2)) memcpy(g->by[1], g->by[0], sizeof *g->by);
  if (g->how == HERE) g->by[0][0] = (struct point){{0}};
  c->nstages++;
}

static int
reads_of(const struct reader *r) {
  return r->how == ADD ? 3 : 2;
}

static void
draw_reader(struct chain *c, int s) {
  struct reader *r = &c->r[c->nreaders++];
  r->from = s;
  r->how = (enum end)below(3);
  static const enum end others[] = {ADD, TURN, PAIR, TELL};
  if (c->s[s].form != SCALAR) r->how = others[c->s[s].form];
  draw_points(c, r->by, reads_of(r));
}

/* Halo of what is read so far from what is computed on another halo. */
static void
widen(const struct chain *c, int *halo, const int *on, const struct point *by) {
  for (int k = 0; k < 2 * c->ndim; k++) {
    int out = on[k] + (k % 2 ? by->at[k / 2] : -by->at[k / 2]);
    if (out > halo[k] && !c->turns[k / 2]) halo[k] = out;
  }
}

static void
draw_halos(struct chain *c) {
  static const int none[2 * DIMS];
  for (int k = 0; k < c->nreaders; k++)
    for (int j = 0; j < reads_of(&c->r[k]); j++)
      widen(c, c->s[c->r[k].from].halo, none, &c->r[k].by[j]);
  for (int s = c->nstages - 1; s >= INPUTS; s--)
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < made[c->s[s].how].reads[k]; j++)
        widen(c, c->s[c->s[s].from[k]].halo, c->s[s].halo, &c->s[s].by[k][j]);
  for (int s = 0; s < INPUTS; s++)
    for (int k = 0; k < 2 * c->ndim; k++)
      if (!c->turns[k / 2]) c->s[s].halo[k] += below(2);
}

static void
draw(struct chain *c) {
  static const int first[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 40, 64, 131};
  c->ndim = 1 + below(DIMS);
  c->n[0] = first[below(c->ndim == DIMS ? 10 : 12)];
  for (int d = 1; d < c->ndim; d++) c->n[d] = 1 + below(d == 1 ? 9 : 4);
  bool all = !below(4); /* nothing has a halo, and steps in place stay so */
  for (int d = 0; d < c->ndim; d++) c->turns[d] = all || !below(d ? 6 : 14);
  for (int s = 0; s < INPUTS; s++) c->s[s].form = (enum form)s;
  c->nstages = INPUTS;
  for (int k = below(STAGES - 1); k >= 0; k--) draw_stage(c);
  draw_reader(c, c->nstages - 1);
  for (int k = below(READERS); k > 0; k--)
    draw_reader(c, INPUTS + below(c->nstages - INPUTS));
  draw_halos(c);
  c->points = around(c, (int[2 * DIMS]){0});
}

/* ---- the library's way --------------------------------------------------- */

static op_map
rule(const struct chain *c, const struct point *by, int n) {
  int at[READS * DIMS] = {0};
  for (int k = 0; k < n; k++)
    for (int d = 0; d < c->ndim; d++) at[k * c->ndim + d] = by[k].at[d];
  return op2_decl_map_rule(c->box, c->box, n, at, "rule");
}

static void
declare_input(struct chain *c, int s) {
  struct stage *g = &c->s[s];
  int n = around(c, g->halo) * dims[s];
  c->x[s] = calloc((size_t)n, sizeof *c->x[s]);
  float *narrow = calloc((size_t)n, sizeof *narrow);
  int *whole = calloc((size_t)n, sizeof *whole);
  for (int k = 0; k < n; k++) {
    whole[k] = below(19) - 9;
    narrow[k] = (float)whole[k];
    c->x[s][k] = whole[k];
  }
  switch (g->form) {
  case FLOAT:
    g->dat = op2_decl_dat_box(c->box, g->halo, 1, "float", narrow, "in");
    break;
  case WHOLE:
    g->dat = op2_decl_dat_box(c->box, g->halo, 1, "int", whole, "in");
    break;
  default:
    g->dat =
        op2_decl_dat_box(c->box, g->halo, dims[s], "double", c->x[s], "in");
  }
  free(narrow);
  free(whole);
}

static void
declare(struct chain *c) {
  idx_g_t n[DIMS] = {c->n[0], c->n[1], c->n[2]};
  c->box = op2_decl_box(c->ndim, n, c->turns, "box");
  c->from = op2_decl_gbl(1, "double", (double *)&start, "from");
  for (int s = 0; s < INPUTS; s++) declare_input(c, s);
  int n0 = around(c, c->s[SCALAR].halo);
  c->now = calloc((size_t)n0, sizeof *c->now);
  memcpy(c->now, c->x[SCALAR], sizeof *c->now * (size_t)n0);
  for (int s = INPUTS; s < c->nstages; s++)
    for (int k = 0; k < 2; k++)
      if (made[c->s[s].how].reads[k])
        c->s[s].map[k] = rule(c, c->s[s].by[k], made[c->s[s].how].reads[k]);
  for (int k = 0; k < c->nreaders; k++) {
    struct reader *r = &c->r[k];
    r->map = rule(c, r->by, reads_of(r));
    r->most = r->want_most = -1e9;
    r->want = calloc((size_t)c->points, sizeof *r->want);
    switch (r->how) {
    case PAIR:
      r->out = op_decl_dat(c->box, 1, "float", (float *)NULL, "out");
      break;
    case TELL:
      r->out = op_decl_dat(c->box, 1, "int", (int *)NULL, "out");
      break;
    default: r->out = op_decl_dat(c->box, 1, "double", (double *)NULL, "out");
    }
  }
}

#define READ(k, n, dim, type)                                                  \
  op_arg_dat(c->s[g->from[k]].dat, -(n), g->map[k], dim, type, OP_READ)
#define MADE(dim, type) op_arg_dat(g->dat, -1, OP_ID, dim, type, OP_WRITE)

static void
run_stage(const struct chain *c, struct stage *g) {
  switch (g->how) {
  case TILT:
    op_par_loop(tilt, "tilt", c->box, READ(0, 2, 1, "double"),
                MADE(1, "double"));
    break;
  case BEND:
    op_par_loop(bend, "bend", c->box, READ(0, 3, 1, "double"),
                MADE(1, "double"));
    break;
  case LIMIT:
    op_par_loop(limit, "limit", c->box, READ(0, 2, 1, "double"),
                READ(1, 2, 1, "double"), MADE(1, "double"));
    break;
  case SCALE:
    op_par_loop(scale, "scale", c->box, READ(0, 2, 1, "double"),
                op_arg_gbl(&g->times, 1, "double", OP_READ),
                op2_arg_gbl(c->from, 1, "double", OP_READ), MADE(1, "double"));
    break;
  case HERE:
    op_par_loop(here, "here", c->box,
                op_arg_dat(c->s[g->from[0]].dat, -1, OP_ID, 1, "double",
                           OP_READ),
                READ(1, 2, 1, "double"), MADE(1, "double"));
    break;
  case SPIN:
    op_par_loop(spin, "spin", c->box, READ(0, 2, VECTOR, "double"),
                MADE(VECTOR, "double"));
    break;
  case SPREAD:
    op_par_loop(spread, "spread", c->box, READ(0, 2, 1, "double"),
                MADE(VECTOR, "double"));
    break;
  case JOIN:
    op_par_loop(join, "join", c->box, READ(0, 3, VECTOR, "double"),
                MADE(1, "double"));
    break;
  case THIN:
    op_par_loop(thin, "thin", c->box, READ(0, 3, 1, "float"), MADE(1, "float"));
    break;
  case CUT:
    op_par_loop(cut, "cut", c->box, READ(0, 2, 1, "int"), MADE(1, "int"));
    break;
  default:
    op_par_loop(mix, "mix", c->box, READ(0, 2, 1, "float"),
                READ(1, 2, 1, "double"), MADE(1, "double"));
  }
}

#define OF(n, dim, type)                                                       \
  op_arg_dat(c->s[r->from].dat, -(n), r->map, dim, type, OP_READ)
#define OUT(type) op_arg_dat(r->out, -1, OP_ID, 1, type, OP_WRITE)

static void
run_reader(struct chain *c, struct reader *r) {
  switch (r->how) {
  case ADD:
    op_par_loop(add, "add", c->box, OF(3, 1, "double"),
                op_arg_dat(c->s[SCALAR].dat, -1, OP_ID, 1, "double", OP_READ),
                OUT("double"));
    break;
  case CHANGE:
    op_par_loop(change, "change", c->box, OF(2, 1, "double"),
                op_arg_dat(c->s[SCALAR].dat, -1, OP_ID, 1, "double", OP_RW));
    break;
  case COUNT:
    op_par_loop(count, "count", c->box, OF(2, 1, "double"),
                op_arg_idx(-1, OP_ID), OUT("double"),
                op_arg_gbl(&r->sum, 1, "int", OP_INC),
                op_arg_gbl(&r->most, 1, "double", OP_MAX));
    break;
  case TURN:
    op_par_loop(turn, "turn", c->box, OF(2, VECTOR, "double"), OUT("double"));
    break;
  case TELL:
    op_par_loop(tell, "tell", c->box, OF(2, 1, "int"), OUT("int"));
    break;
  default: op_par_loop(pair, "pair", c->box, OF(2, 1, "float"), OUT("float"));
  }
}

/* ---- one against the other ----------------------------------------------- */

/* What the reader leaves at point e, of temporaries as they were made: what
 * loops of the step have changed since is only seen directly. */
static void
expect_at(const struct chain *c, struct reader *r, int e) {
  struct point p = point_of(c, (int[2 * DIMS]){0}, e);
  double t[READS][VECTOR], *at[] = {t[0], t[1], t[2]};
  double *x = &c->now[place(c, c->s[SCALAR].halo, &p)], *out = &r->want[e];
  for (int k = 0; k < reads_of(r); k++)
    value(c, r->from, beside(p, &r->by[k]), t[k]);
  switch (r->how) {
  case ADD: add(at, x, out); break;
  case CHANGE: change(at, x); break;
  case COUNT: count(at, &e, out, &r->want_sum, &r->want_most); break;
  case TURN: turn(at, out); break;
  case TELL: *out = t[0][0] - 7 * t[1][0]; break;
  default: *out = t[0][0] + 2 * t[1][0];
  }
}

static void
expect(struct chain *c) {
  size_t bytes = sizeof *c->now * (size_t)around(c, c->s[SCALAR].halo);
  for (int k = 0; k < c->nreaders; k++)
    for (int e = 0; e < c->points; e++) expect_at(c, &c->r[k], e);
  memcpy(c->x[SCALAR], c->now, bytes);
}

static void
step(struct chain *c) {
  for (int s = INPUTS; s < c->nstages; s++) {
    struct stage *g = &c->s[s];
    g->dat = op2_decl_dat_box_temp(c->box, g->halo, dims[g->form],
                                   types[g->form], names[s]);
    run_stage(c, g);
  }
  for (int k = 0; k < c->nreaders; k++) run_reader(c, &c->r[k]);
  for (int s = INPUTS; s < c->nstages; s++) op_free_dat_temp(c->s[s].dat);
  op2_flush();
}

/* What a reader left, of any type. */
static void
fetch(const struct chain *c, const struct reader *r, double *found) {
  float *narrow = calloc((size_t)c->points, sizeof *narrow);
  int *whole = calloc((size_t)c->points, sizeof *whole);
  switch (r->how) {
  case PAIR: op_fetch_data(r->out, narrow); break;
  case TELL: op_fetch_data(r->out, whole); break;
  default: op_fetch_data(r->out, found);
  }
  for (int e = 0; e < c->points && r->how == PAIR; e++) found[e] = narrow[e];
  for (int e = 0; e < c->points && r->how == TELL; e++) found[e] = whole[e];
  free(narrow);
  free(whole);
}

static void
compare_reader(const struct chain *c, const struct reader *r, double *found) {
  if (r->how == CHANGE) return;
  fetch(c, r, found);
  CHECK_REALS(found, r->want, c->points);
  CHECK_INT(r->sum, r->want_sum);
  CHECK_REAL(r->most, r->want_most);
}

static void
compare(const struct chain *c) {
  int n = around(c, c->s[SCALAR].halo);
  double *found = calloc((size_t)n, sizeof *found);
  op_fetch_data(c->s[SCALAR].dat, found);
  CHECK_REALS(found, c->now, n);
  for (int k = 0; k < c->nreaders; k++) compare_reader(c, &c->r[k], found);
  free(found);
}

static void
let_go(const struct chain *c) {
  for (int k = 0; k < c->nreaders; k++) free(c->r[k].want);
  for (int s = 0; s < INPUTS; s++) free(c->x[s]);
  free(c->now);
}

static void
try(int seed) {
  struct chain *c = calloc(1, sizeof *c);
  int before = check_failures;
  state = (uint64_t)seed;
  draw(c);
  declare(c);
  for (int s = below(2); s >= 0; s--) {
    step(c);
    expect(c);
  }
  compare(c);
  if (!before && check_failures)
    printf("the first chain that is wrong is number %d\n", seed);
  let_go(c);
  free(c);
}

int
main(int argc, char **argv) {
  int first = argc > 1 ? atoi(argv[1]) : 1, n = argc > 2 ? atoi(argv[2]) : 40;
  op_init(argc, argv, 0);
  for (int k = 0; k < n; k++) try(first + k);
  return check_end();
}
