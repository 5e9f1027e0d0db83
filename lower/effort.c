/* What a region does for each of its elements: for reports. */
#include "lower/maker.h"

#include <assert.h>

/* Entries of a row of a map, on average. */
static double
effort_row(const struct ir_trace *t, uint32_t map) {
  assert(map < t->nmaps);
  const struct ir_map *m = &t->maps[map];
  if (m->arity) return m->arity;
  double n = (double)t->sets[m->from].n;
  if (m->rows != IR_ROWS_INVERSE || n <= 0) return 1;
  const struct ir_map *of = &t->maps[m->of[0]];
  return (double)t->sets[of->from].n * of->arity / n;
}

/* The share of an addition's cost that is left where a register keeps the sum:
 * half of it is to bring there what is added, half memory at each target. */
static double
effort_run(const struct ir_trace *t, uint32_t map) {
  assert(map < t->nmaps && t->maps[map].run);
  return 0.5 + 0.5 / t->maps[map].run;
}

/* How often a call runs for an element. */
static double
effort_times(const struct ir_trace *t, const struct low_region *r,
             const struct low_call *c) {
  return c->row < 0 ? 1 : effort_row(t, r->binds[c->row].index);
}

static void
effort_call(const struct ir_trace *t, const struct low_region *r,
            const struct low_call *c, struct rt_effort *out) {
  const struct low_kernel *k = r->instances[c->instance].kernel;
  double times = effort_times(t, r, c);
  out->flops += times * k->flops;
  out->slow += times * k->slow;
  out->maths += times * k->calls;
  out->open |= k->opaque || k->loops;
}

/* A private copy of another element, or that element itself. */
static void
effort_slot(const struct ir_trace *t, const struct low_region *r,
            const struct low_slot *s, struct rt_effort *out) {
  double times = 1;
  if (!low_slot_far(s) || s->kind >= LOW_SLOT_CONST) return;
  if (s->inner && s->call >= 0) times = effort_times(t, r, &r->calls[s->call]);
  if (!r->binds[s->load >= 0 ? s->load : s->store].near) out->far += times;
  bool alone = s->kind == LOW_SLOT_DAT && s->call < 0; /* one to one */
  if (s->store < 0 || alone) return;
  if (s->run) times *= effort_run(t, r->binds[s->map].index);
  out->adds += times * s->dim;
  out->targets += r->binds[s->store].block == 1 ? times : times * s->dim;
}

struct rt_effort
low_effort(const struct ir_trace *t, const struct low_region *r) {
  struct rt_effort sum = {0};
  for (uint32_t k = 0; k < r->ncalls; k++)
    effort_call(t, r, &r->calls[k], &sum);
  for (uint32_t k = 0; k < r->nslots; k++)
    effort_slot(t, r, &r->slots[k], &sum);
  sum.unread = (double)r->unread;
  sum.inside = (double)r->inside;
  sum.named = (double)r->named;
  return sum;
}
