/* What may be stored past the caches.
 *
 * Problem   A store to a line that is in no cache reads the line first: a loop
 *           that makes a large dat moves three times the bytes of what it
 *           writes, with what it was made from, where two would do. Processors
 *           have stores that do not (streaming, or non-temporal ones); they are
 *           fast only where they fill whole lines, one behind the other, and
 *           where nobody wants the line soon.
 *
 * Idea      Code in blocks whose vectors are as long as a line, that stores one
 *           vector a component: elements, or one entry along a stretch, of dats
 *           of one component or in SoA. The line must not be in a cache
 *           already: of what the region reads nothing lies in that buffer, and
 *           all of the element is written. Blocks of a stretch begin where the
 *           line does (lower/llvm/region_stream.c), which can be so for one
 *           path only: all that a region streams goes by one.
 *           Whether it pays, and whether somebody wants it soon, is for pass
 *           stream to say.
 *           A scan wants it soon: the next step reads what this one made. But
 *           of what threads may keep by columns (hold_column.c) all steps find
 *           it there, and each may store it besides, where columns lie beside
 *           each other in whole lines (`through`).
 *
 * Example   region over %box walk range width 8 by stretches {
 *             %next.1 = loop @diffuse over %box (read %x.0 via %star[0:5],
 *                 write %next.0 via %here[0])         %here is injective
 *             hold copy %x.0
 *             hold stream %next.1
 *           }
 *
 * Cost      O(arguments of the region squared).
 *
 * Limits    AoS dats of several components, whose lines are put together from
 *           several vectors; loops over rows but scans that read what they
 *           made, in layers of which each one begins with a line. */
#include "ir/hold.h"
#include "ir/inner.h"
#include "ir/walk.h"

#include <assert.h>

/* The argument by which the region makes the version; NULL: it does not. */
static const struct ir_arg *
maker_of(const struct ir_trace *t, const struct ir_region *g, ir_ref v) {
  IR_EACH_ARG(t, g, n, a)
  if (ir_arg_on_dat(t, a) && ir_arg_writes(a) && a->out == v) return a;
  return NULL;
}

/* Are components of a block's elements one vector each, where they lie? */
static bool
in_rows(const struct ir_trace *t, ir_ref region, const struct ir_arg *a) {
  assert(ir_arg_on_dat(t, a) && region < t->nregions);
  const struct ir_region *g = &t->regions[region];
  const struct ir_dat *d = &t->dats[a->dat];
  if (d->block && (d->block > 1 || d->dim > 1)) return false;
  if (ir_arg_direct(a)) return true;
  return g->stretches && ir_arg_stretches(t, a) &&
         ir_arg_of_element(t, region, a) &&
         !(t->maps[a->map].still >> a->entry & 1);
}

/* Does the region read what was in the buffer before? */
static bool
reads_before(const struct ir_trace *t, const struct ir_region *g,
             ir_ref buffer) {
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on_dat(t, a) || ir_buffer_of(t, a->in) != buffer) continue;
    ir_ref def = t->values[ir_same(t, a->in)].def;
    bool inside = def != IR_NONE && def >= g->first;
    if (!inside && a->access != ACC_WRITE) return true;
  }
  return false;
}

/* Does all else that the region streams go by this path? */
static bool
goes_alike(const struct ir_trace *t, const struct ir_region *g,
           const struct ir_arg *a) {
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    const struct ir_operand_hold *o = &t->holds[k];
    if (o->how != IR_HOLD_STREAM) continue;
    const struct ir_arg *b = maker_of(t, g, o->value);
    if (!b || b->map != a->map || b->entry != a->entry) return false;
  }
  return true;
}

/* Are the region's vectors of the dat lines, in memory of its own? */
static bool
fills_lines(const struct ir_trace *t, const struct ir_region *g, ir_ref root,
            const bool *overlaps) {
  assert(root < t->ndats);
  const struct ir_dat *d = &t->dats[root];
  return g->width * d->type.size == IR_STREAM_BYTES &&
         !(d->flags & IR_DAT_PINNED) && !overlaps[root];
}

/* Does a block write lines by the argument, one at each step along columns that
 * lie beside each other? */
static bool
writes_layers(const struct ir_trace *t, const struct ir_region *g,
              const struct ir_arg *a) {
  const struct ir_map *rows = &t->maps[a->each - 1];
  return a->map == IR_NONE && rows->flags & IR_MAP_BESIDE &&
         rows->layers.apart % (idx_l)g->width == 0;
}

bool
ir_may_go_through(const struct ir_trace *t, ir_ref region, ir_ref root,
                  const bool *overlaps) {
  const struct ir_region *g = &t->regions[region];
  const struct ir_dat *d = &t->dats[root];
  bool written = false, read = false;
  if (!g->width || g->walk != IR_WALK_RANGE || g->chain || d->dim > 1 ||
      d->block > 1 || !fills_lines(t, g, root, overlaps) ||
      !ir_may_hold_columns(t, region, root))
    return false;
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_on(t, a, root)) continue;
    read |= a->access != ACC_WRITE;
    if (!ir_arg_writes(a)) continue;
    if (!writes_layers(t, g, a)) return false;
    written = true;
  }
  return written && read;
}

bool
ir_may_stream(const struct ir_trace *t, ir_ref region, ir_ref v,
              const bool *overlaps) {
  assert(region < t->nregions && v < t->nvalues);
  const struct ir_region *g = &t->regions[region];
  const struct ir_arg *a = maker_of(t, g, v);
  if (!a || g->walk != IR_WALK_RANGE || ir_goes_by_rows(t, g) ||
      ir_keeps_reads(t, g))
    return false;
  if (!fills_lines(t, g, ir_root(t, a->dat), overlaps)) return false;
  ir_ref b = ir_buffer_of(t, v);
  return b != IR_NONE && !ir_is_private(t, g, b) && in_rows(t, region, a) &&
         !reads_before(t, g, b) && goes_alike(t, g, a);
}
