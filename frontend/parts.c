/* What ranks declare: parts of sets, rows of maps. */
#include "frontend/columns.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "rt/ranks/comm.h"
#include "rt/ranks/dist.h"

#include <stdlib.h>

/* The set by whose parts those of this one go: of a subset its whole set, of
 * columns their base; NULL: it goes by itself. */
static const struct fe_set *
leader(const struct fe_set *s) {
  return s->columns ? s->columns->base : s->whole;
}

/* By element of the part from `first` on: its number there. */
static idx_l
led(const struct fe_set *s, struct fe_layer *at, idx_l e) {
  if (!s->columns) return s->list[e];
  fe_layer_seek(at, e);
  return at->b;
}

/* Where each rank declares everything: the part of one that follows is that of
 * its leader. */
static void
starts_follow(const struct fe_set *s, idx_l n, int64_t *start) {
  struct fe_layer at = fe_layer_first(s->columns);
  const idx_g *whole = leader(s)->part->start;
  idx_l e = 0;
  for (int r = 0; r < fe_ranks.size; r++) {
    while (e < n && led(s, &at, e) < whole[r]) e++;
    start[r] = e;
  }
  start[fe_ranks.size] = n;
}

/* Elements go where those of the leader go that they belong to. */
static void
owners_follow(const struct fe_set *s) {
  struct fe_layer at = fe_layer_first(s->columns);
  const struct rt_part *whole = leader(s)->part;
  struct rt_part *p = s->part;
  idx_l first = fe_ranks.whole ? (idx_l)p->start[fe_ranks.rank] : 0;
  idx_l from = fe_ranks.whole ? (idx_l)whole->start[fe_ranks.rank] : 0;
  if (!whole->to) return;
  p->to = mem_alloc((size_t)p->declared + 1, sizeof *p->to);
  for (idx_l e = 0; e < p->declared; e++)
    p->to[e] = whole->to[led(s, &at, first + e) - from];
}

status
fe_ranks_set(struct fe_set *s) {
  struct rt_part *p = s->part = mem_alloc(1, sizeof *s->part);
  int64_t ranks = fe_ranks.size, mine = s->pub.size;
  int64_t *start = mem_alloc((size_t)ranks + 1, sizeof *start);
  p->start = start;
  if (fe_ranks.whole) {
    for (int64_t r = 0; r <= ranks; r++) start[r] = mine * r / ranks;
    if (leader(s)) starts_follow(s, (idx_l)mine, start);
  } else {
    TRY(rt_allgather(fe_ranks.comm, &mine, sizeof mine, start + 1));
    for (int64_t r = 0; r < ranks; r++) start[r + 1] += start[r];
  }
  p->total = start[ranks];
  p->declared = (idx_l)(start[fe_ranks.rank + 1] - start[fe_ranks.rank]);
  if (leader(s)) owners_follow(s);
  return OK;
}

idx_l
fe_map_rows(const struct op_set_core *from) {
  const struct fe_set *s = (const struct fe_set *)from;
  return fe_in_parts() ? s->part->declared : from->size;
}

void
fe_set_drop(struct fe_set *s) {
  if (s->part) {
    free((void *)s->part->start);
    rt_part_clear(s->part);
    free(s->part);
  }
  rt_order_free((struct rt_order *)s->rt.order);
  free(s->list);
  free(s->shifts);
  free(s->scans);
  fe_columns_free(s->columns);
  free(s->ghosts);
  rt_blocks_free(s->blocks);
  s->part = s->rt.part = NULL;
  s->rt.order = NULL;
  s->list = NULL;
  s->columns = NULL;
  s->ghosts = NULL;
  s->blocks = NULL;
  s->shifts = NULL;
  s->nshifts = s->capshifts = 0;
  s->scans = NULL;
  s->nscans = s->capscans = 0;
}

struct fe_set *
fe_set_new(idx_l n, const char *name) {
  struct fe_set *s = mem_alloc(1, sizeof *s);
  s->pub.index = (int)fe_all.nsets;
  s->pub.size = s->pub.core_size = n;
  s->pub.name = fe_text_copy(name);
  s->rt = (struct rt_set){.n = n, .name = s->pub.name};
  return s;
}

status
fe_set_part(const char *api, struct fe_set *s, status st) {
  TRY(fe_agree_turn(api));
  TRY(fe_agree(api, (uint64_t)fe_all.nsets, st));
  return fe_ranks_set(s);
}

void
fe_set_free(struct fe_set *s) {
  fe_set_drop(s);
  free((char *)s->pub.name);
  free(s);
}

idx_g
fe_set_total(const struct fe_set *s) {
  return s->part->total;
}

idx_g
fe_set_number(const struct fe_set *s, idx_l row) {
  const struct rt_part *p = s->rt.part;
  if (!p || fe_ranks.whole) return (idx_g)row + fe.base_index;
  idx_l e = row < p->owned ? p->sorted[row] : row;
  return p->global[e] + fe.base_index;
}

const idx_g *
fe_set_most(const struct fe_set *s) {
  return s->part->most;
}

uint32_t
fe_set_deepest(const struct fe_set *s) {
  return (uint32_t)s->part->deepest;
}

status
fe_ranks_unmoved(op_set from, const char *name) {
  const struct fe_set *s = (struct fe_set *)from;
  if (!s->rt.part || !s->part->moved || fe_ranks.whole) return OK;
  FAIL(ERR_STATE,
       "map \"%s\": expected maps before op_partition, which moves rows of set "
       "\"%s\"; found it done",
       name, from->name);
}

status
fe_ranks_check_entry(const char *api, const char *name, op_set to_handle,
                     idx_g row, uint32_t i, idx_g entry, int base) {
  const struct fe_set *to = (struct fe_set *)to_handle;
  if (entry >= 0 && entry < to->part->total) return OK;
  FAIL(ERR_ARG,
       "%s \"%s\": entry %u of element %lld: expected %d to %lld (set \"%s\", "
       "all ranks), found %lld%s",
       api, name, i, (long long)row, base,
       (long long)to->part->total - 1 + base, to->pub.name,
       (long long)entry + base,
       entry == to->part->total && !base ? FE_FROM_ONE : "");
}

/* Row e of those that the program gave, checked; at `out`, unless it is NULL,
 * with -1 behind it. */
static status
row_take(const struct fe_map_args *a, idx_l e, idx_g *out) {
  size_t lo = a->start ? (size_t)a->start[e] : (size_t)e * (size_t)a->dim;
  size_t n = a->start ? (size_t)a->start[e + 1] - lo : (size_t)a->dim;
  for (size_t i = 0; i < n; i++) {
    idx_g v = (a->table32 ? a->table32[lo + i] : a->table64[lo + i]) - a->base;
    TRY(fe_ranks_check_entry(a->api, a->name, a->to, e, (uint32_t)i, v,
                             a->base));
    if (out) out[i] = v;
  }
  for (size_t i = n; out && i < (size_t)a->dim; i++) out[i] = -1;
  return OK;
}

status
fe_ranks_map(struct fe_map *m, const struct fe_map_args *a) {
  const struct fe_set *from = (struct fe_set *)m->pub.from;
  size_t dim = (size_t)a->dim;
  idx_g rows = from->part->declared;
  idx_g first = fe_ranks.whole ? from->part->start[fe_ranks.rank] : 0;
  m->declared = mem_alloc((size_t)rows * dim + 1, sizeof *m->declared);
  for (idx_l e = 0; e < fe_map_rows(m->pub.from); e++) {
    bool mine = e >= first && e < first + rows;
    TRY(row_take(a, e, mine ? m->declared + (size_t)(e - first) * dim : NULL));
  }
  fe_whole_note(m);
  return OK;
}

void
fe_ranks_map_clear(struct fe_map *m) {
  free(m->declared);
  m->declared = NULL;
}
