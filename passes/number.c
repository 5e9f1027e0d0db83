/* Number: which sets get other numbers, and how these are found.
 *
 * Problem   A mesh in random order runs at a fifth of the speed
 *           (rt/mesh/renumber.c). Numbering anew takes as long as some tens of
 *           steps, and gains nothing where the order is good.
 *
 * Idea      `scatter` says how far apart the entries of a map lie while the
 *           elements that name them go by in their order. The mean over all
 *           maps of sets that may be numbered, weighted by entries, says
 *           whether the mesh is in bad order (ir/cost.c); then all of these
 *           sets are numbered, since a set is in good order by its neighbours.
 *
 *           Where it is not, a small set may still be in an order of its own:
 *           boundary edges side by side, whose cells come anywhere. Loops then
 *           can't follow each other closely (front.c), which `drift` tells: how
 *           far apart the targets are at most that elements have done with, and
 *           have gone to. Such a set is numbered alone, by what its maps name.
 *
 * Example   set %cells n=720000 auto
 *           set %edges n=1437600 auto
 *           map %pecell : %edges -> %cells x2 scatter=640
 *           makes both `auto rcm`; with scatter=70 they stay as they are.
 *           `number{by=2}` makes them `bisect` whatever their maps are like,
 *           `by=1` `rcm`, and `by=0` leaves all as they are; `strays=1` numbers
 *           none but small sets, where the order of elements is to count.
 *
 * Cost      O(sets * maps).
 * Source    reverse Cuthill-McKee was best for loops over whole sets:
 *           rt/mesh/renumber.c has the measurements.
 * Limits    one order for all: parts of a mesh that are not connected are
 *           numbered together, or not at all. */
#include "ir/cost.h"
#include "passes/pass.h"

#include <assert.h>

enum { NUMBER_NONE, NUMBER_RCM, NUMBER_BISECT };
enum {
  SMALL = 8, /* of all entries of maps, a small set has at most such a part, */
  APART = 8, /* and its own order drifts by such a part of the targets, of */
  MANY = 1 << 14 /* so many: fewer stay in a cache */
};

/* Cache lines for a thousand entries, on average; 0 where none are known. */
static double
number_scatter(const struct ir_trace *t) {
  double lines = 0, all = 0;
  for (ir_ref i = 0; i < t->nmaps; i++) {
    const struct ir_map *m = &t->maps[i];
    const struct ir_set *from = &t->sets[m->from], *to = &t->sets[m->to];
    if (!m->scatter || !((from->flags | to->flags) & IR_SET_AUTO)) continue;
    double entries = (double)from->n * (m->arity ? m->arity : 1);
    lines += entries * (m->scatter - 1);
    all += entries;
  }
  return all > 0 ? lines / all : 0;
}

/* Entries of all maps of the set; *drifts: one of them, to a set that keeps its
 * numbers, names targets in no order. */
static double
number_entries(const struct ir_trace *t, ir_ref set, bool *drifts) {
  double sum = 0;
  assert(set < t->nsets);
  for (ir_ref i = 0; i < t->nmaps; i++) {
    const struct ir_map *m = &t->maps[i];
    if (m->from != set) continue;
    sum += (double)t->sets[set].n * (m->arity ? m->arity : 1);
    idx_g targets = t->sets[m->to].n;
    *drifts |= m->to != set && m->drift > 1 && targets >= MANY &&
               (idx_g)(m->drift - 1) > targets / APART;
  }
  return sum;
}

/* Is it a small set in an order of its own? all: entries of all maps. */
static bool
number_strays(const struct ir_trace *t, ir_ref set, double all) {
  bool drifts = false;
  double own = number_entries(t, set, &drifts);
  for (ir_ref i = 0; i < t->nmaps; i++)
    if (t->maps[i].to == set) return false; /* others go by its numbers */
  return drifts && own * SMALL <= all;
}

static double
number_all_entries(const struct ir_trace *t) {
  bool drifts = false;
  double sum = 0;
  for (ir_ref s = 0; s < t->nsets; s++) sum += number_entries(t, s, &drifts);
  return sum;
}

static void
number_tell(struct ir_trace *t, const struct ir_set *s, double scatter,
            bool strays) {
  struct str why = STR_INIT;
  if (!(s->flags & (IR_SET_RCM | IR_SET_BISECT))) return;
  if (strays)
    str_add(&why, ", by what its maps name: it is in an order of its own");
  else if (s->flags & IR_SET_AUTO && scatter)
    str_printf(&why, ": maps take %.0f cache lines for a thousand entries",
               scatter);
  ir_remark(t, "number: the elements of %%%s are numbered by %s%s", s->name,
            s->flags & IR_SET_RCM ? "rcm" : "bisect", why.s);
  str_clear(&why);
}

bool
pass_number(struct ir_trace *t, const struct pass_ctx *c) {
  static const uint32_t words[] = {
      [NUMBER_RCM] = IR_SET_RCM, [NUMBER_BISECT] = IR_SET_BISECT};
  double scatter = number_scatter(t);
  long by = pass_arg(c, "by", -1);
  bool changed = false, bad = ir_cost_bad_order(scatter, IR_MACHINE_CPU);
  bool asks = by < 0;
  if (asks) by = bad && !pass_arg(c, "strays", 0) ? NUMBER_RCM : NUMBER_NONE;
  double all = number_all_entries(t);
  for (ir_ref i = 0; i < t->nsets; i++) {
    struct ir_set *s = &t->sets[i];
    uint32_t flags = s->flags & ~(uint32_t)(IR_SET_RCM | IR_SET_BISECT);
    flags |= words[by <= NUMBER_BISECT ? by : NUMBER_RCM];
    bool strays = asks && !bad && number_strays(t, i, all);
    if (strays) flags |= IR_SET_RCM;
    if (s->flags & IR_SET_AUTO) {
      changed |= flags != s->flags;
      s->flags = flags;
    }
    number_tell(t, s, asks ? scatter : 0, strays);
  }
  return changed;
}
