/* Declarations of maps by rule, and their tables. */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/grids.h"
#include "frontend/ranks.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static const char rule[] = "op2_decl_map_rule";
static const char by_grid[] = "op2_decl_map_grid";
static const char table[] = "op2_map_materialise";

/* ---- rules --------------------------------------------------------------- */

static status
check_set(const char *api, const char *name, const char *what, op_set set) {
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
  if (fe_handle_is(set, FE_SET) && ((struct fe_set *)set)->box) return OK;
  FAIL(ERR_ARG, "%s \"%s\": %s: expected a box or grid, found %s", api, name,
       what, fe_handle_found(set));
}

/* Both have the same points, but for colours. */
static status
check_alike(const char *api, const char *name, op_set from, op_set to) {
  TRY(check_set(api, name, "from", from));
  TRY(check_set(api, name, "to", to));
  const struct fe_box *a = ((struct fe_set *)from)->box;
  const struct fe_box *b = ((struct fe_set *)to)->box;
  if (a->ndim != b->ndim)
    FAIL(ERR_ARG, "%s \"%s\": to: expected %d dimensions as \"%s\", found %d",
         api, name, a->ndim, from->name, b->ndim);
  for (int d = 0; d < a->ndim; d++)
    if (a->n[d] != b->n[d] || a->periodic[d] != b->periodic[d])
      FAIL(ERR_ARG,
           "%s \"%s\": to: expected n = %d%s in dimension %d as \"%s\", found "
           "%d%s",
           api, name, a->n[d], a->periodic[d] ? " (periodic)" : "", d,
           from->name, b->n[d], b->periodic[d] ? " (periodic)" : "");
  return OK;
}

/* Numbers of an entry: offsets, and where `to` is a grid, a colour. */
static status
take_hop(const char *name, const struct fe_box *to, const int *at, int colour,
         int entry, struct fe_hop *out) {
  enum { FURTHEST = 1 << 20 };
  *out = (struct fe_hop){.colour = 0};
  for (int d = 0; d < to->ndim; d++) {
    if (at[d] < -FURTHEST || at[d] > FURTHEST)
      FAIL(ERR_ARG,
           "%s \"%s\": colour %d, entry %d: offset in dimension %d: expected "
           "-%d to %d, found %d",
           rule, name, colour, entry, d, FURTHEST, FURTHEST, at[d]);
    out->by[d] = at[d];
  }
  if (!to->grid) return OK;
  out->colour = at[to->ndim];
  if (out->colour < 0 || out->colour >= to->colours)
    FAIL(ERR_ARG,
         "%s \"%s\": colour %d, entry %d: colour of \"%s\": expected 0 to %d, "
         "found %d",
         rule, name, colour, entry, to->domain->pub.name, to->colours - 1,
         out->colour);
  return OK;
}

/* The handle: a map that has no table. */
static op_map
rule_publish(struct fe_rule *r) {
  size_t n = (size_t)(r->from->colours * r->count) * sizeof *r->hop;
  fe_agree_step(rule, r->name, hash_bytes(0, (const char *)r->hop, n));
  struct fe_map *m = fe_map_room();
  m->rule = r;
  r->handle = m;
  m->pub = (struct op_map_core){.index = -1,
                                .from = &r->from->domain->pub,
                                .to = &r->to->domain->pub,
                                .dim = r->count,
                                .name = fe_text_copy(r->name)};
  fe_handle_add(m, FE_RULE);
  return &m->pub;
}

static struct fe_box *
box_of(op_set set) {
  return (struct fe_box *)((struct fe_set *)set)->box;
}

static status
decl_rule(op_set from, op_set to, int count, const int *numbers,
          const char *name, op_map *out) {
  TRY(check_alike(rule, name, from, to));
  TRY(fe_check_arity(rule, name, count));
  struct fe_box *a = box_of(from), *b = box_of(to);
  int each = b->ndim + b->grid;
  if (!numbers)
    FAIL(ERR_ARG, "%s \"%s\": rule: expected %d numbers, found NULL", rule,
         name, a->colours * count * each);
  SCOPED struct fe_hop *hop =
      mem_alloc((size_t)a->colours * (size_t)count, sizeof *hop);
  for (int c = 0; c < a->colours; c++)
    for (int i = 0; i < count; i++) {
      size_t k = (size_t)c * (size_t)count + (size_t)i;
      TRY(take_hop(name, b, numbers + k * (size_t)each, c, i, &hop[k]));
    }
  *out = rule_publish(fe_rule_new(a, b, count, hop, name));
  hop = NULL;
  return OK;
}

op_map
op2_decl_map_rule(op_set from, op_set to, int count, const int *numbers,
                  const char *name) {
  op_map m = NULL;
  if (fe_enter(rule)) fe_leave(decl_rule(from, to, count, numbers, name, &m));
  return m;
}

/* ---- icosahedral grids --------------------------------------------------- */

static status
decl_grid(op_set from, op_set to, const char *name, op_map *out) {
  TRY(check_alike(by_grid, name, from, to));
  struct fe_box *a = box_of(from), *b = box_of(to);
  const struct fe_neighbours *t = fe_neighbours_of(a->colours, b->colours);
  if (!a->grid || !b->grid || !t)
    FAIL(
        ERR_ARG,
        "%s \"%s\": expected grids of cells (2 colours), edges (3) or vertices "
        "(1), found \"%s\" with %d and \"%s\" with %d",
        by_grid, name, from->name, a->colours, to->name, b->colours);
  size_t n = (size_t)a->colours * (size_t)t->count;
  struct fe_hop *hop = mem_alloc(n, sizeof *hop);
  for (size_t k = 0; k < n; k++)
    hop[k] = (struct fe_hop){{t->at[k].i, t->at[k].j}, t->at[k].colour};
  *out = rule_publish(fe_rule_new(a, b, t->count, hop, name));
  return OK;
}

op_map
op2_decl_map_grid(op_set from, op_set to, const char *name) {
  op_map m = NULL;
  if (fe_enter(by_grid)) fe_leave(decl_grid(from, to, name, &m));
  return m;
}

/* ---- tables -------------------------------------------------------------- */

/* From the domain to points with as much halo as the entries reach into. */
static status
materialise(op_map map, const char *name, struct fe_map **out) {
  struct fe_set *to;
  struct fe_map_args a = {.api = table, .name = name, .made = true};
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", table);
  if (!fe_handle_is(map, FE_RULE))
    FAIL(ERR_ARG, "%s \"%s\": map: expected one by rule, found %s", table, name,
         fe_handle_found(map));
  const struct fe_rule *r = ((struct fe_map *)map)->rule;
  struct fe_halo reach = fe_rule_reach(r, 0, r->count);
  TRY(fe_box_around(table, r->to, &reach, false, &to));
  struct fe_rows rows;
  TRY(fe_rule_rows(r, r->from->domain, to, &rows));
  a.table = rows.own;
  a.table32 = rows.own;
  a.rows = rows.all;
  a.from = map->from;
  a.to = &to->pub;
  a.dim = r->count;
  return fe_map_declare(&a, out);
}

op_map
op2_map_materialise(op_map map, const char *name) {
  struct fe_map *m = NULL;
  if (fe_enter(table)) fe_leave(materialise(map, name, &m));
  return (op_map)m;
}
