/* op2_free of boxes, grids and rules: loops that wait keep them, what comes in their
 * place is another, and a program that frees what it declares does not grow. */
#include "check.h"
#include "errors.h"
#include "heap.h"

enum { N = 30, FEW = 30, MANY = 90, PLAIN = 5000 };

static void
put(const int *value, int *x) {
  *x = *value;
}
static void
spread(const int *value, const int *e, int *x) {
  *x = *value + *e;
}
static void
sum3(int **x, int *out) {
  *out += x[0][0] + x[1][0] + x[2][0];
}
static void
add(const int *x, int *out) {
  *out += *x;
}

static op_set cells;
static op_dat out;
static int want[N];

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)

static void
check_out(void) {
  int found[N];
  op_fetch_data(out, found);
  CHECK_INTS(found, want, N);
}

/* A box of another size each time; all of it is freed while its loops may wait. */
static void
step_of(int step) {
  int n = 3 + step % 5, at[N];
  op_set box = op2_decl_box(1, (idx_g_t[]){n}, NULL, "box");
  op_map near = op2_decl_map_rule(box, box, 3, (int[]){-1, 0, 1}, "near");
  op_map table = op2_map_materialise(near, "table");
  for (int i = 0; i < n; i++) at[i] = i / 2 * 2;
  op_set some = op2_decl_subset(box, n, at, "some");
  op_dat t = op2_decl_dat_box_temp(box, (int[]){1, 1}, 1, "int", "t");
  op_dat u = op_decl_dat_temp(box, 1, "int", (int *)NULL, "u");
  op_par_loop(put, "put", box, op_arg_gbl(&step, 1, "int", OP_READ),
              OWN(t, OP_WRITE));
  op_par_loop(sum3, "sum", box, op_arg_dat(t, -3, near, 1, "int", OP_READ),
              OWN(u, OP_INC));
  op_par_loop(sum3, "sum_table", some,
              op_arg_dat(t, -3, table, 1, "int", OP_READ), OWN(u, OP_INC));
  if (step % 3 == 0) { /* u = 3 step, twice that in the subset */
    int found[N];
    op_fetch_data(u, found);
    for (int i = 0; i < n; i++)
      CHECK_INT(found[i], i % 2 ? 3 * step : 6 * step);
  }
  CHECK_INT(op_free_dat_temp(t), 0);
  CHECK_INT(op_free_dat_temp(u), 0);
  CHECK_INT(op2_free(table), 0);
  CHECK_INT(op2_free(near), 0);
  CHECK_INT(op2_free(some), 0);
  CHECK_INT(op2_free(box), 0);
}

/* Loops on points around the box alone wait when it is freed. */
static void
step_around(int step) {
  op_set box = op2_decl_box(1, (idx_g_t[]){3 + step % 5}, NULL, "round");
  op_dat t = op2_decl_dat_box_temp(box, (int[]){1, 1}, 1, "int", "t");
  op_dat u = op2_decl_dat_box_temp(box, (int[]){1, 1}, 1, "int", "u");
  op_par_loop(put, "put", box, op_arg_gbl(&step, 1, "int", OP_READ),
              OWN(t, OP_WRITE));
  op_par_loop(add, "add", box, OWN(t, OP_READ), OWN(u, OP_INC));
  CHECK_INT(op_free_dat_temp(t), 0);
  CHECK_INT(op_free_dat_temp(u), 0);
  CHECK_INT(op2_free(box), 0);
  op2_flush();
}

/* Two grids, and the rules between them, of which the first one's goes first. */
static void
step_grid(int step) {
  op_set cell = op2_decl_grid((idx_g_t[]){3, 2}, 2,
                              (int[]){OP2_PERIODIC, OP2_PERIODIC}, "cell");
  op_set edge = op2_decl_grid((idx_g_t[]){3, 2}, 3,
                              (int[]){OP2_PERIODIC, OP2_PERIODIC}, "edge");
  op_map edges = op2_decl_map_grid(cell, edge, "edges");
  op_dat x = op_decl_dat_temp(edge, 1, "int", (int *)NULL, "x");
  op_dat y = op_decl_dat_temp(cell, 1, "int", (int *)NULL, "y");
  op_par_loop(spread, "spread", edge, op_arg_gbl(&step, 1, "int", OP_READ),
              op_arg_idx(-1, OP_ID), OWN(x, OP_WRITE));
  op_par_loop(sum3, "sum", cell, op_arg_dat(x, -3, edges, 1, "int", OP_READ),
              OWN(y, OP_INC));
  CHECK_INT(op2_free(edges), 0);
  int found[12], sum = 0;
  op_fetch_data(y, found);
  for (int e = 0; e < 12; e++) sum += found[e]; /* each edge has two cells */
  CHECK_INT(sum, 2 * (18 * step + 17 * 18 / 2));
  CHECK_INT(op_free_dat_temp(x), 0);
  CHECK_INT(op_free_dat_temp(y), 0);
  CHECK_INT(op2_free(cell), 0);
  CHECK_INT(op2_free(edge), 0);
}

static void
twice(int **x, int *g) {
  *g = x[0][0] + 2 * x[1][0];
}
static void
differ(int **g, int *y) {
  *y += g[1][0] - g[0][0];
}

/* The same loops twice on rules that are freed while they wait the second time, and
 * another rule comes in their place. What the library makes of two of them, so that
 * the first loop is computed where the second one reads, goes when they have run. */
static void
step_inlined(int step) {
  int from[N], at[N];
  static const int turns[] = {OP2_PERIODIC};
  idx_g_t n[] = {N};
  op_set box = op2_decl_box(1, n, turns, "inlined");
  op_map ahead = op2_decl_map_rule(box, box, 2, (int[]){0, 1}, "ahead");
  op_map around = op2_decl_map_rule(box, box, 2, (int[]){-1, 1}, "around");
  for (int e = 0; e < N; e++) from[e] = e * (step % 7 + 1) % 11;
  op_dat x = op_decl_dat_temp(box, 1, "int", (int *)NULL, "from");
  memcpy(op2_dat_data_rw(x), from, sizeof from);
  op_dat y = op_decl_dat_temp(box, 1, "int", (int *)NULL, "y");
  for (int times = 0; times < 2; times++) {
    op_dat g = op_decl_dat_temp(box, 1, "int", (int *)NULL, "g");
    op_par_loop(twice, "twice", box,
                op_arg_dat(x, -2, ahead, 1, "int", OP_READ), OWN(g, OP_WRITE));
    op_par_loop(differ, "differ", box,
                op_arg_dat(g, -2, around, 1, "int", OP_READ), OWN(y, OP_RW));
    CHECK_INT(op_free_dat_temp(g), 0);
    if (times) {
      CHECK_INT(op2_free(around), 0);
      CHECK_INT(op2_free(ahead), 0);
      op_map other = op2_decl_map_rule(box, box, 2, (int[]){3, 4}, "other");
      CHECK_INT(op2_free(other), 0);
    }
    op2_flush();
  }
  op_fetch_data(y, at);
  for (int e = 0; e < N; e++) {
    int *v = from, w = (e + N - 1) % N, o = (e + 1) % N, p = (e + 2) % N;
    CHECK_INT(at[e], 2 * (v[o] + 2 * v[p] - v[w] - 2 * v[e]));
  }
  CHECK_INT(op_free_dat_temp(y), 0);
  CHECK_INT(op_free_dat_temp(x), 0);
  CHECK_INT(op2_free(box), 0);
}

/* No loop ever sees them. */
static void
step_plain(int step) {
  idx_g_t n[] = {3 + step % 5, 4};
  op_set box = op2_decl_box(2, n, NULL, "plain");
  op_map by = op2_decl_map_rule(box, box, 2, (int[]){-1, 0, 0, 2}, "plain_by");
  op_map table = op2_map_materialise(by, "plain_table");
  op_dat t =
      op2_decl_dat_box_temp(box, (int[]){1, 1, 0, 2}, 1, "int", "plain_t");
  op_free_dat_temp(t);
  op2_free(by);
  op2_free(table);
  op2_free(box);
}

/* Another box in its place has other neighbours and another halo. */
static void
another(void) {
  for (int k = 0; k < 4; k++) {
    op_set box = op2_decl_box(1, (idx_g_t[]){N}, NULL, "place");
    op_map by = op2_decl_map_rule(box, box, 1, (int[]){k % 2 ? 1 : -1}, "by");
    op_dat t = op2_decl_dat_box_temp(box, (int[]){2, 2}, 1, "int", "place_t");
    op_map here = op2_decl_map_composed(by, by, "two");
    CHECK(!here); /* rules are for loops */
    int *x = op2_dat_data_rw(t);
    for (int i = 0; i < N + 4; i++) x[i] = i - 2;
    int to[N];
    for (int e = 0; e < N; e++) to[e] = e;
    op_map into = op_decl_map(box, cells, 1, to, k % 2 ? "up" : "down");
    op_par_loop(add, "add", box, op_arg_dat(t, 0, by, 1, "int", OP_READ),
                op_arg_dat(out, 0, into, 1, "int", OP_INC));
    for (int e = 0; e < N; e++) want[e] += k % 2 ? e + 1 : e - 1;
    CHECK_INT(op_free_dat_temp(t), 0);
    CHECK_INT(op2_free(by), 0);
  }
  errors -= 4;
  check_out();
}

static void
expect(void *handle, const char *text) {
  static int wrong;
  CHECK_INT(op2_free(handle), OP2_ERR_ARG);
  CHECK_INT(errors, ++wrong);
  if (strstr(message, text)) return;
  puts(message);
  CHECK(!"another message");
}

static void
refused(void) {
  op_set box = op2_decl_box(1, (idx_g_t[]){N}, NULL, "kept");
  op_dat t = op2_decl_dat_box_temp(box, (int[]){1, 0}, 1, "int", "kept_t");
  expect(box, "set \"kept\": expected no dat on it, found \"kept_t\"");
  op_map by = op2_decl_map_rule(box, box, 1, (int[]){0}, "kept_by");
  CHECK_INT(op_free_dat_temp(t), 0);
  expect(box, "box \"kept\": expected no rule from it or to it, found "
              "\"kept_by\"");
  op_set some = op2_decl_subset(box, 1, (int[]){3}, "kept_some");
  CHECK_INT(op2_free(by), 0);
  expect(by, "found a freed");
  expect(box, "expected no set made of it, found \"kept_some\"");
  CHECK_INT(op2_free(some), 0);
  op_par_loop(add, "gone", cells, op_arg_dat(out, 0, by, 1, "int", OP_READ),
              OWN(out, OP_INC));
  CHECK_INT(errors, 5);
  CHECK_INT(op2_free(box), 0);
  op_par_loop(put, "gone", box, op_arg_gbl(want, 1, "int", OP_READ),
              OWN(out, OP_WRITE));
  CHECK_INT(errors, 6);
  check_out();
}

static void
check_grown(void (*step)(int), int many, long long room) {
  for (int i = 0; i < FEW; i++) step(i);
  op2_flush();
  long long before = heap_bytes();
  many = heap_steps(FEW, many);
  for (int i = FEW; i < many; i++) step(i);
  op2_flush();
  long long grown = heap_bytes() - before;
  if (grown > room)
    check_fail(__FILE__, __LINE__, "%lld bytes have stayed of %d steps", grown,
               many - FEW);
}

int
main(int argc, char **argv) {
  setenv("OP2_PROGRAMS", "20", 0);
  check_start(argc, argv);
  cells = op_decl_set(N, "cells");
  out = op_decl_dat(cells, 1, "int", (int *)NULL, "out");
  op2_set_error_handler(on_error, NULL);
  check_grown(step_plain, PLAIN, 64 << 10);
  check_grown(step_of, MANY, 4 << 20); /* programs are kept */
  check_grown(step_around, MANY, 4 << 20);
  check_grown(step_inlined, MANY, 4 << 20);
  check_grown(step_grid, MANY, 4 << 20);
  another();
  refused();
  op2_set_error_handler(NULL, NULL);
  return check_end();
}
