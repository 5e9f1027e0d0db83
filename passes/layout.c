/* Layout: how the components of dats lie in memory.
 *
 * Problem   Behind a map all components of an element should lie on one cache
 *           line (AoS). A loop that goes straight through wants vectors over
 *           elements (SoA): from AoS it has to transpose, and a dat of sixteen
 *           components is then read in an order that no prefetcher follows.
 *           A loop over points that reads neighbours by rule goes straight
 *           through, too, several times at once.
 *
 * Idea      A dat that no loop has reached through a map so far is SoA; the
 *           first that does makes it AoS, for good. So do kernels without IR,
 *           which take pointers to whole elements. Rules of points do not
 *           count, along lines of which code goes by stretches, unless a loop
 *           adds through them, or there are more components than streams that a
 *           processor follows in two lines at once: of a box's field the levels
 *           are innermost where they are many, else the points. Dats of which
 *           one is copied to the other stay alike, so that the copy can become
 *           a name (rename). ir/cost.c knows how many components are too many.
 *           On devices work items that are neighbours are to read words that
 *           are: SoA, whatever reaches the dat.
 *
 * Example   dat %q : %cells f64 x4 auto
 *           dat %qold : %cells f64 x4 auto
 *           dat %K : %cells f64 x16 auto
 *           %qold.1 = loop @save over %cells (read %q.0, write %qold)
 *           %f.1 = loop @flux over %edges (read %q.0 via %pecell[0], ...)
 *           %r.1 = loop @mult over %cells (read %K.0, ...)
 *           marks %q and %qold as `rows`, and %K becomes `block=0`.
 *
 * Measured  a five-point stencil on a box, medians of 5 interleaved rounds on a
 *           Xeon with AVX-512, SoA over AoS: in caches 3.0 and 3.6 (2
 *           components, two threads and one), 3.2 and 2.2 (3), 1.4 (4), 1.1
 *           (8); from memory 1.3 to 1.9, as what is stored goes past the caches
 *           then. Diffusion on an icosahedral grid, two threads: 1.06 (4), 1.3
 *           (16), 0.9 (32), 0.25 (64). Through tables with stretches it was 1.1
 *           (FEM) and 0.83 (columns of 60 layers), and is not done.
 *
 * Cost      O(arguments), once more for each link of a chain of copies.
 * Limits    dats that are not `auto`, and those that share memory with one,
 *           stay as they are. Of other traces it knows what `rows` says. */
#include "ir/cost.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include <stdlib.h>

/* Does a loop over points go straight through what it reaches by a rule? Each
 * component has a stream in more than one line of points. */
static bool
layout_by_rule(const struct ir_trace *t, const struct ir_arg *a) {
  if (!ir_arg_stretches(t, a) || !t->maps[a->map].rule) return false;
  const struct ir_map *m = &t->maps[a->map];
  bool own = !ir_arg_writes(a) || m->flags & IR_MAP_INJECTIVE;
  bool few = !ir_cost_block(2 * t->dats[a->dat].dim, false, IR_MACHINE_CPU);
  return own && few && m->stretch >= IR_STRETCH_LEAST && !m->still;
}

/* Loops that work on whole elements. */
static void
layout_rows(struct ir_trace *t, const struct ir_node *n) {
  bool opaque = t->kernels[n->kernel].flags & IR_KERNEL_OPAQUE;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (a->kind == IR_ARG_DAT && t->dats[a->dat].dim > 1 &&
        (opaque || !(ir_arg_direct(a) || layout_by_rule(t, a))))
      t->dats[a->dat].flags |= IR_DAT_ROWS;
  }
}

/* Both are used by rows if one is; if they share memory, both stay as they are
 * if one does. True: that was news. */
static bool
layout_tie(struct ir_trace *t, ir_ref a, ir_ref b, bool memory) {
  uint32_t *x = &t->dats[a].flags, *y = &t->dats[b].flags;
  uint32_t differ = (*x ^ *y) & IR_DAT_ROWS, stays = 0;
  if (memory) stays = (*x ^ *y) & IR_DAT_AUTO;
  *x = (*x | differ) & ~stays;
  *y = (*y | differ) & ~stays;
  return differ | stays;
}

/* One way round what is copied, or shares memory. */
static bool
layout_tie_all(struct ir_trace *t) {
  bool news = false;
  for (ir_ref v = 0; v < t->nvalues; v++)
    news |= layout_tie(t, t->values[v].dat, t->values[ir_same(t, v)].dat, true);
  for (ir_ref i = 0; i < t->nnodes; i++) {
    const struct ir_node *n = &t->nodes[i];
    const struct ir_arg *a = ir_args(t, n);
    if (n->op == IR_COPY) news |= layout_tie(t, a[0].dat, a[1].dat, true);
    if (n->op != IR_LOOP || t->kernels[n->kernel].copy_from < 0) continue;
    const struct ir_kernel *k = &t->kernels[n->kernel];
    const struct ir_arg *from = &a[k->copy_from], *to = &a[k->copy_to];
    if (from->kind == IR_ARG_DAT && to->kind == IR_ARG_DAT)
      news |= layout_tie(t, from->dat, to->dat, false);
  }
  return news;
}

/* What an option wants, else what is best for this machine. */
static uint32_t
layout_block(const struct ir_dat *d, long want, enum ir_machine m) {
  if (want >= 0) return (uint32_t)want;
  return ir_cost_block(d->dim, d->flags & IR_DAT_ROWS, m);
}

/* True: it changed. */
static bool
layout_choose(struct ir_trace *t, struct ir_dat *d, const struct pass_ctx *c) {
  long block = pass_arg(c, "block", -1), device = pass_arg(c, "device", -1);
  struct ir_dat old = *d;
  d->block = layout_block(d, block, IR_MACHINE_CPU);
  d->device = layout_block(d, device, IR_MACHINE_GPU);
  if (d->block != 1 && block < 0)
    ir_remark(t, "layout: %%%s gets block=%u: loops go straight through it",
              d->name, d->block);
  return d->block != old.block || d->device != old.device;
}

bool
pass_layout(struct ir_trace *t, const struct pass_ctx *c) {
  bool changed = false;
  uint32_t *flags = mem_alloc(t->ndats + 1, sizeof *flags);
  for (ir_ref d = 0; d < t->ndats; d++) flags[d] = t->dats[d].flags;
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (t->nodes[n].op == IR_LOOP) layout_rows(t, &t->nodes[n]);
  while (layout_tie_all(t)) continue;
  for (ir_ref i = 0; i < t->ndats; i++) {
    struct ir_dat *d = &t->dats[i];
    if (d->flags & IR_DAT_AUTO && d->dim > 1) changed |= layout_choose(t, d, c);
    changed |= d->flags != flags[i];
  }
  free(flags);
  return changed;
}
