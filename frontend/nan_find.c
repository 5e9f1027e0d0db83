/* Which element made a value that is not finite: OP2_CHECK=nan.
 *
 * A result that only its own element stores to names it. One that several
 * elements reach (a sum in a node, a global) does not, and a sum of finite
 * numbers may overflow. So the loop's elements run again, one by one, in the
 * program's order, on the values from before the loop, through the kernel's
 * own address; the first that makes such a value of finite ones is it. Where a
 * kernel must not or cannot run again (it has effects, it is a text, names of
 * dats or globals share memory), and where nothing comes of that (a device
 * makes other values), what the loop has left is compared with what was there
 * before. */
#include "frontend/context.h"
#include "frontend/nan.h"
#include "frontend/values.h"

#include "lower/kernel.h"

#include <stdlib.h>
#include <string.h>

/* ---- elements run again -------------------------------------------------- */

/* One element: what its kernel is called with, and what was there. */
struct again {
  void *args[FE_MAX_ARGS];
  void **rows[FE_MAX_ARGS]; /* of vector arguments; NULL */
  char *was[FE_MAX_ARGS];   /* of results, one element behind the other */
  int idx[FE_MAX_ARGS];
  idx_g number[FE_MAX_ARGS];
};

static bool
may_run_again(const struct nan_loop *n) {
  const struct fe_call *c = n->c;
  if (!c->kernel->low->address || c->kernel->low->effects || c->overlaps ||
      c->each)
    return false;
  for (uint32_t u = 0; u < c->nuses; u++) {
    if (n->dats[u].moved) return false;
    for (uint32_t v = 0; v < u; v++)
      if (c->uses[u].dat->root == c->uses[v].dat->root) return false;
  }
  return true;
}

static size_t
arg_bytes(const struct fe_arg *fa) {
  return (size_t)fa->dim * fa->type.size;
}

/* Room for one element, and copies of what the loop writes. */
static void
again_begin(struct nan_loop *n, struct again *g) {
  const struct fe_call *c = n->c;
  for (uint32_t u = 0; u < c->nuses; u++) {
    struct nan_dat *d = &n->dats[u];
    size_t bytes = (size_t)d->n * (size_t)c->uses[u].dat->pub.size;
    if (!c->uses[u].writes) continue;
    d->now = mem_alloc(bytes + 1, 1);
    memcpy(d->now, d->before, bytes);
  }
  for (uint32_t a = 0; a < c->nargs; a++) {
    const struct fe_arg *fa = &c->args[a];
    if (fa->vector) g->rows[a] = mem_alloc(fa->vector, sizeof *g->rows[a]);
    if (fe_nan_result(fa))
      g->was[a] = mem_alloc(fa->vector ? fa->vector : 1, arg_bytes(fa));
  }
}

static void
again_end(struct nan_loop *n, struct again *g) {
  for (uint32_t u = 0; u < n->c->nuses; u++) {
    struct nan_dat *d = &n->dats[u];
    if (d->now != d->before) free(d->now);
    d->now = d->before;
  }
  for (uint32_t a = 0; a < n->c->nargs; a++) {
    free(g->rows[a]);
    free(g->was[a]);
  }
}

static void
again_arg(struct nan_loop *n, struct again *g, uint32_t a, idx_l e) {
  const struct fe_arg *fa = &n->c->args[a];
  g->args[a] = NULL;
  if (fa->kind == FE_ARG_OFF) return;
  if (fe_nan_number(n, a, e, &g->number[a])) {
    g->idx[a] = (idx_l)g->number[a];
    g->args[a] =
        fa->type.size == sizeof(idx_g) ? (void *)&g->number[a] : &g->idx[a];
    return;
  }
  for (uint32_t k = 0; k < fe_nan_count(n, a, e); k++) {
    char *at = fe_nan_at(n, NAN_NOW, a, k, e);
    if (g->was[a]) memcpy(g->was[a] + k * arg_bytes(fa), at, arg_bytes(fa));
    if (fa->vector) g->rows[a][k] = at;
  }
  g->args[a] = fa->vector ? (void *)g->rows[a] : fe_nan_at(n, NAN_NOW, a, 0, e);
}

/* Does element e, which has just run, say so? */
static bool
element_made(const struct nan_loop *n, const struct again *g, idx_l e,
             struct nan_found *out) {
  for (uint32_t a = 0; a < n->c->nargs; a++)
    for (uint32_t k = 0; g->was[a] && k < fe_nan_count(n, a, e); k++) {
      const char *was = g->was[a] + k * arg_bytes(&n->c->args[a]);
      if (!fe_nan_made(n, a, was, fe_nan_at(n, NAN_NOW, a, k, e),
                       &out->component, &out->value))
        continue;
      out->e = e;
      out->arg = a;
      out->k = k;
      return true;
    }
  return false;
}

/* The element's results are as before it ran: its inputs, as text. */
static void
say_inputs(struct nan_loop *n, const struct again *g, idx_l e,
           struct nan_found *out) {
  for (uint32_t a = 0; a < n->c->nargs; a++)
    for (uint32_t k = 0; g->was[a] && k < fe_nan_count(n, a, e); k++) {
      size_t bytes = arg_bytes(&n->c->args[a]);
      memcpy(fe_nan_at(n, NAN_NOW, a, k, e), g->was[a] + k * bytes, bytes);
    }
  fe_nan_inputs_text(n, NAN_NOW, e, out->inputs);
}

/* OP2 calls of the kernel are refused as in any loop. */
static void
run_again(struct nan_loop *n, struct nan_found *out) {
  struct again *g = mem_alloc(1, sizeof *g);
  again_begin(n, g);
  fe.up = FE_RUNNING;
  for (idx_l e = 0; e < n->own && out->how == NAN_NOTHING; e++) {
    bool finite = fe_nan_inputs_finite(n, NAN_NOW, e);
    for (uint32_t a = 0; a < n->c->nargs; a++) again_arg(n, g, a, e);
    fe_nan_call(n->c->kernel->low->address, n->c->nargs, g->args);
    if (!finite || !element_made(n, g, e, out)) continue;
    out->how = NAN_ELEMENT;
    say_inputs(n, g, e, out);
  }
  fe.up = FE_UP;
  again_end(n, g);
  free(g);
}

/* ---- what the loop has left ---------------------------------------------- */

/* Some element may have got its inputs from another one of the loop. */
static bool
chains(const struct fe_call *c) {
  if (c->each) return true;
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].map && c->args[a].access == ACC_RW) return true;
  return false;
}

/* Where other elements have inputs that are not finite, only a result that
 * they do not reach says who made it. */
static bool
tells(const struct nan_loop *n, const struct fe_arg *fa) {
  if (!fa->dat || !fe_nan_result(fa)) return false;
  return !n->tainted || (!fa->map && !chains(n->c));
}

/* Is the k-th element of argument a for e a new one of this rank, of finite
 * inputs? */
static bool
left(const struct nan_loop *n, uint32_t a, uint32_t k, idx_l e,
     struct nan_found *out) {
  const struct nan_dat *d = fe_nan_dat(n, a);
  if (d->moved || fe_nan_row(n, a, k, e) >= d->own ||
      !fe_nan_inputs_finite(n, NAN_BEFORE, e) ||
      !fe_nan_made(n, a, fe_nan_at(n, NAN_BEFORE, a, k, e),
                   fe_nan_at(n, NAN_AFTER, a, k, e), &out->component,
                   &out->value))
    return false;
  out->how = n->c->args[a].map ? NAN_REACHED : NAN_LEFT;
  out->e = e;
  out->arg = a;
  out->k = k;
  return true;
}

/* How many elements the loop has gone over, and which came i-th: a scan may
 * have come from above. */
static idx_l
elements(const struct nan_loop *n) {
  const struct fe_map *rows = n->c->each;
  if (!rows) return n->own;
  return (idx_l)rows->start[fe_own_size((struct fe_set *)rows->pub.from)];
}

static idx_l
element_at(const struct nan_loop *n, idx_l i) {
  return n->c->each ? n->c->each->pub.map[i] : i;
}

static void
compare_dats(const struct nan_loop *n, struct nan_found *out) {
  const struct fe_call *c = n->c;
  for (idx_l i = 0; i < elements(n); i++)
    for (uint32_t a = 0; a < c->nargs; a++) {
      idx_l e = element_at(n, i);
      if (!tells(n, &c->args[a])) continue;
      for (uint32_t k = 0; k < fe_nan_count(n, a, e); k++) {
        if (!left(n, a, k, e, out)) continue;
        fe_nan_inputs_text(n, NAN_BEFORE, e, out->inputs);
        return;
      }
    }
}

static void
compare_gbls(const struct nan_loop *n, struct nan_found *out) {
  for (uint32_t a = 0; a < n->c->nargs; a++) {
    const struct nan_gbl *g = &n->gbls[a];
    if (!g->bytes || !fe_nan_result(&n->c->args[a]) ||
        !fe_nan_made(n, a, g->before, g->after, &out->component, &out->value))
      continue;
    out->how = NAN_LOOP;
    out->e = -1;
    out->arg = a;
    return;
  }
}

void
fe_nan_find(struct nan_loop *n, struct nan_found *out) {
  if (may_run_again(n)) run_again(n, out);
  if (out->how == NAN_NOTHING) compare_dats(n, out);
  if (out->how == NAN_NOTHING && !n->tainted) compare_gbls(n, out);
}
