/* base/: arena, text, tables, options, errors, counters. */
#include "base/arena.h"
#include "base/counters.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/kept.h"
#include "base/module.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/table.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- arena ------------------------------------------------------------- */

Test(arena, memory_is_zero_and_aligned) {
  struct arena a = {0};
  for (size_t n = 0; n < 5000; n += 37) {
    unsigned char *p = arena_alloc(&a, n);
    cr_assert_eq((uintptr_t)p % 16, 0, "%zu bytes at %p", n, (void *)p);
    for (size_t i = 0; i < n; i++) cr_assert_eq(p[i], 0);
    memset(p, 0xff, n);
  }
  arena_clear(&a);
}

Test(arena, blocks_stay_where_they_are) {
  struct arena a = {0};
  char *list[200];
  for (int i = 0; i < 200; i++) list[i] = arena_printf(&a, "%0*d", i * 100, i);
  for (int i = 0; i < 200; i++) cr_assert_eq(atoi(list[i]), i);
  arena_clear(&a);
}

Test(arena, larger_than_a_block) {
  struct arena a = {0};
  char *small = arena_str(&a, "before");
  char *p = arena_alloc(&a, 1 << 20);
  p[(1 << 20) - 1] = 1;
  cr_assert_str_eq(small, "before");
  arena_clear(&a);
  cr_assert_eq(a.used, 0);
}

Test(arena, overflow_of_a_size_aborts, .signal = SIGABRT) {
  mem_alloc(SIZE_MAX / 2, 3);
}

/* ---- text -------------------------------------------------------------- */

Test(str, grows_and_stays_terminated) {
  struct str b = STR_INIT;
  for (int i = 0; i < 1000; i++) {
    str_printf(&b, "%d,", i % 10);
    cr_assert_eq(strlen(b.s), b.len);
  }
  cr_assert_eq(b.len, 2000);
  str_reset(&b);
  cr_assert_str_eq(b.s, "");
  str_clear(&b);
  cr_assert_str_eq(b.s, "");
}

Test(str, printf_longer_than_the_buffer) {
  struct str b = STR_INIT;
  str_printf(&b, "%5000d", 7);
  cr_assert_eq(b.len, 5000);
  cr_assert_eq(b.s[4999], '7');
  str_clear(&b);
}

Test(str, quote_spells_out_what_would_break_a_line) {
  struct str b = STR_INIT;
  str_quote(&b, "a\"b\\c\nd\te\x01\xc3\xa4");
  cr_assert_str_eq(b.s, "\"a\\\"b\\\\c\\nd\\te\\x01\xc3\xa4\"");
  str_clear(&b);
}

Test(str, json_spells_control_bytes_its_way) {
  struct str b = STR_INIT;
  str_json(&b, "a\"b\\c\nd\te\x01\xc3\xa4");
  cr_assert_str_eq(b.s, "\"a\\\"b\\\\c\\nd\\te\\u0001\xc3\xa4\"");
  str_clear(&b);
}

Test(str, file_comes_back_as_written) {
  char path[] = "/tmp/op2-str-XXXXXX";
  int fd = mkstemp(path);
  cr_assert_geq(fd, 0);
  close(fd);
  struct str b = STR_INIT, again = STR_INIT;
  for (int i = 0; i < 20000; i++) str_addn(&b, (char[]){(char)i}, 1);
  cr_assert_eq(str_write_file(&b, path), 0);
  cr_assert_eq(str_read_file(&again, path), 0);
  cr_assert_eq(again.len, b.len);
  cr_assert_arr_eq(again.s, b.s, b.len);
  remove(path);
  str_clear(&b);
  str_clear(&again);
}

Test(str, missing_file_is_an_errno) {
  struct str b = STR_INIT;
  cr_assert_eq(str_read_file(&b, "/nonexistent/file"), ENOENT);
  cr_assert_eq(str_write_file(&b, "/nonexistent/file"), ENOENT);
}

/* ---- new files --------------------------------------------------------- */

static void
file_text(const char *path, const char *want) {
  struct str s = STR_INIT;
  cr_assert_eq(str_read_file(&s, path), 0, "%s", path);
  cr_expect_str_eq(s.s, want);
  str_clear(&s);
}

static void
file_make(const char *path, const char *text) {
  struct str s = STR_INIT;
  str_add(&s, text);
  cr_assert_eq(str_write_file(&s, path), 0, "%s", path);
  str_clear(&s);
}

/* In a folder of its own, left behind empty. */
static void
file_folder(char *folder) {
  strcpy(folder, "/tmp/op2-file-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
  cr_assert_eq(chdir(folder), 0);
}

Test(file, the_former_one_stays_until_the_new_one_is_whole) {
  char folder[32];
  struct file_new n;
  file_folder(folder);
  file_make("a", "old");
  cr_assert_eq(file_begin(&n, "a"), 0);
  fputs("half", n.f);
  fflush(n.f);
  file_text("a", "old");
  cr_assert_eq(file_end(&n, false), 0);
  file_text("a", "old");
  cr_assert_eq(file_begin(&n, "a"), 0);
  fputs("new", n.f);
  cr_assert_eq(file_end(&n, true), 0);
  file_text("a", "new");
  unlink("a");
  cr_expect_eq(rmdir(folder), 0, "nothing is left beside it");
}

Test(file, what_lies_beside_takes_the_place_unless_it_is_a_link) {
  char folder[32];
  const char *what;
  file_folder(folder);
  file_make("a", "old");
  file_make("a.part", "new");
  cr_assert_eq(file_settle("a.part", "a", &what), 0);
  file_text("a", "new");
  cr_expect_eq(file_settle("a.part", "a", &what), ENOENT);
  cr_assert_eq(symlink("a", "a.part"), 0);
  cr_expect_eq(file_settle("a.part", "a", &what), ELOOP);
  cr_expect_str_eq(what, "cannot be brought to disk");
  file_text("a", "new");
  unlink("a.part");
  unlink("a");
  cr_expect_eq(rmdir(folder), 0);
}

Test(file, links_of_our_own_lead_on) {
  char folder[32];
  file_folder(folder);
  file_make("far", "old");
  cr_assert_eq(symlink("far", "near"), 0);
  file_make("near", "new");
  file_text("far", "new");
  unlink("near");
  unlink("far");
  cr_expect_eq(rmdir(folder), 0);
}

Test(file, devices_are_written_as_they_are) {
  file_make("/dev/null", "text");
}

/* As a shell's /dev/stdout: a file that others go on writing to. */
Test(file, open_files_are_written_as_they_are) {
  char folder[32], path[64], text[8] = "";
  file_folder(folder);
  int fd = open("a", O_RDWR | O_CREAT | O_TRUNC, 0600);
  cr_assert_geq(fd, 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  file_make(path, "new");
  cr_expect_eq(pread(fd, text, sizeof text, 0), 3);
  cr_expect_str_eq(text, "new");
  close(fd);
  file_text("a", "new");
  unlink("a");
  cr_expect_eq(rmdir(folder), 0);
}

Test(file, failures_have_their_errno) {
  struct file_new n;
  cr_expect_eq(file_begin(&n, "/nowhere/a"), ENOENT);
}

/* ---- tables ------------------------------------------------------------ */

Test(hash, a_text_is_its_bytes_and_its_end) {
  cr_assert_neq(hash_text(0, "ab"), hash_text(hash_text(0, "a"), "b"));
  cr_assert_neq(hash_text(0, ""), 0);
  cr_assert_eq(hash_text(7, NULL), hash_text(7, ""));
}

/* Every bit of a word reaches the hash, whatever it was before. */
Test(hash, one_bit_that_differs_shows) {
  for (uint64_t h = 0; h < 3; h++)
    for (int bit = 0; bit < 64; bit++)
      cr_assert_neq(hash_word(h, 5), hash_word(h, 5 ^ UINT64_C(1) << bit));
}

Test(table, prefixes_are_different_keys) {
  static const char text[] = "a long key with many prefixes";
  struct table t = {0};
  for (size_t n = 0; n < sizeof text; n++) *table_slot(&t, text, n) = n + 1;
  cr_assert_eq(t.n, sizeof text);
  for (size_t n = 0; n < sizeof text; n++)
    cr_assert_eq(table_get(&t, text, n, 0), n + 1);
  table_clear(&t);
}

struct thing {
  struct kept kept;
  int value;
};
static int cleared;
static void
thing_clear(struct kept *e) {
  cleared += ((struct thing *)e)->value;
}

Test(kept, sweeps_leave_what_is_used) {
  struct keeper k = {0};
  for (int i = 0; i < 3; i++) {
    struct thing *x = mem_alloc(1, sizeof *x);
    x->value = 1 << i;
    kept_add(&k, &x->kept, &i, sizeof i);
  }
  int key = 1;
  struct thing *x = kept_find(&k, &key, sizeof key);
  cr_assert_eq(x->value, 2);
  x->kept.used = true;
  kept_sweep(&k, thing_clear);
  cr_assert_eq(cleared, 1 + 4);
  cr_assert_eq(kept_find(&k, &key, sizeof key), x);
  cr_assert_null(kept_find(&k, &key, 1), "keys are compared whole");
  kept_sweep(&k, thing_clear);
  cr_assert_eq(cleared, 1 + 2 + 4, "the mark was for one sweep");
  kept_clear(&k, thing_clear);
  cr_assert_eq(cleared, 1 + 2 + 4);
  cr_assert_eq(k.n, 0);
}

Test(ids, numbers_are_never_given_again) {
  struct ids t = {0};
  uint32_t last = 0;
  cr_assert_eq(ids_get(&t, &last, "a", 1), 1);
  cr_assert_eq(ids_get(&t, &last, "b", 1), 2);
  cr_assert_eq(ids_get(&t, &last, "c", 1), 3);
  cr_assert_eq(ids_get(&t, &last, "a", 1), 1);
  ids_keep(&t, 3);
  ids_keep(&t, 7); /* another table's */
  ids_sweep(&t);
  cr_assert_eq(t.known.n, 1);
  cr_assert_eq(ids_get(&t, &last, "c", 1), 3);
  cr_assert_eq(ids_get(&t, &last, "a", 1), 4);
  ids_sweep(&t);
  cr_assert_eq(t.known.n, 0);
  ids_clear(&t);
}

Test(table, absent_keys_give_what_was_asked_for) {
  struct table t = {0};
  *table_slot(&t, "x", 1) = 5;
  cr_assert_eq(table_get(&t, "y", 1, 42), 42);
  table_remove(&t, "x", 1);
  cr_assert_eq(table_get(&t, "x", 1, 42), 42);
  cr_assert_eq(t.n, 0);
  table_clear(&t);
}

Test(table, many_keys) {
  struct table t = {0};
  for (uint32_t i = 0; i < 50000; i++) *table_slot(&t, &i, sizeof i) = i + 1;
  for (uint32_t i = 0; i < 50000; i++)
    cr_assert_eq(table_get(&t, &i, sizeof i, 0), i + 1);
  cr_assert_eq(t.n, 50000);
  table_clear(&t);
}

Test(table, interned_text_is_one_pointer) {
  struct table t = {0};
  struct arena a = {0};
  char copy[] = "cells";
  const char *one = intern_str(&t, &a, "cells");
  cr_assert_eq(one, intern_str(&t, &a, copy));
  cr_assert_neq(one, intern_str(&t, &a, "cell"));
  table_clear(&t);
  arena_clear(&a);
}

/* ---- options ----------------------------------------------------------- */

static const char *env_name, *env_value;
static char *
fake_env(const char *name) {
  return !strcmp(name, env_name) ? (char *)env_value : NULL;
}

static status
read_with(struct options *o, const char *name, const char *value) {
  env_name = name;
  env_value = value;
  return opt_read(o, fake_env);
}

static struct str unknown = STR_INIT;
static void
note_unknown(const char *name, const char *nearest) {
  str_printf(&unknown, "%s:%s ", name, nearest ? nearest : "-");
}

Test(opt, variables_that_are_no_options) {
  char *vars[] = {"OP2_MIRROR=1",
                  "OP2_MIROR=1",
                  "OP2_EAGRE=",
                  "OP2_CHACHE=0",
                  "OP2_TRACE_MAX_LOOP",
                  "OP2_FOO=1",
                  "OP2_WHATEVER=",
                  "OP2_INSTALL_PATH=x",
                  "OP_DIAGS=2",
                  "OP2_TEST_SEED",
                  "HOME=/",
                  NULL};
  opt_unknown(vars, note_unknown);
  cr_expect_str_eq(
      unknown.s, "OP2_MIROR:OP2_MIRROR OP2_EAGRE:OP2_EAGER "
                 "OP2_CHACHE:OP2_CACHE OP2_TRACE_MAX_LOOP:OP2_TRACE_MAX_LOOPS "
                 "OP2_FOO:- OP2_WHATEVER:- ");
  str_clear(&unknown);
}

Test(opt, defaults) {
  struct options o;
  cr_assert_eq(read_with(&o, "NONE", NULL), OK);
  cr_assert_eq(o.max_loops, 1000);
  cr_assert_eq(o.max_bytes, (size_t)16 << 20);
  cr_assert_str_eq(o.target, "openmp");
}

Test(opt, an_empty_variable_is_the_default) {
  struct options o;
  cr_assert_eq(read_with(&o, "OP2_TRACE_MAX_LOOPS", ""), OK);
  cr_assert_eq(o.max_loops, 1000);
}

Test(opt, numbers) {
  struct options o;
  cr_assert_eq(read_with(&o, "OP2_TRACE_MAX_LOOPS", "2147483647"), OK);
  cr_assert_eq(o.max_loops, INT_MAX);
  const char *const bad[] = {"2147483648", "-1", "x", "1x", "0x10", "1.5"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert_eq(read_with(&o, "OP2_TRACE_MAX_LOOPS", bad[i]), ERR_ARG, "%s",
                 bad[i]);
}

Test(opt, sizes) {
  static const struct {
    const char *text;
    size_t value;
  } good[] = {{"0", 0},
              {"123", 123},
              {"2K", 2048},
              {"3M", 3 << 20},
              {"17179869183G", (size_t)17179869183 << 30}};
  static const char *const bad[] = {
      "17179869184G", "-1", "1KB", "K", "1T", "18446744073709551616"};
  struct options o;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    cr_assert_eq(read_with(&o, "OP2_TRACE_MAX_BYTES", good[i].text), OK);
    cr_assert_eq(o.max_bytes, good[i].value, "%s", good[i].text);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert_eq(read_with(&o, "OP2_TRACE_MAX_BYTES", bad[i]), ERR_ARG, "%s",
                 bad[i]);
}

Test(opt, words) {
  struct options o;
  cr_assert_eq(read_with(&o, "NONE", NULL), OK);
  cr_assert_eq(o.wait, OPT_wait_auto);
  cr_assert_eq(o.mirror, OPT_mirror_auto);
  cr_assert_eq(read_with(&o, "OP2_WAIT", "nap"), OK);
  cr_assert_eq(o.wait, OPT_wait_nap);
  cr_assert_eq(read_with(&o, "OP2_MIRROR", "0"), OK);
  cr_assert_eq(o.mirror, OPT_mirror_0);
  cr_assert_str_eq(opt_word_text(o.mirror), "0");
}

Test(opt, a_word_of_another_option_is_none) {
  struct options o;
  cr_assert_eq(read_with(&o, "OP2_WAIT", "whole"), ERR_ARG);
  cr_assert_str_eq(err_last(), "OP2_WAIT=whole: expected auto, spin or nap");
  cr_assert_eq(o.wait, OPT_wait_auto);
  cr_assert_eq(read_with(&o, "OP2_FILES", "Root"), ERR_ARG);
  cr_assert_str_eq(err_last(), "OP2_FILES=Root: expected auto or root");
}

Test(opt, messages_name_variable_value_and_wish) {
  struct options o;
  read_with(&o, "OP2_TRACE_MAX_LOOPS", "many");
  cr_assert_str_eq(err_last(), "OP2_TRACE_MAX_LOOPS=many: expected a whole "
                               "number from 0 to 2147483647");
}

Test(opt, listed_words_are_whole) {
  cr_assert(opt_listed("fuse,dce", "dce"));
  cr_assert(opt_listed("fuse", "fuse"));
  cr_assert_not(opt_listed("fuse,dce", "dc"));
  cr_assert_not(opt_listed("fused", "fuse"));
  cr_assert_not(opt_listed("", "fuse"));
}

/* ---- errors and counters ----------------------------------------------- */

static status
fails(void) {
  FAIL(ERR_IO, "disk %d is full", 7);
}

static status
passes_on(int *reached) {
  TRY(fails());
  *reached = 1;
  return OK;
}

Test(err, try_returns_early_with_the_status) {
  int reached = 0;
  cr_assert_eq(passes_on(&reached), ERR_IO);
  cr_assert_eq(reached, 0);
  cr_assert_str_eq(err_last(), "disk 7 is full");
}

Test(err, prefix_and_quoting_keep_the_former_message) {
  fails();
  cr_assert_eq(err_prefix(ERR_IO, "step %d: ", 3), ERR_IO);
  cr_assert_str_eq(err_last(), "step 3: disk 7 is full");
  err_set(ERR_STATE, "gave up (%s)", err_last());
  cr_assert_str_eq(err_last(), "gave up (step 3: disk 7 is full)");
}

Test(err, long_messages_are_cut_not_written_past_the_end) {
  char big[10000];
  memset(big, 'x', sizeof big - 1);
  big[sizeof big - 1] = 0;
  err_set(ERR_ARG, "%s", big);
  size_t n = strlen(err_last());
  cr_assert(n >= 1000 && n < sizeof big - 1, "%zu", n);
}

Test(counters, by_name) {
  counters[CNT_loops] = 5;
  cr_assert_eq(counter_get("loops"), 5);
  cr_assert_eq(counter_get("loop"), -1);
  counters_reset();
  cr_assert_eq(counter_get("loops"), 0);
}

/* ---- module --------------------------------------------------------------- */

Test(module, constants_are_what_nobody_can_write) {
  static char written[] = "text";
  char *heap = mem_alloc(8, 1), stack[8];
  cr_expect(module_constant("text"));
  cr_expect_not(module_constant(written));
  cr_expect_not(module_constant(stack));
  cr_expect_not(module_constant(heap));
  cr_expect_not(module_constant(NULL));
  free(heap);
}

/* ---- digest ---------------------------------------------------------------- */

static void
check_digest(const char *text, size_t n, const char *want) {
  struct digest d;
  struct str hex = STR_INIT;
  digest_of(text, n, &d);
  for (size_t k = 0; k < sizeof d.bytes; k++)
    str_printf(&hex, "%02x", d.bytes[k]);
  cr_expect_str_eq(hex.s, want);
  str_clear(&hex);
}

/* FIPS 180-4's examples, and lengths around a block's end as sha256sum has them */
Test(digest, of_known_texts) {
  char zeros[64] = {0};
  check_digest("", 0,
               "e3b0c44298fc1c149afbf4c8996fb924"
               "27ae41e4649b934ca495991b7852b855");
  check_digest("abc", 3,
               "ba7816bf8f01cfea414140de5dae2223"
               "b00361a396177a9cb410ff61f20015ad");
  check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
               "248d6a61d20638b8e5c026930c3e6039"
               "a33ce45964ff2167f6ecedd419db06c1");
  check_digest(zeros, 55,
               "02779466cdec163811d078815c633f21"
               "901413081449002f24aa3e80f0b88ef7");
  check_digest(zeros, 64,
               "f5a5fd42d16a20302798ef6ed309979b"
               "43003d2320d9f0e8ea9831a92759fb4b");
}
