#include "columns.h"

enum { COLUMN_PERIOD = 5 };

/* ---- the sets ----------------------------------------------------------------- */

bool
set_has_columns(const struct program *p, int s) {
  return p->made[s].over >= 0;
}

static int
column_length(const struct pmade *u, int b) {
  return u->vary ? (b % COLUMN_PERIOD + u->vary) % (u->layers + 1) : u->layers;
}

static int
column_bottom(const struct pmade *u, int b) {
  return u->vary ? (b % COLUMN_PERIOD * 3 + u->vary) % 4 : 0;
}

static int
column_first(const struct pmade *u, int b) {
  int period = 0, part = 0;
  for (int k = 0; k < COLUMN_PERIOD; k++) {
    period += column_length(u, k);
    if (k < b % COLUMN_PERIOD) part += column_length(u, k);
  }
  return b / COLUMN_PERIOD * period + part;
}

struct column
column_at(const struct program *p, int s, int b) {
  const struct pmade *u = &p->made[s];
  return (struct column){column_first(u, b), column_bottom(u, b),
                         column_length(u, b)};
}

int
column_of(const struct program *p, int s, int e, struct column *out) {
  const struct pmade *u = &p->made[s];
  int b = e / column_first(u, COLUMN_PERIOD) * COLUMN_PERIOD;
  while (column_first(u, b + 1) <= e) b++;
  *out = column_at(p, s, b);
  return b;
}

int
columns_size(const struct program *p, int s) {
  return column_first(&p->made[s], p->sets[p->made[s].over]);
}

/* ---- their regions ------------------------------------------------------------ */

/* Elements of column b that are in the region. */
static int
region_length(const struct pmade *columns, int region, int b) {
  int n = column_length(columns, b);
  return region == REGION_INTERIOR ? n - (n > 0) : n > 0;
}

int
region_size(const struct program *p, int s) {
  const struct pmade *u = &p->made[s], *columns = &p->made[u->of];
  int n = 0;
  for (int b = 0; b < p->sets[columns->over]; b++)
    n += region_length(columns, u->region, b);
  return n;
}

int
region_index(const struct program *p, int s, int e) {
  const struct pmade *u = &p->made[s], *columns = &p->made[u->of];
  int period = 0, b = 0;
  for (int k = 0; k < COLUMN_PERIOD; k++)
    period += region_length(columns, u->region, k);
  b = e / period * COLUMN_PERIOD;
  e %= period;
  for (; e >= region_length(columns, u->region, b); b++)
    e -= region_length(columns, u->region, b);
  struct column c = column_at(p, u->of, b);
  return c.first + (u->region == REGION_TOP ? c.n - 1 : e);
}

/* Is there a layer dl above element e of the columns? */
static bool
has_layer(const struct program *p, int columns, int e, int dl) {
  struct column c;
  column_of(p, columns, e, &c);
  return e + dl >= c.first && e + dl < c.first + c.n;
}

bool
layer_exists(const struct program *p, int s, int dl) {
  int columns = set_whole(p, s);
  if (!set_has_columns(p, columns)) return false;
  for (int e = 0; e < p->sets[s]; e++)
    if (!has_layer(p, columns, set_element(p, s, e), dl)) return false;
  return true;
}

/* ---- maps between columns ----------------------------------------------------- */

int
column_offset(const struct pmap *m, int j) {
  return m->a % 3 - 1 + (m->a % 2 ? j % 2 : 0);
}

/* The set to which the map between the bases leads. */
static int
base_target(const struct program *p, const struct pmap *m) {
  return m->first >= 0 ? p->maps[m->first].to
                       : p->made[set_whole(p, m->from)].over;
}

bool
column_map_meets(const struct program *p, const struct pmap *m) {
  return m->to == base_target(p, m);
}

/* Entry j of row e: its column in the base of `to`, and its layer. */
static int
base_entry(const struct program *p, const struct pmap *m, int e, int j,
           int *layer_out) {
  struct column c;
  int columns = set_whole(p, m->from);
  e = set_element(p, m->from, e);
  int b = column_of(p, columns, e, &c);
  *layer_out = e - c.first + c.bottom + column_offset(m, j);
  return m->first >= 0 ? map_entry(p, m->first, b, j) : b;
}

int
column_map_entry(const struct program *p, const struct pmap *m, int e, int j) {
  int layer, b = base_entry(p, m, e, j, &layer);
  if (column_map_meets(p, m)) return b;
  struct column c = column_at(p, m->to, b);
  return c.first + layer - c.bottom;
}

static bool
targets_exist(const struct program *p, const struct pmap *m) {
  for (int e = 0; e < p->sets[m->from]; e++)
    for (int j = 0; j < m->arity; j++) {
      int layer, b = base_entry(p, m, e, j, &layer);
      struct column c = column_at(p, m->to, b);
      if (layer < c.bottom || layer >= c.bottom + c.n) return false;
    }
  return true;
}

bool
column_map_settle(const struct program *p, struct pmap *m) {
  const struct pmap *base = m->first >= 0 ? &p->maps[m->first] : NULL;
  int columns = set_whole(p, m->from);
  if (!set_has_columns(p, columns)) return false;
  if (base && (base->csr || base->from != p->made[columns].over)) return false;
  m->arity = base ? base->arity : 1;
  if (column_map_meets(p, m)) return true;
  return set_has_columns(p, m->to) &&
         p->made[m->to].over == base_target(p, m) && targets_exist(p, m);
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
draw_columns(struct program *p, struct rnd *r, int base) {
  int most = p->sets[base] > 500 ? 3 : 6;
  return add_set(
      p, (struct pmade){.of = -1,
                        .over = base,
                        .layers = 1 + rnd_below(r, most),
                        .vary = rnd_chance(r, 40) ? 1 + rnd_below(r, 20) : 0});
}

/* The columns, or a part of them. */
static int
draw_part(const struct program *p, struct rnd *r, int columns) {
  for (int tries = 0; tries < 6; tries++) {
    int s = rnd_below(r, p->nsets);
    if (set_whole(p, s) == columns) return s;
  }
  return columns;
}

/* Several tries: not each has its layers. */
static void
draw_column_map(struct program *p, struct rnd *r, int columns, int to,
                int base) {
  for (int tries = 0; tries < 8; tries++) {
    struct pmap m = {.from = draw_part(p, r, columns),
                     .to = to,
                     .kind = MAP_COLUMNS,
                     .a = rnd_below(r, 12),
                     .first = base};
    if (!column_map_settle(p, &m)) continue;
    ADD(p->maps, p->nmaps, m);
    return;
  }
}

/* Between columns over the two sets of a map, or into the second. */
static void
draw_column_maps(struct program *p, struct rnd *r, int columns, int base) {
  int to = p->maps[base].to, other = columns;
  if (to != p->made[columns].over || rnd_chance(r, 50))
    other = draw_columns(p, r, to);
  draw_column_map(p, r, columns, other, base);
  if (rnd_chance(r, 50)) draw_column_map(p, r, columns, to, base);
  if (rnd_chance(r, 50)) draw_column_map(p, r, columns, other, base);
}

void
columns_draw(struct program *p, struct rnd *r) {
  int base = -1, on = rnd_below(r, p->nsets);
  for (int tries = 0; tries < 4 && p->nmaps && base < 0; tries++) {
    int k = rnd_below(r, p->nmaps);
    if (!p->maps[k].csr) base = k, on = p->maps[k].from;
  }
  int columns = draw_columns(p, r, on);
  for (int region = REGION_BOTTOM; region <= REGION_INTERIOR; region++)
    if (rnd_chance(r, 60))
      add_set(p, (struct pmade){.of = columns, .over = -1, .region = region});
  if (rnd_chance(r, 30))
    add_set(p, (struct pmade){.of = draw_part(p, r, columns),
                              .over = -1,
                              .step = 3,
                              .width = 1 + rnd_below(r, 3)});
  if (rnd_chance(r, 60)) draw_column_map(p, r, columns, on, -1);
  if (rnd_chance(r, 60)) draw_column_map(p, r, columns, columns, -1);
  if (base >= 0) draw_column_maps(p, r, columns, base);
}
