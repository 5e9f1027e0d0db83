/* What was compiled once, kept on disk for later starts: see disk.c. */
#ifndef LOWER_DISK_H
#define LOWER_DISK_H

#include "lower/entry.h"
#include "lower/made.h"

/* For made.c, with whole keys. */
bool low_disk_find(const struct low_made *m, const struct str *key,
                   struct low_entry *out);
void low_disk_keep(const struct low_made *m, const struct str *key,
                   const char *bytes, size_t n);

/* A file of this name in the folder, which is made, to lock; -1: there is none.
 * */
int low_disk_lock_file(const char *name);

#endif
