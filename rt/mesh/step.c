/* Steps: how they are found. The first row that has two entries says which one
 * it is, and all others must agree. */
#include "rt/mesh/step.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

/* From the first entry to the second, in the first row that has both. */
static int64_t
first_step(const struct rt_relation *r) {
  for (idx_l e = 0; e < r->from->n; e++) {
    struct rt_row row = rt_row(r, e);
    if (row.n > 1) return (int64_t)row.at[1] - row.at[0];
  }
  return 1;
}

static bool
all_step(const struct rt_relation *r, int64_t step) {
  for (idx_l e = 0; e < r->from->n; e++) {
    struct rt_row row = rt_row(r, e);
    for (uint32_t i = 1; i < row.n; i++)
      if ((int64_t)row.at[i] - row.at[i - 1] != step) return false;
  }
  return true;
}

uint32_t
rt_usual_length(const struct rt_relation *r) {
  uint32_t usual = 0;
  int64_t votes = 0, rows = 0, all = 0;
  for (idx_l e = 0; e < r->from->n; e++) { /* none other can have most */
    uint32_t n = rt_row(r, e).n;
    if (!n) continue;
    if (!votes) usual = n;
    votes += n == usual ? 1 : -1;
    all++;
  }
  for (idx_l e = 0; e < r->from->n; e++) rows += rt_row(r, e).n == usual;
  return 2 * rows > all ? usual : 0;
}

/* Those of rows that step and are not empty. */
static bool
lie_beside(const struct rt_relation *r) {
  struct rt_row before = rt_row(r, 0);
  for (idx_l e = 1; before.n && e < r->from->n; e++) {
    struct rt_row row = rt_row(r, e);
    if (row.n != before.n || row.at[0] != before.at[0] + 1) return false;
    before = row;
  }
  return before.n > 0;
}

static bool
table_counts(const struct rt_relation *r) {
  int64_t n = rt_relation_entries(r), k = 0;
  while (k < n && r->table[k] == k) k++;
  return k == n && n;
}

static status
steps_new(const struct rt_relation *r, int64_t step, struct rt_steps **out) {
  size_t n = (size_t)r->from->n;
  assert(step && step >= -INT32_MAX && step <= INT32_MAX);
  *out = NULL;
  idx_l *first = mem_try(n + 1, sizeof *first);
  if (!first)
    FAIL(ERR_MEMORY, "no memory for first entries of map \"%s\"", r->name);
  idx_l any = rt_relation_entries(r) ? r->table[r->start[0]] : 0;
  for (idx_l e = 0; e < r->from->n; e++) {
    struct rt_row row = rt_row(r, e);
    first[e] = row.n ? row.at[0] : any;
  }
  *out = mem_alloc(1, sizeof **out);
  **out = (struct rt_steps){.step = (int32_t)step,
                            .beside = lie_beside(r),
                            .counts = step == 1 && table_counts(r),
                            .first = first};
  return OK;
}

status
rt_steps_find(const struct rt_relation *r, struct rt_steps **out) {
  *out = NULL;
  if (!r->start || !r->table || !r->from->n) return OK;
  int64_t step = first_step(r);
  if (!step || !all_step(r, step)) return OK;
  return steps_new(r, step, out);
}

int32_t
rt_rows_shift(const struct rt_relation *rows, const struct rt_relation *to,
              uint32_t entry) {
  assert(rows->to == to->from && !to->start && entry < to->arity);
  bool there = rows->table && to->table;
  int64_t n = there ? rt_relation_entries(rows) : 0, shift = 0;
  for (int64_t k = 0; k < n; k++) {
    idx_l x = rows->table[k];
    int64_t found = (int64_t)rt_row(to, x).at[entry] - x;
    if (k && found != shift) return 0;
    shift = found;
  }
  return (int32_t)shift;
}

static bool
same_layers(const struct rt_column_layers *x, idx_l e, struct rt_row row) {
  int64_t base = (int64_t)e * x->each;
  return row.at[0] == base + (int64_t)x->first * x->apart &&
         row.at[row.n - 1] == base + (int64_t)x->last * x->apart;
}

bool
rt_column_layers_find(const struct rt_relation *r, struct rt_column_layers *x) {
  assert(x->apart > 0 && x->height > 0 && r->start);
  if (!r->steps || !r->from->n || !r->table) return false;
  struct rt_row row = rt_row(r, 0);
  int32_t step = r->steps->step < 0 ? -r->steps->step : r->steps->step;
  if (!row.n || (row.n > 1 && step != x->apart)) return false;
  x->first = row.at[0] / x->apart;
  x->last = row.at[row.n - 1] / x->apart;
  bool high = x->first >= x->height || x->last >= x->height;
  for (idx_l e = 0; !high && e < r->from->n; e++)
    if (!rt_row(r, e).n || !same_layers(x, e, rt_row(r, e))) return false;
  return !high;
}

void
rt_steps_free(struct rt_steps *s) {
  if (!s) return;
  free(s->first);
  free(s);
}
