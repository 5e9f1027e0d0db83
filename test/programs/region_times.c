/* The timing table: each region counts once a run, has taken some time, by the clock of
 * where it ran, and all together no more than went by. */
#include "check.h"

#include "op_lib_core.h"

#include <math.h>

enum { N = 20000, ROUNDS = 10 };

static void
scale(const double *a, double *b) {
  *b = sqrt(*a) + 1;
}

static void
grow(const double *b, double *a, double *sum) {
  *a += *b;
  *sum += *b;
}

static const op_kernel *
line(const char *name) {
  for (int k = 0; k < OP_kern_max; k++)
    if (!strcmp(OP_kernels[k].name, name)) return &OP_kernels[k];
  return NULL;
}

/* Flushed one by one, so that no two share a region. */
static void
run(op_set set, op_dat a, op_dat b, double *sum) {
  op_par_loop(scale, "scale", set,
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op2_flush();
  op_par_loop(grow, "grow", set, op_arg_dat(b, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(sum, 1, "double", OP_INC));
}

int
main(int argc, char **argv) {
  double cpu, begin, end, sum = 0, all = 0;
  check_start(argc, argv);
  static double start[N];
  for (int k = 0; k < N; k++) start[k] = k;
  op_set set = op_decl_set(N, "set");
  op_dat a = op_decl_dat(set, 1, "double", start, "a");
  op_dat b = op_decl_dat(set, 1, "double", start, "b");
  op_timers(&cpu, &begin);
  for (int k = 0; k < ROUNDS; k++) run(set, a, b, &sum);
  op_timing_output();
  op_timers(&cpu, &end);
  CHECK(line("scale") && line("grow"));
  CHECK(line("scale")->count == ROUNDS && line("grow")->count == ROUNDS);
  CHECK(line("scale")->time > 0 && line("grow")->time > 0);
  for (int k = 0; k < OP_kern_max; k++) all += OP_kernels[k].time;
  CHECK(all <= (end - begin) * 1.01 + 1e-4); /* clocks differ a little */
  CHECK(isfinite(sum) && sum > N);
  double before = line("scale")->time;
  op_timing_output(); /* again: nothing counts twice */
  CHECK(line("scale")->count == ROUNDS && line("scale")->time == before);
  return check_end();
}
