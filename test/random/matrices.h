/* Matrices. A sparsity's nonzeros are a set, `rdim` elements for each, row by row of its
 * block; a matrix is a dat on it, of cdim values, and local matrices are blocks
 * through maps to it (MAP_LOCAL), whose row of an element has entry
 *   (i * rdim + r) * arity of columns + j
 * for row r of the block of row entry i and column entry j. So rules and values of
 * loops are those of any other dat. Whatever else there is of matrices is here. */
#ifndef RANDOM_MATRICES_H
#define RANDOM_MATRICES_H

#include "interp.h"

/* The sparsity whose nonzeros a set has; NULL: an ordinary set. */
const struct psparsity *sparsity_of(const struct program *p, int set);
bool dat_is_matrix(const struct program *p, int dat);
/* Row and column sets. */
int sparsity_rows(const struct program *p, const struct psparsity *s);
int sparsity_columns(const struct program *p, const struct psparsity *s);
/* Nonzeros from their maps; false: something does not belong together. */
bool matrices_settle(struct program *p);
/* A map of local matrices: its dim; entry j of row e. */
bool local_map_settle(const struct program *p, struct pmap *m);
int local_map_entry(const struct program *p, const struct pmap *m, int e,
                    int j);

/* Operations on matrices. A set of rows or columns is its number + 1; 0: NULL. */
bool matrix_run(struct world *w, const struct op *o, struct seen *seen);
/* Is what local matrices leave in this element of the matrix' set dropped? */
bool matrix_drops(const struct world *w, int dat, int element);

/* Sparsities, matrices and vectors of this type, in some programs. */
void matrices_draw(struct program *p, struct rnd *r, char type, int dim);
/* What a DO_MULT... is to do, drawn; false: there is nothing. */
bool matrix_draw_op(const struct program *p, struct rnd *r, struct op *o);

#endif
