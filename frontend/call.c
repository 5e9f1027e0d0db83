/* Calls: everything that is checked about an op_par_loop, once; prove.c finds
 * what is proven.
 *
 * The key of a call is what the program passed: function, name, set, place and
 * the words of each argument (texts by content). All of it is compared, also in
 * the table. Handles in a key stay what they are: a freed temporary's handle
 * is only used again for a declaration of the same shape (api_decl.c), so a
 * call that was right once stays right unless one of its handles is freed.
 */
#include "frontend/prove.h"
#include "frontend/ranks.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FE_MAX_ARGS = 64 };

/* ---- the key ------------------------------------------------------------ */

static bool
same_text(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

/* Is the data pointer part of an argument's identity? Only for handles. */
static bool
arg_is_handle(const op_arg *a) {
  return a->argtype == OP2_ARG_HANDLE;
}

/* All words but the type; one branch instead of eight, as they mostly agree. */
static bool
arg_same(const op_arg *k, const op_arg *a) {
  uintptr_t handles = ((uintptr_t)k->dat ^ (uintptr_t)a->dat) |
                      ((uintptr_t)k->map ^ (uintptr_t)a->map);
  int words = (k->idx ^ a->idx) | (k->dim ^ a->dim) | (k->acc ^ a->acc) |
              (k->argtype ^ a->argtype) | (k->opt ^ a->opt) |
              (k->size ^ a->size);
  if (handles | (unsigned)words) return false;
  return !arg_is_handle(k) || k->data == a->data;
}

/* Arguments of a loop mostly share a type's text: it is compared by content
 * when it is another one than that of the argument before. Types of keys are
 * interned, so that there the pointer says it. */
static bool
args_same(const op_arg *k, const op_arg *a, int n) {
  const char *key = NULL, *type = NULL;
  for (int i = 0; i < n; i++) {
    if (!arg_same(&k[i], &a[i])) return false;
    if (a[i].type == type && k[i].type == key) continue;
    key = k[i].type;
    type = a[i].type;
    if (!same_text(key, type)) return false;
  }
  return true;
}

static bool
uses_alive(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u]->freed) return false;
  if (c->nhandles)
    for (uint32_t a = 0; a < c->nargs; a++)
      if (c->args[a].gbl && c->args[a].gbl->freed) return false;
  return true;
}

bool
fe_call_matches(const struct fe_call *c, void (*function)(void),
                const char *name, op_set set, int nargs, const op_arg *args,
                const char *file, int line) {
  if (c->function != function || c->set_handle != set ||
      c->nargs != (uint32_t)nargs || c->line != line ||
      c->source_version != fe.source_version)
    return false;
  if (!same_text(c->file, file) || !same_text(c->name, name)) return false;
  return args_same(c->key, args, nargs) && uses_alive(c);
}

static void
key_text(struct str *b, const char *s) {
  if (s) str_addn(b, s, strlen(s));
  str_addn(b, "", 1);
}

#define KEY_WORD(b, word) str_addn((b), (const char *)&(word), sizeof(word))

static void
key_build(struct str *b, uint64_t source_version, const char *file, int line,
          void (*function)(void), const char *name, op_set set, int nargs,
          const op_arg *args) {
  KEY_WORD(b, function);
  KEY_WORD(b, set);
  KEY_WORD(b, line);
  KEY_WORD(b, nargs);
  KEY_WORD(b, source_version);
  key_text(b, file);
  key_text(b, name);
  for (int i = 0; i < nargs; i++) {
    const op_arg *a = &args[i];
    int words[] = {a->idx, a->dim, a->acc, a->argtype, a->opt, a->size};
    KEY_WORD(b, a->dat);
    KEY_WORD(b, a->map);
    KEY_WORD(b, words);
    if (arg_is_handle(a)) KEY_WORD(b, a->data);
    key_text(b, a->type);
  }
}

/* ---- checks ------------------------------------------------------------- */

/* What a message begins with: loop and argument, counted from 0. */
struct site {
  const char *loop;
  int arg;
};
#define ARG_FAIL(s, fmt, ...)                                                  \
  FAIL(ERR_ARG, "op_par_loop \"%s\": argument %d: " fmt, (s)->loop, (s)->arg,  \
       __VA_ARGS__)

static const char *
access_text(int acc) {
  static const char *const names[] = {"OP_READ", "OP_WRITE", "OP_RW",  "OP_INC",
                                      "OP_MIN",  "OP_MAX",   "OP_WORK"};
  return acc >= 0 && acc < (int)(sizeof names / sizeof *names) ? names[acc]
                                                               : "no access";
}

static status
check_access(const struct site *s, int acc, bool global) {
  bool ok = acc >= OP_READ && acc <= (global ? OP_WORK : OP_INC);
  if (!ok)
    ARG_FAIL(s, "access not allowed for a %s: expected %s, found %s (%d)",
             global ? "global" : "dat",
             global
                 ? "OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN, OP_MAX or OP_WORK"
                 : "OP_READ, OP_WRITE, OP_RW or OP_INC",
             access_text(acc), acc);
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
    if (to && to != &set->pub)
      ARG_FAIL(s,
               "wrong set: expected a dat on the loop's set \"%s\" (or a map), "
               "found %s on set \"%s\"",
               set->pub.name, what, to->name);
    return OK;
  }
  if (!fe_handle_is(a->map, FE_MAP))
    ARG_FAIL(s, "map: expected a declared map, found %s",
             fe_handle_found(a->map));
  if (a->map->from != &set->pub)
    ARG_FAIL(s,
             "wrong map: expected one from the loop's set \"%s\", found \"%s\" "
             "from \"%s\"",
             set->pub.name, a->map->name, a->map->from->name);
  if (to && a->map->to != to)
    ARG_FAIL(s,
             "wrong map: expected one to set \"%s\" of %s, found \"%s\" to "
             "\"%s\"",
             to->name, what, a->map->name, a->map->to->name);
  int arity = a->map->dim;
  if (a->idx >= arity || a->idx == -1 || a->idx < -arity)
    ARG_FAIL(s,
             "index outside map \"%s\": expected 0 to %d, or -2 to -%d for a "
             "vector argument, found %d",
             a->map->name, arity - 1, arity, a->idx);
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
arg_dat(const struct site *s, const op_arg *a, const struct fe_set *set,
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
  out->ir.kind = IR_ARG_DAT;
  out->dat = d;
  out->map = (struct fe_map *)a->map;
  out->type = d->type;
  out->dim = (uint32_t)d->pub.dim;
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
             access_text(a->acc), a->type, "a user type");
  out->dim = (uint32_t)a->dim;
  out->bytes = (size_t)a->dim * out->type.size;
  out->raw = a->acc != OP_READ;
  out->ir.kind = out->raw ? IR_ARG_GBL : IR_ARG_PARAM;
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
  out->ir.kind = IR_ARG_GBL;
  out->gbl = g;
  out->dim = g->dim;
  return OK;
}

static status
arg_idx(const struct site *s, const op_arg *a, const struct fe_set *set,
        struct fe_arg *out) {
  TRY(check_map(s, a, set, NULL, "idx"));
  if (a->map && a->idx < 0)
    ARG_FAIL(s, "index of op_arg_idx: expected 0 to %d, found %d",
             a->map->dim - 1, a->idx);
  out->ir.kind = IR_ARG_IDX;
  out->map = (struct fe_map *)a->map;
  out->type = (struct type){TYPE_I32, 4};
  out->dim = 1;
  return OK;
}

/* The payload of a MIN or MAX argument; idx holds its number. */
static status
arg_info(const struct site *s, const op_arg *a, int nargs, const op_arg *args,
         struct fe_arg *out) {
  int ref = a->idx;
  if (ref < 0 || ref >= nargs || !args[ref].opt ||
      (args[ref].argtype != OP_ARG_GBL && !arg_is_handle(&args[ref])) ||
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
  out->ir.kind = IR_ARG_INFO;
  out->ir.info_of = (uint16_t)ref;
  return OK;
}

static status
check_arg(const struct site *s, const op_arg *args, int nargs,
          const struct fe_set *set, struct fe_arg *out) {
  const op_arg *a = &args[s->arg];
  *out = (struct fe_arg){
      .ir = {.dat = IR_NONE, .map = IR_NONE, .in = IR_NONE, .out = IR_NONE}};
  if (!a->opt) {
    out->ir.kind = IR_ARG_OFF;
    return OK;
  }
  switch (a->argtype) {
  case OP_ARG_DAT: TRY(arg_dat(s, a, set, out)); break;
  case OP_ARG_GBL: TRY(arg_gbl(s, a, out)); break;
  case OP2_ARG_HANDLE: TRY(arg_handle(s, a, out)); break;
  case OP_ARG_IDX: TRY(arg_idx(s, a, set, out)); break;
  case OP_ARG_INFO: TRY(arg_info(s, a, nargs, args, out)); break;
  default:
    ARG_FAIL(s, "expected op_arg_dat, op_arg_gbl, ..., found kind %d",
             a->argtype);
  }
  out->ir.access = (uint8_t)(a->argtype == OP_ARG_IDX ? OP_READ : a->acc);
  if (a->map && a->idx < 0) out->ir.vector = (uint32_t)-a->idx;
  if (a->map && a->idx > 0) out->ir.entry = (uint32_t)a->idx;
  return OK;
}

/* ---- the kernel --------------------------------------------------------- */

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
check_kernel(const char *name, void (*function)(void), int nargs,
             const struct low_kernel *k) {
  if (!function && k->opaque)
    FAIL(ERR_ARG,
         "op_par_loop \"%s\": no kernel: expected a function, or a source "
         "given to op2_kernel_source under this name, found NULL",
         name);
  if (!k->opaque && k->nparams != (uint32_t)nargs)
    FAIL(ERR_ARG,
         "op_par_loop \"%s\": number of arguments: expected %u as the kernel "
         "has parameters, found %d",
         name, k->nparams, nargs);
  return OK;
}

static bool
is_integer(struct type t) {
  return strchr("IU", type_class(t)) != NULL;
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
  const char *name = a->argtype == OP_ARG_IDX ? "int" : a->type;
  if (!name || !type_from_name(name, 0, &want, NULL)) return OK;
  bool known = type_from_name(plain, 0, &have, NULL);
  if (known && c && want.size == have.size && is_integer(want) &&
      is_integer(have))
    return OK;
  if (!known || !type_same(want, have))
    ARG_FAIL(s,
             "wrong kernel parameter: expected a pointer to \"%s\", found one "
             "to \"%s\"",
             name, plain);
  return OK;
}

status
fe_call_check_types(const char *name, int nargs, const op_arg *args,
                    const char *const *types, int ntypes) {
  if (!name || ntypes != nargs) return OK; /* fe_call_get says it better */
  for (int i = 0; i < nargs; i++) {
    struct site s = {name, i};
    TRY(check_param_type(&s, &args[i], types[i], false));
  }
  return OK;
}

/* As a C kernel's debug information has them: "double;float*;", unless it tells
 * of another number of parameters. */
static status
check_kernel_types(const char *name, int nargs, const op_arg *args,
                   const char *types) {
  int n = 0;
  for (const char *t = types; t && *t; t++) n += *t == ';';
  for (int i = 0; n == nargs && i < nargs; i++) {
    struct site s = {name, i};
    size_t len = strcspn(types, ";");
    char *type = arena_printf(&fe.arena, "%.*s", (int)len, types);
    TRY(check_param_type(&s, &args[i], type, true));
    types += len + 1;
  }
  return OK;
}

/* ---- making a call ------------------------------------------------------ */

static void
collect_uses(struct fe_call *c) {
  c->uses = mem_alloc(c->nargs + 1, sizeof *c->uses);
  c->use_reads = mem_alloc(c->nargs + 1, sizeof *c->use_reads);
  c->use_writes = mem_alloc(c->nargs + 1, sizeof *c->use_writes);
  for (uint32_t a = 0; a < c->nargs; a++) {
    struct fe_dat *d = c->args[a].dat;
    uint32_t u = 0;
    if (!d) continue;
    while (u < c->nuses && c->uses[u] != d) u++;
    if (u == c->nuses) c->uses[c->nuses++] = d;
    const struct ir_arg *x = &c->args[a].ir;
    c->use_reads[u] |= access_info[x->access].reads || x->in != IR_NONE;
    c->use_writes[u] |= access_info[x->access].writes;
  }
}

static status
call_check(const char *name, op_set set, int nargs, const op_arg *args,
           void (*function)(void), struct fe_arg *out,
           struct fe_kernel **kernel_out) {
  if (!name) FAIL(ERR_ARG, "op_par_loop: name: expected a text, found NULL");
  if (!fe_handle_is(set, FE_SET))
    FAIL(ERR_ARG, "op_par_loop \"%s\": set: expected a declared set, found %s",
         name, fe_handle_found(set));
  if (nargs < 0 || nargs > FE_MAX_ARGS)
    FAIL(ERR_ARG, "op_par_loop \"%s\": expected 0 to %d arguments, found %d",
         name, FE_MAX_ARGS, nargs);
  for (int a = 0; a < nargs; a++) {
    struct site s = {name, a};
    TRY(check_arg(&s, args, nargs, (struct fe_set *)set, &out[a]));
  }
  struct fe_kernel *k = fe_kernel_get(function, name);
  TRY(check_kernel(name, function, nargs, k->low));
  TRY(check_kernel_types(name, nargs, args, k->low->types));
  tell_opaque(name, k->low);
  *kernel_out = k;
  return OK;
}

static const char *
text_copy(char **to, const char *s) {
  if (!s) return NULL;
  char *at = *to;
  *to = stpcpy(at, s) + 1;
  return at;
}

static size_t
text_bytes(const char *s) {
  return s ? strlen(s) + 1 : 0;
}

/* The type of argument a, or of one before it that has the same. */
static const char *
type_copy(char **to, const op_arg *key, int a) {
  for (int i = 0; i < a; i++)
    if (key[i].type && key[a].type && !strcmp(key[i].type, key[a].type))
      return key[i].type;
  return text_copy(to, key[a].type);
}

/* The key's texts are copied: the program may build them in a buffer. Equal
 * types are the same text. */
void
fe_call_keep_key(struct fe_call *c, const char *file, const char *name,
                 const op_arg *args) {
  size_t bytes = text_bytes(file) + text_bytes(name);
  for (uint32_t a = 0; a < c->nargs; a++) bytes += text_bytes(args[a].type);
  char *to = c->texts = mem_alloc(bytes, 1);
  c->file = text_copy(&to, file);
  c->name = text_copy(&to, name);
  c->key = mem_alloc(c->nargs + 1, sizeof *c->key);
  for (uint32_t a = 0; a < c->nargs; a++) {
    c->key[a] = args[a];
    c->key[a].type = type_copy(&to, c->key, (int)a);
  }
}

uint32_t
fe_call_id_take(struct fe_call *c) {
  fe.calls_made++;
  if (!fe.nfree_ids) {
    VEC_PUSH(fe.calls, fe.ncalls, fe.capcalls, c);
    return fe.ncalls - 1;
  }
  uint32_t id = fe.free_ids[--fe.nfree_ids];
  assert(!fe.calls[id]);
  fe.calls[id] = c;
  return id;
}

void
fe_call_free(struct fe_call *c) {
  free(c->texts);
  free(c->words);
  free(c->key);
  free(c->args);
  free(c->uses);
  free(c->use_reads);
  free(c->use_writes);
  free(c);
}

/* Out of the table that finds it. */
static void
call_hide(const struct fe_call *c) {
  if (c->base) {
    table_remove(&fe.overlaps, c->words, c->words_bytes);
    return;
  }
  struct str key = STR_INIT;
  key_build(&key, c->source_version, c->file, c->line, c->function, c->name,
            c->set_handle, (int)c->nargs, c->key);
  if (table_get(&fe.call_ids, key.s, key.len, 0) == c->id + 1)
    table_remove(&fe.call_ids, key.s, key.len);
  str_clear(&key);
}

void
fe_call_drop(struct fe_call *c) {
  call_hide(c);
  fe.calls[c->id] = NULL;
  VEC_PUSH(fe.free_ids, fe.nfree_ids, fe.capfree_ids, c->id);
  fe_call_free(c);
}

/* Calls know dats and globals by their shapes from now on. */
static void
note_called(const struct fe_call *c) {
  for (uint32_t a = 0; a < c->nargs; a++) {
    if (c->args[a].dat) c->args[a].dat->called = true;
    if (c->args[a].gbl) c->args[a].gbl->called = true;
  }
}

status
fe_call_get(const char *file, int line, void (*function)(void),
            const char *name, op_set set, int nargs, const op_arg *args,
            struct fe_call **out) {
  struct str key = STR_INIT;
  key_build(&key, fe.source_version, file, line, function, name, set,
            nargs < 0 ? 0 : nargs, args);
  uintptr_t id = table_get(&fe.call_ids, key.s, key.len, 0);
  if (id && uses_alive(fe.calls[id - 1])) {
    *out = fe.calls[id - 1];
    str_clear(&key);
    return OK;
  }
  struct fe_arg checked[FE_MAX_ARGS];
  struct fe_kernel *kernel = NULL;
  status st = call_check(name, set, nargs, args, function, checked, &kernel);
  if (st == OK) {
    struct fe_call *c = mem_alloc(1, sizeof *c);
    *c = (struct fe_call){.function = function,
                          .set_handle = set,
                          .nargs = (uint32_t)nargs,
                          .line = line,
                          .source_version = fe.source_version,
                          .kernel = kernel,
                          .set = (struct fe_set *)set};
    fe_call_keep_key(c, file, name, args);
    c->args = mem_alloc((size_t)nargs + 1, sizeof *c->args);
    memcpy(c->args, checked, (size_t)nargs * sizeof *c->args);
    fe_prove(c);
    collect_uses(c);
    c->most_bytes = c->capture_bytes + fe_consts_bytes(kernel);
    c->said = fe_agree_call(c);
    c->id = fe_call_id_take(c);
    note_called(c);
    *table_slot(&fe.call_ids, key.s, key.len) = c->id + 1;
    *out = c;
  }
  str_clear(&key);
  return st;
}
