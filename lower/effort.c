/* What a region does for each of its elements: for reports. */
#include "ir/cost.h"
#include "lower/maker.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

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

/* The share of additions that reach memory where a register keeps the sum while
 * elements name the same target. */
static double
effort_run(const struct ir_trace *t, uint32_t map) {
  assert(map < t->nmaps && t->maps[map].run);
  return 1. / t->maps[map].run;
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
  bool place = s->kind == LOW_SLOT_PLACE && r->binds[s->load].far;
  int32_t to = place ? s->load : s->store;
  if (to < 0 || alone) return;
  if (s->run) {
    double share = effort_run(t, r->binds[s->map].index);
    out->kept += (1 - share) * times * s->dim;
    times *= share;
  }
  out->adds += times * s->dim;
  out->targets += r->binds[to].block == 1 ? times : times * s->dim;
}

/* ---- calls that run ------------------------------------------------------ */

/* Do calls c and d make the same? `same` are the slots by which others are
 * known. */
static bool
is_again(const struct low_region *r, uint32_t c, uint32_t d,
         const int32_t *same) {
  const struct low_call *x = &r->calls[c], *y = &r->calls[d];
  if (x->makes < 0 || y->makes < 0 || x->instance != y->instance) return false;
  for (uint32_t a = 0; a < x->nargs; a++) {
    const struct low_use *u = &x->args[a], *v = &y->args[a];
    if (u->nslots != v->nslots) return false;
    for (uint32_t k = 0; k < u->nslots; k++)
      if (u->slots[k] != x->makes && same[u->slots[k]] != same[v->slots[k]])
        return false;
  }
  return true;
}

/* The first call that makes what call c does. */
static uint32_t
first_of(const struct low_region *r, uint32_t c, int32_t *same) {
  uint32_t d = 0;
  while (d < c && !is_again(r, c, d, same)) d++;
  if (d < c) same[r->calls[c].makes] = same[r->calls[d].makes];
  return d;
}

/* Whom call c has to have run before it: by number, ncalls: nobody more. */
static uint32_t
next_wanted(const struct low_region *r, uint32_t c, uint32_t d) {
  int32_t from = r->calls[c].from;
  if (from >= 0) return d > (uint32_t)from ? r->ncalls : (uint32_t)from;
  while (d < r->ncalls && !low_call_reads(r, c, d)) d++;
  return d;
}

/* Marks whose results somebody wants; each stands for others by `first`. */
static void
want(const struct low_region *r, const uint32_t *first, uint32_t c,
     bool *wanted) {
  if (wanted[c]) return;
  wanted[c] = true;
  for (uint32_t d = next_wanted(r, c, 0); d < r->ncalls;
       d = next_wanted(r, c, d + 1))
    want(r, first, first[d], wanted);
}

/* Marks calls that run for an element: those that do more than make a value,
 * and others whose value is wanted, once each, unless it slides. */
static void
mark_runs(const struct low_region *r, bool *runs) {
  SCOPED int32_t *same = mem_alloc(r->nslots + 1, sizeof *same);
  SCOPED uint32_t *first = mem_alloc(r->ncalls + 1, sizeof *first);
  for (uint32_t k = 0; k < r->nslots; k++) same[k] = (int32_t)k;
  for (uint32_t c = 0; c < r->ncalls; c++) first[c] = first_of(r, c, same);
  for (uint32_t c = 0; c < r->ncalls; c++)
    if (r->calls[c].makes < 0) want(r, first, c, runs);
  for (uint32_t c = 0; c < r->ncalls; c++) runs[c] &= r->calls[c].from < 0;
}

struct rt_effort
low_effort(const struct ir_trace *t, const struct low_region *r) {
  struct rt_effort sum = {0};
  SCOPED bool *runs = mem_alloc(r->ncalls + 1, sizeof *runs);
  mark_runs(r, runs);
  for (uint32_t k = 0; k < r->ncalls; k++)
    if (runs[k]) effort_call(t, r, &r->calls[k], &sum);
  for (uint32_t k = 0; k < r->nslots; k++)
    effort_slot(t, r, &r->slots[k], &sum);
  sum.unread = (double)r->unread;
  sum.inside = (double)r->inside;
  sum.named = (double)r->named;
  return sum;
}

/* ---- quick code ---------------------------------------------------------- */

/* Operations of a call. Loops whose steps nobody counted take TIMES, and code
 * that nobody knows OPEN. */
static double
quick_call(const struct low_kernel *k) {
  enum { TIMES = 8, OPEN = 250 };
  if (k->opaque) return OPEN;
  double sum = low_kernel_operations(k);
  return k->loops ? TIMES * sum : sum;
}

double
low_effort_quick(const struct ir_trace *t, const struct low_region *r) {
  double moved = 0, operations = 0;
  for (uint32_t k = 0; k < r->ncalls; k++)
    operations += effort_times(t, r, &r->calls[k]) *
                  quick_call(r->instances[r->calls[k].instance].kernel);
  for (uint32_t k = 0; k < r->nslots; k++) {
    const struct low_slot *s = &r->slots[k];
    bool each = s->inner && s->call >= 0;
    double times = each ? effort_times(t, r, &r->calls[s->call]) : 1;
    moved += times * s->dim * (s->row ? s->row : 1);
  }
  return ir_cost_quick(moved, operations);
}
