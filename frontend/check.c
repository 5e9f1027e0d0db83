/* What is checked about an op_par_loop, once: set, arguments, kernel. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/decl.h"

#include "base/log.h"
#include "lower/kernel.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- arguments ----------------------------------------------------------- */

/* What a message begins with: loop and argument, counted from 0. */
struct site {
  const char *loop;
  int arg;
};
#define ARG_FAIL(s, fmt, ...)                                                  \
  FAIL(ERR_ARG, "op_par_loop \"%s\": argument %d: " fmt, (s)->loop, (s)->arg,  \
       __VA_ARGS__)

const char *
fe_access_text(int acc) {
  static const char *const names[] = {"OP_READ", "OP_WRITE", "OP_RW",  "OP_INC",
                                      "OP_MIN",  "OP_MAX",   "OP_WORK"};
  return acc >= 0 && acc < (int)(sizeof names / sizeof *names) ? names[acc]
                                                               : "no access";
}

static status
check_access(const struct site *s, int acc, bool global) {
  bool ok = acc >= OP_READ && acc <= (global ? OP_WORK : OP_MAX);
  if (!ok)
    ARG_FAIL(s, "access not allowed for a %s: expected %s, found %s (%d)",
             global ? "global" : "dat",
             global
                 ? "OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN, OP_MAX or OP_WORK"
                 : "OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN or OP_MAX",
             fe_access_text(acc), acc);
  return OK;
}

/* " or on its whole set \"cells\"", of a subset; else nothing. */
static const char *
or_whole(const struct fe_set *set, const char *word) {
  static char text[128];
  text[0] = 0;
  if (set->whole)
    snprintf(text, sizeof text, " or %s its whole set \"%.80s\"", word,
             set->whole->pub.name);
  return text;
}

/* The set itself, or, of a subset, its whole set; of points those of their box.
 */
static bool
is_of(const struct fe_set *set, const op_set found) {
  const struct fe_set *whole = set->whole ? set->whole : set;
  if (found == &set->pub || found == &whole->pub) return true;
  return whole->box && whole->box == ((const struct fe_set *)found)->box;
}

static bool
is_map(const op_map map) {
  return fe_handle_is(map, FE_MAP) || fe_handle_is(map, FE_RULE);
}

/* The index of an argument through rows that have a length each. */
static status
check_entry_any(const struct site *s, const op_arg *a, const struct fe_map *m) {
  if (a->idx >= m->shortest)
    ARG_FAIL(s,
             "index outside rows of map \"%s\": expected 0 to %d, as all rows "
             "have it, or a vector argument, found %d",
             m->pub.name, m->shortest - 1, a->idx);
  if (a->idx == -1 || (a->idx < 0 && a->idx > -m->pub.dim))
    ARG_FAIL(s,
             "rows of map \"%s\": expected -%d or less for a vector argument, "
             "as the longest row has %d entries, found %d",
             m->pub.name, m->pub.dim > 2 ? m->pub.dim : 2, m->pub.dim, a->idx);
  return OK;
}

/* A block has room for as many entries as the argument says. */
static status
check_entries(const struct site *s, const op_arg *a, const struct fe_map *m) {
  if (m->start)
    ARG_FAIL(
        s,
        "packed argument: expected a map whose rows have one length, found "
        "\"%s\"",
        m->pub.name);
  if (a->idx >= 0 || a->idx < -m->pub.dim)
    ARG_FAIL(s,
             "packed argument: expected 1 to %d entries of map \"%s\", found "
             "%d",
             m->pub.dim, m->pub.name, -a->idx);
  return OK;
}

/* Map and index against the loop's set; `to` is the dat's set, NULL for idx. */
static status
check_map(const struct site *s, const op_arg *a, const struct fe_set *set,
          const op_set to, const char *what) {
  if (!a->map) {
    if (a->idx < -1)
      ARG_FAIL(
          s, "vector argument without a map: expected -1 with OP_ID, found %d",
          a->idx);
    if (to && !is_of(set, to))
      ARG_FAIL(
          s,
          "wrong set: expected a dat on the loop's set \"%s\"%s (or a map), "
          "found %s on set \"%s\"",
          set->pub.name, or_whole(set, "on"), what, to->name);
    return OK;
  }
  if (!is_map(a->map))
    ARG_FAIL(s, "map: expected a declared map, found %s",
             fe_handle_found(a->map));
  if (!is_of(set, a->map->from))
    ARG_FAIL(
        s,
        "wrong map: expected one from the loop's set \"%s\"%s, found \"%s\" "
        "from \"%s\"",
        set->pub.name, or_whole(set, "from"), a->map->name, a->map->from->name);
  if (to && !is_of((struct fe_set *)a->map->to, to))
    ARG_FAIL(s,
             "wrong map: expected one to set \"%s\" of %s, found \"%s\" to "
             "\"%s\"",
             to->name, what, a->map->name, a->map->to->name);
  const struct fe_map *m = (struct fe_map *)a->map;
  if (a->argtype == OP2_ARG_LENGTH) return OK;
  if (a->argtype == OP2_ARG_PACKED || a->argtype == OP2_ARG_MASK)
    return check_entries(s, a, m);
  if (m->start) return check_entry_any(s, a, m);
  int arity = a->map->dim;
  if (a->idx >= arity || a->idx == -1 || a->idx < -arity)
    ARG_FAIL(s,
             "index outside map \"%s\": expected 0 to %d, or -2 to -%d for a "
             "vector argument, found %d",
             a->map->name, arity - 1, arity, a->idx);
  return OK;
}

/* The map that the loop goes by to reach `to` (NULL: what the argument's map
 * names); in a loop over a subset, or through a map to one, a hidden one. */
static status
map_taken(struct fe_set *set, const op_arg *a, const op_set to,
          struct fe_map **out) {
  struct fe_map *m = (struct fe_map *)a->map;
  if ((m && m->rule) || (to && ((struct fe_set *)to)->box))
    return fe_box_path(set, m, (struct fe_set *)to, out);
  bool from_whole = m ? m->pub.from != &set->pub : to != &set->pub;
  if (set->whole && from_whole) {
    if (m)
      TRY(fe_map_through(set->into, m, &m));
    else
      m = set->into;
  }
  if (m && to && m->pub.to != to)
    TRY(fe_map_through(m, ((struct fe_set *)m->pub.to)->into, &m));
  *out = m;
  return OK;
}

static status
check_type(const struct site *s, const op_arg *a, const struct fe_dat *d) {
  struct type t;
  bool user = d->type.kind == TYPE_BYTES;
  bool known =
      a->type && type_from_name(a->type, user ? d->type.size : 0, &t, NULL);
  if (!known || !type_same(t, d->type) ||
      (user && !type_name_same(a->type, d->pub.type)))
    ARG_FAIL(s, "wrong type: expected \"%s\" of dat \"%s\", found \"%s\"",
             d->pub.type, d->pub.name, a->type ? a->type : "NULL");
  return OK;
}

static status
arg_dat(const struct site *s, const op_arg *a, struct fe_set *set,
        struct fe_arg *out) {
  if (!fe_handle_is(a->dat, FE_DAT))
    ARG_FAIL(s, "dat: expected a declared dat, found %s",
             fe_handle_found(a->dat));
  struct fe_dat *d = (struct fe_dat *)a->dat;
  TRY(check_access(s, a->acc, false));
  if (a->dim != d->pub.dim)
    ARG_FAIL(s, "wrong dim: expected %d of dat \"%s\", found %d", d->pub.dim,
             d->pub.name, a->dim);
  TRY(check_type(s, a, d));
  TRY(check_map(s, a, set, d->pub.set, d->pub.name));
  out->kind = FE_ARG_DAT;
  out->dat = d;
  TRY(map_taken(set, a, d->pub.set, &out->map));
  out->type = d->type;
  out->dim = (uint32_t)d->pub.dim;
  return OK;
}

/* Of one entry without a map it is the element itself: an argument like others.
 * */
static status
arg_packed(const struct site *s, const op_arg *a, struct fe_set *set,
           struct fe_arg *out) {
  TRY(arg_dat(s, a, set, out));
  if (!out->map && !a->map) return OK;
  out->vector = a->map ? (uint32_t)-a->idx : 1;
  out->cols = out->cdim = 1;
  return OK;
}

/* The column's element so many layers higher: through a hidden map. */
static status
arg_layer(const struct site *s, const op_arg *a, struct fe_set *set, bool scan,
          struct fe_arg *out) {
  enum { FAR = 1 << 20 };
  op_arg here = *a;
  if (a->idx < -FAR || a->idx > FAR)
    ARG_FAIL(s, "layer: expected %d to %d, found %d", -FAR, FAR, a->idx);
  here.idx = -1;
  TRY(arg_dat(s, &here, set, out));
  struct fe_set *on = (struct fe_set *)out->dat->pub.set;
  if (!on->columns && !on->box)
    ARG_FAIL(s,
             "layer: expected a dat on columns (op2_decl_columns) or a box, "
             "found %s on set \"%s\"",
             out->dat->pub.name, on->pub.name);
  if (!a->idx) return OK;
  if (on->box) return fe_box_shift(set, a->idx, on, &out->map);
  status st =
      (scan ? fe_map_shift_within : fe_map_shift)(set, a->idx, &out->map);
  if (st == OK) return OK;
  return err_prefix(st, "op_par_loop \"%s\": argument %d: ", s->loop, s->arg);
}

static status
arg_mat(const struct site *s, const op_arg *a, struct fe_set *set,
        struct fe_arg *out) {
  op_arg block;
  uint32_t cols, cdim;
  TRY(fe_mat_arg(s->loop, s->arg, a, &block, &cols, &cdim));
  TRY(arg_packed(s, &block, set, out));
  out->cols = cols;
  out->cdim = cdim;
  return OK;
}

/* A char of each entry of the argument that `size` is the number of. */
static status
arg_mask(const struct site *s, const op_arg *a, struct fe_set *set,
         struct fe_arg *out) {
  TRY(arg_dat(s, a, set, out));
  out->masks = (uint32_t)a->size + 1;
  return OK;
}

/* The C type of the memory, where the header knows it, against the type named;
 * "?" is a type that is known to differ. */
static status
check_memory_type(const struct site *s, const op_arg *a, struct type named) {
  struct type t;
  const char *ctype = a->data_d;
  if (!ctype) return OK;
  bool known = type_from_name(ctype, 0, &t, NULL);
  if (strcmp(ctype, "?") && (!known || type_same(t, named))) return OK;
  ARG_FAIL(s, "wrong type: expected \"%s\" as the memory given, found \"%s\"",
           known ? ctype : "the type's own name", a->type);
}

static status
arg_gbl(const struct site *s, const op_arg *a, struct fe_arg *out) {
  TRY(check_access(s, a->acc, true));
  if (a->dim < 1)
    ARG_FAIL(s, "wrong dim: expected 1 or more, found %d", a->dim);
  if (!a->data) ARG_FAIL(s, "global: expected an address, found %s", "NULL");
  size_t elem = (size_t)a->size / (size_t)a->dim;
  if (!a->type || !type_from_name(a->type, elem, &out->type, NULL))
    ARG_FAIL(s, "wrong type: expected a type name, found \"%s\"",
             a->type ? a->type : "NULL");
  if (elem && elem != out->type.size)
    ARG_FAIL(s,
             "wrong type: expected one of %zu bytes like the memory given, "
             "found \"%s\" of %u",
             elem, a->type, out->type.size);
  if (a->dim > INT_MAX / (int)out->type.size)
    ARG_FAIL(s, "wrong dim: expected at most %d of type \"%s\", found %d",
             INT_MAX / (int)out->type.size, a->type, a->dim);
  TRY(check_memory_type(s, a, out->type));
  bool sums = a->acc == OP_INC || a->acc == OP_MIN || a->acc == OP_MAX;
  if (sums && out->type.kind == TYPE_BYTES)
    ARG_FAIL(s, "%s on type \"%s\": expected a type with arithmetic, found %s",
             fe_access_text(a->acc), a->type, "a user type");
  out->dim = (uint32_t)a->dim;
  out->bytes = (size_t)a->dim * out->type.size;
  out->raw = a->acc != OP_READ;
  out->kind = out->raw ? FE_ARG_GBL : FE_ARG_PARAM;
  return OK;
}

static status
arg_handle(const struct site *s, const op_arg *a, struct fe_arg *out) {
  if (!fe_handle_is(a->data, FE_GBL))
    ARG_FAIL(s, "global handle: expected one of op2_decl_gbl, found %s",
             fe_handle_found(a->data));
  struct fe_gbl *g = (struct fe_gbl *)a->data;
  TRY(check_access(s, a->acc, true));
  if (a->dim != (int)g->dim)
    ARG_FAIL(s, "wrong dim: expected %u of global \"%s\", found %d", g->dim,
             g->name, a->dim);
  bool user = g->type.kind == TYPE_BYTES;
  if (!a->type ||
      !type_from_name(a->type, user ? g->type.size : 0, &out->type, NULL) ||
      !type_same(out->type, g->type))
    ARG_FAIL(s, "wrong type: expected %s of global \"%s\", found \"%s\"",
             type_text(g->type), g->name, a->type ? a->type : "NULL");
  out->kind = FE_ARG_GBL;
  out->gbl = g;
  out->dim = g->dim;
  return OK;
}

static const char *
idx_name(const op_arg *a) {
  return a->argtype == OP_ARG_IDX ? "op_arg_idx" : "op2_arg_idx_long";
}

/* Points of a halo have no numbers. */
static status
check_numbered(const struct site *s, const op_arg *a) {
  static const struct fe_halo none;
  const struct fe_map *m = (const struct fe_map *)a->map;
  if (!m) return OK;
  struct fe_halo halo = ((const struct fe_set *)m->pub.to)->halo;
  if (m->rule) halo = fe_rule_reach(m->rule, a->idx, 1);
  if (memcmp(&halo, &none, sizeof none))
    ARG_FAIL(s,
             "index of %s: expected an entry that stays in the box, found %d "
             "of \"%s\"",
             idx_name(a), a->idx, m->pub.name);
  return OK;
}

static status
arg_number(const op_arg *a, struct fe_set *set, struct fe_arg *out) {
  out->type = fe_arg_number(out->kind);
  out->dim = 1;
  return map_taken(set, a, NULL, &out->map);
}

static status
arg_idx(const struct site *s, const op_arg *a, struct fe_set *set,
        struct fe_arg *out) {
  TRY(check_map(s, a, set, NULL, "idx"));
  if (a->map && a->idx < 0)
    ARG_FAIL(s, "index of %s: expected 0 to %d, found %d", idx_name(a),
             a->map->dim - 1, a->idx);
  TRY(check_numbered(s, a));
  out->kind = a->argtype == OP_ARG_IDX ? FE_ARG_IDX : FE_ARG_NUMBER;
  return arg_number(a, set, out);
}

static status
arg_length(const struct site *s, const op_arg *a, struct fe_set *set,
           struct fe_arg *out) {
  if (!a->map) ARG_FAIL(s, "row length: expected a map, found %s", "OP_ID");
  TRY(check_map(s, a, set, NULL, "length"));
  out->kind = FE_ARG_LENGTH;
  return arg_number(a, set, out);
}

/* Entries of the map's row that the argument names. */
static void
arg_entries(const op_arg *a, struct fe_arg *out) {
  const struct fe_map *m = out->map;
  if (!a->map || out->cols || out->kind == FE_ARG_LENGTH) return;
  if (a->idx > 0) out->entry = (uint32_t)a->idx;
  if (a->idx < 0) out->vector = (uint32_t)-a->idx;
  if (a->idx < 0 && m->start && m->pub.dim) /* as many as the longest row has */
    out->vector = (uint32_t)m->pub.dim;
}

/* The payload of a MIN or MAX argument; idx holds its number. */
static status
arg_info(const struct site *s, const op_arg *a, const struct fe_loop *l,
         struct fe_arg *out) {
  const op_arg *args = l->args;
  int ref = a->idx;
  if (ref < 0 || ref >= l->nargs || !args[ref].opt ||
      (args[ref].argtype != OP_ARG_GBL &&
       args[ref].argtype != OP2_ARG_HANDLE) ||
      (args[ref].acc != OP_MIN && args[ref].acc != OP_MAX))
    ARG_FAIL(s,
             "payload: expected the number of an OP_MIN or OP_MAX global of "
             "this loop, found %d",
             ref);
  op_arg as_min = *a;
  as_min.acc = OP_RW;
  TRY(arg_gbl(s, &as_min, out));
  if (args[ref].dim != 1 && args[ref].dim != a->dim)
    ARG_FAIL(s, "payload dim: expected %d as argument %d, found %d",
             args[ref].dim, ref, a->dim);
  out->kind = FE_ARG_INFO;
  out->info_of = (uint16_t)ref;
  return OK;
}

static status
check_arg(const struct site *s, const struct fe_loop *l, struct fe_arg *out) {
  const op_arg *a = &l->args[s->arg];
  struct fe_set *set = (struct fe_set *)l->set;
  *out = (struct fe_arg){0};
  if (!a->opt) {
    out->kind = FE_ARG_OFF;
    return OK;
  }
  switch (a->argtype) {
  case OP_ARG_DAT: TRY(arg_dat(s, a, set, out)); break;
  case OP2_ARG_PACKED: TRY(arg_packed(s, a, set, out)); break;
  case OP2_ARG_LAYER: TRY(arg_layer(s, a, set, l->each != NULL, out)); break;
  case OP2_ARG_MAT: TRY(arg_mat(s, a, set, out)); break;
  case OP2_ARG_MASK: TRY(arg_mask(s, a, set, out)); break;
  case OP_ARG_GBL: TRY(arg_gbl(s, a, out)); break;
  case OP2_ARG_HANDLE: TRY(arg_handle(s, a, out)); break;
  case OP_ARG_IDX:
  case OP2_ARG_NUMBER: TRY(arg_idx(s, a, set, out)); break;
  case OP2_ARG_LENGTH: TRY(arg_length(s, a, set, out)); break;
  case OP_ARG_INFO: TRY(arg_info(s, a, l, out)); break;
  default:
    ARG_FAIL(s, "expected op_arg_dat, op_arg_gbl, ..., found kind %d",
             a->argtype);
  }
  bool number = fe_arg_number(out->kind).size > 0;
  out->access = (uint8_t)(number ? OP_READ : a->acc);
  arg_entries(a, out);
  return OK;
}

/* ---- the kernel ---------------------------------------------------------- */

/* Once: why a program is as slow as it is. */
static void
tell_opaque(const char *name, const struct low_kernel *k) {
  if (!low_kernel_in_place(k) || k->effects || fe.told_opaque) return;
  fe.told_opaque = true;
  LOG_WARN("kernel \"%s\" %s: such loops run at their call, each for itself, "
           "on one thread",
           name, *k->why ? k->why : "has no IR");
}

static status
check_kernel(const struct fe_loop *l, const struct low_kernel *k) {
  if (!l->function && k->opaque)
    FAIL(ERR_ARG,
         "op_par_loop \"%s\": no kernel: expected a function, or a source "
         "given to op2_kernel_source under this name, found NULL",
         l->name);
  int nargs = l->nargs - l->nhidden;
  if (!k->opaque && k->nparams != (uint32_t)nargs)
    FAIL(ERR_ARG,
         "op_par_loop \"%s\": number of arguments: expected %u as the kernel "
         "has parameters, found %d",
         l->name, k->nparams, nargs);
  return OK;
}

static bool
is_integer(struct type t) {
  return strchr("IU", type_class(t)) != NULL;
}

/* The call that hands a number of the type that the kernel takes. */
static const char *
other_index(const op_arg *a, struct type found) {
  if (a->argtype == OP_ARG_IDX && found.kind == TYPE_I64)
    return " (op2_arg_idx_long)";
  if (a->argtype == OP2_ARG_NUMBER && found.kind == TYPE_I32)
    return " (op_arg_idx)";
  return "";
}

/* Type of what parameter i of a kernel points to, against the argument. In C
 * integers of one size serve each other (an enum is unsigned, OP2's types have
 * no unsigned short). */
static status
check_param_type(const struct site *s, const op_arg *a, const char *type,
                 bool c) {
  struct type want, have;
  size_t len = type ? strlen(type) : 0;
  if (!len || !a->opt) return OK;
  bool vector = type[len - 1] == '*';
  if (vector != (a->argtype == OP_ARG_DAT && a->map && a->idx < -1))
    ARG_FAIL(s, "wrong kernel parameter: expected %s, found %s",
             vector ? "T *" : "T ** for a vector argument", type);
  char plain[64]; /* longer ones are types of the program's */
  if (len >= sizeof plain) return OK;
  memcpy(plain, type, len + 1);
  if (vector) plain[len - 1] = 0;
  const char *name = a->type;
  if (!name || !type_from_name(name, 0, &want, NULL)) return OK;
  bool known = type_from_name(plain, 0, &have, NULL);
  if (known && c && want.size == have.size && is_integer(want) &&
      is_integer(have))
    return OK;
  if (!known || !type_same(want, have))
    ARG_FAIL(s,
             "wrong kernel parameter: expected a pointer to \"%s\", found one "
             "to \"%s\"%s",
             name, plain, other_index(a, known ? have : (struct type){0}));
  return OK;
}

status
fe_call_check_types(const struct fe_loop *l) {
  int nargs = l->nargs - l->nhidden;
  if (!l->name || l->ntypes != nargs) return OK; /* fe_call_check tells */
  for (int i = 0; i < nargs; i++) {
    struct site s = {l->name, i};
    TRY(check_param_type(&s, &l->args[i], l->types[i], false));
  }
  return OK;
}

/* As a C kernel's debug information has them: "double;float*;", unless it tells
 * of another number of parameters. */
static status
check_kernel_types(const struct fe_loop *l, const char *types) {
  int n = 0, nargs = l->nargs - l->nhidden;
  for (const char *t = types; t && *t; t++) n += *t == ';';
  for (int i = 0; n == nargs && i < n; i++) {
    struct site s = {l->name, i};
    size_t len = strcspn(types, ";");
    char *type = arena_printf(&fe.arena, "%.*s", (int)len, types);
    TRY(check_param_type(&s, &l->args[i], type, true));
    types += len + 1;
  }
  return OK;
}

/* Bytes of an element behind the argument; 0: there is none. */
static int64_t
element_bytes(const struct fe_arg *fa) {
  return fa->kind == FE_ARG_OFF ? 0 : (int64_t)fa->dim * fa->type.size;
}

/* Does the span leave the argument? Then *found is what it touches there,
 * *last the last of these that the argument has. */
static bool
span_leaves(const struct fe_arg *fa, const struct low_reach *s, bool *entry,
            long long *found, long long *last) {
  int64_t size = fa->type.size, most = fa->vector ? fa->vector : 1;
  if (fa->vector && fa->map->start && fa->map->shortest > most)
    most = fa->map->shortest; /* there are no rows */
  *entry = s->entries > most;
  *last = *entry ? most - 1 : (int64_t)fa->dim - 1;
  *found = *entry ? s->entries - 1 : (s->to - 1) / size;
  if (*entry || s->to > element_bytes(fa)) return true;
  *found = (s->from - size + 1) / size;
  return s->from < 0;
}

/* Kernels stay inside the elements that they get. What a call may not come to
 * is only told: the kernel may ask first. */
static status
check_reach(const struct site *s, const struct fe_loop *l,
            const struct fe_arg *fa, const struct low_param *p) {
  const char *name = fa->dat ? fa->dat->pub.name : fa->gbl ? fa->gbl->name : "";
  long long found, last;
  bool entry;
  struct fe_arg block = *fa; /* as the kernel sees it */
  if (!element_bytes(fa)) return OK;
  if (fa->cols) {
    block.dim *= fa->vector;
    block.vector = 0;
    fa = &block;
  }
  if (span_leaves(fa, &p->each, &entry, &found, &last))
    ARG_FAIL(s,
             "kernel outside its argument: expected %s 0 to %lld%s%s%s, found "
             "%lld",
             entry ? "entries" : "components", last, *name ? " of \"" : "",
             name, *name ? "\"" : "", found);
  if (span_leaves(fa, &p->some, &entry, &found, &last))
    LOG_WARN("%s:%d: op_par_loop \"%s\": argument %d: its kernel may touch %s "
             "%lld, of 0 to %lld",
             l->file ? l->file : "?", l->line, s->loop, s->arg,
             entry ? "entry" : "component", found, last);
  return OK;
}

static status
check_reaches(const struct fe_loop *l, const struct fe_arg *args,
              const struct low_kernel *k) {
  for (uint32_t a = 0; a < k->nparams; a++) {
    struct site s = {l->name, (int)a};
    TRY(check_reach(&s, l, &args[a], &k->params[a]));
  }
  return OK;
}

/* What is written through a mask keeps what was there before. */
static void
masks_keep(struct fe_arg *args, int nargs) {
  for (int a = 0; a < nargs; a++) {
    struct fe_arg *of = args[a].masks ? &args[args[a].masks - 1] : NULL;
    if (of && of->access == ACC_WRITE) of->access = ACC_RW;
  }
}

status
fe_call_check(const struct fe_loop *l, struct fe_arg *out,
              struct fe_kernel **kernel_out) {
  const char *name = l->name;
  if (!name) FAIL(ERR_ARG, "op_par_loop: name: expected a text, found NULL");
  if (!fe_handle_is(l->set, FE_SET) && !fe_handle_is(l->set, FE_POINTS))
    FAIL(ERR_ARG, "op_par_loop \"%s\": set: expected a declared set, found %s",
         name, fe_handle_found(l->set));
  if (l->nargs < 0 || l->nargs > FE_MAX_ARGS)
    FAIL(ERR_ARG, "op_par_loop \"%s\": expected 0 to %d arguments, found %d",
         name, FE_MAX_ARGS, l->nargs);
  for (int a = 0; a < l->nargs; a++) {
    struct site s = {name, a};
    TRY(check_arg(&s, l, &out[a]));
  }
  struct fe_kernel *k = fe_kernel_get(l->function, name);
  TRY(check_kernel(l, k->low));
  TRY(check_kernel_types(l, k->low->types));
  TRY(check_reaches(l, out, k->low));
  if (l->each) TRY(fe_scan_check(l, out, k->low));
  tell_opaque(name, k->low);
  TRY(fe_kernel_packed(k, out, (uint32_t)l->nargs, (uint32_t)l->nhidden, &k));
  *kernel_out = fe_kernel_given(k);
  masks_keep(out, l->nargs);
  return OK;
}
