/* Gmsh's files, through Gmsh's own library, which reads all versions of them,
 * as text and binary.
 *
 * The library also runs scripts (.geo) and reads what CAD programs write; only
 * files that begin as meshes do are given to it. Cells are the elements of the
 * highest dimension; those of one dimension less, where the file has them, give
 * the boundary its tags. */
#include "tools/mesh/mesh.h"

#include <errno.h>
#include <gmshc.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library --------------------------------------------------------- */

static status
gmsh_fail(const char *call) {
  char *words = NULL;
  int ierr;
  gmshLoggerGetLastError(&words, &ierr);
  err_set(ERR_IO, "Gmsh: %s", words && *words ? words : call);
  gmshFree(words);
  return ERR_IO;
}
#define GMSH(call)                                                             \
  do {                                                                         \
    int ierr = 0;                                                              \
    call;                                                                      \
    if (ierr) return gmsh_fail(#call);                                         \
  } while (0)

static status
check_begins(const char *path) {
  char begin[4096];
  size_t len = strlen(path);
  if (len < 5 || strcmp(path + len - 4, ".msh"))
    FAIL(ERR_ARG, "expected the name of a Gmsh mesh (....msh)");
  FILE *f = fopen(path, "rb");
  if (!f) FAIL(ERR_IO, "cannot be read: %s", strerror(errno));
  size_t n = fread(begin, 1, sizeof begin - 1, f);
  fclose(f);
  begin[n] = 0;
  if (!strstr(begin, "$MeshFormat"))
    FAIL(ERR_IO, "expected a Gmsh mesh, which begins with $MeshFormat, found "
                 "something else");
  return OK;
}

static status
open_file(const char *path) {
  GMSH(gmshInitialize(0, NULL, 0, &ierr));
  GMSH(gmshOptionSetNumber("General.Terminal", 0, &ierr));
  GMSH(gmshOpen(path, &ierr));
  return OK;
}

/* ---- nodes --------------------------------------------------------------- */

/* Nodes are numbered in the order of Gmsh's tags, which may have gaps. */
struct tagged {
  size_t tag;
  int number;
};
struct numbers {
  struct tagged *of;
  size_t n;
};

static int
by_tag(const void *a, const void *b) {
  const struct tagged *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static status
node_number(const struct numbers *tags, size_t tag, int *out) {
  struct tagged key = {.tag = tag};
  const struct tagged *found =
      bsearch(&key, tags->of, tags->n, sizeof key, by_tag);
  if (!found)
    FAIL(ERR_IO, "an element names node %zu, which is not in the file", tag);
  *out = found->number;
  return OK;
}

static status
nodes_take(struct mesh *m, struct numbers *tags, const size_t *tag, size_t n,
           const double *x) {
  if (n > INT_MAX)
    FAIL(ERR_IO, "expected at most %d nodes, found %zu", INT_MAX, n);
  tags->of = mem_alloc(n + 1, sizeof *tags->of);
  tags->n = n;
  m->nnodes = (int)n;
  m->x = mem_alloc(n + 1, sizeof *m->x);
  for (size_t i = 0; i < n; i++) {
    tags->of[i] = (struct tagged){tag[i], (int)i};
  }
  qsort(tags->of, n, sizeof *tags->of, by_tag);
  for (size_t i = 0; i < n; i++) {
    memcpy(m->x[i], x + 3 * (size_t)tags->of[i].number, sizeof *m->x);
    tags->of[i].number = (int)i;
  }
  return OK;
}

static status
read_nodes(struct mesh *m, struct numbers *tags) {
  size_t *tag, n, nx, none;
  double *x, *parametric;
  GMSH(gmshModelMeshGetNodes(&tag, &n, &x, &nx, &parametric, &none, -1, -1, 0,
                             0, &ierr));
  status st = nodes_take(m, tags, tag, n, x);
  gmshFree(tag);
  gmshFree(x);
  gmshFree(parametric);
  return st;
}

/* ---- elements ------------------------------------------------------------ */

/* Elements of one kind on one entity of the model. */
struct elements {
  int gmsh, tag;
  size_t n, nnodes; /* nnodes: of each */
  const size_t *node;
};

static status
kind_fail(int gmsh) {
  char *name = NULL;
  double *x = NULL;
  size_t nx;
  int dim, order, nodes, primary;
  GMSH(gmshModelMeshGetElementProperties(gmsh, &name, &dim, &order, &nodes, &x,
                                         &nx, &primary, &ierr));
  err_set(ERR_IO,
          "\"%s\": expected linear triangles, quads, tetrahedra, "
          "hexahedra, wedges or pyramids%s",
          name, order > 1 ? " (Gmsh makes them by Mesh.ElementOrder=1)" : "");
  gmshFree(name);
  gmshFree(x);
  return ERR_IO;
}

static struct block *
block_for(struct mesh *m, const struct shape *shape) {
  for (int b = 0; b < m->nblocks; b++)
    if (m->block[b].shape == shape) return &m->block[b];
  m->block[m->nblocks] = (struct block){.shape = shape};
  return &m->block[m->nblocks++];
}

/* Cells go behind those of their shape. */
static status
cells_add(struct mesh *m, const struct numbers *tags,
          const struct elements *e) {
  const struct shape *shape = shape_find(e->gmsh);
  if (!shape) return kind_fail(e->gmsh);
  struct block *b = block_for(m, shape);
  size_t k = (size_t)shape->nodes, had = (size_t)b->n;
  if (e->n > (size_t)(INT_MAX - m->ncells))
    FAIL(ERR_IO, "expected at most %d cells", INT_MAX);
  b->node = mem_grow(b->node, (had + e->n) * k + 1, sizeof *b->node);
  b->tag = mem_grow(b->tag, had + e->n + 1, sizeof *b->tag);
  for (size_t i = 0; i < e->n * k; i++)
    TRY(node_number(tags, e->node[i], &b->node[had * k + i]));
  for (size_t i = 0; i < e->n; i++) b->tag[had + i] = e->tag;
  b->n += (int)e->n;
  m->ncells += (int)e->n;
  return OK;
}

static status
sides_add(struct mesh *m, const struct numbers *tags,
          const struct elements *e) {
  bool known = e->gmsh == 1 || e->gmsh == 2 || e->gmsh == 3;
  if (!known || !e->tag) return known ? OK : kind_fail(e->gmsh);
  for (size_t i = 0; i < e->n; i++) {
    struct side s = {.n = (int)e->nnodes, .tag = e->tag};
    for (int k = 0; k < s.n; k++)
      TRY(node_number(tags, e->node[i * e->nnodes + (size_t)k], &s.node[k]));
    VEC_PUSH(m->given, m->ngiven, m->capgiven, s);
  }
  return OK;
}

/* The first physical group of an entity; 0: it is in none. */
static status
tag_of(int dim, int entity, int *out) {
  int *tags;
  size_t n;
  GMSH(gmshModelGetPhysicalGroupsForEntity(dim, entity, &tags, &n, &ierr));
  *out = n ? tags[0] : 0;
  gmshFree(tags);
  return OK;
}

static void
group_count(struct mesh *m, int dim, int tag, size_t n) {
  for (uint32_t g = 0; g < m->ngroups; g++)
    if (m->groups[g].dim == dim && m->groups[g].tag == tag)
      m->groups[g].n += (int)n;
}

static status
read_entity(struct mesh *m, const struct numbers *tags, int dim, int entity) {
  int *kinds, tag;
  size_t nkinds, **element, *nelement, nn, **node, *nnode, nnn;
  status st = OK;
  TRY(tag_of(dim, entity, &tag));
  GMSH(gmshModelMeshGetElements(&kinds, &nkinds, &element, &nelement, &nn,
                                &node, &nnode, &nnn, dim, entity, &ierr));
  for (size_t k = 0; k < nkinds; k++) {
    struct elements e = {.gmsh = kinds[k],
                         .tag = tag,
                         .n = nelement[k],
                         .nnodes = nelement[k] ? nnode[k] / nelement[k] : 0,
                         .node = node[k]};
    if (st == OK)
      st = dim == m->dim ? cells_add(m, tags, &e) : sides_add(m, tags, &e);
    group_count(m, dim, tag, e.n);
    gmshFree(element[k]);
    gmshFree(node[k]);
  }
  gmshFree(element);
  gmshFree(node);
  gmshFree(nelement);
  gmshFree(nnode);
  gmshFree(kinds);
  return st;
}

static status
read_elements(struct mesh *m, const struct numbers *tags, int dim) {
  int *entity;
  size_t n;
  status st = OK;
  GMSH(gmshModelGetEntities(&entity, &n, dim, &ierr));
  for (size_t i = 0; st == OK && i + 1 < n; i += 2)
    st = read_entity(m, tags, dim, entity[i + 1]);
  gmshFree(entity);
  return st;
}

/* ---- all of it ----------------------------------------------------------- */

static status
read_groups(struct mesh *m, int dim) {
  int *group;
  size_t n;
  GMSH(gmshModelGetPhysicalGroups(&group, &n, dim, &ierr));
  for (size_t i = 0; i + 1 < n; i += 2) {
    char *name = NULL;
    GMSH(gmshModelGetPhysicalName(dim, group[i + 1], &name, &ierr));
    struct group g = {.dim = dim, .tag = group[i + 1]};
    g.name = strcpy(mem_alloc(strlen(name) + 1, 1), name);
    gmshFree(name);
    VEC_PUSH(m->groups, m->ngroups, m->capgroups, g);
  }
  gmshFree(group);
  return OK;
}

/* The highest dimension that has elements. */
static status
find_dim(struct mesh *m) {
  for (m->dim = 3; m->dim >= 0; m->dim--) {
    int *kinds;
    size_t n;
    GMSH(gmshModelMeshGetElementTypes(&kinds, &n, m->dim, -1, &ierr));
    gmshFree(kinds);
    if (n) break;
  }
  if (m->dim < 0) FAIL(ERR_IO, "expected a mesh, found no elements");
  if (m->dim < 2)
    FAIL(ERR_IO, "expected cells of two or three dimensions, found %s only",
         m->dim ? "lines" : "points");
  return OK;
}

static void
cells_number(struct mesh *m) {
  for (int b = 0, at = 0; b < m->nblocks; at += m->block[b++].n)
    m->block[b].first = at;
}

static size_t
block_size(const struct block *b) {
  return (size_t)b->n * (size_t)b->shape->nodes;
}

/* Nodes that no cell names go; the others keep their order. */
static void
nodes_number(struct mesh *m) {
  SCOPED int *number = mem_alloc((size_t)m->nnodes + 1, sizeof *number);
  int n = 0, had = m->nnodes;
  for (int b = 0; b < m->nblocks; b++)
    for (size_t i = 0; i < block_size(&m->block[b]); i++)
      number[m->block[b].node[i]] = 1;
  for (int i = 0; i < had; i++) {
    number[i] = number[i] ? n : -1;
    if (number[i] >= 0) memmove(m->x[n++], m->x[i], sizeof *m->x);
  }
  m->nnodes = n;
  m->left_out = had - n;
  for (int b = 0; b < m->nblocks; b++)
    for (size_t i = 0; i < block_size(&m->block[b]); i++)
      m->block[b].node[i] = number[m->block[b].node[i]];
  for (uint32_t g = 0; g < m->ngiven; g++)
    for (int i = 0; i < m->given[g].n; i++)
      m->given[g].node[i] = number[m->given[g].node[i]];
}

/* Two where the mesh lies in the plane z = 0. */
static int
space_of(const struct mesh *m) {
  for (int i = 0; i < m->nnodes; i++)
    if (m->x[i][2] != 0) return 3;
  return m->dim == 3 ? 3 : 2;
}

static status
read_all(const char *path, struct mesh *m) {
  struct numbers tags = {0};
  TRY(open_file(path));
  TRY(find_dim(m));
  for (int dim = m->dim - 1; dim <= m->dim; dim++) TRY(read_groups(m, dim));
  status st = read_nodes(m, &tags);
  if (st == OK) st = read_elements(m, &tags, m->dim);
  if (st == OK) st = read_elements(m, &tags, m->dim - 1);
  free(tags.of);
  TRY(st);
  cells_number(m);
  nodes_number(m);
  m->space = space_of(m);
  return OK;
}

status
mesh_read(const char *path, struct mesh *out) {
  int ierr;
  status st = check_begins(path);
  *out = (struct mesh){0};
  if (st == OK) {
    st = read_all(path, out);
    gmshFinalize(&ierr);
  }
  return st == OK ? OK : err_prefix(st, "\"%s\": ", path);
}
