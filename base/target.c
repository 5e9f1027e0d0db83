#include "base/target.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

const struct target_info target_info[TARGET_COUNT] = {
#define TARGET(name, device, what) {#name, device, what},
#include "base/target.def"
#undef TARGET
};

static status
unknown(const char *text) {
  SCOPED_STR known = STR_INIT;
  for (int k = 0; k < TARGET_COUNT; k++)
    str_printf(&known, "%s%s%s", k ? ", " : "", target_info[k].name,
               target_info[k].device ? "[:number]" : "");
  status st = err_set(ERR_TARGET, "target \"%s\" is not known; there are %s",
                      text, known.s);
  return st;
}

/* OP2's other name of a target. */
static const char *
own_name(const char *text) {
  return strcmp(text, "genseq") ? text : target_info[TARGET_seq].name;
}

status
target_parse(const char *text, struct target *out) {
  if (!text) return unknown("(null)");
  text = own_name(text);
  size_t len = strcspn(text, ":");
  int k = 0;
  while (k < TARGET_COUNT && (strlen(target_info[k].name) != len ||
                              memcmp(target_info[k].name, text, len)))
    k++;
  if (k == TARGET_COUNT) return unknown(text);
  *out = (struct target){(enum target_kind)k, 0};
  if (!text[len]) return OK;
  char *end;
  long n = strtol(text + len + 1, &end, 10);
  if (!target_info[k].device || end == text + len + 1 || *end || n < 0 ||
      n > TARGET_NUMBER_MAX)
    return unknown(text);
  out->number = (int)n;
  return OK;
}

bool
target_is_device(const char *text) {
  struct target t;
  return text && target_parse(text, &t) == OK && target_info[t.kind].device;
}

bool
target_same(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}
