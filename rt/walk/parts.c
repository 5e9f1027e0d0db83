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
 * f a loop takes (1 - f) / k + f. Above f = 1 / 8k it does not, and there is no
 * walk.
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
#include "rt/walk/walk.h"

#include "base/arena.h"

#include <stdlib.h>

enum { SHORT_RUN = 32, PAYS = 8 };

/* Which part touches a target; SEVERAL if more than one does. */
enum { NOBODY = -1, SEVERAL = -2 };

struct maker {
  const struct rt_entries *c;
  uint32_t nc;
  int32_t **touches; /* per conflict: of each target; alike ones share them */
  idx_l *bounds;     /* part k covers [bounds[k], bounds[k+1]) */
  char *border;      /* per element */
  int parts;
};

static void
make_bounds(struct maker *m, idx_l n) {
  int64_t units = ((int64_t)n + RT_UNIT - 1) / RT_UNIT;
  for (int k = 0; k <= m->parts; k++) {
    int64_t at = units * k / m->parts * RT_UNIT;
    m->bounds[k] = at < n ? (idx_l)at : n;
  }
}

static status
touches_init(struct maker *m) {
  for (uint32_t i = 0; i < m->nc; i++) {
    uint32_t first = rt_entries_alike(m->c, i);
    size_t n = (size_t)m->c[i].of->to->n;
    m->touches[i] =
        first < i ? m->touches[first] : malloc((n + 1) * sizeof(int32_t));
    if (!m->touches[i])
      FAIL(ERR_MEMORY, "no memory for parts that touch %zu elements", n);
    for (size_t t = 0; first == i && t < n; t++) m->touches[i][t] = NOBODY;
  }
  return OK;
}

static void
touches_clear(struct maker *m) {
  for (uint32_t i = 0; i < m->nc; i++)
    if (rt_entries_alike(m->c, i) == i) free(m->touches[i]);
  free(m->touches);
}

static void
note_part(struct maker *m, uint32_t i, int part) {
  int32_t *touch = m->touches[i];
  const struct rt_entries c = m->c[i];
  for (int64_t e = m->bounds[part], end = m->bounds[part + 1]; e < end; e++) {
    struct rt_row row = rt_entries_of(&c, e);
    for (uint32_t j = 0; j < row.n; j++) {
      assert(row.at[j] >= 0 && row.at[j] < c.of->to->n);
      int32_t *t = &touch[row.at[j]];
      if (*t != part) *t = *t == NOBODY ? part : SEVERAL;
    }
  }
}

static void
note_border(struct maker *m, uint32_t i, idx_l n) {
  const int32_t *touch = m->touches[i];
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

/* Runs of [lo, hi) with this border flag, one piece each, from *io on; their
 * number and their elements. `out` NULL: they are only counted. */
static idx_l
make_pieces(const struct maker *m, idx_l lo, idx_l hi, char flag,
            struct rt_range *out, idx_l *n_io) {
  idx_l elements = 0;
  while (lo < hi) {
    idx_l end = lo;
    while (end < hi && m->border[end] == m->border[lo]) end++;
    if (m->border[lo] == flag) {
      if (out) out[*n_io] = (struct rt_range){lo, end};
      ++*n_io;
      elements += end - lo;
    }
    lo = end;
  }
  return elements;
}

/* All parts, then the border. Elements of the border. */
static idx_l
make_tasks(const struct maker *m, idx_l n, struct rt_walk *w, idx_l *n_out) {
  struct rt_range *piece = w ? w->piece : NULL;
  idx_l inner = 0, border;
  *n_out = 0;
  for (int k = 0; k < m->parts; k++) {
    inner += make_pieces(m, m->bounds[k], m->bounds[k + 1], 0, piece, n_out);
    if (w) w->task[k + 1] = *n_out;
  }
  border = make_pieces(m, 0, n, 1, piece, n_out);
  if (w) w->task[m->parts + 1] = *n_out;
  assert(inner + border == n);
  return border;
}

/* *out stays NULL where the border is too long. */
static status
make_walk(const struct maker *m, idx_l n, struct rt_walk **out) {
  idx_l npieces;
  idx_l border = make_tasks(m, n, NULL, &npieces);
  if ((int64_t)border * PAYS * m->parts > n) return OK;
  struct rt_walk *w = *out = rt_walk_new(2, m->parts + 1, npieces);
  if (!w) FAIL(ERR_MEMORY, "no memory for a walk of %d pieces", npieces);
  w->n = n;
  w->step[1] = m->parts;
  w->step[2] = m->parts + 1;
  make_tasks(m, n, w, &npieces);
  assert(npieces == w->npieces);
  return OK;
}

status
rt_parts_make(const struct rt_walk_want *want, struct rt_walk **out) {
  idx_l n = want->n;
  struct maker m = {.c = want->c, .nc = want->nc, .parts = want->tasks};
  assert(m.parts >= 1);
  m.touches = mem_alloc(m.nc + 1, sizeof *m.touches);
  m.bounds = mem_alloc((size_t)m.parts + 1, sizeof *m.bounds);
  m.border = mem_alloc((size_t)n + 1, 1);
  make_bounds(&m, n);
  status st = touches_init(&m);
  if (st == OK) {
    for (int k = 0; k < m.parts; k++)
      for (uint32_t i = 0; i < m.nc; i++) note_part(&m, i, k);
    for (uint32_t i = 0; i < m.nc; i++) note_border(&m, i, n);
    drop_short_runs(&m, n);
    st = make_walk(&m, n, out);
  }
  touches_clear(&m);
  free(m.bounds);
  free(m.border);
  return st;
}
