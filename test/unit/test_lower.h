/* A lowering case: a trace as text, kernels as C, arrays by name.
 *
 *   struct lower_case c;
 *   lower_case_init(&c, trace_text, c_source);
 *   lower_case_passes(&c, "fuse,storage");    unless the text has regions
 *   lower_case_map(&c, "pe", table);          every map
 *   lower_case_dat(&c, "q", data);            every dat; NULL: zeros
 *   lower_case_global(&c, "rms", &rms);       every global and param
 *   lower_case_run(&c, 1);
 *   lower_case_get(&c, "q")[i]
 *   lower_case_clear(&c);
 *
 * Kernels are compiled by clang as op2cc does it; the numbers of their
 * parameters are counted off the trace. Opaque kernels are called at `address`.
 * */
#ifndef TEST_LOWER_H
#define TEST_LOWER_H

#include "base/counters.h"
#include "lower/maker.h"
#include "passes/pass.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lower_case {
  struct ir_trace *t;
  struct low_program lp;
  struct low_kernel *kernels;
  struct str bitcode;
  struct rt_set *sets;
  struct rt_relation *maps;
  struct rt_dat *dats;
  void **values; /* of globals and params, by declaration */
  /* constants of all kernels, by epoch: folded[i] NULL: bound to value[i] */
  struct low_const *consts;
  uint32_t nconsts;
  const void *(*constant)(uint32_t epoch, uint32_t i);
  const void *(*captured)(uint32_t node_tag, uint32_t i);
  struct rt_device *device; /* of all targets; NULL: there is none */
  bool quick;               /* code is not optimised */
  uint32_t beside;          /* ... at first, and so many threads optimise it, */
  double quick_most;        /* where a run takes no more seconds */
};

static inline void
lower_case_compile(const char *source, struct str *out) {
  char c[] = "/tmp/lower_case_XXXXXX", bc[64], cmd[512];
  int fd = mkstemp(c);
  cr_assert(fd >= 0);
  cr_assert(write(fd, source, strlen(source)) == (ssize_t)strlen(source));
  close(fd);
  snprintf(bc, sizeof bc, "%s.bc", c);
  snprintf(cmd, sizeof cmd,
           "clang-19 -x c -O2 -Xclang -disable-llvm-passes -fno-math-errno "
           "-fno-trapping-math -ffp-contract=on -c -emit-llvm -o %s %s",
           bc, c);
  cr_assert(system(cmd) == 0, "clang");
  cr_assert(str_read_file(out, bc) == 0);
  unlink(c);
  unlink(bc);
}

static inline uint32_t
lower_case_params(const struct ir_trace *t, ir_ref kernel) {
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (t->nodes[n].op == IR_LOOP && t->nodes[n].kernel == kernel)
      return t->nodes[n].nargs;
  return 0;
}

static inline void
lower_case_kernels(struct lower_case *c, const char *source) {
  for (ir_ref k = 0; k < c->t->nkernels; k++) {
    struct low_kernel *x = &c->kernels[k];
    x->name = (char *)(uintptr_t)c->t->kernels[k].name;
    x->opaque = c->t->kernels[k].flags & IR_KERNEL_OPAQUE;
    x->bitcode = c->bitcode.s;
    x->bitcode_bytes = c->bitcode.len;
    x->nparams = lower_case_params(c->t, k);
    /* of the source: bitcode names the file that it was compiled from */
    struct str code = STR_INIT;
    str_printf(&code, "%s\n%s", x->name, source ? source : "");
    digest_of(code.s, code.len, &x->digest);
    str_clear(&code);
    x->copy_from = x->copy_to = -1;
    c->t->kernels[k].tag = k;
  }
}

/* Trace, kernels and empty tables; `source` may be NULL if all are opaque. */
static inline void
lower_case_init(struct lower_case *c, const char *text, const char *source) {
  *c = (struct lower_case){.bitcode = STR_INIT};
  cr_assert_eq(ir_parse(text, "case", &c->t), OK, "%s", err_last());
  struct ir_trace *t = c->t;
  if (source) lower_case_compile(source, &c->bitcode);
  c->kernels = mem_alloc(t->nkernels + 1, sizeof *c->kernels);
  c->sets = mem_alloc(t->nsets + 1, sizeof *c->sets);
  c->maps = mem_alloc(t->nmaps + 1, sizeof *c->maps);
  c->dats = mem_alloc(t->ndats + 1, sizeof *c->dats);
  c->values = mem_alloc(t->ndats + 1, sizeof *c->values);
  lower_case_kernels(c, source);
  for (ir_ref k = 0; k < t->nsets; k++) {
    t->sets[k].tag = k;
    c->sets[k] =
        (struct rt_set){.n = (idx_l)t->sets[k].n, .name = t->sets[k].name};
  }
  for (ir_ref k = 0; k < t->nmaps; k++) t->maps[k].tag = k;
  for (ir_ref k = 0; k < t->ndats; k++) t->dats[k].tag = k;
  for (ir_ref k = 0; k < t->nnodes; k++) t->nodes[k].tag = k;
}

static inline void
lower_case_passes(struct lower_case *c, const char *pipeline) {
  char all[128];
  snprintf(all, sizeof all, "%s,colour,hold,width,stretch,sums", pipeline);
  struct pass_options o = {.pipeline = all, .verify = true};
  cr_assert_eq(pass_run(&c->t, &o), OK, "%s", err_last());
}

static inline ir_ref
lower_case_find(const struct lower_case *c, const char *name) {
  for (ir_ref d = 0; d < c->t->ndats; d++)
    if (!strcmp(c->t->dats[d].name, name)) return d;
  cr_assert_fail("no %s", name);
  return IR_NONE;
}

static inline void
lower_case_map(struct lower_case *c, const char *name, const idx_l *table) {
  static uint64_t version;
  for (ir_ref k = 0; k < c->t->nmaps; k++) {
    const struct ir_map *m = &c->t->maps[k];
    if (strcmp(m->name, name)) continue;
    c->maps[k] = (struct rt_relation){.from = &c->sets[m->from],
                                      .to = &c->sets[m->to],
                                      .arity = m->arity,
                                      .table = table,
                                      .version = ++version,
                                      .name = m->name};
  }
}

/* A relation that is no map of the program, or a map made by others: KEEP. */
static inline void
lower_case_relation(struct lower_case *c, const char *name,
                    struct rt_relation r) {
  ir_ref k = ir_find(c->t, IR_DECL_MAP, name);
  cr_assert_neq(k, IR_NONE, "%s", name);
  cr_assert(r.from == &c->sets[c->t->maps[k].from]);
  cr_assert(r.to == &c->sets[c->t->maps[k].to]);
  c->maps[k] = r;
}

/* The relation of a name. */
static inline const struct rt_relation *
lower_case_rows(const struct lower_case *c, const char *name) {
  return &c->maps[ir_find(c->t, IR_DECL_MAP, name)];
}

static inline void
lower_case_dat(struct lower_case *c, const char *name, const void *data) {
  ir_ref k = lower_case_find(c, name);
  const struct ir_dat *d = &c->t->dats[k];
  struct rt_shape s = {
      (idx_l)c->t->sets[d->set].n, d->dim, d->type, d->block, d->device, NULL};
  bool foreign = d->flags & IR_DAT_PINNED;
  cr_assert_eq(rt_dat_init(&c->dats[k], s, data, foreign), OK);
}

static inline void
lower_case_global(struct lower_case *c, const char *name, void *value) {
  c->values[lower_case_find(c, name)] = value;
}

static inline const struct low_kernel *
lower_case_kernel(void *user, uint32_t tag) {
  return &((struct lower_case *)user)->kernels[tag];
}

static inline const void *
lower_case_constant(void *user, uint32_t tag, uint32_t epoch, uint32_t i) {
  struct lower_case *c = user;
  (void)tag;
  return c->constant ? c->constant(epoch, i) : NULL;
}

static inline struct rt_device *
lower_case_device(void *user, const char *target) {
  (void)target;
  return ((struct lower_case *)user)->device;
}

static inline struct low_env
lower_case_env(struct lower_case *c) {
  return (struct low_env){.kernel = lower_case_kernel,
                          .constant = lower_case_constant,
                          .device = lower_case_device,
                          .user = c,
                          .vector_math = true,
                          .quick = c->quick,
                          .beside = c->beside,
                          .quick_most = c->quick_most,
                          .ranks = 1};
}

static inline status
lower_case_lower(struct lower_case *c) {
  struct low_env env = lower_case_env(c);
  for (ir_ref k = 0; k < c->t->nkernels; k++) {
    c->kernels[k].consts = c->consts;
    c->kernels[k].nconsts = c->nconsts;
  }
  return low_lower(c->t, &env, &c->lp);
}

static inline void
lower_case_bind(struct lower_case *c) {
  struct rt_program *p = c->lp.program;
  for (uint32_t k = 0; k < p->nsets; k++)
    p->sets[k] = &c->sets[c->lp.set_tags[k]];
  for (uint32_t k = 0; k < p->nmaps; k++)
    p->maps[k] = &c->maps[c->lp.maps[k].tag];
  for (uint32_t k = 0; k < p->ndats; k++)
    p->dats[k] = &c->dats[c->lp.dat_tags[k]];
  for (uint32_t k = 0; k < p->nglobals; k++)
    p->globals[k] = c->values[c->lp.global_tags[k]];
  for (uint32_t k = 0; k < p->naddresses; k++)
    p->addresses[k] =
        (void *)(uintptr_t)c->kernels[c->lp.address_tags[k]].address;
  for (uint32_t k = 0; k < p->nparams; k++) {
    const struct low_capture *x = &c->lp.captures[k];
    p->params[k] = x->kind == LOW_CAPTURE_PARAM
                       ? c->values[x->index]
                       : c->captured(x->node_tag, x->index);
  }
}

static inline void
lower_case_run(struct lower_case *c, int threads) {
  if (!c->lp.program) cr_assert_eq(lower_case_lower(c), OK, "%s", err_last());
  lower_case_bind(c);
  status st = rt_exec_prepare(c->lp.program, threads);
  if (st == OK) st = rt_exec_run(c->lp.program);
  cr_assert_eq(st, OK, "%s", err_last());
}

/* Current values, AoS. */
static inline const double *
lower_case_get(struct lower_case *c, const char *name) {
  struct rt_dat *d = &c->dats[lower_case_find(c, name)];
  rt_dat_sync(d);
  return (const double *)d->mirror;
}

static inline void
lower_case_clear(struct lower_case *c) {
  low_program_clear(&c->lp);
  for (ir_ref k = 0; k < c->t->ndats; k++)
    if (c->t->dats[k].kind == IR_DAT) rt_dat_clear(&c->dats[k]);
  ir_trace_free(c->t);
  str_clear(&c->bitcode);
  free(c->kernels);
  free(c->sets);
  free(c->maps);
  free(c->dats);
  free(c->values);
}

#endif
