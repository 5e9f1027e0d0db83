/* Other layers of an element's column (op2_arg_dat_layer): hidden maps, as the
 * inclusion of a subset is one, from a set of columns or a subset of it to all
 * of the columns. No two elements have one target, so that loops write through
 * them without colours. They are made at the first call that asks, over ranks
 * by all. */
#include "frontend/columns.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/str.h"
#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>

static const struct fe_set *
whole_of(const struct fe_set *s) {
  return s->whole ? s->whole : s;
}

static status
shift_rows(const struct fe_set *from, const struct fe_shift *s, idx_g *out) {
  bool parts = fe_in_parts();
  const struct fe_set *to = whole_of(from);
  idx_g first = parts ? to->part->start[fe_ranks.rank] : 0;
  struct fe_layer at = fe_layer_first(to->columns);
  for (idx_l i = 0; i < fe_map_rows(&from->pub); i++) {
    idx_l e = from->whole ? from->list[i] : i;
    fe_layer_seek(&at, e);
    idx_g t = (idx_g)e + s->layers;
    bool there = t >= at.in.first && t < fe_column_end(&at.in);
    if (!there && s->scan) t = e;
    if (!there && !s->scan)
      FAIL(ERR_ARG,
           "layer %+d: expected a loop over a region where all elements have "
           "it, found set \"%s\", whose element %d is in layer %d of %d to %d",
           s->layers, from->pub.name, i, at.l, at.in.bottom,
           at.in.bottom + at.in.n - 1);
    out[i] = first + t;
  }
  return OK;
}

static status
shift_make(struct fe_set *from, struct fe_shift *s) {
  static const char api[] = "op2_arg_dat_layer";
  size_t n = (size_t)fe_map_rows(&from->pub);
  idx_g *rows = mem_alloc(n + 1, sizeof *rows);
  status st = shift_rows(from, s, rows);
  st = fe_agree(api, fe_all.nmaps, st);
  if (st != OK) {
    free(rows);
    return st;
  }
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_%s_%d", from->pub.name, s->layers > 0 ? "up" : "down",
             s->layers > 0 ? s->layers : -s->layers);
  return fe_map_of_rows(rows,
                        &(struct fe_map_args){.api = api,
                                              .from = &from->pub,
                                              .to =
                                                  (op_set)&whole_of(from)->pub,
                                              .dim = 1,
                                              .name = name.s,
                                              .made = true,
                                              .hidden = true,
                                              .column = true,
                                              .included = !s->scan},
                        &s->map);
}

static struct fe_map *
shift_find(const struct fe_set *from, const struct fe_shift *s) {
  for (uint32_t k = 0; k < from->nshifts; k++)
    if (from->shifts[k].layers == s->layers && from->shifts[k].scan == s->scan)
      return from->shifts[k].map;
  return NULL;
}

static status
shift_get(struct fe_set *from, struct fe_shift s, struct fe_map **out) {
  assert(whole_of(from)->columns && s.layers);
  *out = shift_find(from, &s);
  if (*out) return OK;
  TRY(fe_agree_turn("op2_arg_dat_layer")); /* one may look at a dat */
  *out = shift_find(from, &s);
  if (*out) return OK;
  TRY(shift_make(from, &s));
  VEC_PUSH(from->shifts, from->nshifts, from->capshifts, s);
  *out = s.map;
  return OK;
}

status
fe_map_shift(struct fe_set *from, int layers, struct fe_map **out) {
  return shift_get(from, (struct fe_shift){.layers = layers}, out);
}

status
fe_map_shift_within(struct fe_set *from, int layers, struct fe_map **out) {
  return shift_get(from, (struct fe_shift){.layers = layers, .scan = true},
                   out);
}
