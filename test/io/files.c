/* Meshes, data and constants go to HDF5 files and come back: every function, every
 * type, nested paths, pending loops, the program's own numbering. */
#include "test/programs/check.h"

enum { CELLS = 300, EDGES = 800, STEPS = 3 };

struct particle {
  double x[2];
  int id;
};

static int table[EDGES][2],
    given[EDGES][2];                       /* given: from OP_MAPS_BASE_INDEX */
static double q[CELLS][3], mine[CELLS][3]; /* mine: OP_NO_REALLOC's */
static struct particle particle[CELLS];

static void
inputs(int base) {
  unsigned r = 1;
  for (int e = 0; e < EDGES; e++)
    for (int i = 0; i < 2; i++) {
      r = r * 1103515245u + 12345u;
      table[e][i] = (int)(r >> 8) % CELLS;
      given[e][i] = table[e][i] + base;
    }
  for (int c = 0; c < CELLS; c++) {
    for (int k = 0; k < 3; k++) q[c][k] = c + 0.25 * k;
    particle[c] = (struct particle){{c, -c}, 7 * c};
  }
}

static void
spread(const double *a, const double *b, int *na, int *nb) {
  *na += (int)a[0] % 5;
  *nb += (int)b[1] % 3;
}

static void
twice(double *q) {
  for (int k = 0; k < 3; k++) q[k] = 2 * q[k];
}

/* What the loops make of the inputs, step by step. */
static void
expected(int count[CELLS], double last[CELLS][3]) {
  memset(count, 0, CELLS * sizeof *count);
  memcpy(last, q, sizeof q);
  for (int s = 0; s < STEPS; s++) {
    for (int e = 0; e < EDGES; e++) {
      count[table[e][0]] += (int)last[table[e][0]][0] % 5;
      count[table[e][1]] += (int)last[table[e][1]][1] % 3;
    }
    for (int c = 0; c < CELLS; c++)
      for (int k = 0; k < 3; k++) last[c][k] *= 2;
  }
}

static void
steps(op_set cells, op_set edges, op_map ecell, op_dat dq, op_dat count) {
  for (int s = 0; s < STEPS; s++) {
    op_par_loop(spread, "spread", edges,
                op_arg_dat(dq, 0, ecell, 3, "double", OP_READ),
                op_arg_dat(dq, 1, ecell, 3, "double", OP_READ),
                op_arg_dat(count, 0, ecell, 1, "int", OP_INC),
                op_arg_dat(count, 1, ecell, 1, "int", OP_INC));
    op_par_loop(twice, "twice", cells,
                op_arg_dat(dq, -1, OP_ID, 3, "double", OP_RW));
  }
}

/* One dat of each type; values differ in every component. */
#define TYPES(X)                                                               \
  X(double, "double", f64)                                                     \
  X(float, "float", f32)                                                       \
  X(int, "int", i32)                                                           \
  X(unsigned, "uint", u32)                                                     \
  X(long long, "ll", i64)                                                      \
  X(unsigned long long, "ull", u64)                                            \
  X(short, "short", i16)                                                       \
  X(signed char, "char", i8)                                                   \
  X(unsigned char, "uchar", u8)
#define VALUE(type, name, tag) static type v_##tag[CELLS][2];
TYPES(VALUE)
static bool v_bool[CELLS];

static void
declare_types(op_set cells) {
#define DECLARE(type, name, tag)                                               \
  for (int c = 0; c < CELLS; c++)                                              \
    for (int k = 0; k < 2; k++) v_##tag[c][k] = (type)(40 * c - 100 + k);      \
  op_decl_dat(cells, 2, name ":soa", &v_##tag[0][0], "types/of/" #tag);
  TYPES(DECLARE)
  for (int c = 0; c < CELLS; c++) v_bool[c] = c % 3 == 0;
  op_decl_dat(cells, 1, "bool", v_bool, "types/bool");
  op_decl_dat(cells, 1, "struct particle", particle, "types/particle");
}

static void
compare_types(op_set cells, const char *file) {
  op_dat d;
#define COMPARE(type, name, tag)                                               \
  {                                                                            \
    static type found[CELLS][2];                                               \
    d = op_decl_dat_hdf5(cells, 2, name, file, "types/of/" #tag);              \
    op_fetch_data(d, &found[0][0]);                                            \
    CHECK(!memcmp(found, v_##tag, sizeof found));                              \
  }
  TYPES(COMPARE)
  bool b[CELLS];
  op_fetch_data(op_decl_dat_hdf5(cells, 1, "bool", file, "types/bool"), b);
  CHECK(!memcmp(b, v_bool, sizeof b));
  struct particle p[CELLS];
  d = op_decl_dat_hdf5(cells, 1, "struct particle", file, "types/particle");
  op_fetch_data(d, p);
  for (int c = 0; c < CELLS; c++)
    CHECK(p[c].id == particle[c].id && p[c].x[1] == particle[c].x[1]);
}

static void
write_files(int argc, char **argv) {
  int zero[CELLS] = {0}, count[CELLS], three[3] = {1, 2, 3};
  double last[CELLS][3], gam = 1.4;
  check_start(argc, argv);
  memcpy(mine, q, sizeof q);
  op_set cells = op_decl_set(CELLS, "cells"),
         edges = op_decl_set(EDGES, "edges");
  op_set none = op_decl_set(0, "none");
  op_map ecell = op_decl_map(edges, cells, 2, &given[0][0], "maps/ecell");
  op_dat dq = op_decl_dat(cells, 3, "double", &mine[0][0], "q");
  op_dat dcount = op_decl_dat(cells, 1, "int", zero, "count");
  op_decl_dat(none, 2, "double", (double *)NULL, "nothing");
  declare_types(cells);
  op_fetch_data_hdf5_file(dq, "q.h5");
  op_fetch_data_hdf5_file_path(dq, "q.h5", "/time/0/q");
  steps(cells, edges, ecell, dq, dcount);
  if (!getenv("OP2_MIRROR")) CHECK_PENDING(2 * STEPS);
  op_fetch_data_hdf5_file_path(dq, "q.h5", "/time/1/q");
  op_fetch_data_hdf5_file(dq, "q.h5"); /* once more: new values */
  op_dat copy = op_mpi_get_data(dq);   /* which is in no dump */
  op_dump_to_hdf5("all.h5");
  free(copy->data);
  free(copy->set);
  free(copy);
  op_write_const_hdf5("gam", 1, "double", (char *)&gam, "const.h5");
  gam = 1.5;
  op_write_const_hdf5("gam", 1, "double", (char *)&gam, "const.h5");
  op_write_const_hdf5("flow/three", 3, "int", (char *)three, "const.h5");
  op_fetch_data(dcount, count);
  int want[CELLS];
  expected(want, last);
  CHECK_INTS(count, want, CELLS);
  op_exit();
}

static void
check_q(op_set cells, const char *path, double want[CELLS][3]) {
  double found[CELLS][3];
  op_dat d = op_decl_dat_hdf5(cells, 3, "double", "q.h5", path);
  op_fetch_data(d, &found[0][0]);
  CHECK_REALS(&found[0][0], &want[0][0], 3 * CELLS);
}

static void
read_files(int argc, char **argv) {
  int count[CELLS], want[CELLS], three[3] = {0};
  double last[CELLS][3], gam = 0;
  check_start(argc, argv);
  op_set cells = op_decl_set_hdf5("all.h5", "cells");
  op_set edges = op_decl_set_hdf5_infer_size("all.h5", "edges", "maps/ecell");
  op_set none = op_decl_set_hdf5("all.h5", "none");
  CHECK_INT(cells->size, CELLS);
  CHECK_INT(edges->size, EDGES);
  CHECK_INT(none->size, 0);
  CHECK(!strcmp(edges->name, "edges"));
  op_map ecell = op_decl_map_hdf5(edges, cells, 2, "all.h5", "maps/ecell");
  CHECK_INTS(ecell->map, &table[0][0], 2 * EDGES);
  op_decl_dat_hdf5(none, 2, "double", "all.h5", "nothing");
  op_dat dq = op_decl_dat_hdf5(cells, 3, "double:soa", "q.h5", "time/0/q");
  op_dat dcount = op_decl_dat_hdf5(cells, 1, "int", "all.h5", "count");
  expected(want, last);
  op_fetch_data(dcount, count);
  CHECK_INTS(count, want, CELLS);
  check_q(cells, "time/0/q", q);
  check_q(cells, "time/1/q", last);
  check_q(cells, "q", last);
  steps(cells, edges, ecell, dq, dcount);
  op_fetch_data(dcount, count);
  for (int c = 0; c < CELLS; c++) want[c] *= 2;
  CHECK_INTS(count, want, CELLS);
  compare_types(cells, "all.h5");
  op_get_const_hdf5("gam", 1, "double", (char *)&gam, "const.h5");
  op_get_const_hdf5("flow/three", 3, "int", (char *)three, "const.h5");
  CHECK_REAL(gam, 1.5);
  CHECK_INT(three[2], 3);
}

int
main(int argc, char **argv) {
  inputs(argc > 1 && !strcmp(argv[1], "OP_MAPS_BASE_INDEX=1"));
  write_files(argc, argv);
  read_files(argc, argv);
  return check_end();
}
