/* OP2_CHECK=nan: the first value that is not finite, and the loop that made it.
 *
 * Problem. A NaN is seen where it is looked at: in a residual, in a picture,
 * many loops behind the one that made it, and every element has it by then.
 * Deferred and fused loops leave no place where a debugger would see more.
 *
 * Idea. Each loop runs at its call, by itself. What its arguments hold before
 * it is kept, as the program's mirrors have it; what it wrote is looked at
 * behind it. Where a component is a NaN or infinity now and was not before (or
 * the loop wrote it whatever it was), some element of the loop has made it, or
 * has got it from its inputs. nan_find.c tells one from the other: only an
 * element all of whose inputs are finite has made it. So the first loop is
 * named, and those that go on from there are not; nor is a NaN that the program
 * put into a dat.
 *
 *   x      1  -4   9          root (read x, write y):
 *   y      1  nan  3            element 1 had -4 and made nan: an error
 *   sum    nan                total (read y, inc sum):
 *                               element 1 had nan: no error
 *
 * The error is told as one of the call; the loop has run, and what it made is
 * there. Over ranks each looks at its own elements; the first find by the
 * program's numbers is told on all.
 *
 * Limits. Which element made an infinite sum of finite numbers depends on their
 * order: it is the program's here. Constants of the kernel that are not finite
 * are no inputs. Kernels that exist as text alone cannot run again: of the
 * elements that reach the place the first is named, and none if others have
 * inputs that are not finite.
 *
 * Cost. Copies of all that a loop uses, and a pass over what it wrote; over
 * ranks exchanges and three reductions for each loop. */
#include "frontend/context.h"
#include "frontend/nan.h"
#include "frontend/ranks.h"
#include "frontend/values.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* ---- before the loop ----------------------------------------------------- */

static status
keep_dat(struct fe_dat *d, struct nan_dat *out) {
  TRY(fe_dat_sync(d));
  TRY(fe_dat_halo(d));
  size_t bytes = (size_t)d->rt.rows * (size_t)d->pub.size;
  out->before = mem_try(bytes + 1, 1);
  if (!out->before)
    FAIL(ERR_MEMORY, "OP2_CHECK=nan: dat \"%s\": no memory for %zu bytes",
         d->pub.name, bytes);
  memcpy(out->before, d->rt.mirror, bytes);
  out->n = d->rt.rows;
  out->own = fe_own_size((struct fe_set *)d->pub.set);
  out->now = out->before;
  return OK;
}

static status
keep_gbl(const struct fe_arg *fa, const op_arg *arg, struct nan_gbl *out) {
  if (fa->gbl) TRY(fe_look_gbl(fa->gbl));
  out->after = fa->gbl ? fa->gbl->data : arg->data;
  out->bytes = fa->gbl ? fa->gbl->bytes : fa->bytes;
  out->before = mem_alloc(out->bytes + 1, 1);
  out->now = mem_alloc(out->bytes + 1, 1);
  memcpy(out->before, out->after, out->bytes);
  memcpy(out->now, out->after, out->bytes);
  return OK;
}

static status
keep(struct nan_loop *n, const op_arg *args) {
  const struct fe_call *c = n->c;
  for (uint32_t u = 0; u < c->nuses; u++)
    TRY(keep_dat(c->uses[u].dat, &n->dats[u]));
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].gbl || c->args[a].bytes)
      TRY(keep_gbl(&c->args[a], &args[a], &n->gbls[a]));
  return OK;
}

static void
nan_free(struct nan_loop *n) {
  for (uint32_t u = 0; u < n->c->nuses; u++) free(n->dats[u].before);
  for (uint32_t a = 0; a < n->c->nargs; a++) {
    free(n->gbls[a].before);
    free(n->gbls[a].now);
  }
  free(n->dats);
  free(n->gbls);
  free(n);
}

/* Rows are looked at, and shown. */
static status
need_maps(const struct fe_call *c) {
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].map) TRY(fe_map_need(c->args[a].map));
  return OK;
}

status
fe_nan_before(const struct fe_call *c, const op_arg *args,
              struct nan_loop **out) {
  struct nan_loop *n = *out = mem_alloc(1, sizeof *n);
  n->c = c;
  n->dats = mem_alloc(c->nuses + 1, sizeof *n->dats);
  n->gbls = mem_alloc(c->nargs + 1, sizeof *n->gbls);
  n->own = fe_own_size((struct fe_set *)c->set_handle);
  status st = fe_agree_turn("op_par_loop");
  if (st == OK) st = fe_agree_call("op_par_loop", c);
  if (st == OK) st = need_maps(c);
  if (st == OK) st = keep(n, args);
  if (fe_ranked()) st = fe_agree("values before a loop", 0, st);
  if (st == OK) return OK;
  nan_free(n);
  *out = NULL;
  return st;
}

/* ---- behind it ----------------------------------------------------------- */

/* Has the dat, in this rank's elements, what was not there before? */
static bool
dat_suspect(const struct nan_loop *n, uint32_t u, uint32_t a) {
  const struct fe_dat *d = n->c->uses[u].dat;
  uint32_t component;
  double value;
  for (idx_l row = 0; row < n->dats[u].own; row++) {
    size_t at = (size_t)row * (size_t)d->pub.size;
    if (fe_nan_made(n, a, n->dats[u].before + at, d->rt.mirror + at, &component,
                    &value))
      return true;
  }
  return false;
}

static status
look_dat(struct nan_loop *n, uint32_t u, bool *found) {
  const struct fe_call *c = n->c;
  struct fe_dat *d = c->uses[u].dat;
  if (!c->uses[u].writes || d->lost) return OK;
  TRY(fe_dat_sync(d));
  n->dats[u].moved = d->rt.rows != n->dats[u].n;
  for (uint32_t a = 0; a < c->nargs && !n->dats[u].moved; a++)
    if (c->args[a].dat == d && fe_nan_result(&c->args[a]))
      *found |= dat_suspect(n, u, a);
  return OK;
}

static status
look_gbl(struct nan_loop *n, uint32_t a, bool *found) {
  const struct fe_arg *fa = &n->c->args[a];
  uint32_t component;
  double value;
  if (!n->gbls[a].bytes || !fe_nan_result(fa)) return OK;
  if (fa->gbl) TRY(fe_look_gbl(fa->gbl));
  *found |= fe_nan_made(n, a, n->gbls[a].before, n->gbls[a].after, &component,
                        &value);
  return OK;
}

static status
look(struct nan_loop *n, bool *found) {
  *found = false;
  for (uint32_t u = 0; u < n->c->nuses; u++) TRY(look_dat(n, u, found));
  for (uint32_t a = 0; a < n->c->nargs; a++) TRY(look_gbl(n, a, found));
  uint64_t any = *found;
  TRY(fe_join(&any, 1, TYPE_U64, ACC_MAX));
  *found = any;
  return OK;
}

/* Finds in the order in which ranks tell them: the surest, and of these the
 * first by the program's numbers. */
static uint64_t
find_key(const struct nan_loop *n, const struct nan_found *f) {
  const struct fe_set *set = (struct fe_set *)n->c->set_handle;
  if (f->how == NAN_NOTHING) return UINT64_MAX;
  uint64_t number = f->how == NAN_LOOP ? 0 : (uint64_t)fe_set_number(set, f->e);
  return (uint64_t)f->how << 60 | number;
}

/* One find of all ranks: an error on each. */
static status
tell(struct nan_loop *n, const struct nan_found *f) {
  SCOPED_STR text = STR_INIT;
  if (f->how != NAN_NOTHING) fe_nan_text(n, f, &text);
  uint64_t mine = find_key(n, f), first = mine;
  TRY(fe_join(&first, 1, TYPE_U64, ACC_MIN));
  if (first == UINT64_MAX) return OK;
  return fe_agree_text(ERR_STATE, mine == first ? text.s : NULL);
}

static status
find(struct nan_loop *n) {
  SCOPED_STR inputs = STR_INIT;
  struct nan_found f = {.how = NAN_NOTHING, .inputs = &inputs};
  uint64_t tainted = 0;
  for (idx_l e = 0; e < n->own && !tainted; e++)
    tainted = !fe_nan_inputs_finite(n, NAN_BEFORE, e);
  TRY(fe_join(&tainted, 1, TYPE_U64, ACC_MAX));
  n->tainted = tainted;
  fe_nan_find(n, &f);
  return tell(n, &f);
}

status
fe_nan_after(struct nan_loop *n, status st) {
  bool found = false;
  if (st == OK) st = look(n, &found);
  if (st == OK && found) st = find(n);
  nan_free(n);
  return st;
}
