/* What a program declares. See player.h. */
#include "player.h"

#include "../programs/ranks.h"
#include "boxes.h"
#include "columns.h"
#include "matrices.h"
#include "kernels.h"

#include <stdio.h>
#include <string.h>

void
player_fill(const struct player *y, int dat, void *memory, int formula,
            int stride) {
  const struct pdat *d = &y->p->dats[dat];
  const struct part *part = &y->parts[d->set];
  const int *e = part_elements(part);
  const bool *others = part_others(part);
  for (int i = 0; i < part_count(part) * d->dim; i++) {
    int k = e[i / d->dim] * d->dim + i % d->dim, by = formula;
    if (k % stride) continue;
    bool other = others[i / d->dim] && !(y->flags & PLAY_PEEK);
    if (other) by += 1 + (int)(y->p->seed % 2) * 37;
    type_store(type_lane(d->type, i), type_at(d->type, memory, i),
               value_of(d->type, by, k));
  }
}

size_t
player_bytes(const struct player *y, int dat) {
  const struct pdat *d = &y->p->dats[dat];
  return type_bytes(d->type, part_count(&y->parts[d->set]) * d->dim);
}

size_t
player_all_bytes(const struct player *y, int dat) {
  const struct pdat *d = &y->p->dats[dat];
  const struct part *part = &y->parts[d->set];
  return type_bytes(d->type, part->start[part->ranks] * d->dim);
}

/* ---- sets ------------------------------------------------------------------------ */

/* Elements in another order. */
static int *
renumbered(int n) {
  static const int steps[] = {7, 11, 13, 17, 19}; /* primes: one divides not */
  int *e = get_memory((size_t)n + 1, sizeof *e), step = 0;
  for (size_t k = 0; k < sizeof steps / sizeof *steps && !step; k++)
    if (n % steps[k]) step = steps[k];
  for (int k = 0; k < n; k++) {
    int at = n < 2 ? k : step ? (k * step + 3) % n : n - 1 - k;
    e[at] = k;
  }
  return e;
}

/* What all ranks have of a box. */
static struct part
box_part(const struct player *y, int k) {
  idx_g_t lo[BOX_DIMS], hi[BOX_DIMS];
  int ranks = check_ranks(), mine[2][BOX_DIMS] = {{0}};
  int(*all)[2][BOX_DIMS] = get_memory((size_t)ranks, sizeof *all);
  int(*los)[BOX_DIMS] = get_memory((size_t)ranks, sizeof *los);
  int(*his)[BOX_DIMS] = get_memory((size_t)ranks, sizeof *his);
  if (op2_box_local(y->sets[k], lo, hi)) abort();
  for (int d = 0; d < y->p->made[k].ndim; d++) {
    mine[0][d] = (int)lo[d];
    mine[1][d] = (int)hi[d];
  }
  parts_gather(mine, sizeof mine, all);
  for (int r = 0; r < ranks; r++) {
    memcpy(los[r], all[r][0], sizeof *los);
    memcpy(his[r], all[r][1], sizeof *his);
  }
  free(all);
  return part_of_box(y->p, k, check_rank(), ranks, los, his);
}

/* Of a set that is no box. */
static struct part
set_part(const struct player *y, int k) {
  if (y->flags & PLAY_PARTS)
    return part_of(y->p, k, y->parts, check_rank(), check_ranks());
  int *order = y->flags & PLAY_RENUMBER ? renumbered(y->p->sets[k]) : NULL;
  struct part x = part_whole(y->p, k, order);
  free(order);
  return x;
}

void
player_parts_clear(struct player *y) {
  for (int k = 0; y->parts && k < y->p->nsets; k++) part_clear(&y->parts[k]);
  free(y->parts);
  y->parts = NULL;
}

/* In any order, and one twice, now and then: by places in this rank's part of what it
 * is a subset of. */
static op_set
declare_subset(const struct player *y, int k, const char *name) {
  const struct pmade *u = &y->p->made[k];
  const struct part *part = &y->parts[k], *of = &y->parts[u->of];
  const int *e = part_elements(part);
  int n = part_count(part), twice = n && y->p->seed % 3 == 0;
  bool turned = (y->p->seed + (uint64_t)k) % 4 == 0;
  int *at = player_memory(((size_t)n + 1) * sizeof *at);
  for (int i = 0; i < n; i++)
    at[i] = of->number[subset_index(y->p, k, e[turned ? n - 1 - i : i])] -
            of->start[of->rank];
  at[n] = at[0];
  return op2_decl_subset(y->sets[u->of], n + twice, n ? at : NULL, name);
}

static op_set
declare_columns(const struct player *y, int k, const char *name) {
  const struct pmade *u = &y->p->made[k];
  const int *b = part_elements(&y->parts[u->over]);
  int n = part_count(&y->parts[u->over]);
  if (!u->vary) return op2_decl_columns(y->sets[u->over], u->layers, name);
  int *range = player_memory(2 * ((size_t)n + 1) * sizeof *range);
  for (int i = 0; i < n; i++) {
    struct column c = column_at(y->p, k, b[i]);
    range[2 * i] = c.bottom;
    range[2 * i + 1] = c.bottom + c.n;
  }
  return op2_decl_columns_var(y->sets[u->over], range, name);
}

static op_set
declare_box(const struct pmade *u, const char *name) {
  idx_g_t n[BOX_DIMS];
  int boundary[BOX_DIMS];
  for (int d = 0; d < u->ndim; d++) {
    n[d] = u->n[d];
    boundary[d] = u->turns[d] ? OP2_PERIODIC : OP2_HALO;
  }
  if (u->colours) return op2_decl_grid(n, u->colours, boundary, name);
  return op2_decl_box(u->ndim, n, boundary, name);
}

static op_map
declare_rule(const struct player *y, const struct pmap *m, const char *name) {
  int rule[64 * (BOX_DIMS + 1)], ndim = y->p->made[m->from].ndim, n = 0;
  op_set from = y->sets[m->from], to = y->sets[m->to];
  if (m->kind == MAP_TABLE) return op2_map_materialise(y->maps[m->first], name);
  if (m->kind == MAP_GRID) return op2_decl_map_grid(from, to, name);
  for (int c = 0; c < box_colours(y->p, m->from); c++)
    for (int j = 0; j < m->arity; j++) {
      struct hop h = rule_hop(y->p, m, c, j);
      for (int d = 0; d < ndim; d++) rule[n++] = h.by[d];
      if (set_is_grid(y->p, m->to)) rule[n++] = h.colour;
    }
  return op2_decl_map_rule(from, to, m->arity, rule, name);
}

static op_set
declare_set(const struct player *y, int k) {
  static const int regions[] = {[REGION_BOTTOM] = OP2_BOTTOM,
                                [REGION_TOP] = OP2_TOP,
                                [REGION_INTERIOR] = OP2_INTERIOR};
  const struct pmade *u = &y->p->made[k];
  char name[32];
  snprintf(name, sizeof name, "s%d", k);
  if (u->nonzeros || u->points) return NULL; /* made by others */
  if (u->ndim) return declare_box(u, name);
  if (u->over >= 0) return declare_columns(y, k, name);
  if (u->region)
    return op2_columns_region(y->sets[u->of], regions[u->region], name);
  return u->of < 0 ? op_decl_set(part_count(&y->parts[k]), name)
                   : declare_subset(y, k, name);
}

static op_map
declare_column_map(const struct player *y, const struct pmap *m,
                   const char *name) {
  int offset[64];
  for (int j = 0; j < m->arity; j++) offset[j] = column_offset(m, j);
  return op2_decl_map_columns(y->sets[m->from], y->sets[m->to],
                              m->first >= 0 ? y->maps[m->first] : NULL,
                              column_map_meets(y->p, m) ? NULL : offset, name);
}

static op_map
declare_made(const struct player *y, const struct pmap *m, const char *name) {
  int perm[64];
  if (map_is_rule(m)) return declare_rule(y, m, name);
  if (m->kind == MAP_COLUMNS) return declare_column_map(y, m, name);
  if (m->kind == MAP_COMPOSED)
    return op2_decl_map_composed(y->maps[m->first], y->maps[m->then], name);
  for (int i = 0; i < m->arity; i++) perm[i] = permuted_entry(m, i);
  return op2_decl_map_permuted(y->maps[m->first], perm, name);
}

/* Where rows of this rank's part begin, and their entries. */
static op_map
declare_csr(const struct player *y, int k, const char *name) {
  const struct pmap *m = &y->p->maps[k];
  const int *e = part_elements(&y->parts[m->from]);
  const int *number = y->parts[m->to].number;
  int n = part_count(&y->parts[m->from]);
  int base = y->flags & PLAY_BASE_ONE ? 1 : 0;
  long long *start = player_memory(((size_t)n + 1) * sizeof *start);
  for (int i = 0; i < n; i++) start[i + 1] = start[i] + map_length(m, e[i]);
  int *col = player_memory(((size_t)start[n] + 1) * sizeof *col);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < map_length(m, e[i]); j++)
      col[start[i] + j] = number[map_entry(y->p, k, e[i], j)] + base;
  return op2_decl_map_csr(y->sets[m->from], y->sets[m->to], start, col, name);
}

void
player_declare_map(struct player *y, int k) {
  const struct pmap *m = &y->p->maps[k];
  char name[32];
  if (m->kind == MAP_LOCAL) return;
  snprintf(name, sizeof name, "m%d", k);
  if (m->kind >= MAP_KINDS) {
    if (y->maps[k]) op2_free(y->maps[k]);
    y->maps[k] = declare_made(y, m, name);
    return;
  }
  if (m->csr) {
    y->maps[k] = declare_csr(y, k, name);
    return;
  }
  const int *e = part_elements(&y->parts[m->from]);
  const int *number = y->parts[m->to].number;
  int n = part_count(&y->parts[m->from]);
  size_t entries = (size_t)n * (size_t)m->arity;
  int *table = player_memory(entries * sizeof *table);
  long long *wide = player_memory(entries * sizeof *wide);
  int base = y->flags & PLAY_BASE_ONE ? 1 : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m->arity; j++) {
      int at = i * m->arity + j;
      table[at] = number[map_entry(y->p, k, e[i], j)] + base;
      wide[at] = table[at];
    }
  op_set from = y->sets[m->from], to = y->sets[m->to];
  y->maps[k] = m->a % 4 ? op_decl_map(from, to, m->arity, table, name)
                        : op_decl_map_long(from, to, m->arity, wide, name);
}

void
player_declare_axis(struct player *y, int k) {
  const struct paxis *x = &y->p->axes[k];
  if (y->axes[k]) op2_free(y->axes[k]);
  y->axes[k] = op2_decl_axis(y->sets[x->set], y->p->made[x->set].ndim - 1,
                             x->nsplitters, x->limit);
}

static void
declare_sparsity(struct player *y, int k) {
  const struct psparsity *s = &y->p->sparsities[k];
  op_map rows[2], columns[2];
  char name[32];
  snprintf(name, sizeof name, "p%d", k);
  for (int i = 0; i < s->npairs; i++) {
    const struct pmap *m = &y->p->maps[s->pairs[i]];
    rows[i] = y->pairs[s->pairs[i]][0] = y->maps[m->first];
    columns[i] = y->pairs[s->pairs[i]][1] = y->maps[m->then];
  }
  y->sparsities[k] = op2_decl_sparsity(s->npairs, rows, columns, name);
}

static void
declare_matrix(struct player *y, int k, const char *name) {
  const struct pdat *d = &y->p->dats[k];
  const struct psparsity *s = sparsity_of(y->p, d->set);
  y->mats[k] = op2_decl_mat(y->sparsities[s - y->p->sparsities], s->rdim,
                            d->dim, type_row(d->type)->op2, name);
}

int
player_type_size(char letter) {
  return (int)type_row(letter)->size;
}

/* The type as declared. */
const char *
player_type_text(const struct pdat *d) {
  static char text[32];
  snprintf(text, sizeof text, "%s%s", type_row(d->type)->op2,
           d->soa ? ":soa" : "");
  return text;
}

static void
declare_dat(struct player *y, int k) {
  const struct pdat *d = &y->p->dats[k];
  char name[32];
  if (d->temp) return;
  bool given =
      y->flags & PLAY_NO_REALLOC; /* then two dats are given one array */
  void *data = d->over >= 0 && given ? y->memory[d->over] : NULL;
  if (d->over >= 0 && !data) {
    y->dats[k] = op_decl_dat_overlay(y->sets[d->set], y->dats[d->over]);
    return;
  }
  snprintf(name, sizeof name, "d%d", k);
  if (dat_is_matrix(y->p, k)) {
    declare_matrix(y, k, name);
    return;
  }
  if (d->fill && !data) {
    data = player_memory(player_bytes(y, k));
    player_fill(y, k, data, d->fill, 1);
  }
  y->memory[k] = data;
  const struct pmade *u = &y->p->made[d->set];
  if (u->points) {
    y->dats[k] =
        op2_decl_dat_box_at(y->sets[u->box], u->halo, type_dim(d->type, d->dim),
                            type_row(d->type)->op2,
                            (size_t)player_type_size(d->type), NULL, data,
                            name);
    return;
  }
  y->dats[k] = op_decl_dat_char(y->sets[d->set], type_dim(d->type, d->dim),
                                player_type_text(d), player_type_size(d->type),
                                data, name);
}

void
player_fill_gbl(const struct pgbl *g, void *memory, int formula) {
  for (int i = 0; i < g->dim; i++)
    type_store(type_lane(g->type, i), type_at(g->type, memory, i),
               value_of(g->type, formula, i));
}

op2_gbl
player_handle(const struct pgbl *g, const void *init, const char *name) {
  return op2_decl_gbl(type_dim(g->type, g->dim), type_row(g->type)->op2, init,
                      name);
}

static void
declare_gbl(struct player *y, int k) {
  const struct pgbl *g = &y->p->gbls[k];
  char *data, name[32];
  if (g->over >= 0)
    data = type_at(g->type, y->gbls[g->over], g->at);
  else
    data = player_memory(type_bytes(g->type, gbl_room(y->p, k)));
  player_fill_gbl(g, data, g->fill);
  y->gbls[k] = data;
  snprintf(name, sizeof name, "g%d", k);
  if (g->handle) y->handles[k] = player_handle(g, g->fill ? data : NULL, name);
}

static void
constants_reset(void) {
  k_int = 5;
  for (int i = 0; i < 3; i++) k_vec[i] = i;
  for (int i = 0; i < 16; i++) k_table[i] = i * i;
  k_real = 1.25;
  k_trail = 0;
  k_gain = 0;
  for (int i = 0; i < 64; i++) k_own[i] = i ? check_rank() : 0;
}

const char *play_by;

/* Coordinates of set 0, and owners for it. */
static op_dat
declare_places(struct player *y, bool owners) {
  const int *e = part_elements(&y->parts[0]);
  int n = part_count(&y->parts[0]), ranks = check_ranks();
  double *x = player_memory((size_t)n * 2 * sizeof *x);
  int *to = player_memory((size_t)n * sizeof *to);
  for (int i = 0; i < n; i++) {
    x[2 * i] = e[i] % 7;
    x[2 * i + 1] = 0.3 * (e[i] / 7);
    to[i] = (int)((y->p->seed + (uint64_t)e[i] / 5) % (uint64_t)ranks);
  }
  return owners ? op_decl_dat(y->sets[0], 1, "int", to, "owners")
                : op_decl_dat(y->sets[0], 2, "double", x, "places");
}

/* May set 0 be cut by the first map: does it lead to no box? */
static bool
map_cuts(const struct program *p) {
  return p->nmaps && !set_is_box(p, set_whole(p, p->maps[0].to));
}

/* On one rank without effect; on several another part of the mesh each time. */
static void
play_partition(struct player *y) {
  static const char *const ways[] = {"RANDOM",   "PTSCOTCH", "RANDOM", "",
                                     "INERTIAL", "EXTERNAL", ""};
  const char *by = play_by ? play_by : ways[y->p->seed % 7];
  op_set s = y->sets[0];
  /* what a rank declares and sees there then is in the new order */
  if (y->flags & PLAY_PARTS && y->flags & (PLAY_NEW_MAPS | PLAY_PEEK)) return;
  y->moved = y->flags & PLAY_PARTS && *by && strcmp(by, "none") != 0;
  if (!strcmp(by, "INERTIAL") || !strcmp(by, "EXTERNAL"))
    op_partition(by, "", s, OP_ID, declare_places(y, *by == 'E'));
  else if (!strcmp(by, "PTSCOTCH") && y->flags & PLAY_RANKS && map_cuts(y->p))
    op_partition(by, "", s, y->maps[0], NULL);
  else if (!strcmp(by, "PTSCOTCH") && !(y->flags & PLAY_RANKS))
    op_partition(by, "KWAY", s, OP_ID, NULL);
  else if (!strcmp(by, "RANDOM"))
    op_partition(by, "", s, OP_ID, NULL);
}

void
player_declare(struct player *y) {
  const struct program *p = y->p;
  y->parts = get_memory((size_t)p->nsets, sizeof *y->parts);
  y->sets = player_memory((size_t)p->nsets * sizeof *y->sets);
  y->maps = player_memory((size_t)p->nmaps * sizeof *y->maps);
  y->axes = player_memory((size_t)p->naxes * sizeof *y->axes);
  y->dats = player_memory((size_t)p->ndats * sizeof *y->dats);
  y->sparsities = player_memory((size_t)p->nsparsities * sizeof *y->sparsities);
  y->mats = player_memory((size_t)p->ndats * sizeof *y->mats);
  y->pairs = player_memory((size_t)p->nmaps * sizeof *y->pairs);
  y->memory = player_memory((size_t)p->ndats * sizeof *y->memory);
  y->gbls = player_memory((size_t)p->ngbls * sizeof *y->gbls);
  y->handles = player_memory((size_t)p->ngbls * sizeof *y->handles);
  for (int k = 0; k < p->nsets; k++) {
    bool box = set_is_box(p, k) && y->flags & PLAY_PARTS;
    if (!box) y->parts[k] = set_part(y, k);
    y->sets[k] = declare_set(y, k);
    if (box) y->parts[k] = box_part(y, k);
  }
  for (int k = 0; k < p->nmaps; k++) player_declare_map(y, k);
  for (int k = 0; k < p->naxes; k++) player_declare_axis(y, k);
  for (int k = 0; k < p->nsparsities; k++) declare_sparsity(y, k);
  for (int k = 0; k < p->ndats; k++) declare_dat(y, k);
  for (int k = 0; k < p->ngbls; k++) declare_gbl(y, k);
  if (p->seed % 5 == 0 && p->nmaps && !map_is_rule(&p->maps[0]))
    op_renumber(y->maps[0]); /* hints */
  play_partition(y);
  constants_reset();
}
