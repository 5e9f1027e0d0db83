/* Declarations: sets, maps, dats, temporaries, overlays, constants. */
#include "frontend/access.h"
#include "frontend/checkpoint.h"
#include "frontend/decl.h"
#include "frontend/mirror.h"
#include "frontend/ranks.h"
#include "frontend/slots.h"
#include "frontend/vars.h"

#include "rt/store/dev.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets --------------------------------------------------------------- */

status
fe_decl_set(idx_l n, const char *name, struct fe_set **out) {
  if (!name) FAIL(ERR_ARG, "op_decl_set: name: expected a text, found NULL");
  if (n < 0)
    FAIL(ERR_ARG, "op_decl_set \"%s\": size: expected 0 or more, found %d",
         name, n);
  struct fe_set *s = mem_alloc(1, sizeof *s);
  s->pub.index = (int)fe.nsets;
  s->pub.size = s->pub.core_size = n;
  s->pub.name = fe_text_copy(name);
  s->rt = (struct rt_set){.n = n, .name = s->pub.name};
  TRY(fe_agree("op_decl_set", (uint64_t)fe.nsets, OK));
  TRY(fe_ranks_set(s));
  VEC_PUSH(fe.sets, fe.nsets, fe.capsets, s);
  fe.unsettled = true;
  fe_handle_add(s, FE_SET);
  fe_vars_add_set(&s->pub);
  *out = s;
  return OK;
}

op_set
op_decl_set(idx_l_t n, const char *name) {
  struct fe_set *s = NULL;
  if (!fe_enter("op_decl_set")) return NULL;
  status st = fe_decl_set(n, name, &s);
  if (st != OK) fe_error(st);
  fe.file = NULL;
  return (op_set)s;
}

/* ---- maps --------------------------------------------------------------- */

status
fe_check_map_args(op_set from, op_set to, int dim, const char *name) {
  if (!name) FAIL(ERR_ARG, "op_decl_map: name: expected a text, found NULL");
  if (!fe_handle_is(from, FE_SET))
    FAIL(ERR_ARG, "op_decl_map \"%s\": from: expected a declared set, found %s",
         name, fe_handle_found(from));
  if (!fe_handle_is(to, FE_SET))
    FAIL(ERR_ARG, "op_decl_map \"%s\": to: expected a declared set, found %s",
         name, fe_handle_found(to));
  if (dim < 1 || dim > FE_ARITY_MAX)
    FAIL(ERR_ARG, "op_decl_map \"%s\": dim: expected 1 to %d, found %d", name,
         FE_ARITY_MAX, dim);
  return OK;
}

uint32_t
fe_map_flags(const struct rt_facts *f) {
  return (f->onto ? IR_MAP_ONTO : 0) | (f->injective ? IR_MAP_INJECTIVE : 0) |
         (f->repeats ? IR_MAP_REPEATS : 0);
}

/* Range of every entry, and what the table proves about itself. */
static status
scan_table(struct fe_map *m, int base) {
  struct rt_facts f;
  TRY(rt_relation_scan(&m->rt, &f));
  m->flags = fe_map_flags(&f);
  if (f.bad < 0) return OK;
  idx_l t = rt_row(&m->rt, f.bad).at[f.bad_entry], to = m->rt.to->n;
  FAIL(ERR_ARG,
       "op_decl_map \"%s\": entry %u of element %d: expected %d to %d (set "
       "\"%s\"), found %d%s",
       m->pub.name, f.bad_entry, f.bad, base, to - 1 + base, m->pub.to->name,
       t + base, t == to && !base ? FE_FROM_ONE : "");
}

enum { TABLE_THREADED = 1 << 18 };

/* The table as 32-bit entries from 0; each thread touches first what it will
 * use. */
static status
make_table(struct fe_map *m, const int *table32, const long long *table64,
           int base) {
  size_t n = m->bytes / sizeof(idx_l);
  idx_l *t = rt_mem_new(m->bytes);
  if (!t)
    FAIL(ERR_MEMORY, "op_decl_map \"%s\": no memory for its %zu bytes",
         m->pub.name, m->bytes);
#pragma omp parallel for schedule(static) if (n > TABLE_THREADED)
  for (size_t i = 0; i < n; i++) {
    long long v = (table32 ? table32[i] : table64[i]) - base;
    t[i] = v < INT32_MIN || v > INT32_MAX ? -1 : (idx_l)v;
  }
  m->pub.map = t;
  return OK;
}

status
fe_decl_map(op_set from, op_set to, int dim, const int *table32,
            const long long *table64, const char *name, struct fe_map **out) {
  TRY(fe_check_map_args(from, to, dim, name));
  if (!table32 && !table64 && from->size)
    FAIL(
        ERR_ARG,
        "op_decl_map \"%s\": table: expected %d rows of %d entries, found NULL",
        name, from->size, dim);
  struct fe_map *m = mem_alloc(1, sizeof *m);
  m->foreign = fe.no_realloc && table32 && !fe.base_index;
  m->rt = (struct rt_relation){.from = &((struct fe_set *)from)->rt,
                               .to = &((struct fe_set *)to)->rt,
                               .arity = (uint32_t)dim};
  m->declared_from = table32 ? (void *)table32 : (void *)table64;
  m->pub.index = (int)fe.nmaps;
  m->pub.from = from;
  m->pub.to = to;
  m->pub.dim = dim;
  m->pub.name = m->rt.name = fe_text_copy(name);
  m->pub.map = m->foreign ? (int *)table32 : NULL;
  m->bytes = (size_t)from->size * (size_t)dim * sizeof(idx_l);
  status st = m->foreign ? OK : make_table(m, table32, table64, fe.base_index);
  m->rt.table = m->pub.map;
  if (st == OK)
    st = fe_ranked() ? fe_ranks_map(m, table32, table64, fe.base_index)
                     : scan_table(m, fe.base_index);
  if (st == OK && !fe_ranked()) st = fe_number_map(m);
  if (st != OK) {
    fe_map_free(m);
    return st;
  }
  fe_agree_step("op_decl_map", name,
                (uint64_t)dim << 40 | (uint64_t)from->index << 20 |
                    (uint64_t)to->index);
  VEC_PUSH(fe.maps, fe.nmaps, fe.capmaps, m);
  fe.unsettled = true;
  fe_handle_add(m, FE_MAP);
  fe_vars_add_map(&m->pub);
  *out = m;
  return OK;
}

op_map
op_decl_map(op_set from, op_set to, int dim, idx_l_t *table, const char *name) {
  struct fe_map *m = NULL;
  if (!fe_enter("op_decl_map")) return NULL;
  status st = fe_decl_map(from, to, dim, table, NULL, name, &m);
  if (st != OK) fe_error(st);
  fe.file = NULL;
  return (op_map)m;
}

op_map
op_decl_map_long(op_set from, op_set to, int dim, idx_g_t *table,
                 const char *name) {
  struct fe_map *m = NULL;
  if (!fe_enter("op_decl_map_long")) return NULL;
  status st = fe_decl_map(from, to, dim, NULL, table, name, &m);
  if (st != OK) fe_error(st);
  fe.file = NULL;
  return (op_map)m;
}

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
  if (!fe_handle_is(a->set, FE_SET))
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
  out->block = out->pinned
                   ? 1
                   : (uint32_t)rt_layout_choose(fe.opt.layout, (unsigned)a->dim,
                                                soa || fe.auto_soa);
  out->auto_layout = !out->pinned && !soa && fe_layout_free();
  if (slot) out->block = slot->block, out->auto_layout = slot->auto_layout;
  struct rt_shape shape = {a->set->size, (uint32_t)a->dim, type, out->block};
  status st = rt_dat_init(&out->rt, shape, a->temp ? NULL : a->data, foreign);
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
  struct fe_like like = {a->set, a->dim, type, a->type, a->temp, NULL};
  struct fe_dat *slot = fe_slot_like(&like);
  TRY(dat_store(a, type, soa, slot, &made));
  struct fe_dat *d = fe_slot_take(slot, &like, a->name, &made);
  fe_agree_step(a->api, a->name, (uint64_t)d->pub.size << 32 | d->index);
  status st = fe_ranked() ? fe_ranks_dat(d) : OK;
  if (st == OK && d->rt.foreign && a->data) st = fe_slot_join(d);
  return dat_publish(d, st, out);
}

op_dat
op2_decl_dat_at(op_set set, int dim, const char *type, size_t elem_size,
                const char *ctype, void *data, const char *name) {
  struct fe_dat *d = NULL;
  if (!fe_enter("op_decl_dat")) return NULL;
  struct fe_dat_args a = {"op_decl_dat", set,  dim,  type,  elem_size,
                          ctype,         data, name, false, false};
  status st = fe_decl_dat(&a, &d);
  if (st != OK) fe_error(st);
  fe.file = NULL;
  return (op_dat)d;
}

op_dat
op_decl_dat_char(op_set set, int dim, char const *type, int size, char *data,
                 char const *name) {
  return op2_decl_dat_at(set, dim, type, (size_t)size, NULL, data, name);
}

static status
check_temp_name(const char *name) {
  for (uint32_t i = 0; name && i < fe.ndats; i++)
    if (fe.dats[i]->temp && !fe.dats[i]->freed && !fe.dats[i]->base &&
        !strcmp(fe.dats[i]->pub.name, name))
      FAIL(ERR_ARG,
           "op_decl_dat_temp \"%s\": expected a name that no live temporary "
           "has, found one on set \"%s\"",
           name, fe.dats[i]->pub.set->name);
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
                          false};
  status st = check_temp_name(name);
  if (st == OK) st = fe_decl_dat(&a, &d);
  if (st != OK) fe_error(st);
  fe.file = NULL;
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
  fe_agree_step("op_free_dat_temp", d->pub.name, d->index);
  if (!d->pending_readers)
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
  struct fe_dat made = {.pinned = true, .block = 1};
  struct fe_dat *owner = base->base ? base->base : base;
  if (!base->pinned) {
    if (fe.nvoid) TRY(fe_void_check("op_decl_dat_overlay", base));
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
  if (st != OK) fe_error(st);
  fe.file = NULL;
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
  for (uint32_t i = 0; i < fe.ndats && !d; i++)
    if (!fe.dats[i]->freed && fe.dats[i]->pub.data == data) {
      st = decl_overlay(set, fe.dats[i], &d);
      break;
    }
  if (st != OK) fe_error(st);
  fe.file = NULL;
  return (op_dat)d;
}

/* ---- constants ---------------------------------------------------------- */

/* Kernels mention constants by address, and each call captures the ones that
 * its kernel mentions (consts.c); the declaration is only checked. */
void
op2_decl_const_at(const char *name, int dim, const char *type, size_t elem_size,
                  const char *ctype, const void *data) {
  if (!fe_enter("op_decl_const")) return;
  struct type t, c;
  status st = OK;
  if (dim < 1)
    st = err_set(ERR_ARG, "op_decl_const: dim: expected 1 or more, found %d",
                 dim);
  else if (!data)
    st = err_set(ERR_ARG, "op_decl_const: expected an address, found NULL");
  else if (!type || !type_from_name(type, elem_size, &t, NULL))
    st = err_set(ERR_ARG, "op_decl_const: expected a type name, found \"%s\"",
                 type ? type : "NULL");
  else if (ctype && (type_from_name(ctype, 0, &c, NULL) ? !type_same(c, t)
                                                        : !strcmp(ctype, "?")))
    st = err_set(ERR_ARG,
                 "op_decl_const%s%s: wrong type: expected \"%s\" as the memory "
                 "given, found \"%s\"",
                 name ? " " : "", name ? name : "", ctype, type);
  if (st == OK) st = fe_check_bytes("op_decl_const", name, dim, t);
  if (st == OK) fe_watch_add(data, (size_t)dim * t.size);
  if (st != OK) fe_error(st);
  fe.file = NULL;
}

void
op_decl_const_char(int dim, char const *type, int size, char *data,
                   char const *name) {
  op2_decl_const_at(name, dim, type, (size_t)size, NULL, data);
}

/* ---- sizes -------------------------------------------------------------- */

static const struct fe_set *
set_of(op_set set, const char *api) {
  if (!fe_enter(api)) return NULL;
  if (!fe_handle_is(set, FE_SET)) {
    fe_error(err_set(ERR_ARG, "%s: expected a declared set, found %s", api,
                     fe_handle_found(set)));
    return NULL;
  }
  fe.file = NULL;
  return (struct fe_set *)set;
}

idx_g_t
op_get_size(op_set set) {
  const struct fe_set *s = set_of(set, "op_get_size");
  return s ? s->part.total : -1;
}

int
op_get_size_local(op_set set) {
  const struct fe_set *s = set_of(set, "op_get_size_local");
  return s ? s->pub.size : -1;
}

int
op_get_size_local_core(op_set set) {
  const struct fe_set *s = set_of(set, "op_get_size_local_core");
  return s ? s->pub.core_size : -1;
}

int
op_get_size_local_exec(op_set set) {
  const struct fe_set *s = set_of(set, "op_get_size_local_exec");
  return s ? s->pub.size + s->pub.exec_size : -1;
}

int
op_get_size_local_full(op_set set) {
  const struct fe_set *s = set_of(set, "op_get_size_local_full");
  return s ? s->pub.size + s->pub.exec_size + s->pub.nonexec_size : -1;
}

/* Of the declared part. */
idx_g_t
op_get_global_set_offset(op_set set) {
  const struct fe_set *s = set_of(set, "op_get_global_set_offset");
  if (!s) return -1;
  return fe.whole ? 0 : s->part.start[fe.comm.rank];
}

int
op_size_of_set(const char *name) {
  if (!fe_enter("op_size_of_set")) return -1;
  for (uint32_t i = 0; name && i < fe.nsets; i++)
    if (!strcmp(fe.sets[i]->pub.name, name)) return fe.sets[i]->pub.size;
  fe_error(err_set(ERR_ARG, "op_size_of_set: no set has the name \"%s\"",
                   name ? name : "NULL"));
  return -1;
}
