#include "boxes.h"

#include "levels.h"

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
  int n = 1;
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
  int n = 1;
  if (!x) x = &no_area;
  for (int d = 0; d < p->made[s].ndim; d++) n *= area_along(&p->made[s], x, d);
  return n;
}

/* Point e of the box and an area around it as the sum of its coordinates and
 * these, in set s. */
static int
place(const struct program *p, int s, const struct area *x, int e,
      const int *offset) {
  const struct pmade *b = box_of(p, s);
  int at = 0, stride = 1;
  if (!x) x = &no_area;
  for (int d = 0; d < b->ndim; d++) {
    int along = area_along(b, x, d), k = e % along - x->at[2 * d] + offset[d];
    if (b->turns[d]) k = (k % b->n[d] + b->n[d]) % b->n[d];
    at += (k + points_below(p, s, d)) * stride;
    stride *= points_along(p, s, d);
    e /= along;
  }
  return at;
}

int
point_place(const struct program *p, int s, const struct area *x, int e) {
  static const int none[BOX_DIMS];
  return place(p, s, x, e, none);
}

int
point_layer(const struct program *p, int s, const struct area *x, int e,
            int dl) {
  int offset[BOX_DIMS] = {0};
  offset[box_of(p, s)->ndim - 1] = dl;
  return place(p, s, x, e, offset);
}

int
box_layers(const struct program *p, int box) {
  return p->made[box].n[p->made[box].ndim - 1];
}

int
box_plane(const struct program *p, int box) {
  return box_size(p, box) / box_layers(p, box);
}

/* ---- rules -------------------------------------------------------------------- */

bool
map_is_rule(const struct pmap *m) {
  return m->kind == MAP_RULE || m->kind == MAP_TABLE;
}

int
rule_offset(const struct program *p, const struct pmap *m, int j, int d) {
  if (m->kind == MAP_TABLE) m = &p->maps[m->first];
  int reach = m->a % 3;
  return (m->a + j * (d + 2)) % (2 * reach + 1) - reach;
}

int
rule_target(const struct program *p, const struct pmap *m, const struct area *x,
            int e, int j, int to) {
  int offset[BOX_DIMS] = {0};
  for (int d = 0; d < p->made[m->from].ndim; d++)
    offset[d] = rule_offset(p, m, j, d);
  return place(p, to, x, e, offset);
}

struct area
rule_reach(const struct program *p, const struct pmap *m, int first, int end) {
  const struct pmade *b = &p->made[m->from];
  struct area x = no_area;
  for (int j = first; j < end; j++)
    for (int d = 0; d < b->ndim; d++) {
      int by = rule_offset(p, m, j, d);
      if (b->turns[d]) continue;
      if (-by > x.at[2 * d]) x.at[2 * d] = -by;
      if (by > x.at[2 * d + 1]) x.at[2 * d + 1] = by;
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

/* ---- what belongs together ------------------------------------------------------- */

static bool
map_fits(const struct program *p, struct pmap *m) {
  if (p->made[m->from].points || p->made[m->to].points) return false;
  if (!map_is_rule(m)) return true;
  if (m->from != m->to || !set_is_box(p, m->from)) return false;
  if (m->kind == MAP_RULE) return true;
  const struct pmap *rule = &p->maps[m->first];
  m->arity = rule->arity;
  return rule->kind == MAP_RULE && rule->from == m->from;
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

static int
add_set(struct program *p, struct pmade how) {
  ADD(p->sets, p->nsets, 0);
  ADD(p->made, p->nmade, how);
  program_settle(p);
  return p->nsets - 1;
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
  return add_set(p, b);
}

static void
draw_points(struct program *p, struct rnd *r, int box) {
  const struct pmade *b = &p->made[box];
  struct pmade u = {.of = -1, .over = -1, .points = true, .box = box};
  for (int d = 0; d < b->ndim; d++)
    for (int side = 0; side < 2 && !b->turns[d]; side++)
      u.halo[2 * d + side] = rnd_below(r, 4);
  add_set(p, u);
}

/* By rule, and now and then the rule's table. */
static void
draw_rule(struct program *p, struct rnd *r, int box) {
  struct pmap m = {.from = box,
                   .to = box,
                   .arity = 1 + rnd_below(r, rnd_chance(r, 20) ? 6 : 4),
                   .kind = MAP_RULE,
                   .a = rnd_below(r, 60)};
  ADD(p->maps, p->nmaps, m);
  if (rnd_chance(r, 50)) return;
  m.kind = MAP_TABLE;
  m.first = p->nmaps - 1;
  ADD(p->maps, p->nmaps, m);
}

/* Some of each so many layers, the lowest or the highest. */
static void
draw_layers(struct program *p, struct rnd *r, int box) {
  int plane = box_plane(p, box), step = 1 + rnd_below(r, box_layers(p, box));
  add_set(p, (struct pmade){.of = box,
                            .over = -1,
                            .step = plane * step,
                            .width = plane * (1 + rnd_below(r, step)),
                            .back = rnd_chance(r, 50)});
}

/* From another set into the box, or the other way. */
static void
draw_beside(struct program *p, struct rnd *r, int box) {
  int other = rnd_below(r, p->nsets);
  bool into = rnd_chance(r, 60);
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
boxes_draw(struct program *p, struct rnd *r, int most) {
  int box = draw_box(p, r, most), rules = 1 + rnd_below(r, 3);
  for (int k = 0; k < rules; k++) draw_rule(p, r, box);
  if (rnd_chance(r, 40))
    add_set(p, (struct pmade){.of = box,
                              .over = -1,
                              .step = 2 + rnd_below(r, 4),
                              .width = 1 + rnd_below(r, 2)});
  if (rnd_chance(r, 50)) draw_layers(p, r, box);
  if (rnd_chance(r, 60)) axes_draw(p, r, box);
  if (rnd_chance(r, 50)) draw_beside(p, r, box);
  for (int k = 0; k <= rnd_below(r, 3); k++) draw_points(p, r, box);
}
