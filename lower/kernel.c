/* The kernels that a program has shown so far.
 *
 * Looked up by function address: a kernel of a blob, else the source kernel of
 * that name, else opaque; the library's own have addresses that nothing else
 * has. Kernels stay where they are while calls hold them, also when a source
 * was replaced or a shared object has gone; then a sweep drops them. Bound:
 * functions and names of sources, and what calls hold. Code that goes around a
 * kernel has that one as a unit, and keeps it.
 *
 * A blob's kernel with effects is run as it is, through its address: only there
 * do the program's variables and functions lie. So it is opaque as well.
 */
#include "lower/kernel.h"

#include "base/log.h"
#include "base/table.h"
#include "lower/blob.h"
#include "lower/facts.h"
#include "lower/libm.h"
#include "lower/lower.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where a unit of a kernel comes from. */
struct kernel_from {
  const struct op2_blob *blob; /* NULL: forgotten */
  const struct op2_blob_entry *entry;
  struct str code; /* of a forgotten one */
};

struct kernel {
  struct low_kernel k; /* first: what others see */
  struct kernel *next;
  const struct op2_blob *blob; /* NULL: from source, opaque, or forgotten */
  struct str code;             /* bitcode of its own */
  char *source;
  struct low_own own;          /* of the library's own; key NULL: it is none */
  const struct kernel *around; /* it calls this one's code */
  struct kernel_from *from;    /* of k.units */
  uint32_t capfrom, capties;
  struct arena arena;
};

static struct {
  struct table by_address, by_name; /* struct kernel; by_name: sources */
  struct table promised;            /* addresses */
  struct table own;                 /* what for -> struct kernel */
  struct kernel *all;
  bool native; /* what has an address is called by it */
} kernels;

void
low_kernels_native(bool on) {
  kernels.native = on;
}

static struct kernel *
kernel_new(void (*address)(void), const char *name) {
  assert(name);
  struct kernel *k = mem_alloc(1, sizeof *k);
  k->code = (struct str)STR_INIT;
  k->next = kernels.all;
  kernels.all = k;
  k->k = (struct low_kernel){.name = arena_str(&k->arena, name),
                             .address = address,
                             .why = "",
                             .copy_from = -1,
                             .copy_to = -1};
  return k;
}

/* Forget what the IR said: opaque kernels prove nothing. */
static void
kernel_make_opaque(struct kernel *k, const char *why) {
  assert(why);
  struct low_kernel *o = &k->k;
  o->opaque = true;
  o->promised = !kernels.native &&
                table_get(&kernels.promised, &o->address, sizeof o->address, 0);
  if (o->promised) o->effects = false;
  o->why = arena_str(&k->arena, why);
  o->bitcode = NULL;
  o->bitcode_bytes = 0;
  o->copy_from = o->copy_to = -1;
  o->copy_bytes = 0;
  o->nparams = o->nconsts = o->nmaths = 0;
  o->params = NULL;
  o->consts = NULL;
}

/* A first reason to run the kernel as it is. */
__attribute__((format(printf, 2, 3))) static void
kernel_effect(struct kernel *k, const char *fmt, ...) {
  if (k->k.effects) return;
  SCOPED_STR why = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_vprintf(&why, fmt, ap);
  va_end(ap);
  k->k.effects = true;
  k->k.why = arena_str(&k->arena, why.s);
}

static bool
kernel_math_is_libm(const struct kernel *k, const char *name) {
  bool known = false;
  for (uint32_t u = 0; u < k->k.nunits + 1; u++) {
    const struct op2_blob *blob = u ? k->from[u - 1].blob : k->blob;
    const struct op2_blob_entry *e =
        blob ? low_blob_entry(blob, OP2_BLOB_CALLED, name) : NULL;
    if (e && !low_libm_has(name, e->address)) return false;
    known |= e != NULL;
  }
  return known || low_libm_has(name, NULL);
}

/* What is called under names of <math.h> must be the C library's. */
static void
kernel_maths(struct kernel *k) {
  for (uint32_t i = 0; i < k->k.nmaths; i++)
    if (!kernel_math_is_libm(k, k->k.maths[i]))
      kernel_effect(k, "calls %s, which is not the C library's", k->k.maths[i]);
}

/* Read the facts, and find the constants in the program: `global` gives the
 * address of one (false: not known) and may correct its size. */
static status
kernel_read(struct kernel *k, bool (*global)(void *user, struct low_const *c),
            void *user) {
  TRY(low_facts_get(&k->k, &k->arena));
  for (uint32_t i = 0; i < k->k.nconsts; i++) {
    struct low_const *c = &k->k.consts[i];
    const char *lacks = !global(user, c) ? "place" : c->size ? NULL : "size";
    if (lacks)
      kernel_effect(k, "mentions `%.*s`, whose %s is not known",
                    low_variable_length(c->name), c->name, lacks);
  }
  kernel_maths(k);
  return OK;
}

/* Is name[n] that of the variable `full`? Facts may be of equal code of another
 * file; then they end with the mark. */
static bool
kernel_is_variable(const char *name, size_t n, const char *full) {
  size_t mark = sizeof LOW_STATIC - 1;
  if (strncmp(full, name, n)) return false;
  if (!full[n]) return true;
  return n > mark && !memcmp(name + n - mark, LOW_STATIC, mark) &&
         strlen(full) == n + LOW_STATIC_DIGITS;
}

/* In its name the unit "#u" comes behind the variable's. */
static bool
kernel_blob_global(void *user, struct low_const *c) {
  struct kernel *k = user;
  const char *unit = strrchr(c->name, '#');
  uint32_t u = unit ? (uint32_t)strtoul(unit + 1, NULL, 10) : 0;
  size_t n = u ? (size_t)(unit - c->name) : strlen(c->name);
  const struct op2_blob *blob = u ? k->from[u - 1].blob : k->blob;
  const struct op2_blob_entry *e = blob->entries, *end = e + blob->nentries;
  while (e < end && (e->kind != OP2_BLOB_GLOBAL ||
                     !kernel_is_variable(c->name, n, e->ir_name)))
    e++;
  if (e == end) return false;
  c->name = arena_printf(&k->arena, "%s%s", e->ir_name, u ? unit : "");
  c->address = e->address;
  c->size = (size_t)e->size;
  return true;
}

/* The unit with this code; a new one if need be. 0: the kernel itself. */
static uint32_t
kernel_unit(struct kernel *k, void (*address)(void),
            const struct op2_blob *blob, const struct op2_blob_entry *entry) {
  if (address == k->k.address) return 0;
  for (uint32_t u = 0; u < k->k.nunits; u++)
    if (k->from[u].entry->address == entry->address) return u + 1;
  struct kernel_from from = {blob, entry, STR_INIT};
  VEC_PUSH(k->from, k->k.nunits, k->capfrom, from);
  return k->k.nunits;
}

/* Tie what this unit calls to what the program's files define. */
static void
kernel_tie(struct kernel *k, uint32_t unit, const struct op2_blob *blob,
           const struct op2_blob_entry *entry) {
  assert(unit <= k->k.nunits);
  for (unsigned c = 0; c < entry->ncalls; c++) {
    const struct op2_blob_entry *called = &blob->entries[entry->calls[c]];
    const struct op2_blob *there;
    void (*address)(void);
    memcpy(&address, &called->address, sizeof address);
    const struct op2_blob_entry *code =
        address ? low_blob_find(address, &there) : NULL;
    if (!code) continue;
    struct low_tie t = {unit, kernel_unit(k, address, there, code),
                        called->ir_name};
    VEC_PUSH(k->k.ties, k->k.nties, k->capties, t);
  }
}

/* What equal code has in common: each unit's, and who calls whom. */
static void
kernel_digest(struct kernel *k, const struct op2_blob_entry *entry) {
  SCOPED_STR b = STR_INIT;
  str_addn(&b, (const char *)entry->digest, sizeof entry->digest);
  for (uint32_t u = 0; u < k->k.nunits; u++)
    str_addn(&b, (const char *)k->from[u].entry->digest, sizeof entry->digest);
  for (uint32_t t = 0; t < k->k.nties; t++)
    str_printf(&b, "%u %s %u\n", k->k.ties[t].unit, k->k.ties[t].name,
               k->k.ties[t].to);
  digest_of(b.s, b.len, &k->k.digest);
}

/* The kernel's code, and what it calls of other files, as far as they have
 * code. */
static void
kernel_gather(struct kernel *k, const struct op2_blob *blob,
              const struct op2_blob_entry *entry) {
  assert(blob->bitcode && blob->bitcode_bytes);
  k->blob = blob;
  k->k.bitcode = blob->bitcode;
  k->k.bitcode_bytes = blob->bitcode_bytes;
  kernel_tie(k, 0, blob, entry);
  for (uint32_t u = 0; u < k->k.nunits; u++)
    kernel_tie(k, u + 1, k->from[u].blob, k->from[u].entry);
  k->k.units = ARENA_ARRAY(&k->arena, struct low_unit, k->k.nunits);
  for (uint32_t u = 0; u < k->k.nunits; u++)
    k->k.units[u] =
        (struct low_unit){k->from[u].entry->ir_name, k->from[u].blob->bitcode,
                          k->from[u].blob->bitcode_bytes};
  kernel_digest(k, entry);
}

static struct kernel *
kernel_from_blob(const struct op2_blob *blob,
                 const struct op2_blob_entry *entry) {
  void (*address)(void);
  static_assert(sizeof address == sizeof entry->address, "POSIX");
  memcpy(&address, &entry->address, sizeof address);
  struct kernel *k = kernel_new(address, entry->ir_name);
  k->k.types = arena_str(&k->arena, entry->types ? entry->types : "");
  if (kernels.native) {
    k->blob = blob;
    kernel_make_opaque(k, "is called as it is (OP2_DEBUG=kernels)");
    return k;
  }
  kernel_gather(k, blob, entry);
  status s = kernel_read(k, kernel_blob_global, k);
  if (s != OK) {
    LOG_WARN("%s: %s; it is called as it is", blob->source, err_last());
    kernel_make_opaque(k, err_last());
  } else if (k->k.effects) {
    kernel_make_opaque(k, k->k.why);
    if (!k->k.promised)
      LOG_WARN(
          "%s: kernel %s %s: its loops run at their call, each for itself, "
          "on one thread",
          blob->source, k->k.name, k->k.why);
  }
  return k;
}

static struct kernel *
kernel_keep(void (*address)(void), struct kernel *k) {
  *table_slot(&kernels.by_address, &address, sizeof address) = (uintptr_t)k;
  return k;
}

static struct kernel *
kernel_by_name(const char *name) {
  return (struct kernel *)table_get(&kernels.by_name, name, strlen(name) + 1,
                                    0);
}

const struct low_kernel *
low_kernel_get(void (*address)(void), const char *name) {
  if (!name) name = "";
  struct kernel *k = (struct kernel *)table_get(&kernels.by_address, &address,
                                                sizeof address, 0);
  if (k && (k->blob || k->own.key)) return &k->k;
  const struct op2_blob *blob;
  const struct op2_blob_entry *entry = low_blob_find(address, &blob);
  if (entry) return &kernel_keep(address, kernel_from_blob(blob, entry))->k;
  struct kernel *source = kernel_by_name(name);
  if (source) return &source->k;
  if (k) return &k->k;
  k = kernel_keep(address, kernel_new(address, name));
  kernel_make_opaque(k, "has no IR (its file was not compiled by op2cc)");
  return &k->k;
}

/* A variable that a source only declares: the program's, if it exports it. */
static bool
kernel_source_global(void *user, struct low_const *c) {
  (void)user;
  c->address = dlsym(RTLD_DEFAULT, c->name);
  return c->address != NULL;
}

/* With the name: the code may define other functions. */
void
low_kernel_digest(struct low_kernel *k) {
  SCOPED_STR b = STR_INIT;
  str_printf(&b, "%s\n", k->name);
  str_addn(&b, k->bitcode, k->bitcode_bytes);
  digest_of(b.s, b.len, &k->digest);
}

static status
kernel_read_source(struct kernel *k) {
  assert(k->code.len);
  k->k.bitcode = k->code.s;
  k->k.bitcode_bytes = k->code.len;
  low_kernel_digest(&k->k);
  TRY(kernel_read(k, kernel_source_global, NULL));
  if (k->k.effects && k->k.nconsts)
    FAIL(ERR_COMPILE,
         "kernel %s: it %s; a kernel from source that has effects cannot "
         "mention the program's variables",
         k->k.name, k->k.why);
  return OK;
}

status
low_kernel_source(const char *name, const char *source) {
  assert(name && source);
  struct kernel *old = kernel_by_name(name);
  if (old && !strcmp(old->source, source)) return OK;
  struct str code = STR_INIT;
  status s = low_source_get(name, source, &code);
  if (s != OK) {
    str_clear(&code);
    return s;
  }
  struct kernel *k = kernel_new(NULL, name);
  k->code = code;
  k->source = arena_str(&k->arena, source);
  TRY(kernel_read_source(k));
  *table_slot(&kernels.by_name, name, strlen(name) + 1) = (uintptr_t)k;
  return OK;
}

const struct low_kernel *
low_kernel_own(struct low_own what) {
  struct kernel *k =
      (struct kernel *)table_get(&kernels.own, what.key, what.bytes, 0);
  return k ? &k->k : NULL;
}

/* Its text is complete: it mentions no variable. */
static bool
kernel_own_global(void *user, struct low_const *c) {
  (void)user, (void)c;
  return false;
}

/* One with this text, not yet read: until it is kept, a sweep takes it. */
static struct kernel *
kernel_own_new(const char *name, const char *text) {
  struct kernel *k = kernel_new(NULL, name);
  str_add(&k->code, text);
  k->k.bitcode = k->code.s;
  k->k.bitcode_bytes = k->code.len;
  return k;
}

static void
kernel_own_keep(struct kernel *k, struct low_own what) {
  assert(!low_kernel_own(what));
  k->own =
      (struct low_own){arena_copy(&k->arena, what.key, what.bytes), what.bytes};
  *table_slot(&kernels.own, what.key, what.bytes) = (uintptr_t)k;
}

static void
kernel_own_forget(struct kernel *k) {
  table_remove(&kernels.own, k->own.key, k->own.bytes);
  if (!k->around)
    table_remove(&kernels.by_address, &k->k.address, sizeof k->k.address);
}

status
low_kernel_own_add(struct low_own what, const char *name, const char *text,
                   const struct low_kernel **out) {
  struct kernel *k = kernel_own_new(name, text);
  digest_of(text, k->code.len, &k->k.digest);
  TRY(kernel_read(k, kernel_own_global, NULL));
  assert(!k->k.effects);
  memcpy(&k->k.address, &k, sizeof k->k.address);
  kernel_own_keep(k, what);
  kernel_keep(k->k.address, k);
  *out = &k->k;
  return OK;
}

/* ---- code around another kernel ------------------------------------------ */

/* Its units: the other kernel, and what that one calls. */
static void
around_units(struct kernel *k, const struct kernel *base) {
  const struct low_kernel *b = &base->k;
  struct low_kernel *o = &k->k;
  struct kernel_from none = {NULL, NULL, STR_INIT};
  struct low_tie call = {0, 1, LOW_AROUND};
  o->units = ARENA_ARRAY(&k->arena, struct low_unit, b->nunits + 1);
  o->units[0] = (struct low_unit){b->name, b->bitcode, b->bitcode_bytes};
  none.blob = base->blob;
  VEC_PUSH(k->from, o->nunits, k->capfrom, none);
  VEC_PUSH(o->ties, o->nties, k->capties, call);
  for (uint32_t u = 0; u < b->nunits; u++) {
    o->units[u + 1] = b->units[u];
    none.blob = base->from[u].blob;
    VEC_PUSH(k->from, o->nunits, k->capfrom, none);
  }
  for (uint32_t t = 0; t < b->nties; t++) {
    struct low_tie tie = {b->ties[t].unit + 1, b->ties[t].to + 1,
                          b->ties[t].name};
    VEC_PUSH(o->ties, o->nties, k->capties, tie);
  }
}

/* A constant of the other kernel, which is a unit of this one: there "name#u"
 * is unit u - 1's, and what has no number is the kernel's. */
static bool
around_global(void *user, struct low_const *c) {
  struct kernel *k = user;
  const char *unit = strrchr(c->name, '#');
  assert(unit);
  size_t n = (size_t)(unit - c->name);
  unsigned long u = strtoul(unit + 1, NULL, 10);
  for (uint32_t i = 0; i < k->around->k.nconsts; i++) {
    const struct low_const *there = &k->around->k.consts[i];
    const char *unit_there = strrchr(there->name, '#');
    unsigned long v = unit_there ? strtoul(unit_there + 1, NULL, 10) + 1 : 1;
    SCOPED_STR full = STR_INIT;
    str_addn(&full, there->name, strcspn(there->name, "#"));
    if (u != v || !kernel_is_variable(c->name, n, full.s)) continue;
    c->name = arena_printf(&k->arena, "%s%s", full.s, unit);
    c->address = there->address;
    c->size = there->size;
    return true;
  }
  return false;
}

static void
around_digest(struct kernel *k) {
  SCOPED_STR b = STR_INIT;
  str_addn(&b, k->code.s, k->code.len);
  str_addn(&b, (const char *)k->around->k.digest.bytes,
           sizeof k->around->k.digest.bytes);
  digest_of(b.s, b.len, &k->k.digest);
}

status
low_kernel_around_add(struct low_own what, const char *name, const char *text,
                      const struct low_kernel *base,
                      const struct low_kernel **out) {
  struct kernel *k = kernel_own_new(name, text);
  k->around = (const struct kernel *)base;
  k->k.address = base->address;
  k->k.types = "";
  around_digest(k);
  if (base->opaque) {
    k->k.opaque = true;
    k->k.promised = base->promised;
    k->k.effects = base->effects;
    k->k.why = arena_str(&k->arena, base->why);
  } else {
    around_units(k, k->around);
    TRY(low_facts_get(&k->k, &k->arena));
    for (uint32_t i = 0; i < k->k.nconsts; i++)
      if (!around_global(k, &k->k.consts[i]))
        FAIL(ERR_COMPILE,
             "kernel %s: mentions `%s` only with its arguments "
             "packed",
             name, k->k.consts[i].name);
  }
  kernel_own_keep(k, what);
  *out = &k->k;
  return OK;
}

/* ---- a kernel with the values of its integers ---------------------------- */

/* Integers of the base, with the bytes that they have now. */
static void
given_list(struct kernel *k, const struct low_kernel *base) {
  struct low_given *given =
      ARENA_ARRAY(&k->arena, struct low_given, base->nconsts);
  for (uint32_t i = 0; i < base->nconsts; i++) {
    const struct low_const *c = &base->consts[i];
    if (c->integer)
      given[k->k.ngiven++] =
          (struct low_given){*c, arena_copy(&k->arena, c->address, c->size)};
  }
  k->k.given = given;
}

/* The same as words; how many. */
static uint32_t
given_words(const struct low_kernel *base, struct str *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < base->nconsts; i++) {
    const struct low_const *c = &base->consts[i];
    uint64_t head[] = {i, c->size};
    if (!c->integer) continue;
    str_addn(out, (const char *)head, sizeof head);
    str_addn(out, c->address, c->size);
    n++;
  }
  return n;
}

/* All of the base but its facts; the blob's forgetting finds both. */
static struct kernel *
given_new(const struct kernel *base) {
  struct kernel *k = kernel_new(base->k.address, base->k.name);
  char *name = k->k.name;
  k->k = *low_kernel_copy(&base->k, &k->arena);
  k->k.name = name;
  k->k.given_of = &base->k;
  k->blob = base->blob;
  k->around = base;
  k->k.ties = mem_alloc(base->k.nties + 1, sizeof *k->k.ties);
  for (uint32_t t = 0; t < base->k.nties; t++) k->k.ties[t] = base->k.ties[t];
  for (uint32_t u = 0, n = 0; u < base->k.nunits; u++) {
    struct kernel_from from = {base->from[u].blob, base->from[u].entry,
                               STR_INIT};
    VEC_PUSH(k->from, n, k->capfrom, from);
  }
  given_list(k, &base->k);
  return k;
}

/* Is more proven of it than of the base? */
static bool
given_pays(const struct low_kernel *k) {
  const struct low_kernel *base = k->given_of;
  if (k->effects || k->nparams != base->nparams) return false;
  bool more = !k->loops;
  for (uint32_t i = 0; i < k->nparams; i++)
    more |= k->params[i].full_bytes > base->params[i].full_bytes;
  return more;
}

/* Facts are found by the code and the values, which are given_words of the
 * base; all else is the base's. */
static status
given_read(struct kernel *k, const struct str *values) {
  const struct low_kernel *base = k->k.given_of;
  SCOPED_STR b = STR_INIT;
  str_addn(&b, (const char *)base->digest.bytes, sizeof base->digest.bytes);
  str_addn(&b, values->s, values->len);
  digest_of(b.s, b.len, &k->k.digest);
  TRY(low_facts_get(&k->k, &k->arena));
  k->k.digest = base->digest;
  k->k.consts = base->consts;
  k->k.nconsts = base->nconsts;
  return OK;
}

static struct kernel *
given_make(const struct low_kernel *base, const struct str *values) {
  struct kernel *k = given_new((const struct kernel *)base);
  if (given_read(k, values) == OK) return k;
  LOG_INFO("kernel %s, with values: %s", base->name, err_last());
  return NULL; /* a sweep takes it */
}

const struct low_kernel *
low_kernel_given_get(const struct low_kernel *base) {
  SCOPED_STR values = STR_INIT, key = STR_INIT;
  bool may = !base->opaque && !base->effects && base->loops && !base->given_of;
  if (!may || !given_words(base, &values)) return base;
  str_addn(&key, (const char *)&base, sizeof base);
  str_addn(&key, values.s, values.len);
  struct low_own what = {key.s, key.len};
  const struct low_kernel *known = low_kernel_own(what);
  if (!known) {
    struct kernel *k = given_make(base, &values);
    if (!k) return base;
    kernel_own_keep(k, what);
    known = &k->k;
  }
  return given_pays(known) ? known : base;
}

bool
low_kernel_given_hold(const struct low_kernel *k) {
  for (uint32_t i = 0; i < k->ngiven; i++)
    if (memcmp(k->given[i].what.address, k->given[i].bytes,
               k->given[i].what.size))
      return false;
  return true;
}

/* Does another kernel's code go around this one's? */
static bool
kernel_is_inside(const struct kernel *k) {
  for (const struct kernel *o = kernels.all; o; o = o->next)
    if (o->around == k) return true;
  return false;
}

/* Code of other files that goes. */
static void
kernel_units_forget(struct kernel *k, const struct op2_blob *blob) {
  for (uint32_t u = 0; u < k->k.nunits; u++) {
    struct kernel_from *from = &k->from[u];
    if (from->blob != blob) continue;
    struct low_unit *unit = &k->k.units[u];
    from->blob = NULL;
    str_addn(&from->code, unit->bitcode, unit->bitcode_bytes);
    unit->bitcode = from->code.s;
    unit->name = arena_str(&k->arena, unit->name);
  }
  for (uint32_t t = 0; t < k->k.nties; t++)
    if (k->k.ties[t].unit ? k->from[k->k.ties[t].unit - 1].blob == NULL
                          : k->blob == blob)
      k->k.ties[t].name = arena_str(&k->arena, k->k.ties[t].name);
}

void
low_kernels_forget(const struct op2_blob *blob) {
  for (struct kernel *k = kernels.all; k; k = k->next) {
    kernel_units_forget(k, blob);
    if (k->blob != blob) continue;
    k->blob = NULL;
    if (k->k.bitcode) {
      str_addn(&k->code, k->k.bitcode, k->k.bitcode_bytes);
      k->k.bitcode = k->code.s;
    }
    table_remove(&kernels.by_address, &k->k.address, sizeof k->k.address);
  }
}

struct low_kernel *
low_kernel_copy(const struct low_kernel *k, struct arena *arena) {
  struct low_kernel *c = arena_copy(arena, k, sizeof *k);
  c->units = arena_copy(arena, k->units, k->nunits * sizeof *k->units);
  c->ties = arena_copy(arena, k->ties, k->nties * sizeof *k->ties);
  for (uint32_t u = 0; u < k->nunits; u++)
    c->units[u].name = arena_str(arena, c->units[u].name);
  for (uint32_t t = 0; t < k->nties; t++)
    c->ties[t].name = arena_str(arena, c->ties[t].name);
  return c;
}

static void
kernel_free(struct kernel *k) {
  for (uint32_t u = 0; u < k->k.nunits; u++) str_clear(&k->from[u].code);
  free(k->from);
  free(k->k.ties);
  str_clear(&k->code);
  arena_clear(&k->arena);
  free(k);
}

static bool
kernel_is_found(const struct kernel *k) {
  if (k->own.key) return false; /* it is made again */
  if (k->source) return kernel_by_name(k->k.name) == k;
  return table_get(&kernels.by_address, &k->k.address, sizeof k->k.address,
                   0) == (uintptr_t)k;
}

void
low_kernels_sweep(bool (*used)(const struct low_kernel *k)) {
  assert(used);
  for (struct kernel **at = &kernels.all, *k; (k = *at);) {
    if (kernel_is_found(k) || used(&k->k) || kernel_is_inside(k)) {
      at = &k->next;
      continue;
    }
    *at = k->next;
    if (k->own.key) kernel_own_forget(k);
    kernel_free(k);
  }
}

status
low_kernel_promise(void (*address)(void)) {
  if (table_get(&kernels.by_address, &address, sizeof address, 0))
    FAIL(ERR_STATE, "op2_kernel_pure: expected before the first loop with this "
                    "kernel, found after one");
  *table_slot(&kernels.promised, &address, sizeof address) = 1;
  return OK;
}

void
low_kernels_clear(void) {
  table_clear(&kernels.promised);
  table_clear(&kernels.own);
  table_clear(&kernels.by_address);
  table_clear(&kernels.by_name);
  while (kernels.all) {
    struct kernel *k = kernels.all;
    kernels.all = k->next;
    kernel_free(k);
  }
}
