/* A dat over 4 GiB: byte offsets are 64-bit everywhere. Only with
 * OP2_TEST_BIG=1, as it needs 10 GiB. */
#include "check.h"

enum { N = 9000000, DIM = 64 };

static void
fill(const int *e, double *a) {
  a[0] = *e;
  a[DIM - 1] = -*e;
}
static void
move(const double *a, double *b) {
  *b = a[0] + 2 * a[DIM - 1];
}

int
main(int argc, char **argv) {
  const char *on = getenv("OP2_TEST_BIG");
  if (!on || !atoi(on)) {
    printf("ok (left out: OP2_TEST_BIG is not set)\n");
    return 0;
  }
  check_start(argc, argv);
  int *map = malloc(N * sizeof *map);
  double *out = malloc(N * sizeof *out);
  if (!map || !out) return 2;
  for (int e = 0; e < N; e++) map[e] = N - 1 - e;
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 1, map, "m");
  op_dat a = op_decl_dat(s, DIM, "double", (double *)NULL, "a");
  op_dat b = op_decl_dat(s, 1, "double", (double *)NULL, "b");
  op_par_loop(fill, "fill", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, DIM, "double", OP_WRITE));
  op_par_loop(move, "move", s, op_arg_dat(a, 0, m, DIM, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_REAL(out[e], -(double)(N - 1 - e));
  free(map);
  free(out);
  return check_end();
}
