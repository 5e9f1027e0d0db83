/* Changing a trace: order, insertion, version numbers.
 *
 * problem  Passes move and drop nodes. Versions count definitions in node
 *          order, so both leave gaps or disorder in them; and increments, which
 *          may swap places, hang together by versions: with
 *              %res.1 = loop @a ( inc %res.0 )
 *              %res.2 = loop @b ( inc %res.1 )
 *          @b cannot stand first as it is written, although it may.
 * idea     1. Cut the versions into *chains*: u, w1, ..., wk, each step made by
 *          one node that only combines (same access, same declaration), each of
 *          w1..w(k-1) wanted by the next step alone. Inside a chain any order
 *          of the nodes gives the same wk. Sort its nodes by their new places
 *          and hand u, w1, ..., wk out again.
 *          2. Put nodes and arguments in the new order.
 *          3. Number the versions by their definitions.
 * example  @b before @a:  %res.1 = loop @b ( inc %res.0 ),
 *                         %res.2 = loop @a ( inc %res.1 )
 * cost     O(args + values), and a sort per chain.
 * limits   A version wanted by somebody else ends a chain, so that increments
 *          never move over a reader; ir_dep says so, too.
 */
#include "ir/inner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- chains of increments ---------------------------------------------- */

/* The one access and declaration by which a node touches a root; false if there
 * are several, or if it does not merely combine: a payload tells the order. */
static bool
combines(const struct ir_trace *t, ir_ref node, ir_ref root,
         struct ir_arg *how_out) {
  const struct ir_node *n = &t->nodes[node];
  const struct ir_arg *a = ir_args(t, n);
  bool found = false;
  for (uint32_t i = 0; i < n->nargs; i++) {
    if (!ir_arg_on(t, &a[i], root)) continue;
    if (!ir_combines(a[i].access) || ir_arg_has_payload(t, n, &a[i]))
      return false;
    if (found && (a[i].access != how_out->access || a[i].dat != how_out->dat))
      return false;
    *how_out = a[i];
    found = true;
  }
  return found;
}

struct chain_step {
  ir_ref node;
  uint32_t place;
};

/* next[v]: the version that the only user of v makes of it by combining, as v
 * itself was made; IR_NONE: v ends its chain. */
static ir_ref *
chain_links(const struct ir_trace *t) {
  ir_ref *next = mem_alloc(t->nvalues, sizeof *next);
  struct ir_uses u = ir_uses_build(t);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    struct ir_arg made, used;
    next[v] = IR_NONE;
    ir_ref root = t->values[v].dat, def = t->values[v].def;
    if (u.start[v + 1] - u.start[v] != 1 || def == IR_NONE) continue;
    ir_ref user = u.users[u.start[v]];
    if (combines(t, def, root, &made) && combines(t, user, root, &used) &&
        made.access == used.access && made.dat == used.dat)
      next[v] = used.out;
  }
  ir_uses_free(&u);
  return next;
}

static int
step_cmp(const void *x, const void *y) {
  const struct chain_step *a = x, *b = y;
  return a->place < b->place ? -1 : a->place > b->place;
}

static void
relink_step(struct ir_trace *t, ir_ref node, ir_ref in, ir_ref out) {
  struct ir_arg *a = ir_args(t, &t->nodes[node]);
  assert(out < t->nvalues && in != out);
  ir_ref root = t->values[out].dat;
  for (uint32_t i = 0; i < t->nodes[node].nargs; i++)
    if (ir_arg_on(t, &a[i], root)) {
      a[i].in = in;
      a[i].out = out;
    }
  t->values[out].def = node;
}

/* What a chain starts from: the version that v's node combined into. */
static ir_ref
chain_base(const struct ir_trace *t, ir_ref v) {
  struct ir_arg how = {.in = IR_NONE};
  bool ok = combines(t, t->values[v].def, t->values[v].dat, &how);
  assert(ok);
  (void)ok;
  return how.in;
}

/* Sort the chain that starts with version v by perm and link it again. */
static void
relink_chain(struct ir_trace *t, const ir_ref *next, ir_ref v,
             const ir_ref *perm) {
  SCOPED struct chain_step *steps = NULL;
  SCOPED ir_ref *versions = NULL;
  uint32_t n = 0, cap = 0, nv = 0, capv = 0;
  ir_ref in = chain_base(t, v);
  bool dropped = false;
  for (ir_ref w = v; w != IR_NONE; w = next[w]) {
    struct chain_step s = {t->values[w].def, perm[t->values[w].def]};
    assert(!(dropped && s.place != IR_NONE)); /* only the tail may go */
    dropped = s.place == IR_NONE;
    if (dropped) continue;
    VEC_PUSH(steps, n, cap, s);
    VEC_PUSH(versions, nv, capv, w);
  }
  if (n) qsort(steps, n, sizeof *steps, step_cmp);
  for (uint32_t i = 0; i < n; i++) {
    relink_step(t, steps[i].node, in, versions[i]);
    in = versions[i];
  }
}

static void
relink_chains(struct ir_trace *t, const ir_ref *perm) {
  SCOPED ir_ref *next = chain_links(t);
  SCOPED bool *inside = mem_alloc(t->nvalues, sizeof *inside);
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (next[v] != IR_NONE) inside[next[v]] = true;
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (next[v] != IR_NONE && !inside[v]) relink_chain(t, next, v, perm);
}

/* ---- versions ---------------------------------------------------------- */

/* Enter value v of the old array as the next version of its root. */
static void
renumber_one(struct ir_trace *t, struct ir_value *values, uint32_t *n,
             ir_ref *moved, ir_ref v, ir_ref def) {
  if (moved[v] != IR_NONE) return;
  assert(*n < t->nvalues);
  struct ir_dat *d = &t->dats[t->values[v].dat];
  values[*n] = t->values[v];
  values[*n].version = d->nvalues++;
  values[*n].def = def;
  d->last = *n;
  moved[v] = (*n)++;
}

static ir_ref
moved_ref(const ir_ref *moved, ir_ref v) {
  if (v == IR_NONE) return IR_NONE;
  assert(moved[v] != IR_NONE); /* a node uses what nobody defines */
  return moved[v];
}

/* Number the versions densely in node order and drop values that nobody
 * defines. Values get new ir_refs. */
static void
renumber(struct ir_trace *t) {
  struct ir_value *values = mem_alloc(t->nvalues, sizeof *values);
  SCOPED ir_ref *moved = mem_alloc(t->nvalues, sizeof *moved);
  uint32_t n = 0;
  for (ir_ref v = 0; v < t->nvalues; v++) moved[v] = IR_NONE;
  for (ir_ref d = 0; d < t->ndats; d++) t->dats[d].nvalues = 0;
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (t->values[v].version == 0)
      renumber_one(t, values, &n, moved, v, IR_NONE);
  for (ir_ref i = 0; i < t->nnodes; i++) {
    struct ir_arg *a = ir_args(t, &t->nodes[i]);
    for (uint32_t k = 0; k < t->nodes[i].nargs; k++)
      if (a[k].out != IR_NONE) renumber_one(t, values, &n, moved, a[k].out, i);
  }
  for (uint32_t i = 0; i < t->nargs; i++) {
    t->args[i].in = moved_ref(moved, t->args[i].in);
    t->args[i].out = moved_ref(moved, t->args[i].out);
  }
  for (uint32_t i = 0; i < t->nholds; i++)
    t->holds[i].value = moved_ref(moved, t->holds[i].value);
  assert(n <= t->nvalues);
  for (ir_ref v = 0; v < n; v++)
    values[v].same = moved_ref(moved, values[v].same);
  free(t->values);
  t->values = values;
  t->nvalues = n;
  t->capvalues = n;
}

/* ---- order ------------------------------------------------------------- */

/* Nodes and their arguments in the order of perm, dropped ones left out. */
static void
permute_nodes(struct ir_trace *t, const ir_ref *perm, uint32_t n_keep) {
  struct ir_node *nodes = mem_alloc(n_keep, sizeof *nodes);
  struct ir_arg *args = mem_alloc(t->nargs, sizeof *args);
  SCOPED bool *taken = mem_alloc(n_keep, sizeof *taken);
  uint32_t nargs = 0, kept = 0;
  for (ir_ref i = 0; i < t->nnodes; i++) {
    if (perm[i] == IR_NONE) continue;
    assert(perm[i] < n_keep && !taken[perm[i]]);
    taken[perm[i]] = true;
    nodes[perm[i]] = t->nodes[i];
    kept++;
  }
  assert(kept == n_keep);
  (void)kept;
  for (ir_ref i = 0; i < n_keep; i++) {
    uint32_t n = nodes[i].nargs;
    if (n) memcpy(args + nargs, t->args + nodes[i].arg0, n * sizeof *args);
    nodes[i].arg0 = nargs;
    nargs += n;
  }
  free(t->nodes);
  free(t->args);
  t->nodes = nodes;
  t->args = args;
  t->capargs = t->nargs;
  t->nargs = nargs;
  t->nnodes = t->capnodes = n_keep;
}

void
ir_reorder(struct ir_trace *t, const ir_ref *perm, uint32_t n_keep) {
  assert(t->nregions == 0);
  relink_chains(t, perm);
  permute_nodes(t, perm, n_keep);
  renumber(t);
}

/* ---- insertion --------------------------------------------------------- */

/* Newest version of the root before position `at`. */
static ir_ref
newest_before(const struct ir_trace *t, ir_ref root, ir_ref at) {
  ir_ref best = IR_NONE;
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_value *x = &t->values[v];
    if (x->dat != root || (x->def != IR_NONE && x->def >= at)) continue;
    if (best == IR_NONE || x->version > t->values[best].version) best = v;
  }
  return best;
}

static void
insert_in(const struct ir_trace *t, struct ir_arg *a, uint32_t n, ir_ref at) {
  for (uint32_t i = 0; i < n; i++) {
    if (!ir_arg_has_value(&a[i])) continue;
    ir_ref root = ir_root(t, a[i].dat);
    bool given = a[i].in < t->nvalues && t->values[a[i].in].dat == root;
    bool needs = access_info[a[i].access].reads ||
                 (a[i].access == ACC_WRITE && !ir_covers(t, a, n, root));
    if (!needs)
      a[i].in = IR_NONE;
    else if (!given)
      a[i].in = newest_before(t, root, at);
  }
}

static void
shift_regions(struct ir_trace *t, ir_ref at) {
  for (ir_ref r = 0; r < t->nregions; r++) {
    struct ir_region *g = &t->regions[r];
    assert(at <= g->first || at >= g->first + g->count);
    if (g->first >= at) g->first++;
  }
}

ir_ref
ir_insert_node(struct ir_trace *t, ir_ref at, struct ir_node n,
               const struct ir_arg *args) {
  assert(at <= t->nnodes);
  ir_ref last = ir_push_node(t, n, args);
  struct ir_arg *a = ir_args(t, &t->nodes[last]);
  for (uint32_t i = 0; i < n.nargs; i++) ir_arg_normalise(t, &a[i]);
  insert_in(t, a, n.nargs, at);
  ir_link_out(t, last);
  SCOPED ir_ref *perm = mem_alloc(t->nnodes, sizeof *perm);
  for (ir_ref i = 0; i < last; i++) perm[i] = i + (i >= at);
  perm[last] = at;
  shift_regions(t, at);
  permute_nodes(t, perm, t->nnodes);
  assert(t->nodes[at].op == n.op && t->nodes[at].nargs == n.nargs);
  renumber(t);
  return at;
}

/* ---- dropping ---------------------------------------------------------- */

/* The version that a node found of a root; only FREE names what it made. */
static void
pass_over(struct ir_trace *t, ir_ref out, ir_ref before) {
  for (ir_ref n = 0; n < t->nnodes; n++)
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
      if (a->in != out) continue;
      assert(t->nodes[n].op == IR_FREE);
      a->in = before;
    }
}

static void
leave_region(struct ir_trace *t, ir_ref n) {
  ir_ref r = t->nodes[n].region;
  bool empty = r != IR_NONE && !--t->regions[r].count;
  if (empty) {
    memmove(t->regions + r, t->regions + r + 1,
            (t->nregions - r - 1) * sizeof *t->regions);
    t->nregions--;
  }
  for (ir_ref k = 0; k < t->nregions; k++)
    if (t->regions[k].first > n) t->regions[k].first--;
  for (ir_ref k = 0; empty && k < t->nnodes; k++)
    if (t->nodes[k].region != IR_NONE && t->nodes[k].region > r)
      t->nodes[k].region--;
}

void
ir_drop_node(struct ir_trace *t, ir_ref n) {
  assert(n < t->nnodes && !t->nholds && !t->nchains);
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
    const struct ir_arg *a = &ir_args(t, &t->nodes[n])[k];
    if (a->out == IR_NONE) continue;
    pass_over(t, a->out, newest_before(t, t->values[a->out].dat, n));
  }
  leave_region(t, n);
  SCOPED ir_ref *perm = mem_alloc(t->nnodes, sizeof *perm);
  for (ir_ref i = 0; i < t->nnodes; i++) perm[i] = i - (i > n);
  perm[n] = IR_NONE;
  permute_nodes(t, perm, t->nnodes - 1);
  renumber(t);
}
