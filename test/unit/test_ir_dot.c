/* Graphs of long traces: the beginning, the end, and what is left out. */
#include "ir/ir.h"

#include <criterion/criterion.h>
#include <string.h>

/* n loops that update one dat in turn. */
static struct ir_trace *
chain(int n) {
  struct ir_trace *t = ir_trace_new("t");
  ir_ref set = ir_add_set(t, (struct ir_set){.name = "s", .n = 10});
  ir_ref dat = ir_add_dat(t, (struct ir_dat){.name = "d",
                                             .kind = IR_DAT,
                                             .set = set,
                                             .type = {TYPE_F64, 8},
                                             .dim = 1,
                                             .block = 1,
                                             .root = IR_NONE});
  ir_ref kernel = ir_add_kernel(
      t, (struct ir_kernel){.name = "k", .copy_from = -1, .copy_to = -1});
  for (int i = 0; i < n; i++) {
    struct ir_arg a = {.kind = IR_ARG_DAT,
                       .access = ACC_RW,
                       .dat = dat,
                       .map = IR_NONE,
                       .in = IR_NONE,
                       .out = IR_NONE};
    struct ir_node node = {.op = IR_LOOP,
                           .kernel = kernel,
                           .set = set,
                           .nargs = 1,
                           .region = IR_NONE};
    ir_add_node(t, node, &a);
  }
  return t;
}

static bool
graph_has(int n, const char *text) {
  struct ir_trace *t = chain(n);
  struct str s = STR_INIT;
  ir_dot(t, &s);
  bool found = strstr(s.s, text) != NULL;
  str_clear(&s);
  ir_trace_free(t);
  return found;
}

Test(ir_dot, short_traces_are_drawn_whole) {
  cr_assert(graph_has(80, "n40 [label"));
  cr_assert_not(graph_has(80, "left out"));
}

Test(ir_dot, long_traces_say_how_much_is_left_out) {
  cr_assert(graph_has(200, "120 nodes left out"));
}

Test(ir_dot, long_traces_keep_both_ends) {
  cr_assert(graph_has(200, "n0 [label"));
  cr_assert(graph_has(200, "n199 [label"));
  cr_assert_not(graph_has(200, "n100 [label"));
}

Test(ir_dot, what_comes_from_the_gap_leaves_the_gap) {
  cr_assert(graph_has(200, "gap -> n180"));
}
