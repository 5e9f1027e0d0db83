/* Entries in the program: found by their whole key, for this library and this
 * processor alone; damage is told and ignored. Programs: test/cache/bundle.sh.
 * */
#include "base/counters.h"
#include "base/log.h"
#include "include/op2_blob.h"
#include "lower/bundle.h"
#include "lower/entry.h"
#include "lower/made.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct str file = STR_INIT; /* entries, as they are in a program */

static void
set_up(void) {
  log_level = 0;
}

static void
tear_down(void) {
  low_made_close();
  str_clear(&file);
}

TestSuite(bundle, .init = set_up, .fini = tear_down);

/* An entry of `version` (NULL: this one) and `cpu`. */
static void
add(const char *version, const char *cpu, const char *key, const char *bytes) {
  struct str whole = STR_INIT;
  if (version)
    str_add(&whole, version);
  else
    low_entry_version(&whole);
  str_printf(&whole, "%sregion\n%s", cpu, key);
  struct low_parts p = {
      {"", 0}, {whole.s, whole.len}, {bytes, strlen(bytes)}, 0};
  while (file.len % LOW_ENTRY_ALIGN) str_addn(&file, "", 1);
  low_entry_make(&p, &file);
  str_clear(&whole);
}

static void
expect(const char *key, const char *bytes) {
  struct str k = STR_INIT;
  struct low_made m = {"region", "x", &k, ""};
  struct low_entry e;
  str_add(&k, key);
  bool found = low_made_find(&m, &e);
  cr_expect_eq(found, bytes != NULL, "%s", key);
  if (found && bytes) {
    cr_expect_null(e.file);
    cr_expect_eq(e.n, strlen(bytes));
    cr_expect_eq(memcmp(e.bytes, bytes, e.n), 0);
    low_entry_clear(&e);
  }
  str_clear(&k);
}

Test(bundle, entries_of_this_library_and_processor_are_found) {
  add(NULL, "cpu A\n", "key", "for A");
  add(NULL, "cpu B\n", "key", "for B, which is longer");
  add(NULL, "cpu B\n", "key2", "");
  add("op2lazy 0.0\n", "cpu A\n", "key3", "of another library");
  op2_bundle_register(file.s, file.len);
  expect("key", NULL);
  low_made_open("cpu A\n", true);
  expect("key", "for A");
  expect("key2", NULL);
  expect("key3", NULL);
  low_made_open("cpu B\n", true);
  expect("key", "for B, which is longer");
  expect("key2", "");
  expect("ke", NULL);
  low_made_open("cpu B\n", false);
  expect("key", NULL);
  op2_bundle_unregister(file.s);
  cr_expect_eq(counters[CNT_cache_bad], 0);
}

Test(bundle, what_was_not_found_is_told) {
  struct str s = STR_INIT;
  add(NULL, "cpu A\n", "key", "1");
  add(NULL, "cpu B\n", "key", "2");
  add(NULL, "cpu C\n", "key", "3");
  add("op2lazy 0.0\n", "cpu A\n", "key", "4");
  low_made_open("cpu A\n", true);
  low_bundle_tell(&s);
  cr_expect_not_null(strstr(s.s, "op2cc --bundle puts"), "%s", s.s);
  op2_bundle_register(file.s, file.len);
  str_reset(&s);
  low_bundle_tell(&s);
  cr_expect_not_null(strstr(s.s, "1 entries are for this processor"), "%s",
                     s.s);
  cr_expect_not_null(strstr(s.s, "2 are for other processors, 1 for other"),
                     "%s", s.s);
  op2_bundle_unregister(file.s);
  str_clear(&s);
}

Test(bundle, objects_come_and_go) {
  struct str first = STR_INIT;
  add(NULL, "cpu A\n", "key", "first");
  str_addn(&first, file.s, file.len);
  str_reset(&file);
  add(NULL, "cpu A\n", "key", "second");
  add(NULL, "cpu A\n", "key2", "second alone");
  low_made_open("cpu A\n", true);
  op2_bundle_register(first.s, first.len);
  op2_bundle_register(file.s, file.len);
  expect("key", "first");
  expect("key2", "second alone");
  op2_bundle_unregister(first.s);
  expect("key", "second");
  op2_bundle_unregister(first.s);
  op2_bundle_unregister(file.s);
  expect("key", NULL);
  str_clear(&first);
}

/* A changed bit anywhere in an entry: it is gone, and nothing else. */
Test(bundle, damage_is_told_and_ignored) {
  add(NULL, "cpu A\n", "key", "bytes of this one");
  size_t first = file.len;
  add(NULL, "cpu A\n", "key2", "of that");
  low_made_open("cpu A\n", true);
  for (size_t k = 0; k < first; k++) {
    file.s[k] ^= 4;
    counters[CNT_cache_bad] = 0;
    op2_bundle_register(file.s, file.len);
    expect("key", NULL);
    expect("key2", "of that");
    cr_assert_eq(counters[CNT_cache_bad], 1, "byte %zu", k);
    op2_bundle_unregister(file.s);
    file.s[k] ^= 4;
  }
  for (size_t n = 0; n < file.len; n++) {
    op2_bundle_register(file.s, n);
    expect("key2", NULL);
    op2_bundle_unregister(file.s);
  }
}
