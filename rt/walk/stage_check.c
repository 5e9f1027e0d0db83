/* The checker of rt/walk/stage.c: it goes from the numbers to the map, the
 * maker went the other way, and it keeps who had a target last instead of
 * sorting. */
#include "base/arena.h"
#include "rt/walk/stage.h"

#include <stdlib.h>

static status
check_form(const struct rt_stage *s) {
  int64_t covered = (int64_t)s->nblocks * s->block;
  if (s->block < 1 || covered < s->n || covered - s->block >= s->n)
    FAIL(ERR_STATE, "staging: %d blocks of %d do not cut %d elements",
         s->nblocks, s->block, s->n);
  if (s->first[0] != 0) FAIL(ERR_STATE, "staging: block 0 starts behind 0");
  for (idx_l b = 0; b < s->nblocks; b++) {
    idx_l m = s->first[b + 1] - s->first[b];
    if (m < 0 || (uint32_t)m > s->most)
      FAIL(ERR_STATE, "staging: block %d has %d targets, at most %u are said",
           b, m, s->most);
  }
  return OK;
}

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
  if (s->nentries != nentries)
    FAIL(ERR_STATE, "staging: %u entries, expected %u", s->nentries, nentries);
  TRY(check_form(s));
  if (!nentries) return OK;
  idx_l ntargets = c[0].of->to->n;
  idx_l *last = mem_alloc((size_t)ntargets + 1, sizeof *last);
  status st = check_distinct(s, last, ntargets);
  free(last);
  TRY(st);
  return check_numbers(s, c);
}
