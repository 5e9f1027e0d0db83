/* A kernel from a source string: compiled at once, found by name, replaced for
 * later loops only; a source that does not compile is an error with the
 * compiler's words. */
#include "check.h"

enum { N = 25 };

static int errors;

static void
on_error(int status, const char *message, void *user) {
  (void)status;
  (void)message;
  (void)user;
  errors++;
}

static op_set s;
static op_dat a;

static void
run(void) {
  op_par_loop(NULL, "sourced", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
}

int
main(int argc, char **argv) {
  int out[N];
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op2_set_error_handler(on_error, NULL);
  CHECK_INT(op2_kernel_source("sourced", "void sourced(int *a) { *a += 3; }"),
            0);
  run();
  CHECK_INT(op2_kernel_source("sourced", "void sourced(int *a) { *a *= 5; }"),
            0);
  run();
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 15);
  CHECK_INT(op2_kernel_source("broken", "void broken(int *a) { oops }"),
            OP2_ERR_COMPILE);
  CHECK(strstr(op2_last_error(), "oops") != NULL);
  return check_end();
}
