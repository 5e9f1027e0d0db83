/* Files of data sets, before HDF5: the part that has it is opened, new files go
 * to a place beside theirs and take it when they are whole.
 *
 * Written atomically: everything goes to "path.part"; when that is closed it is
 * brought to disk (fsync), renamed to "path", and the folder is brought to
 * disk. Renaming within a folder is atomic in POSIX, so whoever opens "path" finds
 * either the former file or the new one, both whole, also after a crash. What a
 * crash leaves is a ".part" that the next try overwrites. */
#include "rt/io.h"

#include "base/arena.h"
#include "base/module.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE_NAME "libop2lazy-hdf5.so"

struct rt_file {
  struct rt_h5 *h5;
  struct str path, part; /* part: where a new file is written; empty: none */
};

/* ---- the part with HDF5 -------------------------------------------------- */

static struct {
  pthread_once_t once;
  const struct rt_hdf5 *table; /* NULL: see `why` */
  struct str why;
} module = {PTHREAD_ONCE_INIT, NULL, STR_INIT};

static void
hdf5_open(void) {
  module.table = module_open(MODULE_NAME, "op2_rt_hdf5", &module.why);
}

static status
hdf5_get(void) {
  pthread_once(&module.once, hdf5_open);
  if (module.table) return OK;
  FAIL(ERR_IO,
       "HDF5 is not there: looked for " MODULE_NAME " beside the library, "
       "which is built where HDF5's headers are (libhdf5-dev): %s",
       module.why.s);
}

/* Status of the other side, its message copied here. */
static status
other(status s) {
  return s == OK ? OK : err_set(s, "%s", module.table->error());
}

/* ---- to disk ------------------------------------------------------------- */

static status
sync_path(const char *path, int flags) {
  int fd = open(path, flags | O_CLOEXEC);
  int bad = fd < 0 || fsync(fd);
  int err = errno;
  if (fd >= 0) close(fd);
  if (bad)
    FAIL(ERR_IO, "\"%s\": cannot be brought to disk: %s", path, strerror(err));
  return OK;
}

static status
sync_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  struct str folder = STR_INIT;
  str_addn(&folder, path, slash ? (size_t)(slash + 1 - path) : 0);
  status st = sync_path(folder.len ? folder.s : ".", O_RDONLY | O_DIRECTORY);
  str_clear(&folder);
  return st;
}

static status
part_keep(struct rt_file *f) {
  TRY(sync_path(f->part.s, O_RDONLY));
  if (rename(f->part.s, f->path.s))
    FAIL(ERR_IO, "\"%s\": cannot take the place of the former file: %s",
         f->path.s, strerror(errno));
  return sync_folder_of(f->path.s);
}

/* ---- files --------------------------------------------------------------- */

static void
file_free(struct rt_file *f) {
  str_clear(&f->path);
  str_clear(&f->part);
  free(f);
}

status
rt_io_open(const char *path, enum rt_io_mode mode, struct rt_file **out) {
  TRY(hdf5_get());
  struct rt_file *f = mem_alloc(1, sizeof *f);
  f->path = f->part = (struct str)STR_INIT;
  str_add(&f->path, path);
  if (mode == RT_IO_CREATE) str_printf(&f->part, "%s.part", path);
  status st =
      other(module.table->open(f->part.len ? f->part.s : path, mode, &f->h5));
  if (st == OK)
    *out = f;
  else
    file_free(f);
  return st;
}

status
rt_io_close(struct rt_file *f, bool keep) {
  if (!f) return OK;
  status st = other(module.table->close(f->h5));
  if (f->part.len) {
    if (keep && st == OK) st = part_keep(f);
    if (!keep || st != OK) unlink(f->part.s);
  }
  file_free(f);
  return st;
}

const char *
rt_io_path(const struct rt_file *f) {
  return f->path.s;
}

/* ---- data sets ----------------------------------------------------------- */

status
rt_io_find(struct rt_file *f, const char *name, struct rt_data *out) {
  return other(module.table->find(f->h5, name, out));
}

status
rt_io_read(struct rt_file *f, const char *name, const struct rt_rows *r,
           void *out) {
  return other(module.table->read(f->h5, name, r, out));
}

status
rt_io_write(struct rt_file *f, const char *name, const struct rt_rows *r,
            const void *values) {
  return other(module.table->write(f->h5, name, r, values));
}

status
rt_io_put_int(struct rt_file *f, const char *name, const char *attr,
              long long value) {
  return other(module.table->put_int(f->h5, name, attr, value));
}

status
rt_io_put_text(struct rt_file *f, const char *name, const char *attr,
               const char *text, size_t room) {
  return other(module.table->put_text(f->h5, name, attr, text, room));
}

status
rt_io_get_int(struct rt_file *f, const char *name, const char *attr,
              long long *out, bool *found_out) {
  return other(module.table->get_int(f->h5, name, attr, out, found_out));
}

status
rt_io_get_text(struct rt_file *f, const char *name, const char *attr,
               struct str *out, bool *found_out) {
  return other(module.table->get_text(f->h5, name, attr, out, found_out));
}

status
rt_io_list(struct rt_file *f, const char *group,
           void (*each)(void *user, const char *name), void *user) {
  return other(module.table->list(f->h5, group, each, user));
}
