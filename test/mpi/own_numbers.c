/* What loops make of op_arg_idx in parts is what an element's owner has, also where
 * copies of it are read, loops might run as one, or run farther than their own elements
 * to save exchanges: each rank has other numbers for the copies.
 *
 * RUN: 2
 * RUN: 3
 * RUN: 3 OP2_EAGER=1
 * RUN: 2 OP2_HALO_LIMIT=2
 * RUN: 3 OP2_HALO_LIMIT=6 OP2_CHECK=1
 * RUN: 3 OP2_HALO_LIMIT=auto OP2_HALO_COSTS=1000,1000,1
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 1
 */
#include "../programs/check.h"

enum { N = 40 };

static int rank, ranks;
static op_set cells, edges;
static op_map ends, before;

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define VIA(d, i, m, acc) op_arg_dat(d, i, m, 1, "int", acc)

/* A ring: edge e leads from cell e to the next; each rank has N of both. */
static void
declare(void) {
  int table[2 * N], back[N], all = N * ranks;
  for (int i = 0; i < N; i++) {
    table[2 * i] = rank * N + i;
    table[2 * i + 1] = (rank * N + i + 1) % all;
    back[i] = (rank * N + i + all - 1) % all;
  }
  cells = op_decl_set(N, "cells");
  edges = op_decl_set(N, "edges");
  ends = op_decl_map(edges, cells, 2, table, "ends");
  before = op_decl_map(cells, edges, 1, back, "before");
}

static op_dat
zeros(op_set set, const char *name) {
  return op_decl_dat(set, 1, "int", (int *)NULL, name);
}

static void
own(const int *i, int *x) {
  *x = *i;
}
static void
swap_add(const int *a, const int *b, int *ra, int *rb) {
  *ra += *b;
  *rb += *a;
}
static void
add(const int *x, int *ra, int *rb) {
  *ra += *x;
  *rb += *x;
}
static void
own_and_add(const int *i, int *x, int *ra, int *rb) {
  *x = *i;
  *ra += 1;
  *rb += 1;
}
static void
look(const int *x, int *y) {
  *y += *x;
}

static int got[N];
/* The owner's number of the element before i, behind it. */
static int
number_before(int i) {
  return (i + N - 1) % N;
}
static int
number_after(int i) {
  return (i + 1) % N;
}

/* Read on copies. */
static void
read_by_others(void) {
  op_dat x = zeros(cells, "x1"), r = zeros(cells, "r1");
  op_par_loop(own, "own", cells, op_arg_idx(-1, OP_ID), OWN(x, OP_WRITE));
  op_par_loop(swap_add, "swap_add", edges, VIA(x, 0, ends, OP_READ),
              VIA(x, 1, ends, OP_READ), VIA(r, 0, ends, OP_INC),
              VIA(r, 1, ends, OP_INC));
  op_fetch_data(r, got);
  for (int i = 0; i < N; i++)
    CHECK_INT(got[i], number_before(i) + number_after(i));
}

/* Its reader runs over copies, so that what others get is complete. */
static void
added_by_others(void) {
  op_dat x = zeros(edges, "x2"), r = zeros(cells, "r2");
  op_par_loop(own, "own", edges, op_arg_idx(-1, OP_ID), OWN(x, OP_WRITE));
  op_par_loop(add, "add", edges, OWN(x, OP_READ), VIA(r, 0, ends, OP_INC),
              VIA(r, 1, ends, OP_INC));
  op_fetch_data(r, got);
  for (int i = 0; i < N; i++) CHECK_INT(got[i], i + number_before(i));
}

/* The loop itself runs over copies. */
static void
made_beside_sums(void) {
  op_dat x = zeros(edges, "x3"), r = zeros(cells, "r3"), y = zeros(cells, "y3");
  op_par_loop(own_and_add, "own_and_add", edges, op_arg_idx(-1, OP_ID),
              OWN(x, OP_WRITE), VIA(r, 0, ends, OP_INC),
              VIA(r, 1, ends, OP_INC));
  for (int times = 1; times < 3; times++) { /* also in a later flush */
    op_par_loop(look, "look", cells, VIA(x, 0, before, OP_READ), OWN(y, OP_RW));
    op_fetch_data(y, got);
    for (int i = 0; i < N; i++) CHECK_INT(got[i], times * number_before(i));
  }
  op_fetch_data(r, got);
  for (int i = 0; i < N; i++) CHECK_INT(got[i], 2);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  ranks = check_ranks();
  op_rank(&rank);
  declare();
  read_by_others();
  added_by_others();
  made_beside_sums();
  return check_end();
}
