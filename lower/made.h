/* What was made once: code of regions, facts about kernels, compiled sources.
 * It is looked for in the program (bundle.h), then on disk (disk.h), and kept
 * there. */
#ifndef LOWER_MADE_H
#define LOWER_MADE_H

#include "lower/entry.h"

/* `machine` is what code is made for. bundle: look into the program. Before
 * this call, and after low_made_close, nothing is found; disk.h opens the disk.
 * */
void low_made_open(const char *machine, bool bundle);
void low_made_close(void);

/* What is asked for. */
struct low_made {
  const char *kind; /* "region", "facts", ... */
  const char *name; /* for the log */
  /* Bytes that say what it was made from; the library, LLVM and the machine
   * need not be among them. */
  const struct str *key;
  /* Files that it was made by, besides the compiler (low_file_identity); "" */
  const char *tools;
};
bool low_made_find(const struct low_made *m, struct low_entry *out);
/* Keep `bytes`, in place of what is there under this key. Trouble is logged and
 * changes nothing for the program. */
void low_made_keep(const struct low_made *m, const char *bytes, size_t n);

#endif
