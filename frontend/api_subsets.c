/* Subsets: some elements of a set, to run loops over.
 *
 * Problem. Loops over a zone, a boundary or all red cells use dats and maps of
 * the whole set; programs without subsets copy these, or test a flag in each
 * kernel.
 *
 * Idea. A subset S of W is a set of its own with a hidden map into W, of one
 * entry, injective: the inclusion. In a loop over S
 *
 *   dat on W                    becomes   via the inclusion
 *   dat via m, a map from W     becomes   via the inclusion, then m: a hidden
 *                                         composed map, made at need
 *   index of the element        becomes   the inclusion's entry
 *
 * when the call is checked (check.c); so passes, code, devices and ranks see
 * sets and maps as ever. That the inclusion is injective lets such loops run
 * without colours; that a write goes through a map keeps the other elements. A
 * subset of a subset leads to the whole set at once.
 *
 *   cells 0 1 2 3 4 5    odd 1 3 5    odd 1..2 of that: 3 5
 *
 * Over ranks each rank gives its own part, in the numbers of its part of the
 * parent; elements lie with those who own them in W (parts.c).
 *
 * Cost. A number for each element, two where the whole set has other numbers
 * than the program, and one for each entry of the rows that are gone through.
 */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include "base/str.h"
#include "rt/ranks/dist.h"

#include <assert.h>
#include <stdlib.h>

/* ---- lists --------------------------------------------------------------- */

/* Elements of a set as numbers of its whole set, ascending; that
 * itself has no list. */
struct members {
  const idx_l *list;
  idx_l n;
};

static struct members
members_of(const struct fe_set *s) {
  return (struct members){s->list, fe_map_rows(&s->pub)};
}

static idx_l
member(const struct members *m, idx_l i) {
  assert(i >= 0 && i < m->n);
  return m->list ? m->list[i] : i;
}

static int
by_number(const void *a, const void *b) {
  const idx_l *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* The members at[0 .. n), ascending, each once; how many. */
static idx_l
canonical(const struct members *of, idx_l n, const idx_l *at, idx_l *out) {
  idx_l k = 0;
  bool sorted = true;
  for (idx_l i = 0; i < n; i++) {
    out[i] = member(of, at[i]); /* members ascend as their numbers do */
    sorted &= !i || out[i - 1] < out[i];
  }
  if (sorted) return n;
  qsort(out, (size_t)n, sizeof *out, by_number);
  for (idx_l i = 0; i < n; i++)
    if (!k || out[k - 1] < out[i]) out[k++] = out[i];
  return k;
}

/* Which elements of two lists stay: those of the first alone, of both, of the
 * second alone. */
struct algebra {
  const char *api;
  bool first, both, second;
};

static idx_l
merge(const struct algebra *g, struct members a, struct members b, idx_l *out) {
  idx_l i = 0, j = 0, k = 0;
  while (i < a.n || j < b.n) {
    idx_l x = i < a.n ? member(&a, i) : INT32_MAX;
    idx_l y = j < b.n ? member(&b, j) : INT32_MAX;
    bool stays = x < y ? g->first : x > y ? g->second : g->both;
    if (stays) out[k++] = x < y ? x : y;
    i += x <= y;
    j += y <= x;
  }
  return k;
}

/* ---- the set ------------------------------------------------------------- */

/* The inclusion of a set with its part; over ranks its rows are global numbers.
 * */
static status
into_make(struct fe_set *s) {
  const struct rt_part *whole = s->whole->part;
  bool parts = fe_in_parts();
  idx_l n = s->pub.size;
  idx_g *rows = parts ? mem_alloc((size_t)n + 1, sizeof *rows) : NULL;
  for (idx_l e = 0; parts && e < n; e++)
    rows[e] = whole->start[fe_ranks.rank] + s->list[e];
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_into_%s", s->pub.name, s->whole->pub.name);
  return fe_map_add(&(struct fe_map_args){.from = &s->pub,
                                          .to = &s->whole->pub,
                                          .dim = 1,
                                          .table32 = parts ? NULL : s->list,
                                          .rows = rows,
                                          .name = name.s,
                                          .made = true,
                                          .hidden = true,
                                          .included = true,
                                          .keeps = !fe_ranked()},
                    &s->into);
}

status
fe_subset_make(const char *api, struct fe_set *whole, idx_l n, idx_l *list,
               const char *name, status st, struct fe_set **out) {
  struct fe_set *s = fe_set_new(n, name ? name : "");
  s->whole = whole;
  s->list = list;
  st = fe_set_part(api, s, st);
  if (st == OK && whole->box) st = fe_box_subset_layers(s);
  if (st == OK) st = into_make(s);
  if (st != OK) {
    fe_set_free(s);
    return st;
  }
  fe_set_publish(s);
  *out = s;
  return OK;
}

static struct fe_set *
whole_of(struct fe_set *s) {
  return s->whole ? s->whole : s;
}

/* ---- of indices ---------------------------------------------------------- */

static const char subset[] = "op2_decl_subset";

status
fe_check_unmoved(const char *api, const char *what, const struct fe_set *set,
                 const char *name) {
  if (!fe_in_parts() || !set->rt.part || !set->part->moved) return OK;
  FAIL(ERR_STATE,
       "%s \"%s\": expected %s before op_partition, which moves elements of "
       "set \"%s\"; found it done",
       api, name, what, set->pub.name);
}

static status
check_subset(op_set set, idx_l_t n, const idx_l_t *at, const char *name) {
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", subset);
  if (!fe_handle_is(set, FE_SET))
    FAIL(ERR_ARG, "%s \"%s\": set: expected a declared set, found %s", subset,
         name, fe_handle_found(set));
  if (n < 0)
    FAIL(ERR_ARG, "%s \"%s\": size: expected 0 or more, found %d", subset, name,
         n);
  if (n && !at)
    FAIL(ERR_ARG, "%s \"%s\": indices: expected %d numbers, found NULL", subset,
         name, n);
  TRY(fe_check_unmoved(subset, "subsets", (struct fe_set *)set, name));
  idx_l most = fe_map_rows(set);
  for (idx_l i = 0; i < n; i++)
    if (at[i] < 0 || at[i] >= most)
      FAIL(ERR_ARG,
           "%s \"%s\": index %d: expected 0 to %d (set \"%s\"), found %d%s",
           subset, name, i, most - 1, set->name, at[i],
           at[i] == most ? "; indices count from 0" : "");
  return OK;
}

static status
decl_subset(op_set set, idx_l_t n, const idx_l_t *at, const char *name,
            struct fe_set **out) {
  struct fe_set *parent = (struct fe_set *)set;
  status st = check_subset(set, n, at, name);
  if (st != OK) return fe_agree(subset, fe_all.nsets, st);
  struct members of = members_of(parent);
  idx_l *list = mem_alloc((size_t)n + 1, sizeof *list);
  idx_l k = canonical(&of, n, at, list);
  return fe_subset_make(subset, whole_of(parent), k, list, name, OK, out);
}

op_set
op2_decl_subset(op_set set, idx_l_t n, const idx_l_t *indices,
                const char *name) {
  struct fe_set *s = NULL;
  if (fe_enter(subset)) fe_leave(decl_subset(set, n, indices, name, &s));
  return (op_set)s;
}

/* ---- of two sets --------------------------------------------------------- */

static status
check_pair(const char *api, op_set a, op_set b, const char *name) {
  const op_set both[] = {a, b};
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
  for (int i = 0; i < 2; i++)
    if (!fe_handle_is(both[i], FE_SET))
      FAIL(ERR_ARG, "%s \"%s\": %s: expected a declared set, found %s", api,
           name, i ? "b" : "a", fe_handle_found(both[i]));
  struct fe_set *of = whole_of((struct fe_set *)a);
  struct fe_set *found = whole_of((struct fe_set *)b);
  if (of != found)
    FAIL(ERR_ARG,
         "%s \"%s\": b: expected set \"%s\" or a subset of it as a, found "
         "\"%s\" of set \"%s\"",
         api, name, of->pub.name, b->name, found->pub.name);
  return OK;
}

static status
decl_of_two(const struct algebra *g, op_set a, op_set b, const char *name,
            struct fe_set **out) {
  status st = check_pair(g->api, a, b, name);
  if (st != OK) return fe_agree(g->api, fe_all.nsets, st);
  struct members x = members_of((struct fe_set *)a);
  struct members y = members_of((struct fe_set *)b);
  idx_l *list = mem_alloc((size_t)x.n + (size_t)y.n + 1, sizeof *list);
  idx_l n = merge(g, x, y, list);
  return fe_subset_make(g->api, whole_of((struct fe_set *)a), n, list, name, OK,
                        out);
}

static op_set
of_two(const struct algebra *g, op_set a, op_set b, const char *name) {
  struct fe_set *s = NULL;
  if (fe_enter(g->api)) fe_leave(decl_of_two(g, a, b, name, &s));
  return (op_set)s;
}

op_set
op2_set_union(op_set a, op_set b, const char *name) {
  static const struct algebra g = {"op2_set_union", true, true, true};
  return of_two(&g, a, b, name);
}

op_set
op2_set_intersection(op_set a, op_set b, const char *name) {
  static const struct algebra g = {"op2_set_intersection", false, true, false};
  return of_two(&g, a, b, name);
}

op_set
op2_set_difference(op_set a, op_set b, const char *name) {
  static const struct algebra g = {"op2_set_difference", true, false, false};
  return of_two(&g, a, b, name);
}
