/* Arguments of op_par_loop: put together here, checked by op_par_loop.
 *
 * Each function only fills the struct, a few nanoseconds. What dat and map show
 * to loops written by hand (data, size, map_data) is copied; a NULL or freed
 * handle is found, with its loop and number, by the check there. What OP2's
 * struct has no field for lies in fields that have no use here. For OP_ARG_INFO
 * `idx` is the number of the argument that it belongs to. For it and OP_ARG_GBL
 * `data_d` is the name of the memory's C type, or NULL, and `size` its bytes, 0
 * if the C type is not known; `sent` says that its result may wait (owed.c),
 * and `map_data` why not. For OP2_ARG_HANDLE `data` is the handle.
 */
#define OP2_NO_MACROS 1
#include "op2.h"

#include "op2_blob.h"

#include <limits.h>
#include <stdint.h>

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

/* One that is no dat's. */
static op_arg
arg_of(op_arg_type kind, const void *data, int dim, int idx, const char *type,
       int acc) {
  return (op_arg){.index = -1,
                  .dim = dim,
                  .idx = idx,
                  .data = (char *)data,
                  .type = type,
                  .acc = acc,
                  .argtype = kind,
                  .opt = 1};
}

op_arg
op_arg_idx(int idx, op_map map) {
  op_arg a = arg_of(OP_ARG_IDX, NULL, 1, idx, "int", OP_READ);
  a.map = map;
  return a;
}

op_arg
op2_arg_idx_long(int idx, op_map map) {
  op_arg a = arg_of(OP2_ARG_NUMBER, NULL, 1, idx, "long long", OP_READ);
  a.map = map;
  return a;
}

op_arg
op2_arg_row_length(op_map map) {
  op_arg a = arg_of(OP2_ARG_LENGTH, NULL, 1, -1, "int", OP_READ);
  a.map = map;
  return a;
}

op_arg
op2_arg_dat_packed(op_dat dat, int k, op_map map, int dim, char const *type,
                   op_access acc) {
  op_arg a = arg_of(OP2_ARG_PACKED, NULL, dim, k > INT_MIN ? -k : 0, type, acc);
  a.dat = dat;
  a.map = map;
  return a;
}

op_arg
op2_arg_dat_layer(op_dat dat, int dl, int dim, char const *type,
                  op_access acc) {
  op_arg a = arg_of(OP2_ARG_LAYER, NULL, dim, dl, type, acc);
  a.dat = dat;
  return a;
}

/* Bytes of dim components; 0 where that is not known or not an int. */
static int
arg_bytes(int dim, size_t elem_size) {
  if (dim < 1 || elem_size > (size_t)(INT_MAX / dim)) return 0;
  return dim * (int)elem_size;
}

/* What op2cc says of the argument that is made next; `sent` and `map_data` take
 * it. */
static _Thread_local struct {
  const void *at;
  const char *why;
} site;

void
op2_gbl_site(const void *at, const char *why) {
  site.at = at;
  site.why = why;
}

static void
arg_site(op_arg *a) {
  if (!site.at) return;
  if (site.at == a->data) {
    a->sent = !site.why;
    a->map_data = (int *)(uintptr_t)site.why;
  }
  site.at = NULL;
}

op_arg
op2_arg_gbl_at(int opt, void *data, int dim, const char *type, size_t elem_size,
               const char *ctype, int acc) {
  op_arg a = arg_of(OP_ARG_GBL, data, dim, -1, type, acc);
  a.size = arg_bytes(dim, elem_size);
  a.data_d = (char *)ctype;
  a.opt = opt != 0;
  arg_site(&a);
  return a;
}

op_arg
op2_arg_info_at(void *data, int dim, const char *type, size_t elem_size,
                const char *ctype, int ref) {
  op_arg a = arg_of(OP_ARG_INFO, data, dim, ref, type, OP_RW);
  a.size = arg_bytes(dim, elem_size);
  a.data_d = (char *)ctype;
  arg_site(&a);
  return a;
}

op_arg
op2_arg_gbl(op2_gbl gbl, int dim, const char *type, op_access acc) {
  return arg_of(OP2_ARG_HANDLE, gbl, dim, -1, type, acc);
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
