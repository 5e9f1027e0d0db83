/* A loop that only copies becomes a second name: counted, and no data move. A kernel
 * that is given both names, and changes one in place, reads the old value under the
 * other. */
#include "check.h"

enum { N = 5000, STEPS = 6 };

static void
save(const double *q, double *qold) {
  for (int c = 0; c < 4; c++) qold[c] = q[c];
}
static void
update(const double *qold, double *q) {
  for (int c = 0; c < 4; c++) q[c] = 2 * qold[c];
}

static void
step(const double *old, double *now, double *out) {
  for (int c = 0; c < 4; c++) {
    now[c] += 1;
    out[c] = old[3 - c];
  }
}
static void
clear(double *q) {
  for (int c = 0; c < 4; c++) q[c] = 0;
}

/* Nobody wants the old name behind the loop, so that it works in place. */
static void
both_names(op_set s, const double *start) {
  static double out[4 * N];
  op_dat now = op_decl_dat(s, 4, "double", (double *)start, "now");
  op_dat old = op_decl_dat(s, 4, "double", (double *)NULL, "old");
  op_dat kept = op_decl_dat(s, 4, "double", (double *)NULL, "kept");
  op_par_loop(save, "save", s, op_arg_dat(now, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(old, -1, OP_ID, 4, "double", OP_WRITE));
  op_par_loop(step, "step", s, op_arg_dat(old, -1, OP_ID, 4, "double", OP_READ),
              op_arg_dat(now, -1, OP_ID, 4, "double", OP_RW),
              op_arg_dat(kept, -1, OP_ID, 4, "double", OP_WRITE));
  op_par_loop(clear, "clear", s,
              op_arg_dat(old, -1, OP_ID, 4, "double", OP_WRITE));
  op2_flush();
  op_fetch_data(kept, out);
  for (int i = 0; i < 4 * N; i++)
    CHECK_REAL(out[i], start[i - i % 4 + 3 - i % 4]);
  op_fetch_data(now, out);
  for (int i = 0; i < 4 * N; i++) CHECK_REAL(out[i], start[i] + 1);
}

int
main(int argc, char **argv) {
  static double start[4 * N], out[4 * N];
  check_start(argc, argv);
  for (int i = 0; i < 4 * N; i++) start[i] = i;
  op_set s = op_decl_set(N, "s");
  op_dat q = op_decl_dat(s, 4, "double", start, "q");
  op_dat qold = op_decl_dat(s, 4, "double", (double *)NULL, "qold");
  op2_counters_reset();
  for (int i = 0; i < STEPS; i++) {
    op_par_loop(save, "save", s, op_arg_dat(q, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(qold, -1, OP_ID, 4, "double", OP_WRITE));
    op_par_loop(update, "update", s,
                op_arg_dat(qold, -1, OP_ID, 4, "double", OP_READ),
                op_arg_dat(q, -1, OP_ID, 4, "double", OP_WRITE));
    op2_flush();
  }
  /* kernels without IR prove no copy */
  bool names = check_ir() && !check_disabled("rename");
  CHECK_INT(op2_counter("renames"), names ? STEPS : 0);
  CHECK_INT(op2_counter("copies"), 0);
  op_fetch_data(q, out);
  for (int i = 0; i < 4 * N; i++) CHECK(out[i] == start[i] * (1 << STEPS));
  op_fetch_data(qold, out);
  for (int i = 0; i < 4 * N; i++)
    CHECK(out[i] == start[i] * (1 << (STEPS - 1)));
  both_names(s, start);
  return check_end();
}
