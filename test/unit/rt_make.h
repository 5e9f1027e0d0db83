/* Programs for tests of rt, put together by hand. Each call adds one thing and
 * gives its number. */
#ifndef TEST_RT_MAKE_H
#define TEST_RT_MAKE_H

#include "base/arena.h"
#include "rt/walk/walk.h"

#include <stdarg.h>

#define MAKE_PUSH(v, n, value)                                                 \
  ((v) = mem_grow((v), (size_t)(n) + 1, sizeof *(v)), (v)[n] = (value), (n)++)

/* Rows of `arity` entries; what is made of it is kept by version. */
static inline struct rt_relation
make_table(const struct rt_set *from, const struct rt_set *to, uint32_t arity,
           const idx_l *table, uint64_t version) {
  return (struct rt_relation){.from = from,
                              .to = to,
                              .arity = arity,
                              .table = table,
                              .version = version,
                              .name = "m"};
}

/* What asks for colours, and for parts. */
static inline struct rt_walk_want
make_colours(idx_l n, idx_l block, const struct rt_entries *c, uint32_t nc,
             bool elements) {
  return (struct rt_walk_want){.kind = RT_WALK_COLOURS,
                               .n = n,
                               .block = block,
                               .c = c,
                               .nc = nc,
                               .elements = elements};
}
static inline struct rt_walk_want
make_parts(idx_l n, int tasks, const struct rt_entries *c, uint32_t nc) {
  return (struct rt_walk_want){
      .kind = RT_WALK_PARTS, .n = n, .tasks = tasks, .c = c, .nc = nc};
}

static inline struct rt_program *
make_program(void) {
  return mem_alloc(1, sizeof(struct rt_program));
}

static inline uint32_t
make_set(struct rt_program *p, const struct rt_set *s) {
  return MAKE_PUSH(p->sets, p->nsets, s);
}

static inline uint32_t
make_map(struct rt_program *p, const struct rt_relation *m) {
  return MAKE_PUSH(p->maps, p->nmaps, m);
}

static inline uint32_t
make_global(struct rt_program *p, void *g) {
  return MAKE_PUSH(p->globals, p->nglobals, g);
}

static inline uint32_t
make_param(struct rt_program *p, const void *v) {
  return MAKE_PUSH(p->params, p->nparams, v);
}

static inline uint32_t
make_address(struct rt_program *p, void *v) {
  return MAKE_PUSH(p->addresses, p->naddresses, v);
}

/* A dat with a slot that holds its buffer, or a fresh one; gives the slot. */
static inline uint32_t
make_slot(struct rt_program *p, struct rt_dat *d, bool initial) {
  uint32_t dat = 0;
  while (dat < p->ndats && p->dats[dat] != d) dat++;
  if (dat == p->ndats) MAKE_PUSH(p->dats, p->ndats, d);
  struct rt_slot s = {.dat = dat, .initial = initial};
  return MAKE_PUSH(p->slots, p->nslots, s);
}

static inline void
make_out(struct rt_program *p, uint32_t dat, uint32_t slot) {
  struct rt_out o = {dat, slot};
  MAKE_PUSH(p->outs, p->nouts, o);
}

static inline void
make_cmd(struct rt_program *p, enum rt_cmd_op op, uint32_t a, uint32_t b,
         uint32_t bytes) {
  struct rt_cmd c = {.op = op, .a = a, .b = b, .bytes = bytes};
  MAKE_PUSH(p->cmds, p->ncmds, c);
}

/* A launch and its command; binds are pairs (kind, index). */
static inline struct rt_launch *
make_launch(struct rt_program *p, rt_region_fn fn, uint32_t set,
            enum rt_run_mode mode, int nbinds, ...) {
  struct rt_launch l = {.fn = fn, .name = "test", .set = set, .mode = mode};
  va_list ap;
  va_start(ap, nbinds);
  for (int i = 0; i < nbinds; i++) {
    struct rt_bind b = {.kind = va_arg(ap, uint32_t)};
    b.index = va_arg(ap, uint32_t);
    MAKE_PUSH(l.binds, l.nbinds, b);
  }
  va_end(ap);
  l.timer = rt_timer_get(l.name);
  make_cmd(p, RT_LAUNCH, p->nlaunches, 0, 0);
  MAKE_PUSH(p->launches, p->nlaunches, l);
  return &p->launches[p->nlaunches - 1];
}

static inline void
make_conflict(struct rt_launch *l, uint32_t map, uint32_t first,
              uint32_t count) {
  l->conflicts =
      mem_grow(l->conflicts, l->nconflicts + 1, sizeof *l->conflicts);
  l->conflicts[l->nconflicts].map = map;
  l->conflicts[l->nconflicts].first = first;
  l->conflicts[l->nconflicts++].count = count;
}

static inline void
make_reduction(struct rt_launch *l, struct rt_reduction r) {
  MAKE_PUSH(l->reductions, l->nreductions, r);
}

/* A small generator of numbers that is the same everywhere. */
/* All of its two steps. */
static inline status
make_run(struct rt_program *p, int nthreads) {
  TRY(rt_exec_prepare(p, nthreads));
  return rt_exec_run(p);
}

static inline uint32_t
make_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

#endif
