/* Columns that stay with a thread.
 *
 * Problem   What a scan leaves for the next one, which goes the other way, is
 *           as large as the box, and stays in no register: coefficients of a
 *           tridiagonal solver are written to memory once and read once, though
 *           both scans are in one region and nobody else wants them.
 *
 * Idea      An element of such a region has its whole column to itself, from
 *           the first loop to the last. So a thread has room for the columns
 *           that it is at, and its cache keeps that: code reads and writes
 *           there, by layer, and what it finds is what an earlier loop, or an
 *           earlier step of this one, wrote for the same column. That must be
 *           all that it reads: there are neither zeros nor older values. Layers
 *           are intervals, rows say which (struct ir_rows_layers).
 *
 * Example   relation %up : %p -> %b csr column step=9 layers 0 5 of 6 apart 9
 *           relation %down : %p -> %b csr column layers 5 0 of 6 apart 9
 *           %c.1 = loop @f over %p for %e in %up (read %x.0 via %e,
 *               write %c.0 via %e)
 *           %y.1 = loop @g over %p for %e in %down (read %c.1 via %e,
 *               write %y.0 via %e)
 *           free %c.1
 *             %c.1  column, staged       with `layers 4 0` of %up: staged
 *
 * Cost      O(arguments of the region) for each argument on such a dat.
 *
 * Measured  against staged, 2 threads of a Xeon with AVX-512, medians of 5
 *           rounds: implicit advection on 128^2, 250^2 and 512^2 columns of 60
 *           layers, in panels, 2.4, 2.6 and 2.7 times as fast; a tridiagonal
 *           solver on 45 000 columns of op2_decl_columns 2.1 times in lanes,
 *           1.25 times column by column.
 *
 * Source    temporaries of vertical solvers in caches along the column: Gysi,
 *           Osuna, Fuhrer, Bianco, Schulthess, STELLA: a domain-specific tool
 *           for structured grid methods in weather and climate models, 2015.
 *
 * Limits    columns that are all alike, of up to IR_COLUMN_MOST bytes: panels
 *           of larger ones are so narrow that layers are read in short pieces
 *           (one thread: 16 KiB 1.9 times as fast as staged, 32 KiB 1.1, 64 KiB
 *           0.6). What is written layer by layer is one interval: of several
 *           that do not touch the largest counts. In columns of which the base
 *           is renumbered rows are not found to be alike.
 */
#include "ir/hold.h"
#include "ir/inner.h"
#include "ir/walk.h"

#include <assert.h>

/* Layers [lo, hi]; none where hi < lo. */
struct layers {
  idx_l lo, hi;
};

static bool
within(struct layers x, struct layers of) {
  return x.hi < x.lo || (of.lo <= x.lo && x.hi <= of.hi);
}

static struct layers
joined(struct layers x, struct layers y) {
  if (x.hi < x.lo) return y;
  bool touch = x.lo <= y.hi + 1 && y.lo <= x.hi + 1;
  if (!touch) return x.hi - x.lo < y.hi - y.lo ? y : x;
  return (struct layers){x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi};
}

static const struct ir_rows_layers *
rows_of(const struct ir_trace *t, const struct ir_arg *a) {
  return &t->maps[a->each - 1].layers;
}

int32_t
ir_arg_layer(const struct ir_trace *t, const struct ir_arg *a) {
  assert(a->each && rows_of(t, a)->height);
  return a->map == IR_NONE ? 0 : a->shift / rows_of(t, a)->apart;
}

/* All layers that the argument names. */
static struct layers
arg_layers(const struct ir_trace *t, const struct ir_arg *a) {
  const struct ir_rows_layers *r = rows_of(t, a);
  bool up = r->first <= r->last;
  idx_l by = ir_arg_layer(t, a);
  return (struct layers){(up ? r->first : r->last) + by,
                         (up ? r->last : r->first) + by};
}

/* Of those the ones that an earlier step of the loop has not written by b. */
static struct layers
layers_before(const struct ir_trace *t, const struct ir_arg *a,
              const struct ir_arg *b) {
  struct layers x = arg_layers(t, a), made = arg_layers(t, b);
  const struct ir_rows_layers *r = rows_of(t, a);
  idx_l from = ir_arg_layer(t, a), to = ir_arg_layer(t, b);
  if (r->first <= r->last && from < to && x.hi >= made.lo) x.hi = made.lo - 1;
  if (r->first >= r->last && from > to && x.lo <= made.hi) x.lo = made.hi + 1;
  return x;
}

/* Does it go along columns as `like` does, in code that works on copies? */
static bool
arg_fits(const struct ir_trace *t, ir_ref n, const struct ir_arg *a,
         const struct ir_rows_layers *like) {
  if (a->kind != IR_ARG_DAT || !ir_arg_in_column(t, a) || a->vector ||
      ir_in_place(t, &t->nodes[n]))
    return false;
  const struct ir_rows_layers *r = rows_of(t, a);
  if (!r->height || r->height != like->height || r->apart != like->apart)
    return false;
  bool known = a->map == IR_NONE || (a->shift && a->shift % r->apart == 0);
  return known &&
         (a->access == ACC_READ || a->access == ACC_WRITE ||
          a->access == ACC_RW) &&
         within(arg_layers(t, a), (struct layers){0, r->height - 1});
}

/* Does node n find all that it reads of the root in these layers, and its own?
 */
static bool
node_finds(const struct ir_trace *t, ir_ref n, ir_ref root,
           struct layers written) {
  const struct ir_node *x = &t->nodes[n];
  const struct ir_arg *args = ir_args(t, x);
  for (uint32_t k = 0; k < x->nargs; k++) {
    if (!ir_arg_on(t, &args[k], root) || args[k].access == ACC_WRITE) continue;
    bool finds = within(arg_layers(t, &args[k]), written);
    for (uint32_t j = 0; j < x->nargs && !finds; j++)
      finds = ir_arg_on(t, &args[j], root) && ir_arg_writes(&args[j]) &&
              within(layers_before(t, &args[k], &args[j]), written);
    if (!finds) return false;
  }
  return true;
}

static struct layers
node_writes(const struct ir_trace *t, ir_ref n, ir_ref root,
            struct layers written) {
  const struct ir_node *x = &t->nodes[n];
  for (uint32_t k = 0; k < x->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, x)[k];
    if (ir_arg_on(t, a, root) && ir_arg_writes(a))
      written = joined(written, arg_layers(t, a));
  }
  return written;
}

/* The rows by which the region's first loop goes, if it goes along columns. */
static const struct ir_rows_layers *
region_layers(const struct ir_trace *t, const struct ir_region *g) {
  uint32_t each = t->nodes[g->first].each;
  if (!each || target_is_device(t->nodes[g->first].target)) return NULL;
  const struct ir_rows_layers *r = &t->maps[each - 1].layers;
  return r->height ? r : NULL;
}

static uint64_t
column_bytes(const struct ir_trace *t, const struct ir_rows_layers *r,
             ir_ref root) {
  const struct ir_dat *d = &t->dats[root];
  return (uint64_t)r->height * d->dim * d->type.size;
}

bool
ir_may_hold_columns(const struct ir_trace *t, ir_ref region, ir_ref root) {
  assert(region < t->nregions && root < t->ndats);
  const struct ir_region *g = &t->regions[region];
  const struct ir_rows_layers *like = region_layers(t, g);
  struct layers written = {0, -1};
  if (!like || g->walk == IR_WALK_NONE) return false;
  if (column_bytes(t, like, root) > IR_COLUMN_MOST) return false;
  IR_EACH_ARG(t, g, n, a)
  if (ir_arg_on(t, a, root) && !arg_fits(t, n, a, like)) return false;
  for (ir_ref n = g->first; n < g->first + g->count; n++) {
    if (ir_deferred(&t->nodes[n])) continue;
    if (!node_finds(t, n, root, written)) return false;
    written = node_writes(t, n, root, written);
  }
  return true;
}

uint64_t
ir_column_bytes(const struct ir_trace *t, ir_ref region) {
  const struct ir_region *g = &t->regions[region];
  uint64_t sum = 0;
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    ir_ref root = t->values[t->holds[k].value].dat;
    bool seen = !ir_held_by_column(t->holds[k].how);
    for (uint32_t j = g->hold0; j < k; j++)
      seen |= t->values[t->holds[j].value].dat == root &&
              ir_held_by_column(t->holds[j].how);
    if (seen) continue;
    sum += column_bytes(t, region_layers(t, g), root);
  }
  return sum;
}
