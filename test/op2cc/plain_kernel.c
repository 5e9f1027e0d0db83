/* A loop and its kernel, by op2cc; with -DLATE also a main that opens a shared
 * object of another compiler. */
#include "op2.h"

#include <dlfcn.h>

void loop_over(op_set s, op_dat d);

static void
add_one(double *x) {
  *x += 1;
}

void
loop_over(op_set s, op_dat d) {
  op_par_loop(add_one, "add_one", s,
              op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW));
}

#ifdef LATE
int
main(int argc, char **argv) {
  double x[4] = {1, 2, 3, 4};
  op_init(argc, argv, 0);
  op_set s = op_decl_set(4, "s");
  op_dat d = op_decl_dat(s, 1, "double", x, "x");
  loop_over(s, d);
  if (!op2_pending()) return 3;
  void *lib = dlopen(argv[1], RTLD_NOW);
  int (*late)(op_set, op_dat, const void *) = 0;
  *(void **)&late = lib ? dlsym(lib, "late") : 0;
  if (!late) return 4;
  int bad = late(s, d, op2_dat_data(d));
  op_exit();
  return bad;
}
#endif
