/* Parser: declarations, and the small pieces that statements are made of. */
#include "ir/parse.h"

#include <stdlib.h>

/* ---- small pieces ------------------------------------------------------ */

status
ir_want_punct(struct ir_parser *p, char c) {
  if (!ir_lex_is(&p->x, c)) {
    if (c == '>') return ir_lex_expected(&p->x, "'->'");
    return ir_lex_expected(&p->x, "'%c'", c);
  }
  return ir_lex_next(&p->x);
}

status
ir_want_word(struct ir_parser *p, const char *word) {
  if (!ir_lex_is_word(&p->x, word)) return ir_lex_expected(&p->x, "'%s'", word);
  return ir_lex_next(&p->x);
}

/* A number in [lo, hi]. */
status
ir_want_number(struct ir_parser *p, int64_t lo, int64_t hi, int64_t *out) {
  if (p->x.kind != IR_TOK_NUMBER || p->x.number < lo || p->x.number > hi)
    return ir_lex_expected(&p->x, "a number from %lld to %lld", (long long)lo,
                           (long long)hi);
  *out = p->x.number;
  return ir_lex_next(&p->x);
}

/* x<k>: k from 1 */
static status
want_times(struct ir_parser *p, uint32_t *out) {
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
want_type(struct ir_parser *p, struct type *out) {
  if (p->x.kind != IR_TOK_WORD || !type_from_text(p->x.begin, p->x.len, out))
    return ir_lex_expected(&p->x, "a type such as f64, i32 or b24");
  return ir_lex_next(&p->x);
}

/* The name of something declared before, as a reference to it. */
status
ir_want_decl(struct ir_parser *p, enum ir_decl kind, ir_ref *out) {
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
status
ir_some_flags(struct ir_parser *p, enum ir_flag_owner owner, uint32_t *flags) {
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
new_name(struct ir_parser *p, char sigil, struct str *name_out) {
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

/* levels <L_0> <L_1> ..., each at least as large as the one before. */
static status
some_levels(struct ir_parser *p, struct ir_set *s, idx_g *levels) {
  TRY(ir_lex_next(&p->x));
  idx_g before = 0;
  s->levels = levels;
  do {
    TRY(ir_want_number(p, before, s->n, &before));
    levels[s->nlevels++] = before;
  } while (p->x.kind == IR_TOK_NUMBER && s->nlevels <= REACH_MAX);
  return OK;
}

/* What a side of an area is at most. */
enum { FURTHEST = 1 << 21 };

/* (<lo>[:<hi>], ...): one of each dimension. */
status
ir_want_area(struct ir_parser *p, struct ir_area *out, uint32_t *ndim_out) {
  uint32_t d = 0;
  if (!ir_lex_is(&p->x, '(')) return ir_lex_expected(&p->x, "'('");
  do {
    int64_t lo = 0, hi;
    if (d == IR_DIMS) return ir_lex_expected(&p->x, "')'");
    TRY(ir_lex_next(&p->x));
    TRY(ir_want_number(p, -FURTHEST, FURTHEST, &lo));
    hi = lo;
    if (ir_lex_is(&p->x, ':')) {
      TRY(ir_lex_next(&p->x));
      TRY(ir_want_number(p, lo, FURTHEST, &hi));
    }
    out->at[2 * d] = (int)-lo;
    out->at[2 * d + 1] = (int)hi;
    d++;
  } while (ir_lex_is(&p->x, ','));
  *ndim_out = d;
  return ir_want_punct(p, ')');
}

/* [of %box] */
static status
maybe_of_box(struct ir_parser *p, struct ir_set *s) {
  ir_ref box = IR_NONE;
  if (!ir_lex_is_word(&p->x, "of")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_decl(p, IR_DECL_SET, &box));
  s->box = box + 1;
  return OK;
}

/* sides <n> [periodic] ... */
static status
some_sides(struct ir_parser *p, struct ir_set *s) {
  TRY(ir_lex_next(&p->x));
  for (uint32_t d = 0; d < s->ndim; d++) {
    TRY(ir_want_number(p, 1, INT64_MAX, &s->side[d]));
    if (!ir_lex_is_word(&p->x, "periodic")) continue;
    s->periodic |= 1U << d;
    TRY(ir_lex_next(&p->x));
  }
  return OK;
}

/* [points <area> [of %box] [sides ...]] */
static status
maybe_points(struct ir_parser *p, struct ir_set *s) {
  if (!ir_lex_is_word(&p->x, "points")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_area(p, &s->area, &s->ndim));
  TRY(maybe_of_box(p, s));
  return ir_lex_is_word(&p->x, "sides") ? some_sides(p, s) : OK;
}

/* word=<number up to most>, perhaps. */
static status
maybe_number(struct ir_parser *p, const char *word, int64_t most,
             uint32_t *out) {
  int64_t found = 0;
  if (!ir_lex_is_word(&p->x, word)) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_punct(p, '='));
  TRY(ir_want_number(p, 0, most, &found));
  *out = (uint32_t)found;
  return OK;
}

static status
set_decl(struct ir_parser *p, const char *name) {
  struct ir_set s = {.name = name};
  TRY(ir_want_word(p, "n"));
  TRY(ir_want_punct(p, '='));
  TRY(ir_want_number(p, 0, INT64_MAX, &s.n));
  TRY(ir_some_flags(p, IR_FLAGS_SET, &s.flags));
  idx_g levels[REACH_MAX + 1];
  if (ir_lex_is_word(&p->x, "levels")) TRY(some_levels(p, &s, levels));
  TRY(maybe_number(p, "deepest", DEPTH_MAX, &s.deepest));
  TRY(maybe_points(p, &s));
  ir_add_set(p->t, s);
  return OK;
}

/* scatter=<lines>, drift=<targets>, perhaps: 0 is a number of them, too. */
static status
maybe_order(struct ir_parser *p, struct ir_map *m) {
  uint32_t lines = UINT32_MAX, targets = UINT32_MAX;
  TRY(maybe_number(p, "scatter", 1000, &lines));
  TRY(maybe_number(p, "drift", UINT32_MAX - 1, &targets));
  m->scatter = lines + 1;
  m->drift = targets + 1;
  return OK;
}

/* [run=<length> [at=<entry>]] */
static status
maybe_run(struct ir_parser *p, struct ir_map *m) {
  struct ir_lexer at = p->x;
  TRY(maybe_number(p, "run", INT32_MAX, &m->run));
  TRY(maybe_number(p, "at", UINT32_MAX, &m->run_entry));
  if (m->run_entry && (!m->run || m->run_entry >= m->arity))
    return ir_lex_fail(&at, "expected at=<entry> of the map behind "
                            "run=<length>");
  return OK;
}

/* [stretch=<length> [still=<entries>]] */
static status
maybe_stretch(struct ir_parser *p, struct ir_map *m) {
  struct ir_lexer at = p->x;
  TRY(maybe_number(p, "stretch", UINT32_MAX, &m->stretch));
  TRY(maybe_number(p, "still", UINT32_MAX, &m->still));
  bool more = m->arity < 32 && m->still >> m->arity;
  if (m->stretch && m->arity > 32)
    return ir_lex_fail(&at, "stretches are known of up to 32 entries");
  if (m->still && (!m->stretch || more))
    return ir_lex_fail(&at, "expected still=<bits> of the map's entries behind "
                            "stretch=<length>");
  return OK;
}

/* The areas of rows of this length, one of each entry. */
static status
want_rule(struct ir_parser *p, const struct ir_map *m, struct ir_area **out,
          uint32_t *n_out) {
  const struct ir_set *to = &p->t->sets[m->to];
  uint32_t cap = 0, ndim = 0;
  for (uint32_t k = 0; k < m->arity; k++) {
    struct ir_area entry = {{0}};
    struct ir_lexer at = p->x;
    TRY(ir_want_area(p, &entry, &ndim));
    if (ndim != to->ndim)
      return ir_lex_fail(&at, "expected an entry in the %u dimensions of %%%s",
                         to->ndim, to->name);
    VEC_PUSH(*out, *n_out, cap, entry);
  }
  return OK;
}

/* Adds the map. [rule <area> ...] */
static status
map_with_rule(struct ir_parser *p, struct ir_map *m) {
  struct ir_area *rule = NULL;
  uint32_t n = 0;
  status st = OK;
  if (ir_lex_is_word(&p->x, "rule")) {
    TRY(ir_lex_next(&p->x));
    st = want_rule(p, m, &rule, &n);
  }
  m->rule = rule;
  if (st == OK) ir_add_map(p->t, *m);
  free(rule);
  return st;
}

static status
map_decl(struct ir_parser *p, const char *name) {
  struct ir_map m = {.name = name};
  TRY(ir_want_punct(p, ':'));
  TRY(ir_want_decl(p, IR_DECL_SET, &m.from));
  TRY(ir_want_punct(p, '>'));
  TRY(ir_want_decl(p, IR_DECL_SET, &m.to));
  TRY(want_times(p, &m.arity));
  TRY(ir_some_flags(p, IR_FLAGS_MAP, &m.flags));
  TRY(maybe_order(p, &m));
  TRY(maybe_run(p, &m));
  TRY(maybe_stretch(p, &m));
  return map_with_rule(p, &m);
}

/* The word that says where rows come from. */
static status
want_rows(struct ir_parser *p, enum ir_rows *out) {
  for (int k = IR_ROWS_TABLE + 1; k < IR_ROWS_COUNT; k++)
    if (ir_lex_is_word(&p->x, ir_rows_info[k].text)) {
      *out = (enum ir_rows)k;
      return ir_lex_next(&p->x);
    }
  return ir_lex_expected(&p->x, "where its rows come from (ir/rows.def)");
}

status
ir_maybe_distance(struct ir_parser *p, const char *word, int32_t *out) {
  int64_t found = 0;
  if (!ir_lex_is_word(&p->x, word)) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_punct(p, '='));
  struct ir_lexer at = p->x;
  TRY(ir_want_number(p, -INT32_MAX, INT32_MAX, &found));
  *out = (int32_t)found;
  return found ? OK : ir_lex_fail(&at, "expected another number than 0");
}

static status
want_layer(struct ir_parser *p, int64_t lo, int64_t hi, idx_l *out) {
  int64_t found = 0;
  TRY(ir_want_number(p, lo, hi, &found));
  *out = (idx_l)found;
  return OK;
}

/* [layers <first> <last> of <height> apart <apart>] */
static status
maybe_layers(struct ir_parser *p, struct ir_rows_layers *out) {
  if (!ir_lex_is_word(&p->x, "layers")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(want_layer(p, 0, INT32_MAX - 1, &out->first));
  TRY(want_layer(p, 0, INT32_MAX - 1, &out->last));
  TRY(ir_want_word(p, "of"));
  TRY(want_layer(p, 1, INT32_MAX, &out->height));
  TRY(ir_want_word(p, "apart"));
  return want_layer(p, 1, INT32_MAX, &out->apart);
}

/* [usual=<length>] */
static status
maybe_usual(struct ir_parser *p, uint32_t *out) {
  int64_t n = 0;
  if (!ir_lex_is_word(&p->x, "usual")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_punct(p, '='));
  TRY(ir_want_number(p, 1, INT32_MAX, &n));
  *out = (uint32_t)n;
  return OK;
}

/* [starts %other] */
static status
maybe_starts(struct ir_parser *p, uint32_t *out) {
  ir_ref other = 0;
  if (!ir_lex_is_word(&p->x, "starts")) return OK;
  TRY(ir_lex_next(&p->x));
  TRY(ir_want_decl(p, IR_DECL_MAP, &other));
  *out = other + 1;
  return OK;
}

static status
relation_decl(struct ir_parser *p, const char *name) {
  struct ir_map m = {.name = name};
  TRY(ir_want_punct(p, ':'));
  TRY(ir_want_decl(p, IR_DECL_SET, &m.from));
  TRY(ir_want_punct(p, '>'));
  TRY(ir_want_decl(p, IR_DECL_SET, &m.to));
  TRY(want_rows(p, &m.rows));
  for (uint32_t k = 0; k < ir_rows_info[m.rows].of; k++)
    TRY(ir_want_decl(p, IR_DECL_MAP, &m.of[k]));
  m.arity = ir_rows_arity(p->t, &m);
  TRY(ir_some_flags(p, IR_FLAGS_MAP, &m.flags));
  TRY(maybe_order(p, &m));
  TRY(maybe_stretch(p, &m));
  TRY(maybe_usual(p, &m.usual));
  TRY(ir_maybe_distance(p, "step", &m.step));
  TRY(maybe_starts(p, &m.starts));
  TRY(maybe_layers(p, &m.layers));
  return map_with_rule(p, &m);
}

status
ir_maybe_target(struct ir_parser *p, const char *word, const char **out) {
  if (!ir_lex_is_word(&p->x, word)) return OK;
  TRY(ir_lex_next(&p->x));
  struct target target;
  if (p->x.kind != IR_TOK_TEXT || target_parse(p->x.name.s, &target) != OK)
    return ir_lex_expected(&p->x, "a target in quotes");
  *out = arena_str(&p->t->arena, p->x.name.s);
  return ir_lex_next(&p->x);
}

status
ir_want_reach(struct ir_parser *p, struct reach *out) {
  int64_t own = 0, via = -1;
  TRY(ir_want_number(p, 0, REACH_MAX, &own));
  if (ir_lex_is_word(&p->x, "via")) {
    TRY(ir_lex_next(&p->x));
    TRY(ir_want_number(p, 0, REACH_MAX, &via));
  }
  *out = (struct reach){(int8_t)own, (int8_t)via};
  return OK;
}

/* [block=<b>] [device=<b>] [temp] [pinned] [both] [raw] [at "device"]
 * [right <reach>] [storage %root] */
static status
dat_tail(struct ir_parser *p, struct ir_dat *d) {
  if (d->kind == IR_DAT) TRY(maybe_number(p, "block", UINT32_MAX, &d->block));
  if (d->kind == IR_DAT) TRY(maybe_number(p, "device", 1, &d->device));
  if (d->kind == IR_DAT) TRY(ir_some_flags(p, IR_FLAGS_DAT, &d->flags));
  if (d->kind == IR_GBL) TRY(ir_some_flags(p, IR_FLAGS_GBL, &d->flags));
  if (d->kind == IR_DAT) TRY(ir_maybe_target(p, "at", &d->at));
  if (ir_in_parts(p->t, d) && ir_lex_is_word(&p->x, "right")) {
    TRY(ir_lex_next(&p->x));
    TRY(ir_want_reach(p, &d->reach));
  }
  bool storage = d->kind == IR_DAT || d->kind == IR_GBL;
  if (!storage || !ir_lex_is_word(&p->x, "storage")) return OK;
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

/* of <parts> */
static status
want_parts(struct ir_parser *p, uint32_t *out) {
  int64_t n = 0;
  TRY(ir_want_word(p, "of"));
  TRY(ir_want_number(p, 1, INT32_MAX, &n));
  *out = (uint32_t)n;
  return OK;
}

static status
any_dat_decl(struct ir_parser *p, const char *name, enum ir_dat_kind kind) {
  struct ir_dat d = {.name = name,
                     .kind = kind,
                     .set = IR_NONE,
                     .block = 1,
                     .reach = REACH_FULL,
                     .root = IR_NONE};
  TRY(ir_want_punct(p, ':'));
  if (ir_kind_on_set(kind)) TRY(ir_want_decl(p, IR_DECL_SET, &d.set));
  TRY(want_type(p, &d.type));
  TRY(want_times(p, &d.dim));
  if (kind == IR_INLINE) TRY(want_parts(p, &d.parts));
  TRY(dat_tail(p, &d));
  ir_ref i = ir_add_dat(p->t, d), v = p->t->dats[i].last;
  if (v == IR_NONE) return OK;
  uint32_t key[2] = {i, 0};
  *table_slot(&p->values, key, sizeof key) = (uintptr_t)v + 1;
  return OK;
}

static status
dat_decl(struct ir_parser *p, const char *name) {
  return any_dat_decl(p, name, IR_DAT);
}

static status
gbl_decl(struct ir_parser *p, const char *name) {
  return any_dat_decl(p, name, IR_GBL);
}

static status
param_decl(struct ir_parser *p, const char *name) {
  return any_dat_decl(p, name, IR_PARAM);
}

static status
inline_decl(struct ir_parser *p, const char *name) {
  return any_dat_decl(p, name, IR_INLINE);
}

static status
kernel_decl(struct ir_parser *p, const char *name) {
  struct ir_kernel k = {.name = name, .copy_from = -1, .copy_to = -1};
  uint32_t work = UINT32_MAX;
  TRY(ir_some_flags(p, IR_FLAGS_KERNEL, &k.flags));
  TRY(maybe_number(p, "work", UINT32_MAX - 1, &work));
  k.work = work + 1;
  if (ir_lex_is_word(&p->x, "copies")) {
    int64_t from = 0, to = 0;
    TRY(ir_lex_next(&p->x));
    TRY(ir_want_number(p, 0, INT32_MAX, &from));
    TRY(ir_want_number(p, 0, INT32_MAX, &to));
    k.copy_from = (int)from;
    k.copy_to = (int)to;
  }
  ir_add_kernel(p->t, k);
  return OK;
}

static const struct {
  const char *word;
  char sigil;
  status (*parse)(struct ir_parser *p, const char *name);
} decl_words[] = {
    {"set", '%', set_decl},           {"map", '%', map_decl},
    {"relation", '%', relation_decl}, {"dat", '%', dat_decl},
    {"gbl", '%', gbl_decl},           {"param", '%', param_decl},
    {"inline", '%', inline_decl},     {"kernel", '@', kernel_decl}};

status
ir_maybe_decl(struct ir_parser *p, bool *found_out) {
  size_t i = 0, n = sizeof decl_words / sizeof *decl_words;
  while (i < n && !ir_lex_is_word(&p->x, decl_words[i].word)) i++;
  *found_out = i < n;
  if (i == n) return OK;
  struct str name = STR_INIT;
  status st = ir_lex_next(&p->x);
  if (st == OK) st = new_name(p, decl_words[i].sigil, &name);
  if (st == OK) st = decl_words[i].parse(p, name.s);
  str_clear(&name);
  return st;
}
