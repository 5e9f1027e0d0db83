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
 * f a loop takes (1 + f (k - 1)) / k of one thread's time, by colours 1.36 / k
 * or more, as two threads had it. Where f (k - 1) is above a fourth there is no
 * walk.
 *
 * Measured: Airfoil, 720 000 cells, 2 threads, against blocks of two-level
 * colouring (OP2_THREADING=colours): 1.36 times the speed per iteration, 1.48
 * with deferred globals (medians of 3 interleaved runs). Euler on tetrahedra in
 * an order of RCM, 100 921 nodes, border 8.9 per cent, 2 threads of a Zen 5:
 * 1.56 times the speed of 15 colours, which took longer than one thread.
 * Cost: two passes over the maps' entries; one word per target while it is
 * made. Source: the split into interior and border is that of distributed
 * meshes (owner-computes; OP2's core and exec halo, Mudalige et al. 2012,
 * section III), applied to threads.
 *
 * In order. What a border element adds to a target that only its own part
 * touches comes behind what later elements of the part have added there, so
 * that sums depend on the number of threads. In order (OP2_REPRODUCIBLE, whose
 * sums are those of one thread over the program's elements) the elements of a
 * part that touch such a target run again with the border, after the targets
 * that they share with it have got back what they held before; what else the
 * second run changes is put back in the end (again.c).
 *
 *   border {4, 5}     cells 4, 5, 6: edges 3 and 6 add there, too
 *   part 0  [0, 4)    part 1  [6, 10)     then 3, 4, 5, 6: cells 4, 5, 6 anew,
 *                                         cells 3 and 7 stay
 *
 * Where a fourth of all would run in the border one thread runs all, in order.
 *
 * Limits: depends on the numbering. */
#include "rt/walk/walk.h"

#include "base/arena.h"
#include "rt/ranks/dist.h"
#include "rt/store/store.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_RUN = 32, PAYS = 4 };

/* Which part touches a target; SEVERAL if more than one does. */
enum { NOBODY = -1, SEVERAL = -2 };

/* Where an element runs: in its part, in the border, in both. */
enum { INNER, BORDER, BOTH };

struct maker {
  const struct rt_entries *c;
  uint32_t nc;
  int32_t **touches; /* per conflict: of each target; alike ones share them */
  const idx_l *at;   /* place x is element at[x]; NULL: x */
  idx_l *bounds;     /* part k covers places [bounds[k], bounds[k+1]) */
  char *where;       /* per place */
  int parts;
};

static struct rt_row
entries_at(const struct maker *m, uint32_t i, int64_t x) {
  return rt_entries_of(&m->c[i], m->at ? m->at[x] : x);
}

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
  for (int64_t x = m->bounds[part], end = m->bounds[part + 1]; x < end; x++) {
    struct rt_row row = entries_at(m, i, x);
    for (uint32_t j = 0; j < row.n; j++) {
      assert(row.at[j] >= 0 && row.at[j] < m->c[i].of->to->n);
      int32_t *t = &touch[row.at[j]];
      if (*t != part) *t = *t == NOBODY ? part : SEVERAL;
    }
  }
}

/* Inner elements that touch a target of several go to `where`. */
static void
note_shared(struct maker *m, uint32_t i, idx_l n, char where) {
  const int32_t *touch = m->touches[i];
  for (int64_t x = 0; x < n; x++) {
    struct rt_row row = entries_at(m, i, x);
    for (uint32_t j = 0; j < row.n; j++)
      if (touch[row.at[j]] == SEVERAL && !m->where[x]) m->where[x] = where;
  }
}

/* What the border touches is of several. */
static void
note_border(struct maker *m, uint32_t i, idx_l n) {
  for (int64_t x = 0; x < n; x++) {
    if (m->where[x] != BORDER) continue;
    struct rt_row row = entries_at(m, i, x);
    for (uint32_t j = 0; j < row.n; j++) m->touches[i][row.at[j]] = SEVERAL;
  }
}

/* Interior runs too short to be worth a call join the border. */
static void
drop_short_runs(struct maker *m, idx_l n) {
  for (idx_l lo = 0; lo < n;) {
    idx_l hi = lo;
    while (hi < n && m->where[hi] == m->where[lo]) hi++;
    if (!m->where[lo] && hi - lo < SHORT_RUN && (lo > 0 || hi < n))
      for (idx_l x = lo; x < hi; x++) m->where[x] = BORDER;
    lo = hi;
  }
}

/* Runs of places [lo, hi) that are in their part, or in the border, one piece
 * each, from *n_io on; their number and their elements. `w` NULL: they are only
 * counted. */
static idx_l
make_pieces(const struct maker *m, idx_l lo, idx_l hi, bool border,
            struct rt_walk *w, idx_l *n_io) {
  idx_l elements = 0;
  while (lo < hi) {
    idx_l end = lo;
    while (end < hi && m->where[end] == m->where[lo]) end++;
    if (m->where[lo] == BOTH || (m->where[lo] == BORDER) == border) {
      if (w) w->piece[*n_io] = (struct rt_range){lo, end};
      if (w && w->again) w->again[*n_io] = border && m->where[lo] == BOTH;
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
  *n_out = 0;
  for (int k = 0; k < m->parts; k++) {
    make_pieces(m, m->bounds[k], m->bounds[k + 1], false, w, n_out);
    if (w) w->task[k + 1] = *n_out;
  }
  idx_l border = make_pieces(m, 0, n, true, w, n_out);
  if (w) w->task[m->parts + 1] = *n_out;
  return border;
}

/* *out stays NULL where the border is too long. */
static status
make_walk(const struct maker *m, idx_l n, bool in_order, struct rt_walk **out) {
  idx_l npieces;
  idx_l border = make_tasks(m, n, NULL, &npieces);
  int64_t others = in_order || m->parts < 2 ? 1 : m->parts - 1;
  if (border > n / (PAYS * others)) return OK;
  struct rt_walk *w = *out = rt_walk_new(2, m->parts + 1, npieces);
  if (!w) FAIL(ERR_MEMORY, "no memory for a walk of %d pieces", npieces);
  w->n = n;
  w->step[1] = m->parts;
  w->step[2] = m->parts + 1;
  if (in_order) w->again = mem_alloc((size_t)npieces + 1, 1);
  make_tasks(m, n, w, &npieces);
  assert(npieces == w->npieces);
  return OK;
}

static void
find_where(struct maker *m, idx_l n, bool in_order) {
  for (int k = 0; k < m->parts; k++)
    for (uint32_t i = 0; i < m->nc; i++) note_part(m, i, k);
  for (uint32_t i = 0; i < m->nc; i++) note_shared(m, i, n, BORDER);
  drop_short_runs(m, n);
  for (uint32_t i = 0; in_order && i < m->nc; i++) note_border(m, i, n);
  for (uint32_t i = 0; in_order && i < m->nc; i++) note_shared(m, i, n, BOTH);
}

static status
make_parts(const struct rt_walk_want *want, const idx_l *at, idx_l n,
           struct rt_walk **out) {
  bool in_order = want->kind == RT_WALK_IN_ORDER;
  struct maker m = {
      .c = want->c, .nc = want->nc, .at = at, .parts = want->tasks};
  assert(m.parts >= 1);
  m.touches = mem_alloc(m.nc + 1, sizeof *m.touches);
  m.bounds = mem_alloc((size_t)m.parts + 1, sizeof *m.bounds);
  m.where = mem_alloc((size_t)n + 1, 1);
  make_bounds(&m, n);
  status st = touches_init(&m);
  if (st == OK) find_where(&m, n, in_order);
  if (st == OK) st = make_walk(&m, n, in_order, out);
  touches_clear(&m);
  free(m.bounds);
  free(m.where);
  return st;
}

status
rt_parts_make(const struct rt_walk_want *want, struct rt_walk **out) {
  return make_parts(want, NULL, want->n, out);
}

/* ---- in order ------------------------------------------------------------ */

struct place {
  idx_g global;
  idx_l here;
};

static int
place_order(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  return (x->global > y->global) - (x->global < y->global);
}

/* Elements [0, n) of a set over ranks, by their global numbers. */
static idx_l *
sort_elements(const struct rt_part *part, idx_l n) {
  SCOPED struct place *places = mem_alloc((size_t)n + 1, sizeof *places);
  idx_l *at = mem_alloc((size_t)n + 1, sizeof *at);
  for (idx_l e = 0; e < n; e++) places[e] = (struct place){part->global[e], e};
  if (n) qsort(places, (size_t)n, sizeof *places, place_order);
  for (idx_l x = 0; x < n; x++) at[x] = places[x].here;
  return at;
}

/* Do elements, as they are numbered here, come to each target in the program's
 * order? */
static bool
keeps_order(const struct rt_walk_want *want, const idx_l *row) {
  bool keeps = true;
  for (uint32_t first = 0; keeps && first < want->nc; first++) {
    if (rt_entries_alike(want->c, first) != first) continue;
    const struct rt_set *to = want->c[first].of->to;
    SCOPED idx_l *last = mem_alloc((size_t)to->n + 1, sizeof *last);
    for (idx_l e = 0; keeps && e < want->n; e++)
      for (uint32_t i = first; i < want->nc; i++) {
        if (want->c[i].of->to != to) continue;
        struct rt_row x = rt_entries_of(&want->c[i], e);
        for (uint32_t j = 0; j < x.n; j++) {
          keeps &= last[x.at[j]] <= row[e] + 1;
          last[x.at[j]] = row[e] + 1;
        }
      }
  }
  return keeps;
}

/* The places of a walk in order; NULL: elements as they are here. GIVE */
static idx_l *
places_of(const struct rt_walk_want *want, idx_l n) {
  const struct rt_set *set = want->set;
  if (set && set->part) return sort_elements(set->part, n);
  if (!set || !set->order || keeps_order(want, set->order->row)) return NULL;
  idx_l *at = mem_alloc((size_t)n + 1, sizeof *at);
  memcpy(at, set->order->at, (size_t)n * sizeof *at);
  return at;
}

status
rt_in_order_make(const struct rt_walk_want *want, struct rt_walk **out) {
  const struct rt_part *part = want->set ? want->set->part : NULL;
  assert(!part || (0 <= want->level && want->level <= REACH_MAX));
  idx_l n = part ? part->level[want->level] : want->n;
  idx_l *at = places_of(want, n);
  status st = want->tasks > 1 ? make_parts(want, at, n, out) : OK;
  if (st == OK && !*out) st = rt_walk_range(0, n, 1, NULL, out);
  if (st == OK)
    (*out)->at = (*out)->own = at;
  else
    free(at);
  return st;
}
