/* Files that the library did not write, made with HDF5 alone:
 *   op2.h5    what OP2 writes: attributes, types and shapes as in its sources
 *   other.h5  what other tools may write: other byte orders, sizes and types
 * A plain program; read_foreign.c and wrong_files.c read them. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 5, EDGES = 4 };

static int failed;
#define H5(call)                                                               \
  ((call) < 0 ? (failed = 1, fprintf(stderr, "failed: %s\n", #call)) : 0)

static hid_t
data(hid_t f, const char *name, hid_t file_type, hid_t type, int rank,
     const hsize_t *dims, const void *values) {
  hid_t s = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
  hid_t d =
      H5Dcreate2(f, name, file_type, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  H5(H5Sclose(s));
  return d;
}

static void
int_attr(hid_t d, const char *name, int value) {
  hsize_t one = 1;
  hid_t s = H5Screate_simple(1, &one, NULL);
  hid_t a = H5Acreate2(d, name, H5T_NATIVE_INT, s, H5P_DEFAULT, H5P_DEFAULT);
  H5(H5Awrite(a, H5T_NATIVE_INT, &value));
  H5(H5Aclose(a));
  H5(H5Sclose(s));
}

static void
text_attr(hid_t d, const char *text, size_t size) {
  char padded[32] = {0};
  hid_t s = H5Screate(H5S_SCALAR), t = H5Tcopy(H5T_C_S1);
  strncpy(padded, text, sizeof padded - 1);
  H5(H5Tset_size(t, size));
  hid_t a = H5Acreate2(d, "type", t, s, H5P_DEFAULT, H5P_DEFAULT);
  H5(H5Awrite(a, t, padded));
  H5(H5Aclose(a));
  H5(H5Tclose(t));
  H5(H5Sclose(s));
}

static void
op2_dat(hid_t f, const char *name, hid_t type, const char *text, int size,
        int dim, const void *values) {
  hsize_t dims[2] = {CELLS, (hsize_t)dim};
  hid_t d = data(f, name, type, type, 2, dims, values);
  int_attr(d, "size", size * dim);
  int_attr(d, "dim", dim);
  text_attr(d, text, strlen(text));
  H5(H5Dclose(d));
}

static void
op2_file(void) {
  hid_t f = H5Fcreate("op2.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hsize_t one = 1, dims[2] = {EDGES, 2};
  int size = CELLS, edges = EDGES;
  int table[EDGES][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  double q[CELLS][2], gam = 1.4;
  int bound[CELLS];
  for (int c = 0; c < CELLS; c++) {
    q[c][0] = 0.1 * c;
    q[c][1] = -c;
    bound[c] = c - 2;
  }
  H5(H5Dclose(data(f, "cells", H5T_NATIVE_INT, H5T_NATIVE_INT, 1, &one,
                   &size)));
  H5(H5Dclose(data(f, "edges", H5T_NATIVE_INT, H5T_NATIVE_INT, 1, &one,
                   &edges)));
  hid_t d = data(f, "ecell", H5T_NATIVE_INT, H5T_NATIVE_INT, 2, dims, table);
  int_attr(d, "size", EDGES);
  int_attr(d, "dim", 2);
  text_attr(d, "int", 10);
  H5(H5Dclose(d));
  op2_dat(f, "q", H5T_NATIVE_DOUBLE, "double:soa", 8, 2, q);
  op2_dat(f, "bound", H5T_NATIVE_INT, "int", 4, 1, bound);
  d = data(f, "gam", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 1, &one, &gam);
  int_attr(d, "dim", 1);
  text_attr(d, "double", 6);
  H5(H5Dclose(d));
  H5(H5Fclose(f));
}

static void
other_file(void) {
  hid_t f = H5Fcreate("other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hsize_t dims[3] = {CELLS, 1, 2}, map[2] = {EDGES, 2}, one = 1;
  long long wide[CELLS] = {0, 1, -2, 3, 2147483647},
            far[CELLS] = {0, 1, 2, 3, 1ll << 40};
  long long table[EDGES][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  long long outside[EDGES][2] = {{0, 1}, {1, 2}, {2, 5}, {3, 4}};
  long long exact[CELLS] = {0, 1, 2, 3, 1ll << 53},
            inexact[CELLS] = {0, 0, 0, 0, (1ll << 53) + 1};
  double q[CELLS * 2] = {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5};
  float single[CELLS] = {0, 0.1f, 0.2f, 0.3f, 0.4f};
  int cells = CELLS, small[CELLS] = {0, 1, 0, 1, 2}, many = 1 << 30;
  long long big = 1ll << 33, minus = -1;
#define PUT(name, file, type, rank, dims, values)                              \
  H5(H5Dclose(data(f, name, file, type, rank, dims, values)))
  PUT("scalar", H5T_STD_I16BE, H5T_NATIVE_INT, 0, NULL, &cells);
  PUT("big", H5T_STD_I64LE, H5T_NATIVE_LLONG, 1, &one, &big);
  PUT("minus", H5T_STD_I64LE, H5T_NATIVE_LLONG, 1, &one, &minus);
  PUT("many", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &one, &many);
  PUT("flat", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 1, dims, q);
  PUT("wide", H5T_STD_I64BE, H5T_NATIVE_LLONG, 1, dims, wide);
  PUT("far", H5T_STD_I64LE, H5T_NATIVE_LLONG, 1, dims, far);
  PUT("exact", H5T_STD_I64LE, H5T_NATIVE_LLONG, 1, dims, exact);
  PUT("inexact", H5T_STD_I64LE, H5T_NATIVE_LLONG, 1, dims, inexact);
  PUT("single", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, dims, single);
  PUT("small", H5T_STD_U8LE, H5T_NATIVE_INT, 1, dims, small);
  PUT("cube", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, dims, q);
  PUT("ecell", H5T_STD_I64BE, H5T_NATIVE_LLONG, 2, map, table);
  PUT("outside", H5T_STD_I64LE, H5T_NATIVE_LLONG, 2, map, outside);
  hid_t text = H5Tcopy(H5T_C_S1);
  H5(H5Tset_size(text, 2));
  PUT("text", text, text, 1, dims, "a\0b\0c\0d\0e");
  H5(H5Tclose(text));
  H5(H5Gclose(H5Gcreate2(f, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  H5(H5Fclose(f));
}

int
main(void) {
  op2_file();
  other_file();
  FILE *f = fopen("text.h5", "w");
  if (!f || fputs("no such file format\n", f) < 0 || fclose(f)) failed = 1;
  return failed;
}
