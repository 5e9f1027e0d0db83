/* Relations that are made from others, and what is found by looking at all
 * rows. */
#include "rt/mesh/relation.h"

#include "base/arena.h"
#include "rt/plan.h"

#include <stdlib.h>
#include <string.h>

int64_t
rt_relation_entries(const struct rt_relation *r) {
  return r->start ? r->start[r->from->n] : (int64_t)r->from->n * r->arity;
}

size_t
rt_relation_bytes(const struct rt_relation *r) {
  return (size_t)rt_relation_entries(r) * sizeof *r->table;
}

/* ---- facts -------------------------------------------------------------- */

/* last[t]: 1 + the element that named t last. */
static void
scan_row(struct rt_row row, idx_l e, idx_l *last, struct rt_facts *f,
         idx_l *hit) {
  for (uint32_t i = 0; i < row.n; i++) {
    idx_l *l = &last[row.at[i]];
    if (*l == e + 1) f->repeats = true;
    if (*l) f->injective = false;
    *hit += !*l;
    *l = e + 1;
  }
}

static bool
row_outside(struct rt_row row, idx_l n, uint32_t *entry_out) {
  for (uint32_t i = 0; i < row.n; i++)
    if (row.at[i] < 0 || row.at[i] >= n) {
      *entry_out = i;
      return true;
    }
  return false;
}

status
rt_relation_scan(const struct rt_relation *r, struct rt_facts *out) {
  *out = (struct rt_facts){.injective = true, .bad = -1};
  size_t bytes = (size_t)r->to->n * sizeof(idx_l);
  idx_l hit = 0, *last = rt_mem_new(bytes);
  if (!last)
    FAIL(ERR_MEMORY, "no memory to check map \"%s\": %zu bytes", r->name,
         bytes);
  for (idx_l e = 0; e < r->from->n && out->bad < 0; e++) {
    struct rt_row row = rt_row(r, e);
    if (row_outside(row, r->to->n, &out->bad_entry))
      out->bad = e;
    else
      scan_row(row, e, last, out, &hit);
  }
  rt_mem_free(last, bytes);
  assert(hit <= r->to->n);
  out->onto = hit == r->to->n;
  return OK;
}

/* ---- rows with other numbers -------------------------------------------- */

void
rt_relation_renumber(const struct rt_relation *r, const idx_l *row,
                     const idx_l *at, idx_l *out) {
  for (idx_l e = 0; e < r->from->n; e++) {
    struct rt_row x = rt_row(r, row ? row[e] : e);
    assert(!row || (row[e] >= 0 && row[e] < r->from->n));
    for (uint32_t i = 0; i < x.n; i++) *out++ = at ? at[x.at[i]] : x.at[i];
  }
}

void
rt_relation_starts(const struct rt_relation *r, const idx_l *row,
                   int64_t *out) {
  assert(r->start);
  out[0] = 0;
  for (idx_l e = 0; e < r->from->n; e++)
    out[e + 1] = out[e] + rt_row(r, row ? row[e] : e).n;
}

/* ---- inverse ------------------------------------------------------------ */

void
rt_group(const idx_l *key, idx_l n, idx_l nkeys, const idx_l *order,
         idx_l *start, idx_l *at) {
  memset(start, 0, ((size_t)nkeys + 1) * sizeof *start);
  assert(n >= 0 && nkeys >= 0);
  for (idx_l i = 0; i < n; i++) start[key[i] + 1]++;
  for (idx_l k = 0; k < nkeys; k++) start[k + 1] += start[k];
  assert(start[nkeys] == n);
  for (idx_l i = 0; i < n; i++) {
    idx_l x = order ? order[i] : i;
    at[start[key[x]]++] = x;
  }
  memmove(start + 1, start, (size_t)nkeys * sizeof *start);
  start[0] = 0;
}

/* The same for the entries of rows. start: zero at first. */
static void
invert(const struct rt_relation *of, const idx_l *order, int64_t *start,
       idx_l *at, uint32_t *entry) {
  int64_t n = rt_relation_entries(of);
  for (int64_t k = 0; k < n; k++) start[of->table[k] + 1]++;
  for (idx_l t = 0; t < of->to->n; t++) start[t + 1] += start[t];
  assert(start[of->to->n] == n);
  for (idx_l i = 0; i < of->from->n; i++) {
    idx_l e = order ? order[i] : i;
    struct rt_row row = rt_row(of, e);
    for (uint32_t j = 0; j < row.n; j++) {
      int64_t k = start[row.at[j]]++;
      at[k] = e;
      entry[k] = j;
    }
  }
  memmove(start + 1, start, (size_t)of->to->n * sizeof *start);
  start[0] = 0;
}

/* Arrays for rows, zeros: where they begin (`own`: each has its own length),
 * entries, and numbers beside these (`numbered`). */
static status
rows_alloc(struct rt_relation *r, bool own, int64_t entries, bool numbered) {
  size_t n = (size_t)entries + 1;
  if (own) r->start = mem_try((size_t)r->from->n + 1, sizeof *r->start);
  if (numbered) r->entry = mem_try(n, sizeof *r->entry);
  r->table = mem_try(n, sizeof *r->table);
  bool room = r->table && (!own || r->start) && (!numbered || r->entry);
  if (room) return OK;
  rt_relation_clear(r);
  FAIL(ERR_MEMORY, "no memory for rows with %lld entries", (long long)entries);
}

status
rt_relation_inverse(const struct rt_relation *of, const idx_l *order,
                    struct rt_relation *out) {
  *out = (struct rt_relation){.from = of->to,
                              .to = of->from,
                              .version = rt_version_new(),
                              .name = of->name};
  TRY(rows_alloc(out, true, rt_relation_entries(of), true));
  invert(of, order, (int64_t *)out->start, (idx_l *)out->table,
         (uint32_t *)out->entry);
  return OK;
}

/* ---- composed ----------------------------------------------------------- */

/* Entries of the rows of b that row e of a names. */
static int64_t
composed_length(const struct rt_relation *a, const struct rt_relation *b,
                idx_l e) {
  int64_t n = 0;
  struct rt_row row = rt_row(a, e);
  for (uint32_t i = 0; i < row.n; i++) n += rt_row(b, row.at[i]).n;
  return n;
}

status
rt_relation_composed(const struct rt_relation *a, const struct rt_relation *b,
                     struct rt_relation *out) {
  assert(a->to == b->from);
  bool own = a->start || b->start;
  int64_t n = 0;
  for (idx_l e = 0; e < a->from->n; e++) n += composed_length(a, b, e);
  *out = (struct rt_relation){.from = a->from,
                              .to = b->to,
                              .arity = own ? 0 : a->arity * b->arity,
                              .version = rt_version_new(),
                              .name = b->name};
  TRY(rows_alloc(out, own, n, false));
  idx_l *at = (idx_l *)out->table;
  for (idx_l e = 0; e < a->from->n; e++) {
    struct rt_row row = rt_row(a, e);
    for (uint32_t i = 0; i < row.n; i++) {
      struct rt_row x = rt_row(b, row.at[i]);
      if (x.n) memcpy(at, x.at, x.n * sizeof *at);
      at += x.n;
    }
    if (own) ((int64_t *)out->start)[e + 1] = at - out->table;
  }
  assert(at - out->table == n);
  return OK;
}

status
rt_relation_permuted(const struct rt_relation *a, const int *perm,
                     struct rt_relation *out) {
  assert(!a->start);
  *out = (struct rt_relation){.from = a->from,
                              .to = a->to,
                              .arity = a->arity,
                              .version = rt_version_new(),
                              .name = a->name};
  TRY(rows_alloc(out, false, rt_relation_entries(a), false));
  idx_l *at = (idx_l *)out->table;
  for (idx_l e = 0; e < a->from->n; e++) {
    struct rt_row row = rt_row(a, e);
    for (uint32_t i = 0; i < row.n; i++) *at++ = row.at[perm[i]];
  }
  return OK;
}

void
rt_relation_clear(struct rt_relation *r) {
  free((void *)r->start);
  free((void *)r->table);
  free((void *)r->entry);
  *r = (struct rt_relation){0};
}
