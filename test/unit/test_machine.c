/* What the system tells of the processor. */
#include "lower/machine.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64];

static void
set_up(void) {
  strcpy(folder, "/tmp/op2-machine-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
}

static void
tear_down(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  cr_assert_eq(system(command), 0);
}

TestSuite(machine, .init = set_up, .fini = tear_down);

static void
put(int index, const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/index%d", folder, index);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
  FILE *f = fopen(path, "w");
  cr_assert(f);
  fprintf(f, "%s\n", text);
  fclose(f);
}

static void
expect(uint64_t bytes, unsigned shared) {
  struct low_machine_cache c = low_machine_last_cache(folder);
  cr_expect_eq(c.bytes, bytes, "%llu bytes", (unsigned long long)c.bytes);
  cr_expect_eq(c.shared, shared, "shared by %u", c.shared);
}

Test(machine, the_largest_cache_is_found) {
  expect(0, 0);
  put(0, "size", "48K");
  put(0, "shared_cpu_list", "0");
  expect(48 << 10, 1);
  put(1, "size", "32M");
  put(1, "shared_cpu_list", "0-7,64-71");
  expect(32 << 20, 16);
  put(2, "size", "64K");
  put(2, "shared_cpu_list", "0,8");
  expect(32 << 20, 16);
}

Test(machine, caches_that_nobody_is_told_to_share_are_left_out) {
  put(0, "size", "1024K");
  expect(0, 0);
  put(0, "shared_cpu_list", "3-1");
  expect(0, 0);
  put(0, "shared_cpu_list", "x");
  expect(0, 0);
}

Test(machine, processors_share_a_cache_whoever_runs_there) {
  struct low_machine_cache c = {50 << 20, 4};
  cr_expect_eq(low_machine_share(c), 10 << 20);
  c.shared = 16;
  cr_expect_eq(low_machine_share(c), LOW_SHARE_LEAST);
  c.bytes = (uint64_t)1 << 40;
  cr_expect_eq(low_machine_share(c), LOW_SHARE_MOST);
  c = (struct low_machine_cache){0, 0};
  cr_expect_eq(low_machine_share(c), LOW_SHARE_LEAST, "nobody tells");
}
