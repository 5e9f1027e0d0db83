/* What is said of a program's launches when it is made: where they run, and
 * which of their regions may be tried (trial.c). */
#include "frontend/programs.h"
#include "frontend/trial.h"

#include "ir/ir.h"
#include "lower/lower.h"
#include "rt/plan.h"

#include <string.h>

/* Where launches run on a device, and what becomes of increments that meet
 * there; and whether code is made in two steps. */
void
fe_program_remark(const struct fe_program *program, struct ir_trace *t) {
  const struct low_program *low = program->low;
  const struct rt_program *p = low->program;
  static const char *const how[] = {[RT_FORM_PLAIN] = "atomic",
                                    [RT_FORM_COLOUR] = "coloured",
                                    [RT_FORM_STAGE] =
                                        "staged in local memory, then atomic"};
  for (uint32_t i = 0; i < p->nlaunches; i++) {
    const struct rt_launch *l = &p->launches[i];
    if (!l->offload) continue;
    struct str where = STR_INIT;
    fe_device_text(rt_launch_device(l), &where);
    ir_remark(t, "device: %s runs on %s%s%s%s", l->name, where.s,
              l->nconflicts ? ", writes through maps " : "",
              l->nconflicts ? how[l->offload->form] : "",
              l->mode == RT_RUN_SERIAL ? ", element after element" : "");
    str_clear(&where);
  }
  if (low->beside)
    ir_remark(t,
              "tiers: regions without code get some that is not optimised, by "
              "which a run takes about %.3g ms; %u thread%s beside optimise it",
              1e3 * low->quick, low->beside, low->beside > 1 ? "s" : "");
}

/* ---- what may be tried --------------------------------------------------- */

static bool
writes_through_map(const struct ir_arg *a) {
  return a->kind == IR_ARG_DAT && !ir_arg_direct(a) &&
         access_info[a->access].writes;
}

/* Would a loop with a sum by itself go over its elements in another way? Not
 * by parts, as writes through maps that meet do, of which threads take other
 * elements; and over ranks a sum keeps all of its region to the elements that
 * this rank owns. */
static bool
sums_mind(const struct rt_launch *l, bool parts) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    const struct rt_reduction *r = &l->reductions[k];
    bool rounds = type_class(r->type) == 'F' || parts;
    if (r->access == ACC_INC && !r->exact && rounds)
      return l->mode != RT_RUN_RANGE;
  }
  return false;
}

/* Does the loop write through maps? *payload: it has payloads. */
static bool
node_scatters(const struct ir_trace *t, const struct ir_node *n,
              bool *payload) {
  bool scatters = false;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    scatters |= writes_through_map(a);
    *payload |= a->kind == IR_ARG_INFO;
  }
  return scatters;
}

/* May the loops of a launch be tried? */
static bool
may_try(const struct ir_trace *t, struct low_span span,
        const struct rt_launch *l) {
  const struct ir_node *first = &t->nodes[span.first];
  bool parts = t->sets[first->set].flags & IR_SET_PARTS;
  uint32_t scatter = 0;
  bool payload = false;
  for (ir_ref n = span.first; n < span.first + span.count; n++)
    scatter += node_scatters(t, &t->nodes[n], &payload);
  return span.count > 1 && scatter <= 1 && !payload && !sums_mind(l, parts) &&
         !target_is_device(first->target);
}

static void
region_add(struct fe_trial *trial, const struct ir_trace *t,
           struct low_span span, const struct rt_launch *l) {
  if (!may_try(t, span, l)) return;
  trial->regions =
      mem_grow(trial->regions, trial->n + 1, sizeof *trial->regions);
  trial->regions[trial->n] =
      (struct region){.name = mem_alloc(strlen(l->name) + 1, 1)};
  strcpy(trial->regions[trial->n].name, l->name);
  for (ir_ref n = span.first; n < span.first + span.count; n++)
    trial->of_record[t->nodes[n].tag] = trial->n;
  trial->n++;
}

void
fe_trial_find(struct fe_program *p, const struct ir_trace *t) {
  const struct rt_program *rt = p->low->program;
  struct fe_trial *trial = mem_alloc(1, sizeof *trial);
  p->launch_of = mem_alloc(p->nrecs + 1, sizeof *p->launch_of);
  trial->of_record = mem_alloc(p->nrecs + 1, sizeof *trial->of_record);
  for (uint32_t r = 0; r < p->nrecs; r++)
    p->launch_of[r] = trial->of_record[r] = FE_NO_REGION;
  for (uint32_t l = 0; l < rt->nlaunches; l++) {
    struct low_span span = p->low->spans[l];
    for (ir_ref n = span.first; n < span.first + span.count; n++)
      p->launch_of[t->nodes[n].tag] = l;
    region_add(trial, t, span, &rt->launches[l]);
  }
  p->trial = trial;
  if (!trial->n) fe_trial_drop(p);
}
