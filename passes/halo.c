/* Halo: how far out loops run over ranks, and exchanges where that needs them.
 *
 * Problem   A rank has a part of each set, and copies of what lies around it. A
 *           loop that reads copies needs them right; one that increments
 *           through a map must also run for strangers' elements that name its
 *           own. An exchange before each loop is right, and costs a message to
 *           each neighbour and dat every time.
 *
 * Idea      The extents (ir/extent.c) say how far out each loop runs, and how
 *           far out each version has to be right for all its readers. Walk the
 *           trace with how far each buffer is right: at the start as declared;
 *           after a loop over L_h wrote there, to h, or less where it wrote
 *           through a map; after an exchange, as far as that went. A unit that
 *           needs more gets an exchange before it. Whatever else is not as
 *           right yet as some later reader needs goes along, so that a chain
 *           waits once; and a version goes as far as any reader needs, so that
 *           it goes once.
 *
 *           With limit=0 no loop runs farther than it must. A larger limit lets
 *           loops run redundantly instead of waiting for what they made
 *           elsewhere. With most=n the limit is that of 0 .. n whose trace
 *           costs least:
 *
 *             exchanges * latency + bytes / bandwidth + elements * element
 *
 *           (ns, MB/s, ps). Elements are those that loops run beyond L_0, bytes
 *           those of elements between two reaches; how many elements a level
 *           has is what the sets' `levels` say, of the rank that has most, and
 *           beyond the last of them as many more for two levels as the last two
 *           had. So all ranks choose alike.
 *
 * Example   set %cells n=8 parts
 *           dat %q : %cells f64 x4 right 0
 *           exchange %q.0 to 0 via 1
 *           %res.1 = loop @res_calc over %edges (read %q.0 via %pecell[0], ...
 *               inc %res.0 via %pecell[0], ...) level=1
 *           %q.1 = loop @update over %cells (write %q, rw %res.1)
 *
 *           The edges run over L_1; what those name of q comes from its owners.
 *           The increments to res are complete on L_0, which is all that update
 *           asks for.
 *
 * Cost      O(arguments + units * buffers), and O(trace) for each exchange.
 *
 * Source    OP2's dirty bits (Mudalige et al. 2013), decided before anything
 *           runs; PyOP2's and SLOPE's aggregated exchanges.
 *
 * Limits    what is added through rows (`for %e in`) counts as right on own
 *           elements only, however far the loop ran; an element of any loop
 *           costs the same; messages to all neighbours go at once; x named
 *           through maps counts as all of the level that has it. One exchange
 *           is for one unit and all after it: two chains that need nothing of
 *           each other wait together.
 */
#include "ir/extent.h"
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

/* A version that is to be exchanged; values change their numbers when nodes are
 * put in, roots and versions don't. */
struct halo_want {
  ir_ref at; /* the node before which */
  ir_ref root;
  uint32_t version;
  struct reach reach;
};

struct halo {
  struct ir_trace *t;
  struct ir_extent x;
  struct reach *right; /* by buffer */
  ir_ref *holds;       /* by buffer: the version there; IR_NONE */
  ir_ref *last;        /* by version: the last node that reads it */
  struct halo_want *wants;
  uint32_t nwants, capwants;
  double latency, byte, element; /* ns */
  double cost;
};

static bool
halo_any_parts(const struct ir_trace *t) {
  for (ir_ref s = 0; s < t->nsets; s++)
    if (t->sets[s].flags & IR_SET_PARTS) return true;
  return false;
}

static ir_ref *
halo_last_readers(const struct ir_trace *t) {
  ir_ref *last = mem_alloc((size_t)t->nvalues + 1, sizeof *last);
  for (ir_ref n = 0; n < t->nnodes; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (t->nodes[n].op != IR_FREE && a->in != IR_NONE)
        last[ir_same(t, a->in)] = n;
    }
  return last;
}

static void
halo_init(struct halo *h, struct ir_trace *t, const struct pass_ctx *c,
          int limit) {
  *h = (struct halo){
      .t = t,
      .x = ir_extent_build(t, limit),
      .right = mem_alloc((size_t)t->nbuffers + 1, sizeof *h->right),
      .holds = mem_alloc((size_t)t->nbuffers + 1, sizeof *h->holds),
      .last = halo_last_readers(t),
      .latency = (double)pass_arg(c, "latency", 0),
      .byte = 1e3 / (double)pass_arg(c, "bandwidth", 1000), /* of MB/s */
      .element = 1e-3 * (double)pass_arg(c, "element", 0)};
  for (ir_ref b = 0; b < t->nbuffers; b++) {
    h->holds[b] = IR_NONE;
    if (t->buffers[b].initial) h->right[b] = t->dats[t->buffers[b].dat].reach;
  }
  for (ir_ref v = 0; v < t->nvalues; v++) {
    ir_ref b = t->values[v].buffer;
    if (t->values[v].def == IR_NONE && b != IR_NONE)
      h->holds[b] = ir_same(t, v);
  }
}

static void
halo_clear(struct halo *h) {
  ir_extent_free(&h->x);
  free(h->right);
  free(h->holds);
  free(h->last);
  free(h->wants);
}

/* ---- costs -------------------------------------------------------------- */

/* Elements of L_level. */
static double
halo_size(const struct halo *h, ir_ref set, int level) {
  assert(set < h->t->nsets && level <= INT8_MAX);
  const struct ir_set *s = &h->t->sets[set];
  int last = (int)s->nlevels - 1, past = level - last;
  if (level < 0) return 0;
  if (past <= 0) return (double)s->levels[level];
  if (last < 2) return (double)s->n;
  double two = (double)(s->levels[last] - s->levels[last - 2]);
  int steps = (past + 1) / 2;
  double n = (double)s->levels[last - past % 2] + steps * two;
  return n < (double)s->n ? n : (double)s->n;
}

static int
halo_level(struct reach r) {
  int named = reach_named(r.via);
  return r.own > named ? r.own : named;
}

/* A version comes from its owners, so far as it is not right. */
static void
halo_pay_version(struct halo *h, ir_ref v, struct reach from, struct reach to) {
  const struct ir_dat *d = &h->t->dats[h->t->values[v].dat];
  double more = halo_size(h, d->set, halo_level(to)) -
                halo_size(h, d->set, halo_level(from));
  h->cost += h->byte * more * (double)d->dim * (double)d->type.size;
}

static void
halo_pay_elements(struct halo *h, const struct ir_node *n) {
  h->cost += h->element *
             (halo_size(h, n->set, (int)n->level) - halo_size(h, n->set, 0));
}

/* ---- exchanges ---------------------------------------------------------- */

static struct reach
halo_need(struct ir_need n) {
  assert(-1 <= n.own && n.own <= INT8_MAX);
  assert(-1 <= n.via && n.via <= INT8_MAX);
  return (struct reach){(int8_t)n.own, (int8_t)n.via};
}

/* A unit: nodes [first, end), which run over L_level. */
struct halo_unit {
  ir_ref first, end;
  int level;
};

/* Is some operand of the unit, from outside of it, not right far enough? */
static bool
halo_lacks(const struct halo *h, const struct halo_unit *u) {
  const struct ir_trace *t = h->t;
  for (ir_ref n = u->first; n < u->end; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      ir_ref b = ir_arg_on_dat(t, a) ? ir_buffer_of(t, a->in) : IR_NONE;
      if (b == IR_NONE) continue;
      ir_ref v = ir_same(t, a->in), def = t->values[v].def;
      if (def != IR_NONE && def >= u->first) continue;
      struct ir_need need = ir_extent_operand(&h->x, t, a, u->level);
      if (!reach_covers(h->right[b], halo_need(need))) return true;
    }
  return false;
}

/* Before the unit all that is not as right as its readers need, of whom some
 * are still to come: what only its writer's unit read may be freed by now. */
static void
halo_exchange(struct halo *h, ir_ref at) {
  struct ir_trace *t = h->t;
  assert(at < t->nnodes);
  h->cost += h->latency;
  for (ir_ref b = 0; b < t->nbuffers; b++) {
    ir_ref v = h->holds[b];
    if (v == IR_NONE || h->last[v] < at) continue;
    struct reach need = halo_need(h->x.need[v]);
    if (reach_covers(h->right[b], need)) continue;
    struct reach to = reach_join(h->right[b], need);
    struct halo_want w = {at, t->values[v].dat, t->values[v].version, to};
    VEC_PUSH(h->wants, h->nwants, h->capwants, w);
    halo_pay_version(h, v, h->right[b], to);
    h->right[b] = to;
  }
}

static void
halo_written(struct halo *h, const struct halo_unit *u) {
  const struct ir_trace *t = h->t;
  for (ir_ref n = u->first; n < u->end; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      ir_ref b = ir_arg_on_dat(t, a) ? ir_buffer_of(t, a->out) : IR_NONE;
      if (b == IR_NONE) continue;
      bool fresh = a->in == IR_NONE;
      bool whole = !a->each && !ir_shows_own_numbers(t, &t->nodes[n]);
      struct reach before =
          h->right[fresh || !ir_arg_direct(a) ? b : ir_buffer_of(t, a->in)];
      if (t->nodes[n].op == IR_COPY)
        h->right[b] = h->right[ir_buffer_of(t, ir_args(t, &t->nodes[n])[0].in)];
      else
        h->right[b] = reach_written(before, whole ? u->level : 0,
                                    !ir_arg_direct(a), fresh);
      h->holds[b] = ir_same(t, a->out);
    }
}

static void
halo_unit(struct halo *h, struct halo_unit u) {
  for (ir_ref n = u.first; n < u.end; n++)
    if (h->x.exec[n] > u.level) u.level = h->x.exec[n];
  assert(0 <= u.level && u.level <= INT8_MAX);
  for (ir_ref n = u.first; n < u.end; n++) {
    if (h->t->nodes[n].op != IR_LOOP) continue;
    h->t->nodes[n].level = (uint32_t)u.level;
    halo_pay_elements(h, &h->t->nodes[n]);
  }
  if (h->t->nodes[u.first].op == IR_LOOP && halo_lacks(h, &u))
    halo_exchange(h, u.first);
  halo_written(h, &u);
}

/* Wants [i, end) of one node as its exchange. */
static void
halo_insert(struct halo *h, uint32_t i, uint32_t end) {
  struct ir_trace *t = h->t;
  assert(i < end && end <= h->nwants);
  struct ir_arg *args = mem_alloc(end - i, sizeof *args);
  for (uint32_t k = i; k < end; k++) {
    const struct halo_want *w = &h->wants[k];
    args[k - i] = (struct ir_arg){.kind = IR_ARG_DAT,
                                  .access = ACC_READ,
                                  .reach = w->reach,
                                  .dat = w->root,
                                  .map = IR_NONE,
                                  .in = ir_find_value(t, w->root, w->version),
                                  .out = IR_NONE};
  }
  pass_insert(t, h->wants[i].at, IR_EXCHANGE, NULL, args, end - i);
  free(args);
}

/* From the last to the first, so that places stay what they are. */
static void
halo_insert_all(struct halo *h) {
  for (uint32_t i = 0; i < h->nwants; i++) {
    const struct halo_want *w = &h->wants[i];
    ir_remark(h->t, "halo: %s comes from its owners for %s",
              pass_value_text(h->t, ir_find_value(h->t, w->root, w->version)),
              pass_node_text(h->t, w->at));
  }
  for (uint32_t end = h->nwants; end > 0;) {
    uint32_t i = end - 1;
    while (i > 0 && h->wants[i - 1].at == h->wants[end - 1].at) i--;
    halo_insert(h, i, end);
    end = i;
  }
}

/* Levels, and what is to be exchanged, with this limit. */
static void
halo_plan(struct halo *h, struct ir_trace *t, const struct pass_ctx *c,
          int limit) {
  halo_init(h, t, c, limit);
  for (ir_ref n = 0; n < t->nnodes;) {
    const struct ir_node *node = &t->nodes[n];
    ir_ref end = ir_unit_end(t, n);
    if (ir_runs(node)) halo_unit(h, (struct halo_unit){n, end, 0});
    n = end;
  }
}

/* The limit that costs least; of several the first. */
static int
halo_cheapest(struct ir_trace *t, const struct pass_ctx *c, int most) {
  double least = 0;
  int best = 0;
  for (int limit = 0; limit <= most; limit++) {
    struct halo h;
    halo_plan(&h, t, c, limit);
    if (!limit || h.cost < least) {
      best = limit;
      least = h.cost;
    }
    halo_clear(&h);
  }
  ir_remark(t, "halo: limit %d costs least of 0 to %d: %.0f ns", best, most,
            least);
  return best;
}

bool
pass_halo(struct ir_trace *t, const struct pass_ctx *c) {
  struct halo h;
  int limit = (int)pass_arg(c, "limit", 0), most = (int)pass_arg(c, "most", 0);
  if (!halo_any_parts(t) || !t->nbuffers) return false;
  if (most > 0) limit = halo_cheapest(t, c, most);
  halo_plan(&h, t, c, limit);
  halo_insert_all(&h);
  halo_clear(&h);
  return true;
}
