/* Boxes over ranks that each declare their part: which that is, what a look shows of
 * points of other ranks, numbers, partitions of what lies beside, what is refused.
 * Exact: integers.
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 OP2_CHECK=1
 * RUN: 4 OMP_NUM_THREADS=2
 * RUN: 7
 * RUN: 4 OP2_EAGER=1
 * RUN: 4 OP2_MIRROR=1
 * RUN: 3 OP2_HALO_LIMIT=auto OP2_HALO_COSTS=1000,1000,1
 * RUN: 2 OP2_TARGET=opencl
 */
#include "../programs/check.h"
#include "../programs/errors.h"

enum { NI = 9, NJ = 8, ROOM = 64 * 64 };

static int rank, ranks;

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "int", acc)

/* ---- parts ---------------------------------------------------------------------- */

/* A box's part of this rank: [lo, hi) of two dimensions. */
struct part {
  op_set set;
  idx_g_t lo[2], hi[2];
};

static struct part
plane_make(const char *name) {
  struct part p = {op2_decl_box(2, (idx_g_t[]){NI, NJ}, NULL, name), {0}, {0}};
  CHECK_INT(op2_box_local(p.set, p.lo, p.hi), 0);
  return p;
}

static int
along(const struct part *p, int d) {
  return (int)(p->hi[d] - p->lo[d]);
}

/* Parts are disjoint, and all points are in one. */
static void
parts_fit(void) {
  const idx_g_t sizes[][4] = {{1, 1, 1, 1}, {40, 1, 1, 1}, {3, 50, 6, 1},
                              {5, 4, 3, 2}, {2, 2, 9, 9},  {0, 5, 1, 1}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int ndim = 1; ndim <= 4; ndim++) {
      idx_g_t lo[4], hi[4], points = 1, mine = 1;
      op_set s = op2_decl_box(ndim, sizes[k], NULL, "tried");
      CHECK_INT(op2_box_local(s, lo, hi), 0);
      for (int d = 0; d < ndim; d++) {
        CHECK(lo[d] >= 0 && lo[d] <= hi[d] && hi[d] <= sizes[k][d]);
        points *= sizes[k][d];
        mine *= hi[d] - lo[d];
      }
      if (ndim > 2) CHECK(hi[ndim - 1] - lo[ndim - 1] == sizes[k][ndim - 1]);
      CHECK_INT(op_get_size_local(s), mine);
      CHECK_INT(op_get_size(s), points);
    }
}

/* ---- looks ---------------------------------------------------------------------- */

static int
value(int i, int j) {
  return 1000 + i + 100 * j;
}

/* The field of widths 2, 1 in i and 1, 3 in j; where, in a rank's memory. */
enum { LI = 2, HI = 1, LJ = 1, HJ = 3 };

static int
place(const struct part *p, int i, int j) {
  int w = along(p, 0) + LI + HI;
  return (int)(i - p->lo[0]) + LI + w * ((int)(j - p->lo[1]) + LJ);
}

static bool
is_mine(const struct part *p, int i, int j) {
  if (i < p->lo[0] && p->lo[0]) return false;
  if (j < p->lo[1] && p->lo[1]) return false;
  if (i >= p->hi[0] && p->hi[0] < NI) return false;
  return j < p->hi[1] || p->hi[1] == NJ;
}

#define EACH(p, i, j)                                                          \
  for (int j = (int)(p)->lo[1] - LJ; j < (int)(p)->hi[1] + HJ; j++)            \
    for (int i = (int)(p)->lo[0] - LI; i < (int)(p)->hi[0] + HI; i++)

static bool
is_empty(const struct part *p) {
  return !along(p, 0) || !along(p, 1);
}

static void
add_one(int *x) {
  *x += 1;
}

static void
sum_far(const int *x0, const int *x1, int *y) {
  *y = *x0 + 3 * *x1;
}

/* Of points that others have it shows what these have, from the beginning on. */
static void
looks(void) {
  static int x[ROOM], got[ROOM];
  struct part p = plane_make("looked");
  const int widths[] = {LI, HI, LJ, HJ}, far[] = {-2, -1, 1, 3};
  op_map m = op2_decl_map_rule(p.set, p.set, 2, far, "far");
  if (!is_empty(&p))
    EACH(&p, i, j) x[place(&p, i, j)] = is_mine(&p, i, j) ? value(i, j) : -7;
  op_dat d = op2_decl_dat_box(p.set, widths, 1, "int", x, "seen");
  op_dat y = op_decl_dat(p.set, 1, "int", (int *)NULL, "sums");
  op_fetch_data(d, got);
  if (!is_empty(&p))
    EACH(&p, i, j) CHECK_INT(got[place(&p, i, j)], value(i, j));
  op_par_loop(add_one, "add_one", p.set, OWN(d, OP_RW));
  int *host = (int *)op2_dat_data_rw(d);
  if (!is_empty(&p)) EACH(&p, i, j) {
      bool inside = i >= 0 && i < NI && j >= 0 && j < NJ;
      CHECK_INT(host[place(&p, i, j)], value(i, j) + inside);
      host[place(&p, i, j)] = is_mine(&p, i, j) ? 2 * value(i, j) : -9;
    }
  op_par_loop(sum_far, "sum_far", p.set, VIA(d, 0, m, OP_READ),
              VIA(d, 1, m, OP_READ), OWN(y, OP_WRITE));
  op_fetch_data(y, got);
  for (int e = 0; e < along(&p, 0) * along(&p, 1); e++) {
    int i = (int)p.lo[0] + e % along(&p, 0),
        j = (int)p.lo[1] + e / along(&p, 0);
    CHECK_INT(got[e], 2 * value(i - 2, j - 1) + 6 * value(i + 1, j + 3));
  }
  const int *again = (const int *)op2_dat_data(d);
  if (!is_empty(&p))
    EACH(&p, i, j) CHECK_INT(again[place(&p, i, j)], 2 * value(i, j));
}

/* Memory of the dat, looked at without a call behind a view, is what neighbours have;
 * so is a fetch where the program has written that memory without a call. */
static void
looks_without_calls(void) {
  static int x[ROOM], got[ROOM];
  struct part p = plane_make("bare");
  const int widths[] = {LI, HI, LJ, HJ};
  bool kept = getenv("OP2_MIRROR") != NULL;
  op_dat d = op2_decl_dat_box(p.set, widths, 1, "int", x, "bare_x");
  op_par_loop(add_one, "add_one", p.set, OWN(d, OP_RW));
  for (int round = 1; round < 4; round++) {
    int *host = kept && round > 1 ? NULL : (int *)op2_dat_data_rw(d);
    if (!is_empty(&p)) EACH(&p, i, j) {
        int v = is_mine(&p, i, j) ? round * value(i, j) : -9;
        if (host)
          host[place(&p, i, j)] = v;
        else
          ((int *)d->data)[place(&p, i, j)] = v;
      }
    op2_flush(); /* closes the view */
    if (!is_empty(&p) && !kept) EACH(&p, i, j)
    CHECK_INT(((int *)d->data)[place(&p, i, j)], round * value(i, j));
    op_fetch_data(d, got);
    if (!is_empty(&p))
      EACH(&p, i, j) CHECK_INT(got[place(&p, i, j)], round * value(i, j));
  }
}

/* ---- numbers -------------------------------------------------------------------- */

static void
take_number(const int *index, int *out) {
  *out = *index;
}

/* Those of the rank's part, i fastest. */
static void
numbers(void) {
  static int got[ROOM];
  struct part p = plane_make("numbered");
  op_dat y = op_decl_dat(p.set, 1, "int", (int *)NULL, "index");
  op_par_loop(take_number, "take_number", p.set, op_arg_idx(-1, OP_ID),
              OWN(y, OP_WRITE));
  op_fetch_data(y, got);
  for (int e = 0; e < along(&p, 0) * along(&p, 1); e++) CHECK_INT(got[e], e);
}

static void
take_numbers(const idx_g_t *e, const idx_g_t *next, idx_g_t *out) {
  *out = 1000 * *e + *next;
}

/* Over all ranks: those of parts, one after another; of a line as they stand. */
static void
numbers_over_all(void) {
  static long long got[ROOM];
  enum { LINE = 40 };
  idx_g_t lo, hi;
  op_set line =
      op2_decl_box(1, (idx_g_t[]){LINE}, (int[]){OP2_PERIODIC}, "ring");
  op_map m = op2_decl_map_rule(line, line, 1, (int[]){1}, "next");
  op_dat y = op_decl_dat(line, 1, "ll", (long long *)NULL, "numbers");
  CHECK_INT(op2_box_local(line, &lo, &hi), 0);
  op_par_loop(take_numbers, "take_numbers", line, op2_arg_idx_long(-1, OP_ID),
              op2_arg_idx_long(0, m),
              op_arg_dat(y, -1, OP_ID, 1, "ll", OP_WRITE));
  op_fetch_data(y, got);
  for (idx_g_t i = lo; i < hi; i++)
    CHECK_INT(got[i - lo], 1000 * i + (i + 1) % LINE);
  struct part p = plane_make("numbered_over_all");
  idx_g_t before = op_get_global_set_offset(p.set);
  op_dat z = op_decl_dat(p.set, 1, "ll", (long long *)NULL, "of_plane");
  op_par_loop(take_numbers, "take_numbers", p.set, op2_arg_idx_long(-1, OP_ID),
              op2_arg_idx_long(-1, OP_ID),
              op_arg_dat(z, -1, OP_ID, 1, "ll", OP_WRITE));
  op_fetch_data(z, got);
  for (int e = 0; e < along(&p, 0) * along(&p, 1); e++)
    CHECK_INT(got[e], 1001 * (before + e));
}

/* ---- beside others -------------------------------------------------------------- */

static void
add_to(const int *x, int *to) {
  *to += *x;
}

/* Stations, of which each names a point by its global number: parts one after
 * another. They follow the points; a partition of something else moves neither. */
static void
stations(bool moved) {
  static int number[NI * NJ], got[ROOM], table[NI * NJ];
  struct part p = plane_make(moved ? "points" : "points_still");
  int n = along(&p, 0) * along(&p, 1), first = 0;
  op_set set = op_decl_set(n, "stations"), other = op_decl_set(6, "others");
  first = (int)op_get_global_set_offset(set);
  for (int e = 0; e < n; e++) {
    number[e] = first + e;
    table[e] = NI * NJ - 1 - (first + e);
  }
  op_map at = op_decl_map(set, p.set, 1, table, "at");
  op_dat x = op_decl_dat(set, 1, "int", number, "x");
  op_dat y = op2_decl_dat_box(p.set, ((int[]){1, 1, 1, 1}), 1, "int",
                              (int *)NULL, "y");
  if (moved) op_partition("RANDOM", "", other, NULL, NULL);
  op_par_loop(add_to, "add_to", set, OWN(x, OP_READ), VIA(y, 0, at, OP_INC));
  op_fetch_data(y, got);
  for (int e = 0; e < n; e++) {
    int i = e % along(&p, 0), j = e / along(&p, 0);
    CHECK_INT(got[i + 1 + (along(&p, 0) + 2) * (j + 1)],
              NI * NJ - 1 - (first + e));
  }
}

/* ---- what is refused ------------------------------------------------------------ */

static void
expect(const char *text) {
  static int before;
  CHECK_INT(errors, ++before);
  CHECK_INT(code, OP2_ERR_ARG);
  if (strstr(message, text)) return;
  printf("%s\n", message);
  CHECK(!"another message");
}

static void
refused(void) {
  struct part p = plane_make("refused");
  op_dat x = op_decl_dat(p.set, 1, "int", (int *)NULL, "x_refused");
  op2_set_error_handler(on_error, NULL);
  if (ranks > 1) {
    op_partition("RANDOM", "", p.set, NULL, NULL);
    expect("prime set: expected no box or grid");
    op_set line = op2_decl_box(1, (idx_g_t[]){40}, NULL, "line");
    op_dat z = op_decl_dat(line, 1, "int", (int *)NULL, "z");
    op2_par_loop_scan(add_one, "along", line, OP2_FORWARD, OWN(z, OP_RW));
    expect("expected a box whose last dimension is whole on each rank");
    int n = along(&p, 0) * along(&p, 1), list[NI * NJ];
    for (int e = 0; e < n; e++) list[e] = e;
    op_set all = op2_decl_subset(p.set, n, list, "all");
    op_par_loop(sum_far, "above", all, OWN(x, OP_READ),
                op2_arg_dat_layer(x, 1, 1, "int", OP_READ), OWN(x, OP_WRITE));
    expect("expected a halo of 1, above in dimension 1, found 0");
  }
  op2_set_error_handler(NULL, NULL);
  op_par_loop(add_one, "add_one", p.set, OWN(x, OP_RW));
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  ranks = check_ranks();
  op_rank(&rank);
  parts_fit();
  looks();
  looks_without_calls();
  numbers();
  numbers_over_all();
  stations(false);
  stations(true);
  refused();
  return check_end();
}
