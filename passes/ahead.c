/* Ahead: what code asks for before it is used, and how long before.
 *
 * Problem   What comes from memory takes a hundred nanoseconds and more, in
 *           which a processor does a hundred edges. Its own prefetchers follow
 *           what one instruction reads at even steps, within a page, as far as
 *           they like: loops with little to do wait for them all the same.
 *
 * Idea      Blocks ask for memory by instructions.
 *           `prefetch` elements further on: rows of maps, and components that
 *           lie in rows of elements (of SoA, of blocks, of one component). A
 *           loop is so much the faster past an element as it works on few
 *           components: WORK of them lie between asking and using. NEAR is the
 *           least, and what there is where the rule would give little more;
 *           FAR the most.
 *           `ahead` bytes behind: what leads. Of what rules of points read one
 *           entry comes first everywhere (ir_entry_leads), which is the next
 *           lines of points, too: processors see as many streams as entries
 *           have lines, all short. Of elements' own components, several side by
 *           side, those do that nobody of the chain has touched
 *           (ir_arg_leads), where the region goes over more than LEAST bytes:
 *           from a cache it would be 0.75 times as fast.
 *           `targets` elements further on a block looks at the entries: of the
 *           targets named there the last one in its set is new, if any is,
 *           where targets come in order (`drift`), fewer than elements. Its
 *           rows are asked for (and those of as many before it as a block names
 *           on average): a few instructions a block, where each entry's rows
 *           cost more than they give. What is between the last target and those
 *           that elements are done with, drift times bytes, is `band`: where it
 *           is small, rows that came once are in a cache nearby for their other
 *           uses, and processors foresee the few streams that come.
 *           Rows of several lines that tables name (dats of many levels) are
 *           asked for `rows` bytes of them before, where there are more than
 *           `from` bytes: processors foresee what one instruction reads, and
 *           where loops over levels are unrolled each level's is another one.
 *           Such code works on one element at a time, so that it can read a
 *           table's entries for another one, too.
 *
 * Example   region over %edges walk parts width 4 {
 *             %f.1 = loop @exchange over %edges (read %w.0, read %u.0 via
 *                 %ends[0], read %u.0 via %ends[1], inc %f.0 via %ends[0], ...
 *           becomes `walk parts width 4 prefetch 256`: rows of %ends and %w
 *           are asked for 2 KB before they are used. `ahead{far=48}` makes it
 *           48, `ahead{far=0}` leaves it out, `{bytes=0}` what leads,
 *           `{targets=0}` the last targets' rows, and `{rows=0}` rows of many
 *           lines.
 *
 * Measured  a Zen 5, one thread (two), medians of 3 to 5 interleaved rounds,
 *           against 384 bytes everywhere and nothing of AoS: Jacobi 1.75
 *           (1.47), Chebyshev on edges 1.16 (1.14), FEM 1.09 (1.02), multigrid
 *           1.09 (1.08), Airfoil 1.05 (1.04), 2 880 000 cells 1.04 (1.04),
 *           with deferred globals 1.01 (1.00), Euler 1.02 (1.02), shallow
 *           water 1.00 (1.02), columns, rows and boxes as before. 96 elements
 *           at least would be 1.11 for FEM and 0.97 for shallow water; from
 *           memory without fronts the loops of shallow water that go over
 *           cells 1.15 and 1.35, in fronts, where they lie in a cache, 0.75.
 *           Points that lead: horizontal diffusion in one region (pass
 *           inline), 512 x 512 x 32 points, medians of interleaved rounds on a
 *           Zen 4: 1.25 on two threads, 1.23 on one; 0.98 where all fits into
 *           caches. 1024 bytes or 8192 give 0.97 of that.
 *           Rows of many lines: edges that add 33 to 96 components of doubles
 *           to both their cells, 160 MB a dat, one thread of a Zen 5: 1.7 to
 *           1.9 times as fast (a step with what follows 1.4 to 1.55; two
 *           threads 1.2 to 1.35), 128 components 1.9; 8 or 32 KB of rows 0.8 to
 *           1.0 of that. In caches 0.96 to 1.03. With 192 or 256 components,
 *           whose loops are not unrolled, 0.8 and 0.9, so these are left alone.
 *           The last targets' rows: Euler on tetrahedra, 100 921 nodes, a band
 *           of 0.6 MB, medians of 5, 1.06 (1.09), 340 381 nodes 1.19 (1.21); in
 *           random order, numbered anew by the library, 1.19 (1.18) and 1.17
 *           (1.19). Where it is left out: Euler on 13 000 nodes, 0.2 MB, 0.96;
 *           Airfoil, 0.1 MB, 0.92, 2 880 000 cells 0.87; Jacobi 0.91; shallow
 *           water 0.88; Chebyshev, rows of 8 bytes, 1.02, in random order 0.93.
 *           16 elements are 1.06 (1.06) for 32's 1.08 (1.06), 48 1.04 (1.05),
 *           96 1.06 (1.04). Each entry's rows, asked for one by one, made
 *           Airfoil 1.14 to 1.25 times as slow.
 *           Into the second cache in place of the first: as fast, or 0.8 (FEM).
 *           Asking for the first bytes when a call begins: nothing sure.
 *
 * Cost      O(arguments squared) a region, and in chains O(arguments *
 *           arguments before them there).
 * Source    distance = latency over the time of an iteration: T. C. Mowry, M.
 *           S. Lam and A. Gupta 1992.
 * Limits    nothing is asked for where rules turn or colours differ
 *           (icosahedral grids: six entries might come first, 0.9), and of
 *           tables' targets in SoA. Where targets come from the last to the
 *           first, the last one is no news. */
#include "ir/cost.h"
#include "ir/walk.h"
#include "passes/pass.h"

#include <assert.h>
#include <math.h>

enum { NEAR = 48, FAR = 448, WORK = 1536, OWN = 4 };
enum { TARGETS = 32, BAND = 512 << 10, ORDERED = 4, LINE = 64 };
enum { BYTES = 2048, LEAST = 16 << 20, ROWS = 16 << 10, FROM = 4 << 20 };

/* Does the argument go to memory, and by rows of several lines if `lines`? */
static bool
goes_far(const struct ir_trace *t, ir_ref r, const struct ir_arg *a,
         bool lines) {
  return ir_arg_on_dat(t, a) && (!lines || ir_arg_lines(t, r, a));
}

/* Is it the region's first one that goes to its dat so? */
static bool
goes_first(const struct ir_trace *t, ir_ref r, const struct ir_arg *of,
           bool lines) {
  IR_EACH_ARG(t, &t->regions[r], n, a) {
    if (a == of) return true;
    if (goes_far(t, r, a, lines) && ir_root(t, a->dat) == ir_root(t, of->dat))
      return false;
  }
  return true;
}

/* Of the dats that it goes to so, each once. */
static double
bytes_of(const struct ir_trace *t, ir_ref r, bool lines) {
  double sum = 0;
  IR_EACH_ARG(t, &t->regions[r], n, a) {
    if (!goes_far(t, r, a, lines) || !goes_first(t, r, a, lines)) continue;
    const struct ir_dat *d = &t->dats[a->dat];
    sum += (double)ir_elements_here(t, d->set) * d->dim * d->type.size;
  }
  return sum;
}

/* What leads comes from memory: blocks ask for it ahead. */
static bool
ask_ahead(struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  struct ir_region *g = &t->regions[r];
  long bytes = pass_arg(c, "bytes", BYTES), least = pass_arg(c, "least", LEAST);
  if (bytes < 2 || !g->width || !ir_region_leads(t, r)) return false;
  if (!ir_entries_lead(t, r) && bytes_of(t, r, false) < (double)least)
    return false;
  if (bytes > IR_AHEAD_MAX) bytes = IR_AHEAD_MAX;
  g->ahead = (uint32_t)bytes;
  ir_remark(t, "ahead: %s asks for what it reads %ld bytes ahead",
            pass_node_text(t, g->first), bytes);
  return true;
}

/* Blocks ask for rows of elements further on: not far in points, whose lines
 * are short, and of which tiles have most in a cache. */
static bool
ask_for_blocks(struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  struct ir_region *g = &t->regions[r];
  long near = pass_arg(c, "near", NEAR), far = pass_arg(c, "far", FAR);
  bool points = t->sets[t->nodes[g->first].set].ndim;
  struct ir_components x = ir_components_of(t, r);
  uint64_t each = x.all - x.own + (x.own + OWN - 1) / OWN;
  long n = (long)((uint64_t)pass_arg(c, "work", WORK) / (each ? each : 1));
  if (n <= 2 * near || points) n = near;
  if (n > far) n = far;
  if (n < 2) return false;
  g->prefetch = n > IR_PREFETCH_MAX ? IR_PREFETCH_MAX : (uint32_t)n;
  if (n > near)
    ir_remark(t,
              "ahead: %s asks for rows of the element %u further on: it works "
              "on %lu components, %lu of them its own",
              pass_node_text(t, g->first), g->prefetch, (unsigned long)x.all,
              (unsigned long)x.own);
  return true;
}

/* Rows of several lines each, anywhere in memory, are asked for `rows` bytes of
 * them before they are used, where caches hold fewer. */
static bool
ask_for_lines(struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  enum { MOST = 64 };
  struct ir_region *g = &t->regions[r];
  long bytes = pass_arg(c, "rows", ROWS), from = pass_arg(c, "from", FROM);
  uint64_t each = ir_region_lines(t, r);
  if (bytes <= 0 || !each || g->chain || bytes_of(t, r, true) < (double)from)
    return false;
  uint64_t n = (uint64_t)bytes / each;
  g->prefetch = n < 2 ? 2 : n > MOST ? MOST : (uint32_t)n;
  ir_remark(t, "ahead: %s asks for the rows of the element %u further on",
            pass_node_text(t, g->first), g->prefetch);
  return true;
}

/* Has an argument of the region before this one asked for the same rows? */
static bool
has_asked(const struct ir_trace *t, ir_ref r, const struct ir_arg *of) {
  IR_EACH_ARG(t, &t->regions[r], n, a) {
    if (a == of) return false;
    if (ir_arg_row(t, r, a) && a->map == of->map &&
        ir_root(t, a->dat) == ir_root(t, of->dat))
      return true;
  }
  return false;
}

/* Do targets come in order, fewer than elements? Then the last one that a block
 * names is new, if any is. */
static bool
comes_in_order(const struct ir_trace *t, const struct ir_map *m) {
  idx_g from = ir_elements_here(t, m->from), to = ir_elements_here(t, m->to);
  return m->drift && to <= from && m->drift - 1 <= to / ORDERED;
}

/* Of targets that blocks might ask for: bytes of one's rows, of the map with
 * fewest; of all rows between those that elements so far have done with and the
 * farthest that they have gone to; and how many targets a block of elements has
 * on average, of the map with most. None, if those of some map come in no
 * order: blocks ask by all. */
struct band {
  double row, all, each;
};

static struct band
band_of(const struct ir_trace *t, ir_ref r, bool any) {
  struct band x = {0, 0, 0};
  const struct ir_region *g = &t->regions[r];
  SCOPED double *rows = mem_alloc((size_t)t->nmaps + 1, sizeof *rows);
  IR_EACH_ARG(t, g, n, a) {
    double row = (double)ir_arg_row(t, r, a);
    if (!row || has_asked(t, r, a)) continue;
    const struct ir_map *m = &t->maps[a->map];
    if (!any && !comes_in_order(t, m)) return (struct band){0};
    double to = (double)ir_elements_here(t, m->to);
    double from = (double)ir_elements_here(t, m->from);
    rows[a->map] += row;
    if (m->drift) x.all += row * (m->drift - 1);
    if (from > 0) x.each = fmax(x.each, g->width * to / from);
  }
  for (uint32_t k = 0; k < t->nmaps; k++)
    if (rows[k] > 0) x.row = x.row > 0 ? fmin(x.row, rows[k]) : rows[k];
  return x;
}

/* Blocks ask for the rows of targets that nobody has come to yet, where those
 * between these and what is done with fit no cache nearby. */
static bool
ask_for_targets(struct ir_trace *t, ir_ref r, const struct pass_ctx *c) {
  struct ir_region *g = &t->regions[r];
  long soon = pass_arg(c, "targets", TARGETS),
       least = pass_arg(c, "band", BAND);
  struct band x = band_of(t, r, !least);
  double row = least ? LINE : 1;
  if (soon < 2 || x.row < row || x.all < (double)least) return false;
  g->targets = soon > IR_PREFETCH_MAX ? IR_PREFETCH_MAX : (uint32_t)soon;
  g->target_rows = (uint32_t)fmin(fmax(ceil(x.each), 1), IR_TARGET_ROWS_MAX);
  ir_remark(t,
            "ahead: %s asks for rows of the last target that a block %u "
            "elements further on names: %.0f bytes lie between it and what is "
            "done with",
            pass_node_text(t, g->first), g->targets, x.all);
  return true;
}

bool
pass_ahead(struct ir_trace *t, const struct pass_ctx *c) {
  bool changed = false;
  for (ir_ref r = 0; r < t->nregions; r++) {
    struct ir_region *g = &t->regions[r];
    assert(!g->ahead && !g->prefetch && !g->targets);
    if (target_is_device(t->nodes[g->first].target)) continue;
    changed |= ask_ahead(t, r, c);
    changed |= g->width ? ask_for_blocks(t, r, c) : ask_for_lines(t, r, c);
    if (g->width) changed |= ask_for_targets(t, r, c);
  }
  return changed;
}
