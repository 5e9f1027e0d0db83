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
 *           Points around a domain are in good order, but a line of them with
 *           its halo is rarely a multiple of what vectors load and what stores
 *           past the caches fill (stream.c). In a spaced set a few places lie
 *           between lines, so that each line of the domain begins with one of
 *           the cache. Nothing reads or writes there, so no loop may go over
 *           the set: those go over domains, or over the halo of a temporary,
 *           whose set the frontend does not offer.
 *
 * Example   set %cells n=720000 auto
 *           set %edges n=1437600 auto
 *           map %pecell : %edges -> %cells x2 scatter=640
 *           makes both `auto rcm`; with scatter=70 they stay as they are.
 *           `number{by=2}` makes them `bisect` whatever their maps are like,
 *           `by=1` `rcm`, and `by=0` leaves all as they are; `strays=1` numbers
 *           none but small sets, where the order of elements is to count.
 *
 *           set %wide n=266256 auto points (-2:2,-2:2) of %box
 *           of 512 x 512 points becomes `auto spaced`: lines of 516 points,
 *           528 apart, 2 % more memory. `spare=1` leaves it, `spare=0` all.
 *
 * Cost      O(sets * maps).
 * Source    reverse Cuthill-McKee was best for loops over whole sets:
 *           rt/mesh/renumber.c has the measurements.
 * Tried     and left out: a line more where points above each other would share
 *           a place in the first cache, lines of 508, 1020 and 2044 points. It
 *           made no difference that could be told from noise.
 *
 * Gain      horizontal diffusion, halos of 2, two threads of a Zen 4: 2.0 to
 *           2.5 on lines of 8, 24, 32 and 56 points, 1.2 to 1.7 of 12 to 66
 *           that are no multiple of 8, 1.04 to 1.09 of 152 to 1000; nothing
 *           sure (0.84 to 1.05) of 97 to 161 that are no multiple: what is left
 *           of a line goes one by one, as before.
 * Limits    one order for all: parts of a mesh that are not connected are
 *           numbered together, or not at all. */
#include "ir/cost.h"
#include "passes/pass.h"

#include <assert.h>

enum { NUMBER_NONE, NUMBER_RCM, NUMBER_BISECT };
enum {
  SMALL = 8, /* of all entries of maps, a small set has at most such a part, */
  APART = 8, /* and its own order drifts by such a part of the targets, of */
  MANY = 1 << 14, /* so many: fewer stay in a cache */
  SPARE = 34 /* places between lines, at most, percent of what these take */
};

/* May the elements get any other numbers? Those of points stay in order. */
static bool
number_open(const struct ir_set *s) {
  return s->flags & IR_SET_AUTO && !s->ndim;
}

/* Cache lines for a thousand entries, on average; 0 where none are known. */
static double
number_scatter(const struct ir_trace *t) {
  double lines = 0, all = 0;
  for (ir_ref i = 0; i < t->nmaps; i++) {
    const struct ir_map *m = &t->maps[i];
    const struct ir_set *from = &t->sets[m->from], *to = &t->sets[m->to];
    if (!m->scatter || !(number_open(from) || number_open(to))) continue;
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

/* What is asked of all sets. */
struct asked {
  long by, spare; /* options */
  bool strays;    /* small sets may be in orders of their own */
  double all;     /* entries of all maps */
};

/* Shall lines of the set lie apart, where that takes so much more, in percent
 * (0: none)? */
static bool
number_spaces(const struct ir_trace *t, ir_ref set, long spare) {
  const struct ir_set *s = &t->sets[set];
  if (!spare || !(s->flags & IR_SET_AUTO) || s->n > INT32_MAX) return false;
  if (!s->box || !t->sets[s->box - 1].side[0]) return false;
  for (ir_ref i = 0; i < t->nmaps; i++)
    if (t->maps[i].from == set) return false;
  struct ir_spacing l = ir_spacing_of(t, set);
  bool small = (l.pitch - l.line) * 100 <= l.line * spare;
  bool fits = l.lead + s->n / l.line * l.pitch <= INT32_MAX;
  return small && fits && (l.lead || l.pitch != l.line);
}

static void
number_tell_spaced(struct ir_trace *t, ir_ref set) {
  struct ir_spacing l = ir_spacing_of(t, set);
  ir_remark(t,
            "number: lines of %%%s, %lld points each, are %lld elements apart: "
            "in the domain each begins a line of the cache",
            t->sets[set].name, (long long)l.line, (long long)l.pitch);
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

/* What the set's flags become; *strays: since it is in an order of its own. */
static uint32_t
number_flags(const struct ir_trace *t, ir_ref set, const struct asked *a,
             bool *strays) {
  static const uint32_t words[] = {
      [NUMBER_RCM] = IR_SET_RCM, [NUMBER_BISECT] = IR_SET_BISECT};
  const struct ir_set *s = &t->sets[set];
  uint32_t flags =
      s->flags & ~(uint32_t)(IR_SET_RCM | IR_SET_BISECT | IR_SET_SPACED);
  if (!(s->flags & IR_SET_AUTO)) return s->flags;
  if (s->ndim) {
    bool spaced = number_spaces(t, set, a->spare);
    return spaced ? flags | IR_SET_SPACED : flags;
  }
  *strays = a->strays && number_strays(t, set, a->all);
  if (*strays) return flags | IR_SET_RCM;
  return flags | words[a->by <= NUMBER_BISECT ? a->by : NUMBER_RCM];
}

bool
pass_number(struct ir_trace *t, const struct pass_ctx *c) {
  double scatter = number_scatter(t);
  long by = pass_arg(c, "by", -1);
  bool changed = false, bad = ir_cost_bad_order(scatter, IR_MACHINE_CPU);
  bool asks = by < 0;
  if (asks) by = bad && !pass_arg(c, "strays", 0) ? NUMBER_RCM : NUMBER_NONE;
  struct asked a = {.by = by,
                    .spare = pass_arg(c, "spare", SPARE),
                    .strays = asks && !bad,
                    .all = number_all_entries(t)};
  for (ir_ref i = 0; i < t->nsets; i++) {
    struct ir_set *s = &t->sets[i];
    bool strays = false;
    uint32_t flags = number_flags(t, i, &a, &strays);
    changed |= flags != s->flags;
    s->flags = flags;
    number_tell(t, s, asks ? scatter : 0, strays);
    if (s->flags & IR_SET_SPACED) number_tell_spaced(t, i);
  }
  return changed;
}
