/* What OP2_CHECK=nan found, in words. */
#include "frontend/nan.h"
#include "frontend/ranks.h"

#include "base/numbers.h"
#include "base/str.h"

#include <assert.h>
#include <math.h>

enum { MOST_COMPONENTS = 8, MOST_ENTRIES = 16 };

/* C11 leaves it open how printf writes these. */
static void
say_real(double v, struct str *out) {
  if (isfinite(v))
    str_printf(out, "%.6g", v);
  else
    str_add(out, isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static void
say_value(struct type t, const void *p, uint32_t c, struct str *out) {
  switch (t.kind) {
  case TYPE_F64: say_real(((const double *)p)[c], out); break;
  case TYPE_F32: say_real((double)((const float *)p)[c], out); break;
  case TYPE_I64:
    str_printf(out, "%lld", (long long)((const int64_t *)p)[c]);
    break;
  case TYPE_U64:
    str_printf(out, "%llu", (unsigned long long)((const uint64_t *)p)[c]);
    break;
  case TYPE_I32: str_printf(out, "%d", ((const int32_t *)p)[c]); break;
  case TYPE_U32: str_printf(out, "%u", ((const uint32_t *)p)[c]); break;
  case TYPE_I16: str_printf(out, "%d", ((const int16_t *)p)[c]); break;
  case TYPE_U16: str_printf(out, "%d", ((const uint16_t *)p)[c]); break;
  case TYPE_I8: str_printf(out, "%d", ((const int8_t *)p)[c]); break;
  case TYPE_U8:
  case TYPE_BOOL: str_printf(out, "%d", ((const uint8_t *)p)[c]); break;
  default: str_printf(out, "%u bytes", t.size);
  }
}

static void
say_values(const struct fe_arg *fa, const char *p, struct str *out) {
  for (uint32_t c = 0; c < fa->dim && c < MOST_COMPONENTS; c++) {
    str_add(out, " ");
    say_value(fa->type, p, c, out);
  }
  if (fa->dim > MOST_COMPONENTS) str_add(out, " ...");
}

static long long
number(const op_set_core *set, idx_l row) {
  return (long long)fe_set_number((const struct fe_set *)set, row);
}

static void
say_name(const struct fe_arg *fa, struct str *out) {
  if (fa->dat)
    str_printf(out, "dat \"%s\"", fa->dat->pub.name);
  else if (fa->gbl)
    str_printf(out, "global \"%s\"", fa->gbl->name);
  else
    str_add(out, "global");
}

static void
say_input(const struct nan_loop *n, enum nan_when when, uint32_t a, idx_l e,
          struct str *out) {
  const struct fe_arg *fa = &n->c->args[a];
  const op_set_core *to = fa->map ? fa->map->pub.to : NULL;
  str_printf(out, "%sargument %u, ", out->len ? "; " : "", a);
  idx_g known;
  if (fe_nan_number(n, a, e, &known)) {
    bool length = fa->kind == FE_ARG_LENGTH;
    str_printf(out, "%s: %lld", length ? "length of the row" : "index",
               (long long)known);
    return;
  }
  say_name(fa, out);
  for (uint32_t k = 0; k < fe_nan_count(n, a, e); k++) {
    if (k) str_add(out, ",");
    if (to)
      str_printf(out, " element %lld", number(to, fe_nan_row(n, a, k, e)));
    str_add(out, ":");
    say_values(fa, fe_nan_at(n, when, a, k, e), out);
  }
}

void
fe_nan_inputs_text(const struct nan_loop *n, enum nan_when when, idx_l e,
                   struct str *out) {
  SCOPED_NUMBERS;
  for (uint32_t a = 0; a < n->c->nargs; a++) {
    const struct fe_arg *fa = &n->c->args[a];
    bool old = fe_nan_result(fa) && fa->declared != ACC_WRITE;
    if (fe_nan_input(fa) || old || fe_nan_is_number(fa))
      say_input(n, when, a, e, out);
  }
}

/* "(row of map "ends": 3 4)", all of it. */
static void
say_row(const struct fe_map *map, idx_l e, struct str *out) {
  const op_map_core *m = &map->pub;
  str_printf(out, " (row of map \"%s\":", m->name);
  for (int i = 0; i < m->dim && i < MOST_ENTRIES; i++)
    str_printf(out, " %lld",
               number(m->to, m->map[(size_t)e * (size_t)m->dim + (size_t)i]));
  str_add(out, m->dim > MOST_ENTRIES ? " ...)" : ")");
}

static void
say_element(const struct nan_loop *n, const struct nan_found *f,
            struct str *out) {
  const op_set_core *set = n->c->set_handle;
  const struct fe_arg *fa = &n->c->args[f->arg];
  str_printf(out, "element %lld of set \"%s\"", number(set, f->e), set->name);
  if (fa->map) say_row(fa->map, f->e, out);
}

void
fe_nan_text(const struct nan_loop *n, const struct nan_found *f,
            struct str *out) {
  const struct fe_arg *fa = &n->c->args[f->arg];
  assert(f->how != NAN_NOTHING);
  SCOPED_NUMBERS;
  str_printf(out, "op_par_loop \"%s\": argument %u, ", n->c->name, f->arg);
  say_name(fa, out);
  str_add(out, ": expected finite values of finite inputs, found ");
  say_real(f->value, out);
  str_printf(out, " in component %u", f->component);
  if (fa->dat) {
    const op_set_core *set = fa->dat->pub.set;
    str_printf(out, " of element %lld of set \"%s\"",
               number(set, fe_nan_row(n, f->arg, f->k, f->e)), set->name);
  }
  if (f->how == NAN_LOOP) return;
  if (fa->map || !fa->dat) {
    str_add(out, f->how == NAN_REACHED ? ", which is first reached by "
                                       : ", made by ");
    say_element(n, f, out);
  }
  str_printf(out, "; inputs of that element: %s",
             f->inputs->len ? f->inputs->s : "none");
}
