/* What op2-mesh wrote, read as an OP2 program reads a mesh: read_mesh KIND FILE.
 *   Euler's formula, of the mesh and, in three dimensions, of its surface
 *   normals of each cell sum to zero, lead from cell to cell, and out
 *   areas are positive and sum to that of the domain
 *   tags are those of the places that they were given at */
#include "test/fields/meshes.h"
#include "test/programs/check.h"

static const struct expected *mesh;
static const char *file;
static op_set nodes, cells;
static op_dat x, middle;
static double (*at)[3]; /* of nodes */

/* Sides: edges, bedges or faces, bfaces */
static struct sides {
  const char *one;
  op_set set;
  op_map cells;
  int ncells;
  struct run { /* of sides with so many nodes */
    int n, nodes;
    const int *node, *number; /* number NULL: all, in order */
  } run[2];
  int nruns;
  int *tag;
  double *normal;
} sides[2];

/* ---- kernels ------------------------------------------------------------- */

static void
centre(double **x, double *middle, const int *n, const int *space) {
  for (int k = 0; k < *space; k++) {
    middle[k] = 0;
    for (int i = 0; i < *n; i++) middle[k] += x[i][k] / *n;
  }
}
static void
leave(const double *normal, double *a, double *b, const int *dim) {
  for (int k = 0; k < *dim; k++) {
    a[k] += normal[k];
    b[k] -= normal[k];
  }
}
static void
leave_all(const double *normal, double *a, const int *dim) {
  for (int k = 0; k < *dim; k++) a[k] += normal[k];
}
static void
along(const double *normal, const double *a, const double *b, const int *dim,
      double *least) {
  double sum = 0;
  for (int k = 0; k < *dim; k++) sum += normal[k] * (b[k] - a[k]);
  *least = sum < *least ? sum : *least;
}

/* ---- the file ------------------------------------------------------------ */

static char name[128];

static const char *
named(const char *a, const char *b, const char *c) {
  snprintf(name, sizeof name, "%s%s%s", a, b, c);
  return name;
}

static void
read_centres(op_set set, op_map map, op_map to, int n) {
  op_arg into =
      to ? op_arg_dat(middle, 0, to, mesh->space, "double", OP_WRITE)
         : op_arg_dat(middle, -1, OP_ID, mesh->space, "double", OP_WRITE);
  op_par_loop(centre, "centre", set,
              op_arg_dat(x, -n, map, mesh->space, "double", OP_READ), into,
              op_arg_gbl(&n, 1, "int", OP_READ),
              op_arg_gbl((int *)&mesh->space, 1, "int", OP_READ));
}

static void
read_cells(void) {
  nodes = op_decl_set_hdf5(file, "nodes");
  cells = op_decl_set_hdf5(file, "cells");
  x = op_decl_dat_hdf5(nodes, mesh->space, "double", file, "x");
  middle = op_decl_dat(cells, mesh->space, "double", (double *)NULL, "middle");
  CHECK_INT(op_get_size(cells), mesh->ncells);
  if (!mesh->nodes[1]) {
    op_map m =
        op_decl_map_hdf5(cells, nodes, mesh->nodes[0], file, "cell_nodes");
    read_centres(cells, m, NULL, mesh->nodes[0]);
    return;
  }
  for (int i = 0; i < 2; i++) {
    const char *s = mesh->shape[i];
    op_set set = op_decl_set_hdf5(file, named(s, "_cells", ""));
    op_map m = op_decl_map_hdf5(set, nodes, mesh->nodes[i], file,
                                named(s, "_cell_nodes", ""));
    op_map to = op_decl_map_hdf5(set, cells, 1, file, named(s, "_cell", ""));
    read_centres(set, m, to, mesh->nodes[i]);
  }
}

/* Of two shapes or of one? That pyramids meet in triangles and quads, and
 * end in quads alone, is known here. */
static int
side_shapes(int which) {
  return !strcmp(mesh->kind, "wedges") ||
                 (!strcmp(mesh->kind, "pyramids") && !which)
             ? 2
             : 1;
}

static void
read_runs(struct sides *s) {
  static const char *const shapes[] = {"triangle_", "quad_"};
  char one[64];
  for (s->nruns = 0; s->nruns < 2; s->nruns++) {
    struct run *r = &s->run[s->nruns];
    const char *shape = shapes[s->nruns];
    snprintf(one, sizeof one, "%s%s", shape, s->one);
    op_set set = op_decl_set_hdf5(file, named(one, "s", ""));
    r->nodes = 3 + s->nruns;
    op_map m =
        op_decl_map_hdf5(set, nodes, r->nodes, file, named(one, "_nodes", ""));
    op_map to = op_decl_map_hdf5(set, s->set, 1, file, one);
    r->n = set->size;
    r->node = m->map;
    r->number = to->map;
  }
}

static void
read_sides(int which) {
  struct sides *s = &sides[which];
  int flat = mesh->dim == 2, triangles = !strcmp(mesh->kind, "tets");
  s->one = flat ? (which ? "bedge" : "edge") : (which ? "bface" : "face");
  s->set = op_decl_set_hdf5(file, named(s->one, "s", ""));
  s->ncells = 2 - which;
  s->cells = op_decl_map_hdf5(s->set, cells, s->ncells, file,
                              named(s->one, "_cells", ""));
  if (side_shapes(which) == 2) {
    read_runs(s);
  } else {
    int n = flat ? 2 : triangles ? 3 : 4;
    op_map m =
        op_decl_map_hdf5(s->set, nodes, n, file, named(s->one, "_nodes", ""));
    s->run[0] = (struct run){s->set->size, n, m->map, NULL};
    s->nruns = 1;
  }
  op_dat tag =
      op_decl_dat_hdf5(s->set, 1, "int", file, named(s->one, "_tag", ""));
  s->tag = calloc((size_t)s->set->size + 1, sizeof *s->tag);
  op_fetch_data(tag, s->tag);
}

/* ---- Euler's formula ----------------------------------------------------- */

static int
by_value(const void *a, const void *b) {
  const long long *p = a, *q = b;
  return (*p > *q) - (*p < *q);
}

static long long
distinct(long long *v, size_t n) {
  long long count = 0;
  qsort(v, n, sizeof *v, by_value);
  for (size_t i = 0; i < n; i++) count += !i || v[i] != v[i - 1];
  return count;
}

/* Distinct edges and nodes of sides[from], sides[from + 1], ... */
static void
count_rims(int from, long long *edges, long long *ends) {
  static long long pair[1 << 16], node[1 << 16];
  size_t n = 0;
  for (int w = from; w < 2; w++)
    for (int r = 0; r < sides[w].nruns; r++) {
      const struct run *run = &sides[w].run[r];
      for (int i = 0; i < run->n * run->nodes; i++, n++) {
        int k = i % run->nodes, next = i - k + (k + 1) % run->nodes;
        long long a = run->node[i], b = run->node[next];
        pair[n] = a < b ? a << 32 | b : b << 32 | a;
        node[n] = a;
      }
    }
  *edges = distinct(pair, n);
  *ends = distinct(node, n);
}

static void
check_euler(void) {
  long long edges, ends, v = op_get_size(nodes), c = op_get_size(cells);
  long long s = op_get_size(sides[0].set) + op_get_size(sides[1].set);
  if (mesh->dim == 2) {
    CHECK_INT(v - s + c, mesh->euler);
    return;
  }
  count_rims(0, &edges, &ends);
  CHECK_INT(ends, v);
  CHECK_INT(v - edges + s - c, mesh->euler);
  count_rims(1, &edges, &ends);
  CHECK_INT(ends - edges + op_get_size(sides[1].set), 2);
}

/* ---- tags ---------------------------------------------------------------- */

/* That all its nodes lie at, both: none. */
static int
tag_at(const int *node, int n) {
  bool left = true, bottom = true;
  for (int i = 0; i < n; i++) {
    left &= at[node[i]][0] == 0;
    bottom &= at[node[i]][1] == 0;
  }
  return left ? LEFT : bottom ? BOTTOM : 0;
}

static void
check_tags(void) {
  op_dat tag = op_decl_dat_hdf5(cells, 1, "int", file, "cell_tag");
  const int *t = op2_dat_data(tag);
  for (int c = 0; c < cells->size; c++) CHECK_INT(t[c], INSIDE);
  for (int w = 0; w < 2; w++)
    for (int r = 0; r < sides[w].nruns; r++) {
      const struct run *run = &sides[w].run[r];
      for (int i = 0; i < run->n; i++)
        CHECK_INT(sides[w].tag[run->number ? run->number[i] : i],
                  tag_at(run->node + i * run->nodes, run->nodes));
    }
}

/* ---- normals, areas ------------------------------------------------------ */

static void
check_normals(void) {
  int dim = mesh->dim;
  double least = 1;
  op_dat sum = op_decl_dat(cells, dim, "double", (double *)NULL, "sum");
  op_dat inner = op_decl_dat_hdf5(sides[0].set, dim, "double", file,
                                  dim == 2 ? "edge_normal" : "face_normal");
  op_dat outer = op_decl_dat_hdf5(sides[1].set, dim, "double", file,
                                  dim == 2 ? "bedge_normal" : "bface_normal");
  op_par_loop(leave, "leave", sides[0].set,
              op_arg_dat(inner, -1, OP_ID, dim, "double", OP_READ),
              op_arg_dat(sum, 0, sides[0].cells, dim, "double", OP_INC),
              op_arg_dat(sum, 1, sides[0].cells, dim, "double", OP_INC),
              op_arg_gbl(&dim, 1, "int", OP_READ));
  op_par_loop(leave_all, "leave_all", sides[1].set,
              op_arg_dat(outer, -1, OP_ID, dim, "double", OP_READ),
              op_arg_dat(sum, 0, sides[1].cells, dim, "double", OP_INC),
              op_arg_gbl(&dim, 1, "int", OP_READ));
  op_par_loop(along, "along", sides[0].set,
              op_arg_dat(inner, -1, OP_ID, dim, "double", OP_READ),
              op_arg_dat(middle, 0, sides[0].cells, dim, "double", OP_READ),
              op_arg_dat(middle, 1, sides[0].cells, dim, "double", OP_READ),
              op_arg_gbl(&dim, 1, "int", OP_READ),
              op_arg_gbl(&least, 1, "double", OP_MIN));
  CHECK(least > 0);
  const double *v = op2_dat_data(sum);
  for (int i = 0; i < cells->size * dim; i++) CHECK(fabs(v[i]) < 1e-13);
  sides[1].normal = calloc((size_t)sides[1].set->size * 3 + 1, sizeof(double));
  op_fetch_data(outer, sides[1].normal);
}

/* Gauss: of the whole boundary, whose normals lead out. */
static double
domain_size(void) {
  double sum = 0;
  for (int r = 0; r < sides[1].nruns; r++) {
    const struct run *run = &sides[1].run[r];
    for (int i = 0; i < run->n * run->nodes; i++) {
      int e = i / run->nodes, s = run->number ? run->number[e] : e;
      for (int k = 0; k < mesh->dim; k++)
        sum += at[run->node[i]][k] / run->nodes *
               sides[1].normal[s * mesh->dim + k];
    }
  }
  return sum / mesh->dim;
}

static void
check_areas(void) {
  op_dat area = op_decl_dat_hdf5(cells, 1, "double", file,
                                 mesh->dim == 2 ? "cell_area" : "cell_volume");
  const double *a = op2_dat_data(area);
  double sum = 0, most = mesh->dim == 2 ? 1.5 : 2;
  for (int c = 0; c < cells->size; c++) {
    CHECK(a[c] > 0 && a[c] < most);
    sum += a[c];
  }
  if (strcmp(mesh->kind, "hole")) CHECK_NEAR(sum, mesh->blocks, 1e-13);
  CHECK_NEAR(domain_size(), sum, 1e-13);
}

static void
fetch_x(void) {
  const double *v = op2_dat_data(x);
  at = calloc((size_t)nodes->size + 1, sizeof *at);
  for (int i = 0; i < nodes->size; i++)
    for (int k = 0; k < mesh->space; k++) at[i][k] = v[i * mesh->space + k];
}

int
main(int argc, char **argv) {
  check_start(0, NULL);
  mesh = argc > 2 ? expected_of(argv[1]) : NULL;
  if (!mesh) return 2;
  file = argv[2];
  read_cells();
  read_sides(0);
  read_sides(1);
  fetch_x();
  check_euler();
  check_tags();
  if (mesh->dim == mesh->space) {
    check_normals();
    check_areas();
  }
  return check_end();
}
