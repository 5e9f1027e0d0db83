/* For tests of the IR: short ways to declare and append, random traces, and an
 * interpreter that says what a trace computes. */
#ifndef TEST_IR_MAKE_H
#define TEST_IR_MAKE_H

#include "ir/ir.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t
mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static inline uint32_t
rnd(uint64_t *state, uint32_t below) {
  *state = mix(*state, 1);
  return (uint32_t)(*state >> 32) % below;
}

static inline ir_ref
make_dat(struct ir_trace *t, const char *name, uint32_t flags) {
  struct ir_dat d = {.name = name,
                     .kind = IR_DAT,
                     .set = 0,
                     .type = {TYPE_F64, 8},
                     .dim = 1,
                     .block = 1,
                     .flags = flags,
                     .root = IR_NONE};
  return ir_add_dat(t, d);
}

static inline ir_ref
make_view(struct ir_trace *t, const char *name, ir_ref root) {
  struct ir_dat d = {.name = name,
                     .kind = IR_DAT,
                     .set = 0,
                     .type = {TYPE_F64, 8},
                     .dim = 1,
                     .block = 1,
                     .root = root};
  return ir_add_dat(t, d);
}

static inline ir_ref
make_gbl(struct ir_trace *t, const char *name, uint32_t flags) {
  struct ir_dat d = {.name = name,
                     .kind = IR_GBL,
                     .set = IR_NONE,
                     .type = {TYPE_F64, 8},
                     .dim = 1,
                     .block = 1,
                     .flags = flags,
                     .root = IR_NONE};
  return ir_add_dat(t, d);
}

/* One set, one map to itself, one kernel; all numbered 0. */
static inline struct ir_trace *
make_trace(void) {
  struct ir_trace *t = ir_trace_new("t");
  ir_add_set(t, (struct ir_set){.name = "cells", .n = 10});
  ir_add_map(t, (struct ir_map){.name = "nb", .arity = 2});
  ir_add_kernel(
      t, (struct ir_kernel){.name = "k", .copy_from = -1, .copy_to = -1});
  return t;
}

/* A direct argument; a WRITE is full. */
static inline struct ir_arg
arg(const struct ir_trace *t, ir_ref dat, enum access access) {
  bool gbl = t->dats[dat].kind == IR_GBL;
  return (struct ir_arg){.kind = gbl ? IR_ARG_GBL : IR_ARG_DAT,
                         .access = (uint8_t)access,
                         .dat = dat,
                         .map = IR_NONE,
                         .in = IR_NONE,
                         .out = IR_NONE};
}

/* A WRITE that covers only a part. */
static inline struct ir_arg
part(const struct ir_trace *t, ir_ref dat) {
  struct ir_arg a = arg(t, dat, ACC_WRITE);
  a.in = 0;
  return a;
}

static inline struct ir_node
loop_of(uint32_t nargs) {
  return (struct ir_node){
      .op = IR_LOOP, .kernel = 0, .set = 0, .nargs = nargs, .region = IR_NONE};
}

#define LOOP(t, ...)                                                           \
  ir_add_node(                                                                 \
      (t),                                                                     \
      loop_of(sizeof((struct ir_arg[]){__VA_ARGS__}) / sizeof(struct ir_arg)), \
      (struct ir_arg[]){__VA_ARGS__})

static inline ir_ref
make_plain(struct ir_trace *t, enum ir_op op, uint32_t nargs,
           const struct ir_arg *args) {
  struct ir_node n = {.op = (uint8_t)op,
                      .kernel = IR_NONE,
                      .set = IR_NONE,
                      .nargs = nargs,
                      .region = IR_NONE};
  return ir_add_node(t, n, args);
}

#define PLAIN(t, op, ...)                                                      \
  make_plain((t), (op),                                                        \
             sizeof((struct ir_arg[]){__VA_ARGS__}) / sizeof(struct ir_arg),   \
             (struct ir_arg[]){__VA_ARGS__})

static inline const struct ir_arg *
arg_of(const struct ir_trace *t, ir_ref node, uint32_t k) {
  return &ir_args(t, &t->nodes[node])[k];
}

static inline uint32_t
in_of(const struct ir_trace *t, ir_ref node, uint32_t k) {
  ir_ref v = arg_of(t, node, k)->in;
  return v == IR_NONE ? UINT32_MAX : t->values[v].version;
}

static inline uint32_t
out_of(const struct ir_trace *t, ir_ref node, uint32_t k) {
  ir_ref v = arg_of(t, node, k)->out;
  return v == IR_NONE ? UINT32_MAX : t->values[v].version;
}

static inline void
assert_legal(const struct ir_trace *t) {
  struct str why = STR_INIT, text = STR_INIT;
  int n = ir_verify(t, &why);
  if (n) ir_print(t, &text);
  cr_assert_eq(n, 0, "%s%s", why.s, text.s);
  str_clear(&why);
  str_clear(&text);
}

/* ---- random traces ----------------------------------------------------- */

/* A loop with 1 to 4 arguments on different dats of [0, ndats). */
static inline void
random_loop(struct ir_trace *t, uint64_t *r, uint32_t tag) {
  static const enum access accesses[] = {ACC_READ,  ACC_READ, ACC_INC, ACC_INC,
                                         ACC_WRITE, ACC_RW,   ACC_MIN, ACC_MAX};
  struct ir_arg args[4];
  uint32_t n = 1 + rnd(r, 4), used = 0;
  for (uint32_t k = 0; k < n; k++) {
    ir_ref d = rnd(r, t->ndats);
    enum access acc = accesses[rnd(r, 8)];
    bool again = false;
    for (uint32_t j = 0; j < used; j++) again |= args[j].dat == d;
    if (again) continue;
    args[used] = arg(t, d, acc);
    if (acc == ACC_WRITE && rnd(r, 3) == 0) args[used].in = 0;
    used++;
  }
  struct ir_node node = loop_of(used);
  node.tag = tag;
  ir_add_node(t, node, args);
}

static inline struct ir_trace *
random_trace(uint64_t *r, uint32_t ndats, uint32_t nloops) {
  struct ir_trace *t = make_trace();
  for (uint32_t d = 0; d < ndats; d++) make_dat(t, "d", 0);
  for (uint32_t i = 0; i < nloops; i++) random_loop(t, r, i);
  return t;
}

/* ---- what a trace computes --------------------------------------------- */

/* What one loop puts out: a function of its tag and of all that it reads but
 * does not merely combine. */
static inline uint64_t
loop_word(const struct ir_trace *t, ir_ref n, const uint64_t *dats) {
  uint64_t h = t->nodes[n].tag;
  for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
    const struct ir_arg *a = arg_of(t, n, k);
    bool combines = access_info[a->access].commutes && a->out != IR_NONE;
    if (a->in != IR_NONE && !combines) h = mix(h, dats[a->dat]);
  }
  return h;
}

/* Run the loops one after another on one word per dat. */
static inline void
run_trace(const struct ir_trace *t, uint64_t *dats) {
  for (ir_ref n = 0; n < t->nnodes; n++) {
    uint64_t h = loop_word(t, n, dats);
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++) {
      const struct ir_arg *a = arg_of(t, n, k);
      uint64_t *d = &dats[a->dat], mine = mix(h, a->dat);
      if (a->access == ACC_INC) *d += mine;
      if (a->access == ACC_MIN) *d = mine < *d ? mine : *d;
      if (a->access == ACC_MAX) *d = mine > *d ? mine : *d;
      if (a->access == ACC_WRITE || a->access == ACC_RW) *d = mine;
    }
  }
}

/* The same through versions: each operand is what its definition made. */
static inline void
run_versions(const struct ir_trace *t, const uint64_t *start, uint64_t *last) {
  uint64_t *v = mem_alloc(t->nvalues, sizeof *v);
  uint64_t *now = mem_alloc(t->ndats, sizeof *now);
  for (ir_ref i = 0; i < t->nvalues; i++)
    if (t->values[i].version == 0) v[i] = start[t->values[i].dat];
  memcpy(last, start, t->ndats * sizeof *last);
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_arg *a = ir_args(t, &t->nodes[n]);
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
      if (a[k].in != IR_NONE) now[a[k].dat] = v[a[k].in];
    struct ir_trace one = *t;
    one.nodes = &t->nodes[n];
    one.nnodes = 1;
    run_trace(&one, now);
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
      if (a[k].out != IR_NONE) last[a[k].dat] = v[a[k].out] = now[a[k].dat];
  }
  free(v);
  free(now);
}

#endif
