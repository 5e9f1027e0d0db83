/* Steps that each declare something of a new name, or make a recording that was
 * never there before, leave nothing behind: what the library holds after many
 * steps is what it held after few. Counted in bytes on the heap; in time only for maps,
 * which stay: the best of some batches may not take many times as long. */
#include "check.h"
#include "heap.h"

#include <time.h>

enum { N = 50, C = 10, FEW = 60, MANY = 360, MAPS = 30000 };

static void
put(const int *x, int *t) {
  *t = *x * 2;
}
static void
take(const int *t, int *x) {
  *x = *t / 2 + 1;
}
static void
take_all(const int *t, int *x) {
  *x = t[0] / 2 + 1;
}
static void
deposit(const int *q, int *r) {
  *r += *q;
}
static void
zero(int *r) {
  *r = 0;
}
static void
count(int *n) {
  *n += 1;
}

static op_set s, c;
static op_dat x, sums;
static long long room =
    96 << 10; /* of what grows to some size and stays there */

static void
expect_x(int want) {
  int got[N];
  op_fetch_data(x, got);
  for (int e = 0; e < N; e++) CHECK_INT(got[e], want);
}

/* A temporary of a new name in each step. */
static void
new_temporary(int step) {
  char name[32];
  snprintf(name, sizeof name, "tmp%d", step);
  op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, name);
  CHECK(!strcmp(t->name, name));
  op_par_loop(put, "put", s, op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(take, "take", s, op_arg_dat(t, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_WRITE));
  CHECK_INT(op_free_dat_temp(t), 0);
  op2_flush();
}

/* One of a new shape, which few programs have; loops only read it. */
static void
new_shape(int step) {
  int dim = 1 + step;
  op_dat t = op_decl_dat_temp(s, dim, "int", (int *)NULL, "shape");
  op_par_loop(take_all, "take_all", s,
              op_arg_dat(t, -1, OP_ID, dim, "int", OP_READ),
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_WRITE));
  CHECK_INT(op_free_dat_temp(t), 0);
  op2_flush();
}

/* Temporaries and globals of shapes that no loop ever sees. */
static void
unused(int step) {
  char name[32];
  snprintf(name, sizeof name, "unused%d", step);
  op_dat t = op_decl_dat_temp(s, 1 + step, "int", (int *)NULL, name);
  op2_gbl g = op2_decl_gbl(1 + step, "int", NULL, name);
  CHECK_INT(op_free_dat_temp(t), 0);
  op2_free_gbl(g);
}

/* A loop of a new name, and a global of a new name. */
static void
new_loop(int step) {
  char name[32];
  int n;
  snprintf(name, sizeof name, "loop%d", step);
  op2_gbl g = op2_decl_gbl(1, "int", NULL, name);
  op_par_loop(count, name, s, op2_arg_gbl(g, 1, "int", OP_INC));
  op2_gbl_get(g, &n);
  CHECK_INT(n, N);
  op2_free_gbl(g);
}

/* A map that stays, as handles do; what was made for it goes. */
static void
new_map(int step) {
  int table[N], got[C];
  for (int e = 0; e < N; e++) table[e] = (e + step) % C;
  op_map m = op_decl_map(s, c, 1, table, "m");
  op_par_loop(zero, "zero", c, op_arg_dat(sums, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(deposit, "deposit", s,
              op_arg_dat(x, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(sums, 0, m, 1, "int", OP_INC));
  op_fetch_data(sums, got);
  for (int e = 0; e < C; e++) CHECK_INT(got[e], N / C);
}

/* The shortest time of 20 steps, in ticks. */
static long
ticks(void) {
  long best = 0;
  for (int batch = 0; batch < 8; batch++) {
    clock_t begin = clock();
    for (int i = 0; i < 20; i++) new_map(i);
    long took = (long)(clock() - begin);
    if (!batch || took < best) best = took;
  }
  return best + 1;
}

static void
steps_beside_many_maps(void) {
  int table[N] = {0}, maps = heap_steps(FEW, MAPS);
  long few = ticks();
  for (int i = 0; i < maps; i++) op_decl_map(s, c, 1, table, "idle");
  long many = ticks();
  if (many > 4 * few)
    check_fail(__FILE__, __LINE__,
               "20 steps took %ld ticks, and %ld beside "
               "%d idle maps",
               few, many, maps);
}

#define CHECK_SMALL(bytes, most)                                               \
  do {                                                                         \
    long long bytes_ = (bytes);                                                \
    if (bytes_ > (most))                                                       \
      check_fail(__FILE__, __LINE__, "%lld bytes have stayed of %s", bytes_,   \
                 #bytes);                                                      \
  } while (0)

int
main(int argc, char **argv) {
  int ones[N], many = heap_steps(FEW, MANY);
  if (check_ranks() > 1) room = 512 << 10; /* MPI's own tables, too */
  if (check_device())
    room = 2 << 20; /* its driver's, which keeps events of regions */
  setenv("OP2_PROGRAMS", "10", 1);
  setenv("OP2_TIERS", "never", 1); /* what is under way is on the heap, too */
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  c = op_decl_set(C, "c");
  for (int e = 0; e < N; e++) ones[e] = 1;
  x = op_decl_dat(s, 1, "int", ones, "x");
  sums = op_decl_dat(c, 1, "int", (int *)NULL, "sums");

  long long programs = op2_counter("programs");
  CHECK_SMALL(heap_grown(new_temporary, FEW, many), room);
  CHECK(op2_counter("programs") - programs <= 4);
  expect_x(many + 1);
  long long last =
      2 * N * many * (long long)sizeof(int); /* of the last shape */
  CHECK_SMALL(heap_grown(unused, FEW, many), room + last);
  CHECK_SMALL(heap_grown(new_loop, FEW, many), room);
  heap_grown(new_shape, 0, 24);
  expect_x(1);
  CHECK(op2_counter("programs_dropped") > 0);
  if (check_ranks() > 1) return check_end(); /* each map is spread anew */
  /* each its table, and what says of what it is, how its rows lie, its name */
  long long own = (long long)(many - FEW) * (N * (long long)sizeof(int) + 640);
  CHECK_SMALL(heap_grown(new_map, FEW, many), own + room);
  steps_beside_many_maps();
  return check_end();
}
