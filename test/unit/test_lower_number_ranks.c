/* Numbers over two ranks, of which the second one's begin beyond what an int holds:
 * of what each owns and of copies of the other's elements. The first declares few and
 * counts as if it had declared many. */
#include "pair_make.h"
#include "rt/ranks/dist.h"
#include "test_lower.h"

enum { CELLS = 150, EDGES = 300 }; /* of each rank */

static const idx_g far = 3000000000;
static idx_g rows[2 * EDGES], starts[2][3];
static struct rt_part part[2]; /* cells, edges */
static struct rt_dist_map map;

/* Edge i of a rank names its cell i / 2, and one of the other's or the next. */
static idx_g
target(int rank, int i, int k) {
  int other = k && i % 10 == 0 ? !rank : rank;
  return (other ? far : 0) + (i / 2 + k) % CELLS;
}

static void
spread(struct rt_comm *c) {
  static const idx_l n[2] = {CELLS, EDGES};
  for (int s = 0; s < 2; s++) {
    starts[s][1] = far;
    starts[s][2] = far + n[s];
    part[s] = (struct rt_part){
        .total = far + n[s], .start = starts[s], .declared = n[s]};
  }
  for (int i = 0; i < EDGES; i++)
    for (int k = 0; k < 2; k++) rows[2 * i + k] = target(c->rank, i, k);
  map = (struct rt_dist_map){1, 0, 2, .rows = rows};
  struct rt_dist d = {.comm = c,
                      .parts = part,
                      .maps = &map,
                      .nparts = 2,
                      .nmaps = 1,
                      .depth = 2};
  cr_assert_eq(rt_dist_make(&d), OK, "%s", err_last());
}

static const char text[] =
    "trace @t {\n set %cells n=300 parts\n set %edges n=600 parts\n"
    " map %pecell : %edges -> %cells x2\n"
    " dat %x : %cells f64 x1 right 0\n dat %y : %edges f64 x1 right 0\n"
    " kernel @own\n kernel @k\n"
    " %x.1 = loop @own over %cells (number, write %x)\n"
    " %y.1 = loop @k over %edges (number, number via %pecell[0],"
    " number via %pecell[1], read %x.1 via %pecell[1], write %y)\n"
    " fetch %y.1\n}\n";
static const char source[] =
    "void own(const long long *e, double *x) { *x = *e + 1; }"
    "void k(const long long *e, const long long *a, const long long *b,"
    " const double *x, double *y) { *y = *e + 2 * *a - *b + (*x - *b); }";

static void
two_ranks(struct rt_comm *comm) {
  struct lower_case c;
  spread(comm);
  lower_case_init(&c, text, source);
  lower_case_passes(&c, "fuse,storage,place,halo");
  for (int s = 0; s < 2; s++) {
    c.sets[s].n = part[s].n;
    c.sets[s].part = &part[s];
    struct rt_shape shape = {part[s].n, 1, {TYPE_F64, 8}, 1, 0, NULL};
    ir_ref d = lower_case_find(&c, s ? "y" : "x");
    cr_assert_eq(rt_dat_init(&c.dats[d], shape, NULL, false), OK);
    c.dats[d].part = &part[s];
    c.dats[d].reach = (struct reach){0, -1};
  }
  lower_case_map(&c, "pecell", map.table);
  cr_assert_eq(lower_case_lower(&c), OK, "%s", err_last());
  c.lp.program->comm = comm;
  c.lp.program->halo = rt_halo_new(comm);
  lower_case_run(&c, 1);
  const double *y = lower_case_get(&c, "y");
  cr_assert_eq(part[1].owned, EDGES);
  for (idx_l e = 0; e < part[1].owned; e++) {
    int i = (int)(part[1].global[e] - starts[1][comm->rank]);
    idx_g a = target(comm->rank, i, 0), b = target(comm->rank, i, 1);
    cr_assert_eq(y[e], (double)(part[1].global[e] + 2 * a - b + 1));
  }
  rt_halo_free(c.lp.program->halo);
  lower_case_clear(&c);
  rt_dist_table_free(&map);
  for (int s = 0; s < 2; s++) rt_part_clear(&part[s]);
}

Test(lower_number_ranks, beyond_an_int) {
  pair_run(two_ranks);
}
