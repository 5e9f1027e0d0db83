/* New numbers inside parts: a mesh in random order, so that each rank numbers its part
 * anew (EXPECT=1) or must not (0). What the program sees keeps its numbers: fetches,
 * op_arg_idx, op2_arg_idx_long, dat->data and map->map (which lead from a row of one to rows of the
 * other), payloads, ranges; also after op_partition.
 *
 * RUN: 2 EXPECT=1
 * RUN: 3 EXPECT=1 OP2_RENUMBER=bisect OP2_LAYOUT=soa
 * RUN: 4 EXPECT=1 PART=RANDOM OP2_HALO_LIMIT=6 OP2_CHECK=1
 * RUN: 3 EXPECT=1 PART=PTSCOTCH OP2_EAGER=1
 * RUN: 2 EXPECT=1 PART=RANDOM OP2_DECLARE=whole
 * RUN: 2 EXPECT=0 OP2_RENUMBER=0
 * RUN: 2 EXPECT=0 OP2_REPRODUCIBLE=1
 * RUN: 2 EXPECT=1 OP2_TARGET=opencl
 */
#include "../programs/check.h"

enum { W = 150, H = 120, N = W * H, E = (W - 1) * H + W * (H - 1) };

static int node[N], ends[2 * E], numbers[E], got[N], expected[N];

/* A grid whose nodes and edges have numbers in random order. */
static void
mesh_make(void) {
  unsigned r = 7;
  int e = 0;
  for (int i = 0; i < N; i++) node[i] = i;
  for (int i = N - 1; i > 0; i--) {
    int k = (int)((r = r * 1664525 + 1013904223) >> 8) % (i + 1), x = node[i];
    node[i] = node[k];
    node[k] = x;
  }
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int d = 0; d < 2; d++) {
        int x1 = x + !d, y1 = y + d;
        if (x1 == W || y1 == H) continue;
        ends[2 * e] = node[y * W + x];
        ends[2 * e++ + 1] = node[y1 * W + x1];
      }
  for (int i = E - 1; i > 0; i--) {
    int k = (int)((r = r * 1664525 + 1013904223) >> 8) % (i + 1);
    for (int j = 0; j < 2; j++) {
      int x = ends[2 * i + j];
      ends[2 * i + j] = ends[2 * k + j];
      ends[2 * k + j] = x;
    }
  }
}

static void
number(int *x, const int *i) {
  *x = *i;
}

static void
number_long(long long *x, const idx_g_t *i, const int *g, int *wrong) {
  *x = *i;
  *wrong += *i != *g;
}

static void
ends_long(const idx_g_t *e, const int *ge, const idx_g_t *a, const int *ga,
          const idx_g_t *b, const int *gb, int *wrong) {
  *wrong += (*e != *ge) + (*a != *ga) + (*b != *gb);
}

static void
spread(const int *a, const int *b, int *ra, int *rb) {
  *ra += *b % 101;
  *rb += *a % 101;
}

static void
most(const int *x, const int *g, int *max, int *where) {
  if (*x > *max) {
    *max = *x;
    *where = *g;
  }
}

/* [*lo, *hi) of n: what this rank declares. */
static void
part_of(int n, int ranks, int *lo, int *hi) {
  int rank;
  op_rank(&rank);
  *lo = (int)((long)n * rank / ranks);
  *hi = (int)((long)n * (rank + 1) / ranks);
}

/* The values lie in dat->data where map->map says; g, ge: global numbers. */
static void
look_through_map(op_map m, op_dat g, op_dat ge) {
  const int *to = op2_dat_data(g), *from = op2_dat_data(ge);
  for (int e = 0; e < m->from->size; e++)
    for (int k = 0; k < 2; k++) {
      int at = m->map[2 * e + k];
      if (at < m->to->size) CHECK_INT(to[at], ends[2 * from[e] + k]);
    }
}

static void
look_for_most(op_set nodes, op_dat sum, op_dat g) {
  int max = -1, where = -1, first = -1, best = -1, few[9];
  for (int i = 0; i < N; i++)
    if (expected[i] > best) best = expected[first = i];
  op_par_loop(
      most, "most", nodes, op_arg_dat(sum, -1, OP_ID, 1, "int", OP_READ),
      op_arg_dat(g, -1, OP_ID, 1, "int", OP_READ),
      op_arg_gbl(&max, 1, "int", OP_MAX), op_arg_info(&where, 1, "int", 2));
  CHECK_INT(max, best);
  CHECK_INT(where, first);
  op_fetch_data_idx(sum, few, N / 2, N / 2 + 8);
  for (int i = 0; i < 9; i++) CHECK_INT(few[i], expected[N / 2 + i]);
}

/* Numbers over all ranks, of elements and of what they name. */
static void
over_all(op_set nodes, op_set edges, op_map m, op_dat g, op_dat ge,
         op_dat over) {
  int wrong = 0;
  op_par_loop(number_long, "number_long", nodes,
              op_arg_dat(over, -1, OP_ID, 1, "ll", OP_WRITE),
              op2_arg_idx_long(-1, OP_ID),
              op_arg_dat(g, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&wrong, 1, "int", OP_INC));
  op_par_loop(ends_long, "ends_long", edges, op2_arg_idx_long(-1, OP_ID),
              op_arg_dat(ge, -1, OP_ID, 1, "int", OP_READ),
              op2_arg_idx_long(0, m), op_arg_dat(g, 0, m, 1, "int", OP_READ),
              op2_arg_idx_long(1, m), op_arg_dat(g, 1, m, 1, "int", OP_READ),
              op_arg_gbl(&wrong, 1, "int", OP_INC));
  CHECK_INT(wrong, 0);
  const int *number = op2_dat_data(g);
  for (int i = 0; i < nodes->size; i++) expected[i] = number[i];
  const long long *found = op2_dat_data(over);
  for (int i = 0; i < nodes->size; i++) CHECK_INT(found[i], expected[i]);
  memset(expected, 0, sizeof expected);
}

int
main(int argc, char **argv) {
  const char *part = getenv("PART"), *declare = getenv("OP2_DECLARE");
  int whole = declare && !strcmp(declare, "whole");
  int lo = 0, hi = N, elo = 0, ehi = E;
  check_start(argc, argv);
  mesh_make();
  if (!whole) part_of(N, check_ranks(), &lo, &hi);
  if (!whole) part_of(E, check_ranks(), &elo, &ehi);
  for (int i = 0; i < E; i++) numbers[i] = i;
  op_set nodes = op_decl_set(hi - lo, "nodes");
  op_set edges = op_decl_set(ehi - elo, "edges");
  op_map m = op_decl_map(edges, nodes, 2, ends + 2 * elo, "ends");
  op_dat g = op_decl_dat(nodes, 1, "int", numbers + lo, "g");
  op_dat ge = op_decl_dat(edges, 1, "int", numbers + elo, "ge");
  op_dat sum = op_decl_dat(nodes, 1, "int", (int *)NULL, "sum");
  op_dat own = op_decl_dat(nodes, 1, "int", (int *)NULL, "own");
  op_dat over = op_decl_dat(nodes, 1, "ll", (long long *)NULL, "over");
  if (part) op_partition(part, "", nodes, m, NULL);
  op_par_loop(number, "number", nodes,
              op_arg_dat(own, -1, OP_ID, 1, "int", OP_WRITE),
              op_arg_idx(-1, OP_ID));
  const int *rows = op2_dat_data(own);
  for (int i = 0; i < nodes->size; i++) CHECK_INT(rows[i], i);
  over_all(nodes, edges, m, g, ge, over);
  for (int e = 0; e < E; e++) {
    expected[ends[2 * e]] += ends[2 * e + 1] % 101;
    expected[ends[2 * e + 1]] += ends[2 * e] % 101;
  }
  op_par_loop(spread, "spread", edges, op_arg_dat(g, 0, m, 1, "int", OP_READ),
              op_arg_dat(g, 1, m, 1, "int", OP_READ),
              op_arg_dat(sum, 0, m, 1, "int", OP_INC),
              op_arg_dat(sum, 1, m, 1, "int", OP_INC));
  op_fetch_data(sum, got);
  for (int i = lo; i < hi; i++) CHECK_INT(got[i - lo], expected[i]);
  look_for_most(nodes, sum, g);
  look_through_map(m, g, ge);
  CHECK_INT(op2_counter("renumbered") > 0, atoi(getenv("EXPECT")));
  return check_end();
}
