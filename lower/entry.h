/* What was made once, as bytes: in a file of the cache on disk (disk.c), or in
 * the program (bundle.c). See entry.c. */
#ifndef LOWER_ENTRY_H
#define LOWER_ENTRY_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOW_ENTRY_ALIGN = 16 };
#define LOW_ENTRY_SUFFIX ".op2" /* of files that hold one */

/* One that was found. */
struct low_entry {
  char *file;        /* memory that holds it; owner calls low_entry_clear.
                        NULL: the program's */
  const char *bytes; /* [n], aligned to LOW_ENTRY_ALIGN */
  size_t n;
};
void low_entry_clear(struct low_entry *e);

/* Its parts in memory. */
struct low_chunk {
  const char *at;
  size_t n;
};
struct low_parts {
  struct low_chunk tools, key, bytes;
  size_t size; /* of all */
};

/* The first line of each key: which library makes and runs the code. */
void low_entry_version(struct str *out);

/* Append an entry. */
void low_entry_make(const struct low_parts *p, struct str *out);
/* The parts of the entry that `file` [n; KEEP, aligned] begins with. What is
 * wrong with it; NULL: nothing. With `whole` nothing may stand behind it. */
const char *low_entry_parts(const char *file, size_t n, bool whole,
                            struct low_parts *out);
/* Is what it holds as it was made? */
bool low_entry_sound(const char *file, const struct low_parts *p);

#endif
