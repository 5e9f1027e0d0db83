#include "columns.h"
#include "boxes.h"
#include "levels.h"
#include "matrices.h"

#include <stdlib.h>
#include <string.h>

struct program *
program_new(void) {
  return get_memory(1, sizeof(struct program));
}

/* Arrays have room as `grow` expects. */
static void *
copy_array(const void *from, int n, size_t size) {
  size_t room = 1;
  while (room < (size_t)n) room *= 2;
  void *to = get_memory(room, size);
  if (n) memcpy(to, from, (size_t)n * size);
  return to;
}

void
op_copy(struct op *to, const struct op *from) {
  *to = *from;
  to->args = copy_array(from->args, from->nargs, sizeof *from->args);
  to->levels = copy_array(from->levels, from->nlevels, sizeof *from->levels);
}

void
op_clear(struct op *o) {
  free(o->args);
  free(o->levels);
}

const struct row *
op_row(const struct op *o, int k) {
  if (o->kind == DO_LEVELS) return k < o->nlevels ? o->levels[k].row : NULL;
  return k ? NULL : o->row;
}

struct program *
program_clone(const struct program *p) {
  struct program *c = program_new();
  *c = *p;
  c->sets = copy_array(p->sets, p->nsets, sizeof *p->sets);
  c->made = copy_array(p->made, p->nmade, sizeof *p->made);
  c->maps = copy_array(p->maps, p->nmaps, sizeof *p->maps);
  c->sparsities =
      copy_array(p->sparsities, p->nsparsities, sizeof *p->sparsities);
  for (int k = 0; k < p->nsparsities; k++)
    c->sparsities[k].keys = copy_array(p->sparsities[k].keys,
                                       p->sparsities[k].nkeys, sizeof(int64_t));
  c->dats = copy_array(p->dats, p->ndats, sizeof *p->dats);
  c->gbls = copy_array(p->gbls, p->ngbls, sizeof *p->gbls);
  c->axes = copy_array(p->axes, p->naxes, sizeof *p->axes);
  c->ops = copy_array(p->ops, p->nops, sizeof *p->ops);
  for (int k = 0; k < p->nops; k++) op_copy(&c->ops[k], &p->ops[k]);
  return c;
}

void
program_free(struct program *p) {
  for (int k = 0; k < p->nops; k++) op_clear(&p->ops[k]);
  free(p->sets);
  free(p->made);
  free(p->maps);
  for (int k = 0; k < p->nsparsities; k++) free(p->sparsities[k].keys);
  free(p->sparsities);
  free(p->dats);
  free(p->gbls);
  free(p->axes);
  free(p->ops);
  free(p);
}

void
program_drop(struct program *p, int k) {
  op_clear(&p->ops[k]);
  memmove(&p->ops[k], &p->ops[k + 1],
          (size_t)(p->nops - k - 1) * sizeof *p->ops);
  p->nops--;
}

/* Root of what an argument touches, globals behind the dats; -1: nothing that
 * another loop could change. */
static int
arg_touches(const struct program *p, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  if (o->args[a].off || o->args[a].obj < 0) return -1;
  if (m->kind == P_DAT || m->kind == P_VECTOR)
    return dat_root(p, o->args[a].obj);
  return p->ndats + gbl_root(p, o->args[a].obj);
}

/* May two neighbours change places without anybody noticing? */
static bool
ops_independent(const struct program *p, const struct op *x,
                const struct op *y) {
  if (x->kind != DO_LOOP || y->kind != DO_LOOP) return false;
  if (x->row->effect || y->row->effect) return false;
  for (int a = 0; a < x->nargs; a++)
    for (int b = 0; b < y->nargs; b++) {
      if (arg_is_raw(p, x, a) || arg_is_raw(p, y, b)) return false;
      int at = arg_touches(p, x, a);
      bool writes =
          param_writes(&x->row->params[a]) || param_writes(&y->row->params[b]);
      if (at >= 0 && at == arg_touches(p, y, b) && writes) return false;
    }
  return true;
}

struct program *
program_permute(const struct program *p) {
  struct program *c = program_clone(p);
  struct rnd r = {p->seed};
  for (int round = 0; round < 4; round++)
    for (int k = 0; k + 1 < c->nops; k++) {
      if (!ops_independent(c, &c->ops[k], &c->ops[k + 1])) continue;
      if (rnd_chance(&r, 50)) continue;
      struct op x = c->ops[k];
      c->ops[k] = c->ops[k + 1];
      c->ops[k + 1] = x;
    }
  return c;
}

/* ---- subsets, and maps made from maps --------------------------------------- */

static int
least(int a, int b) {
  return a < b ? a : b;
}

int
set_whole(const struct program *p, int s) {
  while (p->made[s].of >= 0) s = p->made[s].of;
  return s;
}

bool
set_is_made(const struct program *p, int s) {
  const struct pmade *u = &p->made[s];
  return u->of >= 0 || u->over >= 0 || u->nonzeros || u->ndim || u->points;
}

bool
set_reaches(const struct program *p, int s, int to) {
  int whole = set_whole(p, s);
  return s == to || whole == to || points_around(p, to, whole);
}

int
subset_index(const struct program *p, int s, int e) {
  const struct pmade *u = &p->made[s];
  if (u->region) return region_index(p, s, e);
  int i = u->back ? p->sets[s] - 1 - e : e;
  int at = i / u->width * u->step + i % u->width;
  return u->back ? p->sets[u->of] - 1 - at : at;
}

int
set_element(const struct program *p, int s, int e) {
  for (; p->made[s].of >= 0; s = p->made[s].of) e = subset_index(p, s, e);
  return e;
}

int
permuted_entry(const struct pmap *m, int i) {
  return (i + m->a) % m->arity;
}

/* A composed map begins at the second's set, or at a subset of it. */
static bool
map_settle(const struct program *p, struct pmap *m) {
  if (m->kind < MAP_KINDS) return true;
  if (map_is_rule(m)) return true;
  if (m->kind == MAP_LOCAL) return local_map_settle(p, m);
  if (m->kind == MAP_COLUMNS) return column_map_settle(p, m);
  const struct pmap *a = &p->maps[m->first], *b = &p->maps[m->then];
  if (!map_can_make(p, a)) return false;
  if (m->kind == MAP_COMPOSED && !map_can_make(p, b)) return false;
  m->from = a->from;
  m->to = m->kind == MAP_COMPOSED ? b->to : a->to;
  m->arity = m->kind == MAP_COMPOSED ? a->arity * b->arity : a->arity;
  return m->kind != MAP_COMPOSED || set_reaches(p, a->to, b->from);
}

/* Of a set that others make. */
static int
set_size(const struct program *p, int s) {
  const struct pmade *u = &p->made[s];
  if (u->nonzeros) return p->sets[s]; /* after the maps */
  if (u->ndim || u->points) return box_size(p, s);
  if (u->over >= 0) return columns_size(p, s);
  if (u->region) return region_size(p, s);
  int n = p->sets[u->of];
  return n / u->step * u->width + least(n % u->step, u->width);
}

bool
program_settle(struct program *p) {
  bool ok = true;
  boxes_take_shape(p);
  for (int k = 0; k < p->nsets; k++)
    if (set_is_made(p, k)) p->sets[k] = set_size(p, k);
  for (int k = 0; k < p->nmaps; k++) ok &= map_settle(p, &p->maps[k]);
  return ok && boxes_settle(p) && axes_settle(p) && matrices_settle(p);
}

static int
composed_entry(const struct program *p, const struct pmap *m, int e, int j) {
  const struct pmap *a = &p->maps[m->first], *b = &p->maps[m->then];
  int t = map_entry(p, m->first, e, j / b->arity);
  if (a->to != b->from) t = set_element(p, a->to, t);
  return map_entry(p, m->then, t, j % b->arity);
}

/* Blocks have no room for rows of any length, and local matrices are blocks. */
bool
map_serves(const struct pmap *map, const struct param *m) {
  if (map->kind == MAP_LOCAL) return m->packed && m->count == map->arity;
  return !m->packed || !map->csr;
}

int
map_length(const struct pmap *m, int e) {
  return m->arity + (m->csr ? (e + m->a) % 3 : 0);
}

/* How many entries the rows before e have. */
static int
entries_before(const struct pmap *m, int e) {
  int n = (e - e % 3) * (m->arity + m->csr); /* 3 more in each 3 rows */
  for (int k = 0; k < e % 3; k++) n += map_length(m, k);
  return n;
}

int
map_longest(const struct pmap *m) {
  return m->arity + (m->csr ? 2 : 0);
}

int
map_entry(const struct program *p, int map, int e, int j) {
  const struct pmap *m = &p->maps[map];
  int n = p->sets[m->to];
  switch (m->kind) {
  case MAP_COMPOSED: return composed_entry(p, m, e, j);
  case MAP_RULE:
  case MAP_GRID:
  case MAP_TABLE: return rule_target(p, m, NULL, e, j, m->to);
  case MAP_LOCAL: return local_map_entry(p, m, e, j);
  case MAP_COLUMNS: return column_map_entry(p, m, e, j);
  case MAP_PERMUTED: return map_entry(p, m->first, e, permuted_entry(m, j));
  case MAP_SHIFT: return (e + m->a + j) % n;
  case MAP_SPREAD: /* of csr also 0, 1, 2, ..., where there are so many */
    return (entries_before(m, e) + j + (m->csr && m->a % 2 ? 0 : m->a)) % n;
  case MAP_PARTS: return (e / (m->a % 7 + 2) + j) % n;
  case MAP_ROWS: return (e + m->a) % n;
  default:
    return (int)((((unsigned)(e * 31 + j * 17 + m->a) * 2654435761u) >> 7) %
                 (unsigned)n);
  }
}

union cell
value_of(char type, int fill, int i) {
  type = type_lane(type, i);
  const struct type_row *t = type_row(type);
  int m = fill % 41 + 3, v = (i * (fill % 23 + 1) + fill % 19) % m;
  if (!fill) return t->real ? (union cell){.r = 0} : (union cell){.i = 0};
  if (t->is_signed) v -= m / 2;
  if (type == 'r') return (union cell){.r = (v + 0.5) / 7};
  if (type == 'q') return (union cell){.r = (float)((v + 0.5) / 7)};
  return (union cell){.i = type_wrap(type, v)};
}

void
fetch_bounds(const struct op *o, int n, int *from_out, int *to_out) {
  *from_out = n ? o->x % n : 0;
  *to_out = n ? *from_out + o->y % (n - *from_out) + 1 : 0;
}

int
dat_root(const struct program *p, int dat) {
  return p->dats[dat].over >= 0 ? p->dats[dat].over : dat;
}

int
gbl_root(const struct program *p, int gbl) {
  return p->gbls[gbl].over >= 0 ? p->gbls[gbl].over : gbl;
}

int
gbl_room(const struct program *p, int gbl) {
  int room = p->gbls[gbl].dim;
  for (int k = 0; k < p->ngbls; k++) {
    int end = p->gbls[k].at + p->gbls[k].dim;
    if (p->gbls[k].over == gbl && end > room) room = end;
  }
  return room;
}

bool
gbls_meet(const struct program *p, int x, int y) {
  const struct pgbl *a = &p->gbls[x], *b = &p->gbls[y];
  return gbl_root(p, x) == gbl_root(p, y) && a->at < b->at + b->dim &&
         b->at < a->at + a->dim;
}

bool
write_is_blind(const struct op *o) {
  return o->kind == DO_PUT || (o->kind == DO_UPLOAD && o->y <= 1);
}

bool
arg_is_raw(const struct program *p, const struct op *o, int a) {
  const struct param *m = &o->row->params[a];
  if (o->args[a].off) return false;
  if (m->kind == P_INFO) return true;
  return m->kind == P_GBL && m->access != 'R' && m->access != 'K' &&
         !p->gbls[o->args[a].obj].handle;
}

bool
op_shares_global(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++)
    for (int b = 0; b < o->nargs; b++) {
      const struct param *x = &o->row->params[a], *y = &o->row->params[b];
      if (a != b && x->kind == P_GBL && y->kind == P_GBL && !o->args[a].off &&
          !o->args[b].off && gbls_meet(p, o->args[a].obj, o->args[b].obj) &&
          param_writes(x))
        return true;
    }
  return false;
}
