/* The files of pictures.c against what VTKHDF's specification asks for, by HDF5
 * alone: shapes, classes of types, offsets, values. Prints ok, or what is not so. */
#include "test/fields/pictures.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hid_t file;
static int failures;

static void
fail(const char *name, const char *what, long long found, long long expected) {
  if (failures++ < 5)
    printf("%s: %s: expected %lld, found %lld\n", name, what, expected, found);
}

/* Values of a data set of so many rows as doubles; dim 0: of one dimension. */
static double *
values(const char *name, long long rows, int dim, H5T_class_t cls, int size) {
  hsize_t dims[3] = {0};
  double *v = calloc((size_t)(rows * (dim ? dim : 1)) + 1, sizeof *v);
  hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
  if (data < 0) {
    fail(name, "a data set", 0, 1);
    return v;
  }
  hid_t space = H5Dget_space(data), type = H5Dget_type(data);
  int rank = H5Sget_simple_extent_ndims(space);
  if (rank == 1 || rank == 2) H5Sget_simple_extent_dims(space, dims, NULL);
  bool fits = rank == 1 + (dim > 0) && (long long)dims[0] == rows &&
              (!dim || (int)dims[1] == dim);
  if (!fits) fail(name, "rows", (long long)dims[0], rows);
  if (H5Tget_class(type) != cls || (int)H5Tget_size(type) != size)
    fail(name, "bytes of a value", (int)H5Tget_size(type), size);
  if (fits) H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(data);
  return v;
}

static void
same(const char *name, long long i, double found, double expected) {
  if (found == expected || failures++ >= 5) return;
  printf("%s[%lld]: expected %g, found %g\n", name, i, expected, found);
}

static void
check_ints(const char *name, long long rows, const long long *want) {
  double *v = values(name, rows, 0, H5T_INTEGER, 8);
  for (long long i = 0; i < rows; i++) same(name, i, v[i], (double)want[i]);
  free(v);
}

static void
check_one(const char *name, long long want) {
  check_ints(name, 1, &want);
}

/* Rows first + stride * i */
static void
check_line(const char *name, long long rows, long long first,
           long long stride) {
  long long want[QUADS * 4 + 1];
  for (long long i = 0; i < rows; i++) want[i] = first + stride * i;
  check_ints(name, rows, want);
}

/* ---- attributes ---------------------------------------------------------- */

static void
check_version(void) {
  int v[2] = {0};
  hid_t a =
      H5Aopen_by_name(file, "VTKHDF", "Version", H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = a < 0 ? -1 : H5Aget_space(a);
  if (a < 0 || H5Sget_simple_extent_npoints(space) != 2)
    fail("Version", "two numbers", 0, 1);
  else
    H5Aread(a, H5T_NATIVE_INT, v);
  if (v[0] != 2 || v[1] != 0) fail("Version", "2.0", v[0], 2);
}

static void
check_kind(void) {
  char text[64] = "";
  hid_t a = H5Aopen_by_name(file, "VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT);
  hid_t type = a < 0 ? -1 : H5Aget_type(a);
  if (a < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) ||
      H5Tget_cset(type) != H5T_CSET_ASCII || H5Tget_size(type) > 60)
    fail("Type", "a text of fixed length", 0, 1);
  else
    H5Aread(a, type, text);
  if (strcmp(text, "UnstructuredGrid")) printf("Type: found \"%s\"\n", text);
  failures += strcmp(text, "UnstructuredGrid") != 0;
}

static void
check_steps(int want) {
  int n = 0;
  hid_t a =
      H5Aopen_by_name(file, "VTKHDF/Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT);
  if (a >= 0) H5Aread(a, H5T_NATIVE_INT, &n);
  if (n != want) fail("NSteps", "steps", n, want);
}

/* ---- quads --------------------------------------------------------------- */

static void
check_quads_mesh(void) {
  long long want[QUADS * 4];
  for (int i = 0; i < QUADS * 4; i++) want[i] = quad_node(i / 4, i % 4);
  check_ints("VTKHDF/Connectivity", QUADS * 4, want);
  check_line("VTKHDF/Offsets", QUADS + 1, 0, 4);
  check_one("VTKHDF/NumberOfPoints", NODES);
  check_one("VTKHDF/NumberOfCells", QUADS);
  check_one("VTKHDF/NumberOfConnectivityIds", 4 * QUADS);
  double *v = values("VTKHDF/Types", QUADS, 0, H5T_INTEGER, 1);
  for (int i = 0; i < QUADS; i++) same("Types", i, v[i], 9);
  free(v);
  /* twice: where they were, and where they are since MOVED */
  v = values("VTKHDF/Points", 2 * NODES, 3, H5T_FLOAT, 8);
  for (int i = 0; i < 6 * NODES; i++)
    same("Points", i, v[i],
         i % 3 == 2 ? 0
                    : quad_x(i / 3 % NODES, i % 3, i < 3 * NODES ? 0 : MOVED));
  free(v);
}

static void
check_quads_steps(void) {
  long long moved[STEPS];
  double *v = values("VTKHDF/Steps/Values", STEPS, 0, H5T_FLOAT, 8);
  for (int s = 0; s < STEPS; s++) {
    same("Values", s, v[s], time_of(s));
    moved[s] = s < MOVED ? 0 : NODES;
  }
  free(v);
  check_steps(STEPS);
  check_line("VTKHDF/Steps/NumberOfParts", STEPS, 1, 0);
  check_line("VTKHDF/Steps/PartOffsets", STEPS, 0, 0);
  check_line("VTKHDF/Steps/CellOffsets", STEPS, 0, 0);
  check_line("VTKHDF/Steps/ConnectivityIdOffsets", STEPS, 0, 0);
  check_ints("VTKHDF/Steps/PointOffsets", STEPS, moved);
  check_line("VTKHDF/Steps/CellDataOffsets/flow_q", STEPS, 0, QUADS);
  check_line("VTKHDF/Steps/CellDataOffsets/types_u64", STEPS, 0, QUADS);
  check_line("VTKHDF/Steps/PointDataOffsets/t", STEPS, 0, NODES);
  check_line("VTKHDF/Steps/PointDataOffsets/v <\"&>", STEPS, 0, NODES);
}

static void
check_quads_values(void) {
  double *v = values("VTKHDF/CellData/flow_q", STEPS * QUADS, 2, H5T_FLOAT, 8);
  for (int i = 0; i < STEPS * QUADS * 2; i++) {
    int e = i / 2;
    same("flow_q", i, v[i],
         (double)value_of(e % QUADS, i % 2, e / QUADS) + 0.25);
  }
  free(v);
  v = values("VTKHDF/PointData/t", STEPS * NODES, 0, H5T_FLOAT, 4);
  for (int i = 0; i < STEPS * NODES; i++)
    same("t", i, v[i], (double)value_of(i % NODES, 0, i / NODES) - 0.5);
  free(v);
  v = values("VTKHDF/PointData/v <\"&>", STEPS * NODES, 3, H5T_INTEGER, 4);
  for (int i = 0; i < STEPS * NODES * 3; i++)
    same("v", i, v[i], (double)value_of(i / 3 % NODES, i % 3, 0) - 50);
  free(v);
  v = values("VTKHDF/CellData/five", STEPS * QUADS, 5, H5T_INTEGER, 2);
  for (int i = 0; i < STEPS * QUADS * 5; i++)
    same("five", i, v[i], (double)value_of(i / 5 % QUADS, i % 5, 0));
  free(v);
  v = values("VTKHDF/CellData/flag", STEPS * QUADS, 0, H5T_INTEGER, 1);
  for (int i = 0; i < STEPS * QUADS; i++)
    same("flag", i, v[i], i % QUADS % 3 == 0);
  free(v);
}

static void
check_quads_types(void) {
  static const struct {
    const char *name;
    H5T_class_t cls;
    int size;
  } types[] = {
      {"f64", H5T_FLOAT, 8},   {"f32", H5T_FLOAT, 4},   {"i32", H5T_INTEGER, 4},
      {"u32", H5T_INTEGER, 4}, {"i64", H5T_INTEGER, 8}, {"u64", H5T_INTEGER, 8},
      {"i16", H5T_INTEGER, 2}, {"i8", H5T_INTEGER, 1},  {"u8", H5T_INTEGER, 1}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    char name[64];
    snprintf(name, sizeof name, "VTKHDF/CellData/types_%s", types[i].name);
    double *v = values(name, STEPS * QUADS, 0, types[i].cls, types[i].size);
    for (int e = 0; e < STEPS * QUADS; e++)
      same(name, e, v[e], (double)value_of(e % QUADS, 0, 0));
    free(v);
  }
}

/* ---- tetrahedra ---------------------------------------------------------- */

static void
check_tets(void) {
  long long want[TETS * 4];
  for (int i = 0; i < TETS * 4; i++) want[i] = tet_node[i / 4][i % 4];
  check_ints("VTKHDF/Connectivity", TETS * 4, want);
  check_steps(1);
  double *v = values("VTKHDF/Types", TETS, 0, H5T_INTEGER, 1);
  for (int i = 0; i < TETS; i++) same("Types", i, v[i], 10);
  free(v);
  v = values("VTKHDF/Points", CORNERS, 3, H5T_FLOAT, 4);
  for (int i = 0; i < 3 * CORNERS; i++)
    same("Points", i, v[i], i / 3 >> i % 3 & 1);
  free(v);
}

/* What the text names: a step's rows of a component, and those of a dat that is
 * called like it. */
static void
check_shown(void) {
  for (int s = 0; s < 2; s++) {
    char name[64];
    for (int k = 0; k < 5; k++) {
      snprintf(name, sizeof name, "XDMF/CellData/five/%d_%d", s, k);
      double *v = values(name, QUADS, 0, H5T_INTEGER, 2);
      for (int e = 0; e < QUADS; e++) same(name, e, v[e], value_of(e, k, 0));
      free(v);
    }
    snprintf(name, sizeof name, "XDMF/CellData/five_0/%d", s);
    double *v = values(name, QUADS, 0, H5T_INTEGER, 4);
    for (int e = 0; e < QUADS; e++) same(name, e, v[e], 0);
    free(v);
    for (int k = 0; k < 3; k++) { /* names that patterns of HDF5 could be */
      static const char *const odd[] = {"a%", "b%%", "c%b"};
      snprintf(name, sizeof name, "XDMF/CellData/%s/%d", odd[k], s);
      v = values(name, QUADS, 0, H5T_INTEGER, 4);
      for (int e = 0; e < QUADS; e++) same(name, e, v[e], value_of(e, k, 0));
      free(v);
    }
  }
}

static void
open_one(const char *name) {
  file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) fail(name, "an HDF5 file", 0, 1);
}

int
main(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  open_one("quads.vtkhdf");
  check_version();
  check_kind();
  check_quads_mesh();
  check_quads_steps();
  check_quads_values();
  check_quads_types();
  open_one("names.vtkhdf");
  check_shown();
  open_one("tets.vtkhdf");
  check_version();
  check_kind();
  check_tets();
  if (!failures) puts("ok");
  return failures > 0;
}
