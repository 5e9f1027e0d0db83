#include "base/opt.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static status
opt_parse_int(const char *env, const char *text, opt_int *out) {
  char *end;
  errno = 0;
  long v = strtol(text, &end, 10);
  if (end == text || *end || errno || v < 0 || v > INT_MAX)
    FAIL(ERR_ARG, "%s=%s: expected a whole number from 0 to %d", env, text,
         INT_MAX);
  *out = (int)v;
  return OK;
}

static status
opt_parse_size(const char *env, const char *text, opt_size *out) {
  static const char units[] = "KMG";
  char *end;
  errno = 0;
  unsigned long long v = strtoull(text, &end, 10);
  const char *u = *end ? strchr(units, *end) : NULL;
  int shift = u ? 10 * (int)(u - units + 1) : 0;
  if (end == text || errno || *text == '-' || (u ? end[1] : end[0]) ||
      (v << shift) >> shift != v)
    FAIL(ERR_ARG, "%s=%s: expected a size in bytes such as 64M", env, text);
  *out = (size_t)(v << shift);
  return OK;
}

static status
opt_parse_text(const char *env, const char *text, opt_text *out) {
  (void)env;
  *out = text;
  return OK;
}

status
opt_read(struct options *o, char *(*get)(const char *)) {
  status st = OK, one;
  const char *v;
#define OPT(field, env, type, def, ranks, line)                                \
  opt_parse_##type(env, def, &o->field);                                       \
  v = get(env);                                                                \
  if (v && *v && (one = opt_parse_##type(env, v, &o->field)) != OK) st = one;
#include "base/opt.def"
#undef OPT
  return st;
}

void
opt_print(struct str *b) {
#define OPT(field, env, type, def, ranks, line)                                \
  str_printf(b, "%-22s %-5s %-10s %s\n", env, #type, *def ? def : "-", line);
#include "base/opt.def"
#undef OPT
}

static void
opt_add_int(struct str *b, opt_int v) {
  str_printf(b, "%d", v);
}

static void
opt_add_size(struct str *b, opt_size v) {
  str_printf(b, "%zu", v);
}

static void
opt_add_text(struct str *b, opt_text v) {
  str_add(b, v);
}

enum ranks { RANKS_own, RANKS_all };

void
opt_shared(const struct options *o, struct str *out) {
#define OPT(field, env, type, def, ranks, line)                                \
  if (RANKS_##ranks == RANKS_all) {                                            \
    str_add(out, env "=");                                                     \
    opt_add_##type(out, o->field);                                             \
    str_addn(out, "", 1);                                                      \
  }
#include "base/opt.def"
#undef OPT
}

int
opt_listed(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *p = list; *p;) {
    size_t len = strcspn(p, ",");
    if (len == n && !strncmp(p, word, n)) return 1;
    p += len + (p[len] == ',');
  }
  return 0;
}
