/* Scans as loops: what is checked about them beside what check.c does. scan.c
 * has what they are. */
#include "frontend/box.h"
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/decl.h"

#include "lower/kernel.h"

static const char api[] = "op2_par_loop_scan";

/* The layers that arguments name, around the element's own. */
static status
find_layers(const struct fe_loop *l, const struct fe_set *whole,
            struct fe_scan *s) {
  if (whole->box) return fe_box_layers_find(l, s);
  for (int a = 0; a < l->nargs; a++) {
    const op_arg *x = &l->args[a];
    if (!x->opt || x->argtype != OP2_ARG_LAYER) continue;
    if (x->idx < s->low) s->low = x->idx;
    if (x->idx > s->high) s->high = x->idx;
  }
  return OK;
}

status
fe_scan_place(struct fe_loop *l) {
  if (!l->name || !fe_handle_is(l->set, FE_SET) || l->nargs < 0 ||
      l->nargs > FE_MAX_ARGS)
    return OK; /* check.c tells */
  struct fe_set *set = (struct fe_set *)l->set;
  struct fe_set *whole = set->whole ? set->whole : set;
  if (!whole->columns && !whole->box)
    FAIL(ERR_ARG,
         "%s \"%s\": set: expected columns (op2_decl_columns), a box, or a "
         "subset of these, found set \"%s\"",
         api, l->name, set->pub.name);
  if (l->order != OP2_FORWARD && l->order != OP2_BACKWARD)
    FAIL(ERR_ARG,
         "%s \"%s\": order: expected OP2_FORWARD or OP2_BACKWARD, found %d",
         api, l->name, l->order);
  struct fe_scan s = {.order = l->order};
  TRY(find_layers(l, whole, &s));
  TRY(fe_scan_rows(set, &s));
  l->each = s.rows;
  l->set = &whole->pub;
  return OK;
}

/* ---- its arguments ------------------------------------------------------- */

#define SCAN_FAIL(l, arg, fmt, ...)                                            \
  FAIL(ERR_ARG, "%s \"%s\": argument %d: " fmt, api, (l)->name, arg,           \
       __VA_ARGS__)

/* The element's own, also of a dat with a halo. */
static bool
is_own(const struct fe_arg *x) {
  return !x->map || fe_map_is_here(x->map);
}

/* What other layers and columns have is only read. */
static status
check_reads(const struct fe_loop *l, int a, const struct fe_arg *x,
            const struct low_kernel *k) {
  const char *where = l->args[a].argtype == OP2_ARG_LAYER ? "of another layer"
                                                          : "through a map";
  if (is_own(x)) return OK;
  if (x->access != OP_READ)
    SCAN_FAIL(l, a,
              "a scan writes its own layer: expected OP_READ %s, found "
              "%s of \"%s\"",
              where, fe_access_text(x->access), x->dat->pub.name);
  if (!k->opaque && k->params[a].stores)
    SCAN_FAIL(l, a,
              "a scan writes its own layer: expected a kernel that reads "
              "\"%s\" %s, found one that stores to it",
              x->dat->pub.name, where);
  if (x->map->start)
    SCAN_FAIL(l, a, "expected a map whose rows have one length, found \"%s\"",
              x->map->pub.name);
  return OK;
}

static status
check_kind(const struct fe_loop *l, int a, const struct fe_arg *x,
           const struct low_kernel *k) {
  const char *found = NULL;
  switch (x->kind) {
  case FE_ARG_IDX:
  case FE_ARG_NUMBER: found = "an index"; break;
  case FE_ARG_LENGTH: found = "a row length"; break;
  case FE_ARG_INFO: found = "a payload"; break;
  case FE_ARG_DAT:
    if (l->args[a].argtype != OP2_ARG_MAT && l->args[a].argtype != OP2_ARG_MASK)
      return check_reads(l, a, x, k);
    found = "a matrix";
    break;
  default: return OK;
  }
  SCAN_FAIL(l, a, "expected dats and globals in a scan, found %s", found);
}

/* Argument a reads beside the element what argument b writes. */
static status
check_order(const struct fe_loop *l, int a, const struct fe_arg *x,
            const struct fe_arg *y) {
  int dl = l->args[a].idx;
  bool up = l->order == OP2_FORWARD;
  if (x->dat != y->dat)
    SCAN_FAIL(l, a,
              "\"%s\" shares memory with \"%s\", which the scan writes: "
              "expected one that does not",
              x->dat->pub.name, y->dat->pub.name);
  if (l->args[a].argtype != OP2_ARG_LAYER)
    SCAN_FAIL(l, a,
              "expected a dat that the scan does not write, or a layer "
              "of the column, found \"%s\" through map \"%s\"",
              x->dat->pub.name, l->args[a].map->name);
  if (up ? dl > 0 : dl < 0)
    SCAN_FAIL(l, a,
              "layer of \"%s\", which the scan writes: expected one "
              "before its own, %s in order %s, found %+d",
              x->dat->pub.name, up ? "below 0" : "above 0",
              up ? "OP2_FORWARD" : "OP2_BACKWARD", dl);
  return OK;
}

status
fe_scan_check(const struct fe_loop *l, const struct fe_arg *args,
              const struct low_kernel *k) {
  for (int a = 0; a < l->nargs; a++) TRY(check_kind(l, a, &args[a], k));
  for (int a = 0; a < l->nargs; a++)
    for (int b = 0; b < l->nargs; b++) {
      const struct fe_arg *x = &args[a], *y = &args[b];
      bool writes = y->dat && is_own(y) && y->access != OP_READ;
      if (!x->dat || is_own(x) || !writes || x->dat->root != y->dat->root)
        continue;
      TRY(check_order(l, a, x, y));
    }
  return OK;
}
