/* Drawing programs.
 *
 * Problem. A program must be valid, and interesting: loops that share dats and
 * sets, so that there is something to fuse, to rename and to order.
 *
 * Idea. Each program has a palette of two or three element types and few dats,
 * so that kernels match often. An operation is drawn, tried in the interpreter,
 * and kept if it is allowed there: the rules are in one place. Now and then the
 * last operations are repeated, as a time loop would, so that regions and programs
 * come from caches.
 */
#include "gen.h"

#include "boxes.h"
#include "columns.h"
#include "grids.h"
#include "levels.h"
#include "matrices.h"
#include "scans.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct gen {
  struct rnd r;
  struct program *p;
  struct world *w;
  const struct row **rows; /* those that this palette can use */
  int nrows, site, set;
  int hot;      /* percent of loops over the set of the loop before */
  int far;      /* percent of arguments through a map, where both ways exist */
  int quiet;    /* percent of operations between loops that are left out */
  int handles;  /* percent of globals that are handles */
  int last;     /* global that the loop's last argument took; -1 */
  int overlays; /* percent of dats */
  int shared;   /* percent of raw globals that lie in another's memory */
  enum scan_order order; /* of the loop for which arguments are drawn */
};

/* ---- declarations ----------------------------------------------------------- */

static int
draw_size(struct gen *g) {
  int kind = rnd_below(&g->r, 100);
  if (kind < 4) return 0;
  if (kind < 10) return 1;
  if (kind < 55) return 2 + rnd_below(&g->r, 40);
  if (kind < 78) return 40 + rnd_below(&g->r, 300);
  return 1000 + rnd_below(&g->r, 3000); /* several threads */
}

/* A subset of any set, also of a subset. */
static void
draw_subset(struct gen *g, int of) {
  struct program *p = g->p;
  struct pmade u = {.of = of,
                    .over = -1,
                    .step = 1 + rnd_below(&g->r, 9),
                    .back = rnd_chance(&g->r, 50)};
  u.width = rnd_chance(&g->r, 6) ? 0 : 1 + rnd_below(&g->r, u.step);
  ADD(p->sets, p->nsets, 0);
  ADD(p->made, p->nmade, u);
  program_settle(p);
}

/* A map made of others, where some fit together. */
static void
draw_made_map(struct program *p, struct rnd *r) {
  for (int tries = 0; tries < 6 && p->nmaps; tries++) {
    struct pmap m = {.kind = rnd_chance(r, 65) ? MAP_COMPOSED : MAP_PERMUTED,
                     .a = rnd_below(r, 8),
                     .first = rnd_below(r, p->nmaps),
                     .then = rnd_below(r, p->nmaps)};
    const struct pmap *a = &p->maps[m.first], *b = &p->maps[m.then];
    bool fits = set_reaches(p, a->to, b->from) && a->arity * b->arity <= 12;
    if (m.kind == MAP_COMPOSED && (!fits || b->csr)) continue;
    if (!map_can_make(p, a)) continue;
    if (m.kind == MAP_COMPOSED && !map_can_make(p, b)) continue;
    if (a->csr) continue; /* entries are not where the formulas have them */
    ADD(p->maps, p->nmaps, m);
    program_settle(p);
    return;
  }
}

static void
draw_sets_maps(struct gen *g) {
  struct program *p = g->p;
  int nsets = 1 + rnd_below(&g->r, 3), nmaps = 1 + rnd_below(&g->r, 4);
  for (int k = 0; k < nsets; k++) {
    ADD(p->sets, p->nsets, draw_size(g));
    ADD(p->made, p->nmade, ((struct pmade){.of = -1, .over = -1}));
  }
  while (rnd_chance(&g->r, 25)) draw_subset(g, rnd_below(&g->r, nsets++));
  for (int k = 0; k < nmaps; k++) {
    struct pmap m = {.from = rnd_below(&g->r, nsets),
                     .to = rnd_below(&g->r, nsets),
                     .arity =
                         1 + rnd_below(&g->r, rnd_chance(&g->r, 8) ? 8 : 4),
                     .kind = (enum map_kind)rnd_below(&g->r, MAP_KINDS),
                     .a = rnd_below(&g->r, 50),
                     .csr = rnd_chance(&g->r, 20)};
    if (k && p->nmaps && rnd_chance(&g->r, 30)) { /* beside the last one */
      m.from = p->maps[p->nmaps - 1].from;
      m.to = p->maps[p->nmaps - 1].to;
      if (p->maps[p->nmaps - 1].csr && rnd_chance(&g->r, 60)) { /* its starts */
        m.csr = true;
        m.arity = p->maps[p->nmaps - 1].arity;
        m.a = p->maps[p->nmaps - 1].a;
      }
    }
    if (p->sets[m.to] || !p->sets[m.from]) ADD(p->maps, p->nmaps, m);
  }
  for (int k = 0; k < 3 && rnd_chance(&g->r, 45); k++) draw_made_map(p, &g->r);
  while (p->nmaps && rnd_chance(&g->r, 30))
    draw_subset(g, p->maps[rnd_below(&g->r, p->nmaps)].from);
}

/* The (type, dim) pairs that kernels have, each once. */
struct shape {
  char type;
  int dim;
};

static void
shapes_of(const struct row *r, struct shape **shapes, int *n) {
  for (int a = 0; a < r->nparams; a++) {
    const struct param *m = &r->params[a];
    if (m->kind != P_DAT && m->kind != P_VECTOR) continue;
    int k = 0;
    while (k < *n &&
           ((*shapes)[k].type != m->type || (*shapes)[k].dim != m->dim))
      k++;
    struct shape s = {m->type, m->dim};
    if (k == *n) ADD(*shapes, *n, s);
  }
}

static bool
shape_in(const struct param *m, const struct shape *palette, int n) {
  for (int k = 0; k < n; k++)
    if (palette[k].type == m->type && palette[k].dim == m->dim) return true;
  return false;
}

/* Rows whose dats all have shapes of the palette; without dats, the last global. */
static void
draw_rows(struct gen *g, const struct row *rows, size_t n,
          const struct shape *palette, int npalette) {
  for (size_t k = 0; k < n; k++) {
    bool ok = true, dats = false;
    for (int a = 0; ok && a < rows[k].nparams; a++) {
      const struct param *m = &rows[k].params[a];
      bool dat = m->kind == P_DAT || m->kind == P_VECTOR;
      if (dat || (!dats && a + 1 == rows[k].nparams))
        ok = shape_in(m, palette, npalette);
      dats |= dat;
    }
    if (ok) ADD(g->rows, g->nrows, &rows[k]);
  }
}

/* Make it an overlay of an earlier dat, if one is large enough. */
static void
lay_over(struct gen *g, struct pdat *d) {
  const struct program *p = g->p;
  int base = rnd_below(&g->r, p->ndats);
  const struct pdat *b = &p->dats[base];
  if (b->temp || b->over >= 0 || p->sets[d->set] > p->sets[b->set]) return;
  if (p->made[d->set].points || p->made[b->set].points) return;
  d->over = base;
  d->type = b->type;
  d->dim = b->dim;
  d->temp = d->soa = false;
}

static bool
has_grids(const struct program *p) {
  for (int s = 0; s < p->nsets; s++)
    if (set_is_grid(p, s)) return true;
  return false;
}

/* Any set; in programs with axes or grids more often one of points. */
static int
draw_dat_set(struct gen *g) {
  const struct program *p = g->p;
  bool points = p->naxes || has_grids(p);
  int s = rnd_below(&g->r, p->nsets);
  for (int tries = 0; tries < 4 && points; tries++) {
    if (p->made[s].points || p->made[s].ndim) return s;
    s = rnd_below(&g->r, p->nsets);
  }
  return s;
}

static void
draw_dats(struct gen *g, const struct shape *palette, int npalette) {
  struct program *p = g->p;
  int n = 4 + rnd_below(&g->r, 6);
  for (int k = 0; k < n; k++) {
    int which = rnd_chance(&g->r, 55) ? 0 : rnd_below(&g->r, npalette);
    const struct shape *s = &palette[which];
    struct pdat d = {.set = draw_dat_set(g),
                     .dim = s->dim,
                     .type = s->type,
                     .fill =
                         rnd_below(&g->r, 8) ? 1 + rnd_below(&g->r, 900) : 0,
                     .temp = k >= 3 && rnd_chance(&g->r, 25),
                     .soa = rnd_chance(&g->r, 10),
                     .over = -1};
    if (k && rnd_chance(&g->r, 50)) d.set = p->dats[k - 1].set;
    if (p->made[d.set].points) d.soa = false;
    bool own = type_row(d.type)->definition != NULL;
    bool goes = scan_goes(p, set_whole(p, d.set));
    if (p->made[d.set].points || goes)
      d.temp = k && !own && rnd_chance(&g->r, 55);
    if (k && rnd_chance(&g->r, g->overlays)) lay_over(g, &d);
    ADD(p->dats, p->ndats, d);
  }
}

/* Temporaries of the first shape where rules lead to, for some of these. */
static void
draw_offers(struct gen *g, const struct shape *s) {
  struct program *p = g->p;
  for (int k = 0; k < p->nmaps; k++) {
    bool rule = p->maps[k].kind == MAP_RULE || p->maps[k].kind == MAP_GRID;
    struct pdat d = {.set = p->maps[k].to,
                     .dim = s->dim,
                     .type = s->type,
                     .temp = true,
                     .over = -1};
    if (!rule || type_row(s->type)->definition || rnd_chance(&g->r, 50))
      continue;
    ADD(p->dats, p->ndats, d);
  }
}

/* Let it begin somewhere in the memory of an earlier raw global, or at its end. */
static void
lay_gbl(struct gen *g, struct pgbl *b) {
  const struct program *p = g->p;
  int base = rnd_below(&g->r, p->ngbls), lanes = type_row(b->type)->lanes;
  const struct pgbl *root = &p->gbls[base];
  if (root->handle || root->over >= 0 || root->type != b->type) return;
  b->over = base;
  b->at = rnd_below(&g->r, root->dim / lanes + 1) * lanes;
}

/* Globals for what the rows mention. */
static void
draw_gbls(struct gen *g) {
  struct program *p = g->p;
  for (int k = 0; k < 6 || k < g->nrows; k++) {
    const struct row *r = g->rows[k % g->nrows];
    for (int a = 0; a < r->nparams; a++) {
      const struct param *m = &r->params[a];
      if (m->kind != P_GBL && m->kind != P_INFO) continue;
      struct pgbl b = {.dim = m->dim,
                       .type = m->type,
                       .fill = 1 + rnd_below(&g->r, 900),
                       .handle = m->kind == P_GBL && m->access != 'K' &&
                                 !type_row(m->type)->definition &&
                                 rnd_chance(&g->r, g->handles),
                       .over = -1};
      for (int tries = 0; tries < 12 && b.over < 0; tries++)
        if (p->ngbls && !b.handle && rnd_chance(&g->r, g->shared))
          lay_gbl(g, &b);
      ADD(p->gbls, p->ngbls, b);
    }
  }
}

/* ---- loops ------------------------------------------------------------------- */

/* The ways from a set to dats of a parameter's shape: directly, or by map. */
struct ways {
  struct parg *direct, *indirect;
  int ndirect, nindirect;
};

/* Other layers of the columns, or of the box, that the set belongs to. */
static void
find_layers(const struct gen *g, const struct param *m, int set,
            struct parg way, struct ways *w) {
  struct op o = {.what = set, .order = g->order};
  way.layered = true;
  for (way.layer = -2; way.layer <= 2; way.layer++)
    if (layer_fits(g->p, &o, m, &way)) ADD(w->direct, w->ndirect, way);
}

static void
find_ways(const struct gen *g, const struct param *m, int set, struct ways *w) {
  const struct program *p = g->p;
  for (int dat = 0; dat < p->ndats; dat++) {
    const struct pdat *d = &p->dats[dat];
    if (d->type != m->type || d->dim != m->dim) continue;
    if (!g->w->dats[dat_root(p, dat)].alive) continue;
    struct parg way = {.obj = dat, .map = -1};
    if (m->kind == P_DAT && set_reaches(p, set, d->set)) {
      ADD(w->direct, w->ndirect, way);
      find_layers(g, m, set, way, w);
    }
    for (way.map = 0; way.map < p->nmaps; way.map++) {
      const struct pmap *k = &p->maps[way.map];
      if (set_reaches(p, set, k->from) && set_reaches(p, k->to, d->set) &&
          k->arity >= m->count && map_serves(k, m))
        for (int n = k->kind == MAP_LOCAL ? 4 : 1; n > 0; n--)
          ADD(w->indirect, w->nindirect, way);
    }
  }
}

/* A dat for a parameter, and how to get there from the set; false: none. */
static bool
draw_dat(struct gen *g, const struct param *m, int set, struct parg *out) {
  struct ways w = {0};
  find_ways(g, m, set, &w);
  int chance = m->looked ? 60 : g->far; /* there it makes a difference */
  bool far = w.nindirect && (!w.ndirect || rnd_chance(&g->r, chance));
  bool found = w.ndirect || w.nindirect;
  if (far) {
    *out = w.indirect[rnd_below(&g->r, w.nindirect)];
    out->idx = rnd_below(&g->r, g->p->maps[out->map].arity);
  } else if (found) {
    *out = w.direct[rnd_below(&g->r, w.ndirect)];
  }
  free(w.direct);
  free(w.indirect);
  return found;
}

static bool
draw_gbl(struct gen *g, const struct param *m, struct parg *out) {
  const struct program *p = g->p;
  for (int tries = 0; tries < 12 && p->ngbls; tries++) {
    int gbl = rnd_below(&g->r, p->ngbls);
    if (p->gbls[gbl].type != m->type || p->gbls[gbl].dim != m->dim) continue;
    bool apart = g->last < 0 || g->last == gbl || !gbls_meet(p, g->last, gbl);
    if (g->shared && tries < 8 && g->last >= 0 && apart) continue;
    g->last = gbl;
    *out = (struct parg){.obj = gbl, .map = -1};
    return true;
  }
  return false;
}

static bool
draw_arg(struct gen *g, const struct param *m, int set, struct parg *out) {
  *out = (struct parg){
      .off = m->optional && rnd_chance(&g->r, 40), .obj = -1, .map = -1};
  if (out->off || m->kind == P_INDEX) return true;
  if (m->kind == P_GBL || m->kind == P_INFO) return draw_gbl(g, m, out);
  if (m->kind != P_ENTRY) return draw_dat(g, m, set, out);
  for (int k = 0; k < g->p->nmaps; k++)
    if (set_reaches(g->p, set, g->p->maps[k].from) &&
        map_serves(&g->p->maps[k], m)) {
      *out = (struct parg){
          .obj = -1, .map = k, .idx = rnd_below(&g->r, g->p->maps[k].arity)};
      return true;
    }
  return false;
}

/* Any row; copies of whole dats more often than others, since passes know them. */
static const struct row *
draw_row(struct gen *g) {
  const struct row *r = g->rows[rnd_below(&g->r, g->nrows)];
  for (int tries = 0; tries < 40 && rnd_chance(&g->r, 15); tries++)
    for (int k = 0; k < 8; k++) {
      const struct row *c = g->rows[rnd_below(&g->r, g->nrows)];
      if (!strcmp(c->family, "copy") && c->params[0].kind == P_DAT &&
          c->params[1].kind == P_DAT)
        return c;
    }
  if (r->effect && !rnd_chance(&g->r, 10)) return draw_row(g);
  return r;
}

static bool
has_globals(const struct row *r) {
  int n = 0;
  for (int a = 0; a < r->nparams; a++) n += r->params[a].kind == P_GBL;
  return n > 1;
}

static void
drop_args(struct op *o) {
  free(o->args);
  o->args = NULL;
  o->nargs = 0;
}

static bool
draw_args(struct gen *g, struct op *o) {
  g->last = -1;
  g->order = o->order;
  for (int a = 0; a < o->row->nparams; a++) {
    struct parg arg;
    if (!draw_arg(g, &o->row->params[a], loop_set(g->p, o), &arg)) return false;
    ADD(o->args, o->nargs, arg);
  }
  if (o->order && o->nargs && rnd_chance(&g->r, 60)) scan_bend(&g->r, o);
  return o->kind == DO_LEVELS || world_allows(g->w, o);
}

/* Of a loop over the set; in programs without columns and boxes nothing is drawn. */
static enum scan_order
draw_order(struct gen *g, int set) {
  if (!scan_goes(g->p, set_whole(g->p, set)) || !rnd_chance(&g->r, 40))
    return ORDER_NONE;
  return rnd_chance(&g->r, 50) ? ORDER_FORWARD : ORDER_BACKWARD;
}

/* Kernels with many or unusual arguments fit seldom: each gets several tries. */
static bool
draw_loop(struct gen *g, struct op *o) {
  if (!rnd_chance(&g->r, g->hot)) g->set = rnd_below(&g->r, g->p->nsets);
  for (int rows = 0; rows < 10; rows++) {
    o->row = draw_row(g);
    for (int k = 0; k < 6 && g->shared && !has_globals(o->row); k++)
      o->row = draw_row(g);
    for (int tries = 0; tries < 12; tries++) {
      o->what = tries < 6 ? g->set : rnd_below(&g->r, g->p->nsets);
      o->order = draw_order(g, o->what);
      if (draw_args(g, o)) return true;
      drop_args(o);
    }
  }
  return false;
}

/* ---- other operations -------------------------------------------------------- */

static bool
draw_on_dat(struct gen *g, struct op *o) {
  o->what = rnd_below(&g->r, g->p->ndats);
  o->x = 1 + rnd_below(&g->r, 900);
  o->y = 1 + rnd_below(&g->r, 5);
  return true;
}

/* A temporary that can be declared or freed. */
static bool
draw_temp(struct gen *g, struct op *o) {
  for (int tries = 0; tries < 10; tries++) {
    o->what = rnd_below(&g->r, g->p->ndats);
    bool alive = g->w->dats[o->what].alive;
    if (g->p->dats[o->what].temp && alive == (o->kind == DO_FREE)) return true;
  }
  return false;
}

static bool
draw_on_gbl(struct gen *g, struct op *o) {
  if (!g->p->ngbls) return false;
  o->what = rnd_below(&g->r, g->p->ngbls);
  o->x = 1 + rnd_below(&g->r, 900);
  return true;
}

static bool
draw_const(struct gen *g, struct op *o) {
  o->what = rnd_below(&g->r, 6);
  o->x = 1 + rnd_below(&g->r, 40);
  return true;
}

static bool
draw_plain(struct gen *g, struct op *o) {
  o->what = rnd_below(&g->r, 2);
  return true;
}

static bool
draw_wrong(struct gen *g, struct op *o) {
  o->x = rnd_below(&g->r, 4);
  return draw_loop(g, o);
}

static bool
draw_place(struct gen *g, struct op *o) {
  o->what = rnd_below(&g->r, g->p->naxes);
  o->x = rnd_below(&g->r, 3 * 4 * 4 * 4 * 4);
  return true;
}

/* Where splitters are nowhere so far, they are placed. */
static bool
draw_levels(struct gen *g, struct op *o) {
  o->x = rnd_below(&g->r, g->p->naxes);
  o->what = g->p->axes[o->x].set;
  o->order = levels_order(g->p, &g->r, o->x);
  if (!g->w->axes[o->x].some) {
    *o = (struct op){.kind = DO_PLACE, .site = o->site};
    return draw_place(g, o);
  }
  for (int tries = 0; tries < 40; tries++) {
    o->row = draw_row(g);
    if (draw_args(g, o) && scan_fits(g->p, o) &&
        levels_draw(g->p, &g->r, o, g->rows, g->nrows))
      return true;
    drop_args(o);
  }
  return false;
}

static bool
draw_question(struct gen *g, struct op *o) {
  o->what = rnd_below(&g->r, 4);
  return true;
}

static bool
draw_on_matrix(struct gen *g, struct op *o) {
  return matrix_draw_op(g->p, &g->r, o);
}

static const struct {
  enum op_kind kind;
  int weight;
  bool (*draw)(struct gen *, struct op *);
} kinds[] = {
    {DO_LOOP, 900, draw_loop},      {DO_FLUSH, 30, draw_plain},
    {DO_FETCH, 40, draw_on_dat},    {DO_FETCH_IDX, 20, draw_on_dat},
    {DO_VIEW, 20, draw_on_dat},     {DO_SYNC, 20, draw_on_dat},
    {DO_GET_DATA, 8, draw_on_dat},  {DO_EDIT, 30, draw_on_dat},
    {DO_UPLOAD, 12, draw_on_dat},   {DO_PUT, 10, draw_on_dat},
    {DO_TEMP, 150, draw_temp},      {DO_FREE, 80, draw_temp},
    {DO_POKE, 40, draw_on_gbl},     {DO_GET, 20, draw_on_gbl},
    {DO_CONST, 30, draw_const},     {DO_DEFER, 15, draw_plain},
    {DO_PRINT, 6, draw_on_dat},     {DO_RENEW, 12, draw_on_gbl},
    {DO_WRONG, 12, draw_wrong},     {DO_ASK, 10, draw_question},
    {DO_MULT, 400, draw_on_matrix}, {DO_PLACE, 40, draw_place},
    {DO_LEVELS, 600, draw_levels},
};

static int
kind_weight(const struct gen *g, size_t k) {
  bool axes = kinds[k].kind == DO_PLACE || kinds[k].kind == DO_LEVELS;
  if (kinds[k].kind == DO_MULT && !g->p->nsparsities) return 0;
  return axes && !g->p->naxes ? 0 : kinds[k].weight;
}

/* Operations that make pending loops run; few of them, so that loops wait. */
static bool
op_forces(const struct op *o) {
  return (o->kind >= DO_FLUSH && o->kind <= DO_PUT) || o->kind == DO_GET ||
         o->kind == DO_ASK;
}

static bool
draw_op(struct gen *g, struct op *o) {
  int total = 0, k = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    total += kind_weight(g, i);
  for (int x = rnd_below(&g->r, total); x >= kind_weight(g, (size_t)k); k++)
    x -= kind_weight(g, (size_t)k);
  *o = (struct op){.kind = kinds[k].kind, .site = ++g->site};
  return kinds[k].draw(g, o);
}

/* Keep it if the interpreter allows it. */
static bool
keep_op(struct gen *g, struct op *o) {
  struct seen seen = {0};
  bool ok = world_run(g->w, o, &seen);
  seen_clear(&seen);
  if (ok)
    ADD(g->p->ops, g->p->nops, *o);
  else
    op_clear(o);
  return ok;
}

/* Another map, entry or flag alone: a call differs in one word from the one that
 * stood there before. */
static void
vary_word(struct gen *g, const struct param *m, struct parg *arg) {
  const struct program *p = g->p;
  if (m->optional && rnd_chance(&g->r, 30)) {
    arg->off = !arg->off && rnd_chance(&g->r, 50);
  } else if (arg->map >= 0 && rnd_chance(&g->r, 40)) {
    arg->idx = rnd_below(&g->r, p->maps[arg->map].arity);
  } else if (arg->map >= 0) {
    const struct pmap *old = &p->maps[arg->map];
    int k = rnd_below(&g->r, p->nmaps);
    if (p->maps[k].from == old->from && p->maps[k].to == old->to &&
        p->maps[k].arity > arg->idx && p->maps[k].arity >= m->count &&
        map_serves(&p->maps[k], m))
      arg->map = k;
  }
}

/* The same statement with something else: another dat, map or flag. */
static void
vary(struct gen *g, struct op *o) {
  if ((o->kind != DO_LOOP && o->kind != DO_LEVELS) || !o->nargs) return;
  if (o->order && rnd_chance(&g->r, 30)) scan_turn(o);
  g->order = o->order;
  int a = rnd_below(&g->r, o->nargs);
  struct parg arg = o->args[a];
  if (arg.map >= 0 || (arg.obj >= 0 && rnd_chance(&g->r, 40)))
    vary_word(g, &o->row->params[a], &o->args[a]);
  else if (draw_arg(g, &o->row->params[a], loop_set(g->p, o), &arg))
    o->args[a] = arg;
}

static void
repeat(struct gen *g) {
  int n = 1 + rnd_below(&g->r, g->p->nops < 8 ? g->p->nops : 8);
  int times = 1 + rnd_below(&g->r, 3), from = g->p->nops - n;
  for (int t = 0; t < times; t++)
    for (int k = 0; k < n; k++) {
      struct op o;
      op_copy(&o, &g->p->ops[from + k]);
      if (rnd_chance(&g->r, 20)) vary(g, &o);
      keep_op(g, &o);
    }
}

/* A temporary of columns or of a box, without a halo; -1. */
static int
draw_handed(struct gen *g) {
  const struct program *p = g->p;
  for (int tries = 0; tries < 12; tries++) {
    int k = rnd_below(&g->r, p->ndats);
    const struct pdat *d = &p->dats[k];
    if (d->temp && set_whole(p, d->set) == d->set && scan_goes(p, d->set))
      return k;
  }
  return -1;
}

/* Some argument is the temporary, written in the loop's layer, or read there or in
 * one beside it. */
static bool
take_handed(struct gen *g, struct op *o, int temp, bool reads) {
  const struct pdat *d = &g->p->dats[temp];
  int first = o->nargs ? rnd_below(&g->r, o->nargs) : 0;
  for (int k = 0; k < o->nargs; k++) {
    int a = (first + k) % o->nargs;
    const struct param *m = &o->row->params[a];
    if (m->kind != P_DAT || only_reads(m) != reads || m->type != d->type ||
        m->dim != d->dim)
      continue;
    struct parg arg = {.obj = temp, .map = -1};
    arg.layered = reads && rnd_chance(&g->r, 50);
    arg.layer = arg.layered ? rnd_below(&g->r, 5) - 2 : 0;
    o->args[a] = arg;
    return world_allows(g->w, o);
  }
  return false;
}

/* A scan over all of it that writes it, or reads it; false: none was found. */
static bool
scan_handed(struct gen *g, int temp, bool reads) {
  for (int tries = 0; tries < 60; tries++) {
    struct op o = {
        .kind = DO_LOOP, .what = g->p->dats[temp].set, .site = ++g->site};
    o.row = draw_row(g);
    o.order =
        rnd_chance(&g->r, reads ? 60 : 30) ? ORDER_BACKWARD : ORDER_FORWARD;
    if (draw_args(g, &o) && take_handed(g, &o, temp, reads)) {
      if (keep_op(g, &o)) return true;
    } else {
      op_clear(&o);
    }
  }
  return false;
}

/* What one scan leaves in a temporary others take, and then it goes: nobody else
 * sees it. */
static void
hand_on(struct gen *g) {
  int temp = draw_handed(g);
  if (temp < 0) return;
  struct op begin = {.kind = DO_TEMP, .what = temp, .site = ++g->site};
  struct op end = {.kind = DO_FREE, .what = temp, .site = ++g->site};
  if (!g->w->dats[temp].alive) keep_op(g, &begin);
  if (!scan_handed(g, temp, false)) return;
  scan_handed(g, temp, true);
  if (rnd_chance(&g->r, 30)) scan_handed(g, temp, true);
  if (rnd_chance(&g->r, 80)) keep_op(g, &end);
}

/* ---- what is computed where others read it --------------------------------- */

/* Some map between points that leads to the dat; -1. */
static int
draw_rule_to(struct gen *g, const struct pdat *d) {
  const struct program *p = g->p;
  int first = p->nmaps ? rnd_below(&g->r, p->nmaps) : 0;
  for (int k = 0; k < p->nmaps; k++) {
    int map = (first + k) % p->nmaps;
    const struct pmap *m = &p->maps[map];
    if ((m->kind == MAP_RULE || m->kind == MAP_GRID) &&
        set_reaches(p, m->to, d->set))
      return map;
  }
  return -1;
}

/* A temporary of points that a rule leads to; -1. */
static int
draw_offered(struct gen *g) {
  int first = rnd_below(&g->r, g->p->ndats);
  for (int k = 0; k < g->p->ndats; k++) {
    int dat = (first + k) % g->p->ndats;
    if (g->p->dats[dat].temp && draw_rule_to(g, &g->p->dats[dat]) >= 0)
      return dat;
  }
  return -1;
}

/* The parameter that takes the dat where it is read; where it is written, whole
 * and more than copied, the only one that is; -1. */
static int
takes_offered(const struct row *r, const struct pdat *d, bool reads) {
  int found = -1, writes = 0;
  if (!reads && !strcmp(r->family, "copy")) return -1;
  for (int a = 0; a < r->nparams; a++) {
    const struct param *m = &r->params[a];
    bool fits = m->kind == P_DAT && m->type == d->type && m->dim == d->dim;
    bool whole = m->access == 'W' && !m->partial;
    writes += m->access != 'R' && m->access != 'K';
    if (fits && (reads ? only_reads(m) : whole)) found = a;
  }
  return reads || writes == 1 ? found : -1;
}

/* Does the loop write a dat that operation `made` reads? */
static bool
writes_input(const struct program *p, const struct op *o, int made) {
  const struct op *by = &p->ops[made];
  for (int a = 0; a < o->nargs; a++)
    for (int b = 0; b < by->nargs; b++)
      if (o->row->params[a].kind == P_DAT && o->args[a].obj >= 0 &&
          by->row->params[b].kind == P_DAT && by->args[b].obj >= 0 &&
          o->row->params[a].access != 'R' &&
          dat_root(p, o->args[a].obj) == dat_root(p, by->args[b].obj))
        return true;
  return false;
}

/* Does it go by rules alone, and see no numbers? */
static bool
goes_by_rule(const struct program *p, const struct op *o) {
  for (int a = 0; a < o->nargs; a++) {
    const struct parg *arg = &o->args[a];
    int kind = arg->map < 0 ? MAP_RULE : (int)p->maps[arg->map].kind;
    bool rule = kind == MAP_RULE || kind == MAP_GRID;
    if (!rule || o->row->params[a].kind == P_INDEX) return false;
  }
  return true;
}

/* A loop over points that writes the temporary, or, where operation `made` did,
 * over what leads to it; false: none. */
static bool
loop_offered(struct gen *g, int temp, int made) {
  bool reads = made >= 0;
  const struct program *p = g->p;
  const struct pdat *d = &p->dats[temp];
  int points = p->made[d->set].points ? p->made[d->set].box : d->set;
  for (int tries = 0; tries < 200; tries++) {
    const struct row *row = draw_row(g);
    int map = reads ? draw_rule_to(g, d) : -1, a = takes_offered(row, d, reads);
    if (a < 0 || (reads && p->maps[map].arity < row->params[a].count)) continue;
    struct op o = {.kind = DO_LOOP,
                   .what = reads ? p->maps[map].from : points,
                   .site = ++g->site,
                   .row = row};
    bool drawn = draw_args(g, &o);
    struct parg arg = {.obj = temp, .map = map};
    if (reads) arg.idx = rnd_below(&g->r, p->maps[map].arity);
    if (drawn) o.args[a] = arg;
    if (drawn && rnd_chance(&g->r, 80))
      drawn = reads ? !writes_input(p, &o, made) : goes_by_rule(p, &o);
    if (drawn && world_allows(g->w, &o)) {
      if (keep_op(g, &o)) return true;
    } else {
      op_clear(&o);
    }
  }
  return false;
}

/* What one loop makes of points others read around theirs, and then it goes. */
static void
offer(struct gen *g) {
  int temp = draw_offered(g);
  if (temp < 0) return;
  struct op begin = {.kind = DO_TEMP, .what = temp, .site = ++g->site};
  struct op end = {.kind = DO_FREE, .what = temp, .site = ++g->site};
  if (!g->w->dats[temp].alive) keep_op(g, &begin);
  if (!loop_offered(g, temp, -1)) return;
  int made = g->p->nops - 1;
  for (int n = 1 + rnd_below(&g->r, 3); n > 0; n--) loop_offered(g, temp, made);
  if (rnd_chance(&g->r, 80)) keep_op(g, &end);
}

static bool
has_points(const struct program *p) {
  for (int k = 0; k < p->nmaps; k++)
    if (p->maps[k].kind == MAP_RULE || p->maps[k].kind == MAP_GRID) return true;
  return false;
}

/* Look at all that is left, in some order. */
static void
look_at_all(struct gen *g) {
  int n = g->p->ndats, first = rnd_below(&g->r, n);
  struct op flush = {.kind = DO_FLUSH, .site = ++g->site};
  keep_op(g, &flush);
  for (int k = 0; k < n; k++) {
    struct op o = {
        .kind = DO_FETCH, .what = (first + k) % n, .site = ++g->site};
    keep_op(g, &o);
  }
  for (int k = 0; k < g->p->ngbls; k++) {
    struct op o = {.kind = DO_GET, .what = k, .site = ++g->site};
    keep_op(g, &o);
  }
}

/* Some of the rows, and at least one that copies if there is any. */
static void
draw_few(struct gen *g, struct rnd *r) {
  int want = 6 + rnd_below(r, 8);
  for (int k = 0; k < g->nrows && k < want; k++) {
    int with = k + rnd_below(r, g->nrows - k);
    const struct row *x = g->rows[k];
    g->rows[k] = g->rows[with];
    g->rows[with] = x;
  }
  if (g->nrows <= want) return;
  for (int k = want; k < g->nrows; k++)
    if (!strcmp(g->rows[k]->family, "copy")) g->rows[want - 1] = g->rows[k];
  g->nrows = want;
}

/* Large elements are few. */
static void
shrink_sets(struct program *p, int dim) {
  int most = dim > 10000 ? 3 : dim > 100 ? 12 : INT_MAX;
  for (int k = 0; k < p->nsets; k++)
    if (p->sets[k] > most && !set_is_made(p, k))
      p->sets[k] = 1 + p->sets[k] % most;
  program_settle(p);
}

/* Kernels whose functions have names that others have, too. */
static void
keep_renamed(struct gen *g) {
  int n = 0;
  for (int k = 0; k < g->nrows; k++)
    if (strcmp(g->rows[k]->name, g->rows[k]->c)) g->rows[n++] = g->rows[k];
  g->nrows = n;
}

/* Sets of other kinds, in some programs; those without are as they were. */
static void
draw_more_sets(struct gen *g, int dim) {
  struct rnd r = {g->p->seed * 0xd1342543de82ef95 + 3};
  int before = g->p->nmaps;
  if (rnd_chance(&r, 20)) columns_draw(g->p, &r);
  if (rnd_chance(&r, 20))
    boxes_draw(g->p, &r, dim > 10000 ? 2 : dim > 100 ? 4 : INT_MAX);
  if (rnd_chance(&r, 20))
    grids_draw(g->p, &r, dim > 10000 ? 2 : dim > 100 ? 4 : INT_MAX);
  for (int k = 0; k < 2 && g->p->nmaps > before; k++) draw_made_map(g->p, &r);
}

/* Matrices of the first shape that has arithmetic and kernels on blocks, in some
 * programs, and those kernels beside the others. */
static void
draw_matrices(struct gen *g, const struct shape *palette, int npalette) {
  struct rnd r = {g->p->seed * 0xaf251af3b0f025b5 + 7};
  int k = 0;
  size_t n;
  const struct row *rows = rows_all(&n);
  while (k < npalette &&
         (!strchr("idulLf", palette[k].type) || palette[k].dim > 4))
    k++;
  if (k == npalette || !rnd_chance(&r, 35)) return;
  matrices_draw(g->p, &r, palette[k].type, palette[k].dim);
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < rows[i].nparams; a++) {
      const struct param *m = &rows[i].params[a];
      bool suits =
          m->packed && m->type == palette[k].type && m->dim == palette[k].dim;
      for (int times = 0; suits && times < 3; times++)
        ADD(g->rows, g->nrows, &rows[i]);
    }
}

/* Types and kernels are those of the seed's group, so that programs of one batch
 * share compiled code. */
static void
draw_palette(struct gen *g) {
  size_t n;
  struct rnd r = {g->p->seed / GEN_GROUP * 0x9e3779b97f4a7c15 + 5};
  const struct row *rows = rows_all(&n);
  struct shape *shapes = NULL, palette[3];
  int nshapes = 0, npalette = 1 + rnd_below(&r, 3);
  for (size_t k = 0; k < n; k++) shapes_of(&rows[k], &shapes, &nshapes);
  bool real = rnd_chance(&r, 25); /* then the first shape is */
  bool alike = rnd_chance(&r, 8); /* one name for functions of several types */
  if (alike) npalette = 3;
  for (int k = 0; k < npalette; k++) do
      palette[k] = shapes[rnd_below(&r, nshapes)];
    while ((real && k == 0 && !type_row(palette[0].type)->real) ||
           (alike && palette[k].dim > 1));
  int dim = 0;
  for (int k = 0; k < npalette; k++) {
    shrink_sets(g->p, palette[k].dim);
    if (palette[k].dim > dim) dim = palette[k].dim;
  }
  draw_more_sets(g, dim);
  draw_rows(g, rows, n, palette, npalette);
  if (alike) keep_renamed(g);
  draw_few(g, &r);
  draw_dats(g, palette, npalette);
  draw_offers(g, palette);
  draw_matrices(g, palette, npalette);
  draw_gbls(g);
  free(shapes);
}

struct program *
gen_program(uint64_t seed) {
  struct gen g = {.p = program_new()};
  g.p->seed = seed;
  g.r.state = seed * 0x2545f4914f6cdd1d + 1;
  g.far = 10 + rnd_below(&g.r, 50);
  g.hot = 40 + rnd_below(&g.r, 55);
  g.quiet = rnd_below(&g.r, 3) * 40;
  g.handles = rnd_below(&g.r, 130);
  g.shared = rnd_chance(&g.r, 25) ? 60 : 0;
  if (g.shared) g.handles /= 6;
  g.overlays = rnd_chance(&g.r, 15) ? 40 : 4;
  draw_sets_maps(&g);
  draw_palette(&g);
  g.w = world_new(g.p);
  int want = 6 + rnd_below(&g.r, 26);
  for (int tries = 0; g.p->nops < want && tries < 400; tries++) {
    struct op o;
    bool drawn = draw_op(&g, &o);
    if (!drawn || (op_forces(&o) && rnd_chance(&g.r, g.quiet)))
      op_clear(&o);
    else if (keep_op(&g, &o) && rnd_chance(&g.r, 16))
      repeat(&g);
    if (rnd_chance(&g.r, 35)) hand_on(&g);
    if (has_points(g.p) && rnd_chance(&g.r, 35)) offer(&g);
  }
  look_at_all(&g);
  world_free(g.w);
  free(g.rows);
  return g.p;
}
