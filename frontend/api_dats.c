/* Declarations: sets, maps, dats, temporaries, overlays, constants. */
#include "frontend/checkpoint.h"
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"
#include "frontend/values.h"

#include <limits.h>
#include <string.h>

/* ---- dats --------------------------------------------------------------- */

status
fe_check_bytes(const char *api, const char *name, int dim, struct type type) {
  int most = INT_MAX / (int)type.size;
  if (dim > most)
    FAIL(ERR_ARG, "%s \"%s\": dim: expected at most %d of %s, found %d", api,
         name ? name : "", most, type_text(type), dim);
  return OK;
}

static status
check_dat_type(const struct fe_dat_args *a, struct type *out, bool *soa_out) {
  struct type c;
  if (!a->type || !type_from_name(a->type, a->elem_size, out, soa_out))
    FAIL(ERR_ARG, "%s \"%s\": type: expected a type name, found \"%s\"", a->api,
         a->name, a->type ? a->type : "NULL");
  TRY(fe_check_bytes(a->api, a->name, a->dim, *out));
  if (!a->ctype) return OK;
  bool known = type_from_name(a->ctype, 0, &c, NULL);
  if (known ? !type_same(c, *out) : !strcmp(a->ctype, "?"))
    FAIL(ERR_ARG,
         "%s \"%s\": wrong type: expected \"%s\" as the memory given, found "
         "\"%s\"",
         a->api, a->name, a->ctype, a->type);
  return OK;
}

status
fe_check_dat_args(const struct fe_dat_args *a) {
  if (!a->name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", a->api);
  bool points = a->points && fe_handle_is(a->set, FE_POINTS);
  if (!points && !fe_handle_is(a->set, FE_SET))
    FAIL(ERR_ARG, "%s \"%s\": set: expected a declared set, found %s", a->api,
         a->name, fe_handle_found(a->set));
  if (a->dim < 1)
    FAIL(ERR_ARG, "%s \"%s\": dim: expected 1 or more, found %d", a->api,
         a->name, a->dim);
  return OK;
}

/* The handle is valid from now on; on failure the slot waits for another. */
static status
dat_publish(struct fe_dat *d, status st, struct fe_dat **out) {
  if (st != OK) {
    d->freed = true;
    fe_slot_park(d);
    return st;
  }
  fe.pins += d->pinned || (fe.arrays_apart && d->declared_from);
  d->rt.name = d->pub.name;
  fe_handle_add(d, FE_DAT);
  fe_vars_add_dat(&d->pub, d->declared_from);
  *out = d;
  return OK;
}

/* Storage for a dat, as the library chooses it, or a slot's layout. */
static status
dat_store(const struct fe_dat_args *a, struct type type, bool soa,
          const struct fe_dat *slot, struct fe_dat *out) {
  bool foreign = fe.no_realloc && a->data && !a->temp && !a->copy;
  struct fe_set *set = (struct fe_set *)a->set;
  bool held = slot && slot->held; /* so that loops of each step are the same */
  *out =
      (struct fe_dat){.pinned = foreign || held || (fe.mirror && !fe_ranked()),
                      .held = held,
                      .declared_from = a->copy ? NULL : a->data};
  if (out->pinned) TRY(fe_number_fix(set));
  out->block = out->pinned ? 1 : fe_slot_block(a->dim, soa);
  out->auto_layout = !out->pinned && !soa && fe_layout_free();
  if (slot) out->block = slot->block, out->auto_layout = slot->auto_layout;
  struct rt_shape shape = {.n = a->set->size,
                           .dim = (uint32_t)a->dim,
                           .type = type,
                           .block = out->block,
                           .name = fe_told_name(a->name)};
  status st =
      fe.opt.bare && !foreign
          ? rt_dat_bare(&out->rt, shape)
          : rt_dat_init(&out->rt, shape, a->temp ? NULL : a->data, foreign);
  if (st == OK && out->pinned && !foreign) st = rt_dat_pin(&out->rt);
  if (st == OK && !fe_ranked()) st = rt_dat_reorder(&out->rt, set->rt.order);
  if (st != OK) return err_prefix(st, "%s \"%s\": ", a->api, a->name);
  return OK;
}

status
fe_decl_dat(const struct fe_dat_args *a, struct fe_dat **out) {
  struct type type;
  struct fe_dat made;
  bool soa;
  TRY(fe_check_dat_args(a));
  TRY(check_dat_type(a, &type, &soa));
  if (!a->inner) TRY(fe_agree_turn(a->api)); /* what spreads is known on all */
  struct fe_like like = {a->set, a->dim, type, a->type, a->temp, NULL};
  struct fe_dat *slot = fe_slot_like(&like);
  TRY(dat_store(a, type, soa, slot, &made));
  struct fe_dat *d = fe_slot_take(slot, &like, a->name, &made);
  d->spreads = a->spreads;
  d->inner = a->inner;
  d->made = ((const struct fe_set *)a->set)->halo;
  fe_agree_step(a->api, a->name, (uint64_t)d->pub.size << 32 | d->born);
  status st = fe_ranked() ? fe_ranks_dat(d) : OK;
  if (st == OK && d->rt.foreign && a->data) st = fe_slot_join(d);
  return dat_publish(d, st, out);
}

op_dat
op2_decl_dat_at(op_set set, int dim, const char *type, size_t elem_size,
                const char *ctype, void *data, const char *name) {
  struct fe_dat *d = NULL;
  struct fe_dat_args a = {"op_decl_dat", set,   dim,  type,  elem_size,
                          ctype,         data,  name, false, false,
                          false,         false, false};
  if (fe_enter("op_decl_dat")) fe_leave(fe_decl_dat(&a, &d));
  return (op_dat)d;
}

op_dat
op_decl_dat_char(op_set set, int dim, char const *type, int size, char *data,
                 char const *name) {
  return op2_decl_dat_at(set, dim, type, (size_t)size, NULL, data, name);
}

status
fe_check_temp_name(const char *api, const char *name) {
  for (uint32_t i = 0; name && i < fe_all.ndats; i++)
    if (fe_all.dats[i]->temp && !fe_all.dats[i]->freed &&
        !fe_all.dats[i]->inner && !fe_all.dats[i]->base &&
        !strcmp(fe_all.dats[i]->pub.name, name))
      FAIL(ERR_ARG,
           "%s \"%s\": expected a name that no live temporary has, found one "
           "on set \"%s\"",
           api, name, fe_all.dats[i]->pub.set->name);
  return OK;
}

op_dat
op2_decl_dat_temp_at(op_set set, int dim, const char *type, size_t elem_size,
                     const char *ctype, void *data, const char *name) {
  struct fe_dat *d = NULL;
  if (!fe_enter("op_decl_dat_temp")) return NULL;
  struct fe_dat_args a = {"op_decl_dat_temp",
                          set,
                          dim,
                          type,
                          elem_size,
                          ctype,
                          data,
                          name,
                          true,
                          false,
                          false,
                          false,
                          false};
  status st = fe_check_temp_name(a.api, name);
  if (st == OK) st = fe_decl_dat(&a, &d);
  fe_leave(st);
  return (op_dat)d;
}

op_dat
op_decl_dat_temp_char(op_set set, int dim, char const *type, int size,
                      char const *name) {
  return op2_decl_dat_temp_at(set, dim, type, (size_t)size, NULL, NULL, name);
}

int
op_free_dat_temp(op_dat dat) {
  if (!fe_enter("op_free_dat_temp")) return ERR_STATE;
  struct fe_dat *d = (struct fe_dat *)dat;
  if (!fe_handle_is(dat, FE_DAT))
    return (int)fe_error_returned(err_set(
        ERR_ARG, "op_free_dat_temp: expected a live temporary, found %s",
        fe_handle_found(dat)));
  if (!d->temp)
    return (int)fe_error_returned(
        err_set(ERR_ARG,
                "op_free_dat_temp: expected a dat of op_decl_dat_temp, found "
                "\"%s\"",
                d->pub.name));
  if (fe.nviews) fe_views_close();               /* it may be one of them */
  status st = fe_agree_turn("op_free_dat_temp"); /* one may look at it still */
  if (st != OK) return (int)fe_error_returned(st);
  fe_checkpoint_drop(d);
  fe_void_clear(d);
  d->freed = true;
  fe_handle_free(d);
  fe_vars_remove_dat(&d->pub);
  fe_agree_step("op_free_dat_temp", d->pub.name, d->born);
  if (!fe_waits(d->used_in))
    fe_slot_park(d);
  else if (!d->pinned) /* of memory that others see no value ends */
    fe_record(FE_REC_FREE_DAT, d->index, NULL, 0);
  fe.file = NULL;
  return 0;
}

int
op_free_dat_temp_char(op_dat dat) {
  return op_free_dat_temp(dat);
}

/* ---- overlays ----------------------------------------------------------- */

/* A dat on memory that another one has. An overlay of an overlay lies on the
 * same dat's. */
static status
decl_overlay(op_set set, struct fe_dat *base, struct fe_dat **out) {
  if (!fe_handle_is(set, FE_SET))
    FAIL(ERR_ARG, "op_decl_dat_overlay: set: expected a declared set, found %s",
         fe_handle_found(set));
  if (set->size > base->pub.set->size)
    FAIL(ERR_ARG,
         "op_decl_dat_overlay: expected a set of at most %d elements as dat "
         "\"%s\", found \"%s\" of %d",
         base->pub.set->size, base->pub.name, set->name, set->size);
  if (base->spreads)
    FAIL(ERR_ARG,
         "op_decl_dat_overlay: expected a dat that is no temporary of a box, "
         "found \"%s\"",
         base->pub.name);
  struct fe_dat made = {.pinned = true, .block = 1};
  struct fe_dat *owner = base->base ? base->base : base;
  if (!base->pinned) {
    if (fe_all.nvoid) TRY(fe_void_check("op_decl_dat_overlay", base));
    TRY(fe_number_fix((struct fe_set *)base->pub.set)); /* one rank */
    TRY(fe_dat_pin(base));
  }
  TRY(fe_number_fix((struct fe_set *)set));
  struct rt_shape shape = base->rt.shape;
  shape.n = set->size;
  made.declared_from = base->pub.data;
  TRY(rt_dat_init(&made.rt, shape, base->pub.data, true));
  struct fe_like like = {set,         base->pub.dim, base->type, base->pub.type,
                         owner->temp, owner};
  struct fe_dat *d =
      fe_slot_take(fe_slot_like(&like), &like, base->pub.name, &made);
  return dat_publish(d, fe_slot_join(d), out);
}

op_dat
op_decl_dat_overlay(op_set set, op_dat dat) {
  struct fe_dat *d = NULL;
  if (!fe_enter("op_decl_dat_overlay")) return NULL;
  status st = OK;
  if (!fe_handle_is(dat, FE_DAT))
    st = err_set(ERR_ARG,
                 "op_decl_dat_overlay: dat: expected a declared dat, found %s",
                 fe_handle_found(dat));
  if (st == OK) st = decl_overlay(set, (struct fe_dat *)dat, &d);
  fe_leave(st);
  return (op_dat)d;
}

op_dat
op_decl_dat_overlay_ptr(op_set set, char *data) {
  struct fe_dat *d = NULL;
  if (!fe_enter("op_decl_dat_overlay_ptr")) return NULL;
  status st = err_set(
      ERR_ARG,
      "op_decl_dat_overlay_ptr: expected the data of a declared dat, found %p",
      (void *)data);
  for (uint32_t i = 0; i < fe_all.ndats && !d; i++)
    if (!fe_all.dats[i]->freed && fe_all.dats[i]->pub.data == data) {
      st = decl_overlay(set, fe_all.dats[i], &d);
      break;
    }
  fe_leave(st);
  return (op_dat)d;
}
