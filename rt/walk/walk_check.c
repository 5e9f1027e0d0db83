/* The checker of walks and stages: it trusts nothing that makers did.
 *
 * It runs a walk as a launch would, and writes down which elements were there,
 * and for every target who was there last:
 *
 *   visit[t] = (step, task)     for the tasks of each step in turn
 *
 * A visit that finds its own step and another task is a race. Inside a device's
 * block the elements' (target, colour, element) triples are sorted; neighbours
 * that agree in the first two are a race. A stage's numbers are followed back
 * to the map, from which they were made.
 *
 * A walk in order is looked at from its end: which targets does the border
 * touch? Whoever else does is to run again.
 *
 * Relations are grouped by target set, one set at a time: each conflict that is
 * the first to name its set takes along those that follow.
 *
 * Cost: O(n * entries), with a logarithm for colours of elements; 8 bytes per
 * target, one per element. */
#include "base/arena.h"
#include "rt/walk/stage.h"
#include "rt/walk/walk.h"

#include <assert.h>
#include <stdlib.h>

struct visit {
  idx_l step, task; /* both plus one; 0 is nobody */
};
struct triple {
  idx_l target, colour, element;
};
struct checker {
  const struct rt_walk *w;
  idx_l lo, hi; /* the elements that it should have */
  const struct rt_entries *c;
  uint32_t nc, first; /* conflicts from `first` on to its set are looked at */
  struct visit *visits;
  char *times; /* per element from lo on: how often it runs */
  struct triple *triples;
  size_t ntriples, captriples;
};

/* ---- form --------------------------------------------------------------- */

/* at[0 .. n] ascends from 0 to `end`. */
static status
check_starts(const char *what, const idx_l *at, idx_l n, idx_l end) {
  bool good = n >= 0 && end >= 0 && at[0] == 0 && at[n] == end;
  for (idx_l k = 0; good && k < n; k++) good = at[k] <= at[k + 1];
  if (good) return OK;
  FAIL(ERR_STATE, "walk: %s do not go from 0 to %d", what, end);
}

static status
check_form(const struct checker *k) {
  const struct rt_walk *w = k->w;
  TRY(check_starts("tasks of its steps", w->step, w->nsteps, w->ntasks));
  TRY(check_starts("pieces of its tasks", w->task, w->ntasks, w->npieces));
  for (idx_l i = 0; i < w->npieces; i++) {
    struct rt_range x = w->piece[i];
    if (x.lo < k->lo || x.hi < x.lo || x.hi > k->hi)
      FAIL(ERR_STATE, "walk: piece %d, [%d, %d), is not inside of [%d, %d)", i,
           x.lo, x.hi, k->lo, k->hi);
  }
  if (w->n != k->hi - k->lo)
    FAIL(ERR_STATE, "walk: it has %d elements, not %d", w->n, k->hi - k->lo);
  return OK;
}

static idx_l
element_at(const struct rt_walk *w, idx_l place) {
  return w->at ? w->at[place] : place;
}

/* Piece i: elements that did not run yet, or that run again. */
static status
note_elements(const struct checker *k, idx_l i) {
  const struct rt_walk *w = k->w;
  char before = w->again && w->again[i];
  for (idx_l x = w->piece[i].lo; x < w->piece[i].hi; x++) {
    idx_l e = element_at(w, x);
    if (e < k->lo || e >= k->hi || k->times[e - k->lo]++ != before)
      FAIL(ERR_STATE, "walk: element %d runs twice or is none", e);
  }
  return OK;
}

static status
check_elements(const struct checker *k) {
  for (idx_l i = 0; i < k->w->npieces; i++) TRY(note_elements(k, i));
  for (idx_l e = k->lo; e < k->hi; e++)
    if (!k->times[e - k->lo])
      FAIL(ERR_STATE, "walk: element %d does not run", e);
  return OK;
}

/* Blocks of a device, as generated code takes them: by their numbers. */
static status
check_blocks(const struct rt_walk *w) {
  for (idx_l k = 0; k < w->ntasks; k++) {
    int64_t lo = (int64_t)w->block[k] * w->length, hi = lo + w->length;
    struct rt_range x = w->piece[w->task[k]];
    if (w->task[k + 1] != w->task[k] + 1 || x.lo != lo ||
        x.hi != (hi < w->n ? hi : w->n))
      FAIL(ERR_STATE, "walk: task %d is not block %d of %d elements", k,
           w->block[k], w->length);
    idx_l ncolours = w->ncolours[w->block[k]];
    for (idx_l e = x.lo; e < x.hi; e++)
      if (w->colour[e] < 0 || w->colour[e] >= ncolours)
        FAIL(ERR_STATE, "walk: element %d has colour %d of %d", e, w->colour[e],
             ncolours);
  }
  return OK;
}

/* ---- visits ------------------------------------------------------------- */

static status
visit_element(struct checker *k, const struct rt_entries *c, idx_l step,
              idx_l task, idx_l e) {
  struct rt_row row = rt_entries_of(c, e);
  for (uint32_t j = 0; j < row.n; j++) {
    idx_l t = row.at[j];
    if (t < 0 || t >= c->of->to->n)
      FAIL(ERR_STATE, "walk: element %d of map %s names %d of %d targets", e,
           c->of->name, t, c->of->to->n);
    struct visit *v = &k->visits[t];
    if (v->step == step + 1 && v->task != task + 1)
      FAIL(ERR_STATE,
           "walk: tasks %d and %d of step %d share element %d of set %s "
           "(map %s)",
           v->task - 1, task, step, t, c->of->to->name, c->of->name);
    *v = (struct visit){step + 1, task + 1};
  }
  return OK;
}

static status
visit_task(struct checker *k, idx_l step, idx_l task) {
  const struct rt_walk *w = k->w;
  for (uint32_t i = k->first; i < k->nc; i++) {
    if (k->c[i].of->to != k->c[k->first].of->to) continue;
    for (idx_l p = w->task[task]; p < w->task[task + 1]; p++)
      for (idx_l x = w->piece[p].lo; x < w->piece[p].hi; x++)
        TRY(visit_element(k, &k->c[i], step, task, element_at(w, x)));
  }
  return OK;
}

static status
visit_steps(struct checker *k) {
  for (idx_l step = 0; step < k->w->nsteps; step++)
    for (idx_l i = k->w->step[step]; i < k->w->step[step + 1]; i++)
      TRY(visit_task(k, step, i));
  return OK;
}

/* ---- in order ------------------------------------------------------------ */

/* fn for each target that pieces [begin, end) touch: of the last step those
 * alone that run for the first time. */
static status
each_target(struct checker *k, idx_l begin, idx_l end,
            status (*fn)(struct checker *, idx_l e, idx_l target)) {
  const struct rt_walk *w = k->w;
  for (uint32_t i = k->first; i < k->nc; i++) {
    if (k->c[i].of->to != k->c[k->first].of->to) continue;
    for (idx_l p = begin; p < end; p++)
      for (idx_l x = w->piece[p].lo; !w->again[p] && x < w->piece[p].hi; x++) {
        struct rt_row row = rt_entries_of(&k->c[i], element_at(w, x));
        for (uint32_t j = 0; j < row.n; j++)
          TRY(fn(k, element_at(w, x), row.at[j]));
      }
  }
  return OK;
}

static status
note_border(struct checker *k, idx_l e, idx_l target) {
  (void)e;
  k->visits[target].step = 0; /* no step has that number */
  return OK;
}

static status
check_again(struct checker *k, idx_l e, idx_l target) {
  if (k->visits[target].step || k->times[e - k->lo] == 2) return OK;
  FAIL(ERR_STATE, "walk: element %d touches element %d of set %s out of order",
       e, target, k->c[k->first].of->to->name);
}

static status
check_order(struct checker *k) {
  const struct rt_walk *w = k->w;
  if (w->nsteps != 2) FAIL(ERR_STATE, "walk: %d steps, in order", w->nsteps);
  idx_l border = w->task[w->step[1]];
  for (idx_l i = 0; i < w->ntasks; i++)
    for (idx_l p = w->task[i] + 1; p < w->task[i + 1]; p++)
      if (w->piece[p].lo < w->piece[p - 1].hi)
        FAIL(ERR_STATE, "walk: piece %d of task %d goes back", p, i);
  TRY(each_target(k, border, w->npieces, note_border));
  return each_target(k, 0, border, check_again);
}

/* ---- elements of a device's block ---------------------------------------- */

static int
triple_order(const void *a, const void *b) {
  const struct triple *x = a, *y = b;
  if (x->target != y->target) return x->target < y->target ? -1 : 1;
  if (x->colour != y->colour) return x->colour < y->colour ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

static void
collect_triples(struct checker *k, struct rt_range s) {
  k->ntriples = 0;
  for (uint32_t i = k->first; i < k->nc; i++) {
    if (k->c[i].of->to != k->c[k->first].of->to) continue;
    for (idx_l e = s.lo; e < s.hi; e++) {
      struct rt_row row = rt_entries_of(&k->c[i], e);
      for (uint32_t j = 0; j < row.n; j++) {
        struct triple x = {row.at[j], k->w->colour[e], e};
        VEC_PUSH(k->triples, k->ntriples, k->captriples, x);
      }
    }
  }
}

static status
check_colours(struct checker *k, idx_l task) {
  assert(k->w->block && k->w->colour);
  collect_triples(k, k->w->piece[task]);
  if (k->ntriples)
    qsort(k->triples, k->ntriples, sizeof *k->triples, triple_order);
  for (size_t i = 1; i < k->ntriples; i++) {
    const struct triple *x = &k->triples[i - 1], *y = &k->triples[i];
    if (x->target == y->target && x->colour == y->colour &&
        x->element != y->element)
      FAIL(ERR_STATE,
           "walk: elements %d and %d of colour %d in block %d share element %d "
           "of set %s",
           x->element, y->element, x->colour, k->w->block[task], x->target,
           k->c[k->first].of->to->name);
  }
  return OK;
}

/* ---- all of a walk ------------------------------------------------------- */

static bool
first_of_its_set(const struct checker *k, uint32_t i) {
  for (uint32_t j = 0; j < i; j++)
    if (k->c[j].of->to == k->c[i].of->to) return false;
  return true;
}

static status
check_target_set(struct checker *k) {
  size_t n = (size_t)k->c[k->first].of->to->n;
  k->visits = mem_alloc(n, sizeof *k->visits);
  status s = visit_steps(k);
  if (s == OK && k->w->again) s = check_order(k);
  free(k->visits);
  for (idx_l i = 0; s == OK && k->w->colour && i < k->w->ntasks; i++)
    s = check_colours(k, i);
  return s;
}

status
rt_walk_check(const struct rt_walk *w, idx_l lo, idx_l hi,
              const struct rt_entries *c, uint32_t nc) {
  assert(0 <= lo && lo <= hi);
  SCOPED char *times = mem_alloc((size_t)(hi - lo) + 1, 1);
  struct checker k = {
      .w = w, .lo = lo, .hi = hi, .c = c, .nc = nc, .times = times};
  TRY(check_form(&k));
  TRY(check_elements(&k));
  if (w->block) TRY(check_blocks(w));
  status s = OK;
  for (; s == OK && k.first < nc; k.first++)
    if (first_of_its_set(&k, k.first)) s = check_target_set(&k);
  free(k.triples);
  return s;
}

/* ---- stages -------------------------------------------------------------- */

/* No block has a target twice. */
static status
check_distinct(const struct rt_stage *s, idx_l *last, idx_l ntargets) {
  for (idx_l b = 0; b < s->nblocks; b++)
    for (idx_l k = s->first[b]; k < s->first[b + 1]; k++) {
      idx_l t = s->targets[k];
      if (t < 0 || t >= ntargets)
        FAIL(ERR_STATE, "staging: block %d has target %d of %d", b, t,
             ntargets);
      if (last[t] == b + 1)
        FAIL(ERR_STATE, "staging: block %d has target %d twice", b, t);
      last[t] = b + 1;
    }
  return OK;
}

static status
check_numbers(const struct rt_stage *s, const struct rt_entries *c) {
  for (idx_l e = 0; e < s->n; e++)
    for (uint32_t j = 0; j < s->nentries; j++) {
      idx_l b = e / s->block;
      idx_l k = s->first[b] + s->local[(size_t)e * s->nentries + j];
      idx_l want = rt_entries_of(&c[j], e).at[0];
      if (k >= s->first[b + 1] || s->targets[k] != want)
        FAIL(ERR_STATE,
             "staging: element %d, entry %u: place %d of block %d is not "
             "target %d",
             e, c[j].first, k - s->first[b], b, want);
    }
  return OK;
}

status
rt_stage_check(const struct rt_stage *s, const struct rt_entries *c,
               uint32_t nentries) {
  int64_t covered = (int64_t)s->nblocks * s->block;
  if (s->nentries != nentries || s->block < 1 || covered < s->n ||
      covered - s->block >= s->n)
    FAIL(ERR_STATE,
         "staging: %d blocks of %d do not cut %d elements of %u entries",
         s->nblocks, s->block, s->n, nentries);
  TRY(check_starts("targets of blocks", s->first, s->nblocks,
                   s->first[s->nblocks]));
  for (idx_l b = 0; b < s->nblocks; b++)
    if ((uint32_t)(s->first[b + 1] - s->first[b]) > s->most)
      FAIL(ERR_STATE, "staging: block %d has targets above at most %u", b,
           s->most);
  if (!nentries) return OK;
  idx_l ntargets = c[0].of->to->n;
  SCOPED idx_l *last = mem_alloc((size_t)ntargets + 1, sizeof *last);
  status st = check_distinct(s, last, ntargets);
  TRY(st);
  return check_numbers(s, c);
}
