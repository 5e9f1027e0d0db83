#include "boxes.h"

#include "grids.h"
#include "levels.h"

#include <limits.h>
#include <string.h>

/* ---- sets --------------------------------------------------------------------- */

bool
set_is_box(const struct program *p, int s) {
  return p->made[s].ndim > 0;
}

/* The box to which a set of points belongs: itself, or the one around which it is. */
static const struct pmade *
box_of(const struct program *p, int s) {
  const struct pmade *u = &p->made[s];
  return u->points ? &p->made[u->box] : u;
}

bool
set_is_grid(const struct program *p, int s) {
  return p->made[s].colours > 0;
}

int
box_colours(const struct program *p, int s) {
  int n = box_of(p, s)->colours;
  return n ? n : 1;
}

bool
boxes_alike(const struct program *p, int a, int b) {
  const struct pmade *x = &p->made[a], *y = &p->made[b];
  if (!x->ndim || x->ndim != y->ndim) return false;
  for (int d = 0; d < x->ndim; d++)
    if (x->n[d] != y->n[d] || x->turns[d] != y->turns[d]) return false;
  return true;
}

void
boxes_take_shape(struct program *p) {
  for (int k = 0; k < p->nmade; k++) {
    struct pmade *u = &p->made[k];
    if (!u->like) continue;
    memcpy(u->n, p->made[u->like - 1].n, sizeof u->n);
    memcpy(u->turns, p->made[u->like - 1].turns, sizeof u->turns);
  }
}

/* Points below and in dimension d. */
static int
points_below(const struct program *p, int s, int d) {
  return p->made[s].points ? p->made[s].halo[2 * d] : 0;
}

static int
points_along(const struct program *p, int s, int d) {
  const struct pmade *u = &p->made[s];
  int n = box_of(p, s)->n[d];
  return u->points ? u->halo[2 * d] + n + u->halo[2 * d + 1] : n;
}

int
box_size(const struct program *p, int s) {
  int n = box_colours(p, s);
  for (int d = 0; d < box_of(p, s)->ndim; d++) n *= points_along(p, s, d);
  return n;
}

bool
points_around(const struct program *p, int s, int box) {
  return p->made[s].points && p->made[s].box == box;
}

static const struct area no_area;

/* Points in dimension d of a box and an area around it. */
static int
area_along(const struct pmade *b, const struct area *x, int d) {
  return x->at[2 * d] + b->n[d] + x->at[2 * d + 1];
}

int
area_size(const struct program *p, int s, const struct area *x) {
  int n = box_colours(p, s);
  if (!x) x = &no_area;
  for (int d = 0; d < p->made[s].ndim; d++) n *= area_along(&p->made[s], x, d);
  return n;
}

/* Coordinates in a box, from its domain's first point on, and a colour. */
struct spot {
  int at[BOX_DIMS], colour;
};

/* Point e of the box and an area around it. */
static struct spot
spot_in(const struct pmade *b, const struct area *x, int e) {
  struct spot q = {{0}, 0};
  int colours = b->colours ? b->colours : 1;
  for (int d = 0; d < b->ndim; d++) {
    int along = area_along(b, x, d);
    q.at[d] = e % along - x->at[2 * d];
    e /= along;
    if (d) continue;
    q.colour = e % colours;
    e /= colours;
  }
  return q;
}

static struct spot
spot_of(const struct program *p, int box, const struct area *x, int e) {
  return spot_in(&p->made[box], x ? x : &no_area, e);
}

/* Its number in a box or a set around it. */
static int
spot_place(const struct program *p, int s, struct spot q) {
  const struct pmade *b = box_of(p, s);
  int at = 0, stride = 1;
  for (int d = 0; d < b->ndim; d++) {
    if (b->turns[d]) q.at[d] = (q.at[d] % b->n[d] + b->n[d]) % b->n[d];
    at += (q.at[d] + points_below(p, s, d)) * stride;
    stride *= points_along(p, s, d);
    if (d) continue;
    at += q.colour * stride;
    stride *= box_colours(p, s);
  }
  return at;
}

/* The box that a set is, or lies around. */
static int
box_number(const struct program *p, int s) {
  return p->made[s].points ? p->made[s].box : s;
}

int
box_points(const struct program *p, int s, const int *lo, const int *hi,
           const struct area *x, int *out) {
  int n = box_colours(p, s);
  struct pmade part = p->made[box_number(p, s)];
  for (int d = 0; d < part.ndim; d++) {
    part.n[d] = hi[d] - lo[d];
    n *= part.n[d] ? area_along(&part, x, d) : 0;
  }
  for (int e = 0; e < n; e++) {
    struct spot q = spot_in(&part, x, e);
    for (int d = 0; d < part.ndim; d++) q.at[d] += lo[d];
    out[e] = spot_place(p, s, q);
  }
  return n;
}

int
point_place(const struct program *p, int s, const struct area *x, int e) {
  return point_layer(p, s, x, e, 0);
}

int
point_layer(const struct program *p, int s, const struct area *x, int e,
            int dl) {
  struct spot q = spot_of(p, box_number(p, s), x, e);
  q.at[box_of(p, s)->ndim - 1] += dl;
  return spot_place(p, s, q);
}

int
box_layers(const struct program *p, int box) {
  return p->made[box].n[p->made[box].ndim - 1];
}

int
box_plane(const struct program *p, int box) {
  int layers = box_layers(p, box);
  return layers ? box_size(p, box) / layers : 0;
}

/* ---- rules -------------------------------------------------------------------- */

bool
map_is_rule(const struct pmap *m) {
  return map_has_no_table(m) || m->kind == MAP_TABLE;
}

bool
map_has_no_table(const struct pmap *m) {
  return m->kind == MAP_RULE || m->kind == MAP_GRID;
}

struct hop
rule_hop(const struct program *p, const struct pmap *m, int colour, int j) {
  struct hop h = {{0}, 0};
  if (m->kind == MAP_TABLE) m = &p->maps[m->first];
  if (m->kind == MAP_GRID) return grid_hop(p, m, colour, j);
  int reach = m->a % 3;
  for (int d = 0; d < p->made[m->from].ndim; d++)
    h.by[d] = (m->a + j * (d + 2) + colour * (d + 1)) % (2 * reach + 1) - reach;
  h.colour = (colour + j + m->a / 3) % box_colours(p, m->to);
  return h;
}

int
rule_target(const struct program *p, const struct pmap *m, const struct area *x,
            int e, int j, int to) {
  struct spot q = spot_of(p, m->from, x, e);
  struct hop h = rule_hop(p, m, q.colour, j);
  for (int d = 0; d < p->made[m->from].ndim; d++) q.at[d] += h.by[d];
  q.colour = h.colour;
  return spot_place(p, to, q);
}

/* The area becomes as wide as the entry leads out of the box. */
static void
reach_add(const struct pmade *b, const struct hop *h, struct area *x) {
  for (int d = 0; d < b->ndim; d++) {
    if (b->turns[d]) continue;
    if (-h->by[d] > x->at[2 * d]) x->at[2 * d] = -h->by[d];
    if (h->by[d] > x->at[2 * d + 1]) x->at[2 * d + 1] = h->by[d];
  }
}

struct area
rule_reach(const struct program *p, const struct pmap *m, int first, int end) {
  struct area x = no_area;
  for (int k = 0; k < 2 * p->made[m->from].ndim && first < end; k++)
    if (!p->made[m->from].turns[k / 2]) x.at[k] = INT_MIN;
  for (int c = 0; c < box_colours(p, m->from); c++)
    for (int j = first; j < end; j++) {
      struct hop h = rule_hop(p, m, c, j);
      reach_add(&p->made[m->from], &h, &x);
    }
  return x;
}

bool
rule_reaches(const struct program *p, const struct pmap *m, int first, int end,
             int to) {
  struct area x = rule_reach(p, m, first, end);
  if (to != m->to && !points_around(p, to, m->to)) return false;
  for (int k = 0; k < 2 * BOX_DIMS; k++)
    if (x.at[k] > p->made[to].halo[k]) return false;
  return true;
}

bool
rule_stays(const struct program *p, const struct pmap *m, int first, int end) {
  return rule_reaches(p, m, first, end, m->to);
}

bool
map_can_make(const struct program *p, const struct pmap *m) {
  if (!map_is_rule(m)) return true;
  return m->kind == MAP_TABLE && rule_stays(p, m, 0, m->arity);
}

/* ---- what belongs together ------------------------------------------------------- */

static bool
map_fits(const struct program *p, struct pmap *m) {
  if (p->made[m->from].points || p->made[m->to].points) return false;
  if (m->kind == MAP_GRID) return grid_map_fits(p, m);
  if (!map_is_rule(m)) return true;
  if (m->kind == MAP_RULE) return boxes_alike(p, m->from, m->to);
  const struct pmap *rule = &p->maps[m->first];
  m->arity = rule->arity;
  return map_has_no_table(rule) && rule->from == m->from && rule->to == m->to;
}

bool
boxes_settle(struct program *p) {
  for (int k = 0; k < p->nmaps; k++)
    if (!map_fits(p, &p->maps[k])) return false;
  for (int k = 0; k < p->ndats; k++) {
    const struct pdat *d = &p->dats[k];
    bool own = d->temp && type_row(d->type)->definition;
    bool other = own || d->soa || d->over >= 0;
    if (p->made[d->set].points && other) return false;
    if (d->over >= 0 && p->made[p->dats[d->over].set].points) return false;
  }
  return true;
}

/* ---- drawing ------------------------------------------------------------------ */

int
box_add(struct program *p, struct pmade how) {
  ADD(p->sets, p->nsets, 0);
  ADD(p->made, p->nmade, how);
  program_settle(p);
  return p->nsets - 1;
}

/* In one of 25 programs a dimension has no points. */
void
box_draw_empty(const struct program *p, struct pmade *b) {
  uint64_t draw = p->seed * 0x9e3779b97f4a7c15u >> 40;
  if (draw % 25 == 0) b->n[draw / 25 % (uint64_t)b->ndim] = 0;
}

static int
draw_box(struct program *p, struct rnd *r, int most) {
  static const int along[] = {0, 600, 30, 9, 5};
  struct pmade b = {.of = -1, .over = -1, .ndim = 1 + rnd_below(r, BOX_DIMS)};
  int n = along[b.ndim] < most ? along[b.ndim] : most;
  for (int d = 0; d < b.ndim; d++) {
    b.n[d] = 1 + rnd_below(r, n);
    b.turns[d] = rnd_chance(r, 35);
  }
  box_draw_empty(p, &b);
  return box_add(p, b);
}

void
box_draw_points(struct program *p, struct rnd *r, int box) {
  const struct pmade *b = &p->made[box];
  struct pmade u = {.of = -1, .over = -1, .points = true, .box = box};
  for (int d = 0; d < b->ndim; d++)
    for (int side = 0; side < 2 && !b->turns[d]; side++)
      u.halo[2 * d + side] = rnd_below(r, 4);
  box_add(p, u);
}

void
box_draw_rule(struct program *p, struct rnd *r, struct pmap rule) {
  ADD(p->maps, p->nmaps, rule);
  if (rnd_chance(r, 50)) return;
  rule.kind = MAP_TABLE;
  rule.first = p->nmaps - 1;
  ADD(p->maps, p->nmaps, rule);
}

static void
draw_rule(struct program *p, struct rnd *r, int box) {
  struct pmap m = {.from = box,
                   .to = box,
                   .arity = 1 + rnd_below(r, rnd_chance(r, 20) ? 6 : 4),
                   .kind = MAP_RULE,
                   .a = rnd_below(r, 60)};
  box_draw_rule(p, r, m);
}

/* Some of each so many layers, the lowest or the highest. */
static void
draw_layers(struct program *p, struct rnd *r, int box) {
  if (!p->sets[box]) return;
  int plane = box_plane(p, box), step = 1 + rnd_below(r, box_layers(p, box));
  box_add(p, (struct pmade){.of = box,
                            .over = -1,
                            .step = plane * step,
                            .width = plane * (1 + rnd_below(r, step)),
                            .back = rnd_chance(r, 50)});
}

/* From another set into the box, or the other way. */
static void
draw_map_beside(struct program *p, struct rnd *r, int box) {
  int other = rnd_below(r, p->nsets);
  bool into = rnd_chance(r, 60);
  if (!p->sets[box]) return;
  if (p->made[other].points || !p->sets[other] || p->made[other].nonzeros)
    return;
  ADD(p->maps, p->nmaps,
      ((struct pmap){.from = into ? other : box,
                     .to = into ? box : other,
                     .arity = 1 + rnd_below(r, 3),
                     .kind = (enum map_kind)rnd_below(r, MAP_KINDS),
                     .a = rnd_below(r, 50)}));
}

void
box_draw_beside(struct program *p, struct rnd *r, int box) {
  if (rnd_chance(r, 40))
    box_add(p, (struct pmade){.of = box,
                              .over = -1,
                              .step = 2 + rnd_below(r, 4),
                              .width = 1 + rnd_below(r, 2)});
  if (rnd_chance(r, 50)) draw_layers(p, r, box);
  if (rnd_chance(r, 60)) axes_draw(p, r, box);
  if (rnd_chance(r, 50)) draw_map_beside(p, r, box);
}

void
boxes_draw(struct program *p, struct rnd *r, int most) {
  int box = draw_box(p, r, most), rules = 1 + rnd_below(r, 3);
  for (int k = 0; k < rules; k++) draw_rule(p, r, box);
  box_draw_beside(p, r, box);
  for (int k = 0; k <= rnd_below(r, 3); k++) box_draw_points(p, r, box);
}
