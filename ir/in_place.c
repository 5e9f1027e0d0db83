/* Chains of loops on a box, on one block of points after another, in place.
 *
 * Problem   Frameworks of stencils run all loops of a chain on a block before
 *           the next one begins: temporaries belong to the block, everything
 *           else is changed where it lies. A program that is to run there, too,
 *           wants to be told what blocks would make wrong: a loop reads beyond
 *           its block what another one writes, which has done so in blocks
 *           before, and not yet in those that follow.
 *
 * Idea      Where a loop reads is where it runs, moved by its offsets; it runs
 *           beyond the block where later loops read what it makes (extents,
 *           extent_areas.c). So a loop without offsets may read beyond, too:
 *
 *             %t.1 = loop @g0 over %line (read %q.0, write %t)
 *             %q.1 = loop @g1 over %line (read %t.1 via %before[0], write %q)
 *
 *           g0 runs over (-1), and the second block finds q(-1) changed.
 *           Wrong are, within a chain, for each dat:
 *             read beyond, then written    temporaries, too: one memory each
 *             written, then read beyond    but temporaries, made beyond as well
 *           and on the other side of periodic dimensions what no extent tells.
 *           A loop that is none of points, goes through tables, or touches a
 *           global that loops write, ends a chain: nothing waits across it.
 *
 * Cost      O(arguments), and the extents.
 *
 * Limits    chains, as said, not what a pass would put in blocks. */
#include "ir/extent.h"

#include <assert.h>
#include <stdlib.h>

/* What the chain at hand has done to each dat: the last loop to write it, and
 * to read it beyond its block; IR_NONE: none has. */
struct past {
  ir_ref writer, reader;
  struct ir_area area;
  bool turns;
  bool offset; /* not at the point that the loop is at */
};

static void
forget(struct past *past, uint32_t n) {
  for (uint32_t d = 0; d < n; d++)
    past[d] = (struct past){.writer = IR_NONE, .reader = IR_NONE};
}

static bool
in_chain(const struct ir_trace *t, const struct ir_node *n) {
  if (n->set == IR_NONE || !t->sets[n->set].ndim || n->each) return false;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (ir_arg_has_value(a) && !ir_arg_on_dat(t, a)) return false;
    if (!ir_arg_on_dat(t, a) || ir_arg_direct(a)) continue;
    if (a->each || a->map == IR_NONE || !t->maps[a->map].rule) return false;
  }
  return true;
}

/* Does it leave its point, by an entry or over a period? */
static bool
leaves_point(const struct ir_trace *t, const struct ir_arg *a) {
  if (ir_arg_direct(a)) return false;
  const struct ir_map *m = &t->maps[a->map];
  bool any = m->flags & IR_MAP_TURNS;
  assert(m->rule && a->entry + ir_arg_count(a) <= m->arity);
  for (uint32_t k = a->entry; k < a->entry + ir_arg_count(a); k++)
    for (int side = 0; side < IR_SIDES; side++) any |= m->rule[k].at[side] != 0;
  return any;
}

/* Does it read beyond the block that the loop is at? Where, if so. */
static bool
reads_beyond(const struct ir_trace *t, const struct ir_areas *x, ir_ref n,
             const struct ir_arg *a, struct past *p) {
  if (!access_info[a->access].reads) return false;
  struct ir_area area = ir_areas_read(t, x, n, a);
  bool offset = leaves_point(t, a), any = offset;
  bool turns = offset && t->maps[a->map].flags & IR_MAP_TURNS;
  for (int k = 0; k < IR_SIDES; k++) any |= area.at[k] != 0;
  if (!any) return false;
  if (p->reader == n && p->offset && !offset) return true;
  *p = (struct past){p->writer, n, area, turns, offset};
  return true;
}

static struct ir_clash
clash(const struct past *p, ir_ref writer, ir_ref dat) {
  return (struct ir_clash){p->reader, writer, dat, p->area, p->turns};
}

/* Written before in the chain, and temporaries not beyond the block. */
static bool
read_late(const struct ir_trace *t, ir_ref dat, const struct past *p) {
  bool made = t->dats[dat].flags & IR_DAT_TEMP && !p->turns;
  return p->writer != IR_NONE && !made;
}

static bool
node_clash(const struct ir_trace *t, const struct ir_areas *x, ir_ref n,
           struct past *past, struct ir_clash *out) {
  const struct ir_node *node = &t->nodes[n];
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, node)[k];
    if (!ir_arg_on_dat(t, a)) continue;
    ir_ref d = ir_root(t, a->dat);
    bool beyond = reads_beyond(t, x, n, a, &past[d]);
    *out = clash(&past[d], past[d].writer, d);
    if (beyond && read_late(t, d, &past[d])) return true;
  }
  for (uint32_t k = 0; k < node->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, node)[k];
    if (!ir_arg_on_dat(t, a) || !ir_arg_writes(a)) continue;
    struct past *p = &past[ir_root(t, a->dat)];
    *out = clash(p, n, ir_root(t, a->dat));
    if (p->reader != IR_NONE && (p->reader != n || p->offset)) return true;
    p->writer = n;
  }
  return false;
}

static bool
trace_clash(const struct ir_trace *t, const struct ir_areas *x,
            struct past *past, struct ir_clash *out) {
  forget(past, t->ndats);
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    if (!ir_runs(node) || !x->runs[n]) continue;
    if (!in_chain(t, node))
      forget(past, t->ndats);
    else if (node_clash(t, x, n, past, out))
      return true;
  }
  return false;
}

bool
ir_clash_find(const struct ir_trace *t, struct ir_clash *out) {
  struct ir_areas x = ir_areas_build(t, true);
  SCOPED struct past *past = mem_alloc((size_t)t->ndats + 1, sizeof *past);
  bool found = trace_clash(t, &x, past, out);
  assert(!found || (out->reader < t->nnodes && out->writer < t->nnodes));
  ir_areas_free(&x);
  return found;
}

void
ir_clash_print(const struct ir_trace *t, const struct ir_clash *c,
               struct str *out) {
  const struct ir_node *reader = &t->nodes[c->reader];
  assert(reader->kernel != IR_NONE);
  str_printf(out, "loop @%s reads %%%s on ", t->kernels[reader->kernel].name,
             t->dats[c->dat].name);
  ir_print_area(t->sets[reader->set].ndim, &c->area, out);
  if (c->turns) str_add(out, " and across a period");
  str_printf(out, ", loop @%s writes it %s",
             t->kernels[t->nodes[c->writer].kernel].name,
             c->writer < c->reader ? "before" : "as well");
}
