/* HDF5 files in calls of the program: opened, checked and closed. */
#ifndef FRONTEND_FILES_H
#define FRONTEND_FILES_H

#include "rt/io/io.h"

/* Names of a file and of a data set in it. ERR_ARG */
status fe_file_texts(const char *file, const char *name);
/* Collective. */
status fe_file_open(const char *api, const char *path, enum rt_io_mode mode,
                    struct rt_file **out);
/* The call has come to st: closed whatever happened, kept if all went well. */
status fe_file_close(struct rt_file *f, bool keep, status st);
/* Is the data set of the shape of these rows? ERR_IO */
status fe_file_shape(struct rt_file *f, const char *name,
                     const struct rt_data *d, const struct rt_rows *r);

#endif
