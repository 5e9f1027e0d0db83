/* Reductions over the elements of a launch.
 *
 * Problem. Several threads add to, or improve, one global, and the answer must
 * not depend on which thread came first.
 *
 * Idea. Each thread has a private row that starts at the identity, so that the
 * start value of the global counts once. Rows belong to increasing elements and
 * are combined in that order:
 *
 *   globals   rms = 5.0                       min = 3   where = 17
 *   row 0     rms = 0 + e0 + e1 ...           min = 4   where = (element) 2
 *   row 1     rms = 0 + e64 + ...             min = 1   where = 70
 *   row 2     ...                             min = 1   where = 130
 *   after     rms = ((5.0 + r0) + r1) + r2    min = 1   where = 70
 *
 * A row may have several running values of a component, which are combined
 * first. Reductions come one after another, so that two of one global (of two
 * loops of a region) leave what they would have left by launches of their own.
 *
 * A later row replaces the payload only if it improves the value strictly: ties
 * keep the earliest element, and a start value that nobody beats keeps its own.
 * With several components each one has its own winner and its own component of
 * the payload.
 *
 * Over ranks: a rank's row is joined with others'. Sums and extremes without a
 * payload are left to MPI. Where there is a payload, each rank claims, for each
 * component, its value, its payload, and which element they are of (a claim is
 * its row and those numbers); of the best values the one of the first element
 * wins, and what is then in the row is combined with the global as above.
 *
 * Cost: rows * components after the launch. Rows are padded to 128 bytes, the
 * unit in which neighbouring lines are fetched, so that threads don't share
 * one.
 */
#include "rt/walk/reduce.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

enum { ENTRY_ALIGN = 16, ROW_ALIGN = 128 };

/* Of the global; of an accumulator. */
static size_t
value_bytes(const struct rt_reduction *r) {
  return (size_t)r->dim * r->type.size;
}
static uint32_t
entry_values(const struct rt_reduction *r) {
  return r->dim * (r->lanes ? r->lanes : 1);
}
static size_t
entry_bytes(const struct rt_reduction *r) {
  return (size_t)entry_values(r) * r->type.size;
}

size_t
rt_reduce_offset(const struct rt_launch *l, uint32_t index) {
  size_t at = 0;
  assert(index <= l->nreductions);
  for (uint32_t i = 0; i < index; i++)
    at += round_up(entry_bytes(&l->reductions[i]), ENTRY_ALIGN);
  return at;
}

size_t
rt_reduce_row(const struct rt_launch *l) {
  size_t bytes = rt_reduce_offset(l, l->nreductions);
  return round_up(bytes, ROW_ALIGN);
}

bool
rt_reduce_ordered(const struct rt_launch *l) {
  for (uint32_t i = 0; i < l->nreductions; i++)
    if (l->reductions[i].payload >= 0) return true;
  return false;
}

void
rt_reduce_start(const struct rt_launch *l, void *const *globals, char *acc,
                size_t row, idx_l nrows) {
  for (uint32_t i = 0; i < l->nreductions; i++) {
    const struct rt_reduction *r = &l->reductions[i];
    char *entry = acc + rt_reduce_offset(l, i);
    if (r->payload >= 0)
      memcpy(entry, globals[r->global], value_bytes(r));
    else
      type_identity(r->type, r->access, entry, entry_values(r));
  }
  for (idx_l i = 1; l->nreductions && i < nrows; i++)
    memcpy(acc + (size_t)i * row, acc, rt_reduce_row(l));
}

/* Component c of reduction `won` improved in this row: take its payloads. */
static void
take_payloads(const struct rt_launch *l, void *const *globals, const char *row,
              uint32_t won, uint32_t c) {
  bool whole = l->reductions[won].dim == 1;
  for (uint32_t i = 0; i < l->nreductions; i++) {
    const struct rt_reduction *r = &l->reductions[i];
    if (r->payload != (int32_t)won) continue;
    assert(whole || c < r->dim);
    size_t from = whole ? 0 : (size_t)c * r->type.size;
    memcpy((char *)globals[r->global] + from,
           row + rt_reduce_offset(l, i) + from,
           whole ? value_bytes(r) : r->type.size);
  }
}

static bool
has_payload(const struct rt_launch *l, uint32_t index) {
  for (uint32_t i = 0; i < l->nreductions; i++)
    if (l->reductions[i].payload == (int32_t)index) return true;
  return false;
}

/* Of each component all running values, in their order. */
static void
combine_lanes(const struct rt_reduction *r, char *global, const char *entry) {
  _Alignas(16) char value[64];
  size_t size = r->type.size;
  assert(size <= sizeof value);
  for (uint32_t c = 0; c < r->dim; c++, global += size) {
    memcpy(value, entry, size);
    entry += size;
    for (uint32_t i = 1; i < r->lanes; i++, entry += size)
      type_combine(r->type, r->access, value, entry, 1);
    type_combine(r->type, r->access, global, value, 1);
  }
}

static void
combine(const struct rt_launch *l, void *const *globals, const char *row,
        uint32_t index) {
  const struct rt_reduction *r = &l->reductions[index];
  const char *entry = row + rt_reduce_offset(l, index);
  char *global = globals[r->global];
  if (r->lanes) {
    assert(!has_payload(l, index));
    combine_lanes(r, global, entry);
    return;
  }
  if (!has_payload(l, index)) {
    type_combine(r->type, r->access, global, entry, r->dim);
    return;
  }
  for (uint32_t c = 0; c < r->dim; c++) {
    size_t at = (size_t)c * r->type.size;
    if (type_compare(r->type, r->access, global + at, entry + at) <= 0)
      continue;
    memcpy(global + at, entry + at, r->type.size);
    take_payloads(l, globals, row, index, c);
  }
}

void
rt_reduce_finish(const struct rt_launch *l, void *const *globals,
                 const char *acc, size_t row, idx_l nrows) {
  for (uint32_t k = 0; k < l->nreductions; k++)
    if (l->reductions[k].payload < 0 && !l->reductions[k].exact)
      for (idx_l i = 0; i < nrows; i++)
        combine(l, globals, acc + (size_t)i * row, k);
}

/* ---- over ranks ---------------------------------------------------------- */

static const struct rt_reduction *
reduction_with_payload(const struct rt_launch *l, uint32_t k) {
  assert(k < l->nreductions && l->reductions);
  bool has = l->reductions[k].payload < 0 && has_payload(l, k);
  return has ? &l->reductions[k] : NULL;
}

/* Where the elements of reduction k's components stand in a claim. */
static size_t
claim_at(const struct rt_launch *l, uint32_t k) {
  size_t at = rt_reduce_row(l);
  for (uint32_t i = 0; i < k; i++)
    if (reduction_with_payload(l, i))
      at += l->reductions[i].dim * sizeof(idx_g);
  return at;
}

size_t
rt_reduce_claim(const struct rt_launch *l) {
  return claim_at(l, l->nreductions);
}

void
rt_reduce_claim_start(const struct rt_launch *l, char *claim) {
  idx_g *of = (idx_g *)(claim + rt_reduce_row(l));
  idx_g *end = (idx_g *)(claim + rt_reduce_claim(l));
  while (of < end) *of++ = -1;
}

void
rt_reduce_claim_note(const struct rt_launch *l, char *claim, const char *row,
                     idx_g g) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    const struct rt_reduction *r = reduction_with_payload(l, k);
    idx_g *of = (idx_g *)(claim + claim_at(l, k));
    size_t size = l->reductions[k].type.size, at = rt_reduce_offset(l, k);
    for (uint32_t c = 0; r && c < r->dim; c++)
      if (memcmp(claim + at + c * size, row + at + c * size, size)) of[c] = g;
  }
  memcpy(claim, row, rt_reduce_row(l));
}

/* Component c of reduction k, with its payloads, as that claim has it. */
static void
take_claim(const struct rt_launch *l, uint32_t k, uint32_t c, const char *claim,
           char *row) {
  bool whole = l->reductions[k].dim == 1;
  size_t size = l->reductions[k].type.size;
  size_t at = rt_reduce_offset(l, k) + c * size;
  memcpy(row + at, claim + at, size);
  for (uint32_t i = 0; i < l->nreductions; i++) {
    const struct rt_reduction *r = &l->reductions[i];
    if (r->payload != (int32_t)k) continue;
    at = rt_reduce_offset(l, i) + (whole ? 0 : (size_t)c * r->type.size);
    memcpy(row + at, claim + at, whole ? value_bytes(r) : r->type.size);
  }
}

void
rt_reduce_begun(const struct rt_launch *l, void *const *globals, char *row) {
  for (uint32_t k = 0; k < l->nreductions; k++)
    memcpy(row + rt_reduce_offset(l, k), globals[l->reductions[k].global],
           value_bytes(&l->reductions[k]));
}

void
rt_reduce_begin_best(const struct rt_launch *l, const char *rows, int ranks,
                     void *const *globals) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    const struct rt_reduction *r = &l->reductions[k];
    if (r->payload >= 0 || has_payload(l, k))
      memcpy(globals[r->global], rows + rt_reduce_offset(l, k), value_bytes(r));
  }
  for (int i = 1; i < ranks; i++)
    for (uint32_t k = 0; k < l->nreductions; k++)
      if (reduction_with_payload(l, k))
        combine(l, globals, rows + (size_t)i * rt_reduce_row(l), k);
}

size_t
rt_reduce_claim_offset(const struct rt_launch *l, uint32_t index) {
  return reduction_with_payload(l, index) ? claim_at(l, index) : 0;
}

void
rt_reduce_claim_globals(const struct rt_launch *l, char *claim,
                        const idx_l *order, const idx_g *global) {
  idx_g *of = (idx_g *)(claim + rt_reduce_row(l));
  idx_g *end = (idx_g *)(claim + rt_reduce_claim(l));
  for (; of < end; of++)
    if (*of >= 0) *of = global[order[*of]];
}

static void
join_component(const struct rt_launch *l, uint32_t k, uint32_t c, char *claim,
               const char *later) {
  const struct rt_reduction *r = &l->reductions[k];
  size_t value = rt_reduce_offset(l, k) + c * (size_t)r->type.size;
  idx_g *of = (idx_g *)(claim + claim_at(l, k)) + c;
  const idx_g *other = (const idx_g *)(later + claim_at(l, k)) + c;
  bool better = *of < 0;
  if (*other < 0) return;
  better |= type_compare(r->type, r->access, claim + value, later + value) > 0;
  if (!better) return;
  *of = *other;
  take_claim(l, k, c, later, claim);
}

void
rt_reduce_claim_join(const struct rt_launch *l, char *claim,
                     const char *later) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    const struct rt_reduction *r = &l->reductions[k];
    size_t at = rt_reduce_offset(l, k);
    if (r->payload >= 0) continue;
    if (!reduction_with_payload(l, k))
      type_combine(r->type, r->access, claim + at, later + at, entry_values(r));
    for (uint32_t c = 0; has_payload(l, k) && c < r->dim; c++)
      join_component(l, k, c, claim, later);
  }
}

static void
pick_component(const struct rt_launch *l, const char *claims, int ranks,
               uint32_t k, uint32_t c, char *row) {
  const struct rt_reduction *r = &l->reductions[k];
  size_t bytes = rt_reduce_claim(l), size = r->type.size;
  size_t value = rt_reduce_offset(l, k) + c * size;
  size_t of = claim_at(l, k) + c * sizeof(idx_g);
  char best[64];
  idx_g first = -1;
  assert(size <= sizeof best);
  for (int i = 0; i < ranks; i++) {
    const char *claim = claims + (size_t)i * bytes;
    idx_g g;
    memcpy(&g, claim + of, sizeof g);
    if (g < 0) continue;
    int better =
        first < 0 ? 1 : type_compare(r->type, r->access, best, claim + value);
    if (better < 0 || (!better && g >= first)) continue;
    memcpy(best, claim + value, size);
    first = g;
    take_claim(l, k, c, claim, row);
  }
}

void
rt_reduce_pick(const struct rt_launch *l, const char *claims, int ranks,
               char *row) {
  for (uint32_t k = 0; k < l->nreductions; k++) {
    const struct rt_reduction *r = reduction_with_payload(l, k);
    for (uint32_t c = 0; r && c < r->dim; c++)
      pick_component(l, claims, ranks, k, c, row);
  }
}
