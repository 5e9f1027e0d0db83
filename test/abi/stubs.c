/* See stubs.h. */
#define OP2_NO_MACROS
#include "stubs.h"

struct seen seen;
int failures;

int
text_is(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

void
expect_at(int ok, const char *file, int line, const char *text) {
  if (ok) return;
  failures++;
  fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
}

/* The place is noted before the call, so it outlives what is forgotten here. */
static void
note(const char *what) {
  const char *file = seen.file;
  int line = seen.line;
  memset(&seen, 0, sizeof seen);
  strcpy(seen.what, what);
  seen.file = file;
  seen.line = line;
}

void
op2_here(const char *file, int line) {
  seen.file = file;
  seen.line = line;
}

void
op2_par_loop_typed_at(const char *file, int line, void (*kernel)(void),
                      const char *name, op_set set, int nargs,
                      const op_arg *args, const char *const *param_types,
                      int nparams) {
  note(param_types ? "typed" : "loop");
  seen.file = file;
  seen.line = line;
  seen.kernel = kernel;
  seen.name = name;
  seen.set = set;
  seen.nargs = nargs;
  seen.nparams = nparams;
  for (int a = 0; a < nargs; a++) seen.args[a] = args[a];
  for (int p = 0; p < nparams; p++) seen.params[p] = param_types[p];
}

void
op2_par_loop_scan_at(const char *file, int line, void (*kernel)(void),
                     const char *name, op_set set, int order, int nargs,
                     const op_arg *args, const char *const *param_types,
                     int nparams) {
  op2_par_loop_typed_at(file, line, kernel, name, set, nargs, args, param_types,
                        nparams);
  snprintf(seen.what, sizeof seen.what, "scan");
  seen.low = order;
}

/* Its items, of which there are up to four, and low: the order; size: how many. */
void
op2_par_loop_levels_at(const char *file, int line, const char *name, op_set set,
                       op2_axis axis, int order, op2_levels items, int nargs,
                       const op_arg *args) {
  op2_par_loop_typed_at(file, line, NULL, name, set, nargs, args, NULL, 0);
  snprintf(seen.what, sizeof seen.what, "levels");
  seen.data = axis;
  seen.low = order;
  seen.size = items.n;
  for (size_t i = 0; i < items.n && i < 4; i++) seen.items[i] = items.at[i];
}

void
op2_par_loop_at(const char *file, int line, void (*kernel)(void),
                const char *name, op_set set, int nargs, const op_arg *args) {
  op2_par_loop_typed_at(file, line, kernel, name, set, nargs, args, NULL, 0);
}

static void
note_data(const char *what, int dim, const char *type, size_t size,
          const char *ctype, const void *data, const char *name) {
  note(what);
  seen.dim = dim;
  seen.type = type;
  seen.size = size;
  seen.ctype = ctype;
  seen.data = data;
  seen.name = name;
}

op_dat
op2_decl_dat_at(op_set set, int dim, const char *type, size_t elem_size,
                const char *ctype, void *data, const char *name) {
  note_data("dat", dim, type, elem_size, ctype, data, name);
  seen.set = set;
  return NULL;
}

op_dat
op2_decl_dat_temp_at(op_set set, int dim, const char *type, size_t elem_size,
                     const char *ctype, void *ignored, const char *name) {
  note_data("temp", dim, type, elem_size, ctype, ignored, name);
  seen.set = set;
  return NULL;
}

void
op2_decl_const_at(const char *name, int dim, const char *type, size_t elem_size,
                  const char *ctype, const void *data) {
  note_data("const", dim, type, elem_size, ctype, data, name);
}

op_arg
op2_arg_gbl_at(int opt, void *data, int dim, const char *type, size_t elem_size,
               const char *ctype, int acc) {
  note_data("gbl", dim, type, elem_size, ctype, data, NULL);
  seen.opt = opt;
  seen.acc = acc;
  return (op_arg){.data = (char *)data, .acc = acc, .opt = opt};
}

op_arg
op2_arg_info_at(void *data, int dim, const char *type, size_t elem_size,
                const char *ctype, int ref) {
  note_data("info", dim, type, elem_size, ctype, data, NULL);
  return (op_arg){.data = (char *)data, .idx = ref};
}

op_arg
op_arg_idx(int idx, op_map map) {
  return (op_arg){.idx = idx, .map = map};
}

void
op2_fetch_idx_at(op_dat dat, void *out, size_t elem_size, const char *ctype,
                 int low, int high) {
  note_data("fetch", 0, NULL, elem_size, ctype, out, NULL);
  seen.dat = dat;
  seen.low = low;
  seen.high = high;
}

void
op2_fetch_at(op_dat dat, void *out, size_t elem_size, const char *ctype) {
  op2_fetch_idx_at(dat, out, elem_size, ctype, -1, -1);
}

op_set
op_decl_set(idx_l_t size, const char *name) {
  note_data("set", size, NULL, 0, NULL, NULL, name);
  return NULL;
}

void
op2_flush(void) {
  note("flush");
}
