/* Arguments of op_par_loop: put together here, checked by op_par_loop.
 *
 * Each function only fills the struct, a few nanoseconds. What dat and map show
 * to loops written by hand (data, size, map_data) is copied; a NULL or freed
 * handle is found, with its loop and number, by the check there. What OP2's
 * struct has no field for lies in fields that have no use here. For OP_ARG_INFO
 * `idx` is the number of the argument that it belongs to. For it and OP_ARG_GBL
 * `data_d` is the name of the memory's C type, or NULL, and `size` its bytes, 0
 * if the C type is not known. For OP2_ARG_HANDLE `data` is the handle.
 */
#define OP2_NO_MACROS 1
#include "op2.h"

#include <limits.h>

/* For callers that did not inline it. */
extern inline OP2_NOT_CHECKED op_arg op_arg_dat(
    op_dat dat, int idx, op_map map, int dim, char const *type, op_access acc);

op_arg
op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim,
               char const *type, op_access acc) {
  op_arg a =
      op_arg_dat(opt ? dat : NULL, idx, opt ? map : NULL, dim, type, acc);
  a.dat = dat;
  a.map = map;
  a.opt = opt != 0;
  return a;
}

op_arg
op_arg_idx(int idx, op_map map) {
  return (op_arg){.index = -1,
                  .map = map,
                  .dim = 1,
                  .idx = idx,
                  .type = "int",
                  .acc = OP_READ,
                  .argtype = OP_ARG_IDX,
                  .opt = 1};
}

/* Bytes of dim components; 0 where that is not known or not an int. */
static int
arg_bytes(int dim, size_t elem_size) {
  if (dim < 1 || elem_size > (size_t)(INT_MAX / dim)) return 0;
  return dim * (int)elem_size;
}

op_arg
op2_arg_gbl_at(int opt, void *data, int dim, const char *type, size_t elem_size,
               const char *ctype, int acc) {
  return (op_arg){.index = -1,
                  .dim = dim,
                  .idx = -1,
                  .size = arg_bytes(dim, elem_size),
                  .data = data,
                  .data_d = (char *)ctype,
                  .type = type,
                  .acc = acc,
                  .argtype = OP_ARG_GBL,
                  .opt = opt != 0};
}

op_arg
op2_arg_info_at(void *data, int dim, const char *type, size_t elem_size,
                const char *ctype, int ref) {
  return (op_arg){.index = -1,
                  .dim = dim,
                  .idx = ref,
                  .size = arg_bytes(dim, elem_size),
                  .data = data,
                  .data_d = (char *)ctype,
                  .type = type,
                  .acc = OP_RW,
                  .argtype = OP_ARG_INFO,
                  .opt = 1};
}

op_arg
op2_arg_gbl(op2_gbl gbl, int dim, const char *type, op_access acc) {
  return (op_arg){.index = -1,
                  .dim = dim,
                  .idx = -1,
                  .data = (char *)gbl,
                  .type = type,
                  .acc = acc,
                  .argtype = OP2_ARG_HANDLE,
                  .opt = 1};
}

/* ---- OP2's untyped forms ------------------------------------------------- */

static size_t
size_given(int size) {
  return size > 0 ? (size_t)size : 0;
}

op_arg
op_arg_gbl_char(char *data, int dim, const char *type, int size,
                op_access acc) {
  return op2_arg_gbl_at(1, data, dim, type, size_given(size), NULL, acc);
}

op_arg
op_opt_arg_gbl_char(int opt, char *data, int dim, const char *type, int size,
                    op_access acc) {
  return op2_arg_gbl_at(opt, data, dim, type, size_given(size), NULL, acc);
}

op_arg
op_arg_info_char(char *data, int dim, const char *type, int size, int ref) {
  return op2_arg_info_at(data, dim, type, size_given(size), NULL, ref);
}
#include "frontend/checkpoint.h"
