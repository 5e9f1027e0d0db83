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
 * Over ranks a launch has a strand for each layer (front_layers.c,
 * front_meets.c), and all of this holds of strands.
 *
 * Cost. That of front_meets.c; then binary search and steps by blocks,
 * O(turns * strands^2 * touches). Kept with the program. bench/airfoil, 720 000
 * cells: see passes/front.c.
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
#include "rt/walk/again.h"
#include "rt/walk/front_layers.h"
#include "rt/walk/front_meets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST 0.25 /* that a thread has to do besides its share */

static bool tight;

void
rt_set_front_tight(bool on) {
  tight = on;
}

bool
rt_front_is_tight(void) {
  return tight;
}

struct maker {
  struct rt_meets s;
  idx_l *lo, *hi; /* [threads][n]: what a thread runs of each strand, */
  idx_l *whole;   /* and from where on it does so once */
  idx_l *at;      /* [n]: how far it has come */
  int threads;
  struct rt_front_plan *out;
};

/* ---- shares -------------------------------------------------------------- */

/* The first one of share t that all threads have of the strand's launch, whole
 * units apart. */
static idx_l
share_begin(const struct maker *m, uint32_t r, int t) {
  struct rt_range all = m->s.strands[r].all;
  idx_l n = rt_strand_places(&m->s, r), unit = rt_strand_unit(&m->s, r);
  idx_l units = n / unit + (n % unit > 0);
  if (t == m->threads) return all.hi;
  int64_t place = rt_share(units, t, m->threads) * unit;
  idx_l e = rt_strand_at(&m->s, r, all.lo, all.hi, place);
  return e < all.hi ? e - (e - all.lo) % unit : e;
}

/* ---- how far a strand may go --------------------------------------------- */

/* The largest e in [from, to], whole units or an end, up to which elements of
 * strand r name by the way only targets below `done`. */
static idx_l
follow(const struct maker *m, uint32_t r, const struct rt_way_to *x, idx_l from,
       idx_l to, idx_l done) {
  if (rt_way_bound(x, to) <= done) return to;
  idx_l unit = rt_strand_unit(&m->s, r), lo = m->s.strands[r].all.lo;
  idx_l low = (from - lo) / unit,
        high = (to - lo) / unit + ((to - lo) % unit > 0);
  while (low + 1 < high) {
    idx_l mid = low + (high - low) / 2;
    if (rt_way_bound(x, lo + mid * unit) <= done)
      low = mid;
    else
      high = mid;
  }
  return lo + low * unit > from ? lo + low * unit : from;
}

/* The least e in [from, to] from which on elements name by the way only targets
 * from `begun` on. */
static idx_l
recede(const struct maker *m, uint32_t r, const struct rt_way_to *x, idx_l from,
       idx_l to, idx_l begun) {
  if (rt_way_least(x, from) >= begun) return from;
  idx_l unit = rt_strand_unit(&m->s, r), lo = m->s.strands[r].all.lo;
  idx_l low = (from - lo) / unit,
        high = (to - lo) / unit + ((to - lo) % unit > 0);
  while (low + 1 < high) {
    idx_l mid = low + (high - low) / 2;
    if (rt_way_least(x, lo + mid * unit) >= begun)
      high = mid;
    else
      low = mid;
  }
  return lo + high * unit < to ? lo + high * unit : to;
}

/* Up to where may strand r go, from e on and no farther than `to`, when those
 * before it have come to at[]? *unmet: none of them meets it. */
static idx_l
limit(const struct maker *m, uint32_t r, const idx_l *at, idx_l e, idx_l to,
      bool *unmet) {
  *unmet = true;
  for (uint32_t k = m->s.first[r]; k < m->s.first[r + 1]; k++) {
    assert(m->s.all);
    const struct rt_meet *x = &m->s.all[k];
    if (x->before == r) continue;
    *unmet = false;
    to = follow(m, r, &x->a, e, to, rt_way_least(&x->b, at[x->before]));
  }
  return to;
}

/* ---- threads ------------------------------------------------------------- */

/* Elements of strand r from there on share no target with those before `from`,
 * or need not. */
static idx_l
find_whole(const struct maker *m, uint32_t r, idx_l from) {
  idx_l end = m->s.strands[r].all.hi, whole = from;
  if (rt_strand_launch(&m->s, r)->mode != RT_RUN_IN_ORDER) return from;
  for (uint32_t k = m->s.first[r]; k < m->s.first[r + 1]; k++) {
    const struct rt_meet *x = &m->s.all[k];
    if (x->before == r)
      whole = recede(m, r, &x->a, whole, end, rt_way_bound(&x->b, from));
  }
  return whole;
}

/* What thread t runs of strand r, behind what the one before it does. */
static void
find_range(struct maker *m, int t, uint32_t r) {
  idx_l *lo = m->lo + (size_t)t * m->s.n, *hi = m->hi + (lo - m->lo);
  idx_l *whole = m->whole + (lo - m->lo);
  const idx_l *last = t ? hi - m->s.n : NULL;
  struct rt_range all = m->s.strands[r].all;
  idx_l from = last ? last[r] : all.lo;
  bool unmet;
  hi[r] = limit(m, r, hi, from, all.hi, &unmet);
  idx_l share = unmet ? share_begin(m, r, t) : from;
  if (share > from) from = share;
  if (unmet || !m->s.strands[r].launch) {
    idx_l end = share_begin(m, r, t + 1);
    if (unmet || end < hi[r]) hi[r] = end;
  }
  for (uint32_t k = m->s.first[r]; k < m->s.first[r + 1]; k++) {
    assert(m->s.all);
    const struct rt_meet *x = &m->s.all[k];
    const idx_l *ran = x->before < r ? whole : last; /* itself: another one's */
    idx_l begun = ran ? rt_way_bound(&x->b, ran[x->before]) : 0;
    from = recede(m, r, &x->a, from, all.hi, begun);
  }
  lo[r] = from;
  whole[r] = find_whole(m, r, from);
  if (hi[r] < from) hi[r] = from;
  if (whole[r] > hi[r]) whole[r] = hi[r];
}

/* Does gap t of strand r, behind what thread t runs, meet another gap, with
 * what runs again? */
static bool
gap_meets(const struct maker *m, int t, uint32_t r) {
  uint32_t n = m->s.n;
  const idx_l *hi = m->hi + (size_t)t * n, *whole = m->whole + (size_t)t * n;
  const idx_l *next = whole + n, *next_hi = hi + n;
  if (hi[r] >= m->lo[(size_t)(t + 1) * n + r]) return false;
  for (uint32_t k = m->s.first[r]; k < m->s.first[r + 1]; k++) {
    assert(m->s.all);
    const struct rt_meet *x = &m->s.all[k];
    if (t + 2 < m->threads &&
        rt_way_bound(&x->a, next[r]) > rt_way_least(&x->b, next_hi[x->before]))
      return true;
    if (t && rt_way_least(&x->a, hi[r]) < rt_way_bound(&x->b, whole[x->before]))
      return true;
  }
  return false;
}

/* Elements of launches, all of them: of thread t, or of the gap behind it. */
static double
elements_in(const struct maker *m, int t, bool gap) {
  size_t n = m->s.n, at = (size_t)t * n;
  double sum = 0;
  for (size_t r = at; r < at + n; r++)
    sum += gap ? m->lo[r + n] - m->hi[r] : m->hi[r] - m->lo[r];
  return sum;
}

/* Do all threads have as much to do, but for MOST of it, gaps included? */
static bool
is_even(const struct maker *m) {
  double all = 0, gaps = 0, gap = 0, own = 0;
  for (uint32_t r = 0; r < m->s.n; r++) all += rt_strand_size(&m->s, r);
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
    for (uint32_t r = 0; r < m->s.n; r++) find_range(m, t, r);
  for (int t = 0; t + 1 < m->threads; t++)
    for (uint32_t r = 0; r < m->s.n; r++)
      if (gap_meets(m, t, r)) return false;
  return is_even(m) || tight;
}

/* ---- pieces -------------------------------------------------------------- */

static void
add_piece(const struct maker *m, uint32_t r, idx_l lo, idx_l hi) {
  struct rt_front_plan *x = m->out;
  struct rt_piece piece = {
      .launch = m->s.strands[r].launch, .lo = lo, .hi = hi};
  if (lo < hi) VEC_PUSH(x->pieces, x->npieces, x->cap, piece);
}

/* Of elements [lo, hi) that run again. */
static void
add_again(const struct maker *m, uint32_t r, idx_l lo, idx_l hi,
          enum rt_piece_kind kind, struct rt_again *again) {
  struct rt_front_plan *x = m->out;
  struct rt_piece piece = {m->s.strands[r].launch, lo, hi, kind, again};
  VEC_PUSH(x->pieces, x->npieces, x->cap, piece);
}

/* Elements of strand r in [from, lo) before this one share no target with those
 * from lo on. */
static idx_l
find_near(const struct maker *m, uint32_t r, idx_l from, idx_l lo) {
  idx_l near = lo;
  for (uint32_t k = m->s.first[r]; k < m->s.first[r + 1]; k++) {
    assert(m->s.all);
    const struct rt_meet *x = &m->s.all[k];
    if (x->before != r) continue;
    idx_l e = follow(m, r, &x->b, from, lo, rt_way_least(&x->a, lo));
    if (e < near) near = e;
  }
  return near;
}

/* Elements [from, lo) of strand r, the gap, and [lo, whole), which run again.
 * NULL: there are none. */
static status
make_again(const struct maker *m, uint32_t r, idx_l from, idx_l lo, idx_l whole,
           struct rt_again **out) {
  *out = NULL;
  if (lo >= whole) return OK;
  from = find_near(m, r, from, lo);
  SCOPED idx_l *at = mem_alloc((size_t)(whole - from), sizeof *at);
  for (idx_l e = from; e < whole; e++) at[e - from] = e;
  TRY(rt_again_make(m->s.p, rt_strand_launch(&m->s, r), at + (lo - from),
                    whole - lo, at, lo - from, out));
  struct rt_front_plan *x = m->out;
  VEC_PUSH(x->again, x->nagain, x->capagain, *out);
  return OK;
}

/* Places of what a thread runs of a launch, in all of its strands; all are 0:
 * nothing. */
static struct rt_range
places_of(const struct maker *m, uint32_t launch, const idx_l *lo,
          const idx_l *hi) {
  struct rt_range all = {0, 0};
  for (uint32_t r = 0; r < m->s.n; r++) {
    if (m->s.strands[r].launch != launch || lo[r] == hi[r]) continue;
    idx_l begin = rt_strand_place(&m->s, r, lo[r]),
          end = rt_strand_place(&m->s, r, hi[r] - 1) + 1;
    if (all.hi == 0 || begin < all.lo) all.lo = begin;
    if (end > all.hi) all.hi = end;
  }
  return all;
}

/* How far the launch that leads has come of what a thread runs of it. */
struct lead {
  int64_t come, of;
};

/* A strand that meets none before it comes as far as that. */
static idx_l
keep_up(const struct maker *m, uint32_t r, const idx_l *lo, const idx_l *hi,
        struct lead lead) {
  uint32_t launch = m->s.strands[r].launch;
  if (lead.come == lead.of) return hi[r];
  struct rt_range all = places_of(m, launch, lo, hi);
  int64_t to = all.lo + lead.come * (all.hi - all.lo) / lead.of;
  idx_l e = rt_strand_at(&m->s, r, m->at[r], hi[r], to);
  if (launch && e < hi[r])
    e -= (e - m->s.strands[r].all.lo) % rt_strand_unit(&m->s, r);
  return e > m->at[r] ? e : m->at[r];
}

/* One turn: a piece of the first launch, which leads, and what that allows of
 * the others. A strand of which some elements will run again begins when all of
 * these may: what they write is saved then, and launches before it have done
 * with that. */
static void
add_turn(struct maker *m, const idx_l *lo, const idx_l *hi, const idx_l *whole,
         struct rt_again *const *again, struct lead lead) {
  for (uint32_t r = 0; r < m->s.n; r++) {
    bool unmet;
    if (m->at[r] == hi[r] && !again[r]) continue;
    idx_l to = limit(m, r, m->at, m->at[r], hi[r], &unmet);
    if (unmet || !m->s.strands[r].launch) {
      idx_l most = keep_up(m, r, lo, hi, lead);
      if (most < to) to = most;
    }
    if (again[r] && !unmet && m->at[r] == lo[r] && to < whole[r]) to = lo[r];
    if (again[r] && m->at[r] == lo[r] && to > lo[r])
      add_again(m, r, lo[r], whole[r], RT_PIECE_SAVE, again[r]);
    add_piece(m, r, m->at[r], to);
    m->at[r] = to;
  }
  m->out->turns++;
}

/* What thread t runs, turn by turn; what will run again is saved first. */
static status
add_turns(struct maker *m, int t, struct rt_again **again) {
  struct rt_front_plan *x = m->out;
  uint32_t n = m->s.n;
  const idx_l *lo = m->lo + (size_t)t * n, *hi = m->hi + (size_t)t * n;
  const idx_l *whole = m->whole + (size_t)t * n;
  x->begin[t] = x->npieces;
  for (uint32_t r = 0; r < n; r++) {
    again[r] = NULL;
    if (t) TRY(make_again(m, r, (hi - n)[r], lo[r], whole[r], &again[r]));
  }
  memcpy(m->at, lo, n * sizeof *lo);
  struct rt_range first = places_of(m, 0, lo, hi);
  struct lead lead = {0, first.hi - first.lo};
  do {
    bool last = lead.of - lead.come <= m->s.c->piece;
    lead.come = last ? lead.of : lead.come + m->s.c->piece;
    add_turn(m, lo, hi, whole, again, lead);
  } while (lead.come < lead.of);
  for (uint32_t r = 0; r < n; r++)
    assert(m->at[r] == hi[r] && "the last turn allows all");
  return OK;
}

/* What lies between thread t and the next one. */
static void
add_gap(struct maker *m, int t, struct rt_again *const *again) {
  uint32_t n = m->s.n;
  const idx_l *hi = m->hi + (size_t)t * n;
  const idx_l *lo = m->lo + (t + 1) * (size_t)n;
  const idx_l *whole = m->whole + (t + 1) * (size_t)n;
  for (uint32_t r = 0; r < n; r++) {
    if (again[r]) add_again(m, r, lo[r], whole[r], RT_PIECE_BEGIN, again[r]);
    add_piece(m, r, hi[r], lo[r]);
    if (!again[r]) continue;
    add_again(m, r, lo[r], whole[r], RT_PIECE_AGAIN, again[r]);
    add_again(m, r, lo[r], whole[r], RT_PIECE_END, again[r]);
  }
}

static status
add_pieces(struct maker *m) {
  struct rt_front_plan *x = m->out;
  uint32_t n = m->s.n;
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
  rt_meets_clear(&m->s);
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

/* Memory for what is known of each strand. */
static void
make_room(struct maker *m) {
  size_t n = (size_t)m->s.n * (size_t)m->threads;
  m->lo = mem_alloc(n, sizeof *m->lo);
  m->hi = mem_alloc(n, sizeof *m->hi);
  m->whole = mem_alloc(n, sizeof *m->whole);
  m->at = mem_alloc(m->s.n, sizeof *m->at);
}

status
rt_front_plan_make(const struct rt_program *p, const struct rt_chain *c,
                   int threads, struct rt_front_plan *out) {
  struct maker m = {.threads = threads, .out = out};
  if (is_closed(p, c)) m.threads = 1;
  assert(threads > 0 && c->piece > 0 && c->count);
  *out = (struct rt_front_plan){0};
  bool holds;
  TRY(rt_layers_hold(p, c, &holds));
  if (!holds) return OK;
  status st = rt_meets_find(p, c, &m.s);
  make_room(&m);
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
