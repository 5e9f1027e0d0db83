/* Global arguments whose memory overlaps, with each other or with a dat's: the
 * kernel meets what it stores, as it would if it were called on the memory itself. */
#include "check.h"

enum { N = 200 };

static op_set cells;
static op_dat x;
static int table[N];

static void
add_both(const int *a, int *s, int *t) {
  *s += *a;
  *t += 10 * *a;
}
static void
add_pairs(const int *a, int *s, int *t) {
  s[0] += *a;
  s[1] += 2 * *a;
  t[0] += *a;
  t[1] += 3 * *a;
}
static void
last_plus(const int *old, const int *a, int *s) {
  *s = *old % 1000 + *a;
}
static void
least_with(const int *a, const int *e, int *least, int *at, int *n) {
  if (*a < *least) {
    *least = *a;
    *at = *e;
  }
  *n += *least;
}
static void
triple(const int *e, int *t) {
  *t = 3 * *e;
}
static void
look_up(const int *e, int *y) {
  *y = table[*e % N] + 1;
}
static void
look_at(const int *t, int *y) {
  *y = *t;
}

static void
same_pointer(const int *in) {
  int s = 5, t = 7, want_s = 5, want_t = 7, v[3] = {0}, want_v[3] = {0};
  for (int k = 0; k < 3; k++) { /* apart, then the same, then apart again */
    int *second = k == 1 ? &s : &t, *want = k == 1 ? &want_s : &want_t;
    op_par_loop(add_both, "add_both", cells,
                op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
                op_arg_gbl(&s, 1, "int", OP_INC),
                op_arg_gbl(second, 1, "int", OP_INC));
    for (int e = 0; e < N; e++) add_both(&in[e], &want_s, want);
    CHECK_INT(s, want_s);
    CHECK_INT(t, want_t);
  }
  op_par_loop(add_pairs, "add_pairs", cells,
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&v[1], 2, "int", OP_INC),
              op_arg_gbl(&v[0], 2, "int", OP_INC));
  for (int e = 0; e < N; e++) add_pairs(&in[e], &want_v[1], &want_v[0]);
  for (int i = 0; i < 3; i++) CHECK_INT(v[i], want_v[i]);
}

/* What is read is what the other argument wrote. */
static void
read_and_written(const int *in) {
  int s = 3, want = 3;
  op_par_loop(last_plus, "last_plus", cells, op_arg_gbl(&s, 1, "int", OP_READ),
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&s, 1, "int", OP_WRITE));
  for (int e = 0; e < N; e++) last_plus(&want, &in[e], &want);
  CHECK_INT(s, want);
}

/* A payload beside overlapping arguments. */
static void
payload(const int *in) {
  int least = 1 << 20, at = -1, want[2] = {1 << 20, -1};
  op_par_loop(least_with, "least_with", cells,
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&least, 1, "int", OP_MIN),
              op_arg_info(&at, 1, "int", 2), op_arg_gbl(&at, 1, "int", OP_INC));
  for (int e = 0; e < N; e++)
    least_with(&in[e], &e, &want[0], &want[1], &want[1]);
  CHECK_INT(least, want[0]);
  CHECK_INT(at, want[1]);
}

/* A dat that lies in the program's memory, which a kernel mentions by name, or which
 * is a global argument. */
static void
memory_of_a_dat(void) {
  int out[N];
  op_dat t = op_decl_dat(cells, 1, "int", table, "t");
  for (int k = 0; k < 2; k++) {
    op_par_loop(triple, "triple", cells, op_arg_idx(-1, OP_ID),
                op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
    if (k == 0)
      op_par_loop(look_up, "look_up", cells, op_arg_idx(-1, OP_ID),
                  op_arg_dat(x, -1, OP_ID, 1, "int", OP_WRITE));
    else
      op_par_loop(look_at, "look_at", cells,
                  op_arg_gbl(&table[9], 1, "int", OP_READ),
                  op_arg_dat(x, -1, OP_ID, 1, "int", OP_WRITE));
    op_fetch_data(x, out);
    for (int e = 0; e < N; e++) CHECK_INT(out[e], k ? 27 : 3 * e + 1);
    for (int e = 0; e < N; e++) table[e] = -1;
    op_upload_dat(t);
  }
}

int
main(int argc, char **argv) {
  char *args[] = {argv[0], "OP_NO_REALLOC", NULL};
  static int init[N], in[N];
  (void)argc;
  check_start(2, args);
  for (int e = 0; e < N; e++) in[e] = init[e] = (e * 37 + 5) % 101;
  cells = op_decl_set(N, "cells");
  x = op_decl_dat(cells, 1, "int", init, "x");
  same_pointer(in);
  read_and_written(in);
  if (check_ir()) payload(in); /* order of elements and what else is written */
  /* on several ranks dats lie in memory of the library's */
  if (check_ir() && check_ranks() == 1) memory_of_a_dat();
  return check_end();
}
