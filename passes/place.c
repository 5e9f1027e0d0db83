/* Place: uploads and downloads where data have to move.
 *
 * Problem   A loop may run on the host or on a device, each with memory of its
 *           own. Moving every operand before every loop is right and ten times
 *           slower than the loops; moving too little computes with stale data.
 *
 * Idea      A buffer is *valid* at some places: where its content was made, and
 *           where it was copied since. Walk the trace with the set of places of
 *           each buffer. At the start they follow from the declarations (`at`,
 *           `both`; the host else). Before a unit (a region, a copy) each
 *           version that it needs and that is not valid where it runs gets a
 *           node: `upload` from the host to a device, `download` from a device
 *           to the host, both from one device to another. A unit that writes a
 *           buffer leaves it valid at its own place alone. What is valid
 *           already moves no more:
 *
 *             state      access            moves       state after
 *             host       read              upload      both
 *             host       full write        -           device
 *             host       update            upload      device
 *             device     any, there        -           device
 *             both       read              -           both
 *             both       any write         -           device
 *             device     read by a host loop   download    both
 *
 *           A WRITE that does not cover the whole set names its old version,
 *           so it counts as an update without a rule of its own here.
 *
 *           A copy runs where its source is: on the host if it is valid there,
 *           else on the device.
 *
 * Example   dat %q : %cells f64 x4              dat %a : %cells f64 at "opencl"
 *           upload %q.0 on "opencl"
 *           region { %r.1 = loop @k (read %q.0, write %r) on "opencl" }
 *           download %r.1 on "opencl"
 *           region { %s.1 = loop @h (read %r.1, write %s) }
 *
 * Cost      O(arguments), and O(trace) for each node put in.
 *
 * Source    the residency of PyOP2's dats, decided here before anything runs;
 *           doc/residency.md has the whole table, with the looks of the host.
 *
 * Limits    data that the trace leaves on a device stay there: a later look
 *           brings them back. One device holds a buffer at a time. Globals live
 *           on the host; a launch takes them along.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

/* Where a buffer's content is valid. */
struct place_state {
  bool host;
  const char *device; /* NULL: on none */
};

struct place {
  struct ir_trace *t;
  struct place_state *at; /* by buffer */
  bool any;               /* a device takes part */
  bool moved;             /* there are moves that are not from here */
};

static void
place_init(struct place *p, struct ir_trace *t) {
  *p = (struct place){.t = t, .at = mem_alloc(t->nbuffers + 1, sizeof *p->at)};
  for (ir_ref b = 0; b < t->nbuffers; b++) {
    const struct ir_dat *d = &t->dats[t->buffers[b].dat];
    if (!t->buffers[b].initial) continue;
    p->at[b].device = d->at;
    p->at[b].host = !d->at || d->flags & IR_DAT_BOTH;
    p->any |= d->at != NULL;
  }
  for (ir_ref n = 0; n < t->nnodes; n++) {
    p->any |= target_is_device(t->nodes[n].target);
    p->moved |= t->nodes[n].op == IR_UPLOAD || t->nodes[n].op == IR_DOWNLOAD;
  }
}

static bool
place_is_valid(const struct place_state *s, const char *device) {
  return device ? target_same(s->device, device) : s->host;
}

/* Put `op` of version v before node `at`. */
static void
place_move(struct place *p, enum ir_op op, ir_ref at, ir_ref v,
           const char *device, ir_ref user) {
  struct ir_trace *t = p->t;
  struct ir_arg arg = {.kind = IR_ARG_DAT,
                       .access = ACC_READ,
                       .dat = t->values[v].dat,
                       .map = IR_NONE,
                       .in = v,
                       .out = IR_NONE};
  assert(op == IR_UPLOAD || op == IR_DOWNLOAD);
  assert(target_is_device(device) && v != IR_NONE && at <= user);
  ir_remark(t, "place: %s %s %s for %s", pass_value_text(t, v),
            op == IR_UPLOAD ? "goes to" : "comes back from", device,
            pass_node_text(t, user));
  pass_insert(t, at, op, device, &arg, 1);
}

/* A unit: nodes [first, first + count), which run on `device`. */
struct place_unit {
  ir_ref first;
  uint32_t count;
  const char *device;
};

/* Operand k of node i of the unit, if it comes from outside; IR_NONE. Putting
 * a node in gives versions other numbers, so nobody keeps them. */
static ir_ref
place_operand(const struct ir_trace *t, const struct place_unit *u, uint32_t i,
              uint32_t k) {
  const struct ir_arg *a = &ir_args(t, &t->nodes[u->first + i])[k];
  if (!ir_arg_on_dat(t, a) || a->in == IR_NONE) return IR_NONE;
  ir_ref def = t->values[ir_same(t, a->in)].def;
  return def == IR_NONE || def < u->first ? a->in : IR_NONE;
}

/* Make that operand valid where the unit runs. */
static void
place_need(struct place *p, struct place_unit *u, uint32_t i, uint32_t k) {
  struct ir_trace *t = p->t;
  ir_ref v = place_operand(t, u, i, k);
  ir_ref b = ir_buffer_of(t, v);
  if (b == IR_NONE || place_is_valid(&p->at[b], u->device)) return;
  struct place_state *s = &p->at[b];
  if (!s->host) {
    if (!s->device) return; /* nothing was ever written there */
    place_move(p, IR_DOWNLOAD, u->first, v, s->device, u->first + i);
    s->host = true;
    u->first++;
    v = place_operand(t, u, i, k);
    assert(v != IR_NONE);
  }
  if (!u->device) return;
  place_move(p, IR_UPLOAD, u->first, v, u->device, u->first + i);
  s->device = u->device;
  u->first++;
}

static void
place_written(struct place *p, ir_ref n, const char *device) {
  const struct ir_trace *t = p->t;
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
    const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
    if (!ir_arg_on_dat(t, a) || a->out == IR_NONE) continue;
    ir_ref b = ir_buffer_of(t, a->out);
    if (b != IR_NONE) p->at[b] = (struct place_state){!device, device};
  }
}

/* Returns the unit's end, behind what was put in. */
static ir_ref
place_unit(struct place *p, struct place_unit u) {
  assert(u.count > 0 && u.first + u.count <= p->t->nnodes);
  for (uint32_t i = 0; i < u.count; i++)
    for (uint32_t k = 0; k < p->t->nodes[u.first + i].nargs; k++)
      place_need(p, &u, i, k);
  for (uint32_t i = 0; i < u.count; i++)
    place_written(p, u.first + i, u.device);
  return u.first + u.count;
}

static const char *
place_of_copy(const struct place *p, ir_ref n) {
  const struct ir_trace *t = p->t;
  ir_ref b = ir_buffer_of(t, ir_args(t, &t->nodes[n])[0].in);
  return b == IR_NONE || p->at[b].host ? NULL : p->at[b].device;
}

bool
pass_place(struct ir_trace *t, const struct pass_ctx *c) {
  (void)c;
  struct place p;
  place_init(&p, t);
  for (ir_ref n = 0; p.any && t->nbuffers && n < t->nnodes;) {
    struct ir_node *node = &t->nodes[n];
    ir_ref end = ir_unit_end(t, n);
    if (node->op == IR_COPY) node->target = place_of_copy(&p, n);
    const char *device = target_is_device(node->target) ? node->target : NULL;
    if (ir_runs(node))
      end = place_unit(&p, (struct place_unit){n, end - n, device});
    n = end;
  }
  free(p.at);
  t->placed = t->nbuffers && !p.moved; /* without buffers nothing was done */
  return t->nbuffers > 0;
}
