/* Kernels with side effects (stdio, stores to globals) run before op_par_loop
 * returns, after all that stands before them, in the order of the elements. */
#include "check.h"

enum { N = 20 };

static FILE *out;
static int log_[3 * N], nlog;

static void
set_index(const int *e, int *a) {
  *a = *e * *e;
}
static void
print_it(const int *a) {
  fprintf(out, "%d ", *a);
}
static void
log_it(const int *a) {
  log_[nlog++] = *a;
}
static void
add_one(int *a) {
  *a += 1;
}

static void
check_text(const char *want) {
  char text[1024] = "";
  rewind(out);
  size_t n = fread(text, 1, sizeof text - 1, out);
  text[n] = 0;
  if (strcmp(text, want))
    check_fail(__FILE__, __LINE__, "printed '%s', expected '%s'", text, want);
}

int
main(int argc, char **argv) {
  char want[1024] = "";
  check_start(argc, argv);
  out = tmpfile();
  if (!out) return 2;
  op_set s = op_decl_set(N, "s");
  op_dat a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  op_par_loop(set_index, "set_index", s, op_arg_idx(-1, OP_ID),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(print_it, "print_it", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ));
  fprintf(out, "| ");
  CHECK_INT(op2_pending(), 0);
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_par_loop(log_it, "log_it", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ));
  CHECK_INT(nlog, N);
  op_par_loop(add_one, "add_one", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  CHECK_PENDING(1);
  op_par_loop(print_it, "print_it", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ));
  for (int e = 0; e < N; e++) {
    CHECK_INT(log_[e], e * e + 1);
    sprintf(want + strlen(want), "%d ", e * e);
  }
  strcat(want, "| ");
  for (int e = 0; e < N; e++) sprintf(want + strlen(want), "%d ", e * e + 2);
  check_text(want);
  fclose(out);
  return check_end();
}
