/* Calls: op_par_loops seen before. check.c has what is checked about a new one,
 * prove.c finds what is proven.
 *
 * The key of a call is what the program passed: function, name, set, place and
 * the words of each argument (texts by content). All of it is compared, also in
 * the table. Handles in a key stay what they are: a freed temporary's handle
 * is only used again for a declaration of the same shape (api_decl.c), so a
 * call that was right once stays right unless one of its handles is freed.
 */
#include "frontend/calls.h"
#include "frontend/context.h"

#include "base/hash.h"
#include "base/module.h"
#include "base/str.h"
#include "base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct fe_calls fe_calls;
static struct table call_ids; /* key bytes -> id + 1 */
static struct table overlaps; /* id and offsets of globals -> id + 1 */
static uint32_t *free_ids, nfree_ids, capfree_ids;

/* ---- the key ------------------------------------------------------------ */

static bool
same_text(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

/* Is the data pointer part of an argument's identity? Only for handles. */
static bool
arg_is_handle(const op_arg *a) {
  return a->argtype == OP2_ARG_HANDLE || a->argtype == OP2_ARG_MAT;
}

/* A field of four bytes and the next; programs mostly store both at once. */
static inline uint64_t
pair_of(const void *first) {
  uint64_t pair;
  memcpy(&pair, first, sizeof pair);
  return pair;
}
_Static_assert(offsetof(op_arg, idx) == offsetof(op_arg, dim) + 4, "a pair");
_Static_assert(offsetof(op_arg, argtype) == offsetof(op_arg, acc) + 4, "too");

/* What differs in the words of two arguments, but for the type and the data. */
static inline uint64_t
arg_words(const op_arg *k, const op_arg *a) {
  uint64_t handles = ((uintptr_t)k->dat ^ (uintptr_t)a->dat) |
                     ((uintptr_t)k->map ^ (uintptr_t)a->map);
  int words = (k->opt ^ a->opt) | (k->size ^ a->size);
  return handles | (pair_of(&k->dim) ^ pair_of(&a->dim)) |
         (pair_of(&k->acc) ^ pair_of(&a->acc)) | (unsigned)words;
}

/* Arguments of a loop mostly share a type's text: it is compared by content
 * when it is another one than that of the argument before. */
static bool
types_same(const op_arg *k, const op_arg *a, uint32_t n) {
  const char *key = NULL, *type = NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (k[i].type == key && a[i].type == type) continue;
    key = k[i].type;
    type = a[i].type;
    if (!same_text(key, type)) return false;
  }
  return true;
}

static bool
data_same(const op_arg *k, const op_arg *a, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (arg_is_handle(&k[i]) && k[i].data != a[i].data) return false;
  return true;
}

/* One branch for all arguments: they mostly agree. */
static bool
args_same(const struct fe_call *c, const op_arg *a) {
  const op_arg *k = c->key;
  uint64_t words = 0, types = 0;
  for (uint32_t i = 0; i < c->nargs; i++) {
    words |= arg_words(&k[i], &a[i]);
    types |= (uintptr_t)k[i].type ^ (uintptr_t)a[i].type;
  }
  if (words || (c->nhandles && !data_same(k, a, c->nargs))) return false;
  return !types || types_same(k, a, c->nargs);
}

/* Asked again only after some handle was freed. */
static bool
uses_alive(struct fe_call *c) {
  if (c->alive == fe_handles_freed) return true;
  if (((struct fe_set *)c->set_handle)->freed) return false;
  if (c->each && c->each->freed) return false;
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].map && c->args[a].map->freed) return false;
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].dat->freed) return false;
  if (c->nhandles)
    for (uint32_t a = 0; a < c->nargs; a++)
      if (c->args[a].gbl && c->args[a].gbl->freed) return false;
  c->alive = fe_handles_freed;
  return true;
}

bool
fe_call_matches(struct fe_call *c, const struct fe_loop *l) {
  if (c->function != l->function || c->set_handle != l->set ||
      c->each != l->each || c->nargs != (uint32_t)l->nargs ||
      c->line != l->line || c->source_version != fe.source_version)
    return false;
  if (!same_text(c->file, l->file) || !same_text(c->name, l->name))
    return false;
  return args_same(c, l->args) && uses_alive(c);
}

static void
key_text(struct str *b, const char *s) {
  if (s) str_addn(b, s, strlen(s));
  str_addn(b, "", 1);
}

#define KEY_WORD(b, word) str_addn((b), (const char *)&(word), sizeof(word))

static void
key_build(struct str *b, uint64_t source_version, const struct fe_loop *l) {
  int nargs = l->nargs < 0 ? 0 : l->nargs;
  KEY_WORD(b, l->function);
  KEY_WORD(b, l->set);
  KEY_WORD(b, l->each);
  KEY_WORD(b, l->line);
  KEY_WORD(b, nargs);
  KEY_WORD(b, source_version);
  key_text(b, l->file);
  key_text(b, l->name);
  for (int i = 0; i < nargs; i++) {
    const op_arg *a = &l->args[i];
    int words[] = {a->idx, a->dim, a->acc, a->argtype, a->opt, a->size};
    KEY_WORD(b, a->dat);
    KEY_WORD(b, a->map);
    KEY_WORD(b, words);
    if (arg_is_handle(a)) KEY_WORD(b, a->data);
    key_text(b, a->type);
  }
}

/* ---- making a call ------------------------------------------------------ */

static void
collect_uses(struct fe_call *c) {
  c->uses = mem_alloc(c->nargs + 1, sizeof *c->uses);
  for (uint32_t a = 0; a < c->nargs; a++) {
    struct fe_dat *d = c->args[a].dat;
    uint32_t u = 0;
    if (!d) continue;
    while (u < c->nuses && c->uses[u].dat != d) u++;
    if (u == c->nuses) c->uses[c->nuses++].dat = d;
    const struct fe_arg *x = &c->args[a];
    c->uses[u].reads |= access_info[x->access].reads || x->partial;
    c->uses[u].writes |= access_info[x->access].writes;
  }
}

/* What the program cannot change stays where it is: then the pointer says that
 * a call passed it again. */
static const char *
text_copy(char **to, const char *s) {
  if (!s || module_constant(s)) return s;
  char *at = *to;
  *to = stpcpy(at, s) + 1;
  return at;
}

static size_t
text_bytes(const char *s) {
  return s ? strlen(s) + 1 : 0;
}

/* The type of argument a; of arguments that pass the same text, one copy. */
static const char *
type_copy(char **to, const struct fe_call *c, const op_arg *args, uint32_t a) {
  for (uint32_t i = 0; i < a; i++)
    if (args[i].type == args[a].type) return c->key[i].type;
  return text_copy(to, args[a].type);
}

/* The key's texts are copied: the program may build them in a buffer. */
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
    c->key[a].type = type_copy(&to, c, args, a);
  }
}

uint32_t
fe_call_id_take(struct fe_call *c) {
  fe_calls.made++;
  if (!nfree_ids) {
    VEC_PUSH(fe_calls.all, fe_calls.n, fe_calls.cap, c);
    return fe_calls.n - 1;
  }
  uint32_t id = free_ids[--nfree_ids];
  assert(!fe_calls.all[id]);
  fe_calls.all[id] = c;
  return id;
}

static void
call_free(struct fe_call *c) {
  free(c->texts);
  free(c->words);
  free(c->key);
  free(c->args);
  free(c->uses);
  free(c);
}

/* What the program said. */
static struct fe_loop
call_loop(const struct fe_call *c) {
  struct fe_loop l = {.file = c->file,
                      .line = c->line,
                      .function = c->function,
                      .name = c->name,
                      .set = c->set_handle,
                      .each = c->each,
                      .nargs = (int)c->nargs,
                      .args = c->key};
  for (uint32_t a = 0; a < c->nargs; a++) l.nhidden += c->args[a].masks != 0;
  return l;
}

/* Out of the table that finds it. */
static void
call_hide(const struct fe_call *c) {
  if (c->base) {
    table_remove(&overlaps, c->words, c->words_bytes);
    return;
  }
  struct str key = STR_INIT;
  struct fe_loop l = call_loop(c);
  key_build(&key, c->source_version, &l);
  if (table_get(&call_ids, key.s, key.len, 0) == c->id + 1)
    table_remove(&call_ids, key.s, key.len);
  str_clear(&key);
}

void
fe_call_drop(struct fe_call *c) {
  call_hide(c);
  fe_calls.all[c->id] = NULL;
  VEC_PUSH(free_ids, nfree_ids, capfree_ids, c->id);
  call_free(c);
}

/* Calls know dats and globals by their shapes from now on. */
static void
note_called(const struct fe_call *c) {
  for (uint32_t a = 0; a < c->nargs; a++) {
    if (c->args[a].dat) c->args[a].dat->called = true;
    if (c->args[a].gbl) c->args[a].gbl->called = true;
  }
  fe_graves_note(c);
}

/* What is equal on all ranks about a call, whichever dats and globals are in
 * the slots that it knows. */
static uint64_t
call_hash(const struct fe_call *c) {
  uint64_t h = hash_text(hash_text(1, c->name), c->file);
  h = hash_word(hash_word(h, (uint64_t)c->line),
                (uint64_t)c->set_handle->index);
  h = hash_word(hash_word(h, c->most_bytes), c->immediate);
  h = hash_word(h, c->each ? (uint64_t)c->each->tag : UINT64_MAX);
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_arg *x = &c->args[a];
    const op_arg *key = &c->key[a];
    h = hash_word(h, x->map ? (uint64_t)x->map->tag : UINT64_MAX);
    h = hash_word(h, (uint64_t)(uint32_t)key->idx << 32 | (uint32_t)key->dim);
    h = hash_word(h,
                  (uint64_t)(uint32_t)key->acc << 32 | (uint32_t)key->argtype);
    h = hash_text(hash_word(h, key->opt != 0), key->type);
  }
  return h;
}

/* One that was never seen, all checks done. */
static struct fe_call *
call_make(const struct fe_loop *l, const struct fe_arg *args,
          struct fe_kernel *kernel) {
  struct fe_call *c = mem_alloc(1, sizeof *c);
  *c = (struct fe_call){.function = l->function,
                        .set_handle = l->set,
                        .each = l->each,
                        .nargs = (uint32_t)l->nargs,
                        .line = l->line,
                        .source_version = fe.source_version,
                        .kernel = kernel};
  fe_call_keep_key(c, l->file, l->name, l->args);
  c->args = mem_alloc(c->nargs + 1, sizeof *c->args);
  memcpy(c->args, args, c->nargs * sizeof *c->args);
  fe_prove(c);
  for (uint32_t a = 0; a < c->nargs; a++)
    c->nhandles += c->key[a].argtype == OP2_ARG_MAT;
  collect_uses(c);
  c->most_bytes = c->capture_bytes + fe_consts_bytes(kernel);
  c->said = call_hash(c);
  c->alive = fe_handles_freed;
  c->id = fe_call_id_take(c);
  note_called(c);
  c->moves = c->each && !c->serial;
  for (uint32_t a = 0; a < c->nargs && !c->serial; a++)
    c->moves |= c->args[a].map != NULL;
  return c;
}

status
fe_call_get(const struct fe_loop *l, struct fe_call **out) {
  struct str key = STR_INIT;
  struct fe_arg args[FE_MAX_ARGS];
  struct fe_kernel *kernel;
  key_build(&key, fe.source_version, l);
  uintptr_t id = table_get(&call_ids, key.s, key.len, 0);
  bool known = id && uses_alive(fe_calls.all[id - 1]);
  status st = known ? OK : fe_call_check(l, args, &kernel);
  if (st == OK)
    *out = known ? fe_calls.all[id - 1] : call_make(l, args, kernel);
  if (st == OK && !known)
    *table_slot(&call_ids, key.s, key.len) = (*out)->id + 1;
  if (st == OK && !known && (*out)->nraw) fe_owed_tell(*out, l->args);
  str_clear(&key);
  return st;
}

status
fe_call_of_all_values(const struct fe_call *c, struct fe_call **out) {
  if (c->base)
    FAIL(ERR_STATE,
         "%s:%d: op_par_loop \"%s\": expected globals that do not overlap, as "
         "its kernel has a loop over a number that is a variable, found such "
         "that do",
         c->file ? c->file : "?", c->line, c->name);
  struct fe_loop l = call_loop(c);
  fe_kernel_vary(c->kernel);
  return fe_call_get(&l, out);
}

bool
fe_call_pinned(const struct fe_call *c) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].dat->pinned) return true;
  return false;
}

uintptr_t *
fe_call_shared(const void *words, size_t bytes) {
  return table_slot(&overlaps, words, bytes);
}

void
fe_call_to_host(uint32_t id) {
  fe_calls.all[id]->on_host = true;
}

void
fe_calls_clear(void) {
  for (uint32_t i = 0; i < fe_calls.n; i++)
    if (fe_calls.all[i]) call_free(fe_calls.all[i]);
  for (uint32_t i = 0; i < fe_calls.nkernels; i++)
    fe_kernel_free(fe_calls.kernels[i]);
  free(fe_calls.all);
  free(fe_calls.kernels);
  free(free_ids);
  free_ids = NULL;
  nfree_ids = capfree_ids = 0;
  table_clear(&call_ids);
  table_clear(&overlaps);
  fe_calls = (struct fe_calls){0};
}
