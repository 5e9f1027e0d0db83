/* Files of data sets: HDF5, seen as named arrays of rows.
 *
 * A data set is values of one type in n rows of dim: of shape [n, dim], or
 * flat, [n]. Every rank reads and writes its own rows [lo, hi) of it, never
 * more. Names are paths ("a/b/c"); writing makes the groups on the way.
 * Attributes are one integer or text each.
 *
 * HDF5 lives in shared objects of its own (rt/hdf5/), one for one process and
 * one for each MPI library, opened with the first file; without it rt_io_open
 * fails and says what was looked for.
 *
 * Values are converted between the file's type and the program's only if none
 * is lost: integers to any type that holds each value, floats to wider ones.
 * Errors are ERR_IO, name the file and the data set, and say what was expected
 * and what was found. All calls are collective over the ranks.
 */
#ifndef RT_IO_H
#define RT_IO_H

#include "base/err.h"
#include "base/types.h"

struct rt_comm;
struct str;

enum rt_io_mode {
  RT_IO_READ,
  RT_IO_UPDATE, /* an existing file, or a new one */
  RT_IO_CREATE  /* a new file beside the place; a former one there stays whole
                   until rt_io_close puts the new one in its place */
};

/* This rank's part of a data set. */
struct rt_rows {
  idx_g n;      /* rows of the data set */
  idx_g lo, hi; /* rows of this rank */
  uint32_t dim;
  bool flat;  /* shape [n]; dim is 1 */
  bool grows; /* writing: one that has fewer rows gets n */
  struct type type;
};

/* Some of a data set's rows and components: [from, from + n) and [first, last).
 */
struct rt_part_of {
  const char *name;
  idx_g from, n;
  uint32_t first, last;
};

/* A data set as it is in the file. */
struct rt_data {
  bool found;
  int rank;         /* dimensions: 1 or 2; 0: a single value, n = dim = 1 */
  idx_g n, dim;     /* n of a rank of more than 2 is 0 */
  struct type type; /* TYPE_BYTES of size 0: a type that dats cannot have */
  char text[48];    /* the type in words */
};

struct rt_file; /* rt/io/io.c */

/* How ranks get at a file: all of them, where HDF5 was built for their MPI,
 * else through rank 0, in pieces; `root`: always so (OP2_FILES). */
void rt_io_set_root(bool root);
status rt_io_open(const char *path, enum rt_io_mode mode, struct rt_comm *comm,
                  struct rt_file **out);
/* Close it. CREATE: with `keep` it is now on disk, and in its place; else it is
 * gone. The file is freed in any case; NULL is allowed. */
status rt_io_close(struct rt_file *f, bool keep);
/* The worst of what the ranks have come to, for all of them: before each call
 * here that a rank might not get to. */
status rt_io_agree(struct rt_file *f, status st);
const char *rt_io_path(const struct rt_file *f);

status rt_io_find(struct rt_file *f, const char *name, struct rt_data *out);
/* out[0 .. hi-lo) rows, converted; ERR_IO if a value does not survive that.
 * The caller has seen to it that the shape fits. */
status rt_io_read(struct rt_file *f, const char *name, const struct rt_rows *r,
                  void *out);
/* Write these rows; a data set that is there already must be of this shape and
 * type, else one is made. */
status rt_io_write(struct rt_file *f, const char *name, const struct rt_rows *r,
                   const void *values);
/* Make a data set `name`, in place of one that is there, which shows these
 * values of another one of the file, n > 0 rows, of one component flat. They
 * stay where they are: it is virtual, which HDF5 reads from 1.10 on. */
status rt_io_show(struct rt_file *f, const char *name,
                  const struct rt_part_of *of);
/* Attributes of a data set, a group, or of the file (name "/"). Putting
 * replaces.
 * `room`: bytes that a text takes in the file if that is more than it has. */
status rt_io_put_int(struct rt_file *f, const char *name, const char *attr,
                     long long value);
status rt_io_put_ints(struct rt_file *f, const char *name, const char *attr,
                      const int *values, size_t n);
status rt_io_put_text(struct rt_file *f, const char *name, const char *attr,
                      const char *text, size_t room);
/* *found_out: is it there, and such a one? */
status rt_io_get_int(struct rt_file *f, const char *name, const char *attr,
                     long long *out, bool *found_out);
status rt_io_get_text(struct rt_file *f, const char *name, const char *attr,
                      struct str *out, bool *found_out);
/* Names of the data sets in a group, one call of `each` for each. */
status rt_io_list(struct rt_file *f, const char *group,
                  void (*each)(void *user, const char *name), void *user);

/* ---- what rt/hdf5/ shows: op2_rt_hdf5 ----------------------------------- */

struct rt_h5; /* a file open in this process */
struct rt_hdf5 {
  const char *version; /* first: see base/module.h */
  const char *(*error)(void);
  /* `make`: there is no such file yet. communicator: an MPI_Comm *, for those
   * built for MPI; all its ranks make the same calls then, each with its rows
   * */
  status (*open)(const char *path, enum rt_io_mode mode, bool make,
                 const void *communicator, struct rt_h5 **out);
  status (*close)(struct rt_h5 *f);
  status (*find)(struct rt_h5 *f, const char *name, struct rt_data *out);
  status (*read)(struct rt_h5 *f, const char *name, const struct rt_rows *r,
                 void *out);
  status (*write)(struct rt_h5 *f, const char *name, const struct rt_rows *r,
                  const void *values);
  status (*show)(struct rt_h5 *f, const char *name,
                 const struct rt_part_of *of);
  status (*put_int)(struct rt_h5 *f, const char *name, const char *attr,
                    long long value);
  status (*put_ints)(struct rt_h5 *f, const char *name, const char *attr,
                     const int *values, size_t n);
  status (*put_text)(struct rt_h5 *f, const char *name, const char *attr,
                     const char *text, size_t room);
  status (*get_int)(struct rt_h5 *f, const char *name, const char *attr,
                    long long *out, bool *found_out);
  status (*get_text)(struct rt_h5 *f, const char *name, const char *attr,
                     struct str *out, bool *found_out);
  status (*list)(struct rt_h5 *f, const char *group,
                 void (*each)(void *user, const char *name), void *user);
};

#endif
