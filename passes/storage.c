/* Storage: give each version a buffer.
 *
 * Problem   Versions are free on paper; memory is not. A loop that writes q
 *           should write into the array that holds q, as the program would have
 *           done, but only if nobody still needs what stands there: the second
 *           name that pass rename gave it, a pending loop, the host.
 *
 * Idea      Versions that are `same` form a *class*: one content, one buffer. A
 *           class is wanted up to its last reader; to the end of the trace if
 *           it is live, fetched, read by a pending node, or the present content
 *           of a dat that the trace leaves alone. Walk the trace region by
 *           region. A node that defines a new version of dat d finds d's
 *           present buffer and goes
 *             in place     if the old class ends here;
 *             elsewhere    if it covers all of d, or updates all of it, each
 *                          element by itself: into a dead buffer of d's shape,
 *                          or a fresh one;
 *             with a copy  else: `%q.2 = copy read %q.1, write %q` is put
 *                          before the region, and the node works in place.
 *           A buffer is dead once its class is past and no dat will come back
 *           to it for its next version. Then any version of that shape may have
 *           it, so that freed temporaries make room for later ones, and
 *           save/update time steppers swap two buffers for ever.
 *
 *           "Ends here" inside a region: an element loads all it needs before
 *           it stores anything, so readers of the old content at the same
 *           element are no obstacle; of one dat, those through a map are where
 *           the write is not by the same entry (pass inline makes such
 *           regions). Under another name of the class, a read through a map, or
 *           a write through one, is an obstacle.
 *
 * Example   %qold.1 = alias read %q.0, write %qold      buffer 0: q.0 qold.1
 *           %q.1 = loop @update (read %qold.1, write %q)
 *           live %q.1, %qold.1
 *           %q.1 goes to buffer 1, which was qold's, for qold.1 outlives it.
 *
 * Cost      O(nodes + arguments + values), one look-up per fresh buffer; twice
 *           that, and one reordering, if copies are needed. A version whose old
 *           content is read in its own region looks at all arguments there.
 *
 * Source    register allocation with interference read off last uses (linear
 *           scan, Poletto and Sarkar 1999); copies as in out-of-SSA
 *           translation.
 *
 * Limits    buffers of one shape (set, type, dim, layout) only; the first dead
 *           one is taken. Pinned memory and overlapping storages are always
 *           worked on in place: all their versions have the initial buffer.
 *           Globals need none. A temporary's zeros get memory only if somebody
 *           reads them. Option `reuse=0`: dead buffers are not given to other
 *           dats.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STORAGE_END = INT32_MAX }; /* wanted after the trace */

struct storage_buffer {
  ir_ref dat; /* its shape; the owner if initial */
  bool initial;
  bool fixed;      /* pinned or overlapping: never given away */
  ir_ref occupant; /* class that lies in it */
  ir_ref next;     /* in a list of dead buffers */
};

/* What is known of a class; indexed by the version that names it. */
struct storage_class {
  int32_t last;   /* unit of the last reader; 0: never read */
  ir_ref user;    /* a node there, for remarks */
  ir_ref buffer;  /* IR_NONE: no memory needed so far */
  uint32_t homes; /* dats that hold it and come back for their next version */
  bool dead;      /* last reader is past */
  ir_ref next_dying; /* in the list of a unit */
};

/* The root has to be copied before the region of this node. */
struct storage_copy {
  ir_ref node, root;
};

struct storage {
  struct ir_trace *t;
  bool reuse;
  int32_t nunits;
  const int32_t *unit_of; /* ir_units_build */
  struct storage_class *classes;
  struct storage_buffer *buffers;
  uint32_t nbuffers, capbuffers;
  ir_ref *current; /* per root: its version at this point of the walk */
  ir_ref *after;   /* per version: the next one of its root, by a kept node */
  ir_ref *dying;   /* per unit: classes that end there */
  struct table shapes; /* shape -> head of the list of dead buffers, plus 1 */
  const bool *overlaps;
  bool *freed;
  struct storage_copy *copies; /* by node */
  uint32_t ncopies, capcopies;
};

/* ---- what is wanted, and until when -------------------------------------- */

static bool
storage_fixed(const struct storage *s, ir_ref root) {
  return s->overlaps[root] || s->t->dats[root].flags & IR_DAT_PINNED;
}

static void
storage_want(struct storage *s, ir_ref v, int32_t until, ir_ref user) {
  struct storage_class *c = &s->classes[ir_same(s->t, v)];
  if (until < c->last) return;
  c->last = until;
  c->user = user;
}

/* Operands of node n. An ALIAS and a FREE read no data. */
static void
storage_want_operands(struct storage *s, ir_ref i) {
  const struct ir_trace *t = s->t;
  const struct ir_node *n = &t->nodes[i];
  if (!ir_deferred(n) && !ir_reads_data(n)) return;
  bool end = ir_deferred(n) || ir_op_info[n->op].root;
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (!ir_arg_on_dat(t, a) || a->in == IR_NONE) continue;
    ir_ref def = t->values[a->in].def;
    if (def != IR_NONE && ir_deferred(&t->nodes[def])) continue;
    storage_want(s, a->in, end ? STORAGE_END : s->unit_of[i], i);
  }
}

/* Link each version to the next of its root; what a dat holds that no kept node
 * writes or frees can be looked at after the trace. */
static void
storage_chain(struct storage *s) {
  struct ir_trace *t = s->t;
  ir_ref *current = mem_alloc(t->ndats + 1, sizeof *current);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    s->after[v] = IR_NONE;
    if (t->values[v].def == IR_NONE) current[t->values[v].dat] = v;
  }
  memcpy(s->current, current, t->ndats * sizeof *current);
  for (ir_ref i = 0; i < t->nnodes; i++) {
    const struct ir_node *n = &t->nodes[i];
    const struct ir_arg *a = ir_args(t, n);
    if (n->op == IR_FREE && !ir_deferred(n))
      s->freed[ir_root(t, a->dat)] = true;
    for (uint32_t k = 0; k < n->nargs && !ir_deferred(n); k++) {
      if (!ir_arg_on_dat(t, &a[k]) || a[k].out == IR_NONE) continue;
      ir_ref *v = &current[ir_root(t, a[k].dat)];
      if (*v != a[k].out) s->after[*v] = a[k].out;
      *v = a[k].out;
    }
  }
  for (ir_ref d = 0; d < t->ndats; d++) {
    if (t->dats[d].kind != IR_DAT || ir_root(t, d) != d || s->freed[d])
      continue;
    if (current[d] == s->current[d])
      storage_want(s, current[d], STORAGE_END, IR_NONE);
  }
  free(current);
}

/* Is the dat's next version one that may take over this version's buffer? */
static bool
storage_comes_back(const struct storage *s, ir_ref v) {
  ir_ref next = s->after[v];
  if (next == IR_NONE) return false;
  ir_ref def = s->t->values[next].def;
  return s->t->nodes[def].op != IR_ALIAS;
}

/* ---- buffers ------------------------------------------------------------- */

static ir_ref
storage_new_buffer(struct storage *s, ir_ref dat, bool initial) {
  struct storage_buffer b = {
      .dat = dat, .initial = initial, .occupant = IR_NONE, .next = IR_NONE};
  VEC_PUSH(s->buffers, s->nbuffers, s->capbuffers, b);
  return s->nbuffers - 1;
}

static uintptr_t *
storage_dead_list(struct storage *s, ir_ref dat) {
  const struct ir_dat *d = &s->t->dats[dat];
  uint32_t key[] = {d->set, d->type.kind, d->type.size,
                    d->dim, d->block,     d->device};
  return table_slot(&s->shapes, key, sizeof key);
}

/* Give class c's buffer away if nobody will miss it. */
static void
storage_release(struct storage *s, ir_ref c) {
  const struct storage_class *x = &s->classes[c];
  if (!s->reuse || !x->dead || x->homes || x->buffer == IR_NONE) return;
  struct storage_buffer *b = &s->buffers[x->buffer];
  if (b->fixed || b->occupant != c) return;
  uintptr_t *head = storage_dead_list(s, b->dat);
  b->occupant = IR_NONE;
  b->next = *head ? (ir_ref)(*head - 1) : IR_NONE;
  *head = (uintptr_t)x->buffer + 1;
}

static ir_ref
storage_take_buffer(struct storage *s, ir_ref dat, bool *again_out) {
  uintptr_t *head = storage_dead_list(s, dat);
  *again_out = *head != 0;
  if (!*head) return storage_new_buffer(s, dat, false);
  ir_ref b = (ir_ref)(*head - 1);
  *head = s->buffers[b].next == IR_NONE ? 0 : (uintptr_t)s->buffers[b].next + 1;
  return b;
}

/* Memory of an initial version: always there for what the program holds, only
 * at need for a temporary. */
static void
storage_initial(struct storage *s, ir_ref v) {
  struct ir_trace *t = s->t;
  ir_ref dat = t->values[v].dat, c = ir_same(t, v);
  struct storage_class *x = &s->classes[c];
  bool fixed = storage_fixed(s, dat);
  bool unread = t->dats[dat].flags & IR_DAT_TEMP && !x->last && !fixed;
  if (x->buffer == IR_NONE && !unread) {
    x->buffer = storage_new_buffer(s, t->values[c].dat, true);
    s->buffers[x->buffer].occupant = c;
  }
  if (x->buffer != IR_NONE) s->buffers[x->buffer].fixed |= fixed;
  x->homes += storage_comes_back(s, v);
}

/* ---- where a new version goes -------------------------------------------- */

/* Do the members of region n..end work on class c at the same element only? An
 * opaque kernel works on the arrays themselves, so that two names collide. */
static bool
storage_same_element(const struct storage *s, ir_ref n, ir_ref root, ir_ref c) {
  const struct ir_trace *t = s->t;
  bool other = false, moves = false, far = false;
  ir_ref def = n;
  for (ir_ref i = n; i-- > 0 && s->unit_of[i] == s->unit_of[n];) n = i;
  for (ir_ref i = n; i < t->nnodes && s->unit_of[i] == s->unit_of[n]; i++) {
    const struct ir_node *x = &t->nodes[i];
    bool opaque =
        x->op != IR_LOOP || t->kernels[x->kernel].flags & IR_KERNEL_OPAQUE;
    for (uint32_t k = 0; k < x->nargs; k++) {
      const struct ir_arg *a = &ir_args(t, x)[k];
      if (!ir_arg_on_dat(t, a)) continue;
      bool mine = ir_root(t, a->dat) == root;
      bool reads = a->in != IR_NONE && ir_same(t, a->in) == c;
      other |= reads && !mine;
      far |= reads && mine && i != def && a->access == ACC_READ &&
             !ir_arg_direct(a) && !ir_arg_in_column(t, a) &&
             !ir_writes_beside(t, &t->nodes[def], a);
      moves |= (reads && !mine && !ir_arg_direct(a)) ||
               (mine && ir_arg_writes(a) && !ir_arg_direct(a)) ||
               (reads && !mine && opaque);
    }
  }
  return !far && (!other || !moves);
}

static bool
storage_in_place(const struct storage *s, ir_ref n, ir_ref root, ir_ref old) {
  ir_ref c = ir_same(s->t, old);
  const struct storage_class *x = &s->classes[c];
  if (x->buffer == IR_NONE || s->buffers[x->buffer].occupant != c) return false;
  if (s->buffers[x->buffer].fixed) return true;
  if (x->last > s->unit_of[n]) return false;
  if (x->last < s->unit_of[n]) return true;
  return storage_same_element(s, n, root, c);
}

/* Does the node need the old content of this root in the new one's memory? Not
 * where each element reads its own and writes it anew. */
static bool
storage_keeps_old(const struct ir_trace *t, const struct ir_node *n,
                  ir_ref root) {
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (ir_arg_writes(a) && ir_root(t, a->dat) == root && a->in != IR_NONE &&
        !ir_updates_all(t, n, a))
      return true;
  }
  return false;
}

static const char *
storage_who(const struct storage *s, ir_ref old) {
  const struct storage_class *x = &s->classes[ir_same(s->t, old)];
  if (x->last < STORAGE_END)
    return arena_printf(&s->t->arena, "by %s", pass_node_text(s->t, x->user));
  if (x->user != IR_NONE && ir_deferred(&s->t->nodes[x->user]))
    return "by a pending loop";
  return "after the trace";
}

/* A buffer for version v of which nothing old is kept. */
static ir_ref
storage_elsewhere(struct storage *s, ir_ref v, ir_ref old) {
  struct ir_trace *t = s->t;
  bool again;
  ir_ref b = storage_take_buffer(s, t->values[v].dat, &again);
  const char *how = again ? "a dead buffer" : "a buffer of its own";
  const struct storage_class *x = &s->classes[ir_same(t, old)];
  if (x->buffer == IR_NONE || x->dead)
    ir_remark(t, "storage: %s gets %s", pass_value_text(t, v), how);
  else
    ir_remark(t, "storage: %s gets %s: %s is wanted %s", pass_value_text(t, v),
              how, pass_value_text(t, old), storage_who(s, old));
  return b;
}

static bool
storage_copies_self(const struct ir_trace *t, const struct ir_node *n,
                    ir_ref c) {
  return n->op == IR_COPY && ir_same(t, ir_args(t, n)->in) == c;
}

/* Version v, defined by node i, follows `old`. */
static void
storage_place(struct storage *s, ir_ref i, ir_ref v, ir_ref old) {
  struct ir_trace *t = s->t;
  const struct ir_node *n = &t->nodes[i];
  ir_ref root = t->values[v].dat, c = ir_same(t, old);
  struct storage_class *x = &s->classes[v];
  bool in_place =
      !storage_copies_self(t, n, c) && storage_in_place(s, i, root, old);
  if (in_place) {
    x->buffer = s->classes[c].buffer;
  } else {
    struct storage_copy copy = {i, root};
    if (storage_keeps_old(t, n, root))
      VEC_PUSH(s->copies, s->ncopies, s->capcopies, copy);
    x->buffer = storage_elsewhere(s, v, old);
  }
  s->buffers[x->buffer].occupant = v;
}

/* The root leaves version `old` for v. */
static void
storage_advance(struct storage *s, ir_ref v, ir_ref old) {
  struct ir_trace *t = s->t;
  ir_ref c = ir_same(t, old);
  s->current[t->values[v].dat] = v;
  s->classes[ir_same(t, v)].homes += storage_comes_back(s, v);
  if (!storage_comes_back(s, old)) return;
  assert(s->classes[c].homes > 0);
  s->classes[c].homes--;
  storage_release(s, c);
}

/* ---- the walk ------------------------------------------------------------ */

static void
storage_node(struct storage *s, ir_ref i) {
  struct ir_trace *t = s->t;
  const struct ir_node *n = &t->nodes[i];
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (!ir_arg_on_dat(t, a) || a->out == IR_NONE) continue;
    ir_ref old = s->current[ir_root(t, a->dat)];
    if (old == a->out) continue; /* several arguments define it */
    if (n->op != IR_ALIAS) storage_place(s, i, a->out, old);
    storage_advance(s, a->out, old);
  }
}

/* Classes whose last reader, or definition if there is none, is in this
 * unit. */
static void
storage_bury(struct storage *s, int32_t unit) {
  for (ir_ref c = s->dying[unit]; c != IR_NONE; c = s->classes[c].next_dying) {
    s->classes[c].dead = true;
    storage_release(s, c);
  }
}

static void
storage_list_dying(struct storage *s) {
  const struct ir_trace *t = s->t;
  for (int32_t u = 0; u <= s->nunits; u++) s->dying[u] = IR_NONE;
  for (ir_ref v = t->nvalues; v-- > 0;) {
    struct storage_class *c = &s->classes[v];
    ir_ref def = t->values[v].def;
    if (ir_same(t, v) != v || t->dats[t->values[v].dat].kind != IR_DAT)
      continue;
    if (def != IR_NONE && ir_deferred(&t->nodes[def])) continue;
    int32_t unit = def == IR_NONE ? 0 : s->unit_of[def];
    if (c->last > unit) unit = c->last;
    if (unit == STORAGE_END) continue;
    c->next_dying = s->dying[unit];
    s->dying[unit] = v;
  }
}

static void
storage_walk(struct storage *s) {
  const struct ir_trace *t = s->t;
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (t->values[v].def == IR_NONE && t->dats[t->values[v].dat].kind == IR_DAT)
      storage_initial(s, v);
  storage_bury(s, 0);
  for (ir_ref i = 0; i < t->nnodes; i++) {
    if (!s->unit_of[i]) continue;
    storage_node(s, i);
    bool last = i + 1 == t->nnodes || s->unit_of[i + 1] != s->unit_of[i];
    if (last) storage_bury(s, s->unit_of[i]);
  }
}

/* ---- results ------------------------------------------------------------- */

/* Note the buffers in the trace. A buffer that no kept node touches costs
 * nothing further down; it says where a dat's content lies. */
static void
storage_write(struct storage *s) {
  struct ir_trace *t = s->t;
  for (ir_ref b = 0; b < s->nbuffers; b++) {
    struct ir_buffer buffer = {s->buffers[b].dat, s->buffers[b].initial};
    VEC_PUSH(t->buffers, t->nbuffers, t->capbuffers, buffer);
  }
  for (ir_ref v = 0; v < t->nvalues; v++) {
    ir_ref def = t->values[v].def;
    if (def == IR_NONE || !ir_deferred(&t->nodes[def]))
      t->values[v].buffer = s->classes[ir_same(t, v)].buffer;
  }
}

/* Append the copies, then move each before the region of its node. */
static void
storage_insert_copies(struct storage *s) {
  struct ir_trace *t = s->t;
  ir_ref nnodes = t->nnodes, at = 0;
  ir_ref *perm = mem_alloc(nnodes + s->ncopies + 1, sizeof *perm);
  for (uint32_t k = 0; k < s->ncopies; k++) {
    struct ir_arg dat = {.kind = IR_ARG_DAT,
                         .access = ACC_READ,
                         .dat = s->copies[k].root,
                         .map = IR_NONE,
                         .in = IR_NONE,
                         .out = IR_NONE};
    struct ir_arg args[2] = {dat, dat};
    args[1].access = ACC_WRITE;
    ir_add_node(
        t,
        (struct ir_node){
            .op = IR_COPY, .kernel = IR_NONE, .set = IR_NONE, .nargs = 2},
        args);
  }
  struct ir_region *regions = t->regions;
  uint32_t nregions = t->nregions, k = 0;
  t->nregions = 0; /* out of sight of the reordering, which keeps them whole */
  for (ir_ref i = 0; i < nnodes; i++) {
    while (k < s->ncopies && s->unit_of[s->copies[k].node] == s->unit_of[i])
      perm[nnodes + k++] = at++;
    ir_ref r = t->nodes[i].region;
    bool first = r != IR_NONE && (!i || t->nodes[i - 1].region != r);
    if (first) regions[r].first = at;
    perm[i] = at++;
  }
  assert(k == s->ncopies && at == t->nnodes);
  pass_reorder(t, perm, t->nnodes);
  t->nregions = nregions;
  free(perm);
}

static void
storage_init(struct storage *s, struct ir_trace *t, const struct pass_ctx *c,
             const int32_t *unit_of, int32_t nunits) {
  *s = (struct storage){.t = t,
                        .reuse = pass_arg(c, "reuse", 1),
                        .overlaps = c->overlaps,
                        .unit_of = unit_of,
                        .nunits = nunits};
  s->classes = mem_alloc(t->nvalues + 1, sizeof *s->classes);
  s->current = mem_alloc(t->ndats + 1, sizeof *s->current);
  s->after = mem_alloc(t->nvalues + 1, sizeof *s->after);
  s->freed = mem_alloc(t->ndats + 1, sizeof *s->freed);
  for (ir_ref v = 0; v < t->nvalues; v++)
    s->classes[v].buffer = s->classes[v].user = IR_NONE;
  s->dying = mem_alloc((size_t)s->nunits + 1, sizeof *s->dying);
  storage_chain(s);
  for (ir_ref i = 0; i < t->nnodes; i++) storage_want_operands(s, i);
  storage_list_dying(s);
}

static void
storage_clear(struct storage *s) {
  free(s->classes), free(s->buffers), free(s->current);
  free(s->after), free(s->dying), free(s->freed);
  free(s->copies);
  table_clear(&s->shapes);
}

bool
pass_storage(struct ir_trace *t, const struct pass_ctx *c) {
  uint32_t remarks = t->nremarks;
  struct storage s;
  int32_t *units = NULL, n;
  storage_init(&s, t, c, c->unit_of, c->nunits);
  storage_walk(&s);
  if (s.ncopies) { /* once more, with the copies in the trace */
    t->nremarks = remarks;
    storage_insert_copies(&s);
    storage_clear(&s);
    units = ir_units_build(t, &n);
    storage_init(&s, t, c, units, n);
    storage_walk(&s);
    assert(!s.ncopies);
  }
  storage_write(&s);
  storage_clear(&s);
  free(units);
  return t->nbuffers > 0;
}
