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
 * A later row replaces the payload only if it improves the value strictly: ties
 * keep the earliest element, and a start value that nobody beats keeps its own.
 * With several components each one has its own winner and its own component of
 * the payload.
 *
 * Cost: rows * components after the launch. Rows are padded to 128 bytes, the
 * unit in which neighbouring lines are fetched, so that threads don't share
 * one.
 */
#include "rt/reduce.h"

#include <assert.h>
#include <string.h>

enum { ENTRY_ALIGN = 16, ROW_ALIGN = 128 };

static size_t
entry_bytes(const struct rt_reduction *r) {
  return (size_t)r->dim * r->type.size;
}

size_t
rt_reduce_offset(const struct rt_launch *l, uint32_t index) {
  size_t at = 0;
  assert(index <= l->nreductions);
  for (uint32_t i = 0; i < index; i++)
    at += (entry_bytes(&l->reductions[i]) + ENTRY_ALIGN - 1) / ENTRY_ALIGN *
          ENTRY_ALIGN;
  return at;
}

size_t
rt_reduce_row(const struct rt_launch *l) {
  size_t bytes = rt_reduce_offset(l, l->nreductions);
  return (bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
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
      memcpy(entry, globals[r->global], entry_bytes(r));
    else
      type_identity(r->type, r->access, entry, r->dim);
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
           whole ? entry_bytes(r) : r->type.size);
  }
}

static bool
has_payload(const struct rt_launch *l, uint32_t index) {
  for (uint32_t i = 0; i < l->nreductions; i++)
    if (l->reductions[i].payload == (int32_t)index) return true;
  return false;
}

static void
combine(const struct rt_launch *l, void *const *globals, const char *row,
        uint32_t index) {
  const struct rt_reduction *r = &l->reductions[index];
  const char *entry = row + rt_reduce_offset(l, index);
  char *global = globals[r->global];
  if (!has_payload(l, index)) {
    type_combine(r->type, r->access, global, entry, r->dim);
    return;
  }
  for (uint32_t c = 0; c < r->dim; c++) {
    size_t at = (size_t)c * r->type.size;
    if (type_combine(r->type, r->access, global + at, entry + at, 1))
      take_payloads(l, globals, row, index, c);
  }
}

void
rt_reduce_finish(const struct rt_launch *l, void *const *globals,
                 const char *acc, size_t row, idx_l nrows) {
  for (idx_l i = 0; i < nrows; i++)
    for (uint32_t k = 0; k < l->nreductions; k++)
      if (l->reductions[k].payload < 0)
        combine(l, globals, acc + (size_t)i * row, k);
}
