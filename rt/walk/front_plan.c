/* Fronts: launches one behind the other, as close as what they touch allows.
 *
 * Problem. Loops of a time step go through memory one after another, and what
 * one has made has left the caches when the next one comes to it. Tiles of
 * points (tiles.c) know from rules how far away neighbours are; for tables
 * nobody does.
 *
 * Idea. Where a mesh is numbered well, elements that come early name targets
 * that come early. Each launch goes over its elements in their order, in
 * pieces, and how far it may go follows from how far those before it have come:
 *
 *   done(r')   targets that r' has done with: no element from at[r'] on names
 *              one below least(at[r'])
 *   open(r, b) targets that r needs to come to b: its elements before b name
 *              none from bound(b) on
 *
 * and r may come to b where open(r, b) <= done(r') for all launches r' before
 * it and all that both touch and one of them writes, whichever that is: values
 * read that were made, values read before they are overwritten, and sums in
 * their order are all kept by it. Margins (rt/mesh/margins.h) are the two
 * numbers, by blocks of elements. Element order inside a launch does not
 * change, nor do copies or colours come into it.
 *
 *   edges e join cells e and e + 1, cells are updated from their edges:
 *   launch  res   over edges  [0, 64)  [64, 128)  ...
 *           upd   over cells  [0, 64)  [64, 128)  ...  64 needs edges 63 and 64
 *
 * Threads. Each one has consecutive elements of each launch, of which it runs
 * those that meet nothing of another one: as launches follow each other these
 * are fewer at both ends, a trapezoid. When all threads have run, what is left
 * between two of them runs, launch by launch, one thread for each gap. Of one
 * launch, whose own elements meet where they add, ranges are cut so that those
 * of two threads, and of two gaps, do not. Where gaps meet gaps, or one thread
 * has much more to do than another, there is no front: launches by all threads,
 * one by one, are faster then.
 *
 * In order (OP2_REPRODUCIBLE) the sums of a launch are those of one thread. A
 * gap's come late: elements behind it that share a target with it, up to
 * `whole`, run again with it (again.c). Launches behind keep away from all
 * that these touch, as from the gap.
 *
 *   res   thread 0 [0, 96)   gap [96, 128)   thread 1 [128, ...), of which 128,
 *         which shares cell 128 with edge 127, runs again behind 127
 *
 * Cost. A pass over the relations through which launches meet; then binary
 * search and steps by blocks, O(turns * launches^2 * touches). Kept with the
 * program. bench/airfoil, 720 000 cells: see passes/front.c.
 *
 * Source: wavefronts of level-based blocking for matrix powers (Alappat et al.
 * 2022, RACE), sparse tiling of mesh loops (Luporini et al. 2019, SLOPE), with
 * margins in place of a projection. Trapezoids: Frigo and Strumpen 2005.
 *
 * Limits: orders that jump, in which one element that comes late and names an
 * early target holds up everything. Sets whose order is much worse than that of
 * their targets should be numbered (passes/number.c). */
#include "rt/walk/front_plan.h"

#include "base/arena.h"
#include "rt/mesh/margins.h"
#include "rt/walk/again.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST 0.25 /* that a thread has to do besides its share */

static bool tight;

void
rt_set_front_tight(bool on) {
  tight = on;
}

/* Launch r goes by touch `a` where launch `before`, perhaps r itself, goes by
 * touch `b`, and one of them writes. */
struct meet {
  uint32_t a, before, b;
};

struct maker {
  const struct rt_program *p;
  const struct rt_chain *c;
  const struct rt_margins **margins; /* by map; NULL: none meet through it */
  struct meet *meets;                /* by launch */
  uint32_t nmeets, capmeets;
  uint32_t *first; /* [count + 1]: where those of a launch begin */
  idx_l *lo, *hi;  /* [threads][count]: what a thread runs of each launch, */
  idx_l *whole;    /* and from where on it does so once */
  idx_l *at;       /* [count]: how far it has come */
  int threads;
  struct rt_front_plan *out;
};

static idx_l
elements_of(const struct maker *m, uint32_t launch) {
  const struct rt_launch *l = &m->p->launches[m->c->first + launch];
  return m->p->sets[l->set]->n;
}

/* What pieces of it are multiples of, but for the last. */
static idx_l
unit_of(const struct maker *m, uint32_t launch) {
  return rt_margin_block(elements_of(m, launch));
}

/* ---- which launches meet ------------------------------------------------- */

/* Once, whatever they both go to. */
static void
add_meet(struct maker *m, uint32_t from, struct meet x) {
  const struct rt_touch *touches = m->c->touches;
  for (uint32_t k = from; k < m->nmeets; k++) {
    const struct meet *y = &m->meets[k];
    if (y->before == x.before && touches[y->a].map == touches[x.a].map &&
        touches[y->b].map == touches[x.b].map)
      return;
  }
  VEC_PUSH(m->meets, m->nmeets, m->capmeets, x);
}

static void
find_meets(struct maker *m) {
  const struct rt_chain *c = m->c;
  uint32_t k = 0;
  for (uint32_t r = 0; r < c->count; r++) {
    m->first[r] = m->nmeets;
    uint32_t own = k;
    while (k < c->ntouches && c->touches[k].launch == r) k++;
    for (uint32_t a = own; a < k; a++)
      for (uint32_t b = 0; b < k; b++) {
        const struct rt_touch *x = &c->touches[a], *y = &c->touches[b];
        if (x->memory == y->memory && (x->writes || y->writes))
          add_meet(m, m->first[r], (struct meet){a, y->launch, b});
      }
  }
  assert(k == c->ntouches);
  m->first[c->count] = m->nmeets;
}

static status
find_margins(struct maker *m, uint32_t touch) {
  uint32_t map = m->c->touches[touch].map;
  if (map == RT_DIRECT || m->margins[map]) return OK;
  const struct rt_relation *r = m->p->maps[map];
  return rt_margins_get(r, rt_window_all(r), &m->margins[map]);
}

/* Targets from this one on are named by no element before e, */
static idx_l
bound(const struct maker *m, uint32_t touch, idx_l e) {
  const struct rt_touch *x = &m->c->touches[touch];
  if (x->map == RT_DIRECT) return e;
  const struct rt_margins *y = m->margins[x->map];
  return y->bound[e / y->block + (e % y->block > 0)];
}

/* and those below this one by none from e on. */
static idx_l
least(const struct maker *m, uint32_t touch, idx_l e) {
  const struct rt_touch *x = &m->c->touches[touch];
  if (x->map == RT_DIRECT) return e;
  const struct rt_margins *y = m->margins[x->map];
  return y->least[e == y->window.hi ? y->n : e / y->block];
}

/* ---- how far a launch may go --------------------------------------------- */

/* The largest e in [from, to], a multiple of the unit or an end, up to which
 * elements name by the touch only targets below `done`. */
static idx_l
follow(const struct maker *m, uint32_t touch, idx_l from, idx_l to,
       idx_l done) {
  if (bound(m, touch, to) <= done) return to;
  idx_l unit = unit_of(m, m->c->touches[touch].launch);
  idx_l low = from / unit, high = to / unit + (to % unit > 0);
  while (low + 1 < high) {
    idx_l mid = low + (high - low) / 2;
    if (bound(m, touch, mid * unit) <= done)
      low = mid;
    else
      high = mid;
  }
  return low * unit > from ? low * unit : from;
}

/* The least e in [from, to] from which on elements name by the touch only
 * targets from `begun` on. */
static idx_l
recede(const struct maker *m, uint32_t touch, idx_l from, idx_l to,
       idx_l begun) {
  if (least(m, touch, from) >= begun) return from;
  idx_l unit = unit_of(m, m->c->touches[touch].launch);
  idx_l low = from / unit, high = to / unit + (to % unit > 0);
  while (low + 1 < high) {
    idx_l mid = low + (high - low) / 2;
    if (least(m, touch, mid * unit) >= begun)
      high = mid;
    else
      low = mid;
  }
  return high * unit < to ? high * unit : to;
}

/* Up to where may launch r go, from e on and no farther than `to`, when those
 * before it have come to at[]? *unmet: none of them meets it. */
static idx_l
limit(const struct maker *m, uint32_t r, const idx_l *at, idx_l e, idx_l to,
      bool *unmet) {
  *unmet = true;
  for (uint32_t k = m->first[r]; k < m->first[r + 1]; k++) {
    assert(m->meets);
    const struct meet *x = &m->meets[k];
    if (x->before == r) continue;
    *unmet = false;
    to = follow(m, x->a, e, to, least(m, x->b, at[x->before]));
  }
  return to;
}

/* ---- threads ------------------------------------------------------------- */

/* Elements of launch r from there on share no target with those before `from`,
 * or need not. */
static idx_l
find_whole(const struct maker *m, uint32_t r, idx_l from) {
  idx_l n = elements_of(m, r), whole = from;
  if (m->p->launches[m->c->first + r].mode != RT_RUN_IN_ORDER) return from;
  for (uint32_t k = m->first[r]; k < m->first[r + 1]; k++) {
    const struct meet *x = &m->meets[k];
    if (x->before == r) whole = recede(m, x->a, whole, n, bound(m, x->b, from));
  }
  return whole;
}

/* What thread t runs of launch r, behind what the one before it does. */
static void
find_range(struct maker *m, int t, uint32_t r) {
  idx_l *lo = m->lo + (size_t)t * m->c->count, *hi = m->hi + (lo - m->lo);
  idx_l *whole = m->whole + (lo - m->lo);
  const idx_l *last = t ? hi - m->c->count : NULL;
  idx_l n = elements_of(m, r), from = last ? last[r] : 0;
  bool unmet;
  hi[r] = limit(m, r, hi, from, n, &unmet);
  if (unmet) {
    idx_l unit = unit_of(m, r), units = n / unit + (n % unit > 0);
    int64_t share = rt_share(units, t, m->threads) * unit;
    int64_t end = rt_share(units, t + 1, m->threads) * unit;
    if (share > from) from = share < n ? (idx_l)share : n;
    hi[r] = end < n ? (idx_l)end : n;
  }
  for (uint32_t k = m->first[r]; k < m->first[r + 1]; k++) {
    assert(m->meets);
    const struct meet *x = &m->meets[k];
    const idx_l *ran = x->before < r ? whole : last; /* itself: another one's */
    idx_l begun = ran ? bound(m, x->b, ran[x->before]) : 0;
    from = recede(m, x->a, from, n, begun);
  }
  lo[r] = from;
  whole[r] = find_whole(m, r, from);
  if (hi[r] < from) hi[r] = from;
  if (whole[r] > hi[r]) whole[r] = hi[r];
}

/* Does gap t of launch r, behind what thread t runs, meet another gap, with
 * what runs again? */
static bool
gap_meets(const struct maker *m, int t, uint32_t r) {
  uint32_t n = m->c->count;
  const idx_l *hi = m->hi + (size_t)t * n, *whole = m->whole + (size_t)t * n;
  const idx_l *next = whole + n, *next_hi = hi + n;
  if (hi[r] >= m->lo[(size_t)(t + 1) * n + r]) return false;
  for (uint32_t k = m->first[r]; k < m->first[r + 1]; k++) {
    assert(m->meets);
    const struct meet *x = &m->meets[k];
    if (t + 2 < m->threads &&
        bound(m, x->a, next[r]) > least(m, x->b, next_hi[x->before]))
      return true;
    if (t && least(m, x->a, hi[r]) < bound(m, x->b, whole[x->before]))
      return true;
  }
  return false;
}

/* Elements of launches, all of them: of thread t, or of the gap behind it. */
static double
elements_in(const struct maker *m, int t, bool gap) {
  size_t n = m->c->count, at = (size_t)t * n;
  double sum = 0;
  for (size_t r = at; r < at + n; r++)
    sum += gap ? m->lo[r + n] - m->hi[r] : m->hi[r] - m->lo[r];
  return sum;
}

/* Do all threads have as much to do, but for MOST of it, gaps included? */
static bool
is_even(const struct maker *m) {
  double all = 0, gaps = 0, gap = 0, own = 0;
  for (uint32_t r = 0; r < m->c->count; r++) all += elements_of(m, r);
  for (int t = 0; t < m->threads; t++) {
    double here = elements_in(m, t, false);
    if (here > own) own = here;
    here = t + 1 < m->threads ? elements_in(m, t, true) : 0;
    if (here > gap) gap = here;
    gaps += here;
  }
  m->out->behind = all > 0 ? gaps / all : 0;
  return own + gap <= (1 + MOST) * all / m->threads;
}

/* Ranges of all threads; false: there is no room for so many. */
static bool
find_ranges(struct maker *m) {
  for (int t = 0; t < m->threads; t++)
    for (uint32_t r = 0; r < m->c->count; r++) find_range(m, t, r);
  for (int t = 0; t + 1 < m->threads; t++)
    for (uint32_t r = 0; r < m->c->count; r++)
      if (gap_meets(m, t, r)) return false;
  return is_even(m) || tight;
}

/* ---- pieces -------------------------------------------------------------- */

static void
add_piece(struct rt_front_plan *x, uint32_t launch, idx_l lo, idx_l hi) {
  struct rt_piece piece = {.launch = launch, .lo = lo, .hi = hi};
  if (lo < hi) VEC_PUSH(x->pieces, x->npieces, x->cap, piece);
}

/* Of elements [lo, hi) that run again. */
static void
add_again(struct rt_front_plan *x, uint32_t launch, idx_l lo, idx_l hi,
          enum rt_piece_kind kind, struct rt_again *again) {
  struct rt_piece piece = {launch, lo, hi, kind, again};
  VEC_PUSH(x->pieces, x->npieces, x->cap, piece);
}

/* Elements of launch r in [from, lo) before this one share no target with those
 * from lo on. */
static idx_l
find_near(const struct maker *m, uint32_t r, idx_l from, idx_l lo) {
  idx_l near = lo;
  for (uint32_t k = m->first[r]; k < m->first[r + 1]; k++) {
    assert(m->meets);
    const struct meet *x = &m->meets[k];
    if (x->before != r) continue;
    idx_l e = follow(m, x->b, from, lo, least(m, x->a, lo));
    if (e < near) near = e;
  }
  return near;
}

/* Elements [from, lo) of launch r, the gap, and [lo, whole), which run again.
 * NULL: there are none. */
static status
make_again(const struct maker *m, uint32_t r, idx_l from, idx_l lo, idx_l whole,
           struct rt_again **out) {
  *out = NULL;
  if (lo >= whole) return OK;
  from = find_near(m, r, from, lo);
  SCOPED idx_l *at = mem_alloc((size_t)(whole - from), sizeof *at);
  for (idx_l e = from; e < whole; e++) at[e - from] = e;
  TRY(rt_again_make(m->p, &m->p->launches[m->c->first + r], at + (lo - from),
                    whole - lo, at, lo - from, out));
  struct rt_front_plan *x = m->out;
  VEC_PUSH(x->again, x->nagain, x->capagain, *out);
  return OK;
}

/* A launch that meets none before it comes as far as the first one has, of what
 * this thread runs. */
static idx_l
keep_up(const struct maker *m, uint32_t r, const idx_l *lo, const idx_l *hi) {
  double done =
      hi[0] > lo[0] ? (double)(m->at[0] - lo[0]) / (hi[0] - lo[0]) : 1;
  idx_l e = lo[r] + (idx_l)(done * (hi[r] - lo[r]));
  if (done >= 1) return hi[r];
  e -= e % unit_of(m, r);
  return e > m->at[r] ? e : m->at[r];
}

/* One turn: a piece of the first launch, and what that allows of the others. A
 * launch of which some elements will run again begins when all of these may:
 * what they write is saved then, and launches before it have done with that. */
static void
add_turn(struct maker *m, const idx_l *lo, const idx_l *hi, const idx_l *whole,
         struct rt_again *const *again) {
  for (uint32_t r = 0; r < m->c->count; r++) {
    bool unmet;
    idx_l to = limit(m, r, m->at, m->at[r], hi[r], &unmet);
    if (!r)
      to = hi[0] - m->at[0] > m->c->piece ? m->at[0] + m->c->piece : hi[0];
    if (r && unmet) to = keep_up(m, r, lo, hi);
    if (again[r] && !unmet && m->at[r] == lo[r] && to < whole[r]) to = lo[r];
    if (again[r] && m->at[r] == lo[r] && to > lo[r])
      add_again(m->out, r, lo[r], whole[r], RT_PIECE_SAVE, again[r]);
    add_piece(m->out, r, m->at[r], to);
    m->at[r] = to;
  }
  m->out->turns++;
}

/* What thread t runs, turn by turn; what will run again is saved first. */
static status
add_turns(struct maker *m, int t, struct rt_again **again) {
  struct rt_front_plan *x = m->out;
  uint32_t n = m->c->count;
  const idx_l *lo = m->lo + (size_t)t * n, *hi = m->hi + (size_t)t * n;
  const idx_l *whole = m->whole + (size_t)t * n;
  x->begin[t] = x->npieces;
  for (uint32_t r = 0; r < n; r++) {
    again[r] = NULL;
    if (t) TRY(make_again(m, r, (hi - n)[r], lo[r], whole[r], &again[r]));
  }
  memcpy(m->at, lo, n * sizeof *lo);
  do add_turn(m, lo, hi, whole, again);
  while (m->at[0] < hi[0]);
  for (uint32_t r = 0; r < n; r++)
    assert(m->at[r] == hi[r] && "the last turn allows all");
  return OK;
}

/* What lies between thread t and the next one. */
static void
add_gap(struct maker *m, int t, struct rt_again *const *again) {
  struct rt_front_plan *x = m->out;
  uint32_t n = m->c->count;
  const idx_l *hi = m->hi + (size_t)t * n;
  const idx_l *lo = m->lo + (t + 1) * (size_t)n;
  const idx_l *whole = m->whole + (t + 1) * (size_t)n;
  for (uint32_t r = 0; r < n; r++) {
    if (again[r]) add_again(x, r, lo[r], whole[r], RT_PIECE_BEGIN, again[r]);
    add_piece(x, r, hi[r], lo[r]);
    if (!again[r]) continue;
    add_again(x, r, lo[r], whole[r], RT_PIECE_AGAIN, again[r]);
    add_again(x, r, lo[r], whole[r], RT_PIECE_END, again[r]);
  }
}

static status
add_pieces(struct maker *m) {
  struct rt_front_plan *x = m->out;
  uint32_t n = m->c->count;
  SCOPED struct rt_again **again =
      mem_alloc((size_t)m->threads * n + 1, sizeof *again);
  for (int t = 0; t < m->threads; t++)
    TRY(add_turns(m, t, again + (size_t)t * n));
  for (int t = 0; t < m->threads; t++) {
    x->begin[m->threads + t] = x->npieces;
    if (t + 1 < m->threads) add_gap(m, t, again + (t + 1) * (size_t)n);
  }
  x->begin[2 * m->threads] = x->npieces;
  return OK;
}

/* ---- all ----------------------------------------------------------------- */

static void
maker_clear(struct maker *m) {
  free(m->margins);
  free(m->meets);
  free(m->first);
  free(m->lo);
  free(m->hi);
  free(m->whole);
  free(m->at);
}

/* Nobody knows what a launch in order writes: one thread runs it. */
static bool
is_closed(const struct rt_program *p, const struct rt_chain *c) {
  for (const struct rt_launch *l = &p->launches[c->first];
       l < &p->launches[c->first + c->count]; l++)
    if (l->mode == RT_RUN_IN_ORDER && !l->nwrites) return true;
  return false;
}

status
rt_front_plan_make(const struct rt_program *p, const struct rt_chain *c,
                   int threads, struct rt_front_plan *out) {
  struct maker m = {.p = p, .c = c, .threads = threads, .out = out};
  if (is_closed(p, c)) m.threads = 1;
  size_t n = (size_t)c->count * (size_t)threads;
  status st = OK;
  assert(threads > 0 && c->piece > 0 && c->count);
  *out = (struct rt_front_plan){0};
  m.margins = mem_alloc((size_t)p->nmaps + 1, sizeof *m.margins);
  m.first = mem_alloc((size_t)c->count + 1, sizeof *m.first);
  m.lo = mem_alloc(n, sizeof *m.lo);
  m.hi = mem_alloc(n, sizeof *m.hi);
  m.whole = mem_alloc(n, sizeof *m.whole);
  m.at = mem_alloc(c->count, sizeof *m.at);
  find_meets(&m);
  for (uint32_t k = 0; st == OK && k < m.nmeets; k++)
    if (st = find_margins(&m, m.meets[k].a), st == OK)
      st = find_margins(&m, m.meets[k].b);
  while (st == OK && m.threads && !find_ranges(&m))
    m.threads = tight ? m.threads - 1 : 0;
  if (st == OK && m.threads) {
    out->threads = m.threads;
    out->begin = mem_alloc(2 * (size_t)m.threads + 1, sizeof *out->begin);
    st = add_pieces(&m);
  }
  maker_clear(&m);
  if (st == OK && rt_walk_checking && out->threads)
    st = rt_front_check(p, c, out);
  if (st != OK) rt_front_plan_clear(out);
  return st;
}

void
rt_front_plan_clear(struct rt_front_plan *x) {
  for (uint32_t k = 0; k < x->nagain; k++) rt_again_free(x->again[k]);
  free(x->again);
  free(x->pieces);
  free(x->begin);
  *x = (struct rt_front_plan){0};
}
