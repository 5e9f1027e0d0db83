/* Kinds of cells. */
#include "tools/mesh/mesh.h"

#include <stdlib.h>

/* Nodes as Gmsh and VTK number them. */
static const struct shape shapes[] = {
    {"triangle", 2, 2, 3, 3, {{2, {0, 1}}, {2, {1, 2}}, {2, {2, 0}}}},
    {"quad", 3, 2, 4, 4, {{2, {0, 1}}, {2, {1, 2}}, {2, {2, 3}}, {2, {3, 0}}}},
    {"tetrahedron",
     4,
     3,
     4,
     4,
     {{3, {0, 2, 1}}, {3, {0, 1, 3}}, {3, {1, 2, 3}}, {3, {0, 3, 2}}}},
    {"hexahedron",
     5,
     3,
     8,
     6,
     {{4, {0, 3, 2, 1}},
      {4, {4, 5, 6, 7}},
      {4, {0, 1, 5, 4}},
      {4, {1, 2, 6, 5}},
      {4, {2, 3, 7, 6}},
      {4, {3, 0, 4, 7}}}},
    {"wedge",
     6,
     3,
     6,
     5,
     {{3, {0, 2, 1}},
      {3, {3, 4, 5}},
      {4, {0, 1, 4, 3}},
      {4, {1, 2, 5, 4}},
      {4, {2, 0, 3, 5}}}},
    {"pyramid",
     7,
     3,
     5,
     5,
     {{4, {0, 3, 2, 1}},
      {3, {0, 1, 4}},
      {3, {1, 2, 4}},
      {3, {2, 3, 4}},
      {3, {3, 0, 4}}}},
};

const struct shape *
shape_find(int gmsh) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (shapes[i].gmsh == gmsh) return &shapes[i];
  return NULL;
}

const char *
side_name(int nodes) {
  return nodes == 2 ? "line" : nodes == 3 ? "triangle" : "quad";
}

void
mesh_clear(struct mesh *m) {
  for (int b = 0; b < m->nblocks; b++) {
    free(m->block[b].node);
    free(m->block[b].tag);
  }
  for (uint32_t g = 0; g < m->ngroups; g++) free(m->groups[g].name);
  free(m->groups);
  free(m->given);
  free(m->x);
  free(m->side);
  free(m->measure);
  free(m->normal);
  *m = (struct mesh){0};
}
