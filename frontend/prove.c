/* An access is what the kernel's IR proves, in both directions.
 *
 * Problem. A program says what a kernel does with each argument, and is wrong
 * now and then: OP_WRITE that reads, OP_INC that assigns, OP_MIN beside a
 * counter of the improvements, OP_RW that never stores. Run as OP2's sequential
 * code runs it, such a loop has a meaning. Taken at its word it is something
 * else: old values that nobody loaded, private copies where the running value
 * counts.
 *
 * Idea. The declaration is the most that a loop gains, the IR the least that is
 * true:
 *
 *   declared    the IR shows                              taken as
 *   any         no store                                  read
 *   read        a store                                   rw
 *   write,work  old values are read                       rw
 *   inc         anything but sums of the dat's type       rw
 *   min, max    anything but that, and its payloads       rw
 *
 * Work that is no more is scratch of each thread, and never the program's
 * memory. A kernel without IR shows nothing: inc, min and max are rw, unless
 * the program has promised that it does what is declared (op2_kernel_pure). All
 * arguments of a loop that reach one storage must agree, since what the one
 * stores the other sees: where they were declared or proven to be different,
 * and one of them stores, all are rw, and if elements can meet, by a map or by
 * views, the loop runs in the program's order.
 *
 * What differs from the declaration is said once for each kernel and argument,
 * with the place of the loop: as a warning where it costs speed or looks like a
 * mistake.
 *
 * Limits. Globals of a kernel without IR that are declared OP_READ are passed
 * as copies: a store to one is lost. */
#include "frontend/calls.h"
#include "frontend/context.h"

#include "base/log.h"
#include "lower/kernel.h"

#include <assert.h>

static const char *const prove_names[ACC_COUNT] = {
    [ACC_READ] = "OP_READ", [ACC_WRITE] = "OP_WRITE", [ACC_RW] = "OP_RW",
    [ACC_INC] = "OP_INC",   [ACC_MIN] = "OP_MIN",     [ACC_MAX] = "OP_MAX",
    [ACC_WORK] = "OP_WORK"};

enum { PROVE_WARN = 1, PROVE_INFO = 2 }; /* levels of log_at */

/* ---- saying so ---------------------------------------------------------- */

static const char *
prove_what(const struct fe_arg *fa) {
  return fa->dat ? fa->dat->pub.name : fa->gbl ? fa->gbl->name : "a global";
}

static void
prove_tell(struct fe_call *c, uint32_t a, int level, const char *why) {
  const struct fe_arg *fa = &c->args[a];
  assert(a < 64);
  if (c->kernel->told >> a & 1) return;
  c->kernel->told |= 1ull << a;
  log_at(level,
         "%s:%d: loop \"%s\": argument %u, %s, is declared %s, but %s: taken "
         "as %s",
         c->file ? c->file : "?", c->line, c->name, a, prove_what(fa),
         prove_names[fa->declared], why, prove_names[fa->access]);
}

/* ---- one argument ------------------------------------------------------- */

/* Are all other arguments in `with` payloads of argument a? */
static bool
prove_payloads(const struct fe_call *c, uint32_t a, uint64_t with) {
  for (uint32_t b = 0; b < c->nargs; b++)
    if ((with >> b & 1) &&
        (c->args[b].kind != FE_ARG_INFO || c->args[b].info_of != a))
      return false;
  return true;
}

/* Is the argument, as components of its type, only combined by `acc`? */
static bool
prove_combines(const struct fe_call *c, uint32_t a, enum access acc) {
  const struct low_param *p = &c->kernel->low->params[a];
  uint32_t bit = 1u << c->args[a].type.kind;
  switch (acc) {
  case ACC_INC: return p->adds_as & bit;
  case ACC_MIN:
    return (p->lowers_as & bit) && prove_payloads(c, a, p->lowers_with);
  case ACC_MAX:
    return (p->raises_as & bit) && prove_payloads(c, a, p->raises_with);
  default: return true;
  }
}

/* The access that the IR leaves of the declared one, and why it is another. */
static enum access
prove_access(const struct fe_call *c, uint32_t a, enum access declared,
             const char **why_out) {
  const struct low_param *p = &c->kernel->low->params[a];
  *why_out = NULL;
  if (!p->writes) {
    *why_out = "its kernel never stores to it";
    return ACC_READ;
  }
  if (declared == ACC_READ && p->stores) *why_out = "its kernel stores to it";
  if ((declared == ACC_WRITE || declared == ACC_WORK) && p->reads)
    *why_out = "its kernel reads the old value";
  if (!prove_combines(c, a, declared))
    *why_out =
        declared == ACC_INC
            ? "its kernel does something else than to add numbers of its type"
            : "its kernel does something else than to keep the better value";
  return *why_out ? ACC_RW : declared;
}

/* Combining needs IR or a promise: what a kernel does may depend on the value.
 * */
static enum access
prove_opaque(const struct low_kernel *k, const struct fe_arg *fa,
             enum access declared) {
  bool keeps = declared == ACC_READ || declared == ACC_WORK || k->promised ||
               (fa->dat && declared == ACC_WRITE);
  return keeps ? declared : ACC_RW;
}

/* May the kernel leave something of the element as it was? */
static bool
prove_leaves(const struct fe_call *c, uint32_t a) {
  const struct fe_arg *fa = &c->args[a];
  const struct low_kernel *k = c->kernel->low;
  return k->opaque || k->params[a].full_bytes < (size_t)fa->dim * fa->type.size;
}

/* In a scan the next layer sees what was combined, and passes see only of RW
 * that the old value shows: of WRITE it does in layers that are not gone over.
 */
static bool
prove_shows(const struct fe_call *c, uint32_t a) {
  const struct fe_arg *fa = &c->args[a];
  if (!c->each || !fa->dat || fa->access == ACC_READ) return false;
  return fa->access != ACC_WRITE || prove_leaves(c, a);
}

static void
prove_arg(struct fe_call *c, uint32_t a) {
  struct fe_arg *fa = &c->args[a];
  enum access declared = fa->access;
  const char *why;
  fa->declared = (uint8_t)declared;
  if (c->kernel->low->opaque) {
    fa->access = (uint8_t)prove_opaque(c->kernel->low, fa, declared);
    return;
  }
  fa->access = (uint8_t)prove_access(c, a, declared, &why);
  if (prove_shows(c, a)) fa->access = ACC_RW;
  if (c->each && !why) return;
  if (fa->access != declared)
    prove_tell(c, a, fa->access == ACC_READ ? PROVE_INFO : PROVE_WARN, why);
}

/* A payload is one if its extreme is, and is stored to where that is. */
static void
prove_info(struct fe_call *c, uint32_t a) {
  struct fe_arg *fa = &c->args[a];
  uint32_t of = fa->info_of;
  enum access acc = c->args[of].access;
  const struct low_kernel *k = c->kernel->low;
  if (!k->opaque && (acc == ACC_MIN || acc == ACC_MAX)) {
    const struct low_param *p = &k->params[of];
    uint64_t with = acc == ACC_MIN ? p->lowers_with : p->raises_with;
    fa->access = (uint8_t)acc;
    if (with >> a & 1) return;
  }
  fa->kind = FE_ARG_GBL;
  fa->access = ACC_RW;
  if (!k->opaque && !k->params[a].writes) fa->access = ACC_READ;
}

/* ---- arguments that share memory ---------------------------------------- */

static bool
prove_shares(const struct fe_arg *x, const struct fe_arg *y) {
  if (x->dat && y->dat) return x->dat->root == y->dat->root;
  return x->gbl && x->gbl == y->gbl;
}

/* Is it reached at the element itself, if over a subset? */
static bool
prove_own(const struct fe_arg *fa) {
  return !fa->map || ((struct fe_set *)fa->map->pub.from)->into == fa->map;
}

/* Can what one element does to x be seen by another through y? */
static bool
prove_meets(const struct fe_arg *x, const struct fe_arg *y) {
  return !prove_own(x) || !prove_own(y) || x->dat != y->dat;
}

static void
prove_pair(struct fe_call *c, uint32_t a, uint32_t b) {
  struct fe_arg *x = &c->args[a], *y = &c->args[b];
  bool writes = access_info[x->access].writes || access_info[y->access].writes;
  bool same = x->access == y->access && x->declared == y->declared;
  if (!prove_shares(x, y) || same || !writes) return;
  if (c->each && x->map != y->map) return; /* as it then is */
  x->access = y->access = ACC_RW;
  /* scans write through the rule that leads to the point itself, no other */
  if (c->each && x->map && x->dat == y->dat) return;
  if (!prove_meets(x, y)) return;
  c->serial = true;
  prove_tell(c, b, PROVE_WARN,
             "another argument of the loop does something else with it");
}

static void
prove_pairs(struct fe_call *c) {
  for (uint32_t b = 1; b < c->nargs; b++)
    for (uint32_t a = 0; a < b; a++) prove_pair(c, a, b);
}

/* ---- the call ----------------------------------------------------------- */

/* Does a WRITE leave something of the old version? */
static bool
prove_partial(const struct fe_call *c, uint32_t a) {
  return c->args[a].map || c->each || prove_leaves(c, a);
}

/* A type's size is a multiple of its alignment; kernels without IR count on it.
 * */
static size_t
capture_align(struct type t) {
  size_t low = t.size & (~(size_t)t.size + 1);
  if (t.kind != TYPE_BYTES || low < FE_ALIGN) return FE_ALIGN;
  return low < FE_ALIGN_MOST ? low : FE_ALIGN_MOST;
}

void
fe_capture_place(struct fe_call *c, struct fe_arg *fa, size_t bytes) {
  size_t align = capture_align(fa->type);
  fa->capture = round_up(c->capture_bytes, align);
  c->capture_bytes = fa->capture + round_up(bytes, FE_ALIGN);
  if (align > c->capture_align) c->capture_align = align;
}

/* What follows from the final access. */
static void
prove_derive(struct fe_call *c, uint32_t a) {
  struct fe_arg *fa = &c->args[a];
  if (fa->kind == FE_ARG_DAT && fa->access == ACC_WRITE &&
      prove_partial(c, a)) {
    fa->partial = true; /* the old version shows through */
    prove_tell(c, a, PROVE_INFO, "not all of it need be written");
  }
  if (fa->bytes && fa->kind != FE_ARG_INFO) {
    fa->raw = fa->access != ACC_READ && fa->access != ACC_WORK;
    fa->kind = fa->raw ? FE_ARG_GBL : FE_ARG_PARAM;
  }
  if (fa->kind == FE_ARG_GBL) {
    if (fa->access == ACC_WRITE) fa->partial = true; /* an empty set keeps it */
    c->serial |= fa->access == ACC_WRITE || fa->access == ACC_RW;
  }
  if (fa->bytes) {
    fe_capture_place(c, fa, fa->bytes);
    c->ncaptured++;
  }
  c->nraw += fa->raw;
  c->nhandles += fa->gbl != NULL;
}

static bool
prove_is_memory(const struct fe_arg *fa) {
  return fa->kind == FE_ARG_DAT || fa->kind == FE_ARG_GBL ||
         fa->kind == FE_ARG_PARAM;
}

void
fe_prove(struct fe_call *c) {
  const struct low_kernel *k = c->kernel->low;
  c->immediate = k->effects || (low_kernel_in_place(k) && !fe.opt.defer_opaque);
  c->serial = low_kernel_in_place(k) || k->effects;
  for (uint32_t a = 0; a < c->nargs; a++)
    if (prove_is_memory(&c->args[a])) prove_arg(c, a);
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].kind == FE_ARG_INFO) prove_info(c, a);
  prove_pairs(c);
  for (uint32_t a = 0; a < c->nargs; a++) prove_derive(c, a);
}
