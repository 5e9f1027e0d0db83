#include "base/opt.h"

#include "base/str.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- values, by type; `field` is the option's in struct options --------- */

static status
opt_parse_int(const char *env, const char *field, const char *text,
              opt_int *out) {
  (void)field;
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
opt_parse_size(const char *env, const char *field, const char *text,
               opt_size *out) {
  (void)field;
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
opt_parse_text(const char *env, const char *field, const char *text,
               opt_text *out) {
  (void)env, (void)field;
  *out = text;
  return OK;
}

static const struct word {
  const char *field, *text;
} opt_words[] = {
#define WORD(field, word) {#field, #word},
#include "base/words.def"
#undef WORD
};
#define NWORDS (sizeof opt_words / sizeof *opt_words)

const char *
opt_word_text(opt_word w) {
  assert(w < NWORDS);
  return opt_words[w].text;
}

status
opt_parse_word(const char *env, const char *field, const char *text,
               opt_word *out) {
  struct str expected = STR_INIT;
  const char *last = NULL;
  for (unsigned k = 0; k < NWORDS; k++) {
    if (strcmp(opt_words[k].field, field)) continue;
    if (!strcmp(opt_words[k].text, text)) {
      str_clear(&expected);
      *out = (opt_word)k;
      return OK;
    }
    if (last) str_printf(&expected, "%s%s", expected.len ? ", " : "", last);
    last = opt_words[k].text;
  }
  assert(expected.len && "words.def has at least two for each option");
  err_set(ERR_ARG, "%s=%s: expected %s or %s", env, text, expected.s, last);
  str_clear(&expected);
  return ERR_ARG;
}

/* ---- all ---------------------------------------------------------------- */

status
opt_read(struct options *o, char *(*get)(const char *)) {
  status st = OK, one;
  const char *v;
#define OPT(field, env, type, def, ranks, line)                                \
  opt_parse_##type(env, #field, def, &o->field);                               \
  v = get(env);                                                                \
  if (v && *v && (one = opt_parse_##type(env, #field, v, &o->field)) != OK)    \
    st = one;
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

static void
opt_add_word(struct str *b, opt_word w) {
  str_add(b, opt_word_text(w));
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

/* ---- names that are not options ------------------------------------------ */

static const char *const opt_names[] = {
#define OPT(field, env, type, def, ranks, line) env,
#include "base/opt.def"
#undef OPT
};

/* Of OP2 itself and its builds. */
static const char *const opt_others[] = {
    "OP2_INSTALL_PATH", "OP2_COMPILER", "OP2_BUILD_DIR", "OP2_APPS_DIR",
    "OP2_PATH",         "OP2_DIR",      "OP2_INC",       "OP2_LIB"};

static int
opt_in(const char *const *names, size_t n, const char *s, size_t len) {
  for (size_t i = 0; i < n; i++)
    if (strlen(names[i]) == len && !strncmp(names[i], s, len)) return 1;
  return 0;
}

static int
least(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

/* Letters to put in, take out or change (Levenshtein's distance). */
static int
opt_distance(const char *a, size_t n, const char *b) {
  int row[64];
  size_t m = strlen(b);
  assert(m < sizeof row / sizeof *row);
  for (size_t j = 0; j <= m; j++) row[j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    int before = row[0]++;
    for (size_t j = 1; j <= m; j++) {
      int here = row[j];
      row[j] =
          least(row[j] + 1, row[j - 1] + 1, before + (a[i - 1] != b[j - 1]));
      before = here;
    }
  }
  return row[m];
}

static const char *
opt_nearest(const char *name, size_t len) {
  const char *nearest = NULL;
  int best =
      len < 10 ? (int)(len - 2) / 2 : 4; /* half of what is behind OP2_ */
  for (size_t i = 0; i < sizeof opt_names / sizeof *opt_names; i++) {
    int d = opt_distance(name, len, opt_names[i]);
    if (d < best) best = d, nearest = opt_names[i];
  }
  return nearest;
}

#define OPT_IN(names, s, len)                                                  \
  opt_in(names, sizeof(names) / sizeof *(names), s, len)

void
opt_unknown(char *const *environment,
            void (*tell)(const char *name, const char *nearest)) {
  for (; environment && *environment; environment++) {
    const char *s = *environment;
    size_t len = strcspn(s, "=");
    if (strncmp(s, "OP2_", 4) || OPT_IN(opt_names, s, len) ||
        OPT_IN(opt_others, s, len) || !strncmp(s, "OP2_TEST_", 9))
      continue;
    struct str name = STR_INIT;
    str_addn(&name, s, len);
    tell(name.s, opt_nearest(s, len));
    str_clear(&name);
  }
}
