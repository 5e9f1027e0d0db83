/* Rows of a rule between two sets of points: as a table, or as what code by
 * stretches needs of them, and what is known of them without either.
 *
 * Problem. Four bytes an entry are more than the fields of a stencil take, and
 * code by stretches (lower/llvm/region_stretch.c) never reads them.
 *
 * Idea. Along the first dimension a line of points has one stretch: each entry
 * names the next point at the next one. Where that dimension is periodic an
 * entry comes in again on the other side, and a stretch ends there.
 *
 *   periodic, 6 points, by (-1)(2)    point  0 | 1 2 3 | 4 5
 *                                     -1     5 | 0 1 2 | 3 4
 *                                     +2     2 | 3 4 5 | 0 1
 *
 * So relations of rules have stretches from the beginning, of lines that are
 * long enough, and no table until somebody needs it: code by tables, colours,
 * what is composed with it, other than by a rule (fe_map_need). Over ranks all
 * have tables, of local numbers.
 *
 * Cost. 4 bytes for each entry of a line's first point, and its number.
 * Diffusion on 8 million points, 2 threads, medians of five rounds: the first
 * step 68 ms (code from disk; compiled 140 to 190), 2.1 s with tables, 117 ms
 * in plain C; a third of the memory.
 */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/ranks.h"

#include "rt/mesh/stretch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- how far a rule reaches ---------------------------------------------- */

struct fe_halo
fe_rule_span(const struct fe_rule *r, int first, int n) {
  struct fe_halo h = {{0}};
  assert(first >= 0 && n > 0 && first + n <= r->count);
  for (int d = 0; d < r->from->ndim; d++) {
    if (r->from->periodic[d]) continue;
    h.at[2 * d] = h.at[2 * d + 1] = INT32_MIN;
    for (int c = 0; c < r->from->colours; c++)
      for (int k = first; k < first + n; k++) {
        int by = r->hop[c * r->count + k].by[d];
        if (-by > h.at[2 * d]) h.at[2 * d] = -by;
        if (by > h.at[2 * d + 1]) h.at[2 * d + 1] = by;
      }
  }
  return h;
}

struct fe_halo
fe_rule_reach(const struct fe_rule *r, int first, int n) {
  struct fe_halo h = fe_rule_span(r, first, n);
  for (int k = 0; k < FE_BOX_SIDES; k++)
    if (h.at[k] < 0) h.at[k] = 0;
  return h;
}

bool
fe_rule_turns(const struct fe_rule *r) {
  for (int k = 0; k < r->from->colours * r->count; k++)
    for (int d = 0; d < r->from->ndim; d++)
      if (r->from->periodic[d] && r->hop[k].by[d]) return true;
  return false;
}

/* ---- entries ------------------------------------------------------------- */

static struct fe_spot
spot_over(const struct fe_box *b, const struct fe_spot *p,
          const struct fe_hop *hop) {
  struct fe_spot q = {.colour = hop->colour};
  for (int d = 0; d < b->ndim; d++) {
    q.at[d] = p->at[d] + hop->by[d];
    if (!b->periodic[d]) continue;
    q.at[d] %= b->n[d];
    if (q.at[d] < 0) q.at[d] += b->n[d];
  }
  return q;
}

/* Every count-th from `at` on: n numbers that follow one another. */
static void
run_write(const struct fe_rows *r, size_t at, int count, idx_g first,
          int64_t n) {
  if (r->all)
    for (int64_t i = 0; i < n; i++, at += (size_t)count) r->all[at] = first + i;
  else
    for (int64_t i = 0; i < n; i++, at += (size_t)count)
      r->own[at] = (idx_l)(first + i);
}

/* Entry k of the rows of the n points from p on, every count-th from `at` on.
 * Of a spot outside the nearest there is: no loop names it (box_loops.c), but
 * other entries of its row. */
static void
line_entries(const struct fe_rule *r, const struct fe_set *to,
             const struct fe_spot *p, int64_t n, int k,
             const struct fe_rows *rows, size_t at) {
  const struct fe_box *b = to->box;
  struct fe_spot q = spot_over(b, p, &r->hop[p->colour * r->count + k]);
  while (n > 0) {
    int64_t run;
    idx_g first = fe_points_number(to, &q, &run);
    if (run > n) run = n;
    run_write(rows, at, r->count, first, run);
    at += (size_t)(run * r->count);
    n -= run;
    q.at[0] += run;
    if (b->periodic[0] && q.at[0] == b->n[0]) q.at[0] = 0;
  }
}

static status
rows_alloc(const struct fe_rule *r, const struct fe_set *from, size_t entries,
           struct fe_rows *out) {
  *out = (struct fe_rows){NULL, NULL};
  if (fe_in_parts())
    out->all = mem_try(entries + 1, sizeof *out->all);
  else
    out->own = rt_mem_new(entries * sizeof *out->own);
  if (out->all || out->own) return OK;
  FAIL(ERR_MEMORY, "rule \"%s\": no memory for its %zu entries from \"%s\"",
       r->name, entries, from->pub.name);
}

enum { ROWS_THREADED = 1 << 18 };

status
fe_rule_rows(const struct fe_rule *r, const struct fe_set *from,
             const struct fe_set *to, struct fe_rows *out) {
  idx_l declared = fe_map_rows(&from->pub);
  size_t entries = (size_t)declared * (size_t)r->count;
  struct fe_area a = fe_points_area(from);
  int64_t n = a.hi[0] - a.lo[0], lines = n ? declared / n : 0;
  TRY(rows_alloc(r, from, entries, out));
#pragma omp parallel for schedule(static) if (entries > ROWS_THREADED)
  for (int64_t l = 0; l < lines; l++) {
    struct fe_spot p = fe_spot_in(from->box, &a, l * n);
    for (int k = 0; k < r->count; k++)
      line_entries(r, to, &p, n, k, out,
                   (size_t)(l * n * r->count) + (size_t)k);
  }
  return OK;
}

/* ---- stretches ----------------------------------------------------------- */

enum { MOST_ENTRIES = 32 }; /* of a row by stretches */

/* Lines of points of a set, one behind the other. */
struct lines {
  struct fe_area area;
  int64_t n, each; /* of `each` points */
};

static struct lines
lines_of(const struct fe_set *s) {
  struct lines l = {.area = fe_points_area(s)};
  l.each = l.area.hi[0] - l.area.lo[0];
  assert(!s->rt.order && "no loop goes over a spaced set");
  l.n = l.each ? s->rt.n / l.each : 0;
  return l;
}

/* Points of the line behind which entry k comes in again; all: it does not. */
static int64_t
turn_of(const struct fe_rule *r, const struct fe_spot *p, int k, int64_t each) {
  const struct fe_box *b = r->from;
  if (!b->periodic[0]) return each;
  struct fe_spot q = spot_over(b, p, &r->hop[p->colour * r->count + k]);
  return b->n[0] - q.at[0];
}

/* Where the stretch ends that begins `at` points behind p. */
static int64_t
stretch_end(const struct fe_rule *r, const struct fe_spot *p, int64_t at,
            int64_t each) {
  int64_t end = each;
  for (int k = 0; k < r->count; k++) {
    int64_t turn = turn_of(r, p, k, each);
    if (turn > at && turn < end) end = turn;
  }
  return end;
}

/* The place that entry k names at p, as if its line went on beyond its ends. */
static idx_l
first_of(const struct fe_rule *r, const struct fe_set *to,
         const struct fe_spot *p, int k) {
  struct fe_spot q = spot_over(to->box, p, &r->hop[p->colour * r->count + k]);
  int64_t at = q.at[0], run;
  int64_t lo = -to->halo.at[0], hi = (int64_t)to->box->n[0] + to->halo.at[1];
  if (q.at[0] < lo) q.at[0] = lo;
  if (q.at[0] >= hi) q.at[0] = hi - 1;
  idx_l e = (idx_l)fe_points_number(to, &q, &run);
  if (to->rt.order) e = rt_spaced(to->rt.order->lines, e);
  return (idx_l)(e + at - q.at[0]);
}

/* Of a line; into `out` from its stretch s on, unless that is NULL. Returns how
 * many. */
static idx_l
line_stretches(const struct fe_rule *r, const struct fe_set *to,
               const struct lines *of, int64_t line, struct rt_stretches *out,
               idx_l s) {
  struct fe_spot p = fe_spot_in(r->from, &of->area, line * of->each), q = p;
  idx_l n = 0;
  for (int64_t at = 0; at < of->each; n++) {
    if (out) {
      q.at[0] = p.at[0] + at;
      out->start[s + n] = (idx_l)(line * of->each + at);
      for (int k = 0; k < r->count; k++)
        out->first[(int64_t)(s + n) * r->count + k] = first_of(r, to, &q, k);
    }
    at = stretch_end(r, &p, at, of->each);
  }
  return n;
}

/* All lines of one colour have as many. */
static int64_t
stretches_count(const struct fe_rule *r, const struct lines *l) {
  int64_t n = 0, colours = r->from->colours;
  for (int64_t c = 0; c < colours && c < l->n; c++)
    n += l->n / colours * line_stretches(r, NULL, l, c, NULL, 0);
  return n;
}

status
fe_rule_stretches(const struct fe_rule *r, const struct fe_set *from,
                  const struct fe_set *to, uint32_t least,
                  struct rt_stretches **out) {
  struct lines l = lines_of(from);
  *out = NULL;
  if (r->count > MOST_ENTRIES || !l.n) return OK;
  int64_t n = stretches_count(r, &l), k = 0;
  if (n * least > from->rt.n) return OK;
  struct rt_stretches *s = rt_stretches_new((idx_l)n, (uint32_t)r->count);
  if (!s)
    FAIL(ERR_MEMORY, "rule \"%s\": no memory for its %lld stretches", r->name,
         (long long)n);
  for (int64_t line = 0; line < l.n; line++)
    k += line_stretches(r, to, &l, line, s, (idx_l)k);
  assert(k == n);
  s->start[n] = from->rt.n;
  *out = s;
  return OK;
}

/* ---- what is known without them ------------------------------------------ */

/* Does an entry of some point lie outside of `to`? */
static bool
leaves(const struct fe_rule *r, const struct fe_set *from,
       const struct fe_set *to) {
  struct fe_halo reach = fe_rule_reach(r, 0, r->count);
  for (int k = 0; k < FE_BOX_SIDES; k++)
    if (from->halo.at[k] + reach.at[k] > to->halo.at[k]) return true;
  return false;
}

/* May two of its entries, from different points or one, name the same? */
static bool
entries_meet(const struct fe_hop *hop, int n) {
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++)
      if (hop[i].colour == hop[k].colour) return true;
  return false;
}

/* Of a row, the same point in a box of any size? Round small periodic
 * dimensions offsets meet that differ. */
static bool
row_repeats(const struct fe_rule *r, const struct fe_hop *hop) {
  const struct fe_box *b = r->from;
  for (int i = 1; i < r->count; i++)
    for (int k = 0; k < i; k++) {
      bool same = hop[i].colour == hop[k].colour;
      for (int d = 0; same && d < b->ndim; d++) {
        int64_t by = (int64_t)hop[i].by[d] - hop[k].by[d];
        same = b->periodic[d] ? b->n[d] && by % b->n[d] == 0 : by == 0;
      }
      if (same) return true;
    }
  return false;
}

/* Is each point of `to` named: does some entry lead all over its colour? */
static bool
names_all(const struct fe_rule *r, const struct fe_set *from,
          const struct fe_set *to) {
  uint64_t met = 0;
  const struct fe_box *b = r->from;
  if (memcmp(&from->halo, &to->halo, sizeof from->halo)) return false;
  for (int i = 0; i < b->colours * r->count; i++) {
    bool all = true;
    for (int d = 0; d < b->ndim; d++)
      all = all && (b->periodic[d] || !r->hop[i].by[d]);
    if (all) met |= (uint64_t)1 << r->hop[i].colour;
  }
  int colours = to->box->colours;
  return met == (colours < 64 ? ((uint64_t)1 << colours) - 1 : UINT64_MAX);
}

struct rt_facts
fe_rule_facts(const struct fe_rule *r, const struct fe_set *from,
              const struct fe_set *to) {
  bool out = leaves(r, from, to);
  struct rt_facts f = {.repeats = out && r->count > 1, .bad = -1};
  for (int c = 0; c < r->from->colours; c++)
    f.repeats = f.repeats || row_repeats(r, r->hop + c * r->count);
  f.injective = !out && !entries_meet(r->hop, r->from->colours * r->count);
  f.onto = !out && names_all(r, from, to);
  return f;
}
