/* Extents proven by running: chains of loops on random meshes, once whole and once
 * on a part that has no more than the analysis asks for. What the part owns
 * must agree; everything it was not given is poison. */
#include "ir/extent.h"
#include "test/unit/ir_make.h"

enum { SETS = 3, MAPS = 5, DATS = 5, LOOPS = 10, SIZE = 40, ARITY = 3 };

struct world {
  uint64_t seed;
  struct ir_trace *t;
  int n[SETS], table[MAPS][SIZE][ARITY];
  int level[SETS][SIZE]; /* lowest level that has the element */
};

/* A dat's content: values, and whether one may be relied on. */
struct content {
  uint64_t v[SIZE];
  bool poison[SIZE];
};

/* ---- the mesh and the part ------------------------------------------------ */

static void
make_mesh(struct world *w) {
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  for (uint32_t s = 0; s < SETS; s++) {
    w->n[s] = 5 + (int)rnd(&w->seed, SIZE - 5);
    ir_add_set(w->t, (struct ir_set){.name = names[s], .n = w->n[s]});
  }
  for (uint32_t m = 0; m < MAPS; m++) {
    struct ir_map map = {.name = "m",
                         .from = rnd(&w->seed, SETS),
                         .to = rnd(&w->seed, SETS),
                         .arity = 1 + rnd(&w->seed, ARITY)};
    ir_add_map(w->t, map);
    for (int e = 0; e < w->n[map.from]; e++)
      for (uint32_t k = 0; k < map.arity; k++)
        w->table[m][e][k] = /* mostly near, so that levels differ */
            (e + (int)rnd(&w->seed, rnd(&w->seed, 20) ? 3 : SIZE)) %
            w->n[map.to];
  }
}

static void
reach(int *level, int to) {
  if (*level > to) *level = to;
}

/* One more level: odd ones take what names the last, even ones what it names. */
static void
next_level(struct world *w, int level) {
  for (uint32_t m = 0; m < MAPS; m++) {
    const struct ir_map *map = &w->t->maps[m];
    for (int e = 0; e < w->n[map->from]; e++)
      for (uint32_t k = 0; k < map->arity; k++) {
        int *from = &w->level[map->from][e];
        int *to = &w->level[map->to][w->table[m][e][k]];
        if (level % 2 && *to < level) reach(from, level);
        if (level % 2 == 0 && *from < level) reach(to, level);
      }
  }
}

static void
make_levels(struct world *w) {
  for (uint32_t s = 0; s < SETS; s++)
    for (int e = 0; e < SIZE; e++)
      w->level[s][e] = e < w->n[s] / 4 ? 0 : INT32_MAX;
  for (int level = 1; level <= 2 * LOOPS + 2; level++) next_level(w, level);
}

/* ---- the chain ------------------------------------------------------------ */

static struct ir_arg
random_arg(struct world *w, uint32_t set, ir_ref dat) {
  struct ir_trace *t = w->t;
  struct ir_arg a = {.kind = IR_ARG_DAT,
                     .dat = dat,
                     .map = IR_NONE,
                     .in = IR_NONE,
                     .out = IR_NONE};
  static const uint8_t direct[] = {ACC_READ, ACC_WRITE, ACC_RW, ACC_INC};
  static const uint8_t mapped[] = {ACC_READ, ACC_READ, ACC_INC};
  if (t->dats[dat].set == set) {
    a.access = direct[rnd(&w->seed, 4)];
    return a;
  }
  for (uint32_t m = 0; m < MAPS; m++)
    if (t->maps[m].from == set && t->maps[m].to == t->dats[dat].set) a.map = m;
  a.access = mapped[rnd(&w->seed, 3)];
  a.entry =
      a.map == IR_NONE ? 0 : (uint32_t)rnd(&w->seed, t->maps[a.map].arity);
  return a;
}

static void
make_chain(struct world *w) {
  for (uint32_t d = 0; d < DATS; d++) {
    ir_ref dat = make_dat(w->t, "d", 0);
    w->t->dats[dat].set = d % SETS;
  }
  ir_add_kernel(
      w->t, (struct ir_kernel){.name = "k", .copy_from = -1, .copy_to = -1});
  for (uint32_t l = 0; l < LOOPS; l++) {
    struct ir_arg args[DATS];
    uint32_t n = 0, set = rnd(&w->seed, SETS);
    for (uint32_t d = 0; d < DATS; d++) {
      if (rnd(&w->seed, 3) == 0) continue;
      args[n] = random_arg(w, set, d);
      n += w->t->dats[d].set == set || args[n].map != IR_NONE;
    }
    if (!n) continue;
    struct ir_node node = {.op = IR_LOOP, .kernel = 0, .set = set, .nargs = n};
    node.region = IR_NONE;
    ir_add_node(w->t, node, args);
  }
  ir_add_live(w->t);
}

/* ---- running --------------------------------------------------------------- */

static int
target_of(const struct world *w, const struct ir_arg *a, int e) {
  return a->map == IR_NONE ? e : w->table[a->map][e][a->entry];
}

/* Element e: everything written depends on everything read. */
static void
run_element(const struct world *w, const struct ir_node *n, struct content *c,
            int e) {
  const struct ir_arg *a = ir_args(w->t, n);
  uint64_t sum = n->arg0;
  bool poison = false;
  for (uint32_t k = 0; k < n->nargs; k++) {
    if (a[k].access != ACC_READ && a[k].access != ACC_RW) continue;
    struct content *d = &c[a[k].dat];
    sum = mix(sum, d->v[target_of(w, &a[k], e)]);
    poison |= d->poison[target_of(w, &a[k], e)];
  }
  for (uint32_t k = 0; k < n->nargs; k++) {
    if (a[k].access == ACC_READ) continue;
    struct content *d = &c[a[k].dat];
    int i = target_of(w, &a[k], e);
    bool adds = a[k].access == ACC_INC;
    d->v[i] = (adds ? d->v[i] : 0) + mix(sum, k);
    d->poison[i] = poison || (adds && d->poison[i]);
  }
}

/* All elements whose level is at most `level`; increments go into what was read,
 * so reads come first: dats that a loop reads it does not increment. */
static void
run_loop(const struct world *w, const struct ir_node *n, struct content *c,
         int level) {
  for (int e = 0; e < w->n[n->set]; e++)
    if (w->level[n->set][e] <= level) run_element(w, n, c, e);
}

/* Does the need cover element i of the set? */
static bool
covers(const struct world *w, struct ir_need need, uint32_t set, int i) {
  if (w->level[set][i] <= need.own) return true;
  for (uint32_t m = 0; m < MAPS; m++) {
    const struct ir_map *map = &w->t->maps[m];
    if (map->to != set) continue;
    for (int e = 0; e < w->n[map->from]; e++)
      for (uint32_t k = 0; k < map->arity; k++)
        if (w->table[m][e][k] == i && w->level[map->from][e] <= need.via)
          return true;
  }
  return false;
}

/* The owners' values where they are needed, poison elsewhere; L_0 is always
 * there, of a version 0 as well. */
static void
give(const struct world *w, const struct ir_extent *x, ir_ref v,
     const struct content *whole, struct content *part) {
  uint32_t d = w->t->values[v].dat, set = w->t->dats[d].set;
  for (int i = 0; i < w->n[set]; i++) {
    if (w->level[set][i] == 0 && w->t->values[v].def != IR_NONE) continue;
    part[d].v[i] = whole[d].v[i];
    part[d].poison[i] = w->level[set][i] != 0 && !covers(w, x->need[v], set, i);
  }
}

static void
start(const struct world *w, const struct ir_extent *x, struct content *whole,
      struct content *part) {
  for (ir_ref v = 0; v < w->t->nvalues; v++) {
    uint32_t d = w->t->values[v].dat;
    if (w->t->values[v].def != IR_NONE) continue;
    for (int i = 0; i < SIZE; i++) whole[d].v[i] = mix(d, (uint64_t)i);
    give(w, x, v, whole, part);
  }
}

static void
check_live(const struct world *w, const struct content *whole,
           const struct content *part, uint64_t seed) {
  for (uint32_t d = 0; d < DATS; d++)
    for (int i = 0; i < w->n[w->t->dats[d].set]; i++) {
      if (w->level[w->t->dats[d].set][i] != 0) continue;
      cr_assert(!part[d].poison[i] && part[d].v[i] == whole[d].v[i],
                "seed %llu: dat %u, element %d: %s", (unsigned long long)seed,
                d, i, part[d].poison[i] ? "poison" : "another value");
    }
}

static void
play(uint64_t seed, int limit) {
  static struct content whole[DATS], part[DATS];
  struct world w = {.seed = seed, .t = ir_trace_new("t")};
  memset(whole, 0, sizeof whole);
  memset(part, 0, sizeof part);
  make_mesh(&w);
  make_levels(&w);
  make_chain(&w);
  struct ir_extent x = ir_extent_build(w.t, limit);
  start(&w, &x, whole, part);
  for (ir_ref n = 0; n < w.t->nnodes; n++) {
    const struct ir_node *node = &w.t->nodes[n];
    if (node->op != IR_LOOP) continue;
    cr_assert(x.exec[n] <= (limit > 1 ? limit : 1));
    run_loop(&w, node, whole, INT32_MAX);
    run_loop(&w, node, part, x.exec[n]);
    for (uint32_t k = 0; k < node->nargs; k++) {
      ir_ref v = ir_args(w.t, node)[k].out;
      if (v != IR_NONE && x.exchange[v]) give(&w, &x, v, whole, part);
    }
  }
  check_live(&w, whole, part, seed);
  ir_extent_free(&x);
  ir_trace_free(w.t);
}

Test(extent, part_agrees_without_exchange) {
  for (uint64_t seed = 1; seed <= 1000; seed++) play(seed, 2 * LOOPS + 2);
}

Test(extent, part_agrees_with_exchanges) {
  for (uint64_t seed = 1; seed <= 1000; seed++)
    for (int limit = 0; limit < 6; limit++) play(seed, limit);
}
