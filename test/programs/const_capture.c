/* Constants are captured at the call: one that changes between two queued loops
 * gives each loop its own value, whether it was declared or not; the kernel's
 * global counts, not a local of the same name that was declared in its
 * place. */
#include "check.h"

enum { N = 64, TABLE = 1500 };

static int scale = 3, table[4] = {1, 2, 3, 4}, big[TABLE];
int not_declared = 100;

static void
use(int *a) {
  *a += scale + table[2];
}
static void
use_other(int *a) {
  *a += not_declared;
}
/* More than 4 KiB, indexed by data: cannot be folded. */
static void
use_big(const int *e, int *a) {
  *a += big[*e * 17 % TABLE];
}

/* Their constants begin to change one after the other, in either order. */
static int first[2] = {1, 2}, second[2] = {3, 4};
static void
use_pair(int *a) {
  *a += first[0] + 10 * second[0];
}
static void
use_turned(int *a) {
  *a += second[1] + 10 * first[1];
}

static op_set s;
static op_dat a;

static void
loops(void) {
  op_par_loop(use, "use", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
  op_par_loop(use_other, "use_other", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
  op_par_loop(use_big, "use_big", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
}

static void
pairs(int *want) {
  for (int round = 0; round < 3; round++) {
    if (round >= 1) second[0] += 7, second[1] += 5;
    if (round >= 2) first[0] += 11, first[1] += 13;
    op_par_loop(use_pair, "use_pair", s,
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
    op_par_loop(use_turned, "use_turned", s,
                op_arg_dat(a, -1, OP_ID, 1, "int", OP_INC));
    for (int e = 0; e < N; e++)
      want[e] += first[0] + 10 * second[0] + second[1] + 10 * first[1];
  }
}

static void
expect(int *want) {
  for (int e = 0; e < N; e++)
    want[e] += scale + table[2] + not_declared + big[e * 17 % TABLE];
}

int
main(int argc, char **argv) {
  int out[N], want[N] = {0};
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op_decl_const(1, "int", &scale);
  op_decl_const(4, "int", table);
  {
    int scale = 77; /* shadows; the kernel still means the global */
    op_decl_const(1, "int", &scale);
  }
  for (int round = 0; round < 4; round++) {
    scale = 3 + round;
    table[2] = round * round;
    not_declared -= 13;
    for (int i = 0; i < TABLE; i++) big[i] = i * round;
    if (round == 2) op_decl_const(4, "int", table);
    loops();
    expect(want);
  }
  pairs(want);
  CHECK_PENDING(18);
  scale = table[2] = not_declared = -1;
  first[0] = first[1] = second[0] = second[1] = -1;
  memset(big, 0, sizeof big);
  op_fetch_data(a, out);
  CHECK_INTS(out, want, N);
  return check_end();
}
