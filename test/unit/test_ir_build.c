/* ir/build.c: names, versions, second names, LIVE, clones. */
#include "ir_make.h"

#include <signal.h>

/* ---- names ------------------------------------------------------------- */

/* What a new dat of this name is called. */
static const char *
name_of(struct ir_trace *t, const char *name) {
  ir_ref d = make_dat(t, name, 0);
  return t->dats[d].name;
}

Test(build, taken_names_are_numbered) {
  struct ir_trace *t = make_trace();
  cr_assert_str_eq(name_of(t, "q"), "q");
  cr_assert_str_eq(name_of(t, "q"), "q'2");
  cr_assert_str_eq(name_of(t, "q'3"), "q'3");
  cr_assert_str_eq(name_of(t, "q"), "q'4");
  cr_assert_str_eq(name_of(t, "cells"), "cells'2");
  ir_trace_free(t);
}

Test(build, nameless_things_have_names) {
  struct ir_trace *t = make_trace();
  cr_assert_str_eq(name_of(t, ""), "anon");
  cr_assert_str_eq(name_of(t, NULL), "anon'2");
  ir_trace_free(t);
}

Test(build, kernels_have_names_of_their_own) {
  struct ir_trace *t = make_trace();
  cr_assert_str_eq(name_of(t, "k"), "k");
  cr_assert_eq(ir_find(t, IR_DECL_KERNEL, "k"), 0);
  cr_assert_eq(ir_find(t, IR_DECL_DAT, "k"), 0);
  ir_trace_free(t);
}

Test(build, find_wants_name_and_kind) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  cr_assert_eq(ir_find(t, IR_DECL_DAT, "q"), q);
  cr_assert_eq(ir_find(t, IR_DECL_SET, "q"), IR_NONE);
  cr_assert_eq(ir_find(t, IR_DECL_DAT, "qq"), IR_NONE);
  cr_assert_eq(ir_find(t, IR_DECL_MAP, "nb"), 0);
  ir_trace_free(t);
}

Test(build, thousands_of_one_name) {
  struct ir_trace *t = make_trace();
  for (int i = 0; i < 20000; i++) make_dat(t, "tmp", 0);
  cr_assert_str_eq(t->dats[19999].name, "tmp'20000");
  ir_trace_free(t);
}

/* ---- versions ---------------------------------------------------------- */

Test(build, accesses_take_and_make_versions) {
  static const struct {
    enum access access;
    uint32_t in, out;
  } rows[] = {{ACC_READ, 0, UINT32_MAX},
              {ACC_WRITE, UINT32_MAX, 1},
              {ACC_RW, 0, 1},
              {ACC_INC, 0, 1},
              {ACC_MIN, 0, 1},
              {ACC_MAX, 0, 1},
              {ACC_WORK, UINT32_MAX, UINT32_MAX}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct ir_trace *t = make_trace();
    ir_ref q = make_dat(t, "q", 0), n = LOOP(t, arg(t, q, rows[i].access));
    cr_assert_eq(in_of(t, n, 0), rows[i].in, "row %zu", i);
    cr_assert_eq(out_of(t, n, 0), rows[i].out, "row %zu", i);
    assert_legal(t);
    ir_trace_free(t);
  }
}

Test(build, a_partial_write_needs_the_old) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  LOOP(t, arg(t, q, ACC_WRITE));
  ir_ref n = LOOP(t, part(t, q));
  cr_assert_eq(in_of(t, n, 0), 1);
  cr_assert_eq(out_of(t, n, 0), 2);
  ir_trace_free(t);
}

Test(build, arguments_of_one_storage_share_versions) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), v = make_view(t, "v", q);
  ir_ref n = LOOP(t, arg(t, q, ACC_INC), arg(t, q, ACC_INC), arg(t, v, ACC_RW));
  for (uint32_t k = 0; k < 3; k++) {
    cr_assert_eq(arg_of(t, n, k)->in, arg_of(t, n, 0)->in);
    cr_assert_eq(arg_of(t, n, k)->out, arg_of(t, n, 0)->out);
  }
  cr_assert_eq(t->dats[q].nvalues, 2);
  ir_trace_free(t);
}

Test(build, a_write_through_a_view_is_partial) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0), v = make_view(t, "v", q);
  cr_assert_eq(in_of(t, LOOP(t, arg(t, v, ACC_WRITE)), 0), 0);
  ir_trace_free(t);
}

Test(build, one_full_write_covers_a_partial_one_beside_it) {
  struct ir_trace *t = make_trace();
  ir_ref q = make_dat(t, "q", 0);
  ir_ref n = LOOP(t, part(t, q), arg(t, q, ACC_WRITE));
  cr_assert_eq(in_of(t, n, 0), UINT32_MAX);
  cr_assert_eq(in_of(t, n, 1), UINT32_MAX);
  ir_trace_free(t);
}

Test(build, fields_without_meaning_have_one_value) {
  struct ir_trace *t = make_trace();
  ir_ref g = make_gbl(t, "g", 0), h = make_gbl(t, "h", 0);
  struct ir_arg a[] = {
      arg(t, g, ACC_MIN),
      {.kind = IR_ARG_INFO, .access = ACC_INC, .dat = h, .map = 0, .entry = 3},
      {.kind = IR_ARG_IDX,
       .access = ACC_RW,
       .dat = g,
       .map = IR_NONE,
       .vector = 1,
       .in = 1,
       .out = 1,
       .info_of = 9},
      {.kind = IR_ARG_OFF,
       .access = ACC_RW,
       .dat = g,
       .map = 0,
       .entry = 1,
       .in = 1,
       .out = 1}};
  ir_ref n = ir_add_node(t, loop_of(4), a);
  cr_assert_eq(arg_of(t, n, 1)->access, ACC_RW);
  cr_assert_eq(arg_of(t, n, 1)->map, IR_NONE);
  for (uint32_t k = 2; k < 4; k++) {
    const struct ir_arg *b = arg_of(t, n, k);
    cr_assert(b->dat == IR_NONE && b->in == IR_NONE && b->out == IR_NONE);
    cr_assert(b->access == ACC_READ && !b->entry && !b->vector &&
              b->info_of == 0);
  }
  assert_legal(t);
  ir_trace_free(t);
}

/* ---- second names ------------------------------------------------------ */

Test(build, an_alias_names_what_its_source_names) {
  struct ir_trace *t = make_trace();
  ir_ref a = make_dat(t, "a", 0), b = make_dat(t, "b", 0);
  ir_ref c = make_dat(t, "c", 0);
  PLAIN(t, IR_ALIAS, arg(t, a, ACC_READ), arg(t, b, ACC_WRITE));
  PLAIN(t, IR_ALIAS, arg(t, b, ACC_READ), arg(t, c, ACC_WRITE));
  cr_assert_eq(ir_same(t, t->dats[c].last), ir_find_value(t, a, 0));
  assert_legal(t);
  ir_trace_free(t);
}

Test(build, initial_classes_are_named_by_the_first_declaration) {
  struct ir_trace *t = make_trace();
  ir_ref d[4];
  for (int i = 0; i < 4; i++) d[i] = make_dat(t, "d", 0);
  ir_add_same(t, d[3], d[2]);
  ir_add_same(t, d[0], d[1]);
  ir_add_same(t, d[1], d[3]);
  for (int i = 0; i < 4; i++)
    cr_assert_eq(ir_same(t, t->dats[d[i]].last), t->dats[d[0]].last);
  assert_legal(t);
  ir_trace_free(t);
}

/* ---- LIVE -------------------------------------------------------------- */

Test(build, live_lists_what_a_flush_leaves) {
  struct ir_trace *t = make_trace();
  ir_ref written = make_dat(t, "written", 0);
  make_dat(t, "untouched", 0);
  ir_ref freed = make_dat(t, "freed", IR_DAT_TEMP);
  ir_ref temp = make_dat(t, "temp", IR_DAT_TEMP);
  ir_ref handle = make_gbl(t, "handle", 0);
  ir_ref raw = make_gbl(t, "raw", IR_DAT_RAW);
  LOOP(t, arg(t, written, ACC_RW), arg(t, freed, ACC_RW), arg(t, temp, ACC_RW),
       arg(t, handle, ACC_INC), arg(t, raw, ACC_INC));
  PLAIN(t, IR_FREE, arg(t, freed, ACC_READ));
  ir_add_live(t);
  struct str text = STR_INIT;
  ir_print(t, &text);
  cr_assert(strstr(text.s, "\n  live %written.1, %temp.1, %handle.1\n"));
  str_clear(&text);
  assert_legal(t);
  ir_trace_free(t);
}

Test(build, live_of_nothing) {
  struct ir_trace *t = make_trace();
  struct str text = STR_INIT;
  ir_add_live(t);
  ir_print(t, &text);
  cr_assert(strstr(text.s, "\n  live none\n"));
  str_clear(&text);
  ir_trace_free(t);
}

/* ---- clones ------------------------------------------------------------ */

Test(build, a_clone_outlives_its_original) {
  uint64_t r = 5;
  struct ir_trace *t = random_trace(&r, 5, 20);
  t->nodes[3].file = arena_str(&t->arena, "a.c");
  ir_remark(t, "remark %d", 7);
  struct str before = STR_INIT, after = STR_INIT;
  ir_print(t, &before);
  struct ir_trace *c = ir_trace_clone(t);
  ir_trace_free(t);
  ir_print(c, &after);
  cr_assert_str_eq(after.s, before.s);
  cr_assert_str_eq(c->remarks[0], "remark 7");
  cr_assert_eq(ir_find(c, IR_DECL_DAT, "d'3"), 2);
  cr_assert_str_eq(name_of(c, "d"), "d'6");
  ir_trace_free(c);
  str_clear(&before);
  str_clear(&after);
}
