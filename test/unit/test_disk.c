/* The cache on disk: what is found is what was kept, byte for byte, under the
 * whole key and by the same maker. Damage and processes: test/cache/run.sh. */
#include "base/counters.h"
#include "base/log.h"
#include "lower/disk.h"
#include "lower/loader.h"
#include "lower/machine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static void
set_up(void) {
  log_level = 0;
  strcpy(folder, "/tmp/op2-disk-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
}

static void
tear_down(void) {
  char cmd[100];
  low_made_close();
  snprintf(cmd, sizeof cmd, "rm -rf %s", folder);
  cr_assert_eq(system(cmd), 0);
}

TestSuite(disk, .init = set_up, .fini = tear_down);

static void
open_for(const char *cpu, size_t max) {
  low_made_open(cpu, true);
  low_disk_open(folder, max);
}

static void
keep(const char *kind, const char *key, const char *text) {
  struct str k = STR_INIT;
  str_add(&k, key);
  struct low_made m = {kind, "x", &k, ""};
  low_made_keep(&m, text, strlen(text));
  str_clear(&k);
}

static void
expect(const char *kind, const char *key, const char *text) {
  struct str k = STR_INIT;
  struct low_made m = {kind, "x", &k, ""};
  struct low_entry e;
  str_add(&k, key);
  bool found = low_made_find(&m, &e);
  cr_expect_eq(found, text != NULL, "%s %s", kind, key);
  if (found && text) {
    cr_expect_eq(e.n, strlen(text));
    cr_expect_eq(memcmp(e.bytes, text, e.n), 0);
    cr_expect_eq((uintptr_t)e.bytes % 16, 0);
  }
  if (found) low_entry_clear(&e);
  str_clear(&k);
}

Test(disk, finds_what_was_kept) {
  open_for("cpu A", 1 << 20);
  expect("region", "key", NULL);
  keep("region", "key", "some code");
  keep("region", "key2", "");
  keep("facts", "key", "some facts");
  expect("region", "key", "some code");
  expect("region", "key2", "");
  expect("facts", "key", "some facts");
  expect("region", "ke", NULL);
  keep("region", "key", "new");
  expect("region", "key", "new");
  cr_expect_eq(counters[CNT_cache_bad], 0);
}

Test(disk, another_cpu_has_entries_of_its_own) {
  open_for("cpu A", 1 << 20);
  keep("region", "key", "code for A");
  open_for("cpu B", 1 << 20);
  expect("region", "key", NULL);
  keep("region", "key", "code for B");
  expect("region", "key", "code for B");
  open_for("cpu A", 1 << 20);
  expect("region", "key", "code for A");
  cr_expect_eq(counters[CNT_cache_bad], 0);
}

Test(disk, closed_keeps_nothing) {
  keep("region", "key", "code");
  expect("region", "key", NULL);
  open_for("cpu", 1 << 20);
  expect("region", "key", NULL);
}

Test(disk, above_the_bound_entries_go) {
  char key[16], text[1001] = "";
  memset(text, 'x', 1000);
  open_for("cpu", 20000);
  for (int k = 0; k < 100; k++) {
    snprintf(key, sizeof key, "%d", k);
    keep("region", key, text);
  }
  expect("region", "0", NULL);
  expect("region", "99", text);
}

Test(disk, a_machine_describes_itself_always_alike) {
  struct str a = STR_INIT, b = STR_INIT;
  low_machine_text(&a);
  for (int k = 0; k < 100; k++) { /* perhaps on several cores */
    str_reset(&b);
    low_machine_text(&b);
    cr_assert_str_eq(a.s, b.s);
    usleep(100);
  }
  str_clear(&a);
  str_clear(&b);
}

/* ---- the loader ----------------------------------------------------------- */

static int
twice(int x) {
  return 2 * x;
}

/* Compile `source` as MCJIT would and load it; NULL: refused. */
static rt_region_fn
load(const char *source, const char *flags, struct low_code *code) {
  char cmd[256], path[80];
  struct str s = STR_INIT;
  str_add(&s, source);
  snprintf(path, sizeof path, "%s/a.c", folder);
  cr_assert_eq(str_write_file(&s, path), 0);
  snprintf(cmd, sizeof cmd, "clang-19 -c %s %s -o %s/a.o", flags, path, folder);
  cr_assert_eq(system(cmd), 0);
  str_reset(&s);
  snprintf(path, sizeof path, "%s/a.o", folder);
  cr_assert_eq(str_read_file(&s, path), 0);
  status st = low_load(s.s, s.len, "entry", code);
  if (st != OK) code->fn = NULL;
  str_clear(&s);
  return code->fn;
}

#define LARGE "-O2 -mcmodel=large -fno-pic"

Test(disk, loads_code_constants_variables_and_calls) {
  struct low_code code;
  rt_region_fn f = load("#include <math.h>\n"
                        "static double sum, table[4] = {1, 2, 3, 4};\n"
                        "static const double *at = &table[2];\n"
                        "void entry(void *const *p, long lo, long hi) {\n"
                        "  int (*call)(int) = (int (*)(int))p[1];\n"
                        "  for (long e = lo; e < hi; e++)\n"
                        "    sum += sqrt(pow(e, *at)) * table[e & 3];\n"
                        "  *(double *)p[0] = sum + call(100);\n"
                        "}\n",
                        LARGE, &code);
  cr_assert_not_null(f, "%s", err_last());
  double out = 0;
  int (*call)(int) = twice;
  void *ptr[2] = {&out, NULL};
  memcpy(&ptr[1], &call, sizeof call);
  f(ptr, 1, 2);
  cr_expect_eq(out, 2 + 200);
  f(ptr, 1, 2);
  cr_expect_eq(out, 4 + 200);
  low_code_clear(&code);
}

Test(disk, refuses_what_it_does_not_handle) {
  struct low_code code;
  const char *calls = "extern int op2_nowhere(void);\n"
                      "int entry(void) { return op2_nowhere(); }\n";
  cr_expect_null(load(calls, LARGE, &code));
  cr_expect_not_null(strstr(err_last(), "op2_nowhere"), "%s", err_last());
  cr_expect_null(load("int entry(void) { extern int abs(int); "
                      "return abs(-1) + 1; }\n",
                      "-O0 -fno-builtin -fPIC", &code));
  cr_expect_not_null(strstr(err_last(), "kind"), "%s", err_last());
  cr_expect_null(load("int other(void) { return 1; }\n", LARGE, &code));
  cr_expect_null(load("__thread int t; int entry(void) { return t; }\n", LARGE,
                      &code));
}

/* Any single changed byte: loaded or refused, never a crash. */
Test(disk, survives_damaged_files) {
  struct low_code code;
  struct str s = STR_INIT;
  load("static double t[9]; double *u = t;\n"
       "void entry(void) { t[3] += u[2]; }\n",
       LARGE, &code);
  low_code_clear(&code);
  char path[80];
  snprintf(path, sizeof path, "%s/a.o", folder);
  cr_assert_eq(str_read_file(&s, path), 0);
  for (size_t k = 0; k < s.len; k++) {
    for (int bit = 0; bit < 8; bit += 3) {
      s.s[k] ^= (char)(1 << bit);
      if (low_load(s.s, s.len, "entry", &code) == OK) low_code_clear(&code);
      s.s[k] ^= (char)(1 << bit);
    }
    if (low_load(s.s, k / 8 * 8, "entry", &code) == OK) low_code_clear(&code);
  }
  str_clear(&s);
}
