/* Text to trace: recursive descent with one token of lookahead; the grammar is
 * in doc/ir.md, the words of operations, accesses and flags come from the
 * tables.
 *
 * problem  Texts come from dumps, from tests that want broken traces, and from
 *          fuzzers. All must give a trace or a message, never a crash.
 * idea     The parser checks what it needs to build the arrays: names that
 *          exist, numbers in range, one definition of a version, a result for
 *          each storage that a node writes. Everything that is a matter of
 *          meaning (order, arities, shapes) is left to ir_verify, so that the
 *          verifier can be tested with text.
 * cost     O(text); one look-up for each name and version.
 * limits   Nesting is two deep (trace, region); nothing recurses on its input.
 */
#include "ir/inner.h"
#include "ir/lex.h"

#include <stdlib.h>
#include <string.h>

struct parser {
  struct ir_lexer x;
  struct ir_trace *t;
  struct table values; /* {dat, version} -> value + 1 */
  ir_ref *results;     /* by dat: what the node at hand defines of this root */
  uint32_t nresults;
  ir_ref region;       /* the region we are in */
  struct ir_arg *args; /* of the node at hand */
  uint32_t nargs, capargs;
};

/* ---- small pieces ------------------------------------------------------ */

static status
want_punct(struct parser *p, char c) {
  if (!ir_lex_is(&p->x, c)) {
    if (c == '>') return ir_lex_expected(&p->x, "'->'");
    return ir_lex_expected(&p->x, "'%c'", c);
  }
  return ir_lex_next(&p->x);
}

static status
want_word(struct parser *p, const char *word) {
  if (!ir_lex_is_word(&p->x, word)) return ir_lex_expected(&p->x, "'%s'", word);
  return ir_lex_next(&p->x);
}

/* A number in [lo, hi]. */
static status
want_number(struct parser *p, int64_t lo, int64_t hi, int64_t *out) {
  if (p->x.kind != IR_TOK_NUMBER || p->x.number < lo || p->x.number > hi)
    return ir_lex_expected(&p->x, "a number from %lld to %lld", (long long)lo,
                           (long long)hi);
  *out = p->x.number;
  return ir_lex_next(&p->x);
}

/* x<k>: k from 1 */
static status
want_times(struct parser *p, uint32_t *out) {
  uint64_t v = 0;
  bool ok = p->x.kind == IR_TOK_WORD && p->x.len > 1 && *p->x.begin == 'x';
  for (size_t i = 1; ok && i < p->x.len; i++) {
    char c = p->x.begin[i];
    ok = c >= '0' && c <= '9';
    v = 10 * v + (uint64_t)(c - '0');
    ok = ok && v < UINT32_MAX;
  }
  if (!ok || !v) return ir_lex_expected(&p->x, "a size such as x4");
  *out = (uint32_t)v;
  return ir_lex_next(&p->x);
}

static status
want_type(struct parser *p, struct type *out) {
  if (p->x.kind != IR_TOK_WORD || !type_from_text(p->x.begin, p->x.len, out))
    return ir_lex_expected(&p->x, "a type such as f64, i32 or b24");
  return ir_lex_next(&p->x);
}

/* The name of something declared before, as a reference to it. */
static status
want_decl(struct parser *p, enum ir_decl kind, ir_ref *out) {
  static const char *const what[] = {"a set", "a map", "a dat, gbl or param",
                                     "a kernel"};
  char sigil = kind == IR_DECL_KERNEL ? '@' : '%';
  if (p->x.kind != IR_TOK_NAME || p->x.punct != sigil)
    return ir_lex_expected(&p->x, "%s (%c...)", what[kind], sigil);
  *out = ir_find(p->t, kind, p->x.name.s);
  if (*out == IR_NONE)
    return ir_lex_expected(&p->x, "%s declared before", what[kind]);
  return ir_lex_next(&p->x);
}

/* Words of this owner's flags are added to *flags as long as they come. */
static status
some_flags(struct parser *p, enum ir_flag_owner owner, uint32_t *flags) {
  for (uint32_t i = 0; i < ir_flag_count; i++)
    if (ir_flag_info[i].owner == owner &&
        ir_lex_is_word(&p->x, ir_flag_info[i].text)) {
      *flags |= ir_flag_info[i].bit;
      TRY(ir_lex_next(&p->x));
      i = UINT32_MAX; /* from the first row again */
    }
  return OK;
}

/* ---- declarations ------------------------------------------------------ */

/* A new name; the text is KEEP until the next call, `at` is where it stands. */
static status
new_name(struct parser *p, char sigil, struct str *name_out) {
  if (p->x.kind != IR_TOK_NAME || p->x.punct != sigil)
    return ir_lex_expected(&p->x, "a name (%c...)", sigil);
  const char *name = p->x.name.s;
  bool taken = sigil == '@' ? ir_find(p->t, IR_DECL_KERNEL, name) != IR_NONE
                            : ir_find(p->t, IR_DECL_SET, name) != IR_NONE ||
                                  ir_find(p->t, IR_DECL_MAP, name) != IR_NONE ||
                                  ir_find(p->t, IR_DECL_DAT, name) != IR_NONE;
  if (taken) return ir_lex_expected(&p->x, "a name not declared before");
  str_add(name_out, name);
  return ir_lex_next(&p->x);
}

static status
set_decl(struct parser *p, const char *name) {
  int64_t n;
  TRY(want_word(p, "n"));
  TRY(want_punct(p, '='));
  TRY(want_number(p, 0, INT64_MAX, &n));
  ir_add_set(p->t, (struct ir_set){.name = name, .n = n});
  return OK;
}

static status
map_decl(struct parser *p, const char *name) {
  struct ir_map m = {.name = name};
  TRY(want_punct(p, ':'));
  TRY(want_decl(p, IR_DECL_SET, &m.from));
  TRY(want_punct(p, '>'));
  TRY(want_decl(p, IR_DECL_SET, &m.to));
  TRY(want_times(p, &m.arity));
  TRY(some_flags(p, IR_FLAGS_MAP, &m.flags));
  ir_add_map(p->t, m);
  return OK;
}

/* [block=<b>] [temp] [pinned] [raw] [storage %root] */
static status
dat_tail(struct parser *p, struct ir_dat *d) {
  if (d->kind == IR_DAT && ir_lex_is_word(&p->x, "block")) {
    int64_t b;
    TRY(ir_lex_next(&p->x));
    TRY(want_punct(p, '='));
    TRY(want_number(p, 0, UINT32_MAX, &b));
    d->block = (uint32_t)b;
  }
  if (d->kind == IR_DAT) TRY(some_flags(p, IR_FLAGS_DAT, &d->flags));
  if (d->kind == IR_GBL) TRY(some_flags(p, IR_FLAGS_GBL, &d->flags));
  if (d->kind == IR_PARAM || !ir_lex_is_word(&p->x, "storage")) return OK;
  TRY(ir_lex_next(&p->x));
  struct ir_lexer *x = &p->x;
  ir_ref root = x->kind == IR_TOK_NAME && x->punct == '%'
                    ? ir_find(p->t, IR_DECL_DAT, x->name.s)
                    : IR_NONE;
  if (root == IR_NONE || ir_root(p->t, root) != root ||
      p->t->dats[root].kind != d->kind)
    return ir_lex_expected(x, "a dat of this kind with storage of its own");
  d->root = root;
  return ir_lex_next(x);
}

static status
any_dat_decl(struct parser *p, const char *name, enum ir_dat_kind kind) {
  struct ir_dat d = {
      .name = name, .kind = kind, .set = IR_NONE, .block = 1, .root = IR_NONE};
  TRY(want_punct(p, ':'));
  if (kind == IR_DAT) TRY(want_decl(p, IR_DECL_SET, &d.set));
  TRY(want_type(p, &d.type));
  TRY(want_times(p, &d.dim));
  TRY(dat_tail(p, &d));
  ir_ref i = ir_add_dat(p->t, d), v = p->t->dats[i].last;
  if (v == IR_NONE) return OK;
  uint32_t key[2] = {i, 0};
  *table_slot(&p->values, key, sizeof key) = (uintptr_t)v + 1;
  return OK;
}

static status
dat_decl(struct parser *p, const char *name) {
  return any_dat_decl(p, name, IR_DAT);
}

static status
gbl_decl(struct parser *p, const char *name) {
  return any_dat_decl(p, name, IR_GBL);
}

static status
param_decl(struct parser *p, const char *name) {
  return any_dat_decl(p, name, IR_PARAM);
}

static status
kernel_decl(struct parser *p, const char *name) {
  struct ir_kernel k = {.name = name, .copy_from = -1, .copy_to = -1};
  TRY(some_flags(p, IR_FLAGS_KERNEL, &k.flags));
  if (ir_lex_is_word(&p->x, "copies")) {
    int64_t from, to;
    TRY(ir_lex_next(&p->x));
    TRY(want_number(p, 0, INT32_MAX, &from));
    TRY(want_number(p, 0, INT32_MAX, &to));
    k.copy_from = (int)from;
    k.copy_to = (int)to;
  }
  ir_add_kernel(p->t, k);
  return OK;
}

/* ---- values ------------------------------------------------------------ */

/* This version of root; made, without a definition, if nobody spoke of it. */
static ir_ref
value_get(struct parser *p, ir_ref root, uint32_t version) {
  uint32_t key[2] = {root, version};
  uintptr_t *slot = table_slot(&p->values, key, sizeof key);
  if (*slot) return (ir_ref)(*slot - 1);
  struct ir_dat *d = &p->t->dats[root];
  uint32_t former = d->nvalues;
  ir_ref last = d->last, v = ir_new_value(p->t, root, IR_NONE);
  *slot = (uintptr_t)v + 1;
  p->t->values[v].version = version;
  d->nvalues = version + 1 > former ? version + 1 : former;
  d->last = version + 1 > former ? v : last;
  return v;
}

static status
want_version(struct parser *p, ir_ref root, ir_ref *out) {
  int64_t version;
  TRY(want_number(p, 0, UINT32_MAX - 1, &version));
  *out = value_get(p, root, (uint32_t)version);
  return OK;
}

/* A dat or gbl that counts versions itself. */
static status
want_root(struct parser *p, ir_ref *out) {
  struct ir_lexer at = p->x;
  if (p->x.kind == IR_TOK_NAME) {
    ir_ref d = ir_find(p->t, IR_DECL_DAT, p->x.name.s);
    if (d != IR_NONE && ir_root(p->t, d) != d)
      return ir_lex_expected(&at, "the dat whose storage this is: %%%s",
                             p->t->dats[ir_root(p->t, d)].name);
    if (d != IR_NONE && p->t->dats[d].kind == IR_PARAM)
      return ir_lex_expected(&at, "a dat or gbl");
  }
  return want_decl(p, IR_DECL_DAT, out);
}

static status
want_value(struct parser *p, ir_ref *out) {
  ir_ref root;
  TRY(want_root(p, &root));
  TRY(want_punct(p, '.'));
  return want_version(p, root, out);
}

/* same %a.0 %b.0 */
static status
same_statement(struct parser *p) {
  ir_ref v[2];
  for (int i = 0; i < 2; i++) {
    struct ir_lexer at = p->x;
    TRY(want_value(p, &v[i]));
    if (p->t->values[v[i]].version)
      return ir_lex_fail(&at, "expected version 0, found version %u",
                         p->t->values[v[i]].version);
  }
  ir_add_same(p->t, p->t->values[v[0]].dat, p->t->values[v[1]].dat);
  return OK;
}

/* ---- arguments --------------------------------------------------------- */

/* [via %map[i]] or [via %map[0:k]] */
static status
maybe_via(struct parser *p, struct ir_arg *a) {
  int64_t i;
  if (!ir_lex_is_word(&p->x, "via")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(want_decl(p, IR_DECL_MAP, &a->map));
  TRY(want_punct(p, '['));
  struct ir_lexer at = p->x;
  TRY(want_number(p, 0, INT32_MAX, &i));
  if (ir_lex_is(&p->x, ':')) {
    if (i) return ir_lex_expected(&at, "0, where the entries begin");
    TRY(ir_lex_next(&p->x));
    TRY(want_number(p, 1, INT32_MAX, &i));
    i = -i;
  }
  a->idx = (int32_t)i;
  return want_punct(p, ']');
}

/* %q.0, %q, %root.0 as %view, %p0 */
static status
want_operand(struct parser *p, struct ir_arg *a) {
  static const uint8_t kinds[] = {IR_ARG_DAT, IR_ARG_GBL, IR_ARG_PARAM};
  ir_ref d = p->x.kind == IR_TOK_NAME ? ir_find(p->t, IR_DECL_DAT, p->x.name.s)
                                      : IR_NONE;
  if (d != IR_NONE && p->t->dats[d].kind == IR_PARAM) {
    a->kind = IR_ARG_PARAM;
    return want_decl(p, IR_DECL_DAT, &a->dat);
  }
  TRY(want_root(p, &a->dat));
  a->kind = kinds[p->t->dats[a->dat].kind];
  if (ir_lex_is(&p->x, '.')) {
    TRY(ir_lex_next(&p->x));
    TRY(want_version(p, a->dat, &a->in));
  }
  if (!ir_lex_is_word(&p->x, "as")) return OK;
  TRY(ir_lex_next(&p->x));
  struct ir_lexer at = p->x;
  ir_ref view;
  TRY(want_decl(p, IR_DECL_DAT, &view));
  if (ir_root(p->t, view) != a->dat)
    return ir_lex_expected(&at, "a dat with storage %%%s",
                           p->t->dats[a->dat].name);
  a->dat = view;
  return OK;
}

/* info %loc.0 of 4 */
static status
info_arg(struct parser *p, struct ir_arg *a) {
  int64_t of;
  TRY(want_operand(p, a));
  TRY(want_word(p, "of"));
  TRY(want_number(p, 0, UINT16_MAX, &of));
  a->kind = IR_ARG_INFO;
  a->info_of = (uint16_t)of;
  return OK;
}

static status
access_arg(struct parser *p, struct ir_arg *a) {
  for (int acc = 0; acc < ACC_COUNT; acc++)
    if (ir_lex_is_word(&p->x, access_info[acc].text)) {
      a->access = (uint8_t)acc;
      TRY(ir_lex_next(&p->x));
      TRY(want_operand(p, a));
      return maybe_via(p, a);
    }
  return ir_lex_expected(&p->x, "an argument (read, write, rw, inc, min, max, "
                                "work, idx, info or off)");
}

static status
want_arg(struct parser *p, bool bare, struct ir_arg *a) {
  if (bare) return want_operand(p, a);
  bool idx = ir_lex_is_word(&p->x, "idx"), off = ir_lex_is_word(&p->x, "off");
  bool info = ir_lex_is_word(&p->x, "info");
  if (!idx && !off && !info) return access_arg(p, a);
  TRY(ir_lex_next(&p->x));
  if (info) return info_arg(p, a);
  a->kind = idx ? IR_ARG_IDX : IR_ARG_OFF;
  return idx ? maybe_via(p, a) : OK;
}

/* Arguments up to where no comma follows. A vector argument without a map, a
 * param that is written and the like are the verifier's matter. */
static status
want_args(struct parser *p, bool bare) {
  for (;;) {
    struct ir_arg a = {
        .dat = IR_NONE, .map = IR_NONE, .in = IR_NONE, .out = IR_NONE};
    TRY(want_arg(p, bare, &a));
    if (a.kind == IR_ARG_INFO) a.access = ACC_RW;
    VEC_PUSH(p->args, p->nargs, p->capargs, a);
    if (!ir_lex_is(&p->x, ',')) return OK;
    TRY(ir_lex_next(&p->x));
  }
}

/* ---- nodes ------------------------------------------------------------- */

/* [serial] [overdue] [deferred] [epoch=3] [loc "file":12] */
static status
node_tail(struct parser *p, struct ir_node *n, struct str *file) {
  uint32_t flags = 0;
  int64_t v = 0;
  TRY(some_flags(p, IR_FLAGS_NODE, &flags));
  n->flags = (uint8_t)flags;
  if (ir_lex_is_word(&p->x, "epoch")) {
    TRY(ir_lex_next(&p->x));
    TRY(want_punct(p, '='));
    TRY(want_number(p, 0, UINT32_MAX, &v));
    n->epoch = (uint32_t)v;
  }
  if (!ir_lex_is_word(&p->x, "loc")) return OK;
  TRY(ir_lex_next(&p->x));
  if (p->x.kind != IR_TOK_TEXT)
    return ir_lex_expected(&p->x, "a file name in quotes");
  str_add(file, p->x.name.s);
  n->file = file->s;
  TRY(ir_lex_next(&p->x));
  TRY(want_punct(p, ':'));
  TRY(want_number(p, 0, INT32_MAX, &v));
  n->line = (int)v;
  return OK;
}

/* @kernel over %set ( args ) */
static status
loop_body(struct parser *p, struct ir_node *n) {
  TRY(want_decl(p, IR_DECL_KERNEL, &n->kernel));
  TRY(want_word(p, "over"));
  TRY(want_decl(p, IR_DECL_SET, &n->set));
  TRY(want_punct(p, '('));
  if (!ir_lex_is(&p->x, ')')) TRY(want_args(p, false));
  return want_punct(p, ')');
}

static status
plain_body(struct parser *p, struct ir_node *n) {
  const struct ir_op_info *op = &ir_op_info[n->op];
  bool bare = n->op == IR_FETCH || n->op == IR_LIVE || n->op == IR_FREE;
  struct ir_lexer at = p->x;
  if (op->min_args == 0 && ir_lex_is_word(&p->x, "none"))
    return ir_lex_next(&p->x);
  TRY(want_args(p, bare));
  if ((int64_t)p->nargs < op->min_args ||
      (op->max_args >= 0 && (int64_t)p->nargs > op->max_args))
    return ir_lex_fail(&at, "expected %d argument%s of %s, found %u",
                       op->min_args, op->min_args == 1 ? "" : "s", op->text,
                       p->nargs);
  return OK;
}

/* Writing arguments take the results that stand before the '='; each result is
 * taken by some argument. */
static status
link_results(struct parser *p, const struct ir_lexer *at, ir_ref node) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < p->nargs; i++) {
    struct ir_arg *a = &p->args[i];
    if (!ir_arg_writes(a)) continue;
    ir_ref root = ir_root(p->t, a->dat);
    a->out = root < p->nresults ? p->results[root] : IR_NONE;
    if (a->out == IR_NONE)
      return ir_lex_fail(at,
                         "expected a result %%%s.<version>, since argument "
                         "%u writes it; found none",
                         p->t->dats[root].name, i);
    taken += p->t->values[a->out].def == IR_NONE;
    p->t->values[a->out].def = node;
  }
  uint32_t given = 0;
  for (uint32_t i = 0; i < p->nresults; i++) given += p->results[i] != IR_NONE;
  if (given == taken) return OK;
  return ir_lex_fail(at,
                     "expected %u result%s (as many storages are written), "
                     "found %u",
                     taken, taken == 1 ? "" : "s", given);
}

static status
node_body(struct parser *p, const struct ir_lexer *at, enum ir_op op,
          struct str *file) {
  struct ir_node n = {.op = (uint8_t)op, .kernel = IR_NONE, .set = IR_NONE};
  p->nargs = 0;
  TRY(op == IR_LOOP ? loop_body(p, &n) : plain_body(p, &n));
  TRY(node_tail(p, &n, file));
  TRY(link_results(p, at, p->t->nnodes));
  n.nargs = p->nargs;
  ir_ref i = ir_push_node(p->t, n, p->args);
  p->t->nodes[i].region = p->region;
  if (p->region != IR_NONE) p->t->regions[p->region].count++;
  if (op == IR_ALIAS && p->args[0].in != IR_NONE && p->args[1].out != IR_NONE)
    ir_set_same(p->t, p->args[1].out, p->args[0].in);
  return OK;
}

/* The operation whose word this is; IR_OP_COUNT: none. */
static enum ir_op
op_here(const struct parser *p) {
  int op = 0;
  while (op < IR_OP_COUNT && !ir_lex_is_word(&p->x, ir_op_info[op].text)) op++;
  return (enum ir_op)op;
}

/* One result; results[root] remembers it for the arguments. */
static status
want_result(struct parser *p) {
  struct ir_lexer at = p->x;
  ir_ref v;
  TRY(want_value(p, &v));
  const struct ir_value *value = &p->t->values[v];
  if (value->version == 0)
    return ir_lex_fail(&at, "expected a version from 1 on, found version 0, "
                            "which the trace begins with");
  if (value->def != IR_NONE)
    return ir_lex_fail(&at, "expected a new version, found one that is defined "
                            "before");
  if (p->results[value->dat] != IR_NONE)
    return ir_lex_fail(&at, "expected one result for each storage, found two");
  p->results[value->dat] = v;
  return OK;
}

static void
reset_results(struct parser *p) {
  p->results = mem_grow(p->results, p->t->ndats, sizeof *p->results);
  p->nresults = p->t->ndats;
  for (uint32_t i = 0; i < p->nresults; i++) p->results[i] = IR_NONE;
}

/* [%a.1, %b.2 =] op ... */
static status
node_statement(struct parser *p) {
  struct ir_lexer at = p->x;
  reset_results(p);
  while (p->x.kind == IR_TOK_NAME) {
    TRY(want_result(p));
    if (!ir_lex_is(&p->x, ',')) {
      TRY(want_punct(p, '='));
      break;
    }
    TRY(ir_lex_next(&p->x));
    if (p->x.kind != IR_TOK_NAME)
      return ir_lex_expected(&p->x, "another result");
  }
  enum ir_op op = op_here(p);
  if (op == IR_OP_COUNT) return ir_lex_expected(&p->x, "an operation");
  TRY(ir_lex_next(&p->x));
  struct str file = STR_INIT;
  status st = node_body(p, &at, op, &file);
  str_clear(&file);
  return st;
}

/* region over %set { nodes } */
static status
region_statement(struct parser *p) {
  struct ir_region r = {.first = p->t->nnodes};
  TRY(want_word(p, "over"));
  TRY(want_decl(p, IR_DECL_SET, &r.set));
  TRY(want_punct(p, '{'));
  VEC_PUSH(p->t->regions, p->t->nregions, p->t->capregions, r);
  p->region = p->t->nregions - 1;
  while (!ir_lex_is(&p->x, '}')) TRY(node_statement(p));
  p->region = IR_NONE;
  return ir_lex_next(&p->x);
}

/* buffer #k : values */
static status
buffer_statement(struct parser *p) {
  ir_ref k = p->t->nbuffers;
  struct ir_buffer b = {.dat = IR_NONE};
  TRY(want_punct(p, '#'));
  if (p->x.kind != IR_TOK_NUMBER || p->x.number != k)
    return ir_lex_expected(&p->x, "%u, the next buffer", k);
  TRY(ir_lex_next(&p->x));
  TRY(want_punct(p, ':'));
  while (p->x.kind == IR_TOK_NAME) {
    struct ir_lexer at = p->x;
    uint32_t before = p->t->nvalues;
    ir_ref v;
    TRY(want_value(p, &v));
    struct ir_value *value = &p->t->values[v];
    if (p->t->nvalues > before || value->buffer != IR_NONE)
      return ir_lex_fail(&at,
                         "expected a version that the trace has and no "
                         "buffer before, found %%%s.%u",
                         p->t->dats[value->dat].name, value->version);
    value->buffer = k;
    if (b.dat == IR_NONE || (!b.initial && value->version == 0))
      b.dat = value->dat;
    b.initial |= value->version == 0;
  }
  VEC_PUSH(p->t->buffers, p->t->nbuffers, p->t->capbuffers, b);
  return OK;
}

/* ---- the whole --------------------------------------------------------- */

static const struct {
  const char *word;
  char sigil;
  status (*parse)(struct parser *p, const char *name);
} decl_words[] = {{"set", '%', set_decl},     {"map", '%', map_decl},
                  {"dat", '%', dat_decl},     {"gbl", '%', gbl_decl},
                  {"param", '%', param_decl}, {"kernel", '@', kernel_decl}};

static const struct {
  const char *word;
  status (*parse)(struct parser *p);
} other_words[] = {{"same", same_statement},
                   {"region", region_statement},
                   {"buffer", buffer_statement}};

static status
statement(struct parser *p) {
  for (size_t i = 0; i < sizeof decl_words / sizeof *decl_words; i++)
    if (ir_lex_is_word(&p->x, decl_words[i].word)) {
      struct str name = STR_INIT;
      status st = ir_lex_next(&p->x);
      if (st == OK) st = new_name(p, decl_words[i].sigil, &name);
      if (st == OK) st = decl_words[i].parse(p, name.s);
      str_clear(&name);
      return st;
    }
  for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
    if (ir_lex_is_word(&p->x, other_words[i].word)) {
      TRY(ir_lex_next(&p->x));
      return other_words[i].parse(p);
    }
  if (p->x.kind != IR_TOK_NAME && op_here(p) == IR_OP_COUNT)
    return ir_lex_expected(&p->x, "a declaration, a node, 'region', 'buffer' "
                                  "or '}'");
  return node_statement(p);
}

static status
whole(struct parser *p) {
  TRY(want_word(p, "trace"));
  if (p->x.kind != IR_TOK_NAME || p->x.punct != '@')
    return ir_lex_expected(&p->x, "the trace's name (@...)");
  p->t->name = arena_str(&p->t->arena, p->x.name.s);
  TRY(ir_lex_next(&p->x));
  TRY(want_punct(p, '{'));
  while (!ir_lex_is(&p->x, '}')) TRY(statement(p));
  TRY(ir_lex_next(&p->x));
  if (p->x.kind != IR_TOK_END)
    return ir_lex_expected(&p->x, "nothing behind the trace");
  return OK;
}

status
ir_parse(const char *text, const char *file, struct ir_trace **out) {
  struct parser p = {.t = ir_trace_new(NULL), .region = IR_NONE};
  status st = ir_lex_init(&p.x, text, file);
  if (st == OK) st = whole(&p);
  ir_lex_clear(&p.x);
  table_clear(&p.values);
  free(p.results);
  free(p.args);
  if (st == OK)
    *out = p.t;
  else
    ir_trace_free(p.t);
  return st;
}
