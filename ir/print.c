/* Canonical text of a trace; doc/ir.md has the grammar.
 *
 * problem  Dumps are read by people, compared by tests, and read back by the
 *          parser; one text must do for all three.
 * idea     Every fact has one place and one spelling. A statement is a list of
 *          words; they are set on one line if they fit in 80 columns, else
 *          filled, with a fixed indent, so that the same statement always
 *          breaks at the same places.
 * limits   Remarks and tags are not part of the text.
 */
#include "ir/inner.h"
#include "ir/hold.h"
#include "ir/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PRINT_WIDTH = 80 };

/* ---- names and values -------------------------------------------------- */

/* May a name stand in the text without quotes? */
static bool
name_plain(const char *name) {
  if (!ir_name_start(*name)) return false;
  while (ir_name_char(*name)) name++;
  return *name == 0;
}

static void
print_name(struct str *out, char sigil, const char *name) {
  str_addn(out, &sigil, 1);
  if (name_plain(name))
    str_add(out, name);
  else
    str_quote(out, name);
}

/* A reference that the verifier will complain about still prints. */
#define NAME_OR(array, i) ((i) < t->n##array ? t->array[i].name : "?")

void
ir_print_value(const struct ir_trace *t, ir_ref v, struct str *out) {
  assert(v < t->nvalues);
  const struct ir_value *x = &t->values[v];
  print_name(out, '%', NAME_OR(dats, x->dat));
  str_printf(out, ".%u", x->version);
}

/* ---- filling lines ----------------------------------------------------- */

/* How a word stands to the one before it: after a blank, glued to it, or at the
 * start of a new line if the statement does not fit on one, else glued. */
enum word_joint { WORD_BLANK, WORD_GLUE, WORD_LINE };

/* One statement: its words one after another, and where they begin. */
struct words {
  struct str text;
  struct word {
    size_t begin;
    enum word_joint joint;
  } *list;
  uint32_t n, cap;
};

static struct str *
word_joined(struct words *w, enum word_joint joint) {
  VEC_PUSH(w->list, w->n, w->cap, ((struct word){w->text.len, joint}));
  return &w->text;
}

static struct str *
word(struct words *w) {
  return word_joined(w, WORD_BLANK);
}

static size_t
word_len(const struct words *w, uint32_t i) {
  return (i + 1 < w->n ? w->list[i + 1].begin : w->text.len) - w->list[i].begin;
}

/* Columns of the whole statement on one line. */
static size_t
words_width(const struct words *w) {
  size_t width = w->text.len;
  for (uint32_t i = 1; i < w->n; i++) width += w->list[i].joint == WORD_BLANK;
  return width;
}

/* Set the words from column `indent` on; lines after the first are four further
 * in. Empties `w`. */
static void
words_fill(struct words *w, int indent, struct str *out) {
  size_t col = (size_t)indent;
  bool one_line = col + words_width(w) <= PRINT_WIDTH;
  str_printf(out, "%*s", indent, "");
  for (uint32_t i = 0; i < w->n; i++) {
    size_t len = word_len(w, i), run = len;
    size_t blank = i && w->list[i].joint == WORD_BLANK;
    for (uint32_t k = i + 1; k < w->n && w->list[k].joint == WORD_GLUE; k++)
      run += word_len(w, k);
    bool wants_line = w->list[i].joint == WORD_LINE && !one_line;
    if (wants_line || (blank && col + blank + run > PRINT_WIDTH)) {
      str_printf(out, "\n%*s", indent + 4, "");
      col = (size_t)indent + 4;
      blank = 0;
    }
    str_addn(out, " ", blank);
    col += blank;
    str_addn(out, w->text.s + w->list[i].begin, len);
    col += len;
  }
  str_clear(&w->text);
  free(w->list);
  *w = (struct words){.text = STR_INIT};
}

/* ---- declarations ------------------------------------------------------ */

static void
print_flags(struct str *out, enum ir_flag_owner owner, uint32_t flags) {
  for (uint32_t i = 0; i < ir_flag_count; i++)
    if (ir_flag_info[i].owner == owner && (flags & ir_flag_info[i].bit))
      str_printf(out, " %s", ir_flag_info[i].text);
}

void
ir_print_area(uint32_t ndim, const struct ir_area *a, struct str *out) {
  assert(ndim <= IR_DIMS);
  for (uint32_t d = 0; d < ndim; d++) {
    int lo = -a->at[2 * d], hi = a->at[2 * d + 1];
    str_printf(out, "%s%d", d ? "," : "(", lo);
    if (hi != lo) str_printf(out, ":%d", hi);
  }
  str_add(out, ")");
}

void
ir_print_spans(uint32_t n, const struct ir_spans *s, struct str *out) {
  struct ir_area a = {{0}};
  for (uint32_t k = 0; k < n; k++) {
    a.at[2 * k] = s->at[k].below;
    a.at[2 * k + 1] = s->at[k].above;
  }
  ir_print_area(n, &a, out);
}

static void
print_points(const struct ir_trace *t, const struct ir_set *s,
             struct str *out) {
  if (!s->ndim) return;
  str_add(out, " points ");
  ir_print_area(s->ndim, &s->area, out);
  if (s->box) {
    str_add(out, " of ");
    print_name(out, '%', NAME_OR(sets, s->box - 1));
  }
  if (!s->side[0]) return;
  str_add(out, " sides");
  for (uint32_t d = 0; d < s->ndim; d++)
    str_printf(out, " %lld%s", (long long)s->side[d],
               s->periodic >> d & 1 ? " periodic" : "");
}

static void
print_set(const struct ir_trace *t, const struct ir_set *s, struct str *out) {
  str_add(out, "  set ");
  print_name(out, '%', s->name);
  str_printf(out, " n=%lld", (long long)s->n);
  print_flags(out, IR_FLAGS_SET, s->flags);
  if (s->nlevels) str_add(out, " levels");
  for (uint32_t k = 0; k < s->nlevels; k++)
    str_printf(out, " %lld", (long long)s->levels[k]);
  if (s->deepest) str_printf(out, " deepest=%u", s->deepest);
  print_points(t, s, out);
  str_add(out, "\n");
}

static void
print_map(const struct ir_trace *t, const struct ir_map *m, struct str *out) {
  const struct ir_rows_info *rows =
      &ir_rows_info[m->rows < IR_ROWS_COUNT ? m->rows : IR_ROWS_TABLE];
  str_add(out, m->rows ? "  relation " : "  map ");
  print_name(out, '%', m->name);
  str_add(out, " : ");
  print_name(out, '%', NAME_OR(sets, m->from));
  str_add(out, " -> ");
  print_name(out, '%', NAME_OR(sets, m->to));
  if (m->rows)
    str_printf(out, " %s", rows->text);
  else
    str_printf(out, " x%u", m->arity);
  for (uint32_t k = 0; k < rows->of; k++) {
    str_add(out, " ");
    print_name(out, '%', NAME_OR(maps, m->of[k]));
  }
  print_flags(out, IR_FLAGS_MAP, m->flags);
  if (m->scatter) str_printf(out, " scatter=%u", m->scatter - 1);
  if (m->drift) str_printf(out, " drift=%u", m->drift - 1);
  if (m->run) str_printf(out, " run=%u", m->run);
  if (m->run_entry) str_printf(out, " at=%u", m->run_entry);
  if (m->stretch) str_printf(out, " stretch=%u", m->stretch);
  if (m->still) str_printf(out, " still=%u", m->still);
  if (m->usual) str_printf(out, " usual=%u", m->usual);
  if (m->step) str_printf(out, " step=%d", m->step);
  if (m->starts) {
    str_add(out, " starts ");
    print_name(out, '%', NAME_OR(maps, m->starts - 1));
  }
  if (m->layers.height)
    str_printf(out, " layers %d %d of %d apart %d", m->layers.first,
               m->layers.last, m->layers.height, m->layers.apart);
  if (m->rule) str_add(out, " rule");
  for (uint32_t k = 0; m->rule && k < m->arity; k++) {
    str_add(out, " ");
    ir_print_area(ir_rule_ndim(t, m), &m->rule[k], out);
  }
  str_add(out, "\n");
}

static void
print_reach(struct reach r, struct str *out) {
  str_printf(out, "%d", r.own);
  if (r.via >= 0) str_printf(out, " via %d", r.via);
}

static void
print_dat(const struct ir_trace *t, ir_ref i, struct str *out) {
  static const char *const words[] = {"dat", "gbl", "param", "inline"};
  const struct ir_dat *d = &t->dats[i];
  assert(d->kind <= IR_INLINE);
  str_printf(out, "  %s ", words[d->kind]);
  print_name(out, '%', d->name);
  str_add(out, " : ");
  if (ir_kind_on_set(d->kind)) {
    print_name(out, '%', NAME_OR(sets, d->set));
    str_add(out, " ");
  }
  str_printf(out, "%s x%u", type_text(d->type), d->dim);
  if (d->kind == IR_INLINE) str_printf(out, " of %u", d->parts);
  if (d->kind == IR_DAT && d->block != 1)
    str_printf(out, " block=%u", d->block);
  if (d->device) str_printf(out, " device=%u", d->device);
  if (d->kind == IR_DAT) print_flags(out, IR_FLAGS_DAT, d->flags);
  if (d->kind == IR_GBL) print_flags(out, IR_FLAGS_GBL, d->flags);
  if (d->at) {
    str_add(out, " at ");
    str_quote(out, d->at);
  }
  if (ir_in_parts(t, d) && !reach_covers(d->reach, REACH_FULL)) {
    str_add(out, " right ");
    print_reach(d->reach, out);
  }
  if (d->root != i) {
    str_add(out, " storage ");
    print_name(out, '%', NAME_OR(dats, d->root));
  }
  str_add(out, "\n");
}

static void
print_kernel(const struct ir_kernel *k, struct str *out) {
  str_add(out, "  kernel ");
  print_name(out, '@', k->name);
  print_flags(out, IR_FLAGS_KERNEL, k->flags);
  if (k->work) str_printf(out, " work=%u", k->work - 1);
  if (k->copy_from >= 0 && k->copy_to >= 0)
    str_printf(out, " copies %d %d", k->copy_from, k->copy_to);
  str_add(out, "\n");
}

/* Initial versions of one buffer, in the order of their declarations. */
static void
print_sames(const struct ir_trace *t, struct str *out) {
  SCOPED ir_ref *first = mem_alloc(t->ndats, sizeof *first);
  for (ir_ref d = 0; d < t->ndats; d++) first[d] = IR_NONE;
  for (ir_ref v = 0; v < t->nvalues; v++)
    if (t->values[v].version == 0) first[t->values[v].dat] = v;
  for (ir_ref d = 0; d < t->ndats; d++) {
    ir_ref v = first[d];
    if (v == IR_NONE || t->values[v].same == v) continue;
    if (t->values[v].def != IR_NONE) continue;
    str_add(out, "  same ");
    ir_print_value(t, v, out);
    str_add(out, " ");
    ir_print_value(t, t->values[v].same, out);
    str_add(out, "\n");
  }
}

/* ---- nodes ------------------------------------------------------------- */

/* [2], [0:3] */
static void
print_entries(const struct ir_arg *a, struct str *out) {
  str_printf(out, a->vector ? "[%u:%u]" : "[%u]", a->entry,
             a->entry + a->vector);
}

static void
print_via(const struct ir_trace *t, const struct ir_arg *a, struct str *out) {
  if (a->map == IR_NONE && !a->each) return;
  if (a->own) str_add(out, " own");
  str_add(out, a->each ? " via %e" : " via");
  if (a->map == IR_NONE) return;
  str_add(out, " ");
  print_name(out, '%', NAME_OR(maps, a->map));
  if (a->kind == IR_ARG_LENGTH) return;
  print_entries(a, out);
  if (a->shift) str_printf(out, " shift=%d", a->shift);
}

/* %q.0, %q (a full write), %q.0 as %view, %p0 */
static void
print_operand(const struct ir_trace *t, const struct ir_arg *a,
              struct str *out) {
  ir_ref root = a->dat < t->ndats ? t->dats[a->dat].root : IR_NONE;
  if (a->in != IR_NONE && a->in < t->nvalues)
    ir_print_value(t, a->in, out);
  else
    print_name(out, '%', NAME_OR(dats, root));
  if (a->dat < t->ndats && ir_arg_inline(t, a)) print_entries(a, out);
  if (root == a->dat) return;
  str_add(out, " as ");
  print_name(out, '%', NAME_OR(dats, a->dat));
}

static void
print_arg(const struct ir_trace *t, const struct ir_arg *a, bool bare,
          struct str *out) {
  const char *word =
      ir_arg_info[a->kind < IR_ARG_COUNT ? a->kind : IR_ARG_OFF].word;
  bool info = a->kind == IR_ARG_INFO;
  if (*word)
    str_printf(out, "%s%s", word, info ? " " : "");
  else if (!bare)
    str_printf(out, "%s ", access_info[a->access].text);
  if (!*word || info) print_operand(t, a, out);
  if (a->kind == IR_ARG_INFO) str_printf(out, " of %u", a->info_of);
  print_via(t, a, out);
}

/* "%a.1, %b.2 =" */
static void
print_results(const struct ir_trace *t, const struct ir_node *n,
              struct words *w) {
  const struct ir_arg *a = ir_args(t, n);
  uint32_t found = 0;
  for (uint32_t i = 0; i < n->nargs; i++) {
    bool again = a[i].out == IR_NONE || a[i].out >= t->nvalues;
    for (uint32_t k = 0; k < i && !again; k++) again = a[k].out == a[i].out;
    if (again) continue;
    if (found++) str_add(word_joined(w, WORD_GLUE), ",");
    ir_print_value(t, a[i].out, word(w));
  }
  if (found) str_add(word(w), "=");
}

static void
print_tail(const struct ir_node *n, struct words *w) {
  for (uint32_t i = 0; i < ir_flag_count; i++)
    if (ir_flag_info[i].owner == IR_FLAGS_NODE &&
        (n->flags & ir_flag_info[i].bit))
      str_add(word(w), ir_flag_info[i].text);
  if (n->target) {
    str_add(word(w), "on ");
    str_quote(word_joined(w, WORD_GLUE), n->target);
  }
  if (n->level) str_printf(word(w), "level=%u", n->level);
  if (n->epoch) str_printf(word(w), "epoch=%u", n->epoch);
  if (!n->file) return;
  struct str *loc = word(w);
  str_add(loc, "loc ");
  str_quote(loc, n->file);
  str_printf(loc, ":%d", n->line);
}

static void
print_loop_head(const struct ir_trace *t, const struct ir_node *n,
                struct words *w) {
  print_name(word(w), '@', NAME_OR(kernels, n->kernel));
  str_add(word(w), "over");
  print_name(word(w), '%', NAME_OR(sets, n->set));
  if (n->each) {
    str_add(word(w), "for %e in");
    print_name(word(w), '%', NAME_OR(maps, n->each - 1));
  }
  str_add(word(w), "(");
}

static void
print_node(const struct ir_trace *t, ir_ref i, int indent, struct str *out) {
  assert(i < t->nnodes);
  const struct ir_node *n = &t->nodes[i];
  struct words w = {.text = STR_INIT};
  print_results(t, n, &w);
  str_add(word(&w), ir_op_info[n->op].text);
  if (n->op == IR_LOOP) print_loop_head(t, n, &w);
  for (uint32_t k = 0; k < n->nargs; k++) {
    bool first = n->op == IR_LOOP && k == 0;
    struct str *arg = word_joined(&w, first ? WORD_LINE : WORD_BLANK);
    print_arg(t, ir_args(t, n) + k, ir_bare(n), arg);
    if (n->op == IR_EXCHANGE) {
      str_add(arg, " to ");
      print_reach(ir_args(t, n)[k].reach, arg);
    }
    if (k + 1 < n->nargs) str_add(arg, ",");
  }
  if (n->op == IR_LOOP) str_add(word_joined(&w, WORD_GLUE), ")");
  if (n->op == IR_LIVE && !n->nargs) str_add(word(&w), "none");
  print_tail(n, &w);
  words_fill(&w, indent, out);
}

/* ---- regions, buffers, the whole --------------------------------------- */

/* The operands that are held so, in the region's order. */
static void
print_held(const struct ir_trace *t, const struct ir_region *g,
           enum ir_hold how, struct str *out) {
  struct words w = {.text = STR_INIT};
  for (uint32_t k = g->hold0; k < g->hold0 + g->nholds; k++) {
    if (t->holds[k].how != how) continue;
    if (!w.n) str_printf(word(&w), "hold %s", ir_hold_info[how].text);
    ir_print_value(t, t->holds[k].value, word(&w));
  }
  if (!w.n) return;
  words_fill(&w, 4, out);
  str_add(out, "\n");
}

static void
print_region_end(const struct ir_trace *t, ir_ref r, struct str *out) {
  for (int how = IR_HOLD_NONE + 1; how < IR_HOLD_COUNT; how++)
    print_held(t, &t->regions[r], (enum ir_hold)how, out);
  str_add(out, "  }\n");
}

static void
print_region_begin(const struct ir_trace *t, const struct ir_region *g,
                   struct str *out) {
  str_add(out, "  region over ");
  print_name(out, '%', NAME_OR(sets, g->set));
  if (g->walk) str_printf(out, " walk %s", ir_walk_info[g->walk].text);
  if (g->width) str_printf(out, " width %u", g->width);
  if (g->panel) str_printf(out, " panel %u", g->panel);
  if (g->stretches) str_add(out, " by stretches");
  if (g->steps) str_add(out, " by steps");
  if (g->lengths) str_add(out, " by lengths");
  if (g->ahead) str_printf(out, " ahead %u", g->ahead);
  if (g->prefetch) str_printf(out, " prefetch %u", g->prefetch);
  if (g->targets) str_printf(out, " targets %u", g->targets);
  if (g->target_rows > 1) str_printf(out, " rows %u", g->target_rows);
  if (g->twice) str_add(out, " twice");
  if (g->team) str_printf(out, " team %s", ir_team_text[g->team]);
  if (g->core_first) str_add(out, " core first");
  if (g->chain) {
    str_printf(out, " chain #%u", g->chain - 1);
    uint32_t n = g->chain <= t->nchains ? t->chains[g->chain - 1].nsides : 1;
    if (n) str_add(out, " ");
    if (n) ir_print_spans(n, &g->span, out);
    if (g->deep) str_printf(out, " deep %u", g->deep);
  }
  str_add(out, " {\n");
}

static void
print_nodes(const struct ir_trace *t, struct str *out) {
  ir_ref open = IR_NONE;
  for (ir_ref i = 0; i < t->nnodes; i++) {
    ir_ref r = t->nodes[i].region;
    if (r >= t->nregions) r = IR_NONE;
    if (r != open && open != IR_NONE) print_region_end(t, open, out);
    if (r != open && r != IR_NONE) print_region_begin(t, &t->regions[r], out);
    open = r;
    print_node(t, i, open == IR_NONE ? 2 : 4, out);
    str_add(out, "\n");
  }
  if (open != IR_NONE) print_region_end(t, open, out);
}

/* Order in a buffer: initial versions, then by definition, then by declaration
 * and version, of which no two are equal. */
static int
member_cmp(const void *a, const void *b, void *user) {
  const struct ir_value *values = user;
  const struct ir_value *x = &values[*(const ir_ref *)a];
  const struct ir_value *y = &values[*(const ir_ref *)b];
  ir_ref dx = x->def + 1, dy = y->def + 1; /* IR_NONE comes first */
  if (dx != dy) return dx < dy ? -1 : 1;
  if (x->dat != y->dat) return x->dat < y->dat ? -1 : 1;
  return x->version < y->version ? -1 : x->version > y->version;
}

static void
print_buffer(const struct ir_trace *t, ir_ref b, const ir_ref *sorted,
             struct str *out) {
  struct words w = {.text = STR_INIT};
  str_printf(word(&w), "buffer #%u :", b);
  for (uint32_t i = 0; i < t->nvalues; i++)
    if (t->values[sorted[i]].buffer == b)
      ir_print_value(t, sorted[i], word(&w));
  words_fill(&w, 2, out);
  str_add(out, "\n");
}

static void
print_buffers(const struct ir_trace *t, struct str *out) {
  if (!t->nbuffers) return;
  SCOPED ir_ref *sorted = mem_alloc(t->nvalues, sizeof *sorted);
  for (ir_ref v = 0; v < t->nvalues; v++) sorted[v] = v;
  qsort_r(sorted, t->nvalues, sizeof *sorted, member_cmp, t->values);
  for (ir_ref b = 0; b < t->nbuffers; b++) print_buffer(t, b, sorted, out);
}

static void
print_chain(const struct ir_trace *t, ir_ref k, struct str *out) {
  const struct ir_chain *c = &t->chains[k];
  struct words w = {.text = STR_INIT};
  str_printf(word(&w), "chain #%u :", k);
  if (c->piece)
    str_printf(word(&w), "pieces %u", c->piece);
  else
    print_name(word(&w), '%', NAME_OR(sets, c->box));
  for (uint32_t i = 0; i < c->nsides; i++) {
    str_printf(word(&w), "along %u", c->side[i].along);
    str_printf(word(&w), "rows %u", c->side[i].rows);
  }
  if (c->nown) str_add(word(&w), "private");
  for (uint32_t i = 0; i < c->nown; i++) str_printf(word(&w), "#%u", c->own[i]);
  words_fill(&w, 2, out);
  str_add(out, "\n");
}

void
ir_print(const struct ir_trace *t, struct str *out) {
  str_add(out, "trace ");
  print_name(out, '@', t->name);
  str_add(out, " {\n");
  for (ir_ref i = 0; i < t->nsets; i++) print_set(t, &t->sets[i], out);
  for (ir_ref i = 0; i < t->nmaps; i++) print_map(t, &t->maps[i], out);
  for (ir_ref i = 0; i < t->ndats; i++) print_dat(t, i, out);
  for (ir_ref i = 0; i < t->nkernels; i++) print_kernel(&t->kernels[i], out);
  print_sames(t, out);
  print_nodes(t, out);
  print_buffers(t, out);
  for (ir_ref k = 0; k < t->nchains; k++) print_chain(t, k, out);
  str_add(out, "}\n");
}
