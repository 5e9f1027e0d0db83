/* Globals of a program, between the host and devices: who has them before a
 * launch, and after it. */
#include "rt/device/globals.h"

#include "rt/store/residency.h"

#include <assert.h>

static status
global_room(const struct rt_program *p, uint32_t g, struct rt_device *d) {
  assert(p->cells && g < p->nglobals);
  return rt_cell_room(p->cells[g], d);
}

status
rt_globals_room(const struct rt_program *p, const struct rt_launch *l,
                struct rt_device *d) {
  for (uint32_t i = 0; i < l->nbinds; i++)
    if (l->binds[i].kind == RT_BIND_GLOBAL)
      TRY(global_room(p, l->binds[i].index, d));
  for (uint32_t k = 0; k < l->nreductions; k++)
    TRY(global_room(p, l->reductions[k].global, d));
  return OK;
}

static status
global_upload(const struct rt_program *p, uint32_t g, struct rt_device *d) {
  assert(g < p->nglobals);
  return rt_cell_upload(p->cells[g], d, p->globals[g]);
}

/* The host alone has the global of reduction k, in a word. */
static bool
starts_here(const struct rt_program *p, const struct rt_launch *l, uint32_t k,
            const struct rt_device *d) {
  const struct rt_cell *c = p->cells[l->reductions[k].global];
  return !c->there && c->mem && c->mem->device == d &&
         rt_combine_starts(k, c->bytes, l->reductions[k].payload);
}

status
rt_globals_upload(const struct rt_program *p, const struct rt_launch *l,
                  struct rt_device *d, bool keep, uint64_t *fresh) {
  *fresh = 0;
  for (uint32_t i = 0; i < l->nbinds; i++) {
    const struct rt_bind *b = &l->binds[i];
    if (b->kind != RT_BIND_GLOBAL) continue;
    if (keep && b->written) TRY(rt_global_here(p, b->index));
    TRY(global_upload(p, b->index, d));
  }
  for (uint32_t k = 0; k < l->nreductions; k++) {
    if (starts_here(p, l, k, d))
      *fresh |= (uint64_t)1 << k;
    else
      TRY(global_upload(p, l->reductions[k].global, d));
  }
  return OK;
}

void
rt_globals_used(const struct rt_program *p, const struct rt_launch *l,
                bool joined, bool kept) {
  for (uint32_t i = 0; i < l->nbinds; i++) {
    const struct rt_bind *b = &l->binds[i];
    if (b->kind == RT_BIND_GLOBAL && b->written)
      rt_cell_written(p->cells[b->index], !kept);
  }
  for (uint32_t k = 0; joined && k < l->nreductions; k++)
    rt_cell_written(p->cells[l->reductions[k].global], true);
}

/* ---- the host ------------------------------------------------------------ */

status
rt_global_here(const struct rt_program *p, uint32_t g) {
  assert(g < p->nglobals);
  return p->cells ? rt_cell_download(p->cells[g], p->globals[g]) : OK;
}

void
rt_global_written(const struct rt_program *p, uint32_t g) {
  assert(g < p->nglobals);
  if (p->cells) rt_cell_written(p->cells[g], false);
}

static status
global_take(const struct rt_program *p, uint32_t g, bool written) {
  TRY(rt_global_here(p, g));
  if (written) rt_global_written(p, g);
  return OK;
}

status
rt_globals_here(const struct rt_program *p, const struct rt_launch *l) {
  if (!rt_device_any()) return OK;
  for (uint32_t i = 0; i < l->nbinds; i++)
    if (l->binds[i].kind == RT_BIND_GLOBAL)
      TRY(global_take(p, l->binds[i].index, l->binds[i].written));
  for (uint32_t k = 0; k < l->nreductions; k++)
    TRY(global_take(p, l->reductions[k].global, true));
  return OK;
}

/* ---- runs ---------------------------------------------------------------- */

/* Globals that may be on a device. */
static uint32_t
cells_of(const struct rt_program *p) {
  return p->cells && rt_device_any() ? p->nglobals : 0;
}

static bool
is_own(const struct rt_program *p, uint32_t g) {
  return p->cells[g] == &p->own_cells[g];
}

void
rt_globals_begin(const struct rt_program *p) {
  for (uint32_t g = 0, n = cells_of(p); g < n; g++)
    if (is_own(p, g)) rt_cell_written(p->cells[g], false);
}

status
rt_globals_end(const struct rt_program *p) {
  struct rt_device *d = NULL;
  status st = OK, end = OK;
  for (uint32_t g = 0, n = cells_of(p); g < n; g++) {
    struct rt_cell *c = p->cells[g];
    if (!is_own(p, g) || !c->away) continue;
    if (d && d != c->mem->device) end = d->driver->finish(d);
    if (st == OK) st = end;
    d = c->mem->device;
    if (st == OK) st = rt_cell_fetch(c, p->globals[g]);
  }
  end = d ? d->driver->finish(d) : OK; /* nothing is left under way */
  return st == OK ? end : st;
}

void
rt_globals_broken(const struct rt_program *p) {
  for (uint32_t g = 0, n = cells_of(p); g < n; g++)
    if (!p->cells[g]->away) rt_cell_written(p->cells[g], false);
}
