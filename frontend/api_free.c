/* op2_free: what may go, and what uses it still. graves.c does the rest. */
#include "frontend/axis.h"
#include "frontend/columns.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"

/* On the set, or on points around it, if it is a box. */
static bool
lies_on(op_set set, const struct fe_set *s) {
  struct fe_set *domain;
  if (set == &s->pub) return true;
  return fe_points_of((const struct fe_set *)set, &domain) && domain == s;
}

/* None goes before those that are made of it. */
static status
check_followers(const struct fe_set *s) {
  for (uint32_t i = 0; i < fe_all.nsets; i++) {
    const struct fe_set *f = fe_all.sets[i];
    if (!f->freed && (f->whole == s || (f->columns && f->columns->base == s)))
      FAIL(ERR_ARG,
           "op2_free: set \"%s\": expected no set made of it, found \"%s\"",
           s->pub.name, f->pub.name);
  }
  return OK;
}

/* Sets of the program's own stay: nothing says that it is done with them. */
static status
check_set(const struct fe_set *s) {
  const char *name = s->pub.name;
  if (!s->whole && !s->columns && !s->box)
    FAIL(ERR_ARG,
         "op2_free: expected a subset, columns, a box or a map made of others, "
         "found set \"%s\" of op_decl_set",
         name);
  if (s->box && fe_axis_of(s))
    FAIL(ERR_ARG, "op2_free: box \"%s\": expected no axis of it, found one",
         name);
  TRY(check_followers(s));
  for (uint32_t i = 0; i < fe_all.ndats; i++)
    if (!fe_all.dats[i]->freed && lies_on(fe_all.dats[i]->pub.set, s))
      FAIL(ERR_ARG, "op2_free: set \"%s\": expected no dat on it, found \"%s\"",
           name, fe_all.dats[i]->pub.name);
  for (uint32_t k = 0; k < fe_all.nmaps; k++) {
    const struct fe_map *m = fe_all.maps[k];
    bool uses = lies_on(m->pub.from, s) || lies_on(m->pub.to, s);
    if (uses && !m->hidden && !m->freed)
      FAIL(ERR_ARG,
           "op2_free: set \"%s\": expected no map from it or to it, found "
           "\"%s\"",
           name, m->pub.name);
  }
  const char *ruled = s->box ? fe_box_ruled(s) : NULL;
  if (!ruled) return OK;
  FAIL(ERR_ARG,
       "op2_free: box \"%s\": expected no rule from it or to it, found \"%s\"",
       name, ruled);
}

static status
check_map(const struct fe_map *m) {
  if (m->made) return OK;
  FAIL(ERR_ARG,
       "op2_free: expected a subset, columns, a box or a map made of others, "
       "found map \"%s\" of op_decl_map",
       m->pub.name);
}

status
fe_end_handle(void *handle) {
  bool set = fe_handle_is(handle, FE_SET);
  TRY(fe_agree_turn("op2_free")); /* one may look at a dat by it still */
  struct fe_set *s = set ? handle : NULL;
  struct fe_map *m = handle;
  fe_agree_step("op2_free", set ? s->pub.name : m->pub.name, set);
  if (set) {
    s->freed = true;
    if (s->box) fe_box_end(s);
    fe_vars_remove_set(handle);
  } else {
    m->freed = true;
    fe_vars_remove_map(handle);
  }
  fe_all.dying++;
  fe_handle_free(handle);
  fe_graves_follow();
  fe_graves_dig();
  return OK;
}

/* Its tables go as hidden maps do. */
static status
end_rule(struct fe_map *m) {
  TRY(fe_agree_turn("op2_free"));
  fe_agree_step("op2_free", m->pub.name, 0);
  fe_handle_free(m);
  fe_rule_end(m->rule);
  fe_graves_follow();
  fe_graves_dig();
  return OK;
}

status
fe_axis_drop_layers(struct fe_axis *x) {
  for (; x->nlayers; x->nlayers--)
    TRY(fe_end_handle(x->layers[x->nlayers - 1].points));
  return OK;
}

static status
end_axis(struct fe_axis *x) {
  TRY(fe_axis_drop_layers(x));
  fe_axis_end(x);
  return OK;
}

static status
free_handle(void *handle) {
  bool set = fe_handle_is(handle, FE_SET), map = fe_handle_is(handle, FE_MAP);
  if (fe_handle_is(handle, FE_SPARSITY)) return fe_sparsity_free(handle);
  if (fe_handle_is(handle, FE_MAT)) return fe_mat_free(handle);
  if (fe_handle_is(handle, FE_RULE)) return end_rule(handle);
  if (fe_handle_is(handle, FE_AXIS)) return end_axis(handle);
  if (!set && !map)
    FAIL(ERR_ARG,
         "op2_free: expected a set, a map, an axis, a sparsity or a matrix, "
         "found %s",
         fe_handle_found(handle));
  TRY(set ? check_set(handle) : check_map(handle));
  return fe_end_handle(handle);
}

int
op2_free(void *handle) {
  if (!handle) return 0;
  if (!fe_enter("op2_free")) return ERR_STATE;
  return fe_leave_returned(free_handle(handle));
}
