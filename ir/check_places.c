/* Verifier: every version is read where it is valid.
 *
 * A version is valid where it was written, and where it was moved since. Those
 * that the trace begins with are valid where their declaration says (at, both;
 * the host else). A move needs its version at the other end; a second device
 * takes it from the first.
 *
 * Pass place goes by buffers, from each need to a move; this goes by versions,
 * from each move to what it makes valid, and puts nothing right. It is asked of
 * traces that the pass has been over, and of texts that move data. */
#include "ir/check.h"

#include <assert.h>
#include <stdlib.h>

struct places {
  bool host;
  const char *device; /* NULL: on none */
};

static struct places *
places_begin(const struct ir_trace *t) {
  struct places *at = mem_alloc(t->nvalues + 1, sizeof *at);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_dat *d = &t->dats[t->values[v].dat];
    if (t->values[v].def != IR_NONE) continue;
    at[v].device = d->at;
    at[v].host = !d->at || d->flags & IR_DAT_BOTH;
  }
  return at;
}

static bool
is_valid(const struct places *p, const char *device) {
  return device ? target_same(p->device, device) : p->host;
}

static void
check_move(struct ir_check *c, struct places *at, ir_ref n) {
  const struct ir_trace *t = c->t;
  const struct ir_node *node = &t->nodes[n];
  const struct ir_arg *a = ir_args(t, node);
  assert(node->nargs && a->in < t->nvalues);
  struct places *p = &at[ir_same(t, a->in)];
  bool up = node->op == IR_UPLOAD;
  if (!is_valid(p, up ? NULL : node->target))
    ir_bad_arg(c, n, 0, "%s moves from %s, where it is not valid",
               ir_value_text(t, a->in), up ? "the host" : node->target);
  if (up)
    p->device = node->target;
  else
    p->host = true;
}

static void
check_work(struct ir_check *c, struct places *at, ir_ref n) {
  const struct ir_trace *t = c->t;
  const struct ir_node *node = &t->nodes[n];
  const struct ir_arg *a = ir_args(t, node);
  const char *device = target_is_device(node->target) ? node->target : NULL;
  for (uint32_t k = 0; k < node->nargs; k++)
    if (ir_arg_on_dat(t, &a[k]) && a[k].in != IR_NONE &&
        !is_valid(&at[ir_same(t, a[k].in)], device))
      ir_bad_arg(c, n, k, "%s is read on %s, where it is not valid",
                 ir_value_text(t, a[k].in), device ? device : "the host");
  for (uint32_t k = 0; k < node->nargs; k++)
    if (ir_arg_on_dat(t, &a[k]) && a[k].out != IR_NONE)
      at[a[k].out] = (struct places){!device, device};
}

void
ir_check_places(struct ir_check *c) {
  const struct ir_trace *t = c->t;
  if (c->failures || !t->placed) return;
  SCOPED struct places *at = places_begin(t);
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (ir_deferred(node)) continue;
    if (node->op == IR_UPLOAD || node->op == IR_DOWNLOAD) check_move(c, at, n);
    if (node->op == IR_LOOP || node->op == IR_COPY) check_work(c, at, n);
  }
}
