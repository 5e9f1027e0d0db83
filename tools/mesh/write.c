/* A mesh as the sets, maps and dats of a program: declared as one would, and
 * written by op_dump_to_hdf5, so that files are as OP2 has them.
 *
 *   sets  nodes, cells, edges and bedges (faces and bfaces in three dimensions)
 *   maps  cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells
 *   dats  x, cell_tag, edge_tag, bedge_tag;
 *         cell_area (cell_volume), edge_normal, bedge_normal
 *
 * Where elements have several shapes, each shape is a set of its own, with a
 * map to the set of all in place of NAME_nodes:
 *
 *   set triangle_cells   maps triangle_cell_nodes, triangle_cell */
#include "tools/mesh/mesh.h"

#include "base/str.h"

#define OP2_NO_MACROS 1
#include "op2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is declared is told -------------------------------------------- */

static op_set
declare_set(int n, const char *name) {
  printf("  set  %-22s %d\n", name, n);
  return op_decl_set(n, name);
}

static op_map
declare_map(op_set from, op_set to, int dim, int *table, const char *name) {
  printf("  map  %-22s %s -> %s, %d\n", name, from->name, to->name, dim);
  return op_decl_map(from, to, dim, table, name);
}

static void
declare_dat(op_set set, int dim, const char *type, void *data,
            const char *name) {
  size_t size = strcmp(type, "int") ? sizeof(double) : sizeof(int);
  printf("  dat  %-22s %s, %d of %s\n", name, set->name, dim, type);
  op2_decl_dat_at(set, dim, type, size, type, data, name);
}

/* ---- elements of a family ------------------------------------------------ */

/* Elements of several shapes, of each a run. */
struct run {
  const char *shape;
  int n, nodes;
  int *node;
};
struct family {
  const char *one, *many;
  op_set set;
  int nruns;
  struct run run[SHAPES_MOST];
};

static void
declare_runs(const struct family *f, op_set nodes) {
  SCOPED_STR set = STR_INIT, name = STR_INIT, to = STR_INIT;
  int first = 0;
  for (int i = 0; i < f->nruns; i++) {
    const struct run *r = &f->run[i];
    SCOPED int *number = mem_alloc((size_t)r->n + 1, sizeof *number);
    for (int e = 0; e < r->n; e++) number[e] = first + e;
    first += r->n;
    str_reset(&set), str_reset(&name), str_reset(&to);
    str_printf(&set, "%s_%s", r->shape, f->many);
    str_printf(&name, "%s_%s_nodes", r->shape, f->one);
    str_printf(&to, "%s_%s", r->shape, f->one);
    op_set s = declare_set(r->n, set.s);
    declare_map(s, nodes, r->nodes, r->node, name.s);
    declare_map(s, f->set, 1, number, to.s);
  }
}

/* Maps to nodes: of one shape one map, else sets of their own. */
static void
declare_nodes(const struct family *f, op_set nodes) {
  SCOPED_STR name = STR_INIT;
  str_printf(&name, "%s_nodes", f->one);
  if (f->nruns == 1)
    declare_map(f->set, nodes, f->run[0].nodes, f->run[0].node, name.s);
  else
    declare_runs(f, nodes);
}

/* ---- cells --------------------------------------------------------------- */

static void
declare_cells(const struct mesh *m, op_set cells, op_set nodes) {
  struct family f = {
      .one = "cell", .many = "cells", .set = cells, .nruns = m->nblocks};
  for (int b = 0; b < m->nblocks; b++)
    f.run[b] = (struct run){m->block[b].shape->name, m->block[b].n,
                            m->block[b].shape->nodes, m->block[b].node};
  declare_nodes(&f, nodes);
  int *tag = mem_alloc((size_t)m->ncells + 1, sizeof *tag);
  for (int b = 0; b < m->nblocks; b++)
    memcpy(tag + m->block[b].first, m->block[b].tag,
           (size_t)m->block[b].n * sizeof *tag);
  declare_dat(cells, 1, "int", tag, "cell_tag");
  free(tag);
  if (m->measure)
    declare_dat(cells, 1, "double", m->measure,
                m->dim == 2 ? "cell_area" : "cell_volume");
}

/* ---- sides --------------------------------------------------------------- */

/* Sides [lo, hi) of the mesh. */
struct part {
  const struct mesh *m;
  const char *one, *many;
  int lo, hi, ncells; /* ncells: of each side */
};

static void
declare_side_nodes(const struct part *p, op_set set, op_set nodes) {
  struct family f = {.one = p->one, .many = p->many, .set = set};
  int least = p->m->dim, most = p->m->dim == 2 ? 2 : 4;
  for (int n = least, at = p->lo; n <= most; n++) {
    int first = at;
    while (at < p->hi && p->m->side[at].n == n) at++;
    if (at == first && (at < p->hi || f.nruns)) continue;
    int *node = mem_alloc((size_t)(at - first) * (size_t)n + 1, sizeof *node);
    for (int i = first; i < at; i++)
      memcpy(node + (size_t)(i - first) * (size_t)n, p->m->side[i].node,
             (size_t)n * sizeof *node);
    f.run[f.nruns++] = (struct run){side_name(n), at - first, n, node};
  }
  declare_nodes(&f, nodes);
  for (int i = 0; i < f.nruns; i++) free(f.run[i].node);
}

static void
declare_side_cells(const struct part *p, op_set set, op_set cells) {
  SCOPED_STR name = STR_INIT;
  int k = p->ncells;
  SCOPED int *cell = mem_alloc((size_t)(p->hi - p->lo) * 2 + 1, sizeof *cell);
  for (int i = p->lo; i < p->hi; i++)
    for (int j = 0; j < k; j++)
      cell[(i - p->lo) * k + j] = p->m->side[i].cell[j];
  str_printf(&name, "%s_cells", p->one);
  declare_map(set, cells, k, cell, name.s);
}

static void
declare_side_tags(const struct part *p, op_set set) {
  SCOPED_STR name = STR_INIT;
  SCOPED int *tag = mem_alloc((size_t)(p->hi - p->lo) + 1, sizeof *tag);
  for (int i = p->lo; i < p->hi; i++) tag[i - p->lo] = p->m->side[i].tag;
  str_printf(&name, "%s_tag", p->one);
  declare_dat(set, 1, "int", tag, name.s);
}

static void
declare_normals(const struct part *p, op_set set) {
  SCOPED_STR name = STR_INIT;
  int dim = p->m->dim;
  SCOPED double *normal =
      mem_alloc((size_t)(p->hi - p->lo) * (size_t)dim + 1, sizeof *normal);
  for (int i = p->lo; i < p->hi; i++)
    for (int k = 0; k < dim; k++)
      normal[(i - p->lo) * dim + k] = p->m->normal[i][k];
  str_printf(&name, "%s_normal", p->one);
  declare_dat(set, dim, "double", normal, name.s);
}

static void
declare_sides(const struct part *p, op_set cells, op_set nodes) {
  op_set set = declare_set(p->hi - p->lo, p->many);
  declare_side_nodes(p, set, nodes);
  declare_side_cells(p, set, cells);
  declare_side_tags(p, set);
  if (p->m->normal) declare_normals(p, set);
}

/* ---- all of it ----------------------------------------------------------- */

static void
declare_x(const struct mesh *m, op_set nodes) {
  int dim = m->space;
  SCOPED double *x = mem_alloc((size_t)m->nnodes * (size_t)dim + 1, sizeof *x);
  for (int i = 0; i < m->nnodes; i++)
    for (int k = 0; k < dim; k++) x[i * dim + k] = m->x[i][k];
  declare_dat(nodes, dim, "double", x, "x");
}

static void
tell_groups(const struct mesh *m) {
  for (uint32_t g = 0; g < m->ngroups; g++)
    if (m->groups[g].n)
      printf("  tag  %-22d %s%s%s%d %s\n", m->groups[g].tag,
             *m->groups[g].name ? "\"" : "", m->groups[g].name,
             *m->groups[g].name ? "\", " : "", m->groups[g].n,
             m->groups[g].dim == m->dim ? "cells"
             : m->dim == 2              ? "edges"
                                        : "faces");
  if (m->left_out) printf("  left out: %d nodes of no cell\n", m->left_out);
  if (m->lone) printf("  left out: %d tagged sides of no cell\n", m->lone);
}

status
mesh_write(const struct mesh *m, const char *path) {
  bool flat = m->dim == 2;
  struct part inner = {
      m, flat ? "edge" : "face", flat ? "edges" : "faces", 0, m->ninner, 2};
  struct part outer = {m,
                       flat ? "bedge" : "bface",
                       flat ? "bedges" : "bfaces",
                       m->ninner,
                       m->nsides,
                       1};
  op_set nodes = declare_set(m->nnodes, "nodes");
  declare_x(m, nodes);
  op_set cells = declare_set(m->ncells, "cells");
  declare_cells(m, cells, nodes);
  declare_sides(&inner, cells, nodes);
  declare_sides(&outer, cells, nodes);
  tell_groups(m);
  op_dump_to_hdf5(path);
  return OK;
}
