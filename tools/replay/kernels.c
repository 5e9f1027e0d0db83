/* Made-up kernels: C text from the accesses of a loop.
 *
 * Problem   The library derives everything from a kernel's IR: that an argument is
 *           only added to, that a write covers all. A kernel made up for a replay
 *           must prove what the recorded one proved and no more, and its results
 *           must be the same however the loop runs.
 *
 * Idea      s is the sum of all that the element reads. Each written component
 *           gets a small whole number made from s:
 *
 *             write     x = wrap(s + k)            under a condition if partial
 *             rw        x = wrap(x + s + k)        x moves around in [0, 61)
 *             inc       x += wrap(s + k) - 1       -1, 0 or 1
 *             min max   x = v if v is better; the payload then follows
 *             copies    x = y
 *
 *           All of these are exact and commute, so that only one thing can make
 *           the order of elements matter: an element that reads what another one
 *           of the same loop writes. Such an argument is left out of s, and a
 *           write that another element may overwrite is of the same value for
 *           all.
 *
 * Limits    Values of user types are bytes. A sum over f32 is exact up to 2^24.
 */
#include "tools/replay/replay.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- types --------------------------------------------------------------- */

const char *
replay_type_name(struct type t) {
  static const struct {
    uint32_t kind;
    const char *name;
  } names[] = {
#define TYPE_NAME(name, kind) {TYPE_##kind, name},
#include "base/types.def"
#undef TYPE_NAME
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].kind == t.kind) return names[i].name;
  return t.kind == TYPE_BYTES ? type_text(t) : NULL;
}

static const char *
type_c(struct type t) {
  static const char *const names[TYPE_BYTES] = {
#define TYPE(name, text, bytes, ctype, kind) [TYPE_##name] = #ctype,
#include "base/types.def"
#undef TYPE
  };
  return t.kind < TYPE_BYTES ? names[t.kind] : "unsigned char";
}

/* Numbers behind a pointer: components, or bytes of a user type. */
static uint32_t
dat_numbers(const struct ir_dat *d) {
  return d->type.kind == TYPE_BYTES ? d->dim * d->type.size : d->dim;
}

/* ---- what may depend on what --------------------------------------------- */

/* Does no other element of the loop touch what argument a touches? */
static bool
arg_alone(const struct ir_trace *t, const struct ir_node *n, uint32_t a) {
  const struct ir_arg *args = ir_args(t, n), *arg = &args[a];
  if (arg->kind != IR_ARG_DAT) return true;
  if (!ir_arg_direct(arg) && !(t->maps[arg->map].flags & IR_MAP_INJECTIVE))
    return false;
  for (uint32_t b = 0; b < n->nargs; b++)
    if (args[b].kind == IR_ARG_DAT && args[b].map != arg->map &&
        ir_root(t, args[b].dat) == ir_root(t, arg->dat))
      return false;
  return true;
}

static bool
root_written(const struct ir_trace *t, const struct ir_node *n, ir_ref root) {
  const struct ir_arg *args = ir_args(t, n);
  for (uint32_t b = 0; b < n->nargs; b++)
    if (ir_arg_writes(&args[b]) && ir_root(t, args[b].dat) == root) return true;
  return false;
}

static bool
arg_number(const struct ir_arg *a) {
  return ir_arg_info[a->kind].number.size > 0;
}

/* May the old value go into s? */
static bool
arg_summed(const struct ir_trace *t, const struct ir_node *n, uint32_t a) {
  const struct ir_arg *arg = &ir_args(t, n)[a];
  if (arg->kind == IR_ARG_PARAM || arg_number(arg)) return true;
  if (arg->kind != IR_ARG_DAT && arg->kind != IR_ARG_GBL) return false;
  if (arg->access != ACC_READ && arg->access != ACC_RW) return false;
  return arg_alone(t, n, a) || !root_written(t, n, ir_root(t, arg->dat));
}

/* ---- C text of one argument ---------------------------------------------- */

/* Where the text goes, and of what. */
struct text {
  struct str *out;
  const struct ir_trace *t;
  const struct ir_node *n;
};

static bool
arg_vector(const struct ir_arg *a) {
  return a->kind == IR_ARG_DAT && a->vector;
}

static void
text_parameter(const struct text *x, uint32_t a) {
  const struct ir_arg *arg = &ir_args(x->t, x->n)[a];
  const char *comma = a ? ", " : "";
  if (arg->kind == IR_ARG_OFF)
    str_printf(x->out, "%sconst void *a%u", comma, a);
  else if (arg_number(arg))
    str_printf(x->out, "%sconst %s *a%u", comma,
               type_c(ir_arg_info[arg->kind].number), a);
  else
    str_printf(x->out, "%s%s %sa%u", comma, type_c(x->t->dats[arg->dat].type),
               arg_vector(arg) ? "**" : "*", a);
}

/* Opens loops over the entries of a vector and over the numbers of argument a; x
 * is one of them. */
static void
text_each(const struct text *x, uint32_t a) {
  const struct ir_arg *arg = &ir_args(x->t, x->n)[a];
  uint32_t count = arg_number(arg) ? 1 : dat_numbers(&x->t->dats[arg->dat]);
  if (arg_vector(arg))
    str_printf(x->out, "  for (int j = 0; j < %u; j++)\n  ", arg->vector);
  str_printf(x->out, "  for (int c = 0; c < %u; c++) ", count);
}

static const char *
text_number(const struct text *x, uint32_t a) {
  return arg_vector(&ir_args(x->t, x->n)[a]) ? "[j][c]" : "[c]";
}

static void
text_sum(const struct text *x, uint32_t a) {
  if (!arg_summed(x->t, x->n, a)) return;
  text_each(x, a);
  str_printf(x->out, "s += (c + %u) * (double)a%u%s;\n", a + 1, a,
             text_number(x, a));
}

static void
text_payloads(const struct text *x, uint32_t a, bool each) {
  const struct ir_arg *args = ir_args(x->t, x->n);
  for (uint32_t b = 0; b < x->n->nargs; b++) {
    if (args[b].kind != IR_ARG_INFO || args[b].info_of != a) continue;
    const struct ir_dat *d = &x->t->dats[args[b].dat];
    if (each)
      str_printf(x->out, " a%u[c] = (%s)WRAP(s + c + %u, %d);", b,
                 type_c(d->type), b, d->type.kind == TYPE_BOOL ? 2 : 61);
    else
      str_printf(x->out,
                 " for (int d = 0; d < %u; d++) a%u[d] = (%s)WRAP(s + d + %u, "
                 "%d);",
                 dat_numbers(d), b, type_c(d->type), b,
                 d->type.kind == TYPE_BOOL ? 2 : 61);
  }
}

/* What is done to one number of a written argument. */
static void
text_write(const struct text *x, uint32_t a) {
  const struct ir_arg *arg = &ir_args(x->t, x->n)[a];
  if (!ir_arg_writes(arg) || arg->kind == IR_ARG_INFO) return;
  const struct ir_dat *d = &x->t->dats[arg->dat];
  const char *type = type_c(d->type), *at = text_number(x, a);
  bool alone = arg_alone(x->t, x->n, a);
  int mod = d->type.kind == TYPE_BOOL ? 2 : 61;
  text_each(x, a);
  str_printf(x->out, "{ double v = WRAP(%sc + %u, %d); ", alone ? "s + " : "",
             a, mod);
  switch ((enum access)arg->access) {
  case ACC_WRITE:
    if (arg->kind == IR_ARG_DAT && ir_arg_direct(arg) && arg->in != IR_NONE)
      str_printf(x->out, "if (v >= %d) ", mod / 2);
    str_printf(x->out, "a%u%s = (%s)v; }\n", a, at, type);
    return;
  case ACC_RW:
    str_printf(x->out, "a%u%s = (%s)WRAP(a%u%s + %sv, %d); }\n", a, at, type, a,
               at, alone ? "" : "s + ", mod);
    return;
  case ACC_INC:
    str_printf(x->out, "a%u%s += (%s)(WRAP(s + v, %d) - %d); }\n", a, at, type,
               type_class(d->type) == 'U' ? 2 : 3,
               type_class(d->type) == 'U' ? 0 : 1);
    return;
  default: break;
  }
  str_printf(x->out, "if ((%s)v %c a%u%s) { a%u%s = (%s)v;", type,
             arg->access == ACC_MIN ? '<' : '>', a, at, a, at, type);
  text_payloads(x, a, d->dim > 1);
  str_add(x->out, " } }\n");
}

/* ---- a kernel ------------------------------------------------------------ */

/* Parameters and body. */
static void
text_kernel(const struct text *x) {
  const struct ir_node *n = x->n;
  const struct ir_kernel *k = &x->t->kernels[n->kernel];
  str_add(x->out, "(");
  for (uint32_t a = 0; a < n->nargs; a++) text_parameter(x, a);
  str_add(x->out, n->nargs ? ") {\n" : "void) {\n");
  if (k->copy_to >= 0) {
    text_each(x, (uint32_t)k->copy_to);
    str_printf(x->out, "a%d[c] = a%d[c];\n}\n", k->copy_to, k->copy_from);
    return;
  }
  str_add(x->out, "  double s = 0;\n");
  for (uint32_t a = 0; a < n->nargs; a++) text_sum(x, a);
  for (uint32_t a = 0; a < n->nargs; a++) text_write(x, a);
  str_add(x->out, "  (void)s;\n}\n");
}

/* ---- names --------------------------------------------------------------- */

/* A C identifier that no kernel has yet, as near to `name` as it goes. */
static const char *
kernel_id(struct replay_kernels *k, const char *name) {
  char *id = arena_printf(&k->arena, "%s%s",
                          isdigit((unsigned char)*name) ? "_" : "", name);
  for (char *p = id; *p; p++)
    if (!isalnum((unsigned char)*p)) *p = '_';
  const char *fresh = id;
  uint32_t count = 1;
  for (uint32_t i = 0; i < k->nids; i++)
    if (!strcmp(k->ids[i], fresh)) {
      fresh = arena_printf(&k->arena, "%s_%u", id, ++count);
      i = UINT32_MAX; /* from the start */
    }
  return fresh;
}

/* The kernel of this name and text, made if there is none. */
static const char *
kernel_get(struct replay_kernels *k, struct table *known, const char *name,
           const char *text) {
  struct str key = STR_INIT;
  str_printf(&key, "%s %s", name, text);
  uintptr_t *slot = table_slot(known, key.s, key.len);
  str_clear(&key);
  if (*slot) return k->ids[*slot - 1];
  const char *id = kernel_id(k, name);
  const char *source = arena_printf(
      &k->arena,
      "#include <stdint.h>\n"
      "#define WRAP(x, m) ((x) - (m) * __builtin_floor((x) / (double)(m)))\n"
      "void %s%s",
      id, text);
  VEC_PUSH(k->ids, k->nids, k->capids, id);
  VEC_PUSH(k->sources, k->nsources, k->capsources, source);
  *slot = k->nids;
  return id;
}

/* ---- what no call gives -------------------------------------------------- */

static status
check_types(const struct ir_trace *t) {
  for (ir_ref d = 0; d < t->ndats; d++)
    if (!replay_type_name(t->dats[d].type))
      FAIL(ERR_ARG, "%%%s: no program declares type %s", t->dats[d].name,
           type_text(t->dats[d].type));
  return OK;
}

static status
check_loop(const struct ir_trace *t, const struct ir_node *n) {
  if (n->each)
    FAIL(
        ERR_ARG,
        "loop @%s goes over rows of %%%s: a trace does not tell the columns of "
        "a scan",
        t->kernels[n->kernel].name, t->maps[n->each - 1].name);
  for (uint32_t a = 0; a < n->nargs; a++) {
    const struct ir_arg *arg = &ir_args(t, n)[a];
    if (arg->kind == IR_ARG_INFO && !(t->dats[arg->dat].flags & IR_DAT_RAW))
      FAIL(ERR_ARG,
           "loop @%s, argument %u: no program passes a payload that is not raw",
           t->kernels[n->kernel].name, a);
  }
  return OK;
}

/* Of the copies that passes made of loops, and of the names for one version that a
 * trace begins with. */
static const char *
copy_kernel(struct replay_kernels *k, struct table *known,
            const struct ir_dat *d) {
  const char *type = type_c(d->type);
  return kernel_get(
      k, known, "copy",
      arena_printf(&k->arena,
                   "(%s *from, %s *to) {\n"
                   "  for (int c = 0; c < %u; c++) to[c] = from[c];\n}\n",
                   type, type, dat_numbers(d)));
}

status
replay_kernels_make(const struct ir_trace *t, struct replay_kernels *out) {
  struct table known = {0};
  struct str text = STR_INIT;
  status st = check_types(t);
  out->of_node = mem_alloc(t->nnodes + 1, sizeof *out->of_node);
  out->of_value = mem_alloc(t->nvalues + 1, sizeof *out->of_value);
  for (ir_ref i = 0; st == OK && i < t->nnodes; i++) {
    const struct ir_node *n = &t->nodes[i];
    if (n->op == IR_COPY || n->op == IR_ALIAS)
      out->of_node[i] =
          copy_kernel(out, &known, &t->dats[ir_args(t, n)[1].dat]);
    if (n->op != IR_LOOP) continue;
    st = check_loop(t, n);
    str_reset(&text);
    text_kernel(&(struct text){&text, t, n});
    out->of_node[i] =
        kernel_get(out, &known, t->kernels[n->kernel].name, text.s);
  }
  for (ir_ref v = 0; st == OK && v < t->nvalues; v++)
    if (ir_same(t, v) != v)
      out->of_value[v] = copy_kernel(out, &known, &t->dats[t->values[v].dat]);
  str_clear(&text);
  table_clear(&known);
  return st;
}

void
replay_kernels_clear(struct replay_kernels *k) {
  free(k->of_node);
  free(k->of_value);
  free(k->ids);
  free(k->sources);
  arena_clear(&k->arena);
  *k = (struct replay_kernels){0};
}
