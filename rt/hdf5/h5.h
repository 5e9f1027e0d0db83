/* The part with HDF5, inside: see rt/io/io.h. Statuses carry messages "path:
 * data set: what was tried: HDF5's own words". */
#ifndef RT_HDF5_H5_H
#define RT_HDF5_H5_H

#include "base/arena.h"
#include "rt/io/io.h"

#include <hdf5.h>

struct rt_h5 {
  hid_t id;
  char *path;
  bool parallel;     /* all ranks have it open */
  H5E_auto2_t print; /* the program's own way of printing HDF5's errors, */
  void *print_data;  /* off while a file is open */
};

/* ERR_IO: `name` (may be NULL), what was tried, and the innermost words on
 * HDF5's error stack. */
status h5_fail(const struct rt_h5 *f, const char *name, const char *tried);

/* Is there an object of this path? Missing groups on the way are no error. */
bool h5_has(const struct rt_h5 *f, const char *name);

/* Close an identifier of any kind; negative ones are none. SCOPED_ID: one that
 * is closed where its scope ends. */
void h5_drop(const hid_t *id);
#define SCOPED_ID SCOPED_BY(h5_drop) hid_t

status h5_find(struct rt_h5 *f, const char *name, struct rt_data *out);
status h5_read(struct rt_h5 *f, const char *name, const struct rt_rows *r,
               void *out);
status h5_write(struct rt_h5 *f, const char *name, const struct rt_rows *r,
                const void *values);
status h5_show(struct rt_h5 *f, const char *name, const struct rt_part_of *of);

status h5_put_int(struct rt_h5 *f, const char *name, const char *attr,
                  long long value);
status h5_put_ints(struct rt_h5 *f, const char *name, const char *attr,
                   const int *values, size_t n);
status h5_put_text(struct rt_h5 *f, const char *name, const char *attr,
                   const char *text, size_t room);
status h5_get_int(struct rt_h5 *f, const char *name, const char *attr,
                  long long *out, bool *found_out);
status h5_get_text(struct rt_h5 *f, const char *name, const char *attr,
                   struct str *out, bool *found_out);

#endif
