/* Meshes from other tools' files, for op2-mesh: read (gmsh.c), sides of cells
 * found (sides.c), areas and normals (normals.c), written as the sets, maps and
 * dats of an OP2 program (write.c).
 *
 * Nodes and cells count from 0, cells of one shape lie together. A side is an
 * edge of a cell in two dimensions, a face in three. */
#ifndef TOOLS_MESH_H
#define TOOLS_MESH_H

#include "base/arena.h"
#include "base/err.h"

enum { SIDES_MOST = 6, SIDE_NODES_MOST = 4, SHAPES_MOST = 4 };

struct shape {
  const char *name;
  int gmsh; /* Gmsh's number of the kind of element */
  int dim, nodes, nsides;
  struct {
    int n, node[SIDE_NODES_MOST];
  } side[SIDES_MOST]; /* seen from outside counter-clockwise, in a cell of
                         positive volume; of edges the outside is on the right */
};
/* By Gmsh's number; NULL: none of those. */
const struct shape *shape_find(int gmsh);
/* Sides of two nodes "line", of three and four as cells are called. */
const char *side_name(int nodes);

/* Cells [first, first + n), of one shape. */
struct block {
  const struct shape *shape;
  int first, n;
  int *node; /* [n][shape->nodes] */
  int *tag;  /* [n]: of physical groups; 0: none */
};

struct side {
  int node[SIDE_NODES_MOST], n; /* as cell[0] has them */
  int cell[2];                  /* the second -1: at the boundary */
  int place;                    /* among the sides of cell[0] */
  int tag;                      /* of the physical group; 0: none */
};

/* A physical group: "inflow" of so many elements. */
struct group {
  int dim, tag, n;
  char *name;
};

struct mesh {
  int dim;                      /* of the cells: 2 or 3 */
  int space;                    /* of the coordinates */
  int nnodes, ncells, left_out; /* left out: nodes of no cell */
  double (*x)[3];               /* of nodes */
  struct block block[SHAPES_MOST];
  int nblocks;
  VEC(struct side, given); /* that the file has, with tags; cell[] unused */
  VEC(struct group, groups);
  struct side *side; /* inner ones, then those at the boundary; each part by
                        number of nodes, then by cell */
  int nsides, ninner;
  int lone;            /* of those given: sides of no cell */
  double *measure;     /* of cells, their area or volume; NULL: not wanted */
  double (*normal)[3]; /* of sides: out of cell[0], as long as they are large */
};

/* GIVE by mesh_clear, also on failure. */
status mesh_read(const char *path, struct mesh *out);
status mesh_sides(struct mesh *m);
/* Nodes of the side at this place of a cell of the block. */
void side_nodes(const struct block *b, int cell, int place, int *out);
status mesh_normals(struct mesh *m);
/* As an HDF5 file; what is in it is printed. */
status mesh_write(const struct mesh *m, const char *path);
void mesh_clear(struct mesh *m);

#endif
