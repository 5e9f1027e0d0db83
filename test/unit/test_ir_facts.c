/* What passes ask of a trace: units, shared memory, runs and data. */
#include "ir_make.h"

#include <criterion/criterion.h>

static struct ir_trace *
parse(const char *text) {
  struct ir_trace *t;
  cr_assert_eq(ir_parse(text, "facts", &t), OK, "%s", err_last());
  return t;
}

#define DECLS                                                                  \
  "trace @t { set %s n=4 dat %p : %s f64 x1 dat %v : %s f64 x1 storage %p "    \
  "dat %q : %s f64 x1 dat %r : %s f64 x1 gbl %g : f64 x1 kernel @k "           \
  "kernel @print effects "

Test(facts, roots_that_several_dats_share) {
  struct ir_trace *t = parse(DECLS "live none }");
  bool *shared = ir_overlaps_build(t);
  for (ir_ref d = 0; d < t->ndats; d++)
    cr_expect_eq(shared[d], !strcmp(t->dats[d].name, "p"), "%s",
                 t->dats[d].name);
  free(shared);
  ir_trace_free(t);
}

Test(facts, units_are_regions_and_single_nodes) {
  struct ir_trace *t =
      parse(DECLS "region over %s { %q.1 = loop @k over %s (rw %q.0) "
                  "%r.1 = loop @k over %s (rw %r.0) } "
                  "region over %s { %q.2 = loop @k over %s (rw %q.1) } "
                  "%r.2 = loop @k over %s (rw %r.1) "
                  "live %q.2, %r.2 "
                  "%r.3 = loop @k over %s (rw %r.2) deferred }");
  static const int32_t want[] = {1, 1, 2, 3, 4, 0};
  static const ir_ref ends[] = {2, 2, 3, 4, 5, 6};
  int32_t n, *of = ir_units_build(t, &n);
  cr_assert_eq(t->nnodes, 6);
  cr_expect_eq(n, 4);
  cr_expect_arr_eq(of, want, sizeof want);
  for (ir_ref k = 0; k < 6; k++) {
    cr_expect_eq(ir_unit_end(t, k), ends[k], "node %u", k);
    cr_expect_eq(ir_runs(&t->nodes[k]), k < 4, "node %u", k);
  }
  free(of);
  ir_trace_free(t);
}

Test(facts, arguments_on_dats_and_effects) {
  struct ir_trace *t =
      parse(DECLS "%q.1, %g.1 = loop @print over %s (rw %q.0, inc %g.0, idx) "
                  "%r.1 = loop @k over %s (rw %r.0) live %q.1, %r.1, %g.1 }");
  const struct ir_arg *a = ir_args(t, &t->nodes[0]);
  cr_expect(ir_arg_on_dat(t, &a[0]));
  cr_expect(!ir_arg_on_dat(t, &a[1]) && !ir_arg_on_dat(t, &a[2]));
  cr_expect(ir_has_effects(t, &t->nodes[0]));
  cr_expect(!ir_has_effects(t, &t->nodes[1]));
  cr_expect(!ir_has_effects(t, &t->nodes[2]));
  cr_expect_eq(ir_buffer_of(t, a[0].in), IR_NONE);
  cr_expect_eq(ir_buffer_of(t, IR_NONE), IR_NONE);
  ir_trace_free(t);
}
