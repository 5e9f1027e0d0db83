#include "base/err.h"

#include "base/numbers.h"

#include <stdio.h>
#include <string.h>

enum { ERR_MAX = 4096 };

static _Thread_local char err_message[ERR_MAX];

status
err_vset(status code, const char *fmt, va_list ap) {
  char next[ERR_MAX];
  locale_t former = numbers_begin();
  vsnprintf(next, sizeof next, fmt, ap);
  numbers_end(former);
  memcpy(err_message, next, sizeof next);
  return code;
}

status
err_set(status code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  err_vset(code, fmt, ap);
  va_end(ap);
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

void
err_clear(void) {
  err_message[0] = 0;
}

const char *
err_text(status code) {
  switch (code) {
  case OK: return "ok";
#define ERR(name, value, text)                                                 \
  case ERR_##name: return text;
#include "base/err.def"
#undef ERR
  }
  return "unknown";
}
