/* Declarations of maps that are made from other maps: composed and permuted
 * ones. maps.c makes their rows. */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include <limits.h>
#include <stdlib.h>

static status
check_map(const char *api, const char *name, const char *what, op_map map) {
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
  if (!fe_handle_is(map, FE_MAP))
    FAIL(ERR_ARG, "%s \"%s\": %s: expected a declared map, found %s", api, name,
         what, fe_handle_found(map));
  return OK;
}

static const char composed[] = "op2_decl_map_composed";
static const char permuted[] = "op2_decl_map_permuted";

static status
check_composed(op_map first, op_map then, const char *name) {
  TRY(check_map(composed, name, "first", first));
  TRY(check_map(composed, name, "then", then));
  const struct fe_set *to = (struct fe_set *)first->to;
  if (then->from != first->to && (!to->whole || &to->whole->pub != then->from))
    FAIL(ERR_ARG,
         "%s \"%s\": then: expected a map from set \"%s\", to which map \"%s\" "
         "leads, found \"%s\" from \"%s\"",
         composed, name, first->to->name, first->name, then->name,
         then->from->name);
  bool own = ((struct fe_map *)first)->start || ((struct fe_map *)then)->start;
  long long dim = (long long)first->dim * then->dim;
  if (dim > (own ? INT_MAX : FE_ARITY_MAX))
    FAIL(ERR_ARG, "%s \"%s\": expected rows of at most %d entries, found %lld",
         composed, name, FE_ARITY_MAX, dim);
  return OK;
}

static status
decl_composed(op_map first, op_map then, const char *name,
              struct fe_map **out) {
  status st = check_composed(first, then, name);
  TRY(fe_agree_turn(composed));
  TRY(fe_agree(composed, fe_all.nmaps, st));
  struct fe_map *a = (struct fe_map *)first, *b = (struct fe_map *)then;
  if (first->to != then->from)
    TRY(fe_map_through(a, ((struct fe_set *)first->to)->into, &a));
  TRY(fe_map_compose(a, b, name, false, out));
  fe_map_publish(*out);
  return OK;
}

op_map
op2_decl_map_composed(op_map first, op_map then, const char *name) {
  struct fe_map *m = NULL;
  if (fe_enter(composed)) fe_leave(decl_composed(first, then, name, &m));
  return (op_map)m;
}

static status
check_permuted(op_map map, const int *perm, const char *name) {
  TRY(check_map(permuted, name, "map", map));
  if (((struct fe_map *)map)->start)
    FAIL(
        ERR_ARG,
        "%s \"%s\": map: expected one whose rows have one length, found \"%s\" "
        "of op2_decl_map_csr",
        permuted, name, map->name);
  if (!perm)
    FAIL(ERR_ARG, "%s \"%s\": perm: expected %d numbers, found NULL", permuted,
         name, map->dim);
  SCOPED char *seen = mem_alloc((size_t)map->dim, 1);
  for (int i = 0; i < map->dim; i++) {
    if (perm[i] < 0 || perm[i] >= map->dim)
      FAIL(ERR_ARG, "%s \"%s\": perm[%d]: expected 0 to %d, found %d", permuted,
           name, i, map->dim - 1, perm[i]);
    if (seen[perm[i]])
      FAIL(ERR_ARG,
           "%s \"%s\": perm[%d]: expected each entry once, found %d again",
           permuted, name, i, perm[i]);
    seen[perm[i]] = 1;
  }
  return OK;
}

static status
decl_permuted(op_map map, const int *perm, const char *name,
              struct fe_map **out) {
  status st = check_permuted(map, perm, name);
  TRY(fe_agree_turn(permuted));
  TRY(fe_agree(permuted, fe_all.nmaps, st));
  TRY(fe_map_permute((struct fe_map *)map, perm, name, out));
  fe_map_publish(*out);
  return OK;
}

op_map
op2_decl_map_permuted(op_map map, const int *perm, const char *name) {
  struct fe_map *m = NULL;
  if (fe_enter(permuted)) fe_leave(decl_permuted(map, perm, name, &m));
  return (op_map)m;
}
