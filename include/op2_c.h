/* The typed part of the API for C11: macros over op2.h, which includes this
 * file. Every argument is evaluated once. A compound literal as an argument
 * needs parentheses around it. OP2_NO_MACROS leaves this file out.
 *
 *   op_dat op_decl_dat(op_set, int dim, const char *type, T *data,
 *                      const char *name)
 *     data [set->size, dim], element-major, in the program's order; copied,
 *     unless OP_NO_REALLOC is given; NULL: zeros
 *   op_dat op_decl_dat_temp(op_set, int dim, const char *type, T *ignored,
 *                           const char *name)            starts at zero
 *   op_dat op2_decl_dat_box(op_set, const int *lo_hi, int dim, const char *type,
 *                           T *data, const char *name)   on a box or grid
 *     lo_hi [2 * ndim] >= 0: widths of the halo below and above the domain, dimension
 *     by dimension; 0 in periodic ones (so far). data cover domain and halo in the
 *     order of the box: value c of point (i, j, ...) is at
 *       c + dim * (i + lo_hi[0] + w[0] * (j + lo_hi[2] + w[1] * (...)))
 *       w[d] = lo_hi[2 * d] + n[d] + lo_hi[2 * d + 1]
 *     in a grid that of colour k at (i, j) at
 *       c + dim * (i + lo_hi[0] + w[0] * (k + colours * (j + lo_hi[2])))
 *     So do fetches, mirrors and dat->set. Loops go over the box and write the domain;
 *     the halo holds what the program put there. Over ranks n[d] is what this rank's
 *     part has (op2_box_local); of points around it that are others' a look shows what
 *     these have, and what the program gives there counts for nothing
 *   void op_decl_const(int dim, const char *type, T *data)
 *   void op_decl_const2(const char *name, int dim, const char *type, T *data)
 *   void op_fetch_data(op_dat, T *out)                   out [set->size, dim]
 *   void op_fetch_data_idx(op_dat, T *out, int low, int high)  both included,
 *                                  of all ranks' elements; points of a box are counted
 *                                  as on one rank, with the halo
 *   op_arg op_arg_gbl(T *data, int dim, const char *type, op_access acc)
 *   op_arg op_opt_arg_gbl(int opt, T *data, int dim, const char *type,
 *                         op_access acc)
 *   op_arg op_arg_info(T *data, int dim, const char *type, int ref)
 *   void op_par_loop(kernel, const char *name, op_set, op_arg...)
 *   void op2_par_loop_scan(kernel, const char *name, op_set, int order, op_arg...)
 *   void op2_par_loop_levels(const char *name, op_set, op2_axis, int order,
 *                            op2_levels, op_arg...)
 *   op2_levels op2_levels_of(op2_level(kernel, struct op2_interval), ...)
 *
 * T is compared with `type` ("double:soa" is a double); void * and the
 * program's own types are taken at their word.
 */
#ifndef OP2_C_H
#define OP2_C_H

#include "op2.h"

/* ---- from a pointer to its type ------------------------------------------ */

#define OP2_CASE(T, result) T * : (result), const T * : (result)

/* OP2's name of the type that p points to; NULL if it has none. */
#define OP2_CTYPE(p)                                                           \
  _Generic((p),                                                                \
      OP2_CASE(double, "double"),                                              \
      OP2_CASE(float, "float"),                                                \
      OP2_CASE(int, "int"),                                                    \
      OP2_CASE(unsigned, "uint"),                                              \
      OP2_CASE(long, sizeof(long) == 8 ? "ll" : "int"),                        \
      OP2_CASE(unsigned long, sizeof(long) == 8 ? "ull" : "uint"),             \
      OP2_CASE(long long, "ll"),                                               \
      OP2_CASE(unsigned long long, "ull"),                                     \
      OP2_CASE(short, "short"),                                                \
      OP2_CASE(char, "char"),                                                  \
      OP2_CASE(signed char, "char"),                                           \
      OP2_CASE(unsigned char, "uchar"),                                        \
      OP2_CASE(_Bool, "bool"),                                                 \
      default: (const char *)0)

/* Size of what p points to; 0 for void * and for a plain 0. */
#define OP2_POINTED(p)                                                         \
  _Generic((p),                                                                \
      OP2_CASE(void, (char *)0),                                               \
      int: (char *)0,                                                          \
      long: (char *)0,                                                         \
      default: (p))
#define OP2_CSIZE(p)                                                           \
  _Generic((p),                                                                \
      OP2_CASE(void, (size_t)0),                                               \
      int: (size_t)0,                                                          \
      long: (size_t)0,                                                         \
      default: sizeof(*OP2_POINTED(p)))

#define OP2_HERE op2_here(__FILE__, __LINE__)

/* ---- declarations and fetches -------------------------------------------- */

#define op_decl_dat(set, dim, type, data, name)                                \
  (OP2_HERE, op2_decl_dat_at((set), (dim), (type), OP2_CSIZE(data),            \
                             OP2_CTYPE(data), (void *)(data), (name)))
#define op_decl_dat_temp(set, dim, type, data, name)                           \
  (OP2_HERE, op2_decl_dat_temp_at((set), (dim), (type), OP2_CSIZE(data),       \
                                  OP2_CTYPE(data), (void *)(data), (name)))
#define op2_decl_dat_box(set, lo_hi, dim, type, data, name)                    \
  (OP2_HERE,                                                                   \
   op2_decl_dat_box_at((set), (lo_hi), (dim), (type), OP2_CSIZE(data),         \
                       OP2_CTYPE(data), (void *)(data), (name)))
#define op_decl_const(dim, type, data)                                         \
  (OP2_HERE, op2_decl_const_at(0, (dim), (type), OP2_CSIZE(data),              \
                               OP2_CTYPE(data), (const void *)(data)))
#define op_decl_const2(name, dim, type, data)                                  \
  (OP2_HERE, op2_decl_const_at((name), (dim), (type), OP2_CSIZE(data),         \
                               OP2_CTYPE(data), (const void *)(data)))
#define op_fetch_data(dat, out)                                                \
  (OP2_HERE, op2_fetch_at((dat), (void *)(out), OP2_CSIZE(out), OP2_CTYPE(out)))
#define op_fetch_data_idx(dat, out, low, high)                                 \
  (OP2_HERE, op2_fetch_idx_at((dat), (void *)(out), OP2_CSIZE(out),            \
                              OP2_CTYPE(out), (low), (high)))

/* ---- arguments ----------------------------------------------------------- */

#define op_arg_gbl(data, dim, type, acc)                                       \
  op2_arg_gbl_at(1, (void *)(data), (dim), (type), OP2_CSIZE(data),            \
                 OP2_CTYPE(data), (acc))
#define op_opt_arg_gbl(opt, data, dim, type, acc)                              \
  op2_arg_gbl_at((opt), (void *)(data), (dim), (type), OP2_CSIZE(data),        \
                 OP2_CTYPE(data), (acc))
#define op_arg_info(data, dim, type, ref)                                      \
  op2_arg_info_at((void *)(data), (dim), (type), OP2_CSIZE(data),              \
                  OP2_CTYPE(data), (ref))

/* ---- loops --------------------------------------------------------------- */

#define op2_kernel_pure(kernel) op2_kernel_pure_of((void (*)(void))(kernel))

/* A last argument that is not counted lets the list be empty. */
#define OP2_LAST ((op_arg){0})
#define op_par_loop(kernel, name, ...)                                         \
  OP2_LOOP(kernel, name, __VA_ARGS__, OP2_LAST)
#define OP2_LOOP(kernel, name, set, ...)                                       \
  op2_par_loop_at(__FILE__, __LINE__, (void (*)(void))(kernel), (name), (set), \
                  OP2_NARGS((op_arg[]){__VA_ARGS__}), (op_arg[]){__VA_ARGS__})
#define op2_par_loop_scan(kernel, name, set, ...)                              \
  OP2_SCAN(kernel, name, set, __VA_ARGS__, OP2_LAST)
#define OP2_SCAN(kernel, name, set, order, ...)                                \
  op2_par_loop_scan_at(__FILE__, __LINE__, (void (*)(void))(kernel), (name),   \
                       (set), (order), OP2_NARGS((op_arg[]){__VA_ARGS__}),     \
                       (op_arg[]){__VA_ARGS__}, 0, 0)
#define op2_par_loop_levels(name, set, axis, order, ...)                       \
  OP2_LEVELS(name, set, axis, order, __VA_ARGS__, OP2_LAST)
#define OP2_LEVELS(name, set, axis, order, items, ...)                         \
  op2_par_loop_levels_at(__FILE__, __LINE__, (name), (set), (axis), (order),   \
                         (items), OP2_NARGS((op_arg[]){__VA_ARGS__}),          \
                         (op_arg[]){__VA_ARGS__})
#define op2_levels_of(...)                                                     \
  ((op2_levels){(const struct op2_level[]){__VA_ARGS__},                       \
                sizeof((struct op2_level[]){__VA_ARGS__}) /                    \
                    sizeof(struct op2_level)})
#define op2_level(kernel, ...)                                                 \
  ((struct op2_level){(void (*)(void))(kernel), 0, 0, __VA_ARGS__})
/* The list stands inside sizeof here, so it is not evaluated. */
#define OP2_NARGS(...)                                                         \
  ((int)(sizeof(__VA_ARGS__) / sizeof(op_arg)) - 1 +                           \
   0 * OP2_AT_MOST_64_ARGUMENTS(sizeof(__VA_ARGS__) / sizeof(op_arg) - 1))
#define OP2_AT_MOST_64_ARGUMENTS(n)                                            \
  (int)sizeof(char[(n) <= OP2_ARGS_MAX ? 1 : -1])

/* ---- calls that note where they stand ------------------------------------ */

#define op_decl_set(...) (OP2_HERE, op_decl_set(__VA_ARGS__))
#define op_decl_map(...) (OP2_HERE, op_decl_map(__VA_ARGS__))
#define op_decl_map_long(...) (OP2_HERE, op_decl_map_long(__VA_ARGS__))
#define op_decl_dat_overlay(...) (OP2_HERE, op_decl_dat_overlay(__VA_ARGS__))
#define op_free_dat_temp(...) (OP2_HERE, op_free_dat_temp(__VA_ARGS__))
#define op_print_dat_to_txtfile(...)                                           \
  (OP2_HERE, op_print_dat_to_txtfile(__VA_ARGS__))
#define op_print_dat_to_binfile(...)                                           \
  (OP2_HERE, op_print_dat_to_binfile(__VA_ARGS__))
#define op_decl_set_hdf5(...) (OP2_HERE, op_decl_set_hdf5(__VA_ARGS__))
#define op_decl_set_hdf5_infer_size(...)                                       \
  (OP2_HERE, op_decl_set_hdf5_infer_size(__VA_ARGS__))
#define op_decl_map_hdf5(...) (OP2_HERE, op_decl_map_hdf5(__VA_ARGS__))
#define op_decl_dat_hdf5(...) (OP2_HERE, op_decl_dat_hdf5(__VA_ARGS__))
#define op_get_const_hdf5(...) (OP2_HERE, op_get_const_hdf5(__VA_ARGS__))
#define op_write_const_hdf5(...) (OP2_HERE, op_write_const_hdf5(__VA_ARGS__))
#define op_dump_to_hdf5(...) (OP2_HERE, op_dump_to_hdf5(__VA_ARGS__))
#define op_fetch_data_hdf5_file(...)                                           \
  (OP2_HERE, op_fetch_data_hdf5_file(__VA_ARGS__))
#define op_fetch_data_hdf5_file_path(...)                                      \
  (OP2_HERE, op_fetch_data_hdf5_file_path(__VA_ARGS__))
#define op2_checkpoint(...) (OP2_HERE, op2_checkpoint(__VA_ARGS__))
#define op2_restart(...) (OP2_HERE, op2_restart(__VA_ARGS__))
#define op2_write_vtk(...) (OP2_HERE, op2_write_vtk(__VA_ARGS__))
#define op2_flush() (OP2_HERE, op2_flush())
#define op2_sync(...) (OP2_HERE, op2_sync(__VA_ARGS__))
#define op2_dat_data(...) (OP2_HERE, op2_dat_data(__VA_ARGS__))
#define op2_dat_data_rw(...) (OP2_HERE, op2_dat_data_rw(__VA_ARGS__))
#define op2_decl_subset(...) (OP2_HERE, op2_decl_subset(__VA_ARGS__))
#define op2_decl_box(...) (OP2_HERE, op2_decl_box(__VA_ARGS__))
#define op2_decl_grid(...) (OP2_HERE, op2_decl_grid(__VA_ARGS__))
#define op2_decl_axis(...) (OP2_HERE, op2_decl_axis(__VA_ARGS__))
#define op2_axis_place(...) (OP2_HERE, op2_axis_place(__VA_ARGS__))
#define op2_decl_dat_box_temp(...)                                             \
  (OP2_HERE, op2_decl_dat_box_temp(__VA_ARGS__))
#define op2_decl_map_rule(...) (OP2_HERE, op2_decl_map_rule(__VA_ARGS__))
#define op2_decl_map_grid(...) (OP2_HERE, op2_decl_map_grid(__VA_ARGS__))
#define op2_map_materialise(...) (OP2_HERE, op2_map_materialise(__VA_ARGS__))
#define op2_set_union(...) (OP2_HERE, op2_set_union(__VA_ARGS__))
#define op2_set_intersection(...) (OP2_HERE, op2_set_intersection(__VA_ARGS__))
#define op2_set_difference(...) (OP2_HERE, op2_set_difference(__VA_ARGS__))
#define op2_decl_columns(...) (OP2_HERE, op2_decl_columns(__VA_ARGS__))
#define op2_decl_columns_var(...) (OP2_HERE, op2_decl_columns_var(__VA_ARGS__))
#define op2_columns_region(...) (OP2_HERE, op2_columns_region(__VA_ARGS__))
#define op2_decl_map_columns(...) (OP2_HERE, op2_decl_map_columns(__VA_ARGS__))
#define op2_decl_map_composed(...)                                             \
  (OP2_HERE, op2_decl_map_composed(__VA_ARGS__))
#define op2_decl_map_csr(...) (OP2_HERE, op2_decl_map_csr(__VA_ARGS__))
#define op2_decl_map_padded(...) (OP2_HERE, op2_decl_map_padded(__VA_ARGS__))
#define op2_decl_map_permuted(...)                                             \
  (OP2_HERE, op2_decl_map_permuted(__VA_ARGS__))
#define op2_free(...) (OP2_HERE, op2_free(__VA_ARGS__))
#define op2_decl_gbl(...) (OP2_HERE, op2_decl_gbl(__VA_ARGS__))
#define op2_gbl_get(...) (OP2_HERE, op2_gbl_get(__VA_ARGS__))
#define op2_gbl_set(...) (OP2_HERE, op2_gbl_set(__VA_ARGS__))
#define op2_dat_zero(...) (OP2_HERE, op2_dat_zero(__VA_ARGS__))
#define op2_dat_zero_on(...) (OP2_HERE, op2_dat_zero_on(__VA_ARGS__))
#define op2_dat_copy(...) (OP2_HERE, op2_dat_copy(__VA_ARGS__))
#define op2_dat_copy_on(...) (OP2_HERE, op2_dat_copy_on(__VA_ARGS__))
#define op2_dat_scale(...) (OP2_HERE, op2_dat_scale(__VA_ARGS__))
#define op2_dat_scale_on(...) (OP2_HERE, op2_dat_scale_on(__VA_ARGS__))
#define op2_dat_axpy(...) (OP2_HERE, op2_dat_axpy(__VA_ARGS__))
#define op2_dat_axpy_on(...) (OP2_HERE, op2_dat_axpy_on(__VA_ARGS__))
#define op2_dat_axpy_gbl(...) (OP2_HERE, op2_dat_axpy_gbl(__VA_ARGS__))
#define op2_dat_axpy_gbl_on(...) (OP2_HERE, op2_dat_axpy_gbl_on(__VA_ARGS__))
#define op2_dat_dot(...) (OP2_HERE, op2_dat_dot(__VA_ARGS__))
#define op2_dat_dot_on(...) (OP2_HERE, op2_dat_dot_on(__VA_ARGS__))
#define op2_dat_norm(...) (OP2_HERE, op2_dat_norm(__VA_ARGS__))
#define op2_dat_norm_on(...) (OP2_HERE, op2_dat_norm_on(__VA_ARGS__))
#define op2_decl_sparsity(...) (OP2_HERE, op2_decl_sparsity(__VA_ARGS__))
#define op2_decl_mat(...) (OP2_HERE, op2_decl_mat(__VA_ARGS__))
#define op2_mat_mult(...) (OP2_HERE, op2_mat_mult(__VA_ARGS__))
#define op2_mat_mult_transpose(...)                                            \
  (OP2_HERE, op2_mat_mult_transpose(__VA_ARGS__))
#define op2_mat_zero(...) (OP2_HERE, op2_mat_zero(__VA_ARGS__))
#define op2_mat_zero_rows(...) (OP2_HERE, op2_mat_zero_rows(__VA_ARGS__))
#define op2_mat_set_diagonal(...) (OP2_HERE, op2_mat_set_diagonal(__VA_ARGS__))
#define op2_mat_mask(...) (OP2_HERE, op2_mat_mask(__VA_ARGS__))
#define op2_mat_csr(...) (OP2_HERE, op2_mat_csr(__VA_ARGS__))
#define op2_mat_write_hdf5(...) (OP2_HERE, op2_mat_write_hdf5(__VA_ARGS__))
#define op2_mat_read_hdf5(...) (OP2_HERE, op2_mat_read_hdf5(__VA_ARGS__))
#define op2_mat_petsc(...) (OP2_HERE, op2_mat_petsc(__VA_ARGS__))
#define op2_solve(...) (OP2_HERE, op2_solve(__VA_ARGS__))
#define op2_solve_with(...) (OP2_HERE, op2_solve_with(__VA_ARGS__))

#endif
