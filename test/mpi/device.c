/* Loops on the host and on a device in turn, over ranks: data follow, and halos go
 * from wherever the values are. Ranks of one machine take its devices in turn. A
 * device that one rank does not find is an error on all.
 *
 * RUN: 2 OP2_TARGET=opencl
 * RUN: 3 OP2_TARGET=opencl OP2_EAGER=1
 * RUN: 4 OP2_TARGET=opencl OP2_CHECK=1 SLICE=skew
 * RUN: 3 OP2_TARGET=opencl OP2_HALO_LIMIT=6
 */
#define _GNU_SOURCE 1 /* setenv */
#include "slice.h"

#include "../programs/check.h"

enum { N = 300, ROUNDS = 12 };

static op_set links, points;
static op_map ends;
static int errors;
static char text[1024];

static void
note(int status, const char *message, void *user) {
  (void)user;
  errors += status != OP2_OK;
  snprintf(text, sizeof text, "%s", message);
}

static void
flow(const double *x, const double *y, double *to_x, double *to_y) {
  *to_x += *y - *x;
  *to_y += *x - *y;
}
static void
move(double *u, double *change, float *sum, int *count) {
  *u += 0.25 * *change;
  *change = 0;
  sum[0] += 1;
  sum[2] -= 1;
  *count += 1;
}

/* Which target round k's loops take: three in a row. */
static const char *
target_of(int k) {
  static const char *const names[] = {"openmp", "opencl", "seq", "opencl:1"};
  return names[k % 4];
}

static void
play(op_dat u, op_dat change, op_dat sum, int *count) {
  double found[N];
  for (int k = 0; k < ROUNDS; k++) {
    CHECK_INT(op2_target_push(target_of(k)), OP2_OK);
    op_par_loop(flow, "flow", links,
                op_arg_dat(u, 0, ends, 1, "double", OP_READ),
                op_arg_dat(u, 1, ends, 1, "double", OP_READ),
                op_arg_dat(change, 0, ends, 1, "double", OP_INC),
                op_arg_dat(change, 1, ends, 1, "double", OP_INC));
    if (k % 3 == 2) op2_target_pop();
    op_par_loop(move, "move", points,
                op_arg_dat(u, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(change, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(sum, -1, OP_ID, 3, "float", OP_INC),
                op_arg_gbl(count, 1, "int", OP_INC));
    if (k % 3 != 2) op2_target_pop();
    if (k % 5 == 4) op_fetch_data(u, found);
  }
}

static void
check(op_dat u, op_dat sum, const double *start, int count) {
  double now[N], next[N], found[N];
  float sums[3 * N];
  memcpy(now, start, sizeof now);
  for (int k = 0; k < ROUNDS; k++) {
    for (int e = 0; e < N; e++)
      next[e] = now[e] +
                0.25 * (now[(e + 1) % N] - 2 * now[e] + now[(e + N - 1) % N]);
    memcpy(now, next, sizeof now);
  }
  op_fetch_data(u, found);
  op_fetch_data(sum, sums);
  for (int e = 0; e < N; e++) {
    CHECK_NEAR(found[e], now[e], 1e-12);
    CHECK_REAL(sums[3 * e], ROUNDS);
    CHECK_REAL(sums[3 * e + 2], -ROUNDS);
  }
  CHECK_INT(count, ROUNDS * N);
}

static void
missing(void) {
  int rank;
  op_rank(&rank);
  op2_set_error_handler(note, NULL);
  CHECK(op2_target_push(rank == 1 ? "opencl:77" : "opencl:0") != OP2_OK);
  CHECK_INT(errors, 1);
  CHECK(strstr(text, "looked for device 77") != NULL);
  CHECK(rank == 1 || strstr(text, "rank 1: ") != NULL);
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  int table[2 * N], count = 0;
  double init[N];
  setenv("POCL_DEVICES", "pthread pthread", 1); /* PoCL: two devices */
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    table[2 * e] = e;
    table[2 * e + 1] = (e + 1) % N;
    init[e] = e * (N - e) % 17;
  }
  links = op_decl_set(N, "links");
  points = op_decl_set(N, "points");
  ends = op_decl_map(links, points, 2, table, "ends");
  op_dat u = op_decl_dat(points, 1, "double", init, "u");
  op_dat change = op_decl_dat(points, 1, "double", (double *)NULL, "change");
  op_dat sum = op_decl_dat(points, 3, "float", (float *)NULL, "sum");
  missing();
  play(u, change, sum, &count);
  check(u, sum, init, count);
  return check_end();
}
