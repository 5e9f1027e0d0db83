/* An access is what the kernel's IR proves, whatever the loop declares: each loop
 * here declares something else than its kernel does, and must give what running it
 * element by element gives. */
#include "check.h"

enum { N = 500, NODES = N / 2 };

struct vec {
  double x, y;
};

static op_set cells, nodes;
static op_map near, far;
static op_dat x, y, v, total;

/* ---- dats ------------------------------------------------------------------ */

static void
put(int *a) {
  *a = 1000;
}
static void
add_to_old(int *a) {
  int old = *a;
  *a = old + 1;
}
static void
keep_greater(const int *a, int *b) {
  if (*a > *b) *b = *a;
}
static void
add_bytes(const int *a, int *b) {
  unsigned char *low = (unsigned char *)b;
  low[0] += 200;
  low[1] += (unsigned char)(*a & 1);
}
static void
add_vec(const struct vec *a, struct vec *b) {
  b->x += a->x;
  b->y -= a->y;
}
static void
add_then_copy(int *a, int *b) {
  *a += 1;
  *b = *a + 2 * *b;
}

/* OP_WRITE that reads; the loop that made the old values is needed. */
static void
write_reads(void) {
  int out[N];
  op_par_loop(put, "put", cells, op_arg_dat(x, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(add_to_old, "add_to_old", cells,
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(x, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 1001);
}

/* OP_INC that keeps the greater value, beside a dat that is declared OP_RW and
 * only read. */
static void
inc_assigns(void) {
  int out[NODES], in[N];
  op_par_loop(keep_greater, "keep_greater", cells,
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_RW),
              op_arg_dat(total, 0, near, 1, "int", OP_INC));
  op_fetch_data(total, out);
  op_fetch_data(y, in);
  for (int n = 0; n < NODES; n++)
    CHECK_INT(out[n], in[2 * n] > in[2 * n + 1] ? in[2 * n] : in[2 * n + 1]);
}

/* OP_INC on an int where bytes are added to: no carry from one to the next. */
static void
inc_of_another_type(void) {
  int in[N], before[NODES], out[NODES];
  op_fetch_data(total, before);
  op_fetch_data(y, in);
  op_par_loop(add_bytes, "add_bytes", cells,
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(total, 0, near, 1, "int", OP_INC));
  op_fetch_data(total, out);
  for (int n = 0; n < NODES; n++) {
    for (int e = 2 * n; e < 2 * n + 2; e++) add_bytes(&in[e], &before[n]);
    CHECK_INT(out[n], before[n]);
  }
}

/* OP_INC on the program's own type. */
static void
inc_of_a_struct(void) {
  struct vec in[N], out[NODES];
  op_dat sum = op_decl_dat_temp(nodes, 1, "vec", (struct vec *)NULL, "sum");
  op_par_loop(add_vec, "add_vec", cells,
              op_arg_dat(v, -1, OP_ID, 1, "vec", OP_READ),
              op_arg_dat(sum, 0, near, 1, "vec", OP_INC));
  op_fetch_data(sum, out);
  op_fetch_data(v, in);
  for (int n = 0; n < NODES; n++) {
    CHECK_REAL(out[n].x, in[2 * n].x + in[2 * n + 1].x);
    CHECK_REAL(out[n].y, -in[2 * n].y - in[2 * n + 1].y);
  }
  op_free_dat_temp(sum);
}

/* One dat in two arguments that do different things with it: in order, and where
 * both meet in one element they see each other. */
static void
mixed(void) {
  int want[NODES], out[NODES];
  op_fetch_data(total, want);
  op_par_loop(add_then_copy, "add_then_copy", cells,
              op_arg_dat(total, 0, near, 1, "int", OP_INC),
              op_arg_dat(total, 0, far, 1, "int", OP_RW));
  op_fetch_data(total, out);
  for (int e = 0; e < N; e++)
    add_then_copy(&want[e / 2], &want[(e * 7 + 3) % NODES]);
  for (int n = 0; n < NODES; n++) CHECK_INT(out[n], want[n]);
}

/* ---- globals --------------------------------------------------------------- */

static void
place_of_least(const int *a, const int *e, int *least, int *at) {
  if (*a < *least) {
    *least = *a;
    *at = *e;
  }
}
static void
steps_up(const int *a, int *most, int *n) {
  if (*a > *most) {
    *most = *a;
    ++*n;
  }
}
static void
below_least(const int *a, int *least, int *b) {
  *b = *a < *least - 3;
  if (*a < *least) *least = *a;
}
static void
count_up(int *g) {
  ++*g;
}
static void
double_all(const int *a, int *g) {
  *g = *g * 2 % 1000 + *a;
}
static void
only_reads(const int *g, int *a) {
  *a += *g;
}

static void
extremes_looked_at(void) {
  int in[N], below[N], least = 1 << 20, most = -1, at = -1, n = 0, low = 400;
  int want[4] = {1 << 20, -1, -1, 0}, want_low = 400;
  op_fetch_data(y, in);
  op_par_loop(place_of_least, "place_of_least", cells,
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&least, 1, "int", OP_MIN),
              op_arg_gbl(&at, 1, "int", OP_WRITE));
  op_par_loop(
      steps_up, "steps_up", cells, op_arg_dat(y, -1, OP_ID, 1, "int", OP_READ),
      op_arg_gbl(&most, 1, "int", OP_MAX), op_arg_gbl(&n, 1, "int", OP_INC));
  op_par_loop(below_least, "below_least", cells,
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&low, 1, "int", OP_MIN),
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(x, below);
  for (int e = 0; e < N; e++) {
    int b;
    place_of_least(&in[e], &e, &want[0], &want[1]);
    steps_up(&in[e], &want[2], &want[3]);
    below_least(&in[e], &want_low, &b);
    CHECK_INT(below[e], b);
  }
  CHECK_INT(least, want[0]);
  CHECK_INT(at, want[1]);
  CHECK_INT(most, want[2]);
  CHECK_INT(n, want[3]);
  CHECK_INT(low, want_low);
}

/* Kernels that store to what is declared OP_READ, or never to what is not. */
static void
globals(void) {
  int counted = 5, series = 1, kept = 3, want = 1, in[N], before[N], out[N];
  op_fetch_data(y, in);
  op_fetch_data(x, before);
  /* without IR a kernel gets a copy of a global that it only reads */
  if (check_ir()) {
    op_par_loop(count_up, "count_up", cells,
                op_arg_gbl(&counted, 1, "int", OP_READ));
    CHECK_INT(counted, 5 + N);
  }
  op_par_loop(double_all, "double_all", cells,
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&series, 1, "int", OP_INC));
  for (int e = 0; e < N; e++) double_all(&in[e], &want);
  CHECK_INT(series, want);
  op_par_loop(only_reads, "only_reads", cells,
              op_arg_gbl(&kept, 1, "int", OP_WRITE),
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_INC));
  CHECK_INT(kept, 3);
  op_fetch_data(x, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], before[e] + 3);
}

int
main(int argc, char **argv) {
  static int table[N], other[N], init[N];
  static struct vec pairs[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    table[e] = e / 2;
    other[e] = (e * 7 + 3) % NODES;
    init[e] = (e * 37 + 11) % 499;
    pairs[e] = (struct vec){e, 3 * e};
  }
  cells = op_decl_set(N, "cells");
  nodes = op_decl_set(NODES, "nodes");
  near = op_decl_map(cells, nodes, 1, table, "near");
  far = op_decl_map(cells, nodes, 1, other, "far");
  x = op_decl_dat(cells, 1, "int", (int *)NULL, "x");
  y = op_decl_dat(cells, 1, "int", init, "y");
  v = op_decl_dat(cells, 1, "vec", pairs, "v");
  total = op_decl_dat(nodes, 1, "int", (int *)NULL, "total");
  write_reads();
  inc_assigns();
  inc_of_another_type();
  inc_of_a_struct();
  if (check_ranks() == 1) mixed(); /* each rank has an order of its own */
  extremes_looked_at();
  globals();
  return check_end();
}
