/* Regions over rows on two ranks: local numbers, copies of others' elements, exchanges
 * that extents ask for; against plain loops over the whole mesh, exact in integers. */
#include "pair_make.h"
#include "rt/ranks/dist.h"
#include "test_lower.h"

enum { CELLS = 300, EDGES = 600, NODES = 200, SETS = 3 };

static idx_g pecell[2 * EDGES], pedge[2 * EDGES];

static double
value(idx_g set, idx_g g) {
  return (double)((g * 7 + set) % 19 - 9);
}

/* Cells in a row, some edges that leap; nodes likewise. */
static void
fill(void) {
  for (idx_g e = 0; e < EDGES; e++)
    for (idx_g k = 0; k < 2; k++) {
      idx_g leap = e % 50 == 0 ? 97 * k : k;
      pecell[2 * e + k] = (e / 2 + leap) % CELLS;
      pedge[2 * e + k] = (e / 3 + leap) % NODES;
    }
}

static struct rt_part part[SETS];
static struct rt_dist_map maps[2];
static struct rt_dist dist;

/* Each rank declares half of all and owns it. */
static void
spread(struct rt_comm *c) {
  static const idx_g total[SETS] = {CELLS, EDGES, NODES};
  static idx_g start[SETS][3];
  for (int s = 0; s < SETS; s++) {
    start[s][1] = total[s] / 2;
    start[s][2] = total[s];
    part[s] = (struct rt_part){.total = total[s],
                               .start = start[s],
                               .declared = (idx_l)(total[s] / 2)};
  }
  size_t first = c->rank ? EDGES : 0; /* 2 * EDGES / 2 */
  maps[0] = (struct rt_dist_map){1, 0, 2, .rows = pecell + first};
  maps[1] = (struct rt_dist_map){1, 2, 2, .rows = pedge + first};
  dist = (struct rt_dist){.comm = c,
                          .parts = part,
                          .maps = maps,
                          .nparts = SETS,
                          .nmaps = 2,
                          .depth = 6};
  cr_assert_eq(rt_dist_make(&dist), OK, "%s", err_last());
}

static const char head[] =
    "trace @t {\n"
    " set %cells n=300 parts\n set %edges n=600 parts\n set %nodes n=200 "
    "parts\n"
    " map %pecell : %edges -> %cells x2\n map %pedge : %edges -> %nodes x2\n"
    " relation %ecell : %cells -> %edges inverse %pecell\n"
    " relation %near : %cells -> %cells composed %ecell %pecell\n"
    " relation %row : %cells -> %edges csr\n"
    " dat %w : %edges f64 x1 right 0\n dat %x : %nodes f64 x1 right 0\n"
    " dat %q : %cells f64 x1 right 0\n dat %res : %cells f64 x1 right 0\n"
    " kernel @k\n kernel @j\n";

static void
give(struct lower_case *c, const char *name, int set) {
  double *v = mem_alloc((size_t)part[set].n + 1, sizeof *v);
  for (idx_l e = 0; e < part[set].n; e++)
    v[e] = e < part[set].owned ? value(set, part[set].global[e]) : 1e9;
  ir_ref k = lower_case_find(c, name);
  struct rt_shape s = {part[set].n, 1, {TYPE_F64, 8}, 1, 0, NULL};
  cr_assert_eq(rt_dat_init(&c->dats[k], s, v, false), OK);
  c->dats[k].part = &part[set];
  c->dats[k].reach = (struct reach){0, -1};
  free(v);
}

/* Relations over local numbers: of elements whose rows are known, which those of the
 * last level are not. */
static struct rt_set known;
static struct rt_relation inverse, near;
static void
relate(struct lower_case *c) {
  struct rt_relation *of = &c->maps[0], cut;
  for (int m = 0; m < 2; m++)
    c->maps[m] = (struct rt_relation){.from = &c->sets[1],
                                      .to = &c->sets[maps[m].to],
                                      .arity = 2,
                                      .table = maps[m].table,
                                      .version = rt_version_new(),
                                      .name = m ? "pedge" : "pecell"};
  known = (struct rt_set){.n = part[1].level[dist.depth - 1]};
  cut = *of;
  cut.from = &known;
  cr_assert_eq(rt_relation_inverse(&cut, NULL, &inverse), OK);
  inverse.to = of->from;
  cr_assert_eq(rt_relation_composed(&inverse, of, &near), OK);
  lower_case_relation(c, "ecell", inverse);
  lower_case_relation(c, "near", near);
  lower_case_relation(c, "row", inverse);
}

static void
run(struct rt_comm *comm, const char *loops, const char *code,
    struct lower_case *c) {
  char text[2048];
  fill();
  spread(comm);
  snprintf(text, sizeof text, "%s %s\n}\n", head, loops);
  lower_case_init(c, text, code);
  lower_case_passes(c, "fuse,storage,place,halo");
  for (int s = 0; s < SETS; s++) {
    c->sets[s].n = part[s].n;
    c->sets[s].part = &part[s];
  }
  relate(c);
  give(c, "w", 1);
  give(c, "x", 2);
  give(c, "q", 0);
  give(c, "res", 0);
  cr_assert_eq(lower_case_lower(c), OK, "%s", err_last());
  c->lp.program->comm = comm;
  c->lp.program->halo = rt_halo_new(comm);
  lower_case_run(c, 2);
}

static void
expect(struct lower_case *c, const char *dat, int set, const double *want) {
  const double *got = lower_case_get(c, dat);
  for (idx_l e = 0; e < part[set].owned; e++)
    cr_assert_eq(got[e], want[part[set].global[e]],
                 "rank %d: %s[%d]: expected %g, found %g",
                 c->lp.program->comm->rank, dat, (int)part[set].global[e],
                 want[part[set].global[e]], got[e]);
  rt_halo_free(c->lp.program->halo);
  lower_case_clear(c);
  rt_relation_clear(&inverse);
  rt_relation_clear(&near);
  for (int m = 0; m < 2; m++) free(maps[m].table);
  for (int s = 0; s < SETS; s++) rt_part_clear(&part[s]);
}

static void
gathered(struct rt_comm *comm, const char *rows) {
  struct lower_case c;
  char loop[512];
  double want[CELLS];
  snprintf(loop, sizeof loop,
           "%%res.1 = loop @k over %%cells for %%e in %s (inc %%res.0,"
           " read %%q.0, read %%w.0 via %%e, read %%x.0 via %%e %%pedge[0:2])\n"
           " fetch %%res.1",
           rows);
  run(comm, loop,
      "void k(double *res, const double *q, const double *w, double **x) {"
      " *res += *q + *w * (x[0][0] - 2 * x[1][0]); }",
      &c);
  for (int t = 0; t < CELLS; t++) want[t] = value(0, t);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++)
      want[pecell[2 * e + k]] += value(0, pecell[2 * e + k]) +
                                 value(1, e) * (value(2, pedge[2 * e]) -
                                                2 * value(2, pedge[2 * e + 1]));
  expect(&c, "res", 0, want);
}

static void
by_inverse(struct rt_comm *comm) {
  gathered(comm, "%ecell");
}
Test(lower_rows_ranks, inverse) {
  pair_run(by_inverse);
}

static void
by_csr(struct rt_comm *comm) {
  gathered(comm, "%row");
}
Test(lower_rows_ranks, csr) {
  pair_run(by_csr);
}

/* Two loops: what the first makes on copies the second reads two hops away. */
static void
by_composed(struct rt_comm *comm) {
  struct lower_case c;
  double one[CELLS], want[CELLS];
  run(comm,
      "%q.1 = loop @j over %cells (rw %q.0)\n"
      " %res.1 = loop @k over %cells for %e in %near (inc %res.0,"
      " read %q.1 via %e)\n fetch %res.1",
      "void k(double *res, const double *q) { *res += *q; }\n"
      "void j(double *q) { *q = 3 * *q + 1; }",
      &c);
  for (int t = 0; t < CELLS; t++) one[t] = 3 * value(0, t) + 1;
  for (int t = 0; t < CELLS; t++) want[t] = value(0, t);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++)
      want[pecell[2 * e + k]] += one[pecell[2 * e]] + one[pecell[2 * e + 1]];
  expect(&c, "res", 0, want);
}
Test(lower_rows_ranks, composed) {
  pair_run(by_composed);
}

/* Increments through rows, then a reader of what strangers made. */
static void
scattered(struct rt_comm *comm) {
  struct lower_case c;
  double sum[EDGES], want[CELLS];
  run(comm,
      "%w.1 = loop @j over %cells for %e in %ecell (read %q.0, inc %w.0 via"
      " %e)\n %res.1 = loop @k over %cells for %e in %ecell (inc %res.0,"
      " read %w.1 via %e)\n fetch %res.1",
      "void k(double *res, const double *w) { *res += *w; }\n"
      "void j(const double *q, double *w) { *w += *q; }",
      &c);
  for (int e = 0; e < EDGES; e++)
    sum[e] =
        value(1, e) + value(0, pecell[2 * e]) + value(0, pecell[2 * e + 1]);
  for (int t = 0; t < CELLS; t++) want[t] = value(0, t);
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++) want[pecell[2 * e + k]] += sum[e];
  expect(&c, "res", 0, want);
}
Test(lower_rows_ranks, written_through) {
  pair_run(scattered);
}
