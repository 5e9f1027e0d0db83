/* What programs about looks share: a ring of elements in parts, loops on it, and
 * ways to go, one of which LOOKS names. Each program has a main of its own. */
#ifndef TEST_MPI_RING_H
#define TEST_MPI_RING_H

#include "op2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12 };

static void
add_next(const int *next, int *b) {
  *b += *next;
}
static void
add(const int *a, int *b) {
  *b += *a;
}
static void
take(const int *from, int *to) {
  *to = *from;
}
static void
total(const int *a, int *sum) {
  *sum += *a;
}
static int rank, bad;
static void
expect(int line, const char *what, long found, long expected) {
  if (found != expected && !bad++)
    printf("line %d, rank %d: %s is %ld, expected %ld\n", line, rank, what,
           found, expected);
}
#define EXPECT(found, expected) expect(__LINE__, #found, (found), (expected))

static op_set s;
static op_map next;
static op_dat a, b, c;
static int first, size; /* this rank's rows; all */

/* a[g] = g + 1; b, c: 0. */
static void
ring_start(int argc, char **argv) {
  const char *declare = getenv("OP2_DECLARE");
  int whole = declare && !strcmp(declare, "whole");
  op_init(argc, argv, 0);
  op_rank(&rank);
  int table[N], ones[N], zero[N] = {0};
  op_set probe = op_decl_set(1, "probe");
  size = (whole ? 1 : op_get_size(probe)) * N;
  first = whole ? 0 : rank * N;
  for (int e = 0; e < N; e++) {
    ones[e] = first + e + 1;
    table[e] = (first + e + 1) % size;
  }
  s = op_decl_set(N, "s");
  next = op_decl_map(s, s, 1, table, "next");
  a = op_decl_dat(s, 1, "int", ones, "a");
  b = op_decl_dat(s, 1, "int", zero, "b");
  c = op_decl_dat(s, 1, "int", zero, "c");
}

struct ring_way {
  const char *name;
  void (*run)(void);
};

/* What main returns. */
static int
ring_play(const struct ring_way *ways, size_t n) {
  const char *way = getenv("LOOKS");
  bad = 1; /* unless it is one of these */
  for (size_t k = 0; way && k < n; k++) {
    if (strcmp(way, ways[k].name)) continue;
    bad = 0;
    ways[k].run();
  }
  op_exit();
  if (!bad) printf("ok\n");
  return bad != 0;
}

#endif
