#include "base/err.h"

#include "base/numbers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERR_MAX = 4096 };

static _Thread_local char err_message[ERR_MAX];

status
err_set(status code, const char *fmt, ...) {
  char next[ERR_MAX];
  va_list ap;
  SCOPED_NUMBERS;
  va_start(ap, fmt);
  vsnprintf(next, sizeof next, fmt, ap);
  va_end(ap);
  memcpy(err_message, next, sizeof next);
  return code;
}

status
err_prefix(status code, const char *fmt, ...) {
  char old[ERR_MAX], prefix[ERR_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(prefix, sizeof prefix, fmt, ap);
  va_end(ap);
  memcpy(old, err_message, sizeof old);
  return err_set(code, "%s%s", prefix, old);
}

const char *
err_last(void) {
  return err_message;
}
