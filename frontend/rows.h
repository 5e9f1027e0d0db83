/* A dat's values as rows of a data set. Of these each rank has a block, one
 * rank's behind the other's: the elements that it declared, a like share where
 * each declares all, or where rows have an order of their own
 * (row_order.c). */
#ifndef FRONTEND_ROWS_H
#define FRONTEND_ROWS_H

#include "rt/io/io.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_dat;
struct fe_map;
struct fe_set;

/* Rows over the elements of a set that this rank writes, and that it reads:
 * all, if each rank declares all. */
struct rt_rows fe_rows_own(const op_set_core *set, int dim, struct type type);
struct rt_rows fe_rows_seen(const op_set_core *set, int dim, struct type type);
/* Those that this rank writes of a dat. */
struct rt_rows fe_rows_of(const struct fe_dat *d);
/* A data set of n values, equal on all ranks: rank 0 writes it, all read it. */
struct rt_rows fe_rows_one(idx_g n, struct type type, bool writes);

/* Values of this rank's declared elements, `size` bytes each, as its rows of a
 * set: *out is `declared`, or GIVE *kept. Collective. */
status fe_rows_ordered(const op_set_core *set, const void *declared,
                       size_t size, const void **out, void **kept);
/* The dat's own rows, of a current mirror; GIVE *kept, NULL if they lie in the
 * mirror. Collective. */
status fe_rows_values(const struct fe_dat *d, const void **out, void **kept);

/* The values of all elements that this rank declared, in that order; the rest
 * as above. */
status fe_rows_declared(const struct fe_dat *d, const void **out, void **kept);

/* The rows of a map that are this rank's, entries as rows of the set that they
 * lead to; -1 behind the end of a row of its own length. GIVE *out. Collective.
 */
status fe_rows_of_map(const struct fe_map *m, idx_g **out);

/* Read rows, NULL or GIVE by fe_rows_free; if one rank fails all do. */
status fe_rows_read(struct rt_file *f, const char *name,
                    const struct rt_rows *r, void **out);
void fe_rows_free(void *rows, const struct rt_rows *r);
/* What was read for a set becomes what this rank declared of it: *r and *rows
 * are replaced where rows have an order of their own. Collective. */
status fe_rows_spread(const op_set_core *set, struct rt_rows *r, void **rows);

/* The same, and then what this rank sees of it: where elements
 * have moved to other ranks, values follow. *rows and *r are replaced then.
 * Collective. */
status fe_rows_place(const op_set_core *set, struct rt_rows *r, void **rows);
/* The same for a dat, whose values they become; its mirror is there to be
 * written. */
status fe_rows_become(struct fe_dat *d, struct rt_rows *r, void **rows);
/* Values of all elements that this rank declared, in that order, as doubles, of
 * a dat of double or float whose mirror is current; and back. Collective. */
status fe_rows_to_reals(const struct fe_dat *d, double *to);
status fe_rows_from_reals(const char *api, struct fe_dat *d,
                          const double *from);

/* ---- row_order.c: rows in the order of one rank -------------------------- */

/* Are rows of the set in another order than its global numbers? */
bool fe_rows_apart(const struct fe_set *s);
/* Rows of elements by their numbers, and back, of any set; what is out of range
 * stays. Collective. */
status fe_rows_of_entries(struct fe_set *to, size_t n, const idx_g *number,
                          idx_g *row);
status fe_entries_of_rows(struct fe_set *to, size_t n, const idx_g *row,
                          idx_g *number);

/* Counts of this rank's n rows become the sums of those before, over all ranks.
 * Collective. */
status fe_rows_sum_before(idx_g *count, size_t n);

/* ---- files.c: what calls on files begin and end with --------------------- */

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
/* Is there such a data set, of this shape? ERR_IO */
status fe_file_check(struct rt_file *f, const char *name,
                     const struct rt_rows *r);
/* Could these rows be written: is nothing there, or what has this shape and
 * type? ERR_IO */
status fe_file_fits(struct rt_file *f, const char *name,
                    const struct rt_rows *r);
/* All values of a dat, whose mirror is current, to a data set. Collective. */
status fe_file_put(struct rt_file *f, const char *name, const struct fe_dat *d);
/* What a data set has for a dat, to be freed as fe_rows_read says; its values
 * from then on, whatever it held before. Collective. */
status fe_file_get(struct rt_file *f, const char *name, const struct fe_dat *d,
                   struct rt_rows *r, void **rows);
status fe_file_taken(const char *api, struct fe_dat *d, struct rt_rows *r,
                     void **rows);

#endif
