/* A device on several ranks is an error, not a loop without halos.
 *
 * RUN: 2
 */
#include "../programs/check.h"

static int errors;
static char text[1024];

static void
note(int status, const char *message, void *user) {
  (void)user;
  errors += status == OP2_ERR_TARGET;
  snprintf(text, sizeof text, "%s", message);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op2_set_error_handler(note, NULL);
  CHECK_INT(op2_target_push("opencl"), OP2_ERR_TARGET);
  CHECK_INT(errors, 1);
  CHECK(strstr(text, "one rank, found 2") != NULL);
  return check_end();
}
