/* The pass driver: pipelines, switches, errors, what is called when. */
#include "passes/pass.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

/* Two loops that fuse, and one on edges; q is looked at. */
static const char text[] = "trace @t {\n"
                           "  set %cells n=10\n"
                           "  set %edges n=20\n"
                           "  map %pecell : %edges -> %cells x2\n"
                           "  dat %q : %cells f64 x4\n"
                           "  dat %r : %cells f64 x4\n"
                           "  kernel @a\n"
                           "  kernel @b\n"
                           "  kernel @copy copies 0 1\n"
                           "  %q.1 = loop @a over %cells (write %q)\n"
                           "  %q.2 = loop @b over %cells (rw %q.1)\n"
                           "  %r.1 = loop @copy over %cells (read %q.2, "
                           "write %r)\n"
                           "  fetch %q.2\n"
                           "  live %q.2, %r.1\n"
                           "}\n";

static struct ir_trace *
parsed(void) {
  struct ir_trace *t = NULL;
  cr_assert_eq(ir_parse(text, "text", &t), OK, "%s", err_last());
  for (ir_ref n = 0; n < t->nnodes; n++) t->nodes[n].tag = 100 + n;
  for (ir_ref d = 0; d < t->ndats; d++) t->dats[d].tag = 200 + d;
  return t;
}

static uint32_t
regions_under(const char *disable) {
  struct ir_trace *t = parsed();
  struct pass_options o = {.disable = disable, .verify = true};
  cr_assert_eq(pass_run(&t, &o), OK, "%s", err_last());
  uint32_t n = t->nregions;
  ir_trace_free(t);
  return n;
}

Test(passes, default_pipeline_fuses_and_defers) {
  cr_assert_eq(regions_under(NULL), 1);
}

Test(passes, disabled_fuse_gives_each_loop_a_region) {
  cr_assert_eq(regions_under("fuse"), 2);
}

Test(passes, disabled_slice_and_rename_run_the_copy) {
  cr_assert_eq(regions_under("slice,rename,fuse"), 3);
}

Test(passes, disabled_storage_still_gives_memory) {
  struct ir_trace *t = parsed();
  struct pass_options o = {.disable = "storage", .verify = true};
  cr_assert_eq(pass_run(&t, &o), OK);
  cr_assert_gt(t->nbuffers, 0);
  ir_trace_free(t);
}

static status
run_pipeline(const char *pipeline, const char *disable, struct ir_trace **t) {
  *t = parsed();
  struct pass_options o = {.pipeline = pipeline, .disable = disable};
  return pass_run(t, &o);
}

Test(passes, unknown_pass_is_an_error_that_names_the_known) {
  struct ir_trace *t;
  cr_assert_eq(run_pipeline("dce,fission", NULL, &t), ERR_ARG);
  cr_assert_str_eq(err_last(),
                   "unknown pass 'fission'; known passes: number, "
                   "layout, slice, rename, dce, gather, fuse, inline, storage, "
                   "place, halo, colour, hold, width, stretch, runs, late, "
                   "tile, ahead, stream, sums, team, cores");
  ir_trace_free(t);
}

Test(passes, unknown_name_among_the_disabled_is_an_error) {
  struct ir_trace *t;
  cr_assert_eq(run_pipeline("dce", "fuse,fusion", &t), ERR_ARG);
  cr_assert(strstr(err_last(), "'fusion'"));
  ir_trace_free(t);
}

Test(passes, mistake_at_the_end_runs_nothing) {
  struct ir_trace *t;
  struct str before = STR_INIT, after = STR_INIT;
  struct ir_trace *same = parsed();
  ir_print(same, &before);
  cr_assert_eq(run_pipeline("slice,rename,fuse{max=0x}", NULL, &t), ERR_ARG);
  ir_print(t, &after);
  cr_assert_str_eq(before.s, after.s);
  ir_trace_free(t);
  ir_trace_free(same);
  str_clear(&before);
  str_clear(&after);
}

Test(passes, empty_pipeline_is_no_pass) {
  struct ir_trace *t;
  cr_assert_eq(run_pipeline("", NULL, &t), OK);
  cr_assert_eq(t->nregions, 0);
  ir_trace_free(t);
}

Test(passes, option_limits_the_region) {
  struct ir_trace *t;
  cr_assert_eq(run_pipeline(" fuse{max=1} , storage", NULL, &t), OK);
  cr_assert_eq(t->nregions, 3);
  ir_trace_free(t);
}

static void
note(void *user, const char *pass, const struct ir_trace *t) {
  struct str *s = user;
  str_printf(s, "%s:%u ", pass, t->nnodes);
}

Test(passes, after_is_called_in_order_with_the_trace_as_it_stands) {
  struct str calls = STR_INIT;
  struct ir_trace *t = parsed();
  struct pass_options o = {
      .pipeline = "fuse,dce,storage", .after = note, .user = &calls};
  cr_assert_eq(pass_run(&t, &o), OK);
  cr_assert_str_eq(calls.s, "fuse:5 dce:5 storage:5 ");
  ir_trace_free(t);
  str_clear(&calls);
}

Test(passes, stress_keeps_tags) {
  struct ir_trace *t = parsed();
  struct pass_options o = {.pipeline = "slice", .stress = true};
  cr_assert_eq(pass_run(&t, &o), OK, "%s", err_last());
  cr_assert_eq(t->nodes[t->nnodes - 1].tag, 102); /* the deferred copy */
  cr_assert_eq(t->dats[1].tag, 201);
  ir_trace_free(t);
}

Test(passes, stress_keeps_remarks) {
  struct ir_trace *t = parsed();
  struct pass_options o = {.pipeline = "slice,fuse", .stress = true};
  cr_assert_eq(pass_run(&t, &o), OK, "%s", err_last());
  cr_assert_eq(t->nremarks, 2);
  cr_assert_str_eq(t->remarks[0],
                   "slice: copy stays pending: nothing looked at needs it");
  ir_trace_free(t);
}

Test(passes, list_names_every_pass) {
  struct str out = STR_INIT;
  pass_list(&out);
#define PASS(name, needs, keeps, options, off, what)                           \
  cr_assert(strstr(out.s, #name " "));
#include "passes/passes.def"
#undef PASS
  str_clear(&out);
}
