/* Whole dats as vectors, solvers, and matrices. A part of op2.h, which includes this
 * file and has what is said of all calls; doc/algebra.md has examples. */
#include "op2.h"

#ifndef OP2_ALGEBRA_H
#define OP2_ALGEBRA_H

/* ---- algebra on dats ----------------------------------------------------- */

OP2_PLAIN
/* Loops on whole dats that need no kernel: each is recorded as one loop, named
 * like the function without op2_ ("dat_axpy"), waits, and fuses with its
 * neighbours. Those with _on go over a subset of the dats' set, or that set.
 *   zero       x = 0                        copy   to = from
 *   scale      x = a x                      axpy   y = y + a x
 *   axpy_gbl   y = y + sign a x, with the value that the handle will have then
 *   dot        out = sum over elements and components of x y
 *   norm       out = the square root of the sum of x x (and a loop "dat_norm_root")
 * The dats of a call have one set, dim and type: a type with arithmetic, but
 * of zero and copy; of norm double or float. Handles have one value of that
 * type. What out held is overwritten. The same dat may stand for both. a, sign
 * as the dats' type has them; of integers a whole number that it can hold, or
 *          the negative of one
 * Sums are in any order, as OP_INC's (OP2_REPRODUCIBLE); products are not
 * contracted. error    another set, dim or type; no handle; a number that the
 * type has not */
void op2_dat_zero(op_dat x);
void op2_dat_zero_on(op_set subset, op_dat x);
void op2_dat_copy(op_dat to, op_dat from);
void op2_dat_copy_on(op_set subset, op_dat to, op_dat from);
void op2_dat_scale(op_dat x, double a);
void op2_dat_scale_on(op_set subset, op_dat x, double a);
void op2_dat_axpy(op_dat y, double a, op_dat x);
void op2_dat_axpy_on(op_set subset, op_dat y, double a, op_dat x);
void op2_dat_axpy_gbl(op_dat y, double sign, op2_gbl a, op_dat x);
void op2_dat_axpy_gbl_on(op_set subset, op_dat y, double sign, op2_gbl a,
                         op_dat x);
void op2_dat_dot(op_dat x, op_dat y, op2_gbl out);
void op2_dat_dot_on(op_set subset, op_dat x, op_dat y, op2_gbl out);
void op2_dat_norm(op_dat x, op2_gbl out);
void op2_dat_norm_on(op_set subset, op_dat x, op2_gbl out);
OP2_PLAIN_END

/* How a solver ended. residual: |b - A x| / |b|, of the x that it leaves. */
struct op2_solve_info {
  int iterations;
  double residual;
  int converged;
};
OP2_PLAIN
/* Solve A x = b, of which only y = A x is known: apply(x, y, user) records loops that
 * write all of y. It is called for each product, with dats like x; where it looks at data,
 * loops wait no longer than that.
 * x, b     dats of one set, dim and type, double or float. x is where it starts
 * options  words: "cg" (symmetric positive definite; the default), "bicgstab", "gmres";
 *            rtol=1e-8   ends when |b - A x| <= rtol |b| (2-norms over all components)
 *            maxit=1000  iterations at most (those of bicgstab apply A twice)
 *            check=10    how many iterations are recorded before the host looks at a
 *                        residual, at most 100; results do not depend on it
 *            restart=30  of gmres: vectors that it keeps, at most 200
 *          NULL: all as said. An unknown word is an error
 * info     NULL: not wanted. Not to converge is no error
 * All is recorded as loops on temporaries, with scalars in handles. b = 0 gives x = 0.
 * Returns an op2_status: OP2_ERR_STATE where an inner call failed, and told so. */
OP2_CHECKED int op2_solve_with(
    void (*apply)(op_dat x, op_dat y, void *user), void *user, op_dat x,
    op_dat b, const char *options, struct op2_solve_info *info);
OP2_PLAIN_END

/* ---- matrices ------------------------------------------------------------ */

/* Which values a matrix has: those that elements couple through pairs of maps. */
typedef struct op2_sparsity_core *op2_sparsity;
/* A block of rdim x cdim values for each of them. */
typedef struct op2_mat_core *op2_mat;
/* Rows of this rank: row e has columns column[row_ptr[e]] to
 * column[row_ptr[e + 1] - 1], ascending numbers over all ranks, and as many blocks
 * [rdim][cdim] of values, one behind the other. */
struct op2_csr {
  idx_l_t rows;
  const idx_g_t *row_ptr, *column;
  const void *values;
};

OP2_PLAIN
/* The nonzeros (rows[k][e][i], columns[k][e][j]) of all pairs k, elements e of the
 * set from which both maps of a pair lead, entries i and j; each once, whoever names
 * it again. Where rows and columns are one set, each row has its diagonal as well.
 * rows, columns  [npairs] maps whose rows have one length; those of rows lead to
 *                one set, those of columns to one; copied
 * It is a set of nonzeros that bears its name, and maps: assembling, products and
 * sums go the way of any other loop. cost 16 bytes for each (k, e, i, j) while it
 * runs, 4 of each afterwards, 24 a nonzero
 * error  maps whose rows have any length; more than 65536 nonzeros in a row, or 2^31
 *        on a rank; over ranks, after op_partition has moved elements; OP2_STATIC
 * collective over ranks; runs no loops */
op2_sparsity op2_decl_sparsity(int npairs, const op_map *rows,
                               const op_map *columns, const char *name);
/* A matrix of zeros. type: one with arithmetic. error otherwise; name, rdim, cdim.
 * cost its values. runs no loops */
op2_mat op2_decl_mat(op2_sparsity sparsity, int rdim, int cdim,
                     const char *type, const char *name);
OP2_PLAIN_END
/* The local matrix of the loop's element, rows and columns being a pair of the
 * sparsity, as one block; kernel gets T *:
 *   a[((i * rdim + r) * columns->dim + j) * cdim + c]  component (r, c) of the block
 *                                  of row entry i and column entry j
 * acc  OP_INC: the block begins at 0 and is added; OP_WRITE: it replaces what is
 *      there (of elements that meet, the last one's stays); OP_READ and the others as
 *      with op2_arg_dat_packed, whose cost and errors these are
 * error  at op_par_loop: maps that are no pair, another block or type */
op_arg op2_arg_mat(op2_mat mat, op_map rows, op_map columns, int rdim, int cdim,
                   char const *type, op_access acc);
OP2_PLAIN
/* Recorded as loops, named like the function without op2_. x, y: dats of the matrix'
 * type; x on the columns with cdim components, y on the rows with rdim; with
 * _transpose x on the rows, y on the columns. Products are not contracted; those of a
 * row are summed in the order of its columns, of the transpose as OP_INC's are.
 *   mult              y = A x
 *   mult_transpose    y = A^T x
 *   zero              A = 0
 *   zero_rows         these rows become 0, then their diagonal, unless it is 0
 *   set_diagonal      A[e][e][r][r] = value of these rows; the rest stays
 * rows   the set of rows or a subset of it; NULL: all
 * error  another set, dim or type; no diagonal: rows are not columns, or blocks not
 *        square; x is y */
void op2_mat_mult(op2_mat mat, op_dat x, op_dat y);
void op2_mat_mult_transpose(op2_mat mat, op_dat x, op_dat y);
void op2_mat_zero(op2_mat mat);
void op2_mat_zero_rows(op2_mat mat, op_set rows, double diagonal);
void op2_mat_set_diagonal(op2_mat mat, op_set rows, double value);
/* From now on what loops leave for these rows and columns in their local matrices is
 * dropped: values there stay as they are (rows of Dirichlet conditions). The other calls
 * of this section work on all rows as before.
 * rows, columns  the set of rows, of columns, or subsets of them; NULL: none. Each call
 *                replaces the one before
 * A byte a nonzero, which assembling loops read; loops "mat_mask_all", "mat_mask"
 * error  another set. collective over ranks */
void op2_mat_mask(op2_mat mat, op_set rows, op_set columns);
/* Look at the values: runs what they need. Rows are those that this rank declared. No copy, but
 * where op_partition has moved them; valid until the next call of the library. collective over
 * ranks */
struct op2_csr op2_mat_csr(op2_mat mat);
/* A matrix to an HDF5 file, and back into one that has the same nonzeros. name: a group of the
 * file; NULL: the matrix' name. An existing file keeps what else it has.
 *   name/row_start  long long [rows + 1], name/column  long long [nonzeros], ascending in a row,
 *   name/values     the matrix' type [nonzeros, rdim * cdim], blocks row by row; attributes of
 *                   the group: rows, columns, rdim, cdim. Numbers are the program's, from 0
 * Ranks write and read their own rows: a file does not tell how many there were. Runs what the
 * values need. Masks are not written. cost a copy of row_start; reading, and on
 * ranks that have parts of a box, of all, once
 * error  no libop2lazy-hdf5.so; files that cannot be opened; writing: a group of that name with
 *        another shape or type, which stays as it is, or a data set; reading: other nonzeros,
 *        blocks, or a type whose values do not fit: the matrix stays as it was. collective over
 *        ranks */
void op2_mat_write_hdf5(op2_mat mat, const char *file, const char *name);
void op2_mat_read_hdf5(op2_mat mat, const char *file, const char *name);
/* A Mat of PETSc: component r of row e is its row e * rdim + r, columns likewise. Its type is
 * AIJ, or what PETSc's database says by the matrix' name ("-NAME_mat_type") when this is first
 * asked for. Double values of AIJ in blocks of 1 x 1 are shared on one rank, others copied with
 * each call. Runs what they need; to be read, until the next call of the library; the
 * library's own: op_exit ends PETSc if this has started it. cost first 4 bytes a nonzero, 12 a
 * value if copied
 * error  NULL: not double or float; no libop2lazy-petsc.so (doc/algebra.md); another MPI
 * library. collective over ranks */
void *op2_mat_petsc(op2_mat mat);
/* op2_solve_with for y = A x. A has as many rows as columns. More words of the options:
 *   "none"           no preconditioner; unless said
 *   "jacobi"         the inverse of A's diagonal, 1 where that is 0; a loop
 *   "bjacobi" "ilu"  incomplete factors, ILU(0), of the rows and columns that this rank
 *                    declares, blocks taken apart. They are made and applied by the host,
 *                    on one thread: what waits runs in each iteration. cost 12 bytes a
 *                    value. error  a row without a pivot
 * With bicgstab and gmres they stand on the right of A: residuals are those of A x = b.
 *   "petsc ..."      a KSP of PETSc with the options that follow (doc/algebra.md), no others, but
 *                    behind "prefix=heat_" those that PETSc's database has as "-heat_...";
 *                    `converged` is its word. error  as op2_mat_petsc; an option not read
 * collective over ranks */
OP2_CHECKED int op2_solve(op2_mat mat, op_dat x, op_dat b, const char *options,
                          struct op2_solve_info *info);
OP2_PLAIN_END

#endif
