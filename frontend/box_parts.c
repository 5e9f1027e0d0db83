/* Boxes over ranks: whose point is which, and what number it has.
 *
 * Problem. Each rank declares a part of every set; maps name elements by global
 * numbers, those of the parts one after another. Of a box the program asks
 * which part is this rank's (op2_box_local). A dat with a halo covers that part
 * and a halo around it, in which on some sides lie points of other ranks.
 *
 * Idea. Ranks are a grid: cut[d] pieces of dimension d, as equal as can be.
 * Points of the box's own halo belong to who has the nearest point of the
 * domain. A set of points with a halo is `padded` where dats lie on it: a
 * rank's part has the points of others, too, that lie in the halo around its
 * own. These are its ghosts, elements that no rule names and no loop writes:
 * when the program looks at the dat they get what the points have whose ghosts
 * they are (ghosts.c).
 *
 *   domain of 7, halo 1 below and 2 above, two ranks
 *
 *   place               -1 0 1 2  3  4          2  3 4 5 6 7 8
 *   of                   0 0 0 0  1  1          0  1 1 1 1 1 1
 *   padded, numbers      0 1 2 3 (4)(5)        (6) 7 8 9 ...  12
 *   not padded           0 1 2 3                   4 5 6 ...   9
 *
 * Where a rank declares everything (OP2_DECLARE=whole) numbers are those on one
 * rank, nothing is padded, and the grid says who owns a point.
 *
 * Dimensions are cut such that few points lie at cuts; of like choices the last
 * dimensions are, whose layers are one piece of memory. The last of three or
 * four is never cut, since scans go along it, nor of any where a rank declares
 * everything: a box of one dimension lies on one rank then.
 *
 * Cost. For a run of points whose numbers follow one another a division in each
 * dimension. */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/ranks.h"

#include "base/hash.h"
#include "rt/ranks/dist.h"

#include <assert.h>
#include <string.h>

/* ---- the grid of ranks --------------------------------------------------- */

/* Points beside cuts; a piece without points counts as all there are. */
static double
cut_cost(const struct fe_box *b, const int *cut) {
  double all = 1, cost = 0;
  for (int d = 0; d < b->ndim; d++) all *= b->n[d] + 1;
  for (int d = 0; d < b->ndim; d++) {
    cost += (cut[d] - 1) * (all / (b->n[d] + 1));
    if (cut[d] > 1 && cut[d] > b->n[d]) cost += (cut[d] - b->n[d]) * all;
  }
  return cost;
}

/* Each way to write `ranks` as a product over dimensions d and below; the best
 * in b->cut. */
static void
cut_try(struct fe_box *b, int d, int ranks, int *cut, double *best) {
  if (!d) {
    cut[0] = ranks;
    double cost = cut_cost(b, cut);
    if (*best >= 0 && cost >= *best) return;
    *best = cost;
    memcpy(b->cut, cut, sizeof b->cut);
    return;
  }
  for (int k = ranks; k > 0; k--) {
    if (ranks % k) continue;
    cut[d] = k;
    cut_try(b, d - 1, ranks / k, cut, best);
  }
}

void
fe_box_cut(struct fe_box *b) {
  int cut[FE_BOX_DIMS] = {1, 1, 1, 1};
  double best = -1;
  bool upright = b->ndim > 2 || fe_ranks.whole;
  int last = upright ? b->ndim - 2 : b->ndim - 1;
  memcpy(b->cut, cut, sizeof b->cut);
  if (last >= 0) cut_try(b, last, fe_ranked() ? fe_ranks.size : 1, cut, &best);
}

/* Where piece k of dimension d begins. */
static int64_t
piece_begin(const struct fe_box *b, int d, int k) {
  return (int64_t)b->n[d] * k / b->cut[d];
}

/* The piece that a place lies in, or nearest to. */
static int
piece_of(const struct fe_box *b, int d, int64_t at) {
  int64_t n = b->n[d];
  if (!n) return 0;
  if (at < 0) at = 0;
  if (at >= n) at = n - 1;
  return (int)(((at + 1) * b->cut[d] - 1) / n);
}

/* The places of piece k, with those of the halo that belong to it, or with as
 * many around it; none if it has none of the domain. */
static void
piece_range(const struct fe_box *b, const struct fe_halo *h, bool padded, int d,
            int k, struct fe_area *out) {
  int64_t lo = piece_begin(b, d, k), hi = piece_begin(b, d, k + 1);
  bool empty = b->n[d] ? lo == hi : k > 0;
  out->lo[d] = lo;
  out->hi[d] = hi;
  if (empty) return;
  if (padded || !lo) out->lo[d] -= h->at[2 * d];
  if (padded || hi == b->n[d]) out->hi[d] += h->at[2 * d + 1];
}

static int
rank_at(const struct fe_box *b, const int64_t *at) {
  int rank = 0;
  for (int d = b->ndim; d-- > 0;)
    rank = rank * b->cut[d] + piece_of(b, d, at[d]);
  return rank;
}

/* All of the points, as one rank has them. */
static struct fe_area
whole_area(const struct fe_box *b, const struct fe_halo *h) {
  struct fe_area a = {{0}, {0}};
  for (int d = 0; d < b->ndim; d++) {
    a.lo[d] = -h->at[2 * d];
    a.hi[d] = (int64_t)b->n[d] + h->at[2 * d + 1];
  }
  return a;
}

struct fe_area
fe_box_area(const struct fe_box *b, const struct fe_halo *h, bool padded,
            int rank) {
  struct fe_area a = {{0}, {0}};
  if (!fe_in_parts()) return whole_area(b, h);
  for (int d = 0; d < b->ndim; d++) {
    piece_range(b, h, padded, d, rank % b->cut[d], &a);
    rank /= b->cut[d];
  }
  return a;
}

static struct fe_area
area_of(const struct fe_set *s, int rank) {
  return fe_box_area(s->box, &s->halo, s->padded, rank);
}

struct fe_area
fe_points_area(const struct fe_set *s) {
  return area_of(s, fe_ranks.rank);
}

struct fe_area
fe_box_part(const struct fe_box *b) {
  static const struct fe_halo none;
  return fe_box_area(b, &none, false, fe_ranks.rank);
}

/* ---- numbers ------------------------------------------------------------- */

/* Place of a point in a part. */
static int64_t
number_in(const struct fe_box *b, const struct fe_area *a,
          const struct fe_spot *p) {
  int64_t e = 0;
  for (int d = b->ndim; d-- > 0;) {
    assert(p->at[d] >= a->lo[d] && p->at[d] < a->hi[d]);
    if (!d) e = e * b->colours + p->colour;
    e = e * (a->hi[d] - a->lo[d]) + (p->at[d] - a->lo[d]);
  }
  return e;
}

struct fe_spot
fe_spot_in(const struct fe_box *b, const struct fe_area *a, int64_t number) {
  struct fe_spot p = {{0}, 0};
  for (int d = 0; d < b->ndim; d++) {
    int64_t along = a->hi[d] - a->lo[d];
    p.at[d] = a->lo[d] + number % along;
    number /= along;
    if (d) continue;
    p.colour = (int)(number % b->colours);
    number /= b->colours;
  }
  return p;
}

/* The nearest spot that lies in the set, whoever has it. */
static struct fe_spot
nearest(const struct fe_set *s, const struct fe_spot *p) {
  struct fe_spot q = *p;
  for (int d = 0; d < s->box->ndim; d++) {
    int64_t lo = -s->halo.at[2 * d];
    int64_t hi = (int64_t)s->box->n[d] + s->halo.at[2 * d + 1];
    if (q.at[d] < lo) q.at[d] = lo;
    if (q.at[d] >= hi) q.at[d] = hi - 1;
  }
  return q;
}

/* The last place, and one, of who owns a spot in the first dimension. */
static int64_t
run_end(const struct fe_set *s, int64_t at) {
  const struct fe_box *b = s->box;
  struct fe_area a = {{0}, {0}};
  if (!fe_in_parts()) return (int64_t)b->n[0] + s->halo.at[1];
  piece_range(b, &s->halo, false, 0, piece_of(b, 0, at), &a);
  return a.hi[0];
}

idx_g
fe_points_number(const struct fe_set *s, const struct fe_spot *p,
                 int64_t *run) {
  struct fe_spot q = nearest(s, p);
  int rank = fe_in_parts() ? rank_at(s->box, q.at) : 0;
  struct fe_area a = area_of(s, rank);
  *run = q.at[0] == p->at[0] ? run_end(s, q.at[0]) - q.at[0] : 1;
  return (fe_in_parts() ? s->part->start[rank] : 0) + number_in(s->box, &a, &q);
}

status
fe_points_count(const char *api, const char *name, const struct fe_box *b,
                const struct fe_halo *h, bool padded, idx_l *out) {
  struct fe_area a = fe_box_area(b, h, padded, fe_ranks.rank);
  idx_g n = b->colours;
  bool fits = true;
  for (int d = 0; d < b->ndim; d++)
    fits = fits && !__builtin_mul_overflow(n, a.hi[d] - a.lo[d], &n);
  if (!fits || n > INT32_MAX)
    FAIL(ERR_ARG,
         "%s \"%s\": expected at most %d points%s, halo included, found more",
         api, name, INT32_MAX, fe_in_parts() ? " on a rank" : "");
  *out = (idx_l)n;
  return OK;
}

/* ---- the order of one rank ----------------------------------------------- */

idx_g
fe_points_total(const struct fe_set *s) {
  struct fe_area a = whole_area(s->box, &s->halo);
  idx_g n = s->box->colours;
  for (int d = 0; d < s->box->ndim; d++) n *= a.hi[d] - a.lo[d];
  return n;
}

void
fe_points_rows(const struct fe_set *s, idx_g *row) {
  struct fe_area all = whole_area(s->box, &s->halo), a = fe_points_area(s);
  idx_l n = s->part->declared, line = (idx_l)(a.hi[0] - a.lo[0]);
  for (idx_l e = 0; e < n; e += line) {
    struct fe_spot p = fe_spot_in(s->box, &a, e);
    int64_t first = number_in(s->box, &all, &p);
    for (idx_l k = 0; k < line; k++) row[e + k] = first + k;
  }
}

idx_g
fe_points_of_row(const struct fe_set *s, idx_g row) {
  struct fe_area all = whole_area(s->box, &s->halo);
  struct fe_spot p = fe_spot_in(s->box, &all, row);
  int64_t run;
  return fe_points_number(s, &p, &run);
}

/* ---- parts --------------------------------------------------------------- */

/* Who owns the elements of the block that this rank has of a set that all
 * declare, numbered as the points of the area are. */
static void
owners_by_place(struct fe_set *s, const struct fe_box *b,
                const struct fe_area *a) {
  struct rt_part *p = s->part;
  p->to = mem_alloc((size_t)p->declared + 1, sizeof *p->to);
  for (idx_l e = 0; e < p->declared; e++) {
    struct fe_spot at = fe_spot_in(b, a, p->start[fe_ranks.rank] + e);
    p->to[e] = rank_at(b, at.at);
  }
}

/* What all ranks must say alike of a set of points. */
static uint64_t
points_hash(const struct fe_set *s, const struct fe_box *b) {
  uint64_t h = hash_word((uint64_t)b->ndim, (uint64_t)b->colours);
  for (int d = 0; d < b->ndim; d++) {
    h = hash_word(h, (uint64_t)b->n[d] << 1 | b->periodic[d]);
    h = hash_word(h, (uint64_t)s->halo.at[2 * d] << 32 |
                         (uint32_t)s->halo.at[2 * d + 1]);
  }
  return h;
}

status
fe_points_part(const char *api, struct fe_set *s, const struct fe_box *b,
               status st) {
  TRY(fe_agree(api, points_hash(s, b), st));
  TRY(fe_set_part(api, s, OK));
  struct fe_area a = s->box ? fe_points_area(s) : fe_box_part(b);
  if (fe_ranked() && fe_ranks.whole) owners_by_place(s, b, &a);
  s->part->stays = true;
  return OK;
}

int
fe_point_owner(const struct fe_set *s, int64_t number, idx_g *there) {
  struct fe_area a = fe_points_area(s);
  struct fe_spot p = fe_spot_in(s->box, &a, number);
  int rank = rank_at(s->box, p.at);
  struct fe_area of = area_of(s, rank);
  *there = number_in(s->box, &of, &p);
  return rank;
}
