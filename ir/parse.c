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
#include "ir/parse.h"
#include "ir/hold.h"
#include "ir/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------ */

/* This version of root; made, without a definition, if nobody spoke of it. */
static ir_ref
value_get(struct ir_parser *p, ir_ref root, uint32_t version) {
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
want_version(struct ir_parser *p, ir_ref root, ir_ref *out) {
  int64_t version = 0;
  TRY(ir_want_number(p, 0, UINT32_MAX - 1, &version));
  *out = value_get(p, root, (uint32_t)version);
  return OK;
}

/* A dat or gbl that counts versions itself. */
static status
want_root(struct ir_parser *p, ir_ref *out) {
  struct ir_lexer at = p->x;
  if (p->x.kind == IR_TOK_NAME) {
    ir_ref d = ir_find(p->t, IR_DECL_DAT, p->x.name.s);
    if (d != IR_NONE && ir_root(p->t, d) != d)
      return ir_lex_expected(&at, "the dat whose storage this is: %%%s",
                             p->t->dats[ir_root(p->t, d)].name);
    if (d != IR_NONE && p->t->dats[d].kind == IR_PARAM)
      return ir_lex_expected(&at, "a dat or gbl");
  }
  return ir_want_decl(p, IR_DECL_DAT, out);
}

static status
want_value(struct ir_parser *p, ir_ref *out) {
  ir_ref root = IR_NONE;
  TRY(want_root(p, &root));
  TRY(ir_want_punct(p, '.'));
  return want_version(p, root, out);
}

/* One that a node or a declaration has named before. */
static status
want_known_value(struct ir_parser *p, ir_ref *out) {
  struct ir_lexer at = p->x;
  uint32_t before = p->t->nvalues;
  TRY(want_value(p, out));
  const struct ir_value *x = &p->t->values[*out];
  if (p->t->nvalues > before)
    return ir_lex_fail(&at,
                       "expected a version that the trace has, found %%%s.%u",
                       p->t->dats[x->dat].name, x->version);
  return OK;
}

/* same %a.0 %b.0 */
static status
same_statement(struct ir_parser *p) {
  ir_ref v[2] = {IR_NONE, IR_NONE};
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

static bool
is_row_element(const struct ir_parser *p) {
  return p->x.kind == IR_TOK_NAME && p->x.punct == '%' &&
         !strcmp(p->x.name.s, "e");
}

/* [i], or [i:k] of those before k */
static status
want_entries(struct ir_parser *p, struct ir_arg *a) {
  int64_t i = 0, end = 0;
  TRY(ir_want_punct(p, '['));
  TRY(ir_want_number(p, 0, INT32_MAX - 1, &i));
  a->entry = (uint32_t)i;
  if (ir_lex_is(&p->x, ':')) {
    TRY(ir_lex_next(&p->x));
    TRY(ir_want_number(p, i + 1, INT32_MAX, &end));
    a->vector = (uint32_t)(end - i);
  }
  return ir_want_punct(p, ']');
}

/* [[own] via [%e] [%map[i] [shift=<n>]]] or [[own] via [%e] %map[i:k]] */
static status
maybe_via(struct ir_parser *p, struct ir_arg *a) {
  if (ir_lex_is_word(&p->x, "own")) {
    a->own = true;
    TRY(ir_lex_next(&p->x));
    if (!ir_lex_is_word(&p->x, "via")) return ir_lex_expected(&p->x, "via");
  }
  if (!ir_lex_is_word(&p->x, "via")) return OK;
  TRY(ir_lex_next(&p->x));
  if (p->each && is_row_element(p)) {
    a->each = p->each;
    TRY(ir_lex_next(&p->x));
    if (p->x.kind != IR_TOK_NAME) return OK;
  }
  TRY(ir_want_decl(p, IR_DECL_MAP, &a->map));
  if (a->kind == IR_ARG_LENGTH) return OK;
  TRY(want_entries(p, a));
  return ir_maybe_distance(p, "shift", &a->shift);
}

/* %q.0, %q, %root.0 as %view, %p0, %f.1[0:3] */
static status
want_operand(struct ir_parser *p, struct ir_arg *a) {
  static const uint8_t kinds[] = {IR_ARG_DAT, IR_ARG_GBL, IR_ARG_PARAM,
                                  IR_ARG_DAT};
  ir_ref d = p->x.kind == IR_TOK_NAME ? ir_find(p->t, IR_DECL_DAT, p->x.name.s)
                                      : IR_NONE;
  if (d != IR_NONE && p->t->dats[d].kind == IR_PARAM) {
    a->kind = IR_ARG_PARAM;
    return ir_want_decl(p, IR_DECL_DAT, &a->dat);
  }
  TRY(want_root(p, &a->dat));
  a->kind = kinds[p->t->dats[a->dat].kind];
  if (ir_lex_is(&p->x, '.')) {
    TRY(ir_lex_next(&p->x));
    TRY(want_version(p, a->dat, &a->in));
  }
  if (p->t->dats[a->dat].kind == IR_INLINE) return want_entries(p, a);
  if (!ir_lex_is_word(&p->x, "as")) return OK;
  TRY(ir_lex_next(&p->x));
  struct ir_lexer at = p->x;
  ir_ref view = IR_NONE;
  TRY(ir_want_decl(p, IR_DECL_DAT, &view));
  if (ir_root(p->t, view) != a->dat)
    return ir_lex_expected(&at, "a dat with storage %%%s",
                           p->t->dats[a->dat].name);
  a->dat = view;
  return OK;
}

/* info %loc.0 of 4 */
static status
info_arg(struct ir_parser *p, struct ir_arg *a) {
  int64_t of = 0;
  TRY(want_operand(p, a));
  TRY(ir_want_word(p, "of"));
  TRY(ir_want_number(p, 0, UINT16_MAX, &of));
  a->kind = IR_ARG_INFO;
  a->info_of = (uint16_t)of;
  return OK;
}

static status
access_arg(struct ir_parser *p, struct ir_arg *a) {
  for (int acc = 0; acc < ACC_COUNT; acc++)
    if (ir_lex_is_word(&p->x, access_info[acc].text)) {
      a->access = (uint8_t)acc;
      TRY(ir_lex_next(&p->x));
      TRY(want_operand(p, a));
      return maybe_via(p, a);
    }
  return ir_lex_expected(&p->x, "an argument (read, write, rw, inc, min, max, "
                                "work, idx, number, length, info or off)");
}

static status
want_arg(struct ir_parser *p, bool bare, struct ir_arg *a) {
  if (bare) return want_operand(p, a);
  uint8_t kind = 0;
  while (kind < IR_ARG_COUNT && !ir_lex_is_word(&p->x, ir_arg_info[kind].word))
    kind++;
  if (kind == IR_ARG_COUNT) return access_arg(p, a);
  TRY(ir_lex_next(&p->x));
  if (kind == IR_ARG_INFO) return info_arg(p, a);
  a->kind = kind;
  if (kind == IR_ARG_LENGTH && !ir_lex_is_word(&p->x, "via"))
    return ir_lex_expected(&p->x, "via");
  return kind == IR_ARG_OFF ? OK : maybe_via(p, a);
}

/* Arguments up to where no comma follows. A vector argument without a map, a
 * param that is written and the like are the verifier's matter. */
static status
want_args(struct ir_parser *p, enum ir_op op, bool bare) {
  for (;;) {
    struct ir_arg a = {
        .dat = IR_NONE, .map = IR_NONE, .in = IR_NONE, .out = IR_NONE};
    TRY(want_arg(p, bare, &a));
    if (a.kind == IR_ARG_INFO) a.access = ACC_RW;
    if (op == IR_EXCHANGE) {
      TRY(ir_want_word(p, "to"));
      TRY(ir_want_reach(p, &a.reach));
    }
    VEC_PUSH(p->args, p->nargs, p->capargs, a);
    if (!ir_lex_is(&p->x, ',')) return OK;
    TRY(ir_lex_next(&p->x));
  }
}

/* ---- nodes ------------------------------------------------------------- */

/* [serial] [overdue] [deferred] [on "target"] [level=1] [epoch=3] [loc
 * "file":12] */
static status
node_tail(struct ir_parser *p, struct ir_node *n, struct str *file) {
  uint32_t flags = 0;
  int64_t v = 0;
  TRY(ir_some_flags(p, IR_FLAGS_NODE, &flags));
  n->flags = (uint8_t)flags;
  TRY(ir_maybe_target(p, "on", &n->target));
  if (ir_lex_is_word(&p->x, "level")) {
    TRY(ir_lex_next(&p->x));
    TRY(ir_want_punct(p, '='));
    TRY(ir_want_number(p, 0, REACH_MAX, &v));
    n->level = (uint32_t)v;
  }
  if (ir_lex_is_word(&p->x, "epoch")) {
    TRY(ir_lex_next(&p->x));
    TRY(ir_want_punct(p, '='));
    TRY(ir_want_number(p, 0, UINT32_MAX, &v));
    n->epoch = (uint32_t)v;
  }
  if (!ir_lex_is_word(&p->x, "loc")) return OK;
  TRY(ir_lex_next(&p->x));
  if (p->x.kind != IR_TOK_TEXT)
    return ir_lex_expected(&p->x, "a file name in quotes");
  str_add(file, p->x.name.s);
  n->file = file->s;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_punct(p, ':'));
  TRY(ir_want_number(p, 0, INT32_MAX, &v));
  n->line = (int)v;
  return OK;
}

/* [for %e in %relation] */
static status
maybe_rows(struct ir_parser *p, struct ir_node *n) {
  ir_ref rows = IR_NONE;
  if (!ir_lex_is_word(&p->x, "for")) return OK;
  TRY(ir_lex_next(&p->x));
  if (!is_row_element(p)) return ir_lex_expected(&p->x, "%%e");
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_word(p, "in"));
  TRY(ir_want_decl(p, IR_DECL_MAP, &rows));
  n->each = p->each = rows + 1;
  return OK;
}

/* @kernel over %set [for %e in %relation] ( args ) */
static status
loop_body(struct ir_parser *p, struct ir_node *n) {
  TRY(ir_want_decl(p, IR_DECL_KERNEL, &n->kernel));
  TRY(ir_want_word(p, "over"));
  TRY(ir_want_decl(p, IR_DECL_SET, &n->set));
  TRY(maybe_rows(p, n));
  TRY(ir_want_punct(p, '('));
  if (!ir_lex_is(&p->x, ')')) TRY(want_args(p, IR_LOOP, false));
  return ir_want_punct(p, ')');
}

static status
plain_body(struct ir_parser *p, enum ir_op kind, struct ir_node *n) {
  const struct ir_op_info *op = &ir_op_info[kind];
  bool bare = ir_bare(n);
  struct ir_lexer at = p->x;
  if (op->min_args == 0 && ir_lex_is_word(&p->x, "none"))
    return ir_lex_next(&p->x);
  TRY(want_args(p, kind, bare));
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
link_results(struct ir_parser *p, const struct ir_lexer *at, ir_ref node) {
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
node_body(struct ir_parser *p, const struct ir_lexer *at, enum ir_op op,
          struct str *file) {
  struct ir_node n = {.op = (uint8_t)op, .kernel = IR_NONE, .set = IR_NONE};
  p->nargs = p->each = 0;
  TRY(op == IR_LOOP ? loop_body(p, &n) : plain_body(p, op, &n));
  TRY(node_tail(p, &n, file));
  TRY(link_results(p, at, p->t->nnodes));
  assert(p->region == IR_NONE || p->region < p->t->nregions);
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
op_here(const struct ir_parser *p) {
  int op = 0;
  while (op < IR_OP_COUNT && !ir_lex_is_word(&p->x, ir_op_info[op].text)) op++;
  return (enum ir_op)op;
}

/* One result; results[root] remembers it for the arguments. */
static status
want_result(struct ir_parser *p) {
  struct ir_lexer at = p->x;
  ir_ref v = IR_NONE;
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
reset_results(struct ir_parser *p) {
  p->results = mem_grow(p->results, p->t->ndats, sizeof *p->results);
  p->nresults = p->t->ndats;
  for (uint32_t i = 0; i < p->nresults; i++) p->results[i] = IR_NONE;
}

/* [%a.1, %b.2 =] op ... */
static status
node_statement(struct ir_parser *p) {
  struct ir_lexer at = p->x;
  reset_results(p);
  while (p->x.kind == IR_TOK_NAME) {
    TRY(want_result(p));
    if (!ir_lex_is(&p->x, ',')) {
      TRY(ir_want_punct(p, '='));
      break;
    }
    TRY(ir_lex_next(&p->x));
    if (p->x.kind != IR_TOK_NAME)
      return ir_lex_expected(&p->x, "another result");
  }
  enum ir_op op = op_here(p);
  if (op == IR_OP_COUNT) return ir_lex_expected(&p->x, "an operation");
  TRY(ir_lex_next(&p->x));
  SCOPED_STR file = STR_INIT;
  return node_body(p, &at, op, &file);
}

/* [walk <walk>] */
static status
some_walk(struct ir_parser *p, enum ir_walk *out) {
  if (!ir_lex_is_word(&p->x, "walk")) return OK;
  TRY(ir_lex_next(&p->x));
  for (int w = IR_WALK_NONE + 1; w < IR_WALK_COUNT; w++)
    if (ir_lex_is_word(&p->x, ir_walk_info[w].text)) {
      *out = (enum ir_walk)w;
      return ir_lex_next(&p->x);
    }
  return ir_lex_expected(&p->x, "a walk (range, parts, colours, atomic, "
                                "staged, serial)");
}

/* hold <hold> values */
static status
hold_statement(struct ir_parser *p) {
  struct ir_trace *t = p->t;
  int how = IR_HOLD_NONE + 1;
  TRY(ir_lex_next(&p->x));
  while (how < IR_HOLD_COUNT && !ir_lex_is_word(&p->x, ir_hold_info[how].text))
    how++;
  if (how == IR_HOLD_COUNT)
    return ir_lex_expected(&p->x, "a way to hold an operand (register, copy, "
                                  "...: ir/holds.def)");
  TRY(ir_lex_next(&p->x));
  while (p->x.kind == IR_TOK_NAME) {
    struct ir_operand_hold o = {.how = (enum ir_hold)how};
    TRY(want_known_value(p, &o.value));
    VEC_PUSH(t->holds, t->nholds, t->capholds, o);
    t->regions[p->region].nholds++;
  }
  return OK;
}

/* [<word> <number>] */
static status
maybe_count(struct ir_parser *p, const char *word, int64_t most,
            uint32_t *out) {
  int64_t n = 0;
  if (!ir_lex_is_word(&p->x, word)) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_number(p, 2, most, &n));
  *out = (uint32_t)n;
  return OK;
}

/* [by stretches] [by steps] [by lengths] */
static status
maybe_by(struct ir_parser *p, struct ir_region *r) {
  const struct {
    const char *word;
    uint8_t *yes;
  } ways[] = {{"stretches", &r->stretches},
              {"steps", &r->steps},
              {"lengths", &r->lengths}};
  size_t n = sizeof ways / sizeof *ways, k;
  while (ir_lex_is_word(&p->x, "by")) {
    TRY(ir_lex_next(&p->x));
    for (k = 0; k < n && !ir_lex_is_word(&p->x, ways[k].word);) k++;
    if (k == n || *ways[k].yes)
      return ir_lex_expected(&p->x,
                             "'stretches', 'steps' or 'lengths', each once");
    *ways[k].yes = true;
    TRY(ir_lex_next(&p->x));
  }
  return OK;
}

/* [<word>] */
static status
maybe_said(struct ir_parser *p, const char *word, uint8_t *out) {
  if (!ir_lex_is_word(&p->x, word)) return OK;
  *out = true;
  return ir_lex_next(&p->x);
}

/* [team <team>] */
static status
maybe_team(struct ir_parser *p, enum ir_team *out) {
  if (!ir_lex_is_word(&p->x, "team")) return OK;
  TRY(ir_lex_next(&p->x));
  for (int k = IR_TEAM_NONE + 1; k < IR_TEAM_COUNT; k++)
    if (ir_lex_is_word(&p->x, ir_team_text[k])) {
      *out = (enum ir_team)k;
      return ir_lex_next(&p->x);
    }
  return ir_lex_expected(&p->x, "a team (one, all, busy, measured)");
}

/* [core first] */
static status
maybe_core_first(struct ir_parser *p, uint8_t *out) {
  if (!ir_lex_is_word(&p->x, "core")) return OK;
  *out = true;
  TRY(ir_lex_next(&p->x));
  return ir_want_word(p, "first");
}

/* [targets <elements> [rows <targets>]] */
static status
maybe_targets(struct ir_parser *p, struct ir_region *r) {
  TRY(maybe_count(p, "targets", IR_PREFETCH_MAX, &r->targets));
  if (!r->targets) return OK;
  r->target_rows = 1;
  return maybe_count(p, "rows", IR_TARGET_ROWS_MAX, &r->target_rows);
}

/* region over %set [walk <walk>] [width <width>] [panel <elements>]
 * [by stretches] [by steps] [by lengths] [ahead <bytes>]
 * [prefetch <elements>] [targets <elements> [rows <targets>]] [twice]
 * [team <team>] [core first] [chain #k (span)] { nodes holds } */
static status
region_statement(struct ir_parser *p) {
  struct ir_region r = {.first = p->t->nnodes, .hold0 = p->t->nholds};
  TRY(ir_want_word(p, "over"));
  TRY(ir_want_decl(p, IR_DECL_SET, &r.set));
  TRY(some_walk(p, &r.walk));
  TRY(maybe_count(p, "width", IR_WIDTH_MAX, &r.width));
  TRY(maybe_count(p, "panel", IR_PANEL_MAX, &r.panel));
  TRY(maybe_by(p, &r));
  TRY(maybe_count(p, "ahead", IR_AHEAD_MAX, &r.ahead));
  TRY(maybe_count(p, "prefetch", IR_PREFETCH_MAX, &r.prefetch));
  TRY(maybe_targets(p, &r));
  TRY(maybe_said(p, "twice", &r.twice));
  TRY(maybe_team(p, &r.team));
  TRY(maybe_core_first(p, &r.core_first));
  TRY(ir_maybe_chain(p, &r));
  TRY(ir_want_punct(p, '{'));
  VEC_PUSH(p->t->regions, p->t->nregions, p->t->capregions, r);
  p->region = p->t->nregions - 1;
  while (!ir_lex_is(&p->x, '}') && !ir_lex_is_word(&p->x, "hold"))
    TRY(node_statement(p));
  while (ir_lex_is_word(&p->x, "hold")) TRY(hold_statement(p));
  p->region = IR_NONE;
  if (!ir_lex_is(&p->x, '}')) return ir_lex_expected(&p->x, "'hold' or '}'");
  return ir_lex_next(&p->x);
}

/* buffer #k : values */
static status
buffer_statement(struct ir_parser *p) {
  ir_ref k = p->t->nbuffers;
  struct ir_buffer b = {.dat = IR_NONE};
  TRY(ir_want_punct(p, '#'));
  if (p->x.kind != IR_TOK_NUMBER || p->x.number != k)
    return ir_lex_expected(&p->x, "%u, the next buffer", k);
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_punct(p, ':'));
  while (p->x.kind == IR_TOK_NAME) {
    struct ir_lexer at = p->x;
    uint32_t before = p->t->nvalues;
    ir_ref v = IR_NONE;
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
  status (*parse)(struct ir_parser *p);
} other_words[] = {{"same", same_statement},
                   {"region", region_statement},
                   {"buffer", buffer_statement},
                   {"chain", ir_chain_statement}};

static status
statement(struct ir_parser *p) {
  bool decl = false;
  TRY(ir_maybe_decl(p, &decl));
  if (decl) return OK;
  for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
    if (ir_lex_is_word(&p->x, other_words[i].word)) {
      TRY(ir_lex_next(&p->x));
      return other_words[i].parse(p);
    }
  if (p->x.kind != IR_TOK_NAME && op_here(p) == IR_OP_COUNT)
    return ir_lex_expected(&p->x, "a declaration, a node, 'region', "
                                  "'buffer', 'chain' or '}'");
  return node_statement(p);
}

static status
whole(struct ir_parser *p) {
  TRY(ir_want_word(p, "trace"));
  if (p->x.kind != IR_TOK_NAME || p->x.punct != '@')
    return ir_lex_expected(&p->x, "the trace's name (@...)");
  p->t->name = arena_str(&p->t->arena, p->x.name.s);
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_punct(p, '{'));
  while (!ir_lex_is(&p->x, '}')) TRY(statement(p));
  TRY(ir_lex_next(&p->x));
  if (p->x.kind != IR_TOK_END)
    return ir_lex_expected(&p->x, "nothing behind the trace");
  return OK;
}

status
ir_parse(const char *text, const char *file, struct ir_trace **out) {
  struct ir_parser p = {.t = ir_trace_new(NULL), .region = IR_NONE};
  status st = ir_lex_init(&p.x, text, file);
  if (st == OK) st = whole(&p);
  ir_lex_clear(&p.x);
  table_clear(&p.values);
  free(p.results);
  free(p.args);
  for (ir_ref n = 0; n < p.t->nnodes; n++)
    p.t->placed |=
        p.t->nodes[n].op == IR_UPLOAD || p.t->nodes[n].op == IR_DOWNLOAD;
  if (st == OK)
    *out = p.t;
  else
    ir_trace_free(p.t);
  return st;
}
