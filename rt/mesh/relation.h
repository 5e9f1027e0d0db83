/* Relations: how elements of one set name elements of another, behind op_map.
 *
 *   e of `from` -> row of e: elements of `to`, in an order, some perhaps twice
 *
 *   kind     row of e                                        rows have   memory
 *   table    the entries that op_decl_map was given          one length  KEEP
 *   csr      entries that the maker was given                their own   KEEP
 *   inverse  of another: the elements whose rows name e      their own   GIVE
 *   composed of two, a and b: b's rows of what a's row of e  one, or     GIVE
 *            names, one after another                        their own
 *   permuted of another, its entries in another order        one length  GIVE
 *
 * A table or csr is written down as a struct rt_relation; the other kinds have
 * makers, which store their rows, and may outlive what they are made from. All
 * rows are runs of entries in memory; rt_row alone knows where one lies.
 * Whoever colours, cuts, numbers or checks goes by it and knows no kinds. */
#ifndef RT_RELATION_H
#define RT_RELATION_H

#include "base/err.h"
#include "base/types.h"

#include <assert.h>

struct rt_order;
struct rt_part;
struct rt_steps;
struct rt_stretches;

/* Elements are numbered by `order`, KEEP; NULL: as the program numbers them.
 * Over ranks: n counts copies of others' elements, too; `part` says whose
 * (rt/ranks/dist.h), and how many a launch runs. */
struct rt_set {
  idx_l n;
  const char *name;
  const struct rt_order *order;
  struct rt_part *part; /* KEEP; NULL: all elements are here */
};

/* Row e is table[e * arity .. (e + 1) * arity), or, where `start` is there,
 * table[start[e] .. start[e + 1]), start[0] == 0; entries in [0, to->n).
 * Immutable while the version stays. */
struct rt_relation {
  const struct rt_set *from, *to;
  uint32_t arity; /* 0 where `start` is there */
  const idx_l *table;
  const int64_t *start; /* [from->n + 1] or NULL */
  const uint32_t
      *entry;       /* of an inverse: the element is named by entry entry[k] of
                            the row of table[k]; else NULL */
  uint64_t version; /* process-wide unique; changes with the rows */
  const char *name;
  const idx_l
      *named; /* the rows as they are with the program's numbers in them;
                         NULL: nobody needed that, or `table` is it */
  const struct rt_stretches *stretches; /* rt/mesh/stretch.h; NULL: none are
                                           known */
  const struct rt_steps *steps;         /* rt/mesh/step.h; likewise */
};

/* Rows along columns, all alike: row e goes from layer `first` of column e to
 * layer `last`, one after another. Layer l of column e is element
 * e * each + l * apart. */
struct rt_column_layers {
  idx_l each, apart, height; /* of columns: what is known before */
  idx_l first, last;         /* what is found (rt/mesh/step.h) */
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

/* Entries [first, first + count) of every row: all rows of one length have
 * them, of others they are taken as far as the row goes. */
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

/* The first of them that is of the same targets as c[i]. */
static inline uint32_t
rt_entries_alike(const struct rt_entries *c, uint32_t i) {
  uint32_t k = 0;
  while (c[k].of->to != c[i].of->to) k++;
  assert(k <= i);
  return k;
}

/* ---- relation.c --------------------------------------------------------- */

/* Entries of all rows; bytes of the table. */
int64_t rt_relation_entries(const struct rt_relation *r);
size_t rt_relation_bytes(const struct rt_relation *r);

/* What all rows prove. */
struct rt_facts {
  bool onto;      /* every element of `to` is named */
  bool injective; /* none twice */
  bool repeats;   /* some row names an element twice */
  idx_l
      bad; /* element with an entry outside `to`, the first; -1: none. Then the
                     facts are those of the rows before */
  uint32_t bad_entry;
};
/* cost one pass and one word for each element of `to`. ERR_MEMORY */
status rt_relation_scan(const struct rt_relation *r, struct rt_facts *out);

/* Runs: elements one after another that name the same target in one entry, as
 * edges do that are numbered by their first end.
 *
 *   element  0  1  2  3  4  5
 *   entry 0  7  7  7  9  9  4      3 runs, of 2 elements on average
 *   entry 1  8 11 30  7 12  9      6 runs */
struct rt_runs {
  uint32_t entry; /* the one with the fewest runs, the first of these */
  idx_l length;   /* of them, on average, rounded down; 0: there are none */
};
/* Of the first n rows, if they have one length; other rows, and no rows, have
 * none. cost a pass for each entry */
struct rt_runs rt_relation_runs(const struct rt_relation *r, idx_l n);

/* Rows in another order and with other numbers, one after another: the e-th is
 * that of row[e], with at[x] for each entry x. NULL: as they are. */
void rt_relation_renumber(const struct rt_relation *r, const idx_l *row,
                          const idx_l *at, idx_l *out);
/* Where rows of any length begin then: out[from->n + 1]. */
void rt_relation_starts(const struct rt_relation *r, const idx_l *row,
                        int64_t *out);

/* Rows of the inverse list elements in the order of `order` (a permutation of
 * of->from; NULL: ascending), entries of one row one after another. Over ranks
 * rows of the last level are unknown (rt_dist_map): `of` must end before it.
 * GIVE: clear. cost two passes and two words an entry. ERR_MEMORY */
status rt_relation_inverse(const struct rt_relation *of, const idx_l *order,
                           struct rt_relation *out);
/* a->to is b->from. GIVE: clear. ERR_MEMORY */
status rt_relation_composed(const struct rt_relation *a,
                            const struct rt_relation *b,
                            struct rt_relation *out);
/* Entry i of each row is entry perm[i] of a's, whose rows have one length.
 * GIVE: clear. ERR_MEMORY */
status rt_relation_permuted(const struct rt_relation *a, const int *perm,
                            struct rt_relation *out);
/* Of what a maker gave. */
void rt_relation_clear(struct rt_relation *r);

/* The inverse of rows of one entry, in memory of the caller: those of the
 * numbers [0, n) that have key k are at[start[k] .. start[k + 1]), k in [0,
 * nkeys), as `order` has them. */
void rt_group(const idx_l *key, idx_l n, idx_l nkeys, const idx_l *order,
              idx_l *start, idx_l *at);

#endif
