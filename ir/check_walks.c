/* Verifier: walks that are chosen are safe, and there is code for them. */
#include "ir/check.h"
#include "ir/cost.h"
#include "ir/walk.h"

#include "base/target.h"

static void
check_walk(struct ir_check *c, ir_ref r, const bool *overlaps) {
  const struct ir_trace *t = c->t;
  const struct ir_walk_info *w = &ir_walk_info[t->regions[r].walk];
  bool device = target_is_device(t->nodes[t->regions[r].first].target);
  unsigned needs = ir_walk_needs(t, r, overlaps);
  if (device ? !w->device : !w->host)
    ir_bad(c, "region %u: there is no walk %s on a %s", r, w->text,
           device ? "device" : "host");
  if (needs & IR_WALK_ORDERED && w->safe < 2)
    ir_bad(c, "region %u: walk %s, but results depend on the order of elements",
           r, w->text);
  else if (needs & IR_WALK_MEETS && w->safe < 1)
    ir_bad(c, "region %u: walk %s, but elements meet in what they write", r,
           w->text);
}

/* Is there code for what the region adds or makes extreme, and room? */
static void
check_increments(struct ir_check *c, ir_ref r, const struct ir_hold_facts *f) {
  const struct ir_trace *t = c->t;
  enum ir_walk walk = t->regions[r].walk;
  if (walk != IR_WALK_ATOMIC && walk != IR_WALK_STAGED) return;
  ir_region_touch(t, r, f->touch);
  struct ir_increments x = ir_increments_of(t, r, f);
  ir_region_untouch(t, r, f->touch);
  if (!x.words)
    ir_bad(c,
           "region %u: walk %s, but not all that it writes is increments or "
           "extremes of 4 or 8 bytes",
           r, ir_walk_info[walk].text);
  else if (walk == IR_WALK_STAGED && !x.staged)
    ir_bad(c,
           "region %u: walk staged, but there is nothing to stage, or too "
           "much",
           r);
}

static void
check_width(struct ir_check *c, ir_ref r, const bool *overlaps) {
  uint32_t width = c->t->regions[r].width;
  if (width < 2 || width > IR_WIDTH_MAX || width & (width - 1))
    ir_bad(c, "region %u: there is no code of width %u", r, width);
  if (!ir_widest_component(c->t, r, overlaps))
    ir_bad(c, "region %u: its elements cannot run in vectors", r);
}

static void
check_panel(struct ir_check *c, ir_ref r) {
  const struct ir_region *g = &c->t->regions[r];
  if (!g->width || g->panel % g->width)
    ir_bad(c, "region %u: its panel has no whole blocks", r);
  if (!ir_may_panel(c->t, r))
    ir_bad(c, "region %u: it has no rows that lie beside each other alone", r);
}

static void
check_stretches(struct ir_check *c, ir_ref r) {
  if (!ir_may_stretch(c->t, r))
    ir_bad(c, "region %u: there is no code for it by stretches", r);
}

static void
check_ahead(struct ir_check *c, ir_ref r) {
  const struct ir_region *g = &c->t->regions[r];
  if (!ir_region_leads(c->t, r))
    ir_bad(c, "region %u: nothing leads in what it reads", r);
  if (!g->width) ir_bad(c, "region %u: it asks ahead, but not in blocks", r);
}

static void
check_prefetch(struct ir_check *c, ir_ref r) {
  if (!c->t->regions[r].width && !ir_region_lines(c->t, r))
    ir_bad(c, "region %u: it has no rows of several lines to ask for", r);
}

static void
check_targets(struct ir_check *c, ir_ref r) {
  IR_EACH_ARG(c->t, &c->t->regions[r], n, a) {
    if (ir_arg_row(c->t, r, a)) return;
  }
  ir_bad(c, "region %u: no block of it names targets whose rows it asks for",
         r);
}

static void
check_twice(struct ir_check *c, ir_ref r) {
  const struct ir_region *g = &c->t->regions[r];
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++)
    if (c->t->holds[k].how == IR_HOLD_STREAM)
      ir_bad(c, "region %u: its blocks are lines, and cannot run twice", r);
  if (!g->width || !g->stretches)
    ir_bad(c, "region %u: it has no blocks of stretches to run twice", r);
  if (!ir_may_run_twice(c->t, r))
    ir_bad(c, "region %u: an element that runs twice finds something else", r);
}

static void
check_steps(struct ir_check *c, ir_ref r) {
  if (!ir_may_step(c->t, r)) ir_bad(c, "region %u: no rows of it step", r);
}

static void
check_lengths(struct ir_check *c, ir_ref r) {
  if (!ir_usual_length(c->t, r))
    ir_bad(c,
           "region %u: no kernel of it asks for rows that have a usual "
           "length",
           r);
}

static void
check_team(struct ir_check *c, ir_ref r) {
  const struct ir_region *g = &c->t->regions[r];
  if (target_is_device(c->t->nodes[g->first].target))
    ir_bad(c, "region %u: no team runs it on a device", r);
  else if (g->team != IR_TEAM_ONE && ir_alone(c->t, r))
    ir_bad(c, "region %u: team %s, but one thread runs it", r,
           ir_team_text[g->team]);
}

void
ir_check_walks(struct ir_check *c, const struct ir_hold_facts *f) {
  const struct ir_trace *t = c->t;
  for (ir_ref r = 0; r < t->nregions; r++) {
    if (t->regions[r].core_first && !ir_core_first(t, r))
      ir_bad(c, "region %u: its core cannot come first", r);
    if (t->regions[r].width) check_width(c, r, f->overlaps);
    if (t->regions[r].panel) check_panel(c, r);
    if (t->regions[r].stretches) check_stretches(c, r);
    if (t->regions[r].ahead) check_ahead(c, r);
    if (t->regions[r].prefetch) check_prefetch(c, r);
    if (t->regions[r].targets) check_targets(c, r);
    if (t->regions[r].twice) check_twice(c, r);
    if (t->regions[r].steps) check_steps(c, r);
    if (t->regions[r].lengths) check_lengths(c, r);
    if (t->regions[r].team) check_team(c, r);
    if (t->regions[r].walk == IR_WALK_NONE) continue;
    if (!ir_walk_known(t, r)) {
      ir_bad(c, "region %u has a walk, but its values have no buffers", r);
      continue;
    }
    check_walk(c, r, f->overlaps);
    check_increments(c, r, f);
  }
}
