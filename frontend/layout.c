/* Layouts chosen by use.
 *
 * Problem. Behind a map all components of an element should lie on one cache
 * line (AoS). A loop that goes straight through wants vectors over elements
 * (SoA): from AoS it has to transpose, and a dat of sixteen components is then
 * read in an order that no prefetcher follows.
 *
 * Idea. A dat that no call has used through a map so far is SoA; the first call
 * that does makes it AoS again, for good, at the cost of one copy. Dats of
 * which one is copied to the other stay alike, so that the copy can become a
 * name (pass rename):
 *
 *   save  read %q, write %qold      copy: %q and %qold are alike
 *   flux  read %q via %pecell[0]    so %qold is AoS like %q
 *   mult  read %K x16               nothing else uses %K: SoA
 *
 * Kernels without IR take pointers to whole elements and keep what they use
 * AoS. Choices change at a flush whose recording is new, never in the steady
 * state.
 *
 * Cost. A pass over the calls seen, at a flush with new calls; one copy of a
 * dat that changes. FEM, whose cell matrices are 16 doubles: 1.6 times faster
 * than with all dats in AoS, one thread; blocks of 8 give 1.3, of 32 to 256
 * less than AoS (their streams are too short for the processor's prefetchers).
 *
 * Limits. Dats in the program's memory, with a declared layout, on a device, or
 * under OP2_LAYOUT stay as they are. */
#include "frontend/calls.h"
#include "frontend/context.h"

#include "base/counters.h"
#include "rt/store/residency.h"

#include <string.h>

/* Above so many components SoA has more streams than the processor follows:
 * then short blocks. */
enum { LAYOUT_STREAMS = 32, LAYOUT_BLOCK = 8 };

bool
fe_layout_free(void) {
  return !fe.auto_soa && !strcmp(fe.opt.layout, "auto");
}

/* Dats that are used an element at a time. */
static void
mark_rows(const struct fe_call *c) {
  for (uint32_t a = 0; a < c->nargs; a++)
    if (c->args[a].dat && (c->args[a].map || c->kernel->opaque))
      c->args[a].dat->by_rows = true;
}

/* Both sides of a copy are alike; true if that changed something. */
static bool
mark_alike(const struct fe_call *c) {
  int from, to;
  if (!fe_kernel_copies(c, &from, &to)) return false;
  struct fe_dat *x = c->args[0].dat, *y = c->args[1].dat;
  if (!x || !y || x->by_rows == y->by_rows) return false;
  x->by_rows = y->by_rows = true;
  return true;
}

static uint32_t
block_for(const struct fe_dat *d) {
  if (d->by_rows || d->rt.shape.dim <= 1) return 1;
  return d->rt.shape.dim <= LAYOUT_STREAMS ? 0 : LAYOUT_BLOCK;
}

/* A new layout would bring the values back, and they would go there again. */
static bool
on_device(const struct fe_dat *d) {
  enum rt_residency where = rt_residency_of(&d->rt);
  return where == RT_DEVICE || where == RT_BOTH || where == RT_HOST_UNALLOCATED;
}

static status
apply(bool *changed) {
  for (uint32_t i = 0; i < fe_all.ndats; i++) {
    struct fe_dat *d = fe_all.dats[i];
    if (!d->called || !d->auto_layout || d->pinned || d->parked) continue;
    if (on_device(d)) continue;
    uint32_t block = block_for(d);
    if (block == d->rt.shape.block) continue;
    TRY(rt_dat_relayout(&d->rt, block));
    d->block = block;
    counters[CNT_relayouts]++;
    *changed = true;
  }
  return OK;
}

status
fe_layout_update(bool *changed) {
  bool again = true;
  *changed = false;
  if (fe.layout_calls == fe_calls.made) return OK;
  for (uint32_t i = 0; i < fe_calls.n; i++)
    if (fe_calls.all[i]) mark_rows(fe_calls.all[i]);
  while (again) {
    again = false;
    for (uint32_t i = 0; i < fe_calls.n; i++)
      if (fe_calls.all[i]) again |= mark_alike(fe_calls.all[i]);
  }
  status st = apply(changed);
  if (st == OK) fe.layout_calls = fe_calls.made;
  if (*changed) {
    fe.setup_id++;
    fe_state_update();
  }
  return st;
}
