/* op_profile: which sections count at which level, and the JSON they end in. */
#include "base/str.h"
#include "op2.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int errors;

static void
on_error(int status, const char *text, void *user) {
  (void)text;
  (void)user;
  errors += status;
}

/* The JSON without spaces and times: what is left is exact. */
static void
strip(const char *json, struct str *out) {
  const char *const times[] = {"\"total\": ", "\"min\": ", "\"max\": "};
  while (*json) {
    size_t skip = 0;
    for (int i = 0; i < 3; i++)
      if (!strncmp(json, times[i], strlen(times[i]))) {
        skip = strlen(times[i]);
        skip += strcspn(json + skip, ",") + 2;
      }
    json += skip;
    if (!skip && *json != '\n' && *json != ' ') str_addn(out, json, 1);
    if (!skip) json++;
  }
}

/* Run the sections at this level and compare the tree. */
static void
expect_tree(const char *level, void (*sections)(void), const char *want) {
  char path[] = "/tmp/op2_profile_XXXXXX";
  struct str json = STR_INIT, plain = STR_INIT;
  close(mkstemp(path));
  setenv("OP_PROFILE_LEVEL", level, 1);
  op_profile_start("main");
  sections();
  op_profile_end();
  op_profile_output_json(path);
  cr_assert_eq(str_read_file(&json, path), 0);
  unlink(path);
  strip(json.s, &plain);
  cr_expect_str_eq(plain.s, want);
  str_clear(&json);
  str_clear(&plain);
}

#define NODE(name, kernel, calls, children)                                    \
  "{\"name\":\"" name "\",\"kernel\":" kernel ",\"calls\":" calls              \
  ",\"children\":[" children "]}"

static void
nested(void) {
  for (int i = 0; i < 2; i++) {
    op_profile_enter("step");
    op_profile_enter_kernel("flux", "openmp", "plain");
    op_profile_enter("inner");
    op_profile_exit();
    op_profile_exit();
    op_profile_exit();
  }
  op_profile_enter("after");
  op_profile_exit();
}

Test(api_profile, level_1_leaves_kernels_out) {
  expect_tree(
      "1", nested,
      NODE("main", "false", "1",
           NODE("step", "false", "2", "") "," NODE("after", "false", "1", "")));
}

Test(api_profile, level_2_counts_kernels) {
  expect_tree("2", nested,
              NODE("main", "false", "1",
                   NODE("step", "false", "2",
                        NODE("flux(openmp,plain)", "true", "2",
                             "")) "," NODE("after", "false", "1", "")));
}

Test(api_profile, level_3_counts_inside_kernels) {
  expect_tree("3", nested,
              NODE("main", "false", "1",
                   NODE("step", "false", "2",
                        NODE("flux(openmp,plain)", "true", "2",
                             NODE("inner", "false", "2",
                                  ""))) "," NODE("after", "false", "1", "")));
}

static void
next_and_open(void) {
  op_profile_enter("a");
  op_profile_next("b");
  op_profile_enter("c \"\\");
}

Test(api_profile, next_leaves_and_end_closes) {
  expect_tree("1", next_and_open,
              NODE("main", "false", "1",
                   NODE("a", "false", "1",
                        "") "," NODE("b", "false", "1",
                                     NODE("c\\\"\\\\", "false", "1", ""))));
}

static void
exit_too_much(void) {
  op_profile_exit();
}

Test(api_profile, exit_without_section) {
  op2_set_error_handler(on_error, NULL);
  expect_tree("1", exit_too_much, NODE("main", "false", "1", ""));
  cr_expect_eq(errors, OP2_ERR_STATE);
}

Test(api_profile, level_0_keeps_nothing) {
  setenv("OP_PROFILE_LEVEL", "0", 1);
  op_profile_start("main");
  nested();
  op_profile_end();
  op_profile_output_json("/no/such/folder/is/written");
  op_profile_output();
}

Test(api_profile, level_2_runs_what_was_called_in_the_section) {
  setenv("OP_PROFILE_LEVEL", "2", 1);
  setenv("OP2_DEFER_OPAQUE", "1", 1);
  op_init(0, NULL, 0);
  cr_assert_eq(op2_kernel_source("one", "void one(int *x) { *x = 1; }"), 0);
  op_set s = op_decl_set(4, "s");
  op_dat d = op_decl_dat(s, 1, "int", NULL, "d");
  op_profile_start("main");
  op_profile_enter("section");
  op_par_loop(NULL, "one", s, op_arg_dat(d, -1, OP_ID, 1, "int", OP_WRITE));
  cr_expect_eq(op2_pending(), 1);
  op_profile_exit();
  cr_expect_eq(op2_pending(), 0);
  op_exit();
}
