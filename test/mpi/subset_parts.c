/* Subsets of parts: indices are those of the rank's part, elements lie with those who
 * own them in the whole set, errors on one rank are errors on all.
 *
 * RUN: 2
 * RUN: 3 PART=RANDOM
 * RUN: 4 OP2_EAGER=1 PART=RANDOM
 */
#include "../programs/check.h"
#include "../programs/errors.h"

enum { N = 40 };

static int rank, ranks, first, owner[N], x[N], got[N];

static void
number(const int *e, const int *global, int *x) {
  *x = 1000 * *global + *e;
}

static void
add(const int *x, int *y) {
  *y += *x;
}

static void
check_direct(op_set part, op_dat dx, op_dat dy) {
  op2_flush();
  long long before = op2_counter("messages");
  for (int step = 0; step < 3; step++)
    op_par_loop(add, "add", part, op_arg_dat(dx, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(dy, -1, OP_ID, 1, "int", OP_RW));
  op2_flush();
  CHECK_INT(op2_counter("messages"), before);
  op_fetch_data(dy, got);
}

int
main(int argc, char **argv) {
  int at[N + 1], k = 0;
  check_start(argc, argv);
  op_rank(&rank);
  ranks = check_ranks();
  first = rank * N;
  op_set set = op_decl_set(N, "set");
  for (int i = 0; i < N; i++) {
    x[i] = first + i;
    owner[i] = (first + i) / 3 % ranks;
    if ((first + i) % (rank + 2) == 0) at[k++] = i;
  }
  op_set part = op2_decl_subset(set, rank == 1 ? 0 : k, at, "part");
  op_set own = op2_decl_subset(set, k, at, "own");
  CHECK_INT(op_get_size_local(own), k);
  op_dat dx = op_decl_dat(set, 1, "int", x, "x");
  op_dat dy = op_decl_dat(set, 1, "int", x, "y");
  op_dat dz = op_decl_dat(set, 1, "int", x, "z");
  op_par_loop(number, "number", own, op_arg_idx(-1, OP_ID),
              op_arg_dat(dx, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(dz, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(dz, got);
  for (int i = 0; i < N; i++)
    CHECK_INT(got[i], x[i] % (rank + 2) ? x[i] : 1000 * x[i] + i);
  if (getenv("PART"))
    op_partition("EXTERNAL", "", NULL, NULL,
                 op_decl_dat(set, 1, "int", owner, "owner"));
  check_direct(part, dx, dy);
  for (int i = 0; i < N; i++)
    CHECK_INT(got[i], (rank == 1 || x[i] % (rank + 2) ? 1 : 4) * x[i]);

  op2_set_error_handler(on_error, NULL);
  at[0] = rank == ranks - 1 ? N : 0;
  if (getenv("PART")) {
    CHECK(!op2_decl_subset(set, 1, at, "late"));
    CHECK_INT(code, OP2_ERR_STATE);
    CHECK(strstr(message, "before op_partition"));
    CHECK(op2_set_union(part, own, "both") != NULL);
  } else {
    CHECK(!op2_decl_subset(set, 1, at, "far"));
    CHECK(strstr(message, "expected 0 to 39 (set \"set\"), found 40"));
  }
  CHECK_INT(errors, 1);
  op2_set_error_handler(NULL, NULL);
  check_direct(op2_set_union(part, own, "all"), dx, dz);
  return check_end();
}
