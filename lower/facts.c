/* What is known of a kernel, and bitcode of sources: made before (made.h), or
 * found out by LLVM and kept.
 *
 * An entry of facts is a row of words and texts in the order of struct
 * low_kernel. Its key is the digest of the kernel's code; that of a source is
 * the text, its tool the compiler's file. */
#include "lower/facts.h"

#include "base/log.h"
#include "lower/entry.h"
#include "lower/made.h"
#include "lower/module.h"

#include <assert.h>
#include <string.h>

/* ---- words and texts ----------------------------------------------------- */

static void
facts_put(struct str *b, uint64_t word) {
  str_addn(b, (const char *)&word, sizeof word);
}

static void
facts_put_text(struct str *b, const char *text) {
  assert(text);
  facts_put(b, strlen(text));
  str_add(b, text);
}

/* Equal code of any file has these facts: the mark of the file goes. */
static void
facts_put_name(struct str *b, const char *name) {
  SCOPED_STR plain = STR_INIT;
  const char *mark = strstr(name, LOW_STATIC);
  size_t stem = mark ? (size_t)(mark - name) + sizeof LOW_STATIC - 1 : 0;
  if (mark && strspn(name + stem, "0123456789abcdef") == LOW_STATIC_DIGITS) {
    str_addn(&plain, name, stem);
    name += stem + LOW_STATIC_DIGITS;
  }
  str_add(&plain, name);
  facts_put_text(b, plain.s);
}

/* What is left to read; `bad` once it was too short. */
struct facts_reader {
  const char *at;
  size_t left;
  bool bad;
};

static const char *
facts_take(struct facts_reader *r, size_t n) {
  r->bad |= n > r->left;
  if (r->bad) return NULL;
  const char *at = r->at;
  r->at += n;
  r->left -= n;
  return at;
}

static uint64_t
facts_get(struct facts_reader *r) {
  uint64_t word = 0;
  const char *at = facts_take(r, sizeof word);
  if (at) memcpy(&word, at, sizeof word);
  return word;
}

static const char *
facts_get_text(struct facts_reader *r, struct arena *arena) {
  size_t n = facts_get(r);
  const char *at = facts_take(r, n);
  char *text = arena_alloc(arena, at ? n + 1 : 1);
  if (at) memcpy(text, at, n);
  return text;
}

/* A count of things that take at least a word each. */
static uint32_t
facts_get_count(struct facts_reader *r) {
  uint64_t n = facts_get(r);
  r->bad |= n > r->left / sizeof(uint64_t);
  return r->bad ? 0 : (uint32_t)n;
}

/* ---- facts --------------------------------------------------------------- */

static void
facts_write(const struct low_kernel *k, struct str *b) {
  facts_put(b, k->effects);
  facts_put_text(b, k->why);
  facts_put(b, (uint64_t)(int64_t)k->copy_from);
  facts_put(b, (uint64_t)(int64_t)k->copy_to);
  facts_put(b, k->copy_bytes);
  facts_put(b, k->local_bytes);
  facts_put(b, k->flops);
  facts_put(b, k->slow);
  facts_put(b, k->divides);
  facts_put(b, k->others);
  facts_put(b, k->calls);
  facts_put(b, k->loops);
  facts_put(b, k->nparams);
  for (uint32_t i = 0; i < k->nparams; i++) {
    const struct low_param *p = &k->params[i];
    uint64_t words[] = {p->reads,       p->writes,     p->stores,
                        p->full_bytes,  p->indirect,   p->nentries,
                        p->adds_as,     p->lowers_as,  p->raises_as,
                        p->lowers_with, p->raises_with};
    int64_t spans[] = {p->each.from, p->each.to, p->each.entries,
                       p->some.from, p->some.to, p->some.entries};
    str_addn(b, (const char *)words, sizeof words);
    str_addn(b, (const char *)spans, sizeof spans);
  }
  facts_put(b, k->nconsts);
  for (uint32_t i = 0; i < k->nconsts; i++) {
    facts_put_name(b, k->consts[i].name);
    facts_put(b, k->consts[i].size);
    facts_put(b, k->consts[i].integer);
  }
  facts_put(b, k->nmaths);
  for (uint32_t i = 0; i < k->nmaths; i++) facts_put_text(b, k->maths[i]);
}

static struct low_reach
facts_get_reach(struct facts_reader *r) {
  struct low_reach s;
  s.from = (int64_t)facts_get(r);
  s.to = (int64_t)facts_get(r);
  s.entries = (int64_t)facts_get(r);
  return s;
}

static void
facts_read_param(struct facts_reader *r, struct low_param *p) {
  p->reads = facts_get(r);
  p->writes = facts_get(r);
  p->stores = facts_get(r);
  p->full_bytes = facts_get(r);
  p->indirect = facts_get(r);
  p->nentries = (uint32_t)facts_get(r);
  p->adds_as = (uint32_t)facts_get(r);
  p->lowers_as = (uint32_t)facts_get(r);
  p->raises_as = (uint32_t)facts_get(r);
  p->lowers_with = facts_get(r);
  p->raises_with = facts_get(r);
  p->each = facts_get_reach(r);
  p->some = facts_get_reach(r);
}

/* False: it does not hold what it should. */
static bool
facts_read(struct low_kernel *k, struct arena *arena, struct facts_reader r) {
  k->effects = facts_get(&r);
  k->why = facts_get_text(&r, arena);
  k->copy_from = (int)facts_get(&r);
  k->copy_to = (int)facts_get(&r);
  k->copy_bytes = facts_get(&r);
  k->local_bytes = facts_get(&r);
  k->flops = (uint32_t)facts_get(&r);
  k->slow = (uint32_t)facts_get(&r);
  k->divides = (uint32_t)facts_get(&r);
  k->others = (uint32_t)facts_get(&r);
  k->calls = (uint32_t)facts_get(&r);
  k->loops = facts_get(&r);
  k->nparams = facts_get_count(&r);
  k->params = ARENA_ARRAY(arena, struct low_param, k->nparams);
  for (uint32_t i = 0; i < k->nparams; i++) facts_read_param(&r, &k->params[i]);
  k->nconsts = facts_get_count(&r);
  k->consts = ARENA_ARRAY(arena, struct low_const, k->nconsts);
  for (uint32_t i = 0; i < k->nconsts; i++) {
    k->consts[i].name = facts_get_text(&r, arena);
    k->consts[i].size = facts_get(&r);
    k->consts[i].integer = facts_get(&r);
  }
  k->nmaths = facts_get_count(&r);
  k->maths = ARENA_ARRAY(arena, const char *, k->nmaths);
  for (uint32_t i = 0; i < k->nmaths; i++)
    k->maths[i] = facts_get_text(&r, arena);
  return !r.bad && !r.left;
}

static status
facts_find(struct low_kernel *k, struct arena *arena, const struct str *key) {
  assert(key->len);
  struct low_made m = {"facts", k->name, key, ""};
  struct low_entry e;
  if (low_made_find(&m, &e)) {
    struct low_kernel read = *k;
    bool good =
        facts_read(&read, arena, (struct facts_reader){e.bytes, e.n, 0});
    low_entry_clear(&e);
    if (good) {
      *k = read;
      return OK;
    }
    LOG_WARN("cached facts of kernel %s are incomplete; they are made anew",
             k->name);
  }
  TRY(low_llvm_facts(k, arena));
  SCOPED_STR b = STR_INIT;
  facts_write(k, &b);
  low_made_keep(&m, b.s, b.len);
  return OK;
}

status
low_facts_get(struct low_kernel *k, struct arena *arena) {
  assert(k->bitcode && k->name);
  SCOPED_STR key = STR_INIT;
  str_addn(&key, (const char *)k->digest.bytes, sizeof k->digest.bytes);
  return facts_find(k, arena, &key);
}

/* ---- sources ------------------------------------------------------------- */

/* Does the text alone say what it compiles to? Not if it takes in other files;
 * a line that goes on behind a backslash may hide that. */
static bool
source_is_whole(const char *source) {
  static const char *const words[] = {"include", "embed", "import", "\\\n"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strstr(source, words[k])) return false;
  return true;
}

static status
source_find(const struct low_made *m, const char *source, struct str *bitcode) {
  struct low_entry e;
  if (low_made_find(m, &e)) {
    str_addn(bitcode, e.bytes, e.n);
    low_entry_clear(&e);
    return OK;
  }
  TRY(low_llvm_source(m->name, source, bitcode));
  low_made_keep(m, bitcode->s, bitcode->len);
  return OK;
}

status
low_source_get(const char *name, const char *source, struct str *bitcode) {
  assert(name && source && !bitcode->len);
  if (!source_is_whole(source)) return low_llvm_source(name, source, bitcode);
  SCOPED_STR key = STR_INIT, tools = STR_INIT;
  low_file_identity(OP2_CLANG, &tools);
  facts_put_text(&key, name);
  facts_put_text(&key, source);
  struct low_made m = {"source", name, &key, tools.s};
  return source_find(&m, source, bitcode);
}
