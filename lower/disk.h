/* What was compiled once, kept on disk for later starts: see disk.c. */
#ifndef LOWER_DISK_H
#define LOWER_DISK_H

#include "lower/made.h"

#include <stdbool.h>
#include <stddef.h>

/* Use this folder; "" stands for $XDG_CACHE_HOME/op2lazy or ~/.cache/op2lazy.
 * Above `max_bytes` the oldest entries are removed. Before this call, and after
 * low_disk_close, nothing is found and nothing kept. */
void low_disk_open(const char *folder, size_t max_bytes);
void low_disk_close(void);

/* For made.c, with whole keys. */
bool low_disk_find(const struct low_made *m, const struct str *key,
                   struct low_entry *out);
void low_disk_keep(const struct low_made *m, const struct str *key,
                   const char *bytes, size_t n);

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
