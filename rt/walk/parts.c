/* Parts: one run of consecutive elements per thread, borders apart.
 *
 * Problem. Colours make increments safe, but each colour walks over the whole
 * mesh with gaps, with a barrier behind it: elements that lie together, and
 * data that they share, are far apart in time.
 *
 * Idea. Give each thread one consecutive part of the elements. An element whose
 * targets nobody outside its part touches can run at any time. What is left,
 * the border, shares targets with another part; it runs after one barrier, on
 * one thread. On a mesh with good numbering the border is a thin line: 0.3 per
 * cent of Airfoil's edges for two parts.
 *
 *   edges   0 1 2 3 4 | 5 6 7 8 9        edge e joins cells e and e+1
 *   cells   0 1 2 3 4 5 | ...            cell 5 has edges of both parts
 *   part 0  [0, 4)   part 1  [6, 10)     border {4, 5}
 *
 * Short runs between border elements join the border, so that loops stay long.
 *
 * Pays only while the border is short: with k threads and a border of fraction
 * f a loop takes (1 - f) / k + f. Above f = 1 / 8k it does not (rt_plan is used
 * then).
 *
 * Measured: Airfoil, 720 000 cells, 2 threads, against blocks of two-level
 * colouring (OP2_THREADING=colours): 1.36 times the speed per iteration, 1.48
 * with deferred globals (medians of 3 interleaved runs).
 * Cost: two passes over the maps' entries; one word per target while it is
 * made. Source: the split into interior and border is that of distributed
 * meshes (owner-computes; OP2's core and exec halo, Mudalige et al. 2012,
 * section III), applied to threads.
 * Limits: depends on the numbering; sums depend on the number of threads, so
 * reproducible mode uses colours. */
#include "rt/walk/parts.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

enum { SHORT_RUN = 32, UNIT = 64 };

/* Which part touches each target of one set; SEVERAL if more than one does. */
#define NOBODY (-1)
#define SEVERAL (-2)
struct touch {
  const struct rt_set *to;
  int32_t *part;
};

struct maker {
  const struct rt_entries *c;
  uint32_t nc;
  struct touch *touches; /* per conflict; maps to one set share */
  idx_l *bounds;         /* part k covers [bounds[k], bounds[k+1]) */
  char *border;          /* per element */
  int parts;
};

static void
make_bounds(struct maker *m, idx_l n) {
  int64_t units = ((int64_t)n + UNIT - 1) / UNIT;
  for (int k = 0; k <= m->parts; k++) {
    int64_t at = units * k / m->parts * UNIT;
    m->bounds[k] = at < n ? (idx_l)at : n;
  }
}

static status
touches_init(struct maker *m) {
  for (uint32_t i = 0; i < m->nc; i++) {
    const struct rt_set *to = m->c[i].of->to;
    for (uint32_t j = 0; j < i && !m->touches[i].part; j++)
      if (m->touches[j].to == to) m->touches[i] = m->touches[j];
    if (m->touches[i].part) continue;
    size_t bytes = ((size_t)to->n + 1) * sizeof(int32_t);
    int32_t *part = malloc(bytes);
    if (!part) FAIL(ERR_MEMORY, "no memory for a plan of %zu bytes", bytes);
    for (idx_l t = 0; t < to->n; t++) part[t] = NOBODY;
    m->touches[i] = (struct touch){to, part};
  }
  return OK;
}

static void
touches_clear(struct maker *m) {
  for (uint32_t i = 0; i < m->nc; i++) {
    bool mine = true;
    for (uint32_t j = 0; j < i; j++)
      if (m->touches[j].part == m->touches[i].part) mine = false;
    if (mine) free(m->touches[i].part);
  }
  free(m->touches);
}

static void
note_part(struct maker *m, uint32_t i, int part) {
  int32_t *touch = m->touches[i].part;
  const struct rt_entries c = m->c[i];
  for (int64_t e = m->bounds[part], end = m->bounds[part + 1]; e < end; e++) {
    struct rt_row row = rt_entries_of(&c, e);
    for (uint32_t j = 0; j < row.n; j++) {
      int32_t *t = &touch[row.at[j]];
      if (*t != part) *t = *t == NOBODY ? part : SEVERAL;
    }
  }
}

static void
note_border(struct maker *m, uint32_t i, idx_l n) {
  const int32_t *touch = m->touches[i].part;
  for (int64_t e = 0; e < n; e++) {
    struct rt_row row = rt_entries_of(&m->c[i], e);
    for (uint32_t j = 0; j < row.n; j++)
      if (touch[row.at[j]] == SEVERAL) m->border[e] = 1;
  }
}

/* Interior runs too short to be worth a call join the border. */
static void
drop_short_runs(struct maker *m, idx_l n) {
  for (idx_l lo = 0; lo < n;) {
    idx_l hi = lo;
    while (hi < n && m->border[hi] == m->border[lo]) hi++;
    if (!m->border[lo] && hi - lo < SHORT_RUN && (lo > 0 || hi < n))
      for (idx_l e = lo; e < hi; e++) m->border[e] = 1;
    lo = hi;
  }
}

/* Runs of [lo, hi) with this border flag, appended; *elements_out grows. */
static void
append_runs(const struct maker *m, struct rt_parts *p, idx_l lo, idx_l hi,
            char flag, idx_l *elements_out) {
  while (lo < hi) {
    if (m->border[lo] != flag) {
      lo++;
      continue;
    }
    idx_l end = lo;
    while (end < hi && m->border[end] == flag) end++;
    struct rt_range r = {lo, end};
    VEC_PUSH(p->ranges, p->nranges, p->capranges, r);
    *elements_out += end - lo;
    lo = end;
  }
}

static void
make_ranges(const struct maker *m, struct rt_parts *p) {
  idx_l inner = 0, border = 0;
  for (int k = 0; k < m->parts; k++) {
    append_runs(m, p, m->bounds[k], m->bounds[k + 1], 0, &inner);
    p->start[k + 1] = p->nranges;
  }
  append_runs(m, p, 0, p->n, 1, &border);
  p->start[m->parts + 1] = p->nranges;
  assert(inner + border == p->n);
  p->pays = (int64_t)border * 8 * m->parts <= p->n;
}

status
rt_parts_make(idx_l n, int parts, const struct rt_entries *c, uint32_t nc,
              struct rt_parts **out) {
  assert(parts >= 1);
  struct maker m = {.c = c, .nc = nc, .parts = parts};
  m.touches = mem_alloc(nc + 1, sizeof *m.touches);
  m.bounds = mem_alloc((size_t)parts + 1, sizeof *m.bounds);
  m.border = mem_alloc((size_t)n + 1, 1);
  make_bounds(&m, n);
  status st = touches_init(&m);
  if (st == OK) {
    for (int k = 0; k < parts; k++)
      for (uint32_t i = 0; i < nc; i++) note_part(&m, i, k);
    for (uint32_t i = 0; i < nc; i++) note_border(&m, i, n);
    drop_short_runs(&m, n);
    struct rt_parts *p = mem_alloc(1, sizeof *p);
    p->n = n;
    p->parts = parts;
    p->start = mem_alloc((size_t)parts + 2, sizeof *p->start);
    make_ranges(&m, p);
    *out = p;
  }
  touches_clear(&m);
  free(m.bounds);
  free(m.border);
  return st;
}

void
rt_parts_free(struct rt_parts *p) {
  if (!p) return;
  free(p->start);
  free(p->ranges);
  free(p);
}

/* ---- an independent check ----------------------------------------------- */

/* What part k does, by walking its ranges: every element once, and no target of
 * an inner element seen by another part. */
static status
check_ranges(const struct rt_parts *p, char *times) {
  for (uint32_t i = 0; i < p->start[p->parts + 1]; i++)
    for (idx_l e = p->ranges[i].lo; e < p->ranges[i].hi; e++) {
      if (e < 0 || e >= p->n || times[e])
        FAIL(ERR_STATE, "parts: element %d runs twice or is none", e);
      times[e] = 1;
    }
  for (idx_l e = 0; e < p->n; e++)
    if (!times[e]) FAIL(ERR_STATE, "parts: element %d does not run", e);
  return OK;
}

static status
check_target(const struct rt_entries *c, idx_l e, int part, int32_t *who) {
  struct rt_row row = rt_entries_of(c, e);
  for (uint32_t j = 0; j < row.n; j++) {
    idx_l t = row.at[j];
    if (who[t] && who[t] != part + 1)
      FAIL(ERR_STATE,
           "parts: parts %d and %d share element %d of set %s (map %s)",
           who[t] - 1, part, t, c->of->to->name, c->of->name);
    who[t] = part + 1;
  }
  return OK;
}

/* All conflicts to the set of conflict `first`. */
static status
check_set(const struct rt_parts *p, const struct rt_entries *c, uint32_t nc,
          uint32_t first, int32_t *who) {
  for (int k = 0; k < p->parts; k++)
    for (uint32_t r = p->start[k]; r < p->start[k + 1]; r++)
      for (uint32_t i = first; i < nc; i++)
        for (idx_l e = p->ranges[r].lo; e < p->ranges[r].hi; e++)
          if (c[i].of->to == c[first].of->to)
            TRY(check_target(&c[i], e, k, who));
  return OK;
}

status
rt_parts_check(const struct rt_parts *p, const struct rt_entries *c,
               uint32_t nc) {
  char *times = mem_alloc((size_t)p->n + 1, 1);
  status st = check_ranges(p, times);
  free(times);
  for (uint32_t i = 0; st == OK && i < nc; i++) {
    int32_t *who = mem_alloc((size_t)c[i].of->to->n + 1, sizeof *who);
    st = check_set(p, c, nc, i, who);
    free(who);
  }
  return st;
}
