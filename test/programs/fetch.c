/* op_fetch_data and op_fetch_data_idx (both bounds included) give the program's
 * order; printed files hold "size dim" and the values. */
#include "check.h"

enum { N = 23 };

static void
fill(const int *e, int *a) {
  a[0] = *e;
  a[1] = 100 - *e;
}

static void
check_file(const char *path) {
  FILE *f = fopen(path, "r");
  int size, dim, a, b, good = f && fscanf(f, "%d %d", &size, &dim) == 2;
  CHECK(good);
  if (!good) return;
  CHECK_INT(size, N);
  CHECK_INT(dim, 2);
  for (int e = 0; e < N; e++) {
    CHECK_INT(fscanf(f, "%d %d", &a, &b), 2);
    CHECK_INT(a, e);
    CHECK_INT(b, 100 - e);
  }
  fclose(f);
}

int
main(int argc, char **argv) {
  int out[N][2], some[5][2];
  char path[] = "/tmp/op2_fetch_XXXXXX";
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 2, "int", (int *)NULL, "a");
  op_dat b = op_decl_dat(s, 2, "int", (int *)NULL, "b");
  op_par_loop(fill, "fill", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 2, "int", OP_WRITE));
  op_par_loop(fill, "fill", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(b, -1, OP_ID, 2, "int", OP_WRITE));
  op_fetch_data_idx(a, &some[0][0], 7, 11);
  for (int i = 0; i < 5; i++) CHECK_INT(some[i][0], 7 + i);
  op_fetch_data(a, &out[0][0]);
  for (int e = 0; e < N; e++) CHECK_INT(out[e][1], 100 - e);
  CHECK_INT(b->set->size, N);
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  op_print_dat_to_txtfile(b, path);
  check_file(path);
  remove(path);
  return check_end();
}
