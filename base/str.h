/* Growable text: always NUL-terminated, `s` is never NULL after str_init.
 * Zero is not valid; use STR_INIT. Owner calls str_clear. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
  char *s;
  size_t len, cap;
};

extern char str_empty[]; /* what an empty str points to; never written */
#define STR_INIT {str_empty, 0, 0}
/* One that is cleared where its scope ends: SCOPED_STR key = STR_INIT; */
#define SCOPED_STR __attribute__((cleanup(str_clear))) struct str

void str_add(struct str *b, const char *text);
void str_addn(struct str *b, const char *text, size_t n);
void str_printf(struct str *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *b, const char *fmt, va_list ap);
/* Append `text` in double quotes; \" \\ \n \t and \xHH for other control bytes,
 * so that the parser of quoted strings gives the same bytes back. */
void str_quote(struct str *b, const char *text);
/* The same with \u00HH for those, as JSON wants it. */
void str_json(struct str *b, const char *text);
bool str_same(const struct str *a, const struct str *b); /* equal bytes */
void str_reset(struct str *b); /* length 0, memory kept */
void str_clear(struct str *b); /* memory freed, equals STR_INIT */

/* Whole file into `b`; 0 on success, else errno. */
int str_read_file(struct str *b, const char *path);
/* Write a file as base/file.h does. 0 or errno. */
int str_write_file(const struct str *b, const char *path);

#endif
