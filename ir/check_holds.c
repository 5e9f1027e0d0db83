/* Verifier: each operand of a region is held in a way that is right for it. */
#include "ir/check.h"
#include "ir/cost.h"
#include "ir/walk.h"

#include <assert.h>
#include <stdlib.h>

/* By version: how the region at hand holds it. */
struct held {
  struct ir_check *c;
  ir_ref region;
  uint8_t *how, *alike; /* by version; by dat and global, as a root */
  uint8_t *made;        /* by dat: what the region makes of it */
  bool *used;           /* an argument names the version */
  bool *local;          /* it is held as local */
};

static void
note(struct held *h) {
  const struct ir_trace *t = h->c->t;
  const struct ir_region *g = &t->regions[h->region];
  bool local = false;
  for (uint32_t k = 0; k < g->nholds; k++) {
    const struct ir_operand_hold *o = &t->holds[g->hold0 + k];
    if (h->how[o->value])
      ir_bad(h->c, "region %u: %s is held twice", h->region,
             ir_value_text(t, o->value));
    h->how[o->value] = (uint8_t)o->how;
    h->local[o->value] = o->how == IR_HOLD_LOCAL;
    local |= h->local[o->value];
  }
  if (local && !ir_stage_fits(t, h->region, h->local))
    ir_bad(h->c, "region %u: there is no room for all that is held as local",
           h->region);
}

static void
bad_alike(struct held *h, const struct ir_arg *a, uint8_t one, uint8_t other) {
  ir_bad(h->c, "region %u: %s %%%s is held as %s and as %s", h->region,
         a->kind == IR_ARG_GBL ? "global" : "dat", h->c->t->dats[a->dat].name,
         ir_hold_info[one].text, ir_hold_info[other].text);
}

/* Does it add as `add` does, at another time? */
static bool
adds_later(uint8_t how) {
  return how != IR_HOLD_ADD && ir_hold_before(how) == IR_HOLD_ADD;
}

/* All that adds to a global of a region does so in one way; columns of a dat
 * stay with the threads, or none of it does; so do sums along runs, and such as
 * are late. */
static void
check_alike(struct held *h, const struct ir_arg *a, uint8_t how) {
  const struct ir_trace *t = h->c->t;
  uint8_t *before = &h->alike[ir_root(t, a->dat)];
  bool whole = ir_held_by_column(how) || ir_held_by_column(*before) ||
               adds_later(how) || adds_later(*before);
  bool adds = a->kind == IR_ARG_GBL && ir_arg_writes(a);
  if ((adds || whole) && *before && *before != how)
    bad_alike(h, a, *before, how);
  if (adds || a->kind == IR_ARG_DAT) *before = how;
}

/* All versions that a region makes of a dat are in place, or none: what is a
 * copy reaches memory behind the last loop. What is added may wait. */
static void
check_places(struct held *h, const struct ir_arg *a, uint8_t how) {
  if (a->kind != IR_ARG_DAT || !ir_arg_writes(a) ||
      (!ir_arg_direct(a) && ir_combines(a->access)))
    return;
  uint8_t *before = &h->made[ir_root(h->c->t, a->dat)];
  bool place = how == IR_HOLD_PLACE || *before == IR_HOLD_PLACE;
  if (place && *before && *before != how) bad_alike(h, a, *before, how);
  *before = how;
}

static void
check_operand(struct held *h, ir_ref n, const struct ir_arg *a,
              const struct ir_hold_facts *f) {
  const struct ir_trace *t = h->c->t;
  uint32_t arg = (uint32_t)(a - ir_args(t, &t->nodes[n]));
  ir_ref v = ir_operand(t, a);
  if (v == IR_NONE) return;
  uint8_t how = h->how[v];
  bool stream = how == IR_HOLD_STREAM, run = how == IR_HOLD_RUN;
  bool through = how == IR_HOLD_THROUGH, slide = how == IR_HOLD_SLIDE;
  enum ir_hold as = ir_hold_before((enum ir_hold)how);
  h->used[v] = true;
  if (!how)
    ir_bad_arg(h->c, n, arg, "nothing says how %s is held",
               ir_value_text(t, v));
  else if (!(ir_holds_of(t, n, a, f) & 1U << as) ||
           (stream && !ir_may_stream(t, h->region, v, f->overlaps)) ||
           (run && !ir_may_run(t, h->region, v).length) ||
           (how == IR_HOLD_KEPT && !ir_may_keep(t, h->region, v)) ||
           (how == IR_HOLD_LATE && !ir_may_be_late(t, h->region)) ||
           (slide && ir_slides_from(t, h->region, v) == IR_NONE) ||
           (through &&
            !ir_may_go_through(t, h->region, ir_root(t, a->dat), f->overlaps)))
    ir_bad_arg(h->c, n, arg, "%s cannot be held as %s", ir_value_text(t, v),
               ir_hold_info[how].text);
  if (how) check_alike(h, a, how);
  if (how) check_places(h, a, how);
}

static void
check_region(struct held *h, const struct ir_hold_facts *f) {
  const struct ir_trace *t = h->c->t;
  const struct ir_region *g = &t->regions[h->region];
  note(h);
  IR_EACH_ARG(t, g, n, a) check_operand(h, n, a, f);
  for (uint32_t k = 0; k < g->nholds; k++) {
    ir_ref v = t->holds[g->hold0 + k].value;
    assert(v < t->nvalues && "ir_check_refs comes first");
    if (!h->used[v])
      ir_bad(h->c, "region %u: %s is held, but no loop works on it", h->region,
             ir_value_text(t, v));
    h->how[v] = 0;
    h->used[v] = h->local[v] = false;
  }
  for (ir_ref d = 0; d < t->ndats; d++) h->alike[d] = h->made[d] = 0;
}

void
ir_check_holds(struct ir_check *c, const struct ir_hold_facts *f) {
  const struct ir_trace *t = c->t;
  struct held h = {.c = c,
                   .how = mem_alloc(t->nvalues + 1, 1),
                   .alike = mem_alloc(t->ndats + 1, 1),
                   .made = mem_alloc(t->ndats + 1, 1),
                   .used = mem_alloc(t->nvalues + 1, 1),
                   .local = mem_alloc(t->nvalues + 1, 1)};
  for (h.region = 0; t->nholds && h.region < t->nregions; h.region++) {
    if (!ir_walk_known(t, h.region)) {
      if (t->regions[h.region].nholds)
        ir_bad(c, "region %u holds operands, but its values have no buffers",
               h.region);
      continue;
    }
    ir_region_touch(t, h.region, f->touch);
    check_region(&h, f);
    ir_region_untouch(t, h.region, f->touch);
  }
  free(h.how);
  free(h.alike);
  free(h.made);
  free(h.used);
  free(h.local);
}
