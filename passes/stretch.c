/* Stretch: which regions' code goes by stretches, steps and lengths, and how.
 *
 * Problem   A map of a structured set is a table like any other: four bytes are
 *           read for each entry, and a block loads its elements one by one and
 *           puts them together. But along a row of a box, or a column, every
 *           entry names the next element at the next element; and along a row
 *           of a scan, or of a matrix, the next entry names the next element.
 *
 * Idea      A map says how long its stretches are (ir_map). Code by stretches
 *           looks up where each entry begins once for a stretch, and goes on
 *           from there at unit stride, without tables: what is read through
 *           the map is a vector in memory (lower/llvm/region_stretch.c). It is
 *           chosen where the shortest stretches among the region's maps are
 *           IR_STRETCH_LEAST elements on average; maps that have none go by
 *           their tables beside them. No sum is rounded otherwise
 *           (ir_may_stretch).
 *           Blocks of a stretch that nobody can tell whether they ran once or
 *           twice (ir_may_run_twice) end with it, where they have to run some
 *           elements for the second time: one by one, what is left of a stretch
 *           costs as much as blocks do that have so many elements each.
 *           What an inlined call makes of an element another one often has made
 *           of the element before: blocks take it from there (hold slide;
 *           ir/hold_slide.c), where the kernel is worth SLIDE operations for
 *           each component that moves, and stretches are LINE elements, since
 *           each begins with what slides, one by one.
 *           A relation says by how much its entries step along each row. Code
 *           by steps reads where a row begins, and counts (low_row_entry): less
 *           is read in any case. Entries of all rows that count 0, 1, 2, ...,
 *           nonzeros of a matrix, have no table at all: they are where rows
 *           begin; and of relations whose rows begin at the same places one
 *           says where. And where a kernel asks how long its row is, and more
 *           than half of the rows have one length, a short one, there is a copy
 *           of the code for that length, in which loops over the row are
 *           unrolled.
 *
 * Example   map %star : %box -> %points x5 stretch=62
 *           region over %box walk range width 4 {
 *             ... loop @laplace over %box (read %in.0 via %star[0:5], ...
 *           becomes `region over %box walk range width 4 by stretches {`.
 *           `stretch{least=100}` leaves it as it was.
 *           relation %up : %base -> %cells csr column step=1
 *           region over %base walk range {
 *             ... loop @sweep over %base for %e in %up (rw %x.0 via %e)
 *           becomes `region over %base walk range by steps {`;
 *           `stretch{steps=0}` leaves it as it was.
 *           relation %entries : %rows -> %nonzeros csr usual=9 step=1
 *           becomes `walk range by steps by lengths`; `stretch{longest=8}`
 *           leaves that out.
 *
 * Measured  stretches against tables, one thread of a Zen 3, medians: a five-
 *           point stencil of doubles is 2.7 times faster on 9 million points
 *           (1.4 times plain C, -O3 -march=native) and on 90 000; in rows of 64
 *           points 2.4 times, of 12 1.5 times, of 6 slower. Programs of bench/,
 *           3 rounds beside other work: columns of 60 layers 1.6, of 20 1.6,
 *           icosahedral 1.5, fem 1.2, airfoil (its cells) 1.07.
 *           Twice, and where lines begin once for all rules (`lines`): the same
 *           in lines of 60 points 1.1 and 1.2, of 30 points 1.27 and 1.36.
 *           Slides: diffusion in lines of 64, 128 and 512 points 1.10 to 1.15
 *           on two threads of a Xeon with AVX-512, in caches and from memory
 *           (medians of 7 to 9 interleaved rounds).
 *           Steps against tables, one thread beside other work, medians: a
 *           tridiagonal solver in columns of 60 layers 1.4 (plain C is 1.5
 *           times faster still), a matrix of 9 nonzeros a row times a vector
 *           1.1.
 *           Counting, and starts once for both relations: that product 1.15
 *           and 1.2 on 160 000 rows, 1.3 on 10 000 (one thread, two; a Xeon
 *           with AVX-512, medians of 5 interleaved rounds).
 *           Lengths: that product 1.1 on 160 000 rows, one thread and two of a
 *           Xeon with AVX-512, conjugate gradients 1.07.
 *
 * Cost      O(arguments squared) where code goes by stretches, else
 *           O(arguments).
 * Limits    stretches on hosts only: on devices threads read the table side by
 *           side. Steps anywhere.
 *           Nothing runs twice that a region goes on from after it was written
 *           through a map, as dats with a halo are: nothing says that all of
 *           the element was written.
 *           What is stored past the caches is stored in whole lines, so that
 *           nothing runs twice there (lower/llvm/region_stream.c).
 */
#include "ir/hold.h"
#include "ir/walk.h"
#include "passes/pass.h"

enum { LONGEST = 32, SLIDE = 2, LINE = 32 };

/* The shortest stretches of what the region goes by. */
static uint32_t
shortest(const struct ir_trace *t, const struct ir_region *g) {
  uint32_t least = UINT32_MAX;
  IR_EACH_ARG(t, g, n, a) {
    if (!ir_arg_stretches(t, a)) continue;
    uint32_t length = t->maps[a->map].stretch;
    if (length < least) least = length;
  }
  return least;
}

static bool
by_stretches(struct ir_trace *t, struct ir_region *g, long least) {
  uint32_t length = shortest(t, g);
  bool yes = (long)length >= least;
  g->stretches = yes;
  ir_remark(t, "stretch: %s goes by %s %u elements",
            pass_node_text(t, g->first),
            yes ? "stretches, of" : "tables: stretches have", length);
  return yes;
}

static bool
by_steps(struct ir_trace *t, struct ir_region *g) {
  g->steps = true;
  ir_remark(t, "stretch: %s goes by steps along rows",
            pass_node_text(t, g->first));
  return true;
}

/* Short ones: longer rows hide what a loop costs. */
static bool
by_lengths(struct ir_trace *t, ir_ref r, long longest) {
  struct ir_region *g = &t->regions[r];
  uint32_t length = ir_usual_length(t, r);
  if (!length || (long)length > longest) return false;
  g->lengths = true;
  ir_remark(t, "stretch: %s has code of its own for rows of %u",
            pass_node_text(t, g->first), length);
  return true;
}

/* What is computed for the element before, too, is taken from there. */
static bool
slide(struct ir_trace *t, ir_ref r, long least, long line) {
  const struct ir_region *g = &t->regions[r];
  bool any = false;
  if (least <= 0 || !g->stretches || !g->width || (long)shortest(t, g) < line)
    return false;
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    struct ir_operand_hold *o = &t->holds[k];
    if (o->how != IR_HOLD_REGISTER) continue;
    ir_ref n = t->values[o->value].def, from = ir_slides_from(t, r, o->value);
    if (from == IR_NONE) continue;
    long work = (long)t->kernels[t->nodes[n].kernel].work - 1;
    if (work < least * t->dats[t->values[o->value].dat].dim) continue;
    o->how = IR_HOLD_SLIDE;
    any = true;
    ir_remark(t, "stretch: %s is taken from the element before",
              pass_value_text(t, o->value));
  }
  return any;
}

bool
pass_stretch(struct ir_trace *t, const struct pass_ctx *c) {
  long least = pass_arg(c, "least", IR_STRETCH_LEAST);
  long steps = pass_arg(c, "steps", 1);
  long longest = pass_arg(c, "longest", LONGEST);
  long twice = pass_arg(c, "twice", 1);
  long moved = pass_arg(c, "slide", SLIDE), line = pass_arg(c, "line", LINE);
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) {
    struct ir_region *g = &t->regions[r];
    if (ir_may_stretch(t, r)) changed |= by_stretches(t, g, least);
    changed |= slide(t, r, moved, line);
    if (g->stretches && g->width && twice && ir_may_run_twice(t, r))
      changed |= g->twice = true;
    if (steps && ir_may_step(t, r)) changed |= by_steps(t, g);
    changed |= by_lengths(t, r, longest);
  }
  return changed;
}
