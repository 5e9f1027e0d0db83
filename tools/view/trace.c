/* A trace for the page. */
#include "tools/view/view.h"

#include "ir/hold.h"
#include "ir/walk.h"

#include <string.h>

static void
add_member(struct str *out, const char *name, const char *text) {
  str_printf(out, ", \"%s\": ", name);
  str_json(out, text);
}

static void
add_value(const struct ir_trace *t, const char *name, ir_ref v,
          struct str *out) {
  SCOPED_STR text = STR_INIT;
  if (v == IR_NONE) return;
  ir_print_value(t, v, &text);
  add_member(out, name, text.s + (text.s[0] == '%'));
}

/* ---- arguments ----------------------------------------------------------- */

static void
add_layout(const struct ir_dat *d, struct str *out) {
  uint32_t block = d->block;
  if (d->kind != IR_DAT || d->dim == 1) return;
  if (block > 1)
    str_printf(out, ", \"layout\": \"blocks of %u\"", block);
  else
    add_member(out, "layout", block ? "AoS" : "SoA");
}

static void
add_path(const struct ir_trace *t, const struct ir_arg *a, struct str *out) {
  ir_ref map = ir_arg_through(a);
  if (map == IR_NONE) return;
  add_member(out, "map", t->maps[map].name);
  str_printf(out, ", \"entry\": %u, \"entries\": %u", a->entry,
             ir_arg_count(a));
}

static void
add_arg(const struct ir_trace *t, const struct ir_arg *a, struct str *out) {
  const struct ir_dat *d = &t->dats[a->dat];
  str_printf(out, "{\"access\": \"%s\"", access_info[a->access].text);
  add_member(out, "dat", d->name);
  str_printf(out, ", \"type\": \"%s\", \"dim\": %u", type_text(d->type),
             d->dim);
  add_layout(d, out);
  add_path(t, a, out);
  add_value(t, "in", a->in, out);
  add_value(t, "out", a->out, out);
  ir_ref def = a->in == IR_NONE ? IR_NONE : t->values[a->in].def;
  if (def != IR_NONE) str_printf(out, ", \"from\": %u", def);
  str_add(out, "}");
}

static void
add_args(const struct ir_trace *t, const struct ir_node *n, struct str *out) {
  const char *between = "";
  str_add(out, ", \"args\": [");
  for (uint32_t k = 0; k < n->nargs; k++) {
    const struct ir_arg *a = &ir_args(t, n)[k];
    if (!ir_arg_has_value(a)) continue;
    str_add(out, between);
    add_arg(t, a, out);
    between = ", ";
  }
  str_add(out, "]");
}

/* ---- nodes and regions --------------------------------------------------- */

static void
add_node(const struct ir_trace *t, ir_ref i, struct str *out) {
  const struct ir_node *n = &t->nodes[i];
  bool loop = n->op == IR_LOOP;
  str_printf(out, "{\"op\": \"%s\"", ir_op_info[n->op].text);
  add_member(out, "name",
             loop ? t->kernels[n->kernel].name : ir_op_info[n->op].text);
  if (loop) {
    add_member(out, "set", t->sets[n->set].name);
    str_printf(out, ", \"elements\": %lld", (long long)t->sets[n->set].n);
  }
  if (n->file) add_member(out, "file", n->file);
  if (n->file) str_printf(out, ", \"line\": %d", n->line);
  if (n->target) add_member(out, "target", n->target);
  if (n->region != IR_NONE) str_printf(out, ", \"region\": %u", n->region);
  if (ir_deferred(n)) str_add(out, ", \"deferred\": true");
  if (ir_op_info[n->op].root) str_add(out, ", \"root\": true");
  if (ir_runs(n)) str_printf(out, ", \"bytes\": %.0f", ir_traffic(t, i, i + 1));
  add_args(t, n, out);
  str_add(out, "}");
}

static void
add_holds(const struct ir_trace *t, const struct ir_region *g,
          struct str *out) {
  SCOPED_STR text = STR_INIT;
  for (uint32_t k = 0; k < g->nholds; k++) {
    const struct ir_operand_hold *h = &t->holds[g->hold0 + k];
    str_printf(&text, "%s%s ", k ? ", " : "", ir_hold_info[h->how].text);
    ir_print_value(t, h->value, &text);
  }
  if (text.len) add_member(out, "holds", text.s);
}

static void
add_region(const struct ir_trace *t, const struct ir_region *g,
           struct str *out) {
  str_printf(out, "{\"first\": %u, \"count\": %u", g->first, g->count);
  add_member(out, "set", t->sets[g->set].name);
  if (g->walk) add_member(out, "walk", ir_walk_info[g->walk].text);
  if (g->team) add_member(out, "team", ir_team_text[g->team]);
  str_printf(out, ", \"width\": %u, \"core_first\": %s, \"bytes\": %.0f",
             g->width, g->core_first ? "true" : "false",
             ir_traffic(t, g->first, g->first + g->count));
  add_holds(t, g, out);
  str_add(out, "}");
}

/* ---- remarks ------------------------------------------------------------- */

/* The parser leaves out comments, which is where remarks are. */
static void
add_remarks(const char *text, struct str *out) {
  const char *between = "";
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = text + strcspn(text, "\n");
    if (strncmp(text, "; ", 2)) continue;
    SCOPED_STR line = STR_INIT;
    str_addn(&line, text + 2, (size_t)(end - text) - 2);
    str_add(out, between);
    str_json(out, line.s);
    between = ", ";
  }
}

/* ---- all ----------------------------------------------------------------- */

void
view_trace(const struct ir_trace *t, const char *program, const char *stage,
           const char *text, struct str *out) {
  str_add(out, "{\"program\": ");
  str_json(out, program);
  add_member(out, "stage", stage);
  str_add(out, ", \"nodes\": [");
  for (ir_ref i = 0; i < t->nnodes; i++) {
    str_add(out, i ? ",\n" : "\n");
    add_node(t, i, out);
  }
  str_add(out, "], \"regions\": [");
  for (ir_ref r = 0; r < t->nregions; r++) {
    str_add(out, r ? ",\n" : "\n");
    add_region(t, &t->regions[r], out);
  }
  str_add(out, "], \"remarks\": [");
  add_remarks(text, out);
  str_add(out, "]}");
}
