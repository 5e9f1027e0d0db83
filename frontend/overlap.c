/* Globals that overlap in the program's memory, with each other or with dats.
 *
 * Problem. op_arg_gbl takes a pointer, and nothing keeps a program from passing
 * the same one twice, or two that overlap:
 *
 *     op_par_loop(two, ..., op_arg_gbl(&s, 1, "double", OP_INC),
 *                           op_arg_gbl(&s, 1, "double", OP_INC));
 *
 * Each argument has a value of its own in a recording, so that one sum would be
 * delivered over the other. A pointer may as well lead into memory that a dat
 * lies in (OP_NO_REALLOC), and a kernel may mention such memory by name; it is
 * older there than the dat, while writers are pending.
 *
 * Idea. Pointers are no part of a call's key, so they are compared at each call
 * that has several globals and writes one. Where some overlap, another call is
 * recorded in its place, interned by the offsets between them: the lowest
 * argument of a group captures all of its memory, the others are views of it
 * (`storage` in the trace), all of them are rw, and the loop runs in order, so
 * that the kernel meets its own stores as it does when it is called on the
 * program's memory.
 *
 * Memory of dats is looked at before it is captured. A loop that also writes it
 * is refused: what its kernel sees would depend on where the dat lies. On
 * several ranks OP_NO_REALLOC cannot be had: values lie apart from the
 * program's arrays, and loops that come to such an array are refused once the
 * dat was written.
 *
 * Cost. A few comparisons at calls with two globals or more; with OP_NO_REALLOC
 * one for each dat and global. */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/spans.h"
#include "frontend/values.h"

#include "base/str.h"

#include <assert.h>
#include <string.h>

/* ---- globals with each other -------------------------------------------- */

static struct fe_span
span_arg(const struct fe_call *c, const op_arg *args, uint32_t a) {
  return fe_span_of(args[a].data, c->args[a].bytes);
}

static bool
args_meet(const struct fe_call *c, const op_arg *args, uint32_t a, uint32_t b) {
  return c->args[a].bytes && c->args[b].bytes &&
         (c->args[a].raw || c->args[b].raw) &&
         fe_spans_meet(span_arg(c, args, a), span_arg(c, args, b));
}

static bool
any_meet(const struct fe_call *c, const op_arg *args) {
  for (uint32_t b = 1; b < c->nargs; b++)
    for (uint32_t a = 0; a < b; a++)
      if (args_meet(c, args, a, b)) return true;
  return false;
}

/* Put the group of argument b into that of argument a. */
static void
roots_join(uint32_t *root, uint32_t n, uint32_t a, uint32_t b) {
  uint32_t from = root[b], to = root[a];
  for (uint32_t k = 0; k < n; k++)
    if (root[k] == from) root[k] = to;
}

/* root[a] is the argument of a's group that begins first; a if it is alone. */
static void
roots_find(const struct fe_call *c, const op_arg *args, uint32_t *root) {
  uint32_t n = c->nargs;
  for (uint32_t a = 0; a < n; a++) root[a] = a;
  for (uint32_t b = 1; b < n; b++)
    for (uint32_t a = 0; a < b; a++)
      if (args_meet(c, args, a, b)) roots_join(root, n, a, b);
  for (uint32_t a = 0; a < n; a++) {
    uint32_t old = root[a], first = a;
    for (uint32_t b = 0; b < n; b++)
      if (root[b] == old &&
          (uintptr_t)args[b].data < (uintptr_t)args[first].data)
        first = b;
    for (uint32_t b = 0; first != old && b < n; b++)
      if (root[b] == old) root[b] = first;
  }
}

static size_t
offset_of(const op_arg *args, uint32_t root, uint32_t a) {
  return (size_t)(args[a].data - args[root].data);
}

/* Every written global is read-written in order now: payloads no longer go with
 * their extremes. */
static void
share_args(struct fe_call *c, const op_arg *args, const uint32_t *root) {
  for (uint32_t a = 0; a < c->nargs; a++) {
    struct fe_arg *fa = &c->args[a], *lead = &c->args[root[a]];
    bool grouped = false;
    for (uint32_t b = 0; b < c->nargs; b++)
      grouped |= b != a && root[b] == root[a];
    if (!fa->bytes || (!fa->raw && !grouped)) continue;
    fa->raw = true;
    fa->kind = FE_ARG_GBL;
    fa->access = ACC_RW;
    fa->partial = false;
    fa->share = grouped ? root[a] + 1 : 0;
    size_t end = offset_of(args, root[a], a) + fa->bytes;
    if (grouped && end > lead->span) lead->span = end;
  }
}

/* Where each captured value lies in a record's bytes. */
static void
share_layout(struct fe_call *c, const op_arg *args) {
  c->capture_bytes = c->nraw = 0;
  for (uint32_t a = 0; a < c->nargs; a++) {
    struct fe_arg *fa = &c->args[a];
    c->nraw += fa->raw;
    if (!fa->bytes || (fa->share && fa->share != a + 1)) continue;
    fe_capture_place(c, fa, fa->share ? fa->span : fa->bytes);
  }
  for (uint32_t a = 0; a < c->nargs; a++) {
    struct fe_arg *fa = &c->args[a];
    if (fa->share && fa->share != a + 1)
      fa->capture =
          c->args[fa->share - 1].capture + offset_of(args, fa->share - 1, a);
  }
}

static void *
copy_of(const void *array, size_t n, size_t size) {
  void *copy = mem_alloc(n + 1, size);
  memcpy(copy, array, n * size);
  return copy;
}

static struct fe_call *
share_call(struct fe_call *c, const op_arg *args, const uint32_t *root,
           const struct str *words) {
  struct fe_call *s = mem_alloc(1, sizeof *s);
  *s = *c;
  s->next = NULL;
  s->kept = false;
  s->base = c;
  s->words = copy_of(words->s, words->len, 1);
  s->words_bytes = words->len;
  s->serial = s->overlaps = true;
  fe_call_keep_key(s, c->file, c->name, c->key);
  s->args = copy_of(c->args, c->nargs, sizeof *s->args);
  s->uses = copy_of(c->uses, c->nuses, sizeof *s->uses);
  share_args(s, args, root);
  share_layout(s, args);
  s->id = fe_call_id_take(s);
  return s;
}

struct fe_call *
fe_overlap_call(struct fe_call *c, const op_arg *args) {
  struct {
    uint32_t root;
    size_t offset;
  } key[64] = {{0, 0}};
  uint32_t root[64];
  if (!any_meet(c, args)) return c;
  assert(c->nargs <= 64);
  roots_find(c, args, root);
  SCOPED_STR words = STR_INIT;
  str_addn(&words, (const char *)&c->id, sizeof c->id);
  for (uint32_t a = 0; a < c->nargs; a++) {
    key[a].root = root[a];
    key[a].offset = root[a] == a ? 0 : offset_of(args, root[a], a);
    str_addn(&words, (const char *)&key[a], sizeof key[a]);
  }
  uintptr_t *id = fe_call_shared(words.s, words.len);
  if (!*id) {
    struct fe_call *s = share_call(c, args, root, &words);
    *id = s->id + 1;
  }
  struct fe_call *shared = fe_calls.all[*id - 1];
  return shared;
}

/* ---- globals and dats --------------------------------------------------- */

static bool
call_writes(const struct fe_call *c, const struct fe_dat *d) {
  for (uint32_t u = 0; u < c->nuses; u++)
    if (c->uses[u].writes && c->uses[u].dat->root == d->root) return true;
  return false;
}

/* Over ranks the program's array keeps the values that the dat was declared
 * with. */
static status
check_copied(const struct fe_call *c, const struct fe_dat *d, bool written,
             const char *what) {
  if (!written && !d->written && !call_writes(c, d)) return OK;
  FAIL(ERR_ARG,
       "op_par_loop \"%s\": %s is the array that dat \"%s\" was declared with; "
       "on several ranks its values lie elsewhere, and one of both is written: "
       "expected op_arg_dat",
       c->name, what, d->pub.name);
}

/* Memory s, which the loop reads (or, written, also writes): dats there become
 * current. `what` says how the loop comes there. */
static status
dats_current(const struct fe_call *c, struct fe_span s, bool written,
             const char *what) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct fe_dat *d = fe_all.dats[i], *same;
    if (!fe_dat_in(d, s)) continue;
    if (!d->pinned) {
      TRY(check_copied(c, d, written, what));
      continue;
    }
    if (written || call_writes(c, d))
      FAIL(
          ERR_ARG,
          "op_par_loop \"%s\": %s lies in the memory of dat \"%s\", and one of "
          "both is written: expected op_arg_dat, or memory apart",
          c->name, what, d->pub.name);
    TRY(fe_access_begin("op_par_loop", &d->pub, false, &same));
  }
  return OK;
}

status
fe_overlap_dats(const struct fe_call *c, const op_arg *args) {
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].bytes)
      TRY(dats_current(c, span_arg(c, args, a), c->args[a].raw,
                       "a global argument"));
  if (!fe_kernel_names_dats(c->kernel)) return OK;
  for (uint32_t i = 0; i < c->kernel->nconsts; i++)
    TRY(dats_current(
        c, fe_span_of(c->kernel->consts[i].address, c->kernel->consts[i].size),
        false, "memory that its kernel mentions"));
  return OK;
}
