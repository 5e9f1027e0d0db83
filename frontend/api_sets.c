/* Declarations of sets, maps and constants, and how many elements there are. */
#include "frontend/context.h"
#include "frontend/decl.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"
#include "frontend/recording.h"

#include "rt/ranks/dist.h"

#include <string.h>

/* ---- sets ---------------------------------------------------------------- */

void
fe_set_publish(struct fe_set *s) {
  fe_set_list(s);
  fe_unsettle(true);
  fe_handle_add(s, FE_SET);
  fe_vars_add_set(&s->pub);
}

status
fe_decl_set(idx_l n, const char *name, struct fe_set **out) {
  if (!name) FAIL(ERR_ARG, "op_decl_set: name: expected a text, found NULL");
  if (n < 0)
    FAIL(ERR_ARG, "op_decl_set \"%s\": size: expected 0 or more, found %d",
         name, n);
  struct fe_set *s = fe_set_new(n, name);
  status st = fe_set_part("op_decl_set", s, OK);
  if (st != OK) {
    fe_set_free(s);
    return st;
  }
  fe_set_publish(s);
  *out = s;
  return OK;
}

op_set
op_decl_set(idx_l_t n, const char *name) {
  struct fe_set *s = NULL;
  if (fe_enter("op_decl_set")) fe_leave(fe_decl_set(n, name, &s));
  return (op_set)s;
}

/* ---- maps ---------------------------------------------------------------- */

status
fe_check_map_args(const char *api, op_set from, op_set to, const char *name) {
  if (!name) FAIL(ERR_ARG, "%s: name: expected a text, found NULL", api);
  if (!fe_handle_is(from, FE_SET))
    FAIL(ERR_ARG, "%s \"%s\": from: expected a declared set, found %s", api,
         name, fe_handle_found(from));
  if (!fe_handle_is(to, FE_SET))
    FAIL(ERR_ARG, "%s \"%s\": to: expected a declared set, found %s", api, name,
         fe_handle_found(to));
  return OK;
}

status
fe_check_arity(const char *api, const char *name, int dim) {
  if (dim < 1 || dim > FE_ARITY_MAX)
    FAIL(ERR_ARG, "%s \"%s\": dim: expected 1 to %d, found %d", api, name,
         FE_ARITY_MAX, dim);
  return OK;
}

void
fe_map_publish(struct fe_map *m) {
  fe_handle_add(m, FE_MAP);
  fe_vars_add_map(&m->pub);
}

status
fe_map_declare(const struct fe_map_args *a, struct fe_map **out) {
  TRY(fe_agree_turn(a->api)); /* what spreads over ranks is known on all */
  status st = fe_ranked() ? fe_ranks_unmoved(a->from, a->name) : OK;
  if (st != OK) return err_prefix(st, "%s: ", a->api);
  TRY(fe_map_add(a, out));
  fe_map_publish(*out);
  fe_agree_step(a->api, a->name,
                (uint64_t)a->dim << 40 | (uint64_t)a->from->index << 20 |
                    (uint64_t)a->to->index);
  return OK;
}

static const char decl_map[] = "op_decl_map";

status
fe_decl_map(op_set from, op_set to, int dim, const int *table32,
            const long long *table64, const char *name, struct fe_map **out) {
  TRY(fe_check_map_args(decl_map, from, to, name));
  TRY(fe_check_arity(decl_map, name, dim));
  if (!table32 && !table64 && from->size && !fe.opt.bare)
    FAIL(ERR_ARG,
         "%s \"%s\": table: expected %d rows of %d entries, found NULL",
         decl_map, name, from->size, dim);
  struct fe_map_args args = {
      .api = decl_map,
      .from = from,
      .to = to,
      .dim = dim,
      .table32 = table32,
      .table64 = table64,
      .given = table32 ? (void *)table32 : (void *)table64,
      .base = fe.base_index,
      .name = name,
      .keeps = fe.no_realloc && table32 && !fe.base_index};
  return fe_map_declare(&args, out);
}

op_map
op_decl_map(op_set from, op_set to, int dim, idx_l_t *table, const char *name) {
  struct fe_map *m = NULL;
  if (fe_enter("op_decl_map"))
    fe_leave(fe_decl_map(from, to, dim, table, NULL, name, &m));
  return (op_map)m;
}

op_map
op_decl_map_long(op_set from, op_set to, int dim, idx_g_t *table,
                 const char *name) {
  struct fe_map *m = NULL;
  if (fe_enter("op_decl_map_long"))
    fe_leave(fe_decl_map(from, to, dim, NULL, table, name, &m));
  return (op_map)m;
}

/* ---- sizes --------------------------------------------------------------- */

static const struct fe_set *
set_of(op_set set, const char *api) {
  if (!fe_enter(api)) return NULL;
  if (!fe_handle_is(set, FE_SET) && !fe_handle_is(set, FE_POINTS)) {
    fe_error(err_set(ERR_ARG, "%s: expected a declared set, found %s", api,
                     fe_handle_found(set)));
    return NULL;
  }
  fe.file = NULL;
  return (struct fe_set *)set;
}

/* What there is of the set `s`; -1 where it is none. */
#define SIZE_OF(type, function, value)                                         \
  type function(op_set set) {                                                  \
    const struct fe_set *s = set_of(set, #function);                           \
    return s ? (value) : -1;                                                   \
  }
SIZE_OF(idx_g_t, op_get_size, fe_rows_total(s))
SIZE_OF(int, op_get_size_local, s->pub.size)
SIZE_OF(int, op_get_size_local_core, s->pub.core_size)
SIZE_OF(int, op_get_size_local_exec, s->pub.size + s->pub.exec_size)
SIZE_OF(int, op_get_size_local_full,
        s->pub.size + s->pub.exec_size + s->pub.nonexec_size)
/* Of the declared part. */
SIZE_OF(idx_g_t, op_get_global_set_offset,
        fe_ranks.whole ? 0 : s->part->start[fe_ranks.rank])

int
op_size_of_set(const char *name) {
  if (!fe_enter("op_size_of_set")) return -1;
  for (uint32_t i = 0; name && i < fe_all.nsets; i++)
    if (!fe_all.sets[i]->hidden && !strcmp(fe_all.sets[i]->pub.name, name))
      return fe_all.sets[i]->pub.size;
  fe_error(err_set(ERR_ARG, "op_size_of_set: no set has the name \"%s\"",
                   name ? name : "NULL"));
  return -1;
}

/* ---- constants ----------------------------------------------------------- */

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
  fe_leave(st);
}

void
op_decl_const_char(int dim, char const *type, int size, char *data,
                   char const *name) {
  op2_decl_const_at(name, dim, type, (size_t)size, NULL, data);
}
