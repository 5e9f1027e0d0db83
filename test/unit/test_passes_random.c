/* Random traces, run plainly and as the passes leave them: all words agree.
 *
 * The model stands in for lowering and runtime: tiny sets, one 64-bit word an
 * element, kernels that mix what they read. A wrong order, buffer, slice or
 * region gives other words. model_run_plain runs node after node on one array
 * per dat, which is what the program means; model_run runs regions element by
 * element on buffers, as late with its stores as lowering may be. */
#include "passes/pass.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_N = 7, MODEL_ARITY = 2, MODEL_DATS = 64 };

struct model {
  uint32_t size[2]; /* elements of each set of the trace */
  uint32_t map[4][MODEL_N][MODEL_ARITY];
  uint64_t dat[MODEL_DATS][MODEL_N]; /* by ir_dat; a global is element 0 */
  uint64_t log; /* what kernels with side effects have seen, in order */
};

/* ---- the model ----------------------------------------------------------- */

static uint64_t
model_mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

static uint64_t
combine(unsigned access, uint64_t a, uint64_t b) {
  if (access == ACC_INC) return a + b;
  if (access == ACC_MIN) return a < b ? a : b;
  if (access == ACC_MAX) return a > b ? a : b;
  return b;
}

static bool
is_reduction(const struct ir_arg *a) {
  return a->access == ACC_INC || a->access == ACC_MIN || a->access == ACC_MAX;
}

static bool
takes(const struct ir_arg *a) {
  return a->access == ACC_READ || a->access == ACC_RW;
}

static uint32_t
element(const struct model *m, const struct ir_arg *a, uint32_t e) {
  if (a->kind != IR_ARG_DAT) return 0;
  return a->map == IR_NONE ? e : m->map[a->map][e][a->entry];
}

/* A kernel on one element: from the words it takes to what it gives for each
 * argument. Its tag makes it another kernel than the next. */
static void
kernel(const struct ir_trace *t, const struct ir_node *n, uint32_t e,
       const uint64_t *in, uint64_t *out, uint64_t *log) {
  const struct ir_kernel *k = &t->kernels[n->kernel];
  const struct ir_arg *a = ir_args(t, n);
  uint64_t acc = model_mix(n->tag, e);
  for (uint32_t i = 0; i < n->nargs; i++)
    if (takes(&a[i])) acc = model_mix(acc, in[i]);
  for (uint32_t i = 0; i < n->nargs; i++) out[i] = model_mix(acc, i);
  if (k->copy_to >= 0) out[k->copy_to] = in[k->copy_from];
  if (k->flags & IR_KERNEL_EFFECTS) *log = model_mix(*log, acc);
}

/* A partial direct write leaves every other element alone. */
static bool
skips(const struct ir_arg *a, uint32_t e) {
  return a->access == ACC_WRITE && a->in != IR_NONE && a->map == IR_NONE &&
         e % 2;
}

static void
plain_loop(struct model *m, const struct ir_trace *t, const struct ir_node *n) {
  const struct ir_arg *a = ir_args(t, n);
  for (uint32_t e = 0; e < m->size[n->set]; e++) {
    uint64_t in[8] = {0}, out[8];
    for (uint32_t i = 0; i < n->nargs; i++)
      in[i] = m->dat[a[i].dat][element(m, &a[i], e)];
    kernel(t, n, e, in, out, &m->log);
    for (uint32_t i = 0; i < n->nargs; i++) {
      uint64_t *to = &m->dat[a[i].dat][element(m, &a[i], e)];
      if (a[i].access != ACC_READ && !skips(&a[i], e))
        *to = combine(a[i].access, *to, out[i]);
    }
  }
}

/* Run nodes [first, nnodes) in order, on m->dat. */
static void
model_run_plain(struct model *m, const struct ir_trace *t, ir_ref first) {
  for (ir_ref i = first; i < t->nnodes; i++) {
    const struct ir_node *n = &t->nodes[i];
    const struct ir_arg *a = ir_args(t, n);
    if (n->op == IR_LOOP) plain_loop(m, t, n);
    if (n->op == IR_COPY || n->op == IR_ALIAS)
      memcpy(m->dat[a[1].dat], m->dat[a[0].dat], sizeof m->dat[0]);
    if (n->op == IR_SET) m->dat[a[1].dat][0] = m->dat[a[0].dat][0];
  }
}

/* ---- on buffers, region by region ---------------------------------------- */

struct store {
  uint64_t *to, value;
  bool add;
};

struct machine {
  struct model *m;
  const struct ir_trace *t;
  uint64_t (*mem)[MODEL_N]; /* by buffer */
  uint64_t *global;         /* by value */
  uint64_t *slot;           /* by value: what this element has of it */
  uint64_t *delta;          /* by argument: a reduction's sum in this region */
  bool *have, *started;
  struct store *soon, *late;
  uint32_t nsoon, capsoon, nlate, caplate;
};

static uint64_t *
memory(struct machine *x, ir_ref v, uint32_t e) {
  ir_ref b = x->t->values[v].buffer;
  cr_assert(b < x->t->nbuffers, "a version without memory is used");
  return &x->mem[b][e];
}

/* What argument a has before the kernel runs. An element loads a version once,
 * whatever its name. */
static uint64_t
load(struct machine *x, const struct ir_arg *a, uint32_t e) {
  if (a->kind == IR_ARG_PARAM) return x->m->dat[a->dat][0];
  if (a->in == IR_NONE || (a->kind == IR_ARG_GBL && !takes(a))) return 0;
  if (a->kind == IR_ARG_GBL) return x->global[a->in];
  if (a->map != IR_NONE) return *memory(x, a->in, element(x->m, a, e));
  ir_ref v = ir_same(x->t, a->in);
  if (!x->have[v]) x->slot[v] = *memory(x, v, e);
  x->have[v] = true;
  return x->slot[v];
}

/* Direct results wait for the end of the element, increments through maps for
 * the end of the region. */
static void
give(struct machine *x, const struct ir_arg *a, uint32_t e, uint64_t old,
     uint64_t value) {
  if (a->kind == IR_ARG_GBL) {
    uint32_t i = (uint32_t)(a - x->t->args);
    x->delta[i] =
        x->started[i] ? combine(a->access, x->delta[i], value) : value;
    x->started[i] = true;
    return;
  }
  if (skips(a, e)) value = old;
  struct store s = {memory(x, a->out, element(x->m, a, e)), value,
                    a->access == ACC_INC};
  if (a->map == IR_NONE) {
    x->slot[a->out] = combine(a->access, old, value);
    x->have[a->out] = true;
  }
  if (a->map != IR_NONE && s.add)
    VEC_PUSH(x->late, x->nlate, x->caplate, s);
  else
    VEC_PUSH(x->soon, x->nsoon, x->capsoon, s);
}

static void
settle(struct store *s, uint32_t *n) {
  for (uint32_t i = 0; i < *n; i++)
    *s[i].to = s[i].value + (s[i].add ? *s[i].to : 0);
  *n = 0;
}

/* An opaque kernel has pointers: it may spoil a result before it reads. */
static void
spoil(struct machine *x, const struct ir_node *n, uint32_t e) {
  const struct ir_arg *a = ir_args(x->t, n);
  if (!(x->t->kernels[n->kernel].flags & IR_KERNEL_OPAQUE)) return;
  for (uint32_t i = 0; i < n->nargs; i++)
    if (a[i].kind == IR_ARG_DAT && a[i].access == ACC_WRITE && !skips(&a[i], e))
      *memory(x, a[i].out, element(x->m, &a[i], e)) = 0xdead;
}

static void
member(struct machine *x, const struct ir_node *n, uint32_t e) {
  const struct ir_arg *a = ir_args(x->t, n);
  uint64_t in[8] = {0}, out[8];
  spoil(x, n, e);
  for (uint32_t i = 0; i < n->nargs; i++) in[i] = load(x, &a[i], e);
  kernel(x->t, n, e, in, out, &x->m->log);
  for (uint32_t i = 0; i < n->nargs; i++)
    if (a[i].out != IR_NONE) give(x, &a[i], e, in[i], out[i]);
}

/* Globals that the members reduced or wrote, in their order. RW globals don't
 * occur in these traces. */
static void
finish_globals(struct machine *x, const struct ir_node *n) {
  const struct ir_arg *a = ir_args(x->t, n);
  for (uint32_t i = 0; i < n->nargs; i++) {
    if (a[i].kind != IR_ARG_GBL || a[i].out == IR_NONE) continue;
    uint64_t d = x->delta[&a[i] - x->t->args];
    x->global[a[i].out] =
        is_reduction(&a[i]) ? combine(a[i].access, x->global[a[i].in], d) : d;
  }
}

static void
run_region(struct machine *x, ir_ref first, uint32_t count) {
  const struct ir_node *n = x->t->nodes + first;
  for (uint32_t e = 0; e < x->m->size[n->set]; e++) {
    memset(x->have, 0, x->t->nvalues);
    for (uint32_t k = 0; k < count; k++) member(x, &n[k], e);
    settle(x->soon, &x->nsoon);
  }
  settle(x->late, &x->nlate);
  for (uint32_t k = 0; k < count; k++) finish_globals(x, &n[k]);
}

static void
run_other(struct machine *x, const struct ir_node *n) {
  const struct ir_arg *a = ir_args(x->t, n);
  if (n->op == IR_COPY)
    memcpy(memory(x, a[1].out, 0), memory(x, a[0].in, 0), sizeof *x->mem);
  if (n->op == IR_SET) x->global[a[1].out] = x->m->dat[a[0].dat][0];
}

static void
machine_init(struct machine *x, struct model *m, const struct ir_trace *t) {
  *x = (struct machine){.m = m, .t = t};
  x->mem = mem_alloc(t->nbuffers + 1, sizeof *x->mem);
  x->global = mem_alloc(t->nvalues + 1, sizeof *x->global);
  x->slot = mem_alloc(t->nvalues + 1, sizeof *x->slot);
  x->delta = mem_alloc(t->nargs + 1, sizeof *x->delta);
  x->have = mem_alloc(t->nvalues + 1, 1);
  x->started = mem_alloc(t->nargs + 1, 1);
  memset(x->mem, 0xa5, t->nbuffers * sizeof *x->mem);
  for (ir_ref b = 0; b < t->nbuffers; b++)
    if (t->buffers[b].initial)
      memcpy(x->mem[b], m->dat[t->buffers[b].dat], sizeof *x->mem);
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (t->values[v].def == IR_NONE) x->global[v] = m->dat[t->values[v].dat][0];
}

/* The last version of each dat that was made, as the runtime would keep it. */
static void
machine_finish(struct machine *x, ir_ref end) {
  const struct ir_trace *t = x->t;
  ir_ref final[MODEL_DATS];
  memset(final, 0xff, sizeof final);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    const struct ir_value *y = &t->values[v];
    if (y->def != IR_NONE && y->def >= end) continue;
    ir_ref *f = &final[y->dat];
    if (*f == IR_NONE || t->values[*f].version < y->version) *f = v;
  }
  for (ir_ref d = 0; d < t->ndats; d++) {
    if (final[d] == IR_NONE) continue;
    ir_ref b = t->values[final[d]].buffer;
    if (t->dats[d].kind == IR_GBL)
      x->m->dat[d][0] = x->global[final[d]];
    else if (b != IR_NONE)
      memcpy(x->m->dat[d], x->mem[b], sizeof *x->mem);
  }
  free(x->mem), free(x->global), free(x->slot), free(x->delta);
  free(x->have), free(x->started), free(x->soon), free(x->late);
}

/* Run what is not deferred, on buffers; then m->dat holds what each dat has.
 * Returns the first node that did not run. */
static ir_ref
model_run(struct model *m, const struct ir_trace *t) {
  struct machine x;
  machine_init(&x, m, t);
  ir_ref i = 0;
  while (i < t->nnodes && !ir_deferred(&t->nodes[i])) {
    const struct ir_node *n = &t->nodes[i];
    uint32_t count = 1;
    if (n->op == IR_LOOP) {
      cr_assert(n->region < t->nregions, "a loop in no region");
      count = t->regions[n->region].count;
      run_region(&x, i, count);
    } else {
      run_other(&x, n);
    }
    i += count;
  }
  machine_finish(&x, i);
  return i;
}

/* ---- random traces ------------------------------------------------------- */

struct maker {
  struct ir_trace *t;
  struct model m;
  uint64_t state;
  ir_ref cells, edges, plain, copy, effects, opaque;
  bool freed[MODEL_DATS];
  uint32_t tag;
};

static uint32_t
pick(struct maker *g, uint32_t n) {
  g->state = model_mix(g->state, 1);
  return (uint32_t)(g->state >> 33) % n;
}

static ir_ref
make_dat(struct maker *g, enum ir_dat_kind kind, ir_ref set, uint32_t flags,
         const char *name) {
  struct ir_dat d = {.name = name,
                     .kind = kind,
                     .set = set,
                     .dim = 1,
                     .block = 1,
                     .flags = flags,
                     .root = IR_NONE,
                     .type = {TYPE_U64, 8}};
  ir_ref i = ir_add_dat(g->t, d);
  cr_assert(i < MODEL_DATS);
  for (uint32_t e = 0; e < MODEL_N; e++)
    g->m.dat[i][e] = flags & IR_DAT_TEMP ? 0 : model_mix(i, e) ^ g->state;
  return i;
}

static ir_ref
make_kernel(struct maker *g, const char *name, uint32_t flags, int from) {
  struct ir_kernel k = {.name = name,
                        .flags = flags,
                        .copy_from = from,
                        .copy_to = from < 0 ? -1 : 1 - from};
  return ir_add_kernel(g->t, k);
}

static void
make_map(struct maker *g, ir_ref from, ir_ref to, const char *name) {
  struct ir_map map = {
      .name = name, .from = from, .to = to, .arity = MODEL_ARITY};
  ir_ref i = ir_add_map(g->t, map);
  for (uint32_t e = 0; e < MODEL_N; e++)
    for (uint32_t k = 0; k < MODEL_ARITY; k++)
      g->m.map[i][e][k] = pick(g, g->m.size[to]);
}

static void
make_decls(struct maker *g) {
  g->m.size[0] = 5;
  g->m.size[1] = MODEL_N;
  g->cells = ir_add_set(g->t, (struct ir_set){.name = "cells", .n = 5});
  g->edges = ir_add_set(g->t, (struct ir_set){.name = "edges", .n = MODEL_N});
  make_map(g, g->cells, g->cells, "nb");
  make_map(g, g->edges, g->cells, "pecell");
  for (int i = 0; i < 5; i++) make_dat(g, IR_DAT, g->cells, 0, "q");
  make_dat(g, IR_DAT, g->cells, IR_DAT_PINNED, "held");
  for (int i = 0; i < 2; i++) make_dat(g, IR_DAT, g->edges, 0, "f");
  for (int i = 0; i < 2; i++) make_dat(g, IR_GBL, IR_NONE, 0, "g");
  make_dat(g, IR_GBL, IR_NONE, IR_DAT_RAW, "raw");
  make_dat(g, IR_GBL, IR_NONE, IR_DAT_RAW | IR_DAT_UNREAD, "gone");
  make_dat(g, IR_PARAM, IR_NONE, 0, "p");
  for (int i = 0; i < 3; i++) make_dat(g, IR_DAT, g->cells, IR_DAT_TEMP, "t");
  g->plain = make_kernel(g, "plain", 0, -1);
  g->copy = make_kernel(g, "copy", 0, 0);
  g->effects = make_kernel(g, "say", IR_KERNEL_EFFECTS, -1);
  g->opaque = make_kernel(g, "blind", IR_KERNEL_OPAQUE, -1);
  if (pick(g, 3)) return;
  ir_add_same(g->t, 0, 1);
  memcpy(g->m.dat[1], g->m.dat[0], sizeof g->m.dat[0]);
}

static struct ir_arg
make_arg(struct maker *g, ir_ref dat, enum access access) {
  static const uint8_t kinds[] = {IR_ARG_DAT, IR_ARG_GBL, IR_ARG_PARAM};
  return (struct ir_arg){.kind = kinds[g->t->dats[dat].kind],
                         .access = (uint8_t)access,
                         .dat = dat,
                         .map = IR_NONE,
                         .in = IR_NONE,
                         .out = IR_NONE};
}

static bool
used_before(const struct ir_arg *a, uint32_t n, ir_ref dat) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i].dat == dat) return true;
  return false;
}

/* A random argument of a loop over `set` on a dat that is not in use; false if
 * the draw does not fit. */
static bool
random_arg(struct maker *g, ir_ref set, struct ir_arg *a, uint32_t n) {
  static const enum access dats[] = {ACC_READ,  ACC_READ, ACC_READ, ACC_WRITE,
                                     ACC_WRITE, ACC_RW,   ACC_INC};
  static const enum access gbls[] = {ACC_READ, ACC_READ, ACC_INC,  ACC_INC,
                                     ACC_MIN,  ACC_MAX,  ACC_WRITE};
  ir_ref d = pick(g, g->t->ndats);
  const struct ir_dat *dat = &g->t->dats[d];
  if (g->freed[d] || used_before(a, n, d)) return false;
  enum access access = (dat->kind == IR_DAT ? dats : gbls)[pick(g, 7)];
  if (dat->kind == IR_PARAM) access = ACC_READ;
  a[n] = make_arg(g, d, access);
  if (dat->kind == IR_DAT && (dat->set != set || !pick(g, 4))) {
    if (dat->set != g->cells) return false;
    a[n].map = set == g->cells ? 0 : 1;
    a[n].entry = (uint32_t)pick(g, MODEL_ARITY);
  }
  bool covers = a[n].map == IR_NONE && pick(g, 3);
  if (dat->kind == IR_GBL) covers = true; /* as the last element leaves it */
  if (access == ACC_WRITE && !covers) a[n].in = 0;
  return true;
}

static void
random_loop(struct maker *g) {
  struct ir_arg a[8];
  uint32_t n = 0, want = 1 + pick(g, 4), kind = pick(g, 12);
  ir_ref set = pick(g, 3) ? g->cells : g->edges;
  for (uint32_t tries = 0; n < want && tries < 40; tries++)
    n += random_arg(g, set, a, n);
  bool serial = !pick(g, 12);
  for (uint32_t i = 0; i < n; i++)
    serial |= a[i].kind == IR_ARG_GBL && a[i].access == ACC_WRITE;
  ir_ref k = kind == 0 ? g->effects : kind == 1 ? g->opaque : g->plain;
  uint8_t flags = (uint8_t)((serial ? IR_NODE_SERIAL : 0) |
                            (pick(g, 20) ? 0 : IR_NODE_OVERDUE));
  ir_add_node(g->t,
              (struct ir_node){.op = IR_LOOP,
                               .kernel = k,
                               .set = set,
                               .nargs = n,
                               .flags = flags,
                               .tag = ++g->tag},
              a);
}

static void
random_copy(struct maker *g) {
  ir_ref from = pick(g, 5), to = pick(g, 5);
  if (from == to) return;
  struct ir_arg a[2] = {make_arg(g, from, ACC_READ),
                        make_arg(g, to, ACC_WRITE)};
  ir_add_node(g->t,
              (struct ir_node){.op = IR_LOOP,
                               .kernel = g->copy,
                               .set = g->cells,
                               .nargs = 2,
                               .tag = ++g->tag},
              a);
}

static void
plain_node(struct maker *g, enum ir_op op, const struct ir_arg *a, uint32_t n) {
  ir_add_node(g->t,
              (struct ir_node){.op = (uint8_t)op,
                               .kernel = IR_NONE,
                               .set = IR_NONE,
                               .nargs = n,
                               .tag = ++g->tag},
              a);
}

static void
random_free(struct maker *g) {
  ir_ref d = pick(g, g->t->ndats);
  if (!(g->t->dats[d].flags & IR_DAT_TEMP) || g->freed[d]) return;
  struct ir_arg a = make_arg(g, d, ACC_READ);
  plain_node(g, IR_FREE, &a, 1);
  g->freed[d] = true;
  if (g->t->ndats < 24) make_dat(g, IR_DAT, g->cells, IR_DAT_TEMP, "t");
}

static void
random_set(struct maker *g) {
  struct ir_arg a[2];
  for (ir_ref d = 0; d < g->t->ndats; d++) {
    if (g->t->dats[d].kind == IR_PARAM) a[0] = make_arg(g, d, ACC_READ);
    if (g->t->dats[d].kind == IR_GBL && !(g->t->dats[d].flags & IR_DAT_RAW))
      a[1] = make_arg(g, d, ACC_WRITE);
  }
  plain_node(g, IR_SET, a, 2);
}

static void
make_trace(struct maker *g, uint64_t seed) {
  *g = (struct maker){.t = ir_trace_new("random"), .state = seed};
  make_decls(g);
  for (uint32_t n = 6 + pick(g, 20); n > 0; n--) {
    uint32_t what = pick(g, 12);
    if (what < 2)
      random_copy(g);
    else if (what == 2)
      random_free(g);
    else if (what == 3)
      random_set(g);
    else
      random_loop(g);
  }
  for (uint32_t n = pick(g, 3); n > 0; n--) {
    struct ir_arg a = make_arg(g, pick(g, 5), ACC_READ);
    plain_node(g, IR_FETCH, &a, 1);
  }
  ir_add_live(g->t);
}

/* ---- the tests ----------------------------------------------------------- */

static void
fail_with(const struct maker *g, const struct ir_trace *t, uint64_t seed,
          const char *what) {
  struct str text = STR_INIT;
  ir_print(g->t, &text);
  str_add(&text, "becomes\n");
  ir_print(t, &text);
  cr_assert_fail("seed %llu: %s\n%s", (unsigned long long)seed, what, text.s);
}

/* A looked-at dat has its value once the kept part has run, all others have it
 * when the rest has, too. */
static void
compare(const struct maker *g, const struct ir_trace *t, uint64_t seed) {
  struct model want = g->m, have = g->m;
  model_run_plain(&want, g->t, 0);
  ir_ref rest = model_run(&have, t);
  for (ir_ref i = 0; i < t->nnodes; i++) {
    if (t->nodes[i].op != IR_FETCH) continue;
    ir_ref d = ir_args(t, &t->nodes[i])->dat;
    uint32_t bytes = g->m.size[g->cells] * sizeof(uint64_t);
    if (memcmp(want.dat[d], have.dat[d], bytes))
      fail_with(g, t, seed, "a fetched dat differs");
  }
  model_run_plain(&have, t, rest);
  if (want.log != have.log) fail_with(g, t, seed, "side effects differ");
  for (ir_ref d = 0; d < t->ndats; d++) {
    const struct ir_dat *dat = &t->dats[d];
    uint32_t n = dat->kind == IR_DAT ? g->m.size[dat->set] : 1;
    if (dat->flags & IR_DAT_UNREAD) continue;
    if (!g->freed[d] && memcmp(want.dat[d], have.dat[d], n * sizeof(uint64_t)))
      fail_with(g, t, seed, dat->name);
  }
}

static void
check_many(const char *disable, uint64_t first, uint64_t count, bool stress) {
  for (uint64_t seed = first; seed < first + count; seed++) {
    struct maker g;
    make_trace(&g, seed);
    struct ir_trace *t = ir_trace_clone(g.t);
    struct pass_options o = {
        .disable = disable, .verify = true, .stress = stress};
    if (pass_run(&t, &o) != OK) fail_with(&g, t, seed, err_last());
    compare(&g, t, seed);
    ir_trace_free(t);
    ir_trace_free(g.t);
  }
}

Test(passes_random, whole_pipeline) {
  check_many("", 1, 4000, false);
}

Test(passes_random, whole_pipeline_reparsed) {
  check_many("", 10001, 500, true);
}

Test(passes_random, without_slice) {
  check_many("slice", 20001, 1500, false);
}

Test(passes_random, without_rename_and_dce) {
  check_many("rename,dce", 30001, 1000, false);
}

Test(passes_random, without_fusion) {
  check_many("fuse", 40001, 1000, false);
}

Test(passes_random, without_reuse_of_buffers) {
  check_many("storage", 50001, 1000, false);
}
