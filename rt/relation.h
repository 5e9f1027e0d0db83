/* Relations: how elements of one set name elements of another, behind op_map.
 *
 *   e of `from`  ->  row of e: elements of `to`, in an order, some perhaps twice
 *
 * A row is a run of entries in memory. All rows have one length (`arity`: the tables of
 * op_decl_map), or each its own (`start`). rt_row is the only place that knows where a
 * row lies: whoever colours, cuts, numbers or checks goes by it, and knows no kinds. */
#ifndef RT_RELATION_H
#define RT_RELATION_H

#include "base/err.h"
#include "base/types.h"

#include <assert.h>

struct rt_set;

/* Row e is table[e * arity .. (e + 1) * arity), or, where `start` is there,
 * table[start[e] .. start[e + 1]); entries in [0, to->n). Immutable while the version
 * stays. All are KEEP. */
struct rt_relation {
  const struct rt_set *from, *to;
  uint32_t arity; /* 0 where `start` is there */
  const idx_l *table;
  const int64_t *start; /* [from->n + 1] or NULL */
  uint64_t version;     /* process-wide unique; changes with the rows */
  const char *name;
  const idx_l
      *named; /* the rows as they are with the program's numbers in them;
                         NULL: nobody needed that, or `table` is it */
};

struct rt_row {
  const idx_l *at;
  uint32_t n;
};

static inline struct rt_row
rt_row(const struct rt_relation *r, int64_t e) {
  if (!r->start) return (struct rt_row){r->table + e * r->arity, r->arity};
  int64_t lo = r->start[e];
  return (struct rt_row){r->table + lo, (uint32_t)(r->start[e + 1] - lo)};
}

/* Entries [first, first + count) of every row: all rows of one length have them, of
 * others they are taken as far as the row goes. */
struct rt_entries {
  const struct rt_relation *of;
  uint32_t first, count;
};

/* What they are in the row of e. */
static inline struct rt_row
rt_entries_of(const struct rt_entries *x, int64_t e) {
  struct rt_row row = rt_row(x->of, e);
  if (!x->of->start) {
    assert((uint64_t)x->first + x->count <= row.n);
    return (struct rt_row){row.at + x->first, x->count};
  }
  uint32_t first = x->first < row.n ? x->first : row.n, left = row.n - first;
  return (struct rt_row){row.at + first, x->count < left ? x->count : left};
}

#endif
