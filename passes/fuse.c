/* Fuse: put loops over the same set into one region.
 *
 * Problem   Each loop alone reads its dats from memory and writes them back.
 *           Two loops over the same cells that share dats could load them once,
 *           keep what passes between them in registers, and start once.
 *
 * Idea      A region runs kernel after kernel on one element before it goes to
 *           the next. That is the same as loop after loop if, for everything
 *           that two members share, no member waits for another *element*: they
 *           touch the shared dat at the same element only (both without a map,
 *           or by one entry of an injective map), or both only increment it, or
 *           both only read it. A global is shared in peace if both read it or
 *           both reduce it by the same operation; one that reads what another
 *           reduces needs all elements first.
 *
 *           Members must be neighbours in the order of execution. A loop may
 *           move up to an earlier region if nothing that it depends on stands
 *           behind that region. For each dat and each kind of access the last
 *           place that made it is kept; the latest one that does not commute
 *           with an access of the loop (base/access.def) is its barrier.
 *           Regions behind or at the barrier are candidates, the nearest that
 *           shares a dat wins, else the nearest at all.
 *
 *           A global that takes a value between two loops (SET: a sum that
 *           starts anew) would keep them apart, though neither of them minds.
 *           So it takes its value as early as it may: behind the last node that
 *           touches it, or that has side effects.
 *
 *           Two names of one version (ALIAS) need no rule: a reader of the old
 *           data under one name, beside a full write to the other, is right
 *           since pass storage gives the write another buffer.
 *
 *           Loops over rows that stay in the element's column (scans) may share
 *           what lies in it: the one has gone through it when the next does.
 *
 *           On processors a loop with a payload goes element by element, since
 *           its extreme shows what came before, and takes a whole region with
 *           it: so it stays alone. Airfoil's update with the largest change and
 *           its cell, 720 000 cells, 1.6 ms apart from adt_calc's 1.8, took 8.5
 *           with it (one thread of a Zen 5).
 *
 *           What a loop over rows reads of other elements (pass gather) a later
 *           one may write anew, since that too gets another buffer.
 *
 * Example   %q.1 = loop @update over %cells (write %q)
 *           %adt.1 = loop @adt_calc over %cells (read %q.1, write %adt)
 *               one region: q at the same element
 *           %res.1 = loop @res_calc over %edges (read %q.1 via %pecell[0], ...)
 *               alone: another set
 *           %s.1 = loop @smooth over %cells (read %q.1 via %nb[0], write %s)
 *               not with @update: q is written directly and read through %nb
 *
 * Cost      O(arguments * accesses) for barriers; each loop is compared with at
 *           most `look` regions of at most `args` arguments.
 *
 * Source    greedy typed fusion: Kennedy and McKinley, Maximizing loop
 *           parallelism and improving data locality via loop fusion and
 *           distribution, 1993; what is legal on unstructured meshes: Luporini
 *           et al. on SLOPE, 2018.
 *
 * Limits    loops move up, regions don't move down. Greedy: the first fit may
 *           keep a better one out. Kernels with side effects, opaque kernels,
 *           serial loops and loops on overlapping storage stay alone. Options:
 *           `max` loops and `args` arguments of a region, `look` candidates;
 *           `mixed`: payloads go with others.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

/* What becomes a region (a chain of loops), or one other node. `prev` links
 * regions over one set, latest first. Units are counted from 1: 0 is none. */
struct fuse_unit {
  ir_ref head, tail; /* nodes; next[] leads from one to the other */
  ir_ref set;        /* IR_NONE: not a loop */
  uint32_t count, nargs;
  uint32_t prev;
  bool alone; /* nothing may join */
};

/* Latest unit that made some access to some root, and the node. */
struct fuse_last {
  uint32_t unit;
  ir_ref node;
};

struct fuse {
  struct ir_trace *t;
  struct fuse_unit *units; /* [1, nunits] */
  uint32_t nunits;
  ir_ref *next;
  uint32_t *of_set;       /* latest unit over each set */
  struct fuse_last *last; /* [root * ACC_COUNT + access] */
  uint32_t effects;       /* latest unit with side effects */
  const bool *overlaps;
  bool *told; /* per node: a remark says why it did not join */
  long max, args, look;
  bool mixed; /* payloads may keep others from vectors */
};

/* ---- globals that take a value ------------------------------------------- */

/* The last node before n that SET n has to stand behind; IR_NONE: none. */
static ir_ref
set_behind(const struct ir_trace *t, ir_ref n) {
  for (ir_ref k = n; k-- > 0;)
    if (ir_dep(t, k, n, NULL)) return k;
  return IR_NONE;
}

/* Each SET goes up to there, but for those that stay pending, whose order is
 * the program's. */
static bool
sets_go_up(struct ir_trace *t) {
  SCOPED ir_ref *after = mem_alloc(t->nnodes + 1, sizeof *after);
  SCOPED ir_ref *perm = mem_alloc(t->nnodes + 1, sizeof *perm);
  ir_ref *first = &after[t->nnodes], last = IR_NONE, at = 0;
  bool moves = false;
  *first = IR_NONE;
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_node *node = &t->nodes[n];
    bool goes = node->op == IR_SET && !ir_deferred(node);
    ir_ref behind = goes ? set_behind(t, n) : last;
    ir_ref *link = behind == IR_NONE ? first : &after[behind];
    after[n] = *link;
    *link = n;
    moves |= behind != last;
    if (behind == last) last = n;
  }
  for (ir_ref n = *first; n != IR_NONE; n = after[n]) perm[n] = at++;
  assert(at == t->nnodes);
  if (!moves) return false;
  pass_check_order(t, perm);
  pass_reorder(t, perm, t->nnodes);
  return true;
}

/* ---- what may stand side by side ----------------------------------------- */

static bool
fuse_has_info(const struct ir_trace *t, const struct ir_node *n) {
  for (uint32_t a = 0; a < n->nargs; a++)
    if (ir_args(t, n)[a].kind == IR_ARG_INFO) return true;
  return false;
}

/* Why the loop is never part of a region of several; NULL: it may be. */
static const char *
fuse_why_alone(const struct fuse *f, const struct ir_node *n) {
  const struct ir_trace *t = f->t;
  uint32_t flags = t->kernels[n->kernel].flags;
  if (flags & IR_KERNEL_EFFECTS) return "its kernel has side effects";
  if (flags & IR_KERNEL_OPAQUE) return "its kernel has no IR";
  if (n->flags & IR_NODE_SERIAL) return "it runs in element order";
  if (n->flags & IR_NODE_APART) return "it is known to be faster alone";
  if (ir_shows_own_numbers(t, n))
    return "copies of its elements have other numbers on other ranks";
  for (uint32_t a = 0; a < n->nargs; a++) {
    const struct ir_arg *arg = &ir_args(t, n)[a];
    if (ir_arg_has_value(arg) && f->overlaps[ir_root(t, arg->dat)])
      return "several dats share the memory it works on";
  }
  return NULL;
}

/* Two arguments on one root: do the loops agree at every element? */
static bool
fuse_args_agree(const struct ir_trace *t, const struct ir_arg *a,
                const struct ir_arg *b, bool info) {
  if (a->kind == IR_ARG_INFO || b->kind == IR_ARG_INFO) return false;
  if (ir_args_combine(a, b))
    return !info || a->kind != IR_ARG_GBL || a->access == ACC_READ;
  return ir_args_beside(t, a, b);
}

static const char *
fuse_does(const struct ir_arg *a) {
  static const char *const words[ACC_COUNT] = {
      [ACC_READ] = "read",     [ACC_WRITE] = "written",
      [ACC_RW] = "updated",    [ACC_INC] = "incremented",
      [ACC_MIN] = "minimised", [ACC_MAX] = "maximised",
      [ACC_WORK] = "worked on"};
  return words[a->access];
}

static const char *
fuse_where(struct ir_trace *t, const struct ir_arg *a) {
  if (a->kind != IR_ARG_DAT) return "";
  if (ir_arg_direct(a)) return " directly";
  return arena_printf(&t->arena, " via %%%s", t->maps[ir_arg_through(a)].name);
}

/* "%q.1 is written directly and read via %pcell" */
static const char *
fuse_conflict_text(struct ir_trace *t, const struct ir_arg *a,
                   const struct ir_arg *b) {
  ir_ref v = a->out != IR_NONE ? a->out : a->in;
  if (a->kind == IR_ARG_GBL && a->access == b->access)
    return arena_printf(&t->arena, "%s carries a payload",
                        pass_value_text(t, v));
  return arena_printf(&t->arena, "%s is %s%s and %s%s", pass_value_text(t, v),
                      fuse_does(a), fuse_where(t, a), fuse_does(b),
                      fuse_where(t, b));
}

/* The first pair of arguments of m (node `at`, earlier) and n that forbids one
 * region; the text in *why_out. *shares_out is set if they share a root. */
static bool
fuse_nodes_agree(struct ir_trace *t, ir_ref at, const struct ir_node *n,
                 bool *shares_out, const char **why_out) {
  const struct ir_node *m = &t->nodes[at];
  const struct ir_arg *a = ir_args(t, m), *b = ir_args(t, n);
  bool info_m = fuse_has_info(t, m), info_n = fuse_has_info(t, n);
  if (info_m && info_n) return *why_out = "both carry a payload", false;
  for (uint32_t i = 0; i < m->nargs; i++)
    for (uint32_t j = 0; j < n->nargs && ir_arg_has_value(&a[i]); j++) {
      if (!ir_arg_has_value(&b[j]) ||
          ir_root(t, a[i].dat) != ir_root(t, b[j].dat))
        continue;
      *shares_out = true;
      if (fuse_args_agree(t, &a[i], &b[j], info_m || info_n) ||
          ir_arg_written_beside(t, at, &a[i], &b[j]))
        continue;
      return *why_out = fuse_conflict_text(t, &a[i], &b[j]), false;
    }
  return true;
}

/* May node i join unit u? If not, the reason is in *why_out. */
static bool
fuse_fits(struct fuse *f, uint32_t u, ir_ref i, bool *shares_out,
          const char **why_out) {
  struct ir_trace *t = f->t;
  assert(0 < u && u <= f->nunits && t->nodes[i].set == f->units[u].set);
  const struct fuse_unit *unit = &f->units[u];
  const struct ir_node *n = &t->nodes[i];
  *shares_out = false;
  if (unit->alone)
    return *why_out = fuse_why_alone(f, &t->nodes[unit->head]), false;
  if (!target_same(t->nodes[unit->head].target, n->target))
    return *why_out = "they run on different targets", false;
  if (unit->count >= f->max) return *why_out = "the region is full", false;
  if (unit->nargs + n->nargs > f->args)
    return *why_out = "the region has too many arguments", false;
  if (!f->mixed && !target_is_device(n->target) &&
      fuse_has_info(t, n) != fuse_has_info(t, &t->nodes[unit->head]))
    return *why_out = "a payload keeps its loop from vectors", false;
  for (ir_ref m = unit->head; m != IR_NONE; m = f->next[m])
    if (!fuse_nodes_agree(t, m, n, shares_out, why_out)) return false;
  return true;
}

/* ---- what must stay behind what ------------------------------------------ */

/* As what access an argument counts: a FREE lets nothing pass, and a payload is
 * that of the running value. */
static enum access
fuse_access(const struct ir_trace *t, const struct ir_node *n,
            const struct ir_arg *a) {
  bool alone = n->op == IR_FREE || ir_arg_has_payload(t, n, a);
  return alone ? ACC_RW : (enum access)a->access;
}

/* Latest unit that node i must not stand before; *why_out the node there and
 * *arg_out the argument of i that depends on it. */
static uint32_t
fuse_barrier(const struct fuse *f, ir_ref i, ir_ref *why_out,
             const struct ir_arg **arg_out) {
  const struct ir_trace *t = f->t;
  const struct ir_node *n = &t->nodes[i];
  uint32_t unit = f->effects;
  *why_out = unit ? f->units[unit].head : IR_NONE;
  *arg_out = NULL;
  for (uint32_t a = 0; a < n->nargs; a++) {
    const struct ir_arg *arg = &ir_args(t, n)[a];
    if (!ir_arg_has_value(arg)) continue;
    enum access x = fuse_access(t, n, arg);
    const struct fuse_last *last = f->last + ir_root(t, arg->dat) * ACC_COUNT;
    for (unsigned y = 0; y < ACC_COUNT; y++) {
      if (last[y].unit <= unit || (x == y && access_info[x].commutes)) continue;
      unit = last[y].unit;
      *why_out = last[y].node;
      *arg_out = arg;
    }
  }
  return unit;
}

static void
fuse_note_accesses(struct fuse *f, ir_ref i, uint32_t unit) {
  const struct ir_trace *t = f->t;
  const struct ir_node *n = &t->nodes[i];
  for (uint32_t a = 0; a < n->nargs; a++) {
    const struct ir_arg *arg = &ir_args(t, n)[a];
    if (!ir_arg_has_value(arg)) continue;
    struct fuse_last *last =
        f->last + ir_root(t, arg->dat) * ACC_COUNT + fuse_access(t, n, arg);
    if (last->unit <= unit) *last = (struct fuse_last){unit, i};
  }
  if (ir_has_effects(t, n)) f->effects = unit;
}

/* ---- choosing a region --------------------------------------------------- */

static void
fuse_tell_barrier(struct fuse *f, ir_ref i, uint32_t u, ir_ref why,
                  const struct ir_arg *arg) {
  struct ir_trace *t = f->t;
  const char *what = "its side effects";
  if (arg) what = pass_value_text(t, arg->in != IR_NONE ? arg->in : arg->out);
  ir_remark(t, "fuse: %s not fused with %s: it stays behind %s because of %s",
            pass_node_text(t, i), pass_node_text(t, f->units[u].tail),
            pass_node_text(t, why), what);
  f->told[i] = true;
}

/* The nearest region over the loop's set, at or behind its barrier, that takes
 * it and shares something with it; else the nearest that takes it; else 0. */
static uint32_t
fuse_choose(struct fuse *f, ir_ref i) {
  struct ir_trace *t = f->t;
  ir_ref why_node;
  const struct ir_arg *why_arg;
  uint32_t barrier = fuse_barrier(f, i, &why_node, &why_arg), best = 0;
  uint32_t u = f->of_set[t->nodes[i].set], first = t->nremarks;
  for (long k = 0; u && k < f->look; u = f->units[u].prev, k++) {
    const char *why = "";
    bool shares;
    if (u < barrier) {
      fuse_tell_barrier(f, i, u, why_node, why_arg);
      break;
    }
    bool fits = fuse_fits(f, u, i, &shares, &why);
    if (fits && (shares || !best)) best = u;
    if (fits && shares) break;
    if (fits) continue;
    ir_remark(t, "fuse: %s not fused with %s: %s", pass_node_text(t, i),
              pass_node_text(t, f->units[u].tail), why);
    f->told[i] = true;
  }
  assert(!best || best >= barrier);
  if (best)
    t->nremarks = first; /* it joins: what else it might have is noise */
  return best;
}

static uint32_t
fuse_open(struct fuse *f, ir_ref i, bool alone) {
  const struct ir_node *n = &f->t->nodes[i];
  assert(f->nunits < f->t->nnodes);
  uint32_t u = ++f->nunits;
  bool loop = n->op == IR_LOOP;
  f->units[u] = (struct fuse_unit){.head = i,
                                   .tail = i,
                                   .count = 1,
                                   .nargs = n->nargs,
                                   .alone = alone,
                                   .set = loop ? n->set : IR_NONE};
  if (loop) {
    f->units[u].prev = f->of_set[n->set];
    f->of_set[n->set] = u;
  }
  return u;
}

static void
fuse_join(struct fuse *f, uint32_t u, ir_ref i) {
  assert(0 < u && u <= f->nunits && !f->units[u].alone);
  struct fuse_unit *unit = &f->units[u];
  ir_remark(f->t, "fuse: %s joins %s", pass_node_text(f->t, i),
            pass_node_text(f->t, unit->tail));
  f->next[unit->tail] = i;
  unit->tail = i;
  unit->count++;
  unit->nargs += f->t->nodes[i].nargs;
}

static void
fuse_place(struct fuse *f, ir_ref i) {
  const struct ir_node *n = &f->t->nodes[i];
  const char *alone = n->op == IR_LOOP ? fuse_why_alone(f, n) : NULL;
  uint32_t u = n->op == IR_LOOP && !alone ? fuse_choose(f, i) : 0;
  if (u)
    fuse_join(f, u, i);
  else
    u = fuse_open(f, i, alone != NULL);
  if (alone) {
    ir_remark(f->t, "fuse: %s stays alone: %s", pass_node_text(f->t, i), alone);
    f->told[i] = true;
  }
  fuse_note_accesses(f, i, u);
}

/* ---- the result ---------------------------------------------------------- */

/* Loops that no remark spoke of and nothing joined: their set is why. */
static void
fuse_tell_alone(struct fuse *f) {
  uint32_t loops = 0;
  for (uint32_t u = 1; u <= f->nunits; u++) loops += f->units[u].set != IR_NONE;
  for (uint32_t u = 1; u <= f->nunits; u++) {
    const struct fuse_unit *unit = &f->units[u];
    if (unit->set == IR_NONE || unit->count > 1 || f->told[unit->head])
      continue;
    const char *why = "no later loop over its set fits";
    if (f->of_set[unit->set] == u && !unit->prev) why = "other set";
    if (loops == 1) why = "no other loop";
    ir_remark(f->t, "fuse: %s stays alone: %s",
              pass_node_text(f->t, unit->head), why);
  }
}

/* Order the nodes unit by unit, what is deferred last; then name the
 * regions. */
static void
fuse_emit(struct fuse *f) {
  struct ir_trace *t = f->t;
  ir_ref *perm = mem_alloc(t->nnodes + 1, sizeof *perm);
  ir_ref at = 0;
  for (uint32_t u = 1; u <= f->nunits; u++)
    for (ir_ref n = f->units[u].head; n != IR_NONE; n = f->next[n])
      perm[n] = at++;
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (ir_deferred(&t->nodes[n])) perm[n] = at++;
  assert(at == t->nnodes);
  pass_check_order(t, perm);
  pass_reorder(t, perm, t->nnodes);
  at = 0;
  for (uint32_t u = 1; u <= f->nunits; u++) {
    const struct fuse_unit *unit = &f->units[u];
    struct ir_region r = {.first = at, .count = unit->count, .set = unit->set};
    for (uint32_t k = 0; unit->set != IR_NONE && k < unit->count; k++)
      t->nodes[at + k].region = t->nregions;
    if (unit->set != IR_NONE)
      VEC_PUSH(t->regions, t->nregions, t->capregions, r);
    at += unit->count;
  }
  free(perm);
}

static void
fuse_init(struct fuse *f, struct ir_trace *t, const struct pass_ctx *c) {
  *f = (struct fuse){.t = t};
  f->max = pass_arg(c, "max", 16);
  f->args = pass_arg(c, "args", 64);
  f->look = pass_arg(c, "look", 16);
  f->mixed = pass_arg(c, "mixed", 0);
  f->units = mem_alloc(t->nnodes + 2, sizeof *f->units);
  f->next = mem_alloc(t->nnodes + 1, sizeof *f->next);
  f->of_set = mem_alloc(t->nsets + 1, sizeof *f->of_set);
  f->last = mem_alloc((size_t)(t->ndats + 1) * ACC_COUNT, sizeof *f->last);
  f->told = mem_alloc(t->nnodes + 1, sizeof *f->told);
  f->overlaps = c->overlaps;
  for (ir_ref n = 0; n < t->nnodes; n++) f->next[n] = IR_NONE;
}

bool
pass_fuse(struct ir_trace *t, const struct pass_ctx *c) {
  struct fuse f;
  bool moved = sets_go_up(t);
  fuse_init(&f, t, c);
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (!ir_deferred(&t->nodes[n])) fuse_place(&f, n);
  fuse_tell_alone(&f);
  fuse_emit(&f);
  free(f.units), free(f.next), free(f.of_set);
  free(f.last), free(f.told);
  return moved || t->nregions > 0;
}
