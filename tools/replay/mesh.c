/* Made-up meshes: tables of maps with the attributes of a trace.
 *
 * Problem   Passes and plans depend on what is known of a map: is every target
 *           named (onto), none twice (injective), some twice in a row (repeats)?
 *           A replay has to give maps of which the same is true, at any size.
 *
 * Idea      Row e begins at the e-th of n_from evenly spread targets, entry i is
 *           the i-th after it, counted around. The range that the targets are
 *           taken from decides the rest: all of them for onto, all but one if not;
 *           fewer than there are entries if some must be named twice. An
 *           injective map numbers its entries. `repeats` makes the last row name
 *           one target twice.
 *
 * Example   edges -> cells x2 onto, 6 edges, 4 cells:
 *           0 1 | 0 1 | 1 2 | 2 3 | 2 3 | 3 0
 *
 * Cost      O(entries), and a bit per target to check the result.
 *
 * Limits    Neighbours have neighbouring numbers: a well ordered mesh in one
 *           dimension, whatever the recorded one was, with stretches of its own.
 *           Some attributes have no table at small sizes; that is an error.
 */
#include "tools/replay/replay.h"

#include <math.h>
#include <stdlib.h>

/* ---- attributes ---------------------------------------------------------- */

/* What a table proves about itself, as the library sees it: `seen` has the last row
 * that names a target, from 1. */
static uint32_t
table_flags(const idx_l *table, idx_g from, idx_g to, uint32_t arity) {
  idx_g *seen = mem_alloc((size_t)to + 1, sizeof *seen);
  uint32_t flags = IR_MAP_INJECTIVE;
  idx_g hit = 0;
  for (idx_g j = 0; j < from * arity; j++) {
    idx_g *last = &seen[table[j]], row = j / arity + 1;
    if (*last == row) flags |= IR_MAP_REPEATS;
    if (*last) flags &= ~(uint32_t)IR_MAP_INJECTIVE;
    hit += !*last;
    *last = row;
  }
  free(seen);
  return flags | (hit == to ? IR_MAP_ONTO : 0);
}

/* Targets [0, range) are named. */
static idx_g
table_range(uint32_t flags, idx_g entries, idx_g to) {
  if (flags & (IR_MAP_ONTO | IR_MAP_INJECTIVE)) return to;
  return to - 1 < entries - 1 ? to - 1 : entries - 1;
}

static void
table_fill(idx_l *table, const struct ir_map *m, uint32_t width, idx_g from,
           idx_g to) {
  idx_g entries = from * width;
  idx_g range = table_range(m->flags, entries, to);
  for (idx_g e = 0; e < from; e++)
    for (idx_g i = 0; i < width; i++) {
      idx_g j = e * width + i;
      table[j] = m->flags & IR_MAP_INJECTIVE
                     ? (idx_l)(j < to ? j : to - 1)
                     : (idx_l)((e * range / from + i) % range);
    }
  if (m->flags & IR_MAP_REPEATS && width > 1 && from)
    table[entries - 1] = table[entries - width];
}

/* Entries of each row: of a map whose rows have any length as many as arguments
 * name. */
static uint32_t
map_width(const struct ir_trace *t, ir_ref map) {
  uint32_t width = t->maps[map].arity;
  if (t->maps[map].rows != IR_ROWS_CSR) return width;
  for (ir_ref i = 0; i < t->nnodes; i++)
    for (uint32_t a = 0; a < t->nodes[i].nargs; a++) {
      const struct ir_arg *arg = &ir_args(t, &t->nodes[i])[a];
      uint32_t end = arg->entry + ir_arg_count(arg);
      if (arg->map == map && end > width) width = end;
    }
  return width ? width : 1;
}

static status
table_make(const struct ir_map *m, uint32_t width, idx_g from, idx_g to,
           idx_l **out) {
  idx_g entries = from * width;
  if (m->rows && m->rows != IR_ROWS_CSR)
    FAIL(ERR_ARG, "relation %%%s: no map of a program", m->name);
  if (entries > INT32_MAX)
    FAIL(ERR_ARG, "map %%%s: expected at most %d entries, found %lld", m->name,
         INT32_MAX, (long long)entries);
  uint32_t flags = m->flags & ~(uint32_t)IR_MAP_COLUMN; /* as if it were none */
  bool possible = !entries || table_range(flags, entries, to) > 0;
  *out = mem_alloc((size_t)entries + 1, sizeof **out);
  if (possible) table_fill(*out, m, width, from, to);
  if (possible && table_flags(*out, from, to, width) == flags) return OK;
  FAIL(ERR_ARG,
       "map %%%s: %lld rows of %u to %lld targets cannot be%s%s%s as the trace "
       "says; take another --scale",
       m->name, (long long)from, width, (long long)to,
       m->flags & IR_MAP_ONTO ? " onto" : " not onto",
       m->flags & IR_MAP_INJECTIVE ? " and injective" : "",
       m->flags & IR_MAP_REPEATS ? " with repeats" : "");
}

/* ---- the whole mesh ------------------------------------------------------ */

static status
set_size(const struct ir_set *s, double scale, idx_l *out) {
  double n = round((double)s->n * scale);
  if (s->n && n < 1) n = 1;
  if (n > INT32_MAX)
    FAIL(ERR_ARG, "set %%%s: expected at most %d elements, found %.0f", s->name,
         INT32_MAX, n);
  *out = (idx_l)n;
  return OK;
}

status
replay_mesh_make(const struct ir_trace *t, double scale,
                 struct replay_mesh *out) {
  out->n = mem_alloc(t->nsets + 1, sizeof *out->n);
  out->tables = mem_alloc(t->nmaps + 1, sizeof *out->tables);
  out->width = mem_alloc(t->nmaps + 1, sizeof *out->width);
  for (ir_ref s = 0; s < t->nsets; s++)
    TRY(set_size(&t->sets[s], scale, &out->n[s]));
  for (ir_ref i = 0; i < t->nmaps; i++) {
    const struct ir_map *m = &t->maps[i];
    out->width[i] = map_width(t, i);
    TRY(table_make(m, out->width[i], out->n[m->from], out->n[m->to],
                   &out->tables[i]));
  }
  return OK;
}

void
replay_mesh_clear(const struct ir_trace *t, struct replay_mesh *m) {
  for (ir_ref i = 0; m->tables && i < t->nmaps; i++) free(m->tables[i]);
  free(m->tables);
  free(m->width);
  free(m->n);
  *m = (struct replay_mesh){0};
}
