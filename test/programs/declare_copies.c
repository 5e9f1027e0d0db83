/* Maps and dats are copied at declaration: what the program does to its arrays
 * afterwards does not matter. */
#include "check.h"

enum { N = 30 };

static void
pull(const int *a, int *b) {
  *b = *a;
}

int
main(int argc, char **argv) {
  int *map = malloc(N * sizeof *map), *init = malloc(N * sizeof *init), out[N];
  if (!map || !init) return 2;
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    map[e] = N - 1 - e;
    init[e] = 5 * e;
  }
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 1, map, "m");
  op_dat a = op_decl_dat(s, 1, "int", init, "a");
  op_dat b = op_decl_dat(s, 1, "int", (int *)NULL, "b");
  memset(map, -1, N * sizeof *map);
  memset(init, -1, N * sizeof *init);
  free(map);
  free(init);
  op_par_loop(pull, "pull", s, op_arg_dat(a, 0, m, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 5 * (N - 1 - e));
  return check_end();
}
