/* New files: written beside their place, then renamed into it, so that nobody
 * sees half a file, and a former one stays until the new one is whole.
 *
 * The name beside the place is new: what others have put there, links and pipes
 * too, is neither followed nor opened. In the place itself a link of another
 * user is replaced, one of our own leads on. Functions return 0 or errno. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>

struct file_new {
  FILE *f;    /* to write to */
  int folder; /* that the paths start in */
  struct str path,
      beside; /* beside "": the place is a device, a pipe or an open
                              file, or its folder takes no new files: written as
                              it is */
};

/* A file that the program asked for, with the permissions of its umask. */
int file_begin(struct file_new *n, const char *path);
/* One for this user alone, in a folder that is open. */
int file_begin_private(struct file_new *n, int folder, const char *name);
/* Close it; with `keep`, if all was written, it is in its place now, else gone.
 * */
int file_end(struct file_new *n, bool keep);

/* A file that others wrote beside its place, in the same folder, takes it, for
 * good: first the file, afterwards the folder is brought to disk, so that a
 * crash leaves the former one or the new one. *what_out: what failed. */
int file_settle(const char *beside, const char *path, const char **what_out);

#endif
