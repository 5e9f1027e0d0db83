/* Does each rank declare the whole mesh, as a program for one rank does?
 *
 * Problem. By default ranks declare parts, as in OP2: entries of maps are
 * global numbers. A program for one rank, started under mpirun without
 * OP2_DECLARE=whole, declares the same mesh on each rank; all rows then name
 * elements of the first rank's part, and results are wrong without a word.
 *
 * Idea. Such declarations have marks that those of parts have not, all of them:
 *
 *   - every set has the same size on all ranks, and every map the same rows;
 *   - all entries lie in the first rank's part;
 *   - some map names more than half of the elements of that part (two at
 *   least).
 *
 *   2 ranks     nodes 3 | 3     edges 2 | 2     rows 0 1, 1 2 | 0 1, 1 2
 *
 * So the elements that the other ranks declared are named by nobody, though
 * their rows do name a mesh. It is an error, not a warning: no such program can
 * want the numbers that it would get, and a warning is lost among the output of
 * a batch job. One that does mean it says OP2_DECLARE=parts. Rows that all name
 * one element (a rank's elements with something that all share) are no mesh.
 *
 * Cost. A multiplication for each entry at the declaration; one reduction of
 * two words, and of two for each map, before the first loop.
 * Limits. Programs without maps look the same either way, and are not noticed.
 * */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/hash.h"
#include "rt/ranks/dist.h"

#include <stdlib.h>

void
fe_whole_note(struct fe_map *m) {
  size_t dim = (size_t)m->pub.dim;
  size_t n = (size_t)((struct fe_set *)m->pub.from)->part->declared * dim;
  uint64_t h = hash_word(n, dim);
  for (size_t i = 0; i < n; i++) h = hash_word(h, (uint64_t)m->declared[i]);
  m->rows_said = h;
}

/* Is each of these the same on all ranks? */
static status
all_same(const uint64_t *h, size_t n, bool *same) {
  SCOPED uint64_t *both = mem_alloc(2 * n, sizeof *both);
  for (size_t i = 0; i < n; i++) {
    both[2 * i] = h[i];
    both[2 * i + 1] = ~h[i];
  }
  status st = fe_join(both, 2 * n, TYPE_U64, ACC_MIN);
  *same = true;
  for (size_t i = 0; i < n; i++) *same &= both[2 * i] == ~both[2 * i + 1];
  return st;
}

static status
declared_alike(bool *alike) {
  SCOPED uint64_t *h = mem_alloc(fe_all.nmaps + 1, sizeof *h);
  for (uint32_t s = 0; s < fe_all.nsets; s++)
    h[0] = hash_word(h[0], (uint64_t)fe_all.sets[s]->part->declared);
  for (uint32_t k = 0; k < fe_all.nmaps; k++)
    if (!fe_all.maps[k]->made) h[k + 1] = fe_all.maps[k]->rows_said;
  return all_same(h, fe_all.nmaps + 1, alike);
}

/* How many elements of the target's first part the rows name; -1: others, too.
 * */
static idx_g
named_in_first(const struct fe_map *m) {
  const struct rt_part *from = ((struct fe_set *)m->pub.from)->part;
  const struct rt_part *to = ((struct fe_set *)m->pub.to)->part;
  idx_g first = to->start[1], named = 0;
  SCOPED char *seen = mem_alloc((size_t)first + 1, 1);
  for (size_t i = 0; i < (size_t)from->declared * (size_t)m->pub.dim; i++) {
    idx_g t = m->declared[i];
    if (t < 0) continue; /* behind a row's end */
    if (t >= first) {
      named = -1;
      break;
    }
    named += !seen[t];
    seen[t] = 1;
  }
  return named;
}

/* *out: the map whose rows show a mesh of the first part; NULL. False: some map
 * names others' elements. */
static bool
mesh_of_first(const struct fe_map **out) {
  const struct fe_map *found = NULL;
  *out = NULL;
  for (uint32_t k = 0; k < fe_all.nmaps; k++) {
    const struct fe_map *m = fe_all.maps[k];
    if (m->made) continue; /* what it was made from tells */
    idx_g named = named_in_first(m);
    if (named < 0) return false;
    if (!found && named > 1 && 2 * named > m->pub.to->size) found = m;
  }
  *out = found;
  return true;
}

status
fe_whole_check(void) {
  bool alike;
  if (fe_ranks.whole || fe.opt.declare != OPT_declare_auto ||
      fe_ranks.maps_compared == UINT32_MAX ||
      fe_all.nmaps == fe_ranks.maps_compared)
    return OK;
  const struct fe_map *m = NULL;
  TRY(declared_alike(&alike));
  alike = alike && mesh_of_first(&m);
  fe_ranks.maps_compared = alike ? fe_all.nmaps : UINT32_MAX;
  if (!m) return OK;
  FAIL(
      ERR_ARG,
      "all %d ranks declare the same: each its own %d rows of map \"%s\", "
      "which "
      "name elements of the first rank's part of set \"%s\" only (%d of %lld). "
      "Expected OP2_DECLARE=whole if each rank declares the whole mesh, global "
      "numbers if each declares a part, or OP2_DECLARE=parts if it is meant so",
      fe_ranks.size, m->pub.from->size, m->pub.name, m->pub.to->name,
      m->pub.to->size, (long long)fe_set_total((struct fe_set *)m->pub.to));
}
