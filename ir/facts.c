/* Facts that passes ask for: who uses a version, what runs together, who shares
 * memory. */
#include "ir/area.h"
#include "ir/ir.h"

#include <assert.h>
#include <stdlib.h>

/* ---- users ------------------------------------------------------------- */

/* Visit each (value, node) pair once, in node order: counts them in `count`,
 * and with `users` not NULL writes node to users[count++]. */
static void
uses_scan(const struct ir_trace *t, uint32_t *count, ir_ref *users,
          ir_ref *last) {
  for (ir_ref v = 0; v < t->nvalues; v++) last[v] = IR_NONE;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_arg *a = ir_args(t, &t->nodes[n]);
    for (uint32_t i = 0; i < t->nodes[n].nargs; i++) {
      ir_ref v = a[i].in;
      if (v == IR_NONE || last[v] == n) continue;
      last[v] = n;
      assert(v < t->nvalues);
      if (users) users[count[v]] = n;
      count[v]++;
    }
  }
}

struct ir_uses
ir_uses_build(const struct ir_trace *t) {
  struct ir_uses u;
  SCOPED ir_ref *last = mem_alloc(t->nvalues, sizeof *last);
  SCOPED uint32_t *at = mem_alloc((size_t)t->nvalues + 1, sizeof *at);
  u.start = mem_alloc((size_t)t->nvalues + 1, sizeof *u.start);
  uses_scan(t, at, NULL, last);
  for (ir_ref v = 0; v < t->nvalues; v++) u.start[v + 1] = u.start[v] + at[v];
  u.users = mem_alloc(u.start[t->nvalues], sizeof *u.users);
  for (ir_ref v = 0; v < t->nvalues; v++) at[v] = u.start[v];
  uses_scan(t, at, u.users, last);
  assert(!t->nvalues || at[t->nvalues - 1] == u.start[t->nvalues]);
  return u;
}

void
ir_uses_free(struct ir_uses *u) {
  free(u->users);
  free(u->start);
  *u = (struct ir_uses){0};
}

/* ---- two arguments ------------------------------------------------------- */

bool
ir_writes_beside(const struct ir_trace *t, const struct ir_node *n,
                 const struct ir_arg *a) {
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *b = &ir_args(t, n)[k];
    if (ir_arg_writes(b) && ir_root(t, b->dat) == ir_root(t, a->dat) &&
        !ir_args_beside(t, a, b))
      return false;
  }
  return true;
}

/* Does the node touch the storage at its own element alone? */
static bool
touches_own(const struct ir_trace *t, const struct ir_node *n, ir_ref root) {
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (ir_arg_has_value(a) && ir_root(t, a->dat) == root && !ir_arg_direct(a))
      return false;
  }
  return true;
}

bool
ir_updates_all(const struct ir_trace *t, const struct ir_node *n,
               const struct ir_arg *a) {
  const struct ir_dat *d = &t->dats[a->dat];
  uint32_t kernel = n->op == IR_LOOP ? t->kernels[n->kernel].flags : 0;
  return n->op == IR_LOOP && a->kind == IR_ARG_DAT && a->access == ACC_RW &&
         ir_arg_direct(a) && !n->each && n->set == d->set &&
         d->root == a->dat && touches_own(t, n, d->root) &&
         !(t->sets[n->set].flags & IR_SET_PARTS) &&
         !(n->flags & IR_NODE_SERIAL) && !target_is_device(n->target) &&
         !(kernel & (IR_KERNEL_OPAQUE | IR_KERNEL_EFFECTS)) &&
         !(d->flags & IR_DAT_PINNED);
}

/* Does it write each element that the loop has, and is the memory free to be
 * another? */
static bool
is_anew(const struct ir_trace *t, const struct ir_arg *a) {
  return a->kind == IR_ARG_DAT && a->access == ACC_WRITE && a->in == IR_NONE &&
         ir_arg_direct(a) &&
         !(t->dats[ir_root(t, a->dat)].flags & IR_DAT_PINNED);
}

bool
ir_arg_writes_anew(const struct ir_trace *t, const struct ir_node *n,
                   const struct ir_arg *a) {
  const struct ir_dat *d = &t->dats[a->dat];
  bool whole = is_anew(t, a) && !n->each && n->set == d->set;
  return whole || ir_updates_all(t, n, a);
}

bool
ir_arg_written_beside(const struct ir_trace *t, ir_ref m,
                      const struct ir_arg *x, const struct ir_arg *y) {
  assert(m < t->nnodes && ir_arg_has_value(x) && ir_arg_has_value(y));
  return t->nodes[m].each && x->each && x->kind == IR_ARG_DAT &&
         x->access == ACC_READ && x->dat == y->dat && is_anew(t, y);
}

/* ---- entries of rules ---------------------------------------------------- */

idx_g
ir_colours_of(const struct ir_set *box) {
  idx_g points = 1;
  for (uint32_t d = 0; d < box->ndim; d++) points *= box->side[d];
  return box->side[0] ? box->n / points : 0;
}

struct ir_spacing
ir_spacing_of(const struct ir_trace *t, ir_ref set) {
  enum { LINE = 16 }; /* 64 bytes of 4-byte numbers, twice as many of 8 */
  const struct ir_set *s = &t->sets[set];
  assert(s->box && t->sets[s->box - 1].side[0]);
  idx_g before = s->area.at[0];
  struct ir_spacing l = {.line = t->sets[s->box - 1].side[0] + before +
                                 s->area.at[1],
                         .lead = (LINE - before % LINE) % LINE};
  l.pitch = (l.line + LINE - 1) / LINE * LINE;
  return l;
}

bool
ir_at_one_place(const struct ir_trace *t, const struct ir_map *m, uint32_t k) {
  const struct ir_set *to = &t->sets[m->to];
  if (to->box) to = &t->sets[to->box - 1];
  if (!m->rule || m->flags & IR_MAP_TURNS || ir_colours_of(to) != 1)
    return false;
  for (uint32_t d = 0; d < IR_DIMS; d++)
    if (m->rule[k].at[2 * d] != -m->rule[k].at[2 * d + 1]) return false;
  return true;
}

void
ir_first_alike(const struct ir_trace *t, ir_ref *map, uint32_t *entry) {
  const struct ir_map *m = &t->maps[*map];
  if (!ir_at_one_place(t, m, *entry)) return;
  for (ir_ref i = 0; i <= *map; i++) {
    const struct ir_map *x = &t->maps[i];
    bool alike = x->rule && x->from == m->from && x->to == m->to &&
                 !x->stretch == !m->stretch && !(x->flags & IR_MAP_TURNS);
    for (uint32_t k = 0; alike && k < x->arity; k++)
      if (ir_area_same(&x->rule[k], &m->rule[*entry])) {
        *map = i;
        *entry = k;
        return;
      }
  }
}

/* ---- memory and units -------------------------------------------------- */

bool *
ir_overlaps_build(const struct ir_trace *t) {
  bool *overlaps = mem_alloc(t->ndats + 1, sizeof *overlaps);
  for (ir_ref d = 0; d < t->ndats; d++) {
    assert(ir_root(t, d) <= d);
    if (ir_root(t, d) != d) overlaps[ir_root(t, d)] = true;
  }
  return overlaps;
}

int32_t *
ir_units_build(const struct ir_trace *t, int32_t *n_out) {
  int32_t *of = mem_alloc(t->nnodes + 1, sizeof *of), n = 0;
  for (ir_ref i = 0, end; i < t->nnodes; i = end) {
    end = ir_unit_end(t, i);
    assert(i < end && end <= t->nnodes);
    if (ir_deferred(&t->nodes[i])) continue;
    n++;
    for (ir_ref k = i; k < end; k++) of[k] = n;
  }
  *n_out = n;
  return of;
}
