/* Every call of the API refuses handles of another kind, freed ones, and what is no
 * handle at all, with one message that says what it found; and every call says so
 * before op_init, after op_exit, and inside a kernel. */
/* What the handler is told says what a status would. */
#pragma GCC diagnostic ignored "-Wunused-result"
#include "check.h"

enum { N = 6 };

static int nmessages, last_status;
static char message[4096];

static void
on_error(int status, const char *text, void *user) {
  (void)user;
  nmessages++;
  last_status = status;
  snprintf(message, sizeof message, "%s", text);
}

static op_set s;
static op_map m;
static op_dat a;
static op2_gbl g;
static int ints[N], table[N];
static long long long_table[N];

static void
touch(int *x) {
  *x += 1;
}
static void
sum_into(const int *x, int *sum) {
  *sum += *x;
}
static void
same(op_dat x, op_dat y, void *user) {
  (void)user;
  op2_dat_copy(y, x);
}

#define ANY(x)                                                                 \
  do {                                                                         \
    if (x) {                                                                   \
    }                                                                          \
  } while (0)
#define LOOP(set, arg) op_par_loop(touch, "touch", (set), (arg))

/* ---- calls with a handle -------------------------------------------------------- */

enum kind { SET, MAP, DAT, GBL, KINDS };

/* name | what h is to be | may it be NULL | the call */
#define CALLS(X)                                                               \
  X(decl_map_from, SET, 0, ANY(op_decl_map((op_set)h, s, 1, table, "x")))      \
  X(decl_map_to, SET, 0, ANY(op_decl_map(s, (op_set)h, 1, table, "x")))        \
  X(decl_map_long, SET, 0,                                                     \
    ANY(op_decl_map_long((op_set)h, s, 1, long_table, "x")))                   \
  X(decl_dat, SET, 0, ANY(op_decl_dat((op_set)h, 1, "int", ints, "x")))        \
  X(decl_dat_char, SET, 0,                                                     \
    ANY(op_decl_dat_char((op_set)h, 1, "int", 4, (char *)ints, "x")))          \
  X(decl_temp, SET, 0,                                                         \
    ANY(op_decl_dat_temp((op_set)h, 1, "int", (int *)NULL, "x")))              \
  X(decl_temp_char, SET, 0,                                                    \
    ANY(op_decl_dat_temp_char((op_set)h, 1, "int", 4, "x")))                   \
  X(decl_map_hdf5, SET, 0,                                                     \
    ANY(op_decl_map_hdf5((op_set)h, s, 1, "none.h5", "x")))                    \
  X(decl_dat_hdf5, SET, 0,                                                     \
    ANY(op_decl_dat_hdf5((op_set)h, 1, "int", "none.h5", "x")))                \
  X(overlay_set, SET, 0, ANY(op_decl_dat_overlay((op_set)h, a)))               \
  X(overlay_dat, DAT, 0, ANY(op_decl_dat_overlay(s, (op_dat)h)))               \
  X(free_temp, DAT, 0, ANY(op_free_dat_temp((op_dat)h)))                       \
  X(free_temp_char, DAT, 0, ANY(op_free_dat_temp_char((op_dat)h)))             \
  X(partition_set, SET, 1, op_partition("", "", (op_set)h, NULL, NULL))        \
  X(partition_map, MAP, 1, op_partition("", "", s, (op_map)h, NULL))           \
  X(partition_dat, DAT, 1, op_partition("", "", s, NULL, (op_dat)h))           \
  X(renumber, MAP, 1, op_renumber((op_map)h))                                  \
  X(loop_set, SET, 0,                                                          \
    LOOP((op_set)h, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW)))                \
  X(loop_dat, DAT, 0,                                                          \
    LOOP(s, op_arg_dat((op_dat)h, -1, OP_ID, 1, "int", OP_RW)))                \
  X(loop_map, MAP, 1, LOOP(s, op_arg_dat(a, 0, (op_map)h, 1, "int", OP_INC)))  \
  X(loop_idx, MAP, 1, LOOP(s, op_arg_idx(0, (op_map)h)))                       \
  X(loop_gbl, GBL, 0, LOOP(s, op2_arg_gbl((op2_gbl)h, 1, "int", OP_INC)))      \
  X(fetch, DAT, 0, op_fetch_data((op_dat)h, ints))                             \
  X(fetch_char, DAT, 0, op_fetch_data_char((op_dat)h, (char *)ints))           \
  X(fetch_idx, DAT, 0, op_fetch_data_idx((op_dat)h, ints, 0, 1))               \
  X(fetch_idx_char, DAT, 0,                                                    \
    op_fetch_data_idx_char((op_dat)h, (char *)ints, 0, 1))                     \
  X(fetch_file, DAT, 0, ANY(op_fetch_data_file_char((op_dat)h)))               \
  X(fetch_hdf5, DAT, 0, op_fetch_data_hdf5_file((op_dat)h, "none.h5"))         \
  X(fetch_hdf5_path, DAT, 0,                                                   \
    op_fetch_data_hdf5_file_path((op_dat)h, "none.h5", "x"))                   \
  X(get_data, DAT, 0, ANY(op_mpi_get_data((op_dat)h)))                         \
  X(put_data, DAT, 0, op_mpi_put_data((op_dat)h))                              \
  X(print_text, DAT, 0, op_print_dat_to_txtfile((op_dat)h, "none.txt"))        \
  X(print_bytes, DAT, 0, op_print_dat_to_binfile((op_dat)h, "none.bin"))       \
  X(dump_dat, DAT, 0, op_dump_dat((op_dat)h))                                  \
  X(upload, DAT, 0, op_upload_dat((op_dat)h))                                  \
  X(download, DAT, 0, op_download_dat((op_dat)h))                              \
  X(data_ptr, DAT, 0, ANY(op_get_data_ptr((op_dat)h)))                         \
  X(map_ptr, MAP, 0, ANY(op_get_map_ptr((op_map)h)))                           \
  X(size, SET, 0, ANY(op_get_size((op_set)h)))                                 \
  X(size_local, SET, 0, ANY(op_get_size_local((op_set)h)))                     \
  X(size_core, SET, 0, ANY(op_get_size_local_core((op_set)h)))                 \
  X(size_exec, SET, 0, ANY(op_get_size_local_exec((op_set)h)))                 \
  X(size_full, SET, 0, ANY(op_get_size_local_full((op_set)h)))                 \
  X(offset, SET, 0, ANY(op_get_global_set_offset((op_set)h)))                  \
  X(sync, DAT, 0, op2_sync((op_dat)h))                                         \
  X(data, DAT, 0, ANY(op2_dat_data((op_dat)h)))                                \
  X(data_rw, DAT, 0, ANY(op2_dat_data_rw((op_dat)h)))                          \
  X(gbl_get, GBL, 0, op2_gbl_get((op2_gbl)h, ints))                            \
  X(gbl_set, GBL, 0, op2_gbl_set((op2_gbl)h, ints))                            \
  X(gbl_free, GBL, 1, op2_free_gbl((op2_gbl)h))                                \
  X(zero, DAT, 0, op2_dat_zero((op_dat)h))                                     \
  X(zero_on, SET, 0, op2_dat_zero_on((op_set)h, a))                            \
  X(copy_to, DAT, 0, op2_dat_copy((op_dat)h, a))                               \
  X(copy_from, DAT, 0, op2_dat_copy(a, (op_dat)h))                             \
  X(scale, DAT, 0, op2_dat_scale((op_dat)h, 2))                                \
  X(axpy_y, DAT, 0, op2_dat_axpy((op_dat)h, 2, a))                             \
  X(axpy_x, DAT, 0, op2_dat_axpy(a, 2, (op_dat)h))                             \
  X(axpy_gbl, GBL, 0, op2_dat_axpy_gbl(a, 1, (op2_gbl)h, a))                   \
  X(dot_x, DAT, 0, op2_dat_dot((op_dat)h, a, g))                               \
  X(dot_y, DAT, 0, op2_dat_dot(a, (op_dat)h, g))                               \
  X(dot_out, GBL, 0, op2_dat_dot(a, a, (op2_gbl)h))                            \
  X(norm, DAT, 0, op2_dat_norm((op_dat)h, g))                                  \
  X(solve_x, DAT, 0, ANY(op2_solve_with(same, NULL, (op_dat)h, a, "", NULL)))

#define FUNCTION(name, kind, null, call)                                       \
  static void call_##name(void *h) {                                           \
    call;                                                                      \
  }
CALLS(FUNCTION)
#undef FUNCTION

static const struct {
  const char *name;
  enum kind kind;
  int null;
  void (*call)(void *h);
} calls[] = {
#define ROW(name, kind, null, call) {#name, kind, null, call_##name},
    CALLS(ROW)
#undef ROW
};
enum { NCALLS = sizeof calls / sizeof *calls };

/* One message, about `what`; the words that it ends with. */
static void
refused(const char *what, const char *how, int status, const char *found) {
  if (nmessages != 1)
    check_fail(__FILE__, __LINE__, "%s of %s: %d messages, expected one", what,
               how, nmessages);
  else if (last_status != status || !strstr(message, found))
    check_fail(__FILE__, __LINE__, "%s of %s: status %d, no '%s' in '%s'", what,
               how, last_status, found, message);
  nmessages = 0;
}

static void
handles(void) {
  static char nothing[256];
  static void *volatile gone; /* compilers know what was freed */
  gone = malloc(256);
  op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
  op2_gbl f = op2_decl_gbl(1, "int", NULL, "f");
  CHECK_INT(op_free_dat_temp(t), 0);
  op2_free_gbl(f);
  free(gone);
  const struct {
    void *h;
    int kind; /* -1: none */
    const char *found;
  } given[] = {{s, SET, "found set \"s\""},
               {m, MAP, "found map \"m\""},
               {a, DAT, "found dat \"a\""},
               {g, GBL, "found global \"g\""},
               {t, -1, "found a freed dat"},
               {f, -1, "found a freed global"},
               {nothing, -1, "which is no handle"},
               {gone, -1, "which is no handle"},
               {NULL, -1, "found NULL"}};
  for (int c = 0; c < NCALLS; c++)
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
      if (given[i].kind == (int)calls[c].kind) continue;
      if (!given[i].h && calls[c].null) continue;
      calls[c].call(given[i].h);
      refused(calls[c].name, given[i].found, OP2_ERR_ARG, given[i].found);
    }
}

/* ---- calls at the wrong time ------------------------------------------------------ */

/* Those that need no handle; and some that do, of each kind. */
#define EVERY(X)                                                               \
  X(ANY(op_decl_set(1, "x")))                                                  \
  X(ANY(op_decl_map(s, s, 1, table, "x")))                                     \
  X(ANY(op_decl_dat(s, 1, "int", ints, "x")))                                  \
  X(ANY(op_decl_dat_temp(s, 1, "int", (int *)NULL, "x")))                      \
  X(ANY(op_free_dat_temp(a)))                                                  \
  X(ANY(op_decl_dat_overlay(s, a)))                                            \
  X(ANY(op_decl_dat_overlay_ptr(s, (char *)ints)))                             \
  X(op_decl_const(1, "int", ints))                                             \
  X(op_partition("", "", s, NULL, NULL))                                       \
  X(op_renumber(m))                                                            \
  X(LOOP(s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW)))                        \
  X(op_fetch_data(a, ints))                                                    \
  X(op_dump_dat(a))                                                            \
  X(op_print_dat_to_txtfile(a, "none.txt"))                                    \
  X(op_print_dat_to_binfile(a, "none.bin"))                                    \
  X(op_upload_dat(a))                                                          \
  X(op_upload_all())                                                           \
  X(op_download_dat(a))                                                        \
  X(ANY(op_get_data_ptr(a)))                                                   \
  X(ANY(op_reset_data_ptr((char *)ints, 1)))                                   \
  X(ANY(op_get_map_ptr(m)))                                                    \
  X(ANY(op_reset_map_ptr(ints)))                                               \
  X(ANY(op_get_size(s)))                                                       \
  X(ANY(op_size_of_set("s")))                                                  \
  X(ANY(op_decl_set_hdf5("none.h5", "x")))                                     \
  X(op_dump_to_hdf5("none.h5"))                                                \
  X(op_get_const_hdf5("x", 1, "int", (char *)ints, "none.h5"))                 \
  X(op_write_const_hdf5("x", 1, "int", (char *)ints, "none.h5"))               \
  X(ANY(op2_checkpoint("none.h5")))                                            \
  X(ANY(op2_restart("none.h5")))                                               \
  X(op_timing_output())                                                        \
  X(op_timing_output_2_file("none.txt"))                                       \
  X(op_timings_to_csv("none.csv"))                                             \
  X(op_diagnostic_output())                                                    \
  X(op2_flush())                                                               \
  X(op2_sync(a))                                                               \
  X(ANY(op2_dat_data(a)))                                                      \
  X(ANY(op2_dat_data_rw(a)))                                                   \
  X(ANY(op2_defer_globals(0)))                                                 \
  X(ANY(op2_target_push("seq")))                                               \
  X(ANY(op2_target_pop()))                                                     \
  X(ANY(op2_decl_gbl(1, "int", NULL, "x")))                                    \
  X(op2_gbl_get(g, ints))                                                      \
  X(op2_gbl_set(g, ints))                                                      \
  X(op2_free_gbl(g))                                                           \
  X(op2_dat_zero(a))                                                           \
  X(op2_dat_axpy(a, 1, a))                                                     \
  X(op2_dat_dot(a, a, g))                                                      \
  X(ANY(op2_solve_with(same, NULL, a, a, "", NULL)))                           \
  X(ANY(op2_kernel_source("x", "void x(int *a) { *a = 1; }")))                 \
  X(ANY(op2_trace_write("none.irt")))                                          \
  X(op_exit())

static void
all_refused(const char *found) {
#define CALL(call)                                                             \
  call;                                                                        \
  refused(#call, found, OP2_ERR_STATE, found);
  EVERY(CALL)
#undef CALL
}

static void
inside(int *x) {
  static int told;
  if (!told++) all_refused("inside a kernel");
  *x += 1;
}

/* Kernels with side effects run on the host only, where they are called. */
static void
kernels(void) {
  const char *target = getenv("OP2_TARGET");
  if (target && strncmp(target, "seq", 3) && strncmp(target, "openmp", 6))
    return;
  op_par_loop(inside, "inside", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_RW));
  op_fetch_data(a, ints);
  for (int e = 0; e < N; e++) CHECK_INT(ints[e], 1);
}

/* ---- sizes that nothing has -------------------------------------------------- */

static void
sizes(void) {
  double x = 0;
  op_set few = op_decl_set(10, "few");
  nmessages = 0;
  ANY(op_decl_map(few, few, INT32_MAX, table, "x"));
  refused("a map", "INT_MAX", OP2_ERR_ARG, "found 2147483647");
  ANY(op_decl_dat(few, INT32_MAX, "double", &x, "x"));
  refused("a dat", "INT_MAX", OP2_ERR_ARG, "found 2147483647");
  ANY(op2_decl_gbl(INT32_MAX, "double", NULL, "x"));
  refused("a global", "INT_MAX", OP2_ERR_ARG, "found 2147483647");
  LOOP(few, op_arg_gbl(&x, INT32_MAX, "double", OP_READ));
  refused("a raw global", "INT_MAX", OP2_ERR_ARG, "found 2147483647");
  op_decl_const(INT32_MAX, "double", &x);
  refused("a constant", "INT_MAX", OP2_ERR_ARG, "found 2147483647");
}

static void
declare(int argc, char **argv) {
  check_start(argc, argv);
  for (int e = 0; e < N; e++) table[e] = N - 1 - e;
  memset(ints, 0, sizeof ints);
  s = op_decl_set(N, "s");
  m = op_decl_map(s, s, 1, table, "m");
  a = op_decl_dat(s, 1, "int", ints, "a");
  g = op2_decl_gbl(1, "int", NULL, "g");
}

/* What fails leaves the library as it was before, so that it may be tried again. */
static void
start_again(int argc, char **argv) {
  const char *set = getenv("OP2_LAYOUT");
  char *kept = set ? strdup(set) : NULL;
  setenv("OP2_LAYOUT", "wrong", 1);
  op_init(argc, argv, 0);
  refused("op_init", "a wrong option", OP2_ERR_ARG, "OP2_LAYOUT");
  op2_flush();
  refused("op2_flush", "after it", OP2_ERR_STATE, "op_init was not called");
  if (kept)
    setenv("OP2_LAYOUT", kept, 1);
  else
    unsetenv("OP2_LAYOUT");
  free(kept);
}

int
main(int argc, char **argv) {
  int sum = 0;
  op2_set_error_handler(on_error, NULL);
  g = (op2_gbl)(void *)ints; /* NULL may be freed */
  all_refused("op_init was not called");
  start_again(argc, argv);
  declare(argc, argv);
  CHECK_INT(nmessages, 0);
  long long loops = op2_counter("loops");
  handles();
  sizes();
  CHECK_INT(op2_counter("loops"), loops);
  op_fetch_data(a, ints);
  for (int e = 0; e < N; e++) CHECK_INT(ints[e], 0);
  kernels();
  op_par_loop(sum_into, "sum_into", s,
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  CHECK_INT(nmessages, 0);
  op_exit();
  all_refused("op_init was not called");
  declare(argc, argv); /* and again */
  CHECK_INT(nmessages, 0);
  return check_end();
}
