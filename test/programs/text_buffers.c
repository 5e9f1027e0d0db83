/* Texts of a call in memory that the program writes: one statement, one address,
 * another content is another call. */
#include "check.h"

#include <stdio.h>
#include <string.h>

enum { N = 12 };

static void
add_one(int *a) {
  *a += 1;
}

static int errors;

static void
count(int code, const char *message, void *user) {
  (void)user;
  errors += code == OP2_ERR_ARG && strstr(message, "float") != NULL;
}

static char name[16] = "first", type[16] = "int";
static op_set s;
static op_dat a;

static void
step(void) {
  op_par_loop(add_one, name, s, op_arg_dat(a, -1, OP_ID, 1, type, OP_RW));
}

int
main(int argc, char **argv) {
  int out[N];
  check_start(argc, argv);
  op2_set_error_handler(count, NULL);
  s = op_decl_set(N, "s");
  a = op_decl_dat(s, 1, "int", (int *)NULL, "a");
  for (int k = 0; k < 3; k++) step();
  strcpy(type, "float");
  step(); /* refused: the dat is of another type */
  strcpy(type, "int");
  step();
  strcpy(name, "second");
  for (int k = 0; k < 2; k++) step();
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 6);
  CHECK_INT(errors, 1);
  return check_end();
}
