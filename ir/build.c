/* Making a trace: declarations, nodes, and the versions that tie them.
 *
 * problem  A program names arrays; passes need to know which *contents* a loop
 *          wants. Working that out by comparing accesses of all pairs of loops
 *          is quadratic, and goes stale as soon as a pass moves something.
 * idea     Number the contents. Each dat (strictly: each storage, its `root`)
 *          keeps its newest version; a node takes that as `in` and, if it
 *          writes, makes the next one as `out`. A dependence is then an
 *          operand.
 * example  inc %res        in = res.0, out = res.1
 *          read %res       in = res.1
 *          write %res      (every element, proven) in = none, out = res.2
 * cost     O(1) per declaration (one look-up of the name), O(args^2) per node
 *          with at most 64 arguments.
 * limits   Versions cover whole storages: two loops that write disjoint subsets
 *          of one dat still form a chain.
 */
#include "ir/inner.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct ir_op_info ir_op_info[IR_OP_COUNT] = {
#define OP(name, text, min_args, max_args, root, meaning)                      \
  {text, min_args, max_args, root, meaning},
#include "ir/ops.def"
#undef OP
};

#define OF_DAT IR_DAT
#define OF_GBL IR_GBL
#define OF_PARAM IR_PARAM
#define OF_NONE IR_ARG_OF_NONE
#define TYPE_OF_NO {0}
#define TYPE_OF_I32 {TYPE_I32, sizeof(idx_l)}
#define TYPE_OF_I64 {TYPE_I64, sizeof(idx_g)}
const struct ir_arg_info ir_arg_info[IR_ARG_COUNT] = {
#define ARG(name, word, of, map, number, meaning)                              \
  {word, OF_##of, map, TYPE_OF_##number},
#include "ir/args.def"
#undef ARG
};

const struct ir_rows_info ir_rows_info[IR_ROWS_COUNT] = {
#define ROWS(name, text, of, meaning) [IR_ROWS_##name] = {text, of, meaning},
#include "ir/rows.def"
#undef ROWS
};

const struct ir_flag_info ir_flag_info[] = {
#define FLAG(owner, text, bit, meaning) {text, IR_FLAGS_##owner, bit, meaning},
#include "ir/flags.def"
#undef FLAG
};
const uint32_t ir_flag_count = sizeof ir_flag_info / sizeof *ir_flag_info;

/* ---- names ------------------------------------------------------------- */

/* Kernels have names of their own (@), all else shares one space (%). */
static char
name_space(enum ir_decl kind) {
  return kind == IR_DECL_KERNEL ? '@' : '%';
}

static void
name_key(struct str *key, char space, const char *name) {
  str_reset(key);
  str_addn(key, &space, 1);
  str_add(key, name);
}

/* Declaration number and kind in one non-zero word. */
static uintptr_t
name_word(enum ir_decl kind, ir_ref i) {
  return ((uintptr_t)i << 2 | (uintptr_t)kind) + 1;
}

/* Enter `name`, or the first of name'2, name'3, ... that is free; how far the
 * numbers went is kept under "#name", so that a thousand temporaries of one
 * name cost a thousand look-ups. */
static const char *
name_enter(struct ir_trace *t, enum ir_decl kind, ir_ref i, const char *name) {
  struct str key = STR_INIT, next = STR_INIT, text = STR_INIT;
  char space = name_space(kind);
  str_add(&text, name && *name ? name : "anon");
  name_key(&key, space, text.s);
  if (table_get(&t->names, key.s, key.len, 0)) {
    str_printf(&next, "#%s", key.s);
    uintptr_t k = table_get(&t->names, next.s, next.len, 2);
    do {
      str_reset(&text);
      str_printf(&text, "%s'%zu", name && *name ? name : "anon", (size_t)k++);
      name_key(&key, space, text.s);
    } while (table_get(&t->names, key.s, key.len, 0));
    *table_slot(&t->names, next.s, next.len) = k;
  }
  *table_slot(&t->names, key.s, key.len) = name_word(kind, i);
  const char *kept = arena_str(&t->arena, text.s);
  str_clear(&key);
  str_clear(&next);
  str_clear(&text);
  return kept;
}

ir_ref
ir_find(const struct ir_trace *t, enum ir_decl kind, const char *name) {
  struct str key = STR_INIT;
  name_key(&key, name_space(kind), name);
  uintptr_t word = table_get(&t->names, key.s, key.len, 0);
  str_clear(&key);
  if (!word || ((word - 1) & 3) != (uintptr_t)kind) return IR_NONE;
  return (ir_ref)((word - 1) >> 2);
}

/* ---- traces ------------------------------------------------------------ */

struct ir_trace *
ir_trace_new(const char *name) {
  struct ir_trace *t = mem_alloc(1, sizeof *t);
  t->name = arena_str(&t->arena, name && *name ? name : "anon");
  t->args = mem_alloc(1, sizeof *t->args); /* ir_args() adds to it */
  t->capargs = 1;
  return t;
}

void
ir_trace_free(struct ir_trace *t) {
  if (!t) return;
  free(t->sets);
  free(t->maps);
  free(t->dats);
  free(t->kernels);
  free(t->args);
  free(t->nodes);
  free(t->values);
  free(t->regions);
  free(t->holds);
  free(t->buffers);
  free(t->chains);
  free(t->remarks);
  table_clear(&t->names);
  arena_clear(&t->arena);
  free(t);
}

static void *
array_copy(const void *from, uint32_t n, size_t size) {
  void *p = mem_grow(NULL, n, size);
  if (n) memcpy(p, from, n * size);
  return p;
}

#define CLONE(c, t, name)                                                      \
  ((c)->name = array_copy((t)->name, (t)->n##name, sizeof *(t)->name),         \
   (c)->n##name = (c)->cap##name = (t)->n##name)

static void
levels_take(struct ir_trace *t, struct ir_set *s) {
  const idx_g *from = s->levels;
  if (!s->nlevels) return;
  idx_g *own = ARENA_ARRAY(&t->arena, idx_g, s->nlevels);
  memcpy(own, from, s->nlevels * sizeof *own);
  s->levels = own;
}

static void
rule_take(struct ir_trace *t, struct ir_map *m) {
  const struct ir_area *from = m->rule;
  if (!from) return;
  struct ir_area *own = ARENA_ARRAY(&t->arena, struct ir_area, m->arity);
  memcpy(own, from, m->arity * sizeof *own);
  m->rule = own;
}

static void
chain_take(struct ir_trace *t, struct ir_chain *c) {
  const ir_ref *from = c->own;
  c->own = ARENA_ARRAY(&t->arena, ir_ref, c->nown);
  if (c->nown) memcpy(c->own, from, c->nown * sizeof *from);
}

/* Names are free in the clone, so that entering them again changes none. */
static void
clone_names(struct ir_trace *c) {
  for (ir_ref i = 0; i < c->nsets; i++)
    c->sets[i].name = name_enter(c, IR_DECL_SET, i, c->sets[i].name);
  for (ir_ref i = 0; i < c->nsets; i++) levels_take(c, &c->sets[i]);
  for (ir_ref i = 0; i < c->nmaps; i++)
    c->maps[i].name = name_enter(c, IR_DECL_MAP, i, c->maps[i].name);
  for (ir_ref i = 0; i < c->nmaps; i++) rule_take(c, &c->maps[i]);
  for (ir_ref i = 0; i < c->ndats; i++)
    c->dats[i].name = name_enter(c, IR_DECL_DAT, i, c->dats[i].name);
  for (ir_ref i = 0; i < c->ndats; i++)
    if (c->dats[i].at) c->dats[i].at = arena_str(&c->arena, c->dats[i].at);
  for (ir_ref i = 0; i < c->nkernels; i++)
    c->kernels[i].name = name_enter(c, IR_DECL_KERNEL, i, c->kernels[i].name);
  for (ir_ref i = 0; i < c->nchains; i++) chain_take(c, &c->chains[i]);
  for (ir_ref i = 0; i < c->nremarks; i++)
    c->remarks[i] = arena_str(&c->arena, c->remarks[i]);
}

/* The call's file, shared with the node before where it is the same. */
static const char *
node_file(struct ir_trace *t, ir_ref before, const char *file) {
  const char *last = before < t->nnodes ? t->nodes[before].file : NULL;
  if (!file) return NULL;
  return last && !strcmp(last, file) ? last : arena_str(&t->arena, file);
}

/* Texts of targets are few: the trace keeps each of them once per use in a
 * row. */
static const char *
node_target(struct ir_trace *t, ir_ref before, const char *target) {
  const char *last = before < t->nnodes ? t->nodes[before].target : NULL;
  if (!target) return NULL;
  return last && !strcmp(last, target) ? last : arena_str(&t->arena, target);
}

struct ir_trace *
ir_trace_clone(const struct ir_trace *t) {
  struct ir_trace *c = ir_trace_new(t->name);
  c->placed = t->placed;
  free(c->args);
  CLONE(c, t, sets);
  CLONE(c, t, maps);
  CLONE(c, t, dats);
  CLONE(c, t, kernels);
  CLONE(c, t, args);
  CLONE(c, t, nodes);
  CLONE(c, t, values);
  CLONE(c, t, regions);
  CLONE(c, t, holds);
  CLONE(c, t, buffers);
  CLONE(c, t, chains);
  CLONE(c, t, remarks);
  clone_names(c);
  for (ir_ref n = 0; n < c->nnodes; n++) {
    c->nodes[n].file = node_file(c, n - 1, c->nodes[n].file);
    c->nodes[n].target = node_target(c, n - 1, c->nodes[n].target);
  }
  return c;
}

void
ir_remark(struct ir_trace *t, const char *fmt, ...) {
  struct str text = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_vprintf(&text, fmt, ap);
  va_end(ap);
  VEC_PUSH(t->remarks, t->nremarks, t->capremarks,
           arena_str(&t->arena, text.s));
  str_clear(&text);
}

/* ---- declarations ------------------------------------------------------ */

ir_ref
ir_add_set(struct ir_trace *t, struct ir_set s) {
  assert(s.n >= 0);
  s.name = name_enter(t, IR_DECL_SET, t->nsets, s.name);
  levels_take(t, &s);
  VEC_PUSH(t->sets, t->nsets, t->capsets, s);
  return t->nsets - 1;
}

ir_ref
ir_add_chain(struct ir_trace *t, struct ir_chain c) {
  assert(c.piece || (c.box < t->nsets && c.nsides && c.side[0].rows > 0));
  chain_take(t, &c);
  VEC_PUSH(t->chains, t->nchains, t->capchains, c);
  return t->nchains - 1;
}

ir_ref
ir_add_map(struct ir_trace *t, struct ir_map m) {
  assert(m.from < t->nsets && m.to < t->nsets);
  m.name = name_enter(t, IR_DECL_MAP, t->nmaps, m.name);
  rule_take(t, &m);
  VEC_PUSH(t->maps, t->nmaps, t->capmaps, m);
  return t->nmaps - 1;
}

ir_ref
ir_add_dat(struct ir_trace *t, struct ir_dat d) {
  ir_ref i = t->ndats;
  assert(ir_kind_on_set(d.kind) ? d.set < t->nsets : d.set == IR_NONE);
  assert(d.root == IR_NONE || d.root == i || d.root < i);
  if (d.root == IR_NONE) d.root = i;
  assert(d.root == i || t->dats[d.root].root == d.root);
  d.name = name_enter(t, IR_DECL_DAT, i, d.name);
  if (d.at) d.at = arena_str(&t->arena, d.at);
  d.nvalues = 0;
  d.last = IR_NONE;
  VEC_PUSH(t->dats, t->ndats, t->capdats, d);
  if (d.root == i && d.kind != IR_PARAM) ir_new_value(t, i, IR_NONE);
  return i;
}

ir_ref
ir_add_kernel(struct ir_trace *t, struct ir_kernel k) {
  k.name = name_enter(t, IR_DECL_KERNEL, t->nkernels, k.name);
  VEC_PUSH(t->kernels, t->nkernels, t->capkernels, k);
  return t->nkernels - 1;
}

/* ---- values ------------------------------------------------------------ */

ir_ref
ir_new_value(struct ir_trace *t, ir_ref root, ir_ref def) {
  ir_ref v = t->nvalues;
  struct ir_dat *d = &t->dats[root];
  assert(d->root == root);
  struct ir_value value = {root, d->nvalues++, def, v, IR_NONE};
  VEC_PUSH(t->values, t->nvalues, t->capvalues, value);
  d->last = v;
  return v;
}

ir_ref
ir_find_value(const struct ir_trace *t, ir_ref root, uint32_t version) {
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (t->values[v].dat == root && t->values[v].version == version) return v;
  return IR_NONE;
}

void
ir_set_same(struct ir_trace *t, ir_ref v, ir_ref as) {
  ir_ref from = t->values[v].same, to = t->values[as].same;
  for (ir_ref i = 0; i < t->nvalues; i++)
    if (t->values[i].same == from) t->values[i].same = to;
}

void
ir_add_same(struct ir_trace *t, ir_ref dat_a, ir_ref dat_b) {
  ir_ref a = ir_find_value(t, ir_root(t, dat_a), 0);
  ir_ref b = ir_find_value(t, ir_root(t, dat_b), 0);
  assert(a != IR_NONE && b != IR_NONE);
  ir_ref x = t->values[a].same, y = t->values[b].same;
  bool a_first = t->values[x].dat < t->values[y].dat;
  if (a_first)
    ir_set_same(t, b, a); /* the earlier declaration names the class */
  else
    ir_set_same(t, a, b);
}

/* ---- nodes ------------------------------------------------------------- */

/* Fields that mean nothing for the argument's kind get one fixed value, so that
 * equal text means equal arguments. */
void
ir_arg_normalise(const struct ir_trace *t, struct ir_arg *a) {
  bool length = a->kind == IR_ARG_LENGTH;
  const struct ir_arg_info *info = &ir_arg_info[a->kind];
  if (!info->map) a->map = IR_NONE;
  bool names = a->map != IR_NONE || ir_arg_inline(t, a);
  if (!names || length) a->entry = a->vector = 0;
  if (a->kind != IR_ARG_INFO) a->info_of = 0;
  if (a->kind != IR_ARG_DAT) a->own = false;
  if (info->of == IR_ARG_OF_NONE) a->dat = IR_NONE;
  if (a->kind == IR_ARG_INFO) a->access = ACC_RW;
  if (!ir_arg_has_value(a)) {
    if (a->kind != IR_ARG_PARAM || a->access != ACC_WORK) a->access = ACC_READ;
    a->in = IR_NONE;
  }
  a->out = IR_NONE;
}

bool
ir_covers(const struct ir_trace *t, const struct ir_arg *a, uint32_t n,
          ir_ref root) {
  for (uint32_t i = 0; i < n; i++)
    if (ir_arg_writes(&a[i]) && ir_root(t, a[i].dat) == root &&
        a[i].access == ACC_WRITE && a[i].in == IR_NONE && a[i].dat == root &&
        (!ir_arg_inline(t, &a[i]) ||
         ir_arg_count(&a[i]) == t->dats[root].parts))
      return true;
  return false;
}

/* First argument on the same storage that has its `out` already. */
static ir_ref
out_of(const struct ir_trace *t, const struct ir_arg *a, uint32_t n,
       ir_ref root) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i].out != IR_NONE && t->values[a[i].out].dat == root) return a[i].out;
  return IR_NONE;
}

static void
link_in(const struct ir_trace *t, struct ir_arg *a, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (!ir_arg_has_value(&a[i])) continue;
    ir_ref root = ir_root(t, a[i].dat);
    bool needs = access_info[a[i].access].reads ||
                 (a[i].access == ACC_WRITE && !ir_covers(t, a, n, root));
    a[i].in = needs ? t->dats[root].last : IR_NONE;
  }
}

void
ir_link_out(struct ir_trace *t, ir_ref n) {
  struct ir_arg *a = ir_args(t, &t->nodes[n]);
  uint32_t nargs = t->nodes[n].nargs;
  for (uint32_t i = 0; i < nargs; i++) {
    if (!ir_arg_writes(&a[i])) continue;
    ir_ref root = ir_root(t, a[i].dat), out = out_of(t, a, i, root);
    a[i].out = out != IR_NONE ? out : ir_new_value(t, root, n);
  }
  if (t->nodes[n].op == IR_ALIAS) ir_set_same(t, a[1].out, a[0].in);
}

ir_ref
ir_push_node(struct ir_trace *t, struct ir_node n, const struct ir_arg *args) {
  n.arg0 = t->nargs;
  n.region = IR_NONE;
  n.file = node_file(t, t->nnodes - 1, n.file);
  n.target = node_target(t, t->nnodes - 1, n.target);
  if (!n.file || n.line < 0) n.line = 0;
  for (uint32_t i = 0; i < n.nargs; i++)
    VEC_PUSH(t->args, t->nargs, t->capargs, args[i]);
  VEC_PUSH(t->nodes, t->nnodes, t->capnodes, n);
  return t->nnodes - 1;
}

ir_ref
ir_add_node(struct ir_trace *t, struct ir_node n, const struct ir_arg *args) {
  assert(n.op < IR_OP_COUNT);
  assert((int)n.nargs >= ir_op_info[n.op].min_args);
  assert(n.op == IR_LOOP ? n.kernel < t->nkernels && n.set < t->nsets
                         : n.kernel == IR_NONE && n.set == IR_NONE);
  ir_ref i = ir_push_node(t, n, args);
  struct ir_arg *a = ir_args(t, &t->nodes[i]);
  for (uint32_t k = 0; k < n.nargs; k++) ir_arg_normalise(t, &a[k]);
  link_in(t, a, n.nargs);
  ir_link_out(t, i);
  return i;
}

/* ---- LIVE -------------------------------------------------------------- */

/* freed[d]: a FREE ends root d. Caller frees. */
static bool *
freed_roots(const struct ir_trace *t) {
  bool *freed = mem_alloc(t->ndats, sizeof *freed);
  for (ir_ref n = 0; n < t->nnodes; n++)
    if (t->nodes[n].op == IR_FREE)
      freed[ir_root(t, ir_args(t, &t->nodes[n])->dat)] = true;
  return freed;
}

ir_ref
ir_add_live(struct ir_trace *t) {
  bool *freed = freed_roots(t);
  struct ir_arg *args = NULL;
  uint32_t n = 0, cap = 0;
  for (ir_ref d = 0; d < t->ndats; d++) {
    const struct ir_dat *dat = &t->dats[d];
    bool kept = dat->root == d && !(dat->flags & IR_DAT_RAW) && !freed[d];
    if (!kept || dat->nvalues < 2) continue;
    struct ir_arg a = {.kind = dat->kind == IR_DAT ? IR_ARG_DAT : IR_ARG_GBL,
                       .dat = d,
                       .map = IR_NONE,
                       .in = IR_NONE,
                       .out = IR_NONE};
    VEC_PUSH(args, n, cap, a);
  }
  struct ir_node live = {
      .op = IR_LIVE, .kernel = IR_NONE, .set = IR_NONE, .nargs = n};
  ir_ref node = ir_add_node(t, live, args);
  free(args);
  free(freed);
  return node;
}
