#include "base/str.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char str_empty[1] = "";

static void
str_room(struct str *b, size_t more) {
  if (b->cap - b->len > more) return;
  size_t cap = b->cap ? b->cap : 64;
  while (cap - b->len <= more) cap *= 2;
  b->s = mem_grow(b->cap ? b->s : NULL, cap, 1);
  b->cap = cap;
  b->s[b->len] = 0;
}

void
str_addn(struct str *b, const char *text, size_t n) {
  str_room(b, n);
  memcpy(b->s + b->len, text, n);
  b->len += n;
  b->s[b->len] = 0;
}

void
str_add(struct str *b, const char *text) {
  str_addn(b, text, strlen(text));
}

void
str_vprintf(struct str *b, const char *fmt, va_list ap) {
  va_list again;
  SCOPED_NUMBERS;
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  str_room(b, (size_t)n);
  vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
  va_end(again);
  b->len += (size_t)n;
}

void
str_printf(struct str *b, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  str_vprintf(b, fmt, ap);
  va_end(ap);
}

/* `other`: what comes before the two digits of a control byte. */
static void
quote(struct str *b, const char *text, const char *other) {
  str_add(b, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      str_printf(b, "\\%c", c);
    else if (c == '\n')
      str_add(b, "\\n");
    else if (c == '\t')
      str_add(b, "\\t");
    else if (c < 32)
      str_printf(b, "\\%s%02x", other, c);
    else
      str_addn(b, (const char *)&c, 1);
  }
  str_add(b, "\"");
}

void
str_quote(struct str *b, const char *text) {
  quote(b, text, "x");
}

void
str_json(struct str *b, const char *text) {
  quote(b, text, "u00");
}

bool
str_same(const struct str *a, const struct str *b) {
  return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

void
str_reset(struct str *b) {
  b->len = 0;
  if (b->cap) b->s[0] = 0;
}

void
str_clear(struct str *b) {
  if (b->cap) free(b->s);
  *b = (struct str)STR_INIT;
}

int
str_read_file(struct str *b, const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return errno;
  char chunk[1 << 14];
  size_t n;
  do {
    n = fread(chunk, 1, sizeof chunk, f);
    str_addn(b, chunk, n);
  } while (n == sizeof chunk);
  int bad = ferror(f) ? EIO : 0;
  fclose(f);
  return bad;
}

int
str_write_file(const struct str *b, const char *path) {
  struct file_new n;
  int bad = file_begin(&n, path);
  if (bad) return bad;
  bool whole = fwrite(b->s, 1, b->len, n.f) == b->len;
  int err = whole ? 0 : errno ? errno : EIO;
  bad = file_end(&n, whole);
  return err ? err : bad;
}
