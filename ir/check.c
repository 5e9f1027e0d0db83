/* What the files of the verifier say of what they find. */
#include "ir/check.h"

#include <assert.h>
#include <stdarg.h>

static void
bad_line(struct ir_check *c, const char *fmt, va_list ap) {
  c->failures++;
  if (!c->why) return;
  str_vprintf(c->why, fmt, ap);
  str_add(c->why, "\n");
}

void
ir_bad(struct ir_check *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  bad_line(c, fmt, ap);
  va_end(ap);
}

/* "node 3, loop @res_calc (airfoil.c:312)" */
static void
say_node(struct ir_check *c, ir_ref i) {
  const struct ir_trace *t = c->t;
  const struct ir_node *n = &t->nodes[i];
  assert(i < t->nnodes);
  if (!c->why) return;
  str_printf(c->why, "node %u, %s", i,
             n->op < IR_OP_COUNT ? ir_op_info[n->op].text : "?");
  if (n->kernel < t->nkernels)
    str_printf(c->why, " @%s", t->kernels[n->kernel].name);
  if (n->file) str_printf(c->why, " (%s:%d)", n->file, n->line);
}

void
ir_bad_node(struct ir_check *c, ir_ref n, const char *fmt, ...) {
  va_list ap;
  say_node(c, n);
  if (c->why) str_add(c->why, ": ");
  va_start(ap, fmt);
  bad_line(c, fmt, ap);
  va_end(ap);
}

void
ir_bad_arg(struct ir_check *c, ir_ref n, uint32_t k, const char *fmt, ...) {
  va_list ap;
  say_node(c, n);
  if (c->why) str_printf(c->why, ", argument %u: ", k);
  va_start(ap, fmt);
  bad_line(c, fmt, ap);
  va_end(ap);
}

const char *
ir_value_text(const struct ir_trace *t, ir_ref v) {
  static _Thread_local struct str ring[4] = {STR_INIT, STR_INIT, STR_INIT,
                                             STR_INIT};
  static _Thread_local unsigned at;
  struct str *s = &ring[at++ % 4];
  str_reset(s);
  ir_print_value(t, v, s);
  return s->s;
}
