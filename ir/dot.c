/* A trace as a graph for Graphviz.
 *
 * problem  A trace of two hundred loops shows its shape only as a picture; a
 *          picture with every detail shows nothing.
 * idea     Boxes are loops (kernel, call, set), clusters are regions of
 *          several, round nodes are what the host sees; bytes are those of
 *          traffic.c. An edge leads from the node that defines versions to one
 *          that uses them, and says how and which;
 *          versions that the trace begins with are plain words. Order that
 *          follows from overwriting (WAR, WAW) is not drawn: it is a matter of
 *          buffers. A long trace repeats itself and Graphviz gives up on it, so
 *          of more than DOT_FIRST + DOT_LAST nodes only the first and the last
 *          are drawn, and a box that says how many stand between them.
 * example  op2-opt --dot step.irt | dot -Tsvg > step.svg
 * cost     O(args^2) per node.
 */
#include "ir/inner.h"

#include <assert.h>
#include <string.h>

enum { DOT_FIRST = 60, DOT_LAST = 20 };

/* Is the node drawn? Regions are drawn as a whole, with their first node. */
static bool
dot_shown(const struct ir_trace *t, ir_ref i) {
  ir_ref r = t->nodes[i].region;
  if (r != IR_NONE) i = t->regions[r].first;
  return t->nnodes <= DOT_FIRST + DOT_LAST || i < DOT_FIRST ||
         i >= t->nnodes - DOT_LAST;
}

/* The box that stands for all nodes not drawn. */
static void
dot_gap(const struct ir_trace *t, struct str *out) {
  uint32_t hidden = 0;
  for (ir_ref i = 0; i < t->nnodes; i++) hidden += !dot_shown(t, i);
  if (hidden)
    str_printf(out,
               "  gap [shape=note, label=\"%u nodes left out,\\nsee the "
               "text\"];\n",
               hidden);
}

/* ---- text in labels ---------------------------------------------------- */

/* Graphviz reads backslashes and quotes; control bytes would break the line. */
static void
dot_escape(struct str *out, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      str_printf(out, "\\%c", c);
    else
      str_addn(out, c < 32 || c == 127 ? " " : text, 1);
  }
}

static void
dot_value(const struct ir_trace *t, ir_ref v, struct str *out) {
  SCOPED_STR text = STR_INIT;
  ir_print_value(t, v, &text);
  dot_escape(out, text.s);
}

static const char *
dot_basename(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

/* ---- nodes ------------------------------------------------------------- */

/* Bytes that these nodes move, in a line of its own; nothing where none. */
static void
dot_bytes(const struct ir_trace *t, ir_ref lo, ir_ref hi, struct str *out) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  double bytes = ir_traffic(t, lo, hi);
  size_t u = 0;
  for (; bytes >= 1000 && u < 4; u++) bytes /= 1000;
  if (bytes > 0) str_printf(out, "\\n%.*f %s", u > 0, bytes, units[u]);
}

/* kernel / file:line / over %set / bytes, one under the other */
static void
dot_label(const struct ir_trace *t, ir_ref i, struct str *out) {
  const struct ir_node *n = &t->nodes[i];
  if (n->op == IR_LOOP)
    dot_escape(out, t->kernels[n->kernel].name);
  else
    str_add(out, ir_op_info[n->op].text);
  if (n->file) {
    str_add(out, "\\n");
    dot_escape(out, dot_basename(n->file));
    str_printf(out, ":%d", n->line);
  }
  if (n->op == IR_LOOP) {
    str_add(out, "\\nover %");
    dot_escape(out, t->sets[n->set].name);
  }
  if (ir_runs(n)) dot_bytes(t, i, i + 1, out);
}

static void
dot_node(const struct ir_trace *t, ir_ref i, int indent, struct str *out) {
  const struct ir_node *n = &t->nodes[i];
  str_printf(out, "%*sn%u [label=\"", indent, "", i);
  dot_label(t, i, out);
  str_add(out, "\"");
  if (n->op != IR_LOOP)
    str_printf(out, ", shape=%s",
               ir_op_info[n->op].root ? "ellipse"
                                      : "box, style=\"filled,rounded\"");
  if (ir_deferred(n))
    str_add(out, ", style=\"filled,dashed\", color=gray50, fontcolor=gray50");
  str_add(out, "];\n");
}

static void
dot_nodes(const struct ir_trace *t, struct str *out) {
  ir_ref open = IR_NONE;
  for (ir_ref i = 0; i < t->nnodes; i++) {
    if (!dot_shown(t, i)) continue;
    ir_ref r = t->nodes[i].region;
    if (r != IR_NONE && t->regions[r].count < 2) r = IR_NONE; /* a box does */
    if (r != open && open != IR_NONE) str_add(out, "  }\n");
    if (r != open && r != IR_NONE) {
      str_printf(out, "  subgraph cluster_%u {\n    label=\"region over %%", i);
      dot_escape(out, t->sets[t->regions[r].set].name);
      dot_bytes(t, i, ir_unit_end(t, i), out);
      str_add(out, "\";\n");
    }
    open = r;
    dot_node(t, i, open == IR_NONE ? 2 : 4, out);
  }
  if (open != IR_NONE) str_add(out, "  }\n");
}

/* ---- edges ------------------------------------------------------------- */

/* Do two versions come out of one place? */
static bool
dot_same_source(const struct ir_trace *t, ir_ref v, ir_ref w) {
  if (v == w) return true;
  return t->values[v].def != IR_NONE && t->values[v].def == t->values[w].def;
}

/* Is args[k] the first that reads from its source, or reads its version? */
static bool
dot_first(const struct ir_trace *t, const struct ir_arg *a, uint32_t k,
          bool this_version) {
  for (uint32_t j = 0; j < k; j++)
    if (a[j].in != IR_NONE &&
        (this_version ? a[j].in == a[k].in
                      : dot_same_source(t, a[j].in, a[k].in)))
      return false;
  return true;
}

/* How a version is read, and which: "inc %res.1". */
static void
dot_use(const struct ir_trace *t, const struct ir_arg *a, struct str *out) {
  str_printf(out, "%s ", access_info[a->access].text);
  dot_value(t, a->in, out);
}

/* One edge for all that args[k], and later ones, take from one source. */
static void
dot_edge(const struct ir_trace *t, ir_ref n, uint32_t k, struct str *out) {
  const struct ir_arg *a = ir_args(t, &t->nodes[n]);
  assert(a[k].in < t->nvalues);
  ir_ref def = t->values[a[k].in].def;
  if (def == IR_NONE) {
    str_printf(out, "  v%u -> n%u [color=gray50, label=\"%s\"];\n", a[k].in, n,
               access_info[a[k].access].text);
    return;
  }
  if (dot_shown(t, def))
    str_printf(out, "  n%u -> n%u [label=\"", def, n);
  else
    str_printf(out, "  gap -> n%u [label=\"", n);
  dot_use(t, &a[k], out);
  for (uint32_t j = k + 1; j < t->nodes[n].nargs; j++) {
    if (a[j].in == IR_NONE || !dot_same_source(t, a[j].in, a[k].in)) continue;
    if (!dot_first(t, a, j, true)) continue;
    str_add(out, "\\n");
    dot_use(t, &a[j], out);
  }
  str_add(out, "\"];\n");
}

static void
dot_edges(const struct ir_trace *t, struct str *out) {
  for (ir_ref n = 0; n < t->nnodes; n++) {
    const struct ir_arg *a = ir_args(t, &t->nodes[n]);
    if (!dot_shown(t, n)) continue;
    for (uint32_t k = 0; k < t->nodes[n].nargs; k++)
      if (a[k].in != IR_NONE && dot_first(t, a, k, false))
        dot_edge(t, n, k, out);
  }
}

/* Versions the trace begins with, if somebody reads them. */
static void
dot_starts(const struct ir_trace *t, struct str *out) {
  struct ir_uses u = ir_uses_build(t);
  for (ir_ref v = 0; v < t->nvalues; v++) {
    bool shown = false;
    for (uint32_t k = u.start[v]; k < u.start[v + 1]; k++)
      shown |= dot_shown(t, u.users[k]);
    if (t->values[v].def != IR_NONE || !shown) continue;
    str_printf(out, "  v%u [shape=plaintext, style=\"\", label=\"", v);
    dot_value(t, v, out);
    str_add(out, "\"];\n");
  }
  ir_uses_free(&u);
}

static void
dot_legend(struct str *out) {
  str_add(out, "  legend [shape=note, fontsize=10, label=\""
               "white box: a loop, its call, set and bytes\\l"
               "grey box around loops: a region, they run as one\\l"
               "dashed: left for a later flush\\l"
               "round: what the program looks at\\l"
               "edge: how a version is used, and which\\l"
               "plain text: versions from before\\l\"];\n");
}

void
ir_dot(const struct ir_trace *t, struct str *out) {
  str_add(out, "digraph \"");
  dot_escape(out, t->name);
  str_add(out, "\" {\n  rankdir=TB; newrank=true;\n"
               "  graph [fontname=\"Helvetica\", fontsize=12, style=filled, "
               "color=gray92];\n"
               "  node [fontname=\"Helvetica\", fontsize=12, shape=box, "
               "style=filled, fillcolor=white];\n"
               "  edge [fontname=\"Helvetica\", fontsize=10];\n");
  dot_legend(out);
  dot_starts(t, out);
  dot_gap(t, out);
  dot_nodes(t, out);
  dot_edges(t, out);
  str_add(out, "}\n");
}
