/* dim 1 to 64, direct and through a map. */
#include "check.h"

enum { N = 21, DMAX = 64 };

/* The kernel learns dim from a constant, which changes from loop to loop. */
static int dim;

static void
fill(const int *e, int *a) {
  for (int c = 0; c < dim; c++) a[c] = 100 * *e + c;
}
static void
shift(const int *a, int *b) {
  for (int c = 0; c < dim; c++) b[c] += a[dim - 1 - c];
}

static void
test(op_set s, op_map next, int d) {
  int out[N * DMAX];
  op_dat a = op_decl_dat(s, d, "int", (int *)NULL, "a");
  op_dat b = op_decl_dat(s, d, "int", (int *)NULL, "b");
  dim = d;
  op_par_loop(fill, "fill", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, d, "int", OP_WRITE));
  op_par_loop(shift, "shift", s, op_arg_dat(a, -1, OP_ID, d, "int", OP_READ),
              op_arg_dat(b, 0, next, d, "int", OP_INC));
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++)
    for (int c = 0; c < d; c++)
      if (out[(e + 1) % N * d + c] != 100 * e + d - 1 - c)
        check_fail(__FILE__, __LINE__, "dim %d: element %d component %d", d,
                   (e + 1) % N, c);
}

int
main(int argc, char **argv) {
  int map[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) map[e] = (e + 1) % N;
  op_set s = op_decl_set(N, "s");
  op_map next = op_decl_map(s, s, 1, map, "next");
  for (int d = 1; d <= 9; d++) test(s, next, d);
  for (int d = 16; d <= DMAX; d += 16) test(s, next, d);
  test(s, next, 31);
  test(s, next, 63);
  return check_end();
}
