/* Rows of global numbers that are made from others' rows; tables of local ones.
 */
#include "rt/ranks/dist.h"

#include "base/arena.h"
#include "rt/ranks/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------- */

void
rt_dist_table_new(struct rt_dist_map *m, idx_l n, const idx_g *rows, idx_l nat,
                  const idx_l *at, const idx_g *more, idx_l nmore) {
  size_t entries = rt_dist_places(m, (size_t)n);
  m->table_start = NULL;
  if (m->own) {
    int64_t *start = mem_alloc((size_t)n + 1, sizeof *start);
    for (idx_l i = 0; i < nat; i++)
      start[at[i] + 1] = rt_dist_row(m, rows, (size_t)i).n;
    for (idx_l i = 0; i < nmore; i++)
      start[nat + i + 1] = rt_dist_row(m, more, (size_t)i).n;
    for (idx_l e = 0; e < n; e++) start[e + 1] += start[e];
    m->table_start = start;
    entries = (size_t)start[n];
  }
  m->table = mem_alloc(entries + 1, sizeof *m->table);
}

void
rt_dist_table_free(struct rt_dist_map *m) {
  free(m->table);
  free(m->table_start);
  m->table = NULL;
  m->table_start = NULL;
}

/* ---- made from others' -------------------------------------------------- */

void
rt_dist_permuted(const struct rt_dist_map *m, idx_l n, const int *perm,
                 idx_g *out) {
  for (idx_l e = 0; e < n; e++) {
    struct rt_dist_row row = rt_dist_row(m, m->rows, (size_t)e);
    for (uint32_t i = 0; i < row.n; i++) *out++ = row.at[perm[i]];
  }
}

/* Rows of b that this rank declared, `first` being the number of the first. */
struct declared {
  const struct rt_dist_map *b;
  idx_g first;
};

static void
answer_row(void *user, idx_g g, void *out) {
  const struct declared *d = user;
  assert(g >= d->first);
  memcpy(out, d->b->rows + rt_dist_places(d->b, (size_t)(g - d->first)),
         rt_dist_places(d->b, 1) * sizeof(idx_g));
}

/* Rows of b for all places of a's; those that have no entry there get none. */
static status
rows_ask(struct rt_comm *c, const struct rt_part *through,
         const struct rt_dist_map *a, size_t places, struct declared *d,
         idx_g *out) {
  size_t n = 0, bytes = rt_dist_places(d->b, 1) * sizeof *out;
  SCOPED int *home = mem_alloc(places + 1, sizeof *home);
  SCOPED idx_g *ask = mem_alloc(places + 1, sizeof *ask);
  SCOPED idx_g *got = mem_alloc(places + 1, bytes);
  for (size_t i = 0; i < places; i++)
    if (a->rows[i] >= 0) {
      home[n] = rt_part_home(through, c->size, a->rows[i]);
      ask[n++] = a->rows[i];
    }
  status st = rt_ask(c, n, home, ask, answer_row, d, bytes, got);
  for (size_t i = 0, k = 0; st == OK && i < places; i++) {
    idx_g *row = out + rt_dist_places(d->b, i);
    if (a->rows[i] >= 0)
      memcpy(row, got + rt_dist_places(d->b, k++), bytes);
    else
      memset(row, 0xff, bytes); /* -1 */
  }
  return st;
}

/* Entries to the front, -1 behind them. */
static void
row_close_up(idx_g *row, size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (row[i] >= 0) row[kept++] = row[i];
  for (; kept < n; kept++) row[kept] = -1;
}

status
rt_dist_composed(struct rt_comm *c, const struct rt_part *through,
                 const struct rt_dist_map *a, idx_l n,
                 const struct rt_dist_map *b, bool here, idx_g *out) {
  size_t places = rt_dist_places(a, (size_t)n), each;
  struct declared d = {b, through->start[c->rank]};
  status st = OK;
  assert(!here || !a->own);
  for (size_t i = 0; here && i < places; i++)
    answer_row(&d, a->rows[i], out + rt_dist_places(b, i));
  if (!here) st = rows_ask(c, through, a, places, &d, out);
  each = rt_dist_places(a, 1) * rt_dist_places(b, 1);
  for (idx_l e = 0; st == OK && (a->own || b->own) && e < n; e++)
    row_close_up(out + (size_t)e * each, each);
  return st;
}
