/* A dat's values as rows of a data set, of which each rank has those that it
 * declared (or, where each declares all, a like share of them). */
#ifndef FRONTEND_ROWS_H
#define FRONTEND_ROWS_H

#include "rt/io/io.h"

#define OP2_NO_MACROS 1
#include "op2.h"

struct fe_dat;

/* Rows over the elements of a set that this rank writes, and that it reads:
 * all, if each rank declares all. */
struct rt_rows fe_rows_own(const op_set_core *set, int dim, struct type type);
struct rt_rows fe_rows_seen(const op_set_core *set, int dim, struct type type);
/* A data set of n values, equal on all ranks: rank 0 writes it, all read it. */
struct rt_rows fe_rows_one(idx_g n, struct type type, bool writes);

/* The dat's own rows, of a current mirror; GIVE *kept, NULL if they lie in the
 * mirror. Collective. */
status fe_rows_values(const struct fe_dat *d, const void **out, void **kept);

/* The values of all elements that this rank declared, in that order; the rest
 * as above. */
status fe_rows_declared(const struct fe_dat *d, const void **out, void **kept);

/* Read rows, NULL or GIVE by fe_rows_free; if one rank fails all do. */
status fe_rows_read(struct rt_file *f, const char *name,
                    const struct rt_rows *r, void **out);
void fe_rows_free(void *rows, const struct rt_rows *r);

/* What was read for a set becomes what this rank sees of it: where elements
 * have moved to other ranks, values follow. *rows and *r are replaced then.
 * Collective. */
status fe_rows_place(const op_set_core *set, struct rt_rows *r, void **rows);
/* The same for a dat, whose values they become; its mirror is there to be
 * written. */
status fe_rows_become(struct fe_dat *d, struct rt_rows *r, void **rows);

#endif
