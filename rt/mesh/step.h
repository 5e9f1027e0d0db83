/* Steps: rows of any length along which the next entry names the target so many
 * further on, in all rows of a relation alike.
 *
 *   row 0   4 5 6        step 1, first 4        columns from below, nonzeros
 *   row 1   -            any                    of a row
 *   row 2   9 10         step 1, first 9
 *
 * Entry i of row e names first[e] + i * step. Rows lie `beside` each other if
 * they have one length and first[e] + 1 is first[e + 1]: columns of a box. The
 * table `counts` 0, 1, 2, ... where first[e] is where row e begins in it:
 * nonzeros of a matrix. */
#ifndef RT_MESH_STEP_H
#define RT_MESH_STEP_H

#include "rt/mesh/relation.h"

struct rt_steps {
  int32_t step; /* not 0; 1 where no row has two entries */
  bool beside;
  bool counts;  /* entry k of the table is k, and there is one */
  idx_l *first; /* [from->n]; of empty rows that of another: vectors read it,
                   and what lies a shift from it, which is there */
};

/* Those of a relation of rows of any length; NULL: they do not step, or have
 * one length. GIVE: rt_steps_free. cost one pass, up to the first entry that
 * breaks it, and a word for each row. ERR_MEMORY */
status rt_steps_find(const struct rt_relation *r, struct rt_steps **out);
void rt_steps_free(struct rt_steps *s); /* NULL is allowed */

/* The length that more than half of its rows have, of rows of any length but
 * empty ones, as a halo's last level has them; 0: none. cost two looks at each
 * row (R. S. Boyer, J. S. Moore, MJRTY, 1981). */
uint32_t rt_usual_length(const struct rt_relation *r);

/* Along which layers rows go; false: not all along the same ones. cost one look
 * at each row of those that step, up to the first that goes another way. */
bool rt_column_layers_find(const struct rt_relation *r,
                           struct rt_column_layers *x);

/* How far from each element x that rows name entry `entry` of x's row in `to`
 * leads: the same number for all; 0: not the same, or none. cost one pass, up
 * to the first that breaks it. */
int32_t rt_rows_shift(const struct rt_relation *rows,
                      const struct rt_relation *to, uint32_t entry);

#endif
