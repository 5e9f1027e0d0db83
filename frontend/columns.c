/* Columns: which elements they are. */
#include "frontend/box.h"
#include "frontend/columns.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>

struct fe_column
fe_column_at(const struct fe_columns *c, idx_l b) {
  if (c->layers >= 0)
    return (struct fe_column){(idx_g)b * c->layers, 0, c->layers};
  return (struct fe_column){c->first[b], c->bottom[b],
                            c->first[b + 1] - c->first[b]};
}

const struct fe_set *
fe_columns_base(const struct fe_set *s) {
  return s->columns ? s->columns->base : NULL;
}

idx_l
fe_column_length(const struct fe_set *s, idx_l b) {
  return fe_column_at(s->columns, b).n;
}

struct rt_column_layers
fe_columns_alike(const struct fe_set *s) {
  struct rt_column_layers x = {0};
  if (s->box) {
    x.each = 1;
    x.apart = fe_box_plane_size(s->box);
    x.height = x.apart ? fe_box_layers(s->box) : 0;
  } else if (s->columns && s->columns->layers > 0) {
    x.each = x.height = s->columns->layers;
    x.apart = 1;
  }
  return x;
}

bool
fe_columns_lie_by(const struct fe_set *s, const struct fe_map *m) {
  return s->columns && s->columns->onto == m;
}

struct fe_layer
fe_layer_first(const struct fe_columns *c) {
  return (struct fe_layer){.columns = c, .b = -1};
}

void
fe_layer_seek(struct fe_layer *at, idx_l e) {
  const struct fe_columns *c = at->columns;
  assert(at->b < 0 || e >= at->in.first);
  if (c->layers >= 0) {
    at->b = e / c->layers;
    at->in = fe_column_at(c, at->b);
  }
  while (at->b < 0 || e >= fe_column_end(&at->in))
    at->in = fe_column_at(c, ++at->b);
  at->l = at->in.bottom + (idx_l)(e - at->in.first);
}

/* Of this rank's declared part, which begins at these numbers. */
struct declared {
  const struct fe_columns *columns;
  idx_g base, element;
};

static void
answer_column(void *user, idx_g b, void *out) {
  const struct declared *d = user;
  struct fe_column c = fe_column_at(d->columns, (idx_l)(b - d->base));
  c.first += d->element;
  *(struct fe_column *)out = c;
}

status
fe_columns_ask(const struct fe_set *s, size_t n, const idx_g *at,
               struct fe_column *out) {
  const struct fe_columns *c = s->columns;
  bool parts = fe_in_parts();
  if (!parts || c->layers >= 0) {
    struct fe_column alike = {0, 0, c->layers};
    for (size_t i = 0; i < n; i++) {
      alike.first = at[i] * c->layers;
      out[i] = c->layers >= 0 ? alike : fe_column_at(c, (idx_l)at[i]);
    }
    return OK;
  }
  const struct rt_part *base = c->base->part;
  struct declared d = {c, base->start[fe_ranks.rank],
                       s->part->start[fe_ranks.rank]};
  SCOPED int *home = mem_alloc(n + 1, sizeof *home);
  for (size_t i = 0; i < n; i++)
    home[i] = rt_part_home(base, fe_ranks.size, at[i]);
  return rt_ask(fe_ranks.comm, n, home, at, answer_column, &d, sizeof *out,
                out);
}

void
fe_columns_free(struct fe_columns *c) {
  if (!c) return;
  free(c->first);
  free(c->bottom);
  free(c);
}
