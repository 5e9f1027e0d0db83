/* Normals of sides, areas and volumes of cells.
 *
 * A side's normal is its area as a vector: of an edge (a, b) that turned by a
 * right angle to its right, of a face half the cross product of its diagonals
 * (of a triangle: of two edges). It points out of the side's first cell; the
 * sum over a closed cell is zero, whatever the shape of its faces.
 *
 *   dim * measure = sum over sides of (a point of the side . normal)
 *
 * by the divergence theorem, with the mean of the side's nodes as its point:
 * exact where faces are plane. A cell whose nodes run the other way round gives
 * a negative sum: its measure and its normals change their signs. */
#include "tools/mesh/mesh.h"

#include <math.h>

static void
cross_half(const double *a, const double *b, double *out) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = 0.5 * (a[i] * b[j] - a[j] * b[i]);
  }
}

static void
side_normal(const struct mesh *m, const struct side *s, double *out) {
  double a[3], b[3];
  const int *node = s->node;
  const double *from = m->x[node[s->n == 4 ? 1 : 0]];
  const double *to = m->x[node[s->n == 4 ? 3 : s->n - 1]];
  for (int k = 0; k < 3; k++) {
    a[k] = m->x[node[s->n == 4 ? 2 : 1]][k] - m->x[node[0]][k];
    b[k] = to[k] - from[k];
  }
  if (s->n == 2) {
    out[0] = a[1];
    out[1] = -a[0];
    out[2] = 0;
  } else {
    cross_half(a, b, out);
  }
}

/* A point of the side times its normal, about an origin near it, so that a mesh
 * far from 0 loses no digits. */
static double
side_flux(const struct mesh *m, const struct side *s, const double *normal,
          const double *origin) {
  double sum = 0;
  for (int k = 0; k < m->space; k++) {
    double mean = 0;
    for (int i = 0; i < s->n; i++) mean += m->x[s->node[i]][k];
    sum += (mean / s->n - origin[k]) * normal[k];
  }
  return sum;
}

/* Of a cell, as its nodes run; negative: the other way round. */
static double
cell_measure(const struct mesh *m, const struct block *b, int c) {
  const double *origin = m->x[b->node[(size_t)c * (size_t)b->shape->nodes]];
  double sum = 0, normal[3];
  for (int k = 0; k < b->shape->nsides; k++) {
    struct side s = {.n = b->shape->side[k].n};
    side_nodes(b, b->first + c, k, s.node);
    side_normal(m, &s, normal);
    sum += side_flux(m, &s, normal, origin);
  }
  return sum / m->dim;
}

status
mesh_normals(struct mesh *m) {
  if (m->dim != m->space)
    FAIL(ERR_ARG, "--normals: expected a mesh in the plane z = 0, or of three "
                  "dimensions, found a surface in space");
  m->normal = mem_alloc((size_t)m->nsides + 1, sizeof *m->normal);
  m->measure = mem_alloc((size_t)m->ncells + 1, sizeof *m->measure);
  for (int b = 0; b < m->nblocks; b++)
    for (int c = 0; c < m->block[b].n; c++)
      m->measure[m->block[b].first + c] = cell_measure(m, &m->block[b], c);
  for (int i = 0; i < m->nsides; i++) {
    double sign = m->measure[m->side[i].cell[0]] < 0 ? -1 : 1;
    side_normal(m, &m->side[i], m->normal[i]);
    for (int k = 0; k < 3; k++) m->normal[i][k] *= sign;
  }
  for (int c = 0; c < m->ncells; c++) m->measure[c] = fabs(m->measure[c]);
  return OK;
}
