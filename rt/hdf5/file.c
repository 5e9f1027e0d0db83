/* Files, their objects, and the table that the library finds here. */
#include "rt/hdf5/h5.h"

#include "base/arena.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- errors -------------------------------------------------------------- */

/* The innermost entry comes first. */
static herr_t
words_of(unsigned n, const H5E_error2_t *e, void *user) {
  const char **words = user;
  if (n == 0) *words = e->desc;
  return 0;
}

status
h5_fail(const struct rt_h5 *f, const char *name, const char *tried) {
  const char *words = "no words about it from HDF5";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, words_of, &words);
  if (name)
    err_set(ERR_IO, "\"%s\": \"%s\": %s: %s", f->path, name, tried, words);
  else
    err_set(ERR_IO, "\"%s\": %s: %s", f->path, tried, words);
  H5Eclear2(H5E_DEFAULT);
  return ERR_IO;
}

/* ---- objects ------------------------------------------------------------- */

void
h5_drop(const hid_t *id) {
  if (*id < 0) return;
  switch (H5Iget_type(*id)) {
  case H5I_DATASET: H5Dclose(*id); break; /* gone even if that fails */
  case H5I_ATTR: H5Aclose(*id); break;
  case H5I_GROUP: H5Gclose(*id); break;
  default: H5Idec_ref(*id);
  }
}

bool
h5_has(const struct rt_h5 *f, const char *name) {
  char *path = mem_alloc(strlen(name) + 1, 1);
  bool has = true;
  size_t n = strspn(name, "/");
  while (has && name[n]) {
    n += strcspn(name + n, "/");
    memcpy(path, name, n);
    path[n] = 0;
    has = H5Lexists(f->id, path, H5P_DEFAULT) > 0;
    n += strspn(name + n, "/");
  }
  free(path);
  return has;
}

struct lister {
  void (*each)(void *user, const char *name);
  void *user;
};

static herr_t
list_link(hid_t group, const char *name, const H5L_info_t *info, void *user) {
  struct lister *l = user;
  (void)group;
  (void)info;
  l->each(l->user, name);
  return 0;
}

static status
h5_list(struct rt_h5 *f, const char *group,
        void (*each)(void *user, const char *name), void *user) {
  struct lister l = {each, user};
  if (!h5_has(f, group)) return OK;
  if (H5Literate_by_name(f->id, group, H5_INDEX_NAME, H5_ITER_INC, NULL,
                         list_link, &l, H5P_DEFAULT) < 0)
    return h5_fail(f, group, "cannot be listed");
  return OK;
}

/* ---- files --------------------------------------------------------------- */

static status
check_readable(const char *path) {
  struct stat st;
  if (access(path, R_OK) || stat(path, &st))
    FAIL(ERR_IO, "\"%s\": expected a file to read, found: %s", path,
         strerror(errno));
  if (!S_ISREG(st.st_mode)) /* a pipe would be waited for */
    FAIL(ERR_IO, "\"%s\": expected a file to read, found something else", path);
  if (H5Fis_hdf5(path) <= 0)
    FAIL(ERR_IO, "\"%s\": expected an HDF5 file, found something else", path);
  return OK;
}

/* Access for all ranks of the communicator. */
static hid_t
access_by(const void *communicator) {
  hid_t how = H5Pcreate(H5P_FILE_ACCESS);
#ifdef H5_HAVE_PARALLEL
  if (communicator)
    H5Pset_fapl_mpio(how, *(const MPI_Comm *)communicator, MPI_INFO_NULL);
#else
  assert(!communicator);
  (void)communicator;
#endif
  return how;
}

static hid_t
file_id(const char *path, enum rt_io_mode mode, bool make, hid_t how) {
  if (mode == RT_IO_READ) return H5Fopen(path, H5F_ACC_RDONLY, how);
  if (!make) return H5Fopen(path, H5F_ACC_RDWR, how);
  return H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, how); /* over no link */
}

static status
h5_close(struct rt_h5 *f) {
  status st = OK;
  /* with MPI, flushing brings all ranks' parts to disk */
  if (f->id >= 0 && f->parallel && H5Fflush(f->id, H5F_SCOPE_GLOBAL) < 0)
    st = h5_fail(f, NULL, "cannot be brought to disk");
  if (f->id >= 0 && H5Fclose(f->id) < 0)
    st = h5_fail(f, NULL, "cannot be closed");
  H5Eset_auto2(H5E_DEFAULT, f->print, f->print_data);
  free(f->path);
  free(f);
  return st;
}

/* A file that cannot be closed, as the disk is full, stays in HDF5's tables,
 * and its clean-up at exit crashes on it (1.10.8). It has nothing to do there:
 * our files are closed. */
static void
no_exit_handler(void) {
  static bool done;
  if (!done) H5dont_atexit();
  done = true;
}

static status
h5_open(const char *path, enum rt_io_mode mode, bool make,
        const void *communicator, struct rt_h5 **out) {
  struct rt_h5 *f = mem_alloc(1, sizeof *f);
  no_exit_handler();
  H5Eget_auto2(H5E_DEFAULT, &f->print, &f->print_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  f->path = strcpy(mem_alloc(strlen(path) + 1, 1), path);
  f->id = -1;
  f->parallel = communicator != NULL;
  status st = make ? OK : check_readable(path);
  SCOPED_ID how = access_by(communicator);
  if (st == OK) f->id = file_id(path, mode, make, how);
  if (st == OK && f->id < 0)
    st = h5_fail(f, NULL,
                 mode == RT_IO_READ ? "cannot be read" : "cannot be written");
  if (st == OK)
    *out = f;
  else
    h5_close(f);
  return st;
}

extern const struct rt_hdf5 op2_rt_hdf5;
const struct rt_hdf5 op2_rt_hdf5 = {
    .version = OP2_VERSION,
    .error = err_last,
    .open = h5_open,
    .close = h5_close,
    .find = h5_find,
    .read = h5_read,
    .write = h5_write,
    .show = h5_show,
    .put_int = h5_put_int,
    .put_ints = h5_put_ints,
    .put_text = h5_put_text,
    .get_int = h5_get_int,
    .get_text = h5_get_text,
    .list = h5_list,
};
