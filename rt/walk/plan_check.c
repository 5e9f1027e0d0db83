/* The plan checker: trusts nothing that the maker did.
 *
 * It checks the promise of rt/plan.h from the other end, by writing down for
 * every target who was there last, as the plan would run it:
 *
 *   visit[t] = (colour, block)     for the blocks of each colour in turn
 *
 * A visit that finds its own colour and another block is a race. Inside a block
 * the elements' (target, colour, element) triples are sorted; neighbours that
 * agree in the first two are a race.
 *
 * Maps are grouped by target set, one set at a time: each conflict that is the
 * first to name its set takes along those that follow.
 *
 * Cost: O(n * entries), with a logarithm for element colours; 8 bytes per
 * target.
 */
#include "base/arena.h"
#include "rt/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct visit {
  idx_l colour, block; /* both plus one; 0 is nobody */
};
struct triple {
  idx_l target, colour, element;
};
struct checker {
  const struct rt_plan *p;
  const struct rt_entries *c;
  uint32_t nc, first; /* conflicts from `first` on to its set are looked at */
  struct visit *visits;
  struct triple *triples;
  size_t ntriples, captriples;
};

/* ---- form ---------------------------------------------------------------- */

static status
check_form(const struct rt_plan *p) {
  int64_t covered = (int64_t)p->nblocks * p->block;
  bool cut = covered >= p->n && covered - p->block < p->n;
  if (p->first) cut = p->first[0] == 0 && p->first[p->nblocks] == p->n;
  for (idx_l j = 0; p->first && j < p->nblocks; j++)
    cut &= p->first[j] < p->first[j + 1];
  if (p->n < 0 || p->block < 1 || !cut)
    FAIL(ERR_STATE, "plan: %d blocks of %d do not cut %d elements", p->nblocks,
         p->block, p->n);
  if (p->start[0] != 0 || p->start[p->ncolours] != p->nblocks)
    FAIL(ERR_STATE, "plan: colours cover blocks %d to %d, not 0 to %d",
         p->start[0], p->start[p->ncolours], p->nblocks);
  for (idx_l k = 0; k < p->ncolours; k++)
    if (p->start[k + 1] < p->start[k] + !p->first)
      FAIL(ERR_STATE, "plan: colour %d has no block", k);
  return OK;
}

static status
check_order(const struct rt_plan *p) {
  char *seen = mem_alloc((size_t)p->nblocks, 1);
  idx_l bad = -1;
  for (idx_l i = 0; i < p->nblocks && bad < 0; i++) {
    idx_l j = p->order[i];
    if (j < 0 || j >= p->nblocks || seen[j])
      bad = i;
    else
      seen[j] = 1;
  }
  free(seen);
  if (bad >= 0)
    FAIL(ERR_STATE, "plan: order[%d] = %d is no block or a second time", bad,
         p->order[bad]);
  return OK;
}

/* ---- visits -------------------------------------------------------------- */

struct span {
  int64_t lo, hi;
};

static struct span
block_span(const struct rt_plan *p, idx_l j) {
  if (p->first) return (struct span){p->first[j], p->first[j + 1]};
  struct span s = {(int64_t)j * p->block, (int64_t)j * p->block + p->block};
  if (s.hi > p->n) s.hi = p->n;
  return s;
}

static int64_t
element_at(const struct rt_plan *p, int64_t i) {
  return p->at ? p->at[i] : i;
}

static status
visit_element(struct checker *k, const struct rt_entries *c, idx_l colour,
              idx_l block, int64_t e) {
  struct rt_row row = rt_entries_of(c, e);
  for (uint32_t j = 0; j < row.n; j++) {
    idx_l t = row.at[j];
    if (t < 0 || t >= c->of->to->n)
      FAIL(ERR_STATE, "plan: element %lld of map %s names %d of %d targets",
           (long long)e, c->of->name, t, c->of->to->n);
    struct visit *v = &k->visits[t];
    if (v->colour == colour + 1 && v->block != block + 1)
      FAIL(ERR_STATE,
           "plan: blocks %d and %d of colour %d share element %d of set %s "
           "(map %s)",
           v->block - 1, block, colour, t, c->of->to->name, c->of->name);
    *v = (struct visit){colour + 1, block + 1};
  }
  return OK;
}

static status
visit_block(struct checker *k, idx_l colour, idx_l block) {
  struct span s = block_span(k->p, block);
  for (uint32_t i = k->first; i < k->nc; i++) {
    if (k->c[i].of->to != k->c[k->first].of->to) continue;
    for (int64_t e = s.lo; e < s.hi; e++)
      TRY(visit_element(k, &k->c[i], colour, block, element_at(k->p, e)));
  }
  return OK;
}

static status
visit_colours(struct checker *k) {
  for (idx_l colour = 0; colour < k->p->ncolours; colour++)
    for (idx_l i = k->p->start[colour]; i < k->p->start[colour + 1]; i++)
      TRY(visit_block(k, colour, k->p->order[i]));
  return OK;
}

/* ---- elements ------------------------------------------------------------ */

static int
triple_order(const void *a, const void *b) {
  const struct triple *x = a, *y = b;
  if (x->target != y->target) return x->target < y->target ? -1 : 1;
  if (x->colour != y->colour) return x->colour < y->colour ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

static void
collect_triples(struct checker *k, struct span s) {
  k->ntriples = 0;
  for (uint32_t i = k->first; i < k->nc; i++) {
    if (k->c[i].of->to != k->c[k->first].of->to) continue;
    for (int64_t e = s.lo; e < s.hi; e++) {
      struct rt_row row = rt_entries_of(&k->c[i], e);
      for (uint32_t j = 0; j < row.n; j++) {
        struct triple x = {row.at[j], k->p->elem_colour[e], (idx_l)e};
        VEC_PUSH(k->triples, k->ntriples, k->captriples, x);
      }
    }
  }
}

static status
check_elements(struct checker *k, idx_l block) {
  collect_triples(k, block_span(k->p, block));
  if (k->ntriples)
    qsort(k->triples, k->ntriples, sizeof *k->triples, triple_order);
  for (size_t i = 1; i < k->ntriples; i++) {
    const struct triple *x = &k->triples[i - 1], *y = &k->triples[i];
    if (x->target == y->target && x->colour == y->colour &&
        x->element != y->element)
      FAIL(ERR_STATE,
           "plan: elements %d and %d of colour %d in block %d share element %d "
           "of set %s",
           x->element, y->element, x->colour, block, x->target,
           k->c[k->first].of->to->name);
  }
  return OK;
}

static status
check_elem_colours(const struct rt_plan *p) {
  for (idx_l j = 0; j < p->nblocks; j++) {
    struct span s = block_span(p, j);
    for (int64_t e = s.lo; e < s.hi; e++)
      if (p->elem_colour[e] < 0 || p->elem_colour[e] >= p->nelem_colours[j])
        FAIL(ERR_STATE, "plan: element %lld has colour %d of %d", (long long)e,
             p->elem_colour[e], p->nelem_colours[j]);
  }
  return OK;
}

/* ---- all of it ----------------------------------------------------------- */

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
  status s = visit_colours(k);
  free(k->visits);
  for (idx_l j = 0; s == OK && k->p->elem_colour && j < k->p->nblocks; j++)
    s = check_elements(k, j);
  return s;
}

status
rt_plan_check(const struct rt_plan *p, const struct rt_entries *c,
              uint32_t nc) {
  TRY(check_form(p));
  TRY(check_order(p));
  if (p->elem_colour) TRY(check_elem_colours(p));
  struct checker k = {.p = p, .c = c, .nc = nc};
  status s = OK;
  for (; s == OK && k.first < nc; k.first++)
    if (first_of_its_set(&k, k.first)) s = check_target_set(&k);
  free(k.triples);
  return s;
}
