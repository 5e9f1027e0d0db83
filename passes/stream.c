/* Stream: what is stored past the caches.
 *
 * Problem   ir/hold_stream.c: a store reads the line that it goes to. That is a
 *           third of what a copy moves.
 *
 * Idea      Where a region may store a version past the caches, and moves more
 *           than `least` bytes, it does: before it has ended, caches have
 *           forgotten the first of what it stored, so that whoever reads that
 *           has to go to memory anyway. Regions of a chain go through memory
 *           together, and what is private to it stays in caches; so does
 *           what is in the pieces of a front.
 *
 * Example   `hold copy %x.0 %next.1` becomes `hold copy %x.0`,
 *           `hold stream %next.1`; `stream{least=0}` does so wherever it may
 *           be, for tests. Of a scan `hold staged %out.1` becomes `hold
 *           through %out.1`.
 *
 * Cost      O(arguments squared) a region.
 *
 * Measured  2 threads of a Xeon with AVX-512, medians of 3 interleaved rounds,
 *           with and without: diffusion on a box of 512 x 512 x 32 points (136
 *           MB) 1.17 times as fast, 1000 x 1000 x 32 (515 MB) 1.3 to 1.6; a
 *           gradient on 50 million edges of an icosahedral grid 1.32; three
 *           loops at the points of a box, 480 MB, 2.1. Below `least` it loses:
 *           0.75 with 67 MB, 0.9 with 90.
 *           `through`: implicit advection on 500 x 500 columns of 60 layers, 2
 *           threads of a Zen 4, medians of 5 interleaved rounds: 1.12; by hand
 *           in C the same is 1.05 faster still.
 *
 * Limits    what a cache holds is a constant: machines differ in how much of it
 *           a core has for itself. */
#include "ir/hold.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

enum { LEAST = 128 << 20 };
#define OWN UINT32_MAX

struct stream {
  struct ir_trace *t;
  const bool *overlaps;
  uint32_t *seen; /* by buffer: OWN, of the chain at hand, or the turn in which
                     it was counted last */
  uint32_t turn;
  double least;
};

/* Where what goes through memory with region r ends: its chain, or itself. */
static ir_ref
end_of(const struct ir_trace *t, ir_ref r) {
  uint32_t chain = t->regions[r].chain;
  ir_ref end = r + 1;
  while (chain && end < t->nregions && t->regions[end].chain == chain) end++;
  return end;
}

static void
mark_own(struct stream *s, uint32_t chain, uint32_t mark) {
  if (!chain) return;
  const struct ir_chain *c = &s->t->chains[chain - 1];
  for (uint32_t k = 0; k < c->nown; k++) s->seen[c->own[k]] = mark;
}

/* Bytes of all that regions [r, end) touch, each buffer once, but for what is
 * private. */
static double
bytes_of(struct stream *s, ir_ref r, ir_ref end) {
  const struct ir_trace *t = s->t;
  double sum = 0;
  for (ir_ref k = r; k < end; k++) IR_EACH_ARG(t, &t->regions[k], n, a) {
      if (!ir_arg_on_dat(t, a)) continue;
      ir_ref b = ir_buffer_of(t, a->out == IR_NONE ? a->in : a->out);
      if (b == IR_NONE || s->seen[b] == OWN || s->seen[b] == s->turn) continue;
      const struct ir_dat *d = &t->dats[t->buffers[b].dat];
      sum += (double)t->sets[d->set].n * d->dim * d->type.size;
      s->seen[b] = s->turn;
    }
  return sum;
}

static bool
in_pieces(const struct ir_trace *t, ir_ref r) {
  uint32_t chain = t->regions[r].chain;
  return chain && t->chains[chain - 1].piece;
}

/* Is there no room for the columns that threads would keep? Panels are as wide
 * as they are by now. */
static bool
is_crowded(const struct ir_trace *t, ir_ref r) {
  const struct ir_region *g = &t->regions[r];
  uint64_t columns = g->panel ? g->panel : g->width;
  return columns * ir_column_bytes(t, r) > IR_COLUMNS_ROOM;
}

/* Scans whose results go through, but not if that is too much. */
static bool
go_through(struct stream *s, ir_ref r) {
  struct ir_trace *t = s->t;
  const struct ir_region *g = &t->regions[r];
  bool any = false;
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    struct ir_operand_hold *o = &t->holds[k];
    if (o->how != IR_HOLD_STAGED ||
        !ir_may_go_through(t, r, t->values[o->value].dat, s->overlaps))
      continue;
    o->how = IR_HOLD_THROUGH;
    any = true;
  }
  if (!any || !is_crowded(t, r)) return any;
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++)
    if (t->holds[k].how == IR_HOLD_THROUGH) t->holds[k].how = IR_HOLD_STAGED;
  return false;
}

static bool
stream_region(struct stream *s, ir_ref r, double bytes) {
  struct ir_trace *t = s->t;
  struct ir_region *g = &t->regions[r];
  bool any = go_through(s, r);
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    struct ir_operand_hold *o = &t->holds[k];
    bool may =
        o->how == IR_HOLD_COPY && ir_may_stream(t, r, o->value, s->overlaps);
    if (may) o->how = IR_HOLD_STREAM;
    if (o->how != IR_HOLD_STREAM && o->how != IR_HOLD_THROUGH) continue;
    any = true;
    ir_remark(t, "stream: %s is stored past the caches by %s: %.0f MB go by",
              pass_value_text(t, o->value), pass_node_text(t, g->first),
              bytes * 1e-6);
  }
  if (any) g->twice = false; /* its blocks are lines */
  return any;
}

bool
pass_stream(struct ir_trace *t, const struct pass_ctx *c) {
  struct stream s = {.t = t,
                     .overlaps = c->overlaps,
                     .seen = mem_alloc((size_t)t->nbuffers + 1, sizeof *s.seen),
                     .least = (double)pass_arg(c, "least", LEAST)};
  bool changed = false;
  for (ir_ref r = 0, end; r < t->nregions; r = end) {
    end = end_of(t, r);
    assert(r < end && end <= t->nregions);
    if (in_pieces(t, r)) continue;
    s.turn++;
    mark_own(&s, t->regions[r].chain, OWN);
    double bytes = bytes_of(&s, r, end);
    for (ir_ref k = r; k < end && bytes >= s.least; k++)
      changed |= stream_region(&s, k, bytes);
    mark_own(&s, t->regions[r].chain, 0);
  }
  free(s.seen);
  return changed;
}
