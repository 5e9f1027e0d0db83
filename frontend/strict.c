/* OP2_STRICT_BLOCKS=1: programs that are to run in frameworks of stencils, too,
 * whose chains go over one block of points after another, in place, are told at
 * the call what blocks would make wrong (ir/in_place.c).
 *
 * A chain begins where the last flush or look ended. The call is tried: what
 * waits, and it behind that, as a trace.
 *
 * Cost. A trace of all that waits, at each loop on a box. */
#include "frontend/calls.h"
#include "frontend/programs.h"

#include "base/str.h"
#include "ir/extent.h"

static struct ir_trace *
trace_with(const struct fe_call *c) {
  struct fe_rec r = {.kind = FE_REC_LOOP, .what = c->id};
  fe_rec_push(&r, 0);
  struct ir_trace *t = fe_trace_pending();
  fe_recs.n--;
  fe_recs.nwords -= 2;
  return t;
}

static status
fail_clash(const struct fe_call *c, const struct ir_trace *t,
           const struct ir_clash *x) {
  const struct ir_node *reader = &t->nodes[x->reader];
  const struct ir_node *writer = &t->nodes[x->writer];
  SCOPED_STR where = STR_INIT;
  ir_print_area(t->sets[reader->set].ndim, &x->area, &where);
  if (x->turns) str_add(&where, " and across a period");
  FAIL(
      ERR_STATE,
      "op_par_loop \"%s\": OP2_STRICT_BLOCKS: loop \"%s\" (%s:%d) reads \"%s\" "
      "on %s around its block, which loop \"%s\" (%s:%d) writes%s: expected "
      "another dat, or op2_flush between them",
      c->name, t->kernels[reader->kernel].name, reader->file, reader->line,
      t->dats[x->dat].name, where.s, t->kernels[writer->kernel].name,
      writer->file, writer->line,
      x->writer < x->reader ? " before" : " in place");
}

status
fe_strict_check(const struct fe_call *c) {
  struct ir_clash x;
  struct fe_set *domain;
  if (!fe_points_of((struct fe_set *)c->set_handle, &domain)) return OK;
  struct ir_trace *t = trace_with(c);
  status st = ir_clash_find(t, &x) ? fail_clash(c, t, &x) : OK;
  ir_trace_free(t);
  return st;
}
