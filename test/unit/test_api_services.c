/* Memory, clocks, arguments, ranks and the timing table of the C API. */
#include "base/str.h"
#include "op_lib_core.h"
#include "rt/plan.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <unistd.h>

static int errors;

static void
on_error(int status, const char *text, void *user) {
  (void)text;
  (void)user;
  errors += status;
}

static void
up(void) {
  op_init(0, NULL, 0);
  op2_set_error_handler(on_error, NULL);
}

/* ---- memory -------------------------------------------------------------- */

static bool
aligned(const void *p) {
  return p && (uintptr_t)p % OP2_ALIGNMENT == 0;
}

Test(api_memory, aligned_before_init) {
  void *p = op_malloc(1), *q = op_malloc(0);
  cr_expect(aligned(p) && aligned(q));
  free(p);
  op_free(q);
}

Test(api_memory, calloc_is_zero) {
  char *p = op_malloc(4096);
  memset(p, 1, 4096);
  op_free(p);
  p = op_calloc(64, 64);
  for (int i = 0; i < 4096; i++) cr_assert_eq(p[i], 0);
  op_free(p);
}

Test(api_memory, calloc_overflow) {
  cr_expect_null(op_calloc(SIZE_MAX / 2, 3));
}

Test(api_memory, realloc_keeps_contents_and_alignment) {
  size_t n = 8;
  unsigned char *p = op_realloc(NULL, n);
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)i;
  for (; n < 1 << 22; n *= 8) {
    p = op_realloc(p, 8 * n);
    cr_assert(aligned(p));
    for (size_t i = 0; i < n; i++) cr_assert_eq(p[i], (unsigned char)i);
    for (size_t i = n; i < 8 * n; i++) p[i] = (unsigned char)i;
  }
  op_free(p);
}

/* ---- clocks -------------------------------------------------------------- */

Test(api_timers, wall_clock_goes_on_while_asleep) {
  double cpu0, wall0, cpu1, wall1;
  op_timers(&cpu0, &wall0);
  usleep(20000);
  op_timers(&cpu1, &wall1);
  cr_expect_geq(wall1 - wall0, 0.02);
  cr_expect_lt(cpu1 - cpu0, 0.02);
  op_timers(NULL, NULL);
}

/* ---- arguments ----------------------------------------------------------- */

Test(api_args, dat_shows_its_memory) {
  char memory[12];
  int table[2];
  struct op_dat_core d = {.data = memory, .size = 12};
  struct op_map_core m = {.map = table};
  op_arg a = op_opt_arg_dat(7, &d, 1, &m, 3, "int", OP_RW);
  cr_expect(a.dat == &d && a.map == &m && a.opt == 1);
  cr_expect_eq(a.argtype, OP_ARG_DAT);
  cr_expect(a.idx == 1 && a.dim == 3 && a.acc == OP_RW);
  cr_expect(a.data == memory && a.size == 12 && a.map_data == table);
}

Test(api_args, dat_switched_off_is_not_looked_behind) {
  op_dat wild = (op_dat)(uintptr_t)16;
  op_arg a = op_opt_arg_dat(0, wild, 1, OP_ID, 3, "int", OP_RW);
  cr_expect(a.dat == wild && a.opt == 0 && !a.data);
  cr_expect_eq(op_opt_arg_dat(0, NULL, -1, OP_ID, 3, "int", OP_RW).opt, 0);
}

Test(api_args, global_tells_type_and_bytes) {
  double x[3] = {0};
  op_arg a = op_arg_gbl(x, 3, "double", OP_INC);
  cr_expect_eq(a.argtype, OP_ARG_GBL);
  cr_expect_eq(a.data, (char *)x);
  cr_expect_eq(a.size, 24);
  cr_expect_str_eq(a.data_d, "double");
  cr_expect_eq(op_arg_gbl(x, 1 << 30, "double", OP_INC).size, 0);
  cr_expect_eq(op_arg_gbl_char((char *)x, 3, "double", 8, OP_INC).size, 24);
}

Test(api_args, info_and_index) {
  int x;
  op_arg a = op_arg_info(&x, 1, "int", 2);
  cr_expect(a.argtype == OP_ARG_INFO && a.idx == 2);
  a = op_arg_idx(1, OP_ID);
  cr_expect(a.argtype == OP_ARG_IDX && a.idx == 1 && a.acc == OP_READ);
}

/* ---- ranks --------------------------------------------------------------- */

Test(api_ranks, alone_before_init) {
  int rank = -1;
  op_rank(&rank);
  cr_expect(rank == 0 && op_is_root());
}

Test(api_ranks, partition_changes_nothing, .init = up, .fini = op_exit) {
  op_set s = op_decl_set(3, "s");
  op_partition("PTSCOTCH", "KWAY", s, NULL, NULL);
  op_partition(NULL, NULL, NULL, NULL, NULL);
  cr_expect_eq(errors, 0);
  cr_expect_eq(OP_is_partitioned, 1);
  op_partition("", "", (op_set)&errors, NULL, NULL);
  cr_expect_eq(errors, OP2_ERR_ARG);
}

static void
free_copy(op_dat copy) {
  free(copy->data);
  free(copy->set);
  free(copy);
}

Test(api_ranks, put_and_get, .init = up, .fini = op_exit) {
  int x[3] = {1, 2, 3}, y[3] = {4, 5, 6}, z[3] = {0};
  op_dat d = op_decl_dat(op_decl_set(3, "s"), 1, "int", x, "d");
  op_dat before = op_mpi_get_data(d), next = op_mpi_get_data(d);
  memcpy(next->data, y, sizeof y);
  op_mpi_put_data(next);
  op_fetch_data(d, z);
  cr_expect_arr_eq(z, y, sizeof y);
  op_fetch_data(before, z);
  cr_expect_arr_eq(z, x, sizeof x);
  cr_expect(before->set->size == 3 && OP_dat_index == 1);
  op_mpi_put_data((op_dat)(void *)&z);
  cr_expect_eq(errors, OP2_ERR_ARG);
  free_copy(before);
  free_copy(next);
}

Test(api_ranks, copies_are_none_for_loops, .init = up, .fini = op_exit) {
  int x[3] = {1, 2, 3};
  op_set s = op_decl_set(3, "s");
  op_dat copy = op_mpi_get_data(op_decl_dat(s, 1, "int", x, "d"));
  op_arg a = op_arg_dat(copy, -1, OP_ID, 1, "int", OP_RW);
  op2_par_loop_at("here", 1, (void (*)(void))free_copy, "k", s, 1, &a);
  cr_expect_eq(errors, OP2_ERR_ARG);
  errors = 0;
  cr_expect_null(op2_dat_data_rw(copy));
  cr_expect_eq(errors, OP2_ERR_ARG);
  free_copy(copy);
}

Test(api_ranks, hints, .init = up, .fini = op_exit) {
  int table[2] = {1, 0};
  op_set s = op_decl_set(2, "s");
  op_map m = op_decl_map(s, s, 1, table, "m");
  op_renumber(NULL);
  op_renumber(m);
  op_renumber_ptr(table);
  op_force_part(table);
  cr_expect(errors == 0 && m->force_part);
  op_renumber((op_map)(void *)&errors);
  cr_expect_eq(errors, OP2_ERR_ARG);
}

/* ---- the timing table ---------------------------------------------------- */

Test(api_timing, csv, .init = up, .fini = op_exit) {
  char path[] = "/tmp/op2_csv_XXXXXX";
  close(mkstemp(path));
  rt_timer_add(rt_timer_get("plain"), 0.25, 2000000000);
  rt_timer_add(rt_timer_get("a,b \"c\""), 1, 0);
  op_timings_to_csv(path);
  struct str s = STR_INIT;
  cr_assert_eq(str_read_file(&s, path), 0);
  unlink(path);
  cr_expect(strstr(s.s,
                   "rank,thread,nranks,nthreads,count,total time,"
                   "plan time,mpi time,GB used,GB total,kernel name\n") == s.s);
  cr_expect(strstr(s.s, ",1,0.250000,0.000000,0.000000,2.000000,2.000000,"
                        "plain\n"),
            "%s", s.s);
  cr_expect(strstr(s.s, ",\"a,b \"\"c\"\"\"\n"), "%s", s.s);
  str_clear(&s);
}

Test(api_timing, op_kernels_follow_the_table, .init = up, .fini = op_exit) {
  rt_timer_add(rt_timer_get("k"), 0.5, 0);
  rt_timer_add(rt_timer_get("k"), 0.5, 0);
  op_timing_output();
  cr_assert_eq(OP_kern_max, 1);
  cr_expect_str_eq(OP_kernels[0].name, "k");
  cr_expect_eq(OP_kernels[0].count, 2);
  cr_expect_eq(OP_kernels[0].time, 1.0);
}

Test(api_timing, unwritable_file, .init = up, .fini = op_exit) {
  op_timing_output_2_file("/no/such/file");
  cr_expect_eq(errors, OP2_ERR_IO);
}
