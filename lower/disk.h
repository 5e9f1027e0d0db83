/* What was compiled once, kept on disk for later starts: see disk.c. */
#ifndef LOWER_DISK_H
#define LOWER_DISK_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* Use this folder; "" stands for $XDG_CACHE_HOME/op2lazy or ~/.cache/op2lazy.
 * Above `max_bytes` the oldest entries are removed. `machine` is what code is
 * made for. Before this call, and after low_disk_close, nothing is found and
 * nothing kept. */
void low_disk_open(const char *folder, size_t max_bytes, const char *machine);
void low_disk_close(void);
bool low_disk_is_open(void);

/* The entry of this kind ("region", "facts", ...) whose key is `key`, byte for
 * byte. `name` is for the log. The library, LLVM and the CPU need not be in the
 * key. */
struct low_entry {
  char *file; /* whole file; owner calls low_entry_clear */
  const char *bytes;
  size_t n;
};
bool low_disk_find(const char *kind, const char *name, const struct str *key,
                   struct low_entry *out);
void low_entry_clear(struct low_entry *e);
/* Keep `bytes`, in place of what is there under this key. Trouble is logged and
 * changes nothing for the program. */
void low_disk_keep(const char *kind, const struct str *key, const char *bytes,
                   size_t n);

/* A file of this name in the folder, which is made, to lock; -1: there is none.
 * */
int low_disk_lock_file(const char *name);

/* ---- disk_turn.c --------------------------------------------------------- */

/* Other processes that start together need the same code: one compiles at a
 * time. */
void low_disk_share(bool on);
/* Whether others compiled meanwhile: look again. Then compile and keep. */
bool low_disk_turn_begin(void);
void low_disk_turn_end(void);

#endif
