/* Boxes: points in up to four dimensions, whose neighbours are found by rule.
 *
 * Problem. A structured part of a program has no tables: a neighbour is an
 * offset. Its fields have a halo, whose width differs from field to field, with
 * boundary values that no loop writes.
 *
 * Idea. A box is a set, its domain. A dat with a halo lies on a hidden set of
 * domain and halo points, numbered in the same order, one set for each halo
 * that occurs. A rule is the offsets of a row's entries. Between two sets of
 * points of one box, or of two that are alike, it is a relation. So is the rule
 * `here`, of one entry without an offset:
 *
 *   halo 1 below, 2 above   0 1 2 3 4 5 6        domain 0 1 2 3
 *   here, from the domain   0 -> 1, 1 -> 2, 2 -> 3, 3 -> 4
 *   by (-1)(2)              0 -> 0 3, 1 -> 1 4, 2 -> 2 5, 3 -> 3 6
 *
 * In periodic dimensions entries come in again on the other side. What of this
 * a call needs is made when the call is checked, as for subsets
 * (api_subsets.c); below there are sets and maps as ever. A loop that runs over
 * its halo, too, has points with a halo for its set (box_loops.c).
 *
 * Cost. A relation for each rule and pair of halos, listed with its rule
 * (fe_rule.tables). rule_rows.c tells what it takes in memory: on one rank
 * mostly no table.
 */
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/ranks.h"

#include "base/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct fe_boxes fe_boxes;

static void
box_free(struct fe_box *b) {
  free(b->around);
  free(b->shifts);
  free(b);
}

static void
rule_free(struct fe_rule *r) {
  if (r->handle) fe_map_free(r->handle);
  free(r->tables);
  free(r->hop);
  free(r->name);
  free(r);
}

void
fe_boxes_clear(void) {
  for (struct fe_rule *r = fe_boxes.rules, *next; r; r = next) {
    next = r->next;
    rule_free(r);
  }
  for (struct fe_box *b = fe_boxes.boxes, *next; b; b = next) {
    next = b->next;
    box_free(b);
  }
  fe_boxes = (struct fe_boxes){0};
  fe.boxed = false;
}

/* ---- the end of boxes and rules ------------------------------------------ */

static void
box_leave(struct fe_box *b) {
  struct fe_box **at = &fe_boxes.boxes;
  assert(b->users);
  if (--b->users) return;
  while (*at != b) at = &(*at)->next;
  *at = b->next;
  box_free(b);
}

static void
rule_leave(struct fe_rule *r) {
  struct fe_rule **at = &fe_boxes.rules;
  assert(r->users);
  if (--r->users) return;
  while (*at != r) at = &(*at)->next;
  *at = r->next;
  box_leave(r->from);
  box_leave(r->to);
  rule_free(r);
}

/* Its memory waits for another map: a program may hold the handle, by mistake.
 */
void
fe_rule_end(struct fe_rule *r) {
  struct fe_map *m = r->handle;
  assert(!r->freed);
  r->freed = true;
  r->handle = NULL;
  if (m) VEC_PUSH(fe_all.ended, fe_all.nended, fe_all.capended, m);
  rule_leave(r);
}

void
fe_rule_left(const struct fe_rule *r) {
  rule_leave((struct fe_rule *)r);
}

bool
fe_rule_freed(const struct fe_rule *r) {
  return r->freed;
}

void
fe_points_ended(struct fe_set *s) {
  struct fe_box *b = (struct fe_box *)s->box;
  if (b->domain == s) b->domain = NULL;
  box_leave(b);
}

static void
hidden_end(struct fe_set *s) {
  s->freed = true;
  fe_all.dying++;
  fe_handle_free(s);
}

void
fe_box_end(struct fe_set *s) {
  const struct fe_box *b = s->box;
  assert(b->domain == s && s->freed);
  for (uint32_t i = 0; i < b->naround; i++) hidden_end(b->around[i]);
  if (b->plane) hidden_end(b->plane);
  for (uint32_t i = 0; i < b->nshifts; i++) fe_rule_end(b->shifts[i]);
  fe_rule_end(b->here);
}

const char *
fe_box_ruled(const struct fe_set *s) {
  for (const struct fe_rule *r = fe_boxes.rules; r; r = r->next)
    if (r->handle && (r->from == s->box || r->to == s->box)) return r->name;
  return NULL;
}

/* ---- points -------------------------------------------------------------- */

static struct fe_set *
points_new(const struct fe_box *b, const struct fe_halo *h, idx_l n,
           const char *name) {
  struct fe_set *s = fe_set_new(n, name);
  s->box = b;
  s->halo = *h;
  return s;
}

status
fe_box_make(const char *api, const char *name, const struct fe_box *like,
            struct fe_set **out) {
  static const struct fe_halo none;
  idx_l n;
  struct fe_box *b = mem_alloc(1, sizeof *b);
  *b = *like;
  fe_box_cut(b);
  status st = fe_points_count(api, name, b, &none, false, &n);
  struct fe_set *s = points_new(b, &none, st == OK ? n : 0, name);
  st = fe_points_part(api, s, b, st);
  if (st != OK) {
    fe_set_free(s);
    free(b);
    return st;
  }
  b->domain = s;
  b->users = 1;
  s->fixed = true; /* loops will go over it */
  struct fe_hop *hop = mem_alloc((size_t)b->colours, sizeof *hop);
  for (int c = 0; c < b->colours; c++) hop[c].colour = c;
  b->here = fe_rule_new(b, b, 1, hop, s->pub.name);
  b->next = fe_boxes.boxes;
  fe_boxes.boxes = b;
  fe.boxed = true;
  *out = s;
  return OK;
}

/* "cells_halo_1_1_0_2", padded or not: checkpoints have it, on any ranks. */
static void
around_name(const struct fe_box *b, const struct fe_halo *h, struct str *out) {
  str_printf(out, "%s_halo", b->domain->pub.name);
  for (int k = 0; k < 2 * b->ndim; k++) str_printf(out, "_%d", h->at[k]);
}

status
fe_points_list(const char *api, struct fe_set *s, const struct fe_box *b,
               status st) {
  st = fe_points_part(api, s, b, st);
  if (st != OK) {
    fe_set_free(s);
    return st;
  }
  fe_set_list(s);
  fe_unsettle(false);
  fe_handle_add(s, FE_POINTS);
  return OK;
}

static struct fe_set *
around_find(const struct fe_box *b, const struct fe_halo *h, bool padded) {
  static const struct fe_halo none;
  if (!memcmp(h, &none, sizeof none)) return b->domain;
  for (uint32_t i = 0; i < b->naround; i++)
    if (!memcmp(h, &b->around[i]->halo, sizeof *h) &&
        padded == b->around[i]->padded)
      return b->around[i];
  return NULL;
}

status
fe_box_around(const char *api, const struct fe_box *box,
              const struct fe_halo *h, bool padded, struct fe_set **out) {
  struct fe_box *b = (struct fe_box *)box; /* its list of these */
  assert(b->domain);
  padded = padded && fe_in_parts();
  *out = around_find(b, h, padded);
  if (*out) return OK;
  TRY(fe_agree_turn(api)); /* one may look at a dat */
  *out = around_find(b, h, padded);
  if (*out) return OK;
  SCOPED_STR name = STR_INIT;
  idx_l n;
  around_name(b, h, &name);
  status st = fe_points_count(api, name.s, b, h, padded, &n);
  struct fe_set *s = points_new(b, h, st == OK ? n : 0, name.s);
  s->padded = padded;
  TRY(fe_points_list(api, s, b, st));
  VEC_PUSH(b->around, b->naround, b->caparound, s);
  b->users++;
  *out = s;
  return OK;
}

bool
fe_points_like(const op_set_core *a, const op_set_core *b) {
  const struct fe_set *s = (const struct fe_set *)a;
  const struct fe_set *t = (const struct fe_set *)b;
  return s == t || (s->box && s->box == t->box &&
                    !memcmp(&s->halo, &t->halo, sizeof s->halo));
}

/* ---- rules --------------------------------------------------------------- */

struct fe_rule *
fe_rule_new(struct fe_box *from, struct fe_box *to, int count,
            struct fe_hop *hop, const char *name) {
  struct fe_rule *r = mem_alloc(1, sizeof *r);
  *r = (struct fe_rule){.from = from,
                        .to = to,
                        .name = fe_text_copy(name),
                        .users = 1,
                        .count = count,
                        .hop = hop,
                        .next = fe_boxes.rules};
  fe_boxes.rules = r;
  from->users++;
  to->users++;
  return r;
}

static struct fe_hop
hop_over(const struct fe_hop *a, const struct fe_hop *b) {
  struct fe_hop sum = {.colour = b->colour};
  for (int d = 0; d < FE_BOX_DIMS; d++) sum.by[d] = a->by[d] + b->by[d];
  return sum;
}

const struct fe_rule *
fe_rule_composed(const struct fe_rule *first, const struct fe_rule *then) {
  assert(first->to == then->from);
  int m = first->count, n = then->count, rows = first->from->colours * m;
  struct fe_hop *hop = mem_alloc((size_t)rows * (size_t)n, sizeof *hop);
  for (int k = 0; k < rows; k++)
    for (int i = 0; i < n; i++) {
      const struct fe_hop *by = &first->hop[k];
      hop[k * n + i] = hop_over(by, &then->hop[by->colour * n + i]);
    }
  return fe_rule_new(first->from, then->to, m * n, hop, first->name);
}

/* ---- a rule between two sets of points ----------------------------------- */

static struct fe_map *
table_find(const struct fe_rule *r, const struct fe_set *from,
           const struct fe_set *to) {
  for (uint32_t i = 0; i < r->ntables; i++)
    if (r->tables[i]->pub.from == &from->pub &&
        r->tables[i]->pub.to == &to->pub)
      return r->tables[i];
  return NULL;
}

status
fe_rule_table(struct fe_rule *r, struct fe_set *from, struct fe_set *to,
              struct fe_map **out) {
  *out = table_find(r, from, to);
  if (*out) return OK;
  TRY(fe_agree_turn(r->name)); /* one may look at a dat */
  *out = table_find(r, from, to);
  if (*out) return OK;
  TRY(fe_points_keep(from));
  SCOPED_STR name = STR_INIT;
  bool here = r == r->from->here;
  struct fe_map_args a = {.api = "rule",
                          .from = &from->pub,
                          .to = &to->pub,
                          .dim = r->count,
                          .made = true,
                          .hidden = true,
                          .column = here || r->column,
                          .included = here,
                          .by = r};
  struct fe_rows rows = {NULL, NULL};
  if (fe_ranked()) TRY(fe_rule_rows(r, from, to, &rows));
  a.table = rows.own;
  a.table32 = rows.own;
  a.rows = rows.all;
  if (here)
    str_printf(&name, "%s_in_%s", from->pub.name, to->pub.name);
  else
    str_printf(&name, "%s_in_%s", r->name, to->pub.name);
  a.name = name.s;
  TRY(fe_map_add(&a, out));
  r->users++;
  VEC_PUSH(r->tables, r->ntables, r->captables, *out);
  return OK;
}

/* ---- paths of arguments -------------------------------------------------- */

/* From points `at`, through a map (NULL: none), to `to` of the same box as it
 * leads to. */
static status
path_from(struct fe_set *at, struct fe_map *m, struct fe_set *to,
          struct fe_map **out) {
  struct fe_map *on;
  *out = m;
  if (m && m->rule) return fe_rule_table(m->rule, at, to, out);
  if (m) at = (struct fe_set *)m->pub.to;
  if (at->whole) { /* a map to a subset of the box */
    TRY(fe_map_through(m, at->into, out));
    m = *out;
    at = at->whole;
  }
  if (at == to) return OK;
  TRY(fe_rule_table(to->box->here, at, to, &on));
  if (m) return fe_map_through(m, on, out);
  *out = on;
  return OK;
}

status
fe_box_path(struct fe_set *set, struct fe_map *m, struct fe_set *to,
            struct fe_map **out) {
  if (!to) to = m->rule->to->domain; /* numbers are those of the domain */
  bool inside = set->whole && (!m || m->pub.from == &set->whole->pub);
  TRY(path_from(inside ? set->whole : set, m, to, out));
  if (!inside) return OK;
  if (!*out) {
    *out = set->into;
    return OK;
  }
  return fe_map_through(set->into, *out, out);
}
