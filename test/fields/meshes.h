/* The meshes that make_mesh.c writes, and what read_mesh.c expects of them:
 * a box of NX * NY (* NZ) blocks, each made of cells of one shape. */
#ifndef MESHES_H
#define MESHES_H

#include <string.h>

enum { NX = 6, NY = 5, NZ = 4, LEFT = 1, BOTTOM = 2, INSIDE = 10 };

struct expected {
  const char *kind;
  int dim, space; /* of cells; of coordinates */
  int ncells;
  int nodes[2]; /* of cells, by shape */
  int blocks;   /* of size 1 that make up the domain */
  int euler;    /* nodes - edges (+ faces) + cells */
  const char *shape[2];
};

static const struct expected meshes[] = {
    {"triangles", 2, 2, 2 * NX *NY, {3, 0}, NX *NY, 1, {0}},
    {"turned", 2, 2, 2 * NX *NY, {3, 0}, NX *NY, 1, {0}},
    {"quads", 2, 2, NX *NY, {4, 0}, NX *NY, 1, {0}},
    {"hole", 2, 2, NX *NY - 1, {4, 0}, NX *NY - 1, 0, {0}},
    {"mixed", 2, 2, NX / 2 * NY * 3, {3, 4}, NX *NY, 1, {"triangle", "quad"}},
    {"surface", 2, 3, 2 * NX *NY, {3, 0}, 0, 1, {0}},
    {"tets", 3, 3, 6 * NX *NY *NZ, {4, 0}, NX *NY *NZ, 1, {0}},
    {"hexes", 3, 3, NX *NY *NZ, {8, 0}, NX *NY *NZ, 1, {0}},
    {"pyramids", 3, 3, 6 * NX *NY *NZ, {5, 0}, NX *NY *NZ, 1, {0}},
    {"wedges",
     3,
     3,
     NX / 2 * NY *NZ * 3,
     {8, 6},
     NX *NY *NZ,
     1,
     {"hexahedron", "wedge"}},
};

static inline const struct expected *
expected_of(const char *kind) {
  for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
    if (!strcmp(meshes[i].kind, kind)) return &meshes[i];
  return NULL;
}

#endif
