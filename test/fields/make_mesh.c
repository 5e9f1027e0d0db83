/* Gmsh files, written by hand: make_mesh KIND 2|4 FILE, kinds as in meshes.h and
 *   thrice      an edge of three cells        second      of second order
 *   twice       a cell with one node twice    lines       no cells
 *   missing     a cell names a node that is not there
 * Node tags have gaps, one node is in no cell; where x = 0 and y = 0 sides are
 * tagged LEFT and BOTTOM, cells INSIDE. */
#include "test/fields/meshes.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 4096, ELEMENTS = 8192, MOST = 8 };

struct element {
  int gmsh, n, entity, node[MOST];
};

static int dim, nnodes, nelements[2]; /* 0: cells, 1: sides */
static double x[NODES][3];
static struct element element[2][ELEMENTS];
static const char *kind;

static bool
is(const char *word) {
  return !strcmp(kind, word);
}

static void
add(int side, int gmsh, int entity, int n, const int *node) {
  struct element *e = &element[side][nelements[side]++];
  *e = (struct element){.gmsh = gmsh, .n = n, .entity = entity};
  memcpy(e->node, node, sizeof *node * (size_t)n);
}

static int
node_at(int i, int j, int k) {
  return (k * (NY + 1) + j) * (NX + 1) + i;
}

/* Inner nodes are moved where faces stay plane. */
static void
make_nodes(bool moved) {
  for (int k = 0; k <= (dim == 3 ? NZ : 0); k++)
    for (int j = 0; j <= NY; j++)
      for (int i = 0; i <= NX; i++) {
        double *p = x[nnodes++];
        bool inner = i && j && i < NX && j < NY && (dim == 2 || (k && k < NZ));
        double by = moved && inner ? 0.2 : 0;
        p[0] = i + by * sin(3 * i + 5 * j + 7 * k);
        p[1] = j + by * sin(5 * i + 7 * j + 3 * k);
        p[2] = dim == 2 ? (is("surface") ? 0.1 * i * j : 0)
                        : k + by * sin(7 * i + 3 * j + 5 * k);
      }
}

/* ---- two dimensions ------------------------------------------------------ */

static void
add_flat(int i, int j) {
  int a = node_at(i, j, 0), b = node_at(i + 1, j, 0);
  int c = node_at(i + 1, j + 1, 0), d = node_at(i, j + 1, 0);
  bool quad = is("quads") || is("hole") || (is("mixed") && i >= NX / 2);
  if (is("hole") && i == 2 && j == 2) return;
  if (quad) {
    add(0, 3, 1, 4, (int[]){a, b, c, d});
  } else {
    bool turned = is("turned") && (i + j) % 3 == 0;
    add(0, 2, 1, 3, turned ? (int[]){a, c, b} : (int[]){a, b, c});
    add(0, 2, 1, 3, (int[]){a, c, d});
  }
  if (!i) add(1, 1, LEFT, 2, (int[]){a, d});
  if (!j) add(1, 1, BOTTOM, 2, (int[]){b, a});
}

static void
make_flat(void) {
  make_nodes(true);
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) add_flat(i, j);
}

/* ---- three --------------------------------------------------------------- */

/* Corners by their bits x y z. */
static void
add_some(const int *corner, int gmsh, int n, int count, const int *of) {
  for (int c = 0; c < count; c++) {
    int node[MOST];
    for (int i = 0; i < n; i++) node[i] = corner[of[c * n + i]];
    add(0, gmsh, 1, n, node);
  }
}

static void
add_pyramids(const int *corner, int i, int j, int k) {
  static const int base[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                 {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  int top = nnodes++;
  x[top][0] = i + 0.5;
  x[top][1] = j + 0.5;
  x[top][2] = k + 0.5;
  for (int b = 0; b < 6; b++)
    add(0, 7, 1, 5,
        (int[]){corner[base[b][0]], corner[base[b][1]], corner[base[b][2]],
                corner[base[b][3]], top});
}

static void
add_solid(const int *corner, int i, int j, int k) {
  static const int tets[] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                             0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};
  static const int hex[] = {0, 1, 3, 2, 4, 5, 7, 6};
  static const int wedges[] = {0, 1, 3, 4, 5, 7, 0, 3, 2, 4, 7, 6};
  if (is("tets"))
    add_some(corner, 4, 4, 6, tets);
  else if (is("pyramids"))
    add_pyramids(corner, i, j, k);
  else if (is("wedges") && i >= NX / 2)
    add_some(corner, 6, 6, 2, wedges);
  else
    add_some(corner, 5, 8, 1, hex);
}

/* The quad of these corners, of tetrahedra cut from the first to the third. */
static void
add_face(int entity, const int *c) {
  if (is("tets")) {
    add(1, 2, entity, 3, (int[]){c[0], c[1], c[2]});
    add(1, 2, entity, 3, (int[]){c[0], c[2], c[3]});
  } else {
    add(1, 3, entity, 4, c);
  }
}

static void
make_solid(void) {
  make_nodes(is("tets"));
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        int c[8];
        for (int b = 0; b < 8; b++)
          c[b] = node_at(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2));
        add_solid(c, i, j, k);
        if (!i) add_face(LEFT, (int[]){c[0], c[2], c[6], c[4]});
        if (!j) add_face(BOTTOM, (int[]){c[0], c[1], c[5], c[4]});
      }
}

/* ---- wrong ones ---------------------------------------------------------- */

static void
make_wrong(void) {
  make_nodes(false);
  if (is("thrice"))
    for (int i = 0; i < 3; i++)
      add(0, 2, 1, 3, (int[]){0, 1, node_at(i, 1, 0)});
  if (is("second")) add(0, 9, 1, 6, (int[]){0, 2, 14, 1, 8, 7});
  if (is("twice")) add(0, 3, 1, 4, (int[]){0, 1, 0, 1});
  if (is("missing")) add(0, 2, 1, 3, (int[]){0, 1, NODES - 1});
  if (is("lines")) add(1, 1, LEFT, 2, (int[]){0, 1});
}

/* ---- files --------------------------------------------------------------- */

static int
tag_of(int node) {
  return 3 * node + 5;
}

static void
put_nodes(FILE *f, bool lines) {
  for (int i = 0; i < nnodes; i++) {
    if (lines) fprintf(f, "%d ", tag_of(i));
    fprintf(f, "%.17g %.17g %.17g\n", x[i][0], x[i][1], x[i][2]);
  }
}

static void
put_head(FILE *f, const char *version) {
  fprintf(f, "$MeshFormat\n%s 0 8\n$EndMeshFormat\n", version);
  fprintf(f,
          "$PhysicalNames\n3\n%d %d \"left side\"\n%d %d \"bottom\"\n"
          "%d %d \"inside\"\n$EndPhysicalNames\n",
          dim - 1, LEFT, dim - 1, BOTTOM, dim, INSIDE);
}

static void
put_2(FILE *f) {
  int number = 0;
  put_head(f, "2.2");
  fprintf(f, "$Nodes\n%d\n", nnodes);
  put_nodes(f, true);
  fprintf(f, "$EndNodes\n$Elements\n%d\n", nelements[0] + nelements[1]);
  for (int s = 1; s >= 0; s--)
    for (int i = 0; i < nelements[s]; i++) {
      const struct element *e = &element[s][i];
      fprintf(f, "%d %d 2 %d %d", ++number, e->gmsh, s ? e->entity : INSIDE,
              e->entity);
      for (int k = 0; k < e->n; k++) fprintf(f, " %d", tag_of(e->node[k]));
      fprintf(f, "\n");
    }
  fprintf(f, "$EndElements\n");
}

/* Elements of one kind on one entity. */
static int
put_block(FILE *f, int s, int entity, int gmsh, int number) {
  int n = 0;
  for (int i = 0; i < nelements[s]; i++)
    n += element[s][i].entity == entity && element[s][i].gmsh == gmsh;
  if (!f) return n;
  if (n) fprintf(f, "%d %d %d %d\n", dim - s, entity, gmsh, n);
  for (int i = 0; i < nelements[s]; i++) {
    const struct element *e = &element[s][i];
    if (e->entity != entity || e->gmsh != gmsh) continue;
    fprintf(f, "%d", ++number);
    for (int k = 0; k < e->n; k++) fprintf(f, " %d", tag_of(e->node[k]));
    fprintf(f, "\n");
  }
  return n;
}

static void
put_elements(FILE *f) {
  int blocks = 0, number = 0;
  for (int s = 1; s >= 0; s--)
    for (int entity = 1; entity <= 2; entity++)
      for (int g = 1; g < 10; g++)
        blocks += put_block(NULL, s, entity, g, 0) > 0;
  int all = nelements[0] + nelements[1];
  fprintf(f, "$Elements\n%d %d 1 %d\n", blocks, all, all);
  for (int s = 1; s >= 0; s--)
    for (int entity = 1; entity <= 2; entity++)
      for (int g = 1; g < 10; g++) number += put_block(f, s, entity, g, number);
  fprintf(f, "$EndElements\n");
}

static void
put_4(FILE *f) {
  put_head(f, "4.1");
  fprintf(f, "$Entities\n0 %d %d %d\n", dim == 2 ? 2 : 0, dim == 2 ? 1 : 2,
          dim == 3);
  fprintf(f, "1 0 0 0 9 9 9 1 %d 0\n2 0 0 0 9 9 9 1 %d 0\n", LEFT, BOTTOM);
  fprintf(f, "1 0 0 0 9 9 9 1 %d 2 1 2\n$EndEntities\n", INSIDE);
  fprintf(f, "$Nodes\n1 %d %d %d\n%d 1 0 %d\n", nnodes, tag_of(0),
          tag_of(nnodes - 1), dim, nnodes);
  for (int i = 0; i < nnodes; i++) fprintf(f, "%d\n", tag_of(i));
  put_nodes(f, false);
  fprintf(f, "$EndNodes\n");
  put_elements(f);
}

int
main(int argc, char **argv) {
  if (argc < 4) return 2;
  kind = argv[1];
  const struct expected *e = expected_of(kind);
  dim = e ? e->dim : 2;
  if (!e)
    make_wrong();
  else if (dim == 2)
    make_flat();
  else
    make_solid();
  x[nnodes++][0] = -7; /* of no cell */
  FILE *f = fopen(argv[3], "w");
  if (!f) return 1;
  if (*argv[2] == '2')
    put_2(f);
  else
    put_4(f);
  return fclose(f) != 0;
}
