/* Width: how many elements the code of a region works on at once.
 *
 * Problem   A vector register holds 2 to 16 values, and a loop that works on
 *           one element at a time uses one of them. What each element has for
 *           itself, in lanes, costs registers and time to compile.
 *
 * Idea      Blocks of as many elements as a vector holds of the widest
 *           component (lower/llvm/region_block.c has how, and what it gains),
 *           where elements have all that is written for themselves: not in
 *           order, nor where the kernel sees memory that others reach, nor
 *           what rows write elsewhere (ir/hold.c). Scans over columns that lie
 *           beside each other (of a box) go a layer at a time over LINE bytes
 *           of them, so that whole cache lines are used while they are near:
 *           vertical advection, 60 layers of 256x256 or 250x250 points, 2
 *           threads: 3.6 and 2.0 times as fast as column by column, of which
 *           lines in place of vectors are 1.5 and 1.1. Where nothing is kept
 *           for a column meanwhile (ir_may_panel), PANEL of them go along
 *           together, so that a layer's memory is read in long stretches, and
 *           not a page for each line: 1.4 times as fast again with 128x128
 *           points, 2.2 times with 250x250, 1.8 times with 512x512 (a Xeon
 *           with AVX-512, medians of 5 interleaved rounds); panels of 32 and
 *           512 were within a tenth. Fewer where ROOM is too small for what
 *           threads keep of so many columns (hold column), a part of a cache
 *           that a processor has for itself.
 *           Elements with more than HEAVY components get NARROW bytes where
 *           vectors are longer: a block of 8 such doubles has over a thousand
 *           instructions, so that processors cannot begin the next one
 *           meanwhile, and most of its shuffles wait for one unit, where
 *           shorter vectors have two. Euler's three loops over edges (63 to
 *           76 components): 1.27, 1.10 and 1.18 times as fast, all of it 1.16
 *           (a Xeon with AVX-512, one thread, medians of 4 interleaved
 *           rounds); Airfoil (22 components) would be 1.09 times as slow.
 *           Likewise where half of the components or more come through maps
 *           one by one (of 1 component each, or SoA): each takes an insert
 *           and an extract of its own, and those into the upper half of a
 *           long vector another. Chebyshev on edges 1.17 and 1.20 times as
 *           fast (1 and 2 threads, medians of 3 rounds), multigrid 1.08 and
 *           1.18, Jacobi 1.02 and 1.18, Airfoil in SoA 1.18; FEM, a third of
 *           them, as before.
 *           Not above MOST components, which took 0.8 s to compile. Counts,
 *           not times, so that ranks agree.
 *
 * Example   region over %cells walk range { ... f64 ... hold copy %q.0 }
 *           becomes `region over %cells walk range width 8 {` for 64 bytes;
 *           `width{bytes=32}` makes it 4, `width{width=1}` nothing. A scan over
 *           columns of a box becomes `walk range width 8 panel 128`;
 *           `width{panel=0}` leaves that out.
 *
 * Cost      O(arguments squared) a region.
 * Limits    passes see no kernels: code in which blocks did not become vectors
 *           is made again without (lower/llvm/jit.c). */
#include "ir/cost.h"
#include "ir/walk.h"
#include "passes/pass.h"

enum { MOST = 256, HEAVY = 48, NARROW = 32 };
enum { LINE = 64, PANEL = 128 };

static bool
goes_over_rows_beside(const struct ir_trace *t, const struct ir_region *g) {
  for (ir_ref n = g->first; n < g->first + g->count; n++) {
    uint32_t each = t->nodes[n].each;
    if (each && t->maps[each - 1].flags & IR_MAP_BESIDE) return true;
  }
  return false;
}

/* So many columns as there is room for of what threads keep of them. */
static uint32_t
panel_of(const struct ir_trace *t, ir_ref region, uint32_t width, long most,
         long room) {
  uint64_t column = ir_column_bytes(t, region);
  uint64_t fits = column ? (uint64_t)room / column : (uint64_t)most;
  if (fits > (uint64_t)most) fits = (uint64_t)most;
  return fits < width ? width : (uint32_t)fits / width * width;
}

/* Are short vectors better than long ones? */
static bool
is_heavy(struct ir_components x, long heavy) {
  return (long)x.all > heavy || (x.singles && 2 * x.singles >= x.all);
}

/* Bytes that a vector of the region's elements may have. */
static long
room_for(struct ir_components x, bool beside, const struct pass_ctx *c) {
  long bytes = pass_arg(c, "bytes", ir_machine_vector(IR_MACHINE_CPU));
  if (beside) return bytes < LINE ? LINE : bytes;
  long narrow = pass_arg(c, "narrow", NARROW);
  bool heavy = is_heavy(x, pass_arg(c, "heavy", HEAVY));
  return heavy && bytes > narrow ? narrow : bytes;
}

bool
pass_width(struct ir_trace *t, const struct pass_ctx *c) {
  long most = pass_arg(c, "width", IR_WIDTH_MAX);
  long panel = pass_arg(c, "panel", PANEL);
  long room_bytes = pass_arg(c, "room", IR_COLUMNS_ROOM);
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) {
    uint32_t width = IR_WIDTH_MAX;
    bool beside = goes_over_rows_beside(t, &t->regions[r]);
    struct ir_components kept = ir_components_of(t, r);
    long room = room_for(kept, beside, c);
    long widest = (long)ir_widest_component(t, r, c->overlaps);
    if (!widest || kept.all > MOST) continue;
    while (width > most || width * widest > room) width /= 2;
    if (width < 2) continue;
    t->regions[r].width = width;
    if (beside && panel >= (long)width && ir_may_panel(t, r))
      t->regions[r].panel = panel_of(t, r, width, panel, room_bytes);
    ir_remark(t, "width: code of %s works on %u elements at once",
              pass_node_text(t, t->regions[r].first), width);
    changed = true;
  }
  return changed;
}
