/* Dats on paper: op_print_dat_to_txtfile, _binfile, op_dump_dat, op_printf, and the
 * list of op_diagnostic_output. */
#include "base/str.h"
#include "op_lib_core.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <unistd.h>

static char path[] = "/tmp/op2_print_XXXXXX";
static op_set cells;
static int errors;
static char message[512];

static void
on_error(int status, const char *text, void *user) {
  (void)user;
  errors += status;
  snprintf(message, sizeof message, "%s", text);
}

static void
up(void) {
  close(mkstemp(path));
  op_init(0, NULL, 2);
  op2_set_error_handler(on_error, NULL);
  cells = op_decl_set(2, "cells");
}

static void
down(void) {
  op_exit();
  unlink(path);
}

static void
expect_text(const char *want) {
  struct str s = STR_INIT;
  cr_assert_eq(str_read_file(&s, path), 0);
  cr_expect_str_eq(s.s, want);
  str_clear(&s);
}

Test(api_print, doubles_as_op2_writes_them, .init = up, .fini = down) {
  double x[2][2] = {{1.5, -2}, {-0.0, 1e100}};
  op_dat d = op_decl_dat(cells, 2, "double", &x[0][0], "x");
  op_print_dat_to_txtfile(d, path);
  expect_text("2 2\n"
              " +1.500000000000000E+00 -2.000000000000000E+00\n"
              " +0.000000000000000E+00 +1.000000000000000E+100\n");
}

Test(api_print, floats_and_integers, .init = up, .fini = down) {
  float f[2] = {0.5f, -3};
  int i[2] = {7, -8};
  op_print_dat_to_txtfile(op_decl_dat(cells, 1, "float", f, "f"), path);
  expect_text("2 1\n +0.500000\n -3.000000\n");
  op_print_dat_to_txtfile(op_decl_dat(cells, 1, "int:soa", i, "i"), path);
  expect_text("2 1\n +7\n -8\n");
}

Test(api_print, wide_integers_keep_all_digits, .init = up, .fini = down) {
  ull u[2] = {0, 18446744073709551615u};
  op_print_dat_to_txtfile(op_decl_dat(cells, 1, "ull", u, "u"), path);
  expect_text("2 1\n 0\n 18446744073709551615\n");
}

Test(api_print, own_type_has_no_text, .init = up, .fini = down) {
  struct pair {
    int a, b;
  } p[2] = {{1, 2}, {3, 4}};
  op_dat d = op_decl_dat(cells, 1, "pair", p, "pairs");
  op_print_dat_to_txtfile(d, path);
  cr_expect_eq(errors, OP2_ERR_ARG);
  cr_expect(strstr(message, "test_api_print.c:"), "%s", message);
  cr_expect(strstr(message, "\"pairs\""), "%s", message);
}

Test(api_print, missing_folder, .init = up, .fini = down) {
  int i[2] = {7, -8};
  op_print_dat_to_binfile(op_decl_dat(cells, 1, "int", i, "i"),
                          "/no/such/file");
  cr_expect_eq(errors, OP2_ERR_IO);
  cr_expect(strstr(message, "/no/such/file"), "%s", message);
}

Test(api_print, null_dat, .init = up, .fini = down) {
  op_print_dat_to_txtfile(NULL, path);
  cr_expect_eq(errors, OP2_ERR_ARG);
}

Test(api_print, bytes, .init = up, .fini = down) {
  double x[2][2] = {{1.5, -2}, {3, 4}};
  struct {
    int head[2];
    double x[2][2];
  } want = {{2, 2}, {{1.5, -2}, {3, 4}}};
  op_dat d = op_decl_dat(cells, 2, "double", &x[0][0], "x");
  op_print_dat_to_binfile(d, path);
  struct str s = STR_INIT;
  cr_assert_eq(str_read_file(&s, path), 0);
  cr_assert_eq(s.len, sizeof want);
  cr_expect_arr_eq(s.s, &want, sizeof want);
  str_clear(&s);
}

Test(api_print, dump_and_lines, .init = up, .fini = down) {
  int i[2] = {7, -8};
  cr_redirect_stdout();
  op_dump_dat(op_decl_dat(cells, 1, "int", i, "i"));
  op_printf("%d %s\n", 3, "cells");
  op_print("a line");
  fflush(stdout);
  cr_expect_stdout_eq_str(" +7\n -8\n3 cells\na line\n");
}

Test(api_print, diagnostic_lists_what_lives, .init = up, .fini = down) {
  int table[2] = {1, 0};
  op_decl_map(cells, cells, 1, table, "swap");
  op_decl_dat(cells, 3, "double", NULL, "q");
  op_free_dat_temp(op_decl_dat_temp(cells, 1, "double", NULL, "gone"));
  cr_redirect_stdout();
  op_diagnostic_output();
  fflush(stdout);
  cr_expect_stdout_eq_str("\n  OP diagnostic output\n"
                          "  --------------------\n"
                          "\n       set       size\n"
                          "  -------------------\n"
                          "     cells          2\n"
                          "\n       map        dim       from         to\n"
                          "  -----------------------------------------\n"
                          "      swap          1      cells      cells\n"
                          "\n       dat        dim        set\n"
                          "  ------------------------------\n"
                          "         q          3      cells\n"
                          "\n");
}

Test(api_print, lists_of_op2, .init = up, .fini = down) {
  op_dat q = op_decl_dat(cells, 3, "double", NULL, "q");
  op_dat t = op_decl_dat_temp(cells, 1, "double", NULL, "t");
  cr_expect_eq(OP_set_index, 1);
  cr_expect_eq(OP_set_list[0], cells);
  cr_expect_eq(OP_dat_index, 2);
  cr_expect_eq(TAILQ_FIRST(&OP_dat_list)->dat, q);
  op_free_dat_temp(t);
  cr_expect_eq(OP_dat_index, 1);
}
