/* What the error handler was told: for programs that make mistakes on purpose.
 * op2_set_error_handler(on_error, NULL) begins it. */
#ifndef TEST_ERRORS_H
#define TEST_ERRORS_H

#include <stdio.h>

static int errors, code;
static char message[4096];

static inline void
on_error(int status, const char *text, void *user) {
  (void)user;
  errors++;
  code = status;
  snprintf(message, sizeof message, "%s", text);
}

#endif
