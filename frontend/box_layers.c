/* Layers of a box: what its points are to scans and layer arguments.
 *
 * A box is columns, too: over each point of the first dimensions those that the
 * last one has. Points are numbered layer by layer,
 *
 *   number of (p, l) = p + l * plane      0 <= p < plane, 0 <= l < n[last]
 *
 * so that a column goes in steps, where one of op2_decl_columns is consecutive
 * elements. Another layer of a column is a rule with one entry, whose tables
 * lead to dats with any halo; they stay in the column, as `here` does, and
 * scan.c asks for no more. */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/ranks.h"

#include "base/str.h"

#include <assert.h>

/* ---- columns ------------------------------------------------------------- */

status
fe_box_plane(const char *api, const struct fe_box *box, struct fe_set **out) {
  struct fe_box *b = (struct fe_box *)box; /* its hidden sets */
  if (!b->plane) TRY(fe_agree_turn(api));  /* one may look at a dat */
  *out = b->plane;
  if (b->plane) return OK;
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_plane", b->domain->pub.name);
  struct fe_set *s = fe_set_new(fe_box_plane_size(b), name.s);
  s->fixed = true; /* numbers say where points lie */
  s->hidden = true;
  TRY(fe_points_list(api, s, b, OK));
  *out = b->plane = s;
  return OK;
}

/* ---- other layers -------------------------------------------------------- */

static struct fe_rule *
shift_rule(const struct fe_box *box, int by) {
  struct fe_box *b = (struct fe_box *)box; /* its rules */
  int last = b->ndim - 1;
  for (uint32_t i = 0; i < b->nshifts; i++)
    if (b->shifts[i]->hop[0].by[last] == by) return b->shifts[i];
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_%s_%lld", b->domain->pub.name, by > 0 ? "up" : "down",
             by > 0 ? (long long)by : -(long long)by);
  struct fe_hop *hop = mem_alloc((size_t)b->colours, sizeof *hop);
  for (int c = 0; c < b->colours; c++) {
    hop[c].colour = c;
    hop[c].by[last] = by;
  }
  struct fe_rule *r = fe_rule_new(b, b, 1, hop, name.s);
  r->column = true;
  VEC_PUSH(b->shifts, b->nshifts, b->capshifts, r);
  return r;
}

status
fe_box_shift(struct fe_set *from, int by, struct fe_set *to,
             struct fe_map **out) {
  struct fe_set *points = from->whole ? from->whole : from;
  assert(by && points->box && points->box == to->box);
  TRY(fe_rule_table(shift_rule(to->box, by), points, to, out));
  return from->whole ? fe_map_through(from->into, *out, out) : OK;
}

bool
fe_map_is_here(const struct fe_map *m) {
  return m->by && m->by == m->by->from->here;
}

/* Its list ascends, and layers do so along. */
status
fe_box_subset_layers(struct fe_set *s) {
  const struct fe_box *b = s->whole->box;
  idx_l n = fe_map_rows(&s->pub), plane = fe_box_plane_size(b);
  int64_t first = fe_box_part(b).lo[b->ndim - 1];
  int64_t low = INT32_MAX, high = -1;
  if (n) low = first + s->list[0] / plane;
  if (n) high = first + s->list[n - 1] / plane;
  TRY(fe_join(&low, 1, TYPE_I64, ACC_MIN));
  TRY(fe_join(&high, 1, TYPE_I64, ACC_MAX));
  s->lowest = high < 0 ? 0 : (idx_l)low;
  s->highest = (idx_l)high;
  return OK;
}

struct fe_halo
fe_box_layer_reach(const struct fe_set *set, const struct fe_box *b, int by) {
  struct fe_halo h = {{0}};
  int last = b->ndim - 1;
  int64_t lo = 0, hi = (int64_t)fe_box_layers(b) - 1, end = hi;
  if (set->whole) {
    lo = set->lowest;
    hi = set->highest;
  }
  if (set->whole && hi < lo) return h; /* a subset of nothing */
  h.at[2 * last] = fe_halo_width(-(lo + by));
  h.at[2 * last + 1] = fe_halo_width(hi + by - end);
  return h;
}
