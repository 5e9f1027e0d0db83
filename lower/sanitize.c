#include "lower/sanitize.h"

#include <assert.h>
#include <dlfcn.h>
#include <string.h>

static const struct {
  const char *name, *symbol; /* that a program built with it has */
} low_sanitizers[] = {
    {"", NULL},
#define SANITIZER(name, attribute, symbol, first, passes) {#name, symbol},
#include "lower/sanitize.def"
#undef SANITIZER
};

status
low_sanitize_find(const char *name, enum low_sanitize *out) {
  assert(name);
  size_t n = sizeof low_sanitizers / sizeof *low_sanitizers, k = 0;
  while (k < n && strcmp(low_sanitizers[k].name, name)) k++;
  if (k == n) FAIL(ERR_ARG, "expected thread or address, found %s", name);
  if (k && !dlsym(RTLD_DEFAULT, low_sanitizers[k].symbol))
    FAIL(ERR_STATE, "the program was not built with -fsanitize=%s", name);
  *out = (enum low_sanitize)k;
  return OK;
}
