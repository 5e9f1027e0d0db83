/* Declarations of sets, maps and sparsities, as C. See emit.h. */
#include "emitter.h"

#include "boxes.h"
#include "columns.h"
#include "matrices.h"

/* Entry j of the row of e, by its formula. */
static void
emit_entry(const struct emitter *y, int k, int base) {
  const struct pmap *m = &y->p->maps[k];
  int to = y->p->sets[m->to];
  switch (m->kind) {
  case MAP_SHIFT: OUT("(e + %d + j) %% %d", m->a, to); break;
  case MAP_SPREAD: OUT("(e * %d + j + %d) %% %d", m->arity, m->a, to); break;
  case MAP_PARTS: OUT("(e / %d + j) %% %d", m->a % 7 + 2, to); break;
  case MAP_ROWS: OUT("(e + %d) %% %d", m->a, to); break;
  default: OUT("(e * 31 + j * 17 + %d) * 2654435761u / 128 %% %d", m->a, to);
  }
  OUT("%s;\n", base ? " + 1" : "");
}

/* Entries of map k by its formula, in a loop. */
static void
emit_table(const struct emitter *y, int k, int base) {
  const struct pmap *m = &y->p->maps[k];
  int n = y->p->sets[m->from];
  OUT("  static int t%d[%d];\n  for (int e = 0, j = 0; e < %d; ", k,
      n * m->arity, n);
  if (m->arity == 1)
    OUT("e++) t%d[e + j] = ", k);
  else
    OUT("j = (j + 1) %% %d, e += !j) t%d[e * %d + j] = ", m->arity, k,
        m->arity);
  emit_entry(y, k, base);
}

static void
emit_rows(const struct emitter *y, int k, int base) {
  const struct pmap *m = &y->p->maps[k];
  int n = y->p->sets[m->from];
  OUT("  static int t%d[%d];\n  static idx_g_t r%d[%d];\n", k,
      n * map_longest(m) + 1, k, n + 1);
  OUT("  for (int e = 0, j = 0, n = 0; e < %d; e++, j = 0, r%d[e] = n)\n", n,
      k);
  OUT("    for (; j < %d + (e + %d) %% 3; j++) t%d[n++] = ", m->arity, m->a, k);
  emit_entry(y, k, base);
}

static void
emit_column_map(const struct emitter *y, int k) {
  const struct pmap *m = &y->p->maps[k];
  bool meets = column_map_meets(y->p, m);
  OUT("m%d = op2_decl_map_columns(s%d, s%d, ", k, m->from, m->to);
  if (m->first >= 0)
    OUT("m%d, ", m->first);
  else
    OUT("NULL, ");
  OUT(meets ? "NULL" : "((int[]){");
  for (int j = 0; j < m->arity && !meets; j++)
    OUT("%s%d", j ? ", " : "", column_offset(m, j));
  OUT("%s, \"m%d\");\n", meets ? "" : "})", k);
}

static void
emit_rule(const struct emitter *y, int k) {
  const struct pmap *m = &y->p->maps[k];
  int ndim = y->p->made[m->from].ndim;
  if (m->kind == MAP_TABLE) {
    OUT("m%d = op2_map_materialise(m%d, \"m%d\");\n", k, m->first, k);
    return;
  }
  if (m->kind == MAP_GRID) {
    OUT("m%d = op2_decl_map_grid(s%d, s%d, \"m%d\");\n", k, m->from, m->to, k);
    return;
  }
  OUT("m%d = op2_decl_map_rule(s%d, s%d, %d, ((int[]){", k, m->from, m->to,
      m->arity);
  for (int i = 0; i < box_colours(y->p, m->from) * m->arity; i++) {
    struct hop h = rule_hop(y->p, m, i / m->arity, i % m->arity);
    for (int d = 0; d < ndim; d++) OUT("%s%d", i + d ? ", " : "", h.by[d]);
    if (set_is_grid(y->p, m->to)) OUT(", %d", h.colour);
  }
  OUT("}), \"m%d\");\n", k);
}

static void
emit_made(const struct emitter *y, int k) {
  const struct pmap *m = &y->p->maps[k];
  if (m->kind == MAP_COMPOSED) {
    OUT("m%d = op2_decl_map_composed(m%d, m%d, \"m%d\");\n", k, m->first,
        m->then, k);
    return;
  }
  if (map_is_rule(m)) {
    emit_rule(y, k);
    return;
  }
  if (m->kind == MAP_COLUMNS) {
    emit_column_map(y, k);
    return;
  }
  OUT("m%d = op2_decl_map_permuted(m%d, ((int[]){", k, m->first);
  for (int i = 0; i < m->arity; i++)
    OUT("%s%d", i ? ", " : "", permuted_entry(m, i));
  OUT("}), \"m%d\");\n", k);
}

/* m%d = op_decl_map(...): a new handle of map k. */
void
emit_map_handle(const struct emitter *y, int k) {
  const struct pmap *m = &y->p->maps[k];
  if (m->kind >= MAP_KINDS) {
    emit_made(y, k);
    return;
  }
  if (m->csr) {
    OUT("m%d = op2_decl_map_csr(s%d, s%d, r%d, t%d, \"m%d\");\n", k, m->from,
        m->to, k, k, k);
    return;
  }
  int n = y->p->sets[m->from] * m->arity;
  int base = y->flags & PLAY_BASE_ONE ? 1 : 0;
  OUT("m%d = op_decl_map(s%d, s%d, %d, ", k, m->from, m->to, m->arity);
  if (n > LITERAL)
    OUT("t%d", k);
  else
    OUT("((int[]){");
  for (int i = 0; i < n && n <= LITERAL; i++)
    OUT("%s%d", i ? ", " : "",
        map_entry(y->p, k, i / m->arity, i % m->arity) + base);
  OUT("%s, \"m%d\");\n", n > LITERAL ? "" : n ? "})" : "0})", k);
}

void
emit_map(const struct emitter *y, int k) {
  const struct pmap *m = &y->p->maps[k];
  int base = y->flags & PLAY_BASE_ONE ? 1 : 0;
  if (m->kind == MAP_LOCAL) return;
  if (m->csr)
    emit_rows(y, k, base);
  else if (m->kind < MAP_KINDS && y->p->sets[m->from] * m->arity > LITERAL)
    emit_table(y, k, base);
  OUT("  op_map ");
  emit_map_handle(y, k);
}

/* The pairs keep their maps, whatever else is declared under those names. */
void
emit_sparsity(const struct emitter *y, int k) {
  const struct psparsity *s = &y->p->sparsities[k];
  for (int i = 0; i < s->npairs; i++) {
    int m = s->pairs[i];
    OUT("  op_map m%dr = m%d, m%dc = m%d;\n", m, y->p->maps[m].first, m,
        y->p->maps[m].then);
  }
  OUT("  op2_sparsity p%d = op2_decl_sparsity(%d, ", k, s->npairs);
  for (int side = 0; side < 2; side++) {
    OUT("((op_map[]){");
    for (int i = 0; i < s->npairs; i++)
      OUT("%sm%d%c", i ? ", " : "", s->pairs[i], side ? 'c' : 'r');
    OUT("}), ");
  }
  OUT("\"p%d\");\n", k);
}

static void
emit_columns(const struct emitter *y, int k) {
  const struct pmade *u = &y->p->made[k];
  int n = y->p->sets[u->over];
  if (!u->vary) {
    OUT("  op_set s%d = op2_decl_columns(s%d, %d, \"s%d\");\n", k, u->over,
        u->layers, k);
    return;
  }
  OUT("  static int u%d[] = {", k);
  for (int b = 0; b < n; b++) {
    struct column c = column_at(y->p, k, b);
    OUT("%s%d, %d", b ? ", " : "", c.bottom, c.bottom + c.n);
  }
  OUT("%s};\n", n ? "" : "0");
  OUT("  op_set s%d = op2_decl_columns_var(s%d, u%d, \"s%d\");\n", k, u->over,
      k, k);
}

static void
emit_box(const struct emitter *y, int k) {
  const struct pmade *u = &y->p->made[k];
  bool grid = set_is_grid(y->p, k);
  OUT("  op_set s%d = op2_decl_%s(", k, grid ? "grid" : "box");
  if (!grid) OUT("%d, ", u->ndim);
  OUT("((idx_g_t[]){");
  for (int d = 0; d < u->ndim; d++) OUT("%s%d", d ? ", " : "", u->n[d]);
  OUT("}), ");
  if (grid) OUT("%d, ", u->colours);
  OUT("((int[]){");
  for (int d = 0; d < u->ndim; d++)
    OUT("%s%s", d ? ", " : "", u->turns[d] ? "OP2_PERIODIC" : "OP2_HALO");
  OUT("}), \"s%d\");\n", k);
}

static void
emit_subset(const struct emitter *y, int k) {
  const struct pmade *u = &y->p->made[k];
  int n = y->p->sets[k];
  OUT("  static int u%d[%d];\n", k, n + !n);
  if (n && u->back)
    OUT("  for (int i = 0; i < %d; i++)\n    u%d[%d - i] = %d - (i / %d * %d + "
        "i "
        "%% %d);\n",
        n, k, n - 1, y->p->sets[u->of] - 1, u->width, u->step, u->width);
  else if (n)
    OUT("  for (int i = 0; i < %d; i++) u%d[i] = i / %d * %d + i %% %d;\n", n,
        k, u->width, u->step, u->width);
  OUT("  op_set s%d = op2_decl_subset(s%d, %d, u%d, \"s%d\");\n", k, u->of, n,
      k, k);
}

void
emit_set(const struct emitter *y, int k) {
  static const char *const regions[] = {[REGION_BOTTOM] = "BOTTOM",
                                        [REGION_TOP] = "TOP",
                                        [REGION_INTERIOR] = "INTERIOR"};
  const struct pmade *u = &y->p->made[k];
  if (u->nonzeros || u->points) return;
  if (u->ndim)
    emit_box(y, k);
  else if (u->over >= 0)
    emit_columns(y, k);
  else if (u->region)
    OUT("  op_set s%d = op2_columns_region(s%d, OP2_%s, \"s%d\");\n", k, u->of,
        regions[u->region], k);
  else if (u->of >= 0)
    emit_subset(y, k);
  else
    OUT("  op_set s%d = op_decl_set(%d, \"s%d\");\n", k, y->p->sets[k], k);
}
