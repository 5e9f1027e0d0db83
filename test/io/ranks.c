/* Files and checkpoints on several ranks, each of which declares its part of the
 * mesh; values are integers, so that any order of sums gives the same:
 *   ranks write      the mesh and its data after some steps to mesh.h5, the flow to
 *                    flow.h5, a checkpoint to run.h5
 *   ranks read       on any number of ranks: all of it comes back, and the steps go on
 *   ranks restart    the same from the checkpoint
 *   ranks wrong      what is wrong on one rank is an error on all
 * With "moved" as last word op_partition first gives elements to other ranks.
 * What is expected each rank computes for itself, on the whole mesh. */
#include "test/programs/check.h"

enum { N = 1000, E = 2500, AT = 3, STEPS = 7 };

struct state {
  double q[N][2];
  long long count[N];
};
static struct state now, later; /* behind AT and STEPS steps */
static int table[E][2];
static int rank, ranks;
static bool moved;

static void
flow(const double *a, const double *b, double *ra, long long *cb) {
  ra[0] += b[1] - a[0];
  ra[1] += 2;
  *cb += (long long)a[1];
}
static void
update(double *q, double *r) {
  for (int k = 0; k < 2; k++) {
    q[k] = (double)(((long long)q[k] + (long long)r[k]) % 1009);
    r[k] = 0;
  }
}

/* The whole, without the library. */
static void
expect(void) {
  static double r[N][2];
  for (int e = 0; e < E; e++) {
    table[e][0] = e * 7 % N;
    table[e][1] = (e * e + 11 * e + 5) % N;
  }
  for (int c = 0; c < N; c++)
    for (int k = 0; k < 2; k++) later.q[c][k] = c % 17 + k;
  for (int s = 1; s <= STEPS; s++) {
    for (int e = 0; e < E; e++) {
      int a = table[e][0], b = table[e][1];
      flow(later.q[a], later.q[b], r[a], &later.count[b]);
    }
    for (int c = 0; c < N; c++) update(later.q[c], r[c]);
    if (s == AT) now = later;
  }
}

/* ---- the program ----------------------------------------------------------- */

static op_set cells, edges;
static op_map ecell;
static op_dat q, res, count;
static op2_gbl step;

/* Ranks have unlike parts; the first of several has no cells. */
static int
first_of(int n, int r) {
  if (r >= ranks) return n;
  return ranks > 1 && n == N ? (r ? n * (r - 1) / (ranks - 1) : 0)
                             : n * r / ranks;
}

static void
declare(void) {
  static double q0[N][2];
  static int mine[E][2];
  int lo = first_of(N, rank), hi = first_of(N, rank + 1);
  int first = first_of(E, rank), n = first_of(E, rank + 1) - first;
  for (int c = lo; c < hi; c++)
    for (int k = 0; k < 2; k++) q0[c - lo][k] = c % 17 + k;
  memcpy(mine, table[first], sizeof table[0] * (size_t)n);
  cells = op_decl_set(hi - lo, "cells");
  edges = op_decl_set(n, "edges");
  ecell = op_decl_map(edges, cells, 2, &mine[0][0], "maps/ecell");
  q = op_decl_dat(cells, 2, "double", &q0[0][0], "q");
  count = op_decl_dat(cells, 1, "ll", (long long *)NULL, "count");
  res = op_decl_dat(cells, 2, "double", (double *)NULL, "res");
  step = op2_decl_gbl(1, "int", NULL, "step");
}

static void
read_mesh(void) {
  cells = op_decl_set_hdf5("mesh.h5", "cells");
  edges = op_decl_set_hdf5_infer_size("mesh.h5", "edges", "maps/ecell");
  ecell = op_decl_map_hdf5(edges, cells, 2, "mesh.h5", "maps/ecell");
  q = op_decl_dat_hdf5(cells, 2, "double", "flow.h5", "at/q");
  count = op_decl_dat_hdf5(cells, 1, "ll", "mesh.h5", "count");
  res = op_decl_dat_hdf5(cells, 2, "double", "mesh.h5", "res");
}

static void
steps(int n) {
  for (int s = 0; s < n; s++) {
    op_par_loop(flow, "flow", edges,
                op_arg_dat(q, 0, ecell, 2, "double", OP_READ),
                op_arg_dat(q, 1, ecell, 2, "double", OP_READ),
                op_arg_dat(res, 0, ecell, 2, "double", OP_INC),
                op_arg_dat(count, 1, ecell, 1, "ll", OP_INC));
    op_par_loop(update, "update", cells,
                op_arg_dat(q, -1, OP_ID, 2, "double", OP_RW),
                op_arg_dat(res, -1, OP_ID, 2, "double", OP_RW));
  }
}

static void
partition(void) {
  if (moved) op_partition("RANDOM", "", cells, ecell, NULL);
}

/* This rank's declared part against the whole. */
static void
compare(const struct state *want, idx_g_t offset, int size) {
  static double found[N][2];
  static long long counted[N];
  op_fetch_data(q, &found[0][0]);
  op_fetch_data(count, counted);
  for (int c = 0; c < size; c++) {
    CHECK_REAL(found[c][0], want->q[offset + c][0]);
    CHECK_REAL(found[c][1], want->q[offset + c][1]);
    CHECK_INT(counted[c], want->count[offset + c]);
  }
}

static void
write_all(void) {
  int n = AT, offset, size;
  double gam = rank ? 0 : 1.4; /* rank 0's counts */
  declare();
  offset = first_of(N, rank);
  size = first_of(N, rank + 1) - offset;
  partition();
  steps(AT);
  op2_gbl_set(step, &n);
  CHECK_INT(op2_checkpoint("run.h5"), 0);
  op_fetch_data_hdf5_file_path(q, "flow.h5", "at/q");
  op_dump_to_hdf5("mesh.h5");
  op_write_const_hdf5("gam", 1, "double", (char *)&gam, "mesh.h5");
  compare(&now, offset, size);
  steps(STEPS - AT);
  compare(&later, offset, size);
}

static void
read_all(void) {
  double gam = 0;
  read_mesh();
  int size = cells->size;
  idx_g_t offset = op_get_global_set_offset(cells);
  CHECK_INT(op_get_size(cells), N);
  CHECK_INT(op_get_size(edges), E);
  op_get_const_hdf5("gam", 1, "double", (char *)&gam, "mesh.h5");
  CHECK_REAL(gam, 1.4);
  partition();
  if (moved) q = op_decl_dat_hdf5(cells, 2, "double", "flow.h5", "at/q");
  compare(&now, offset, size);
  steps(STEPS - AT);
  compare(&later, offset, size);
}

static void
restart(void) {
  int n = 0;
  declare();
  partition();
  CHECK_INT(op2_restart("run.h5"), 0);
  op2_gbl_get(step, &n);
  CHECK_INT(n, AT);
  steps(STEPS - AT);
  int offset = first_of(N, rank);
  compare(&later, offset, first_of(N, rank + 1) - offset);
}

/* ---- errors ---------------------------------------------------------------- */

static int nmessages;
static char message[4096];

static void
on_error(int status, const char *text, void *user) {
  (void)status, (void)user;
  nmessages++;
  snprintf(message, sizeof message, "%s", text);
}

static void
said(int line, const char *words) {
  if (nmessages != 1 || !strstr(message, words))
    check_fail(__FILE__, line, "%d messages, \"%s\", expected \"...%s...\"",
               nmessages, message, words);
  nmessages = 0;
}

/* foreign_files.c's: four edges; the entry that is wrong lies on one rank. */
static void
wrong(void) {
  op2_set_error_handler(on_error, NULL);
  op_set c = op_decl_set_hdf5("op2.h5", "cells");
  op_set e = op_decl_set_hdf5("op2.h5", "edges");
  CHECK(!op_decl_map_hdf5(e, c, 2, "other.h5", "outside"));
  said(__LINE__, "op_decl_map \"outside\": entry 1 of element 2: "
                 "expected 0 to 4");
  CHECK(!op_decl_dat_hdf5(c, 1, "int", "other.h5", "far"));
  said(__LINE__, "\"far\": expected values that fit i32");
  CHECK(!op_decl_dat_hdf5(c, 1, "double", "missing.h5", "q"));
  said(__LINE__, "\"missing.h5\": expected a file to read");
  CHECK(!op_decl_dat_hdf5(c, 3, "double", "op2.h5", "q"));
  said(__LINE__, "wrong shape: expected [5, 3], found [5, 2]");
  op_dat d = op_decl_dat_hdf5(c, 2, "double", "op2.h5", "q");
  op_fetch_data_hdf5_file(d, "/nowhere/q.h5");
  said(__LINE__, "\"/nowhere/q.h5\": cannot be written");
  CHECK_INT(op2_checkpoint("/nowhere/run.h5"), OP2_ERR_IO);
  said(__LINE__, "\"/nowhere/run.h5.part\": cannot be written");
  CHECK_INT(op2_restart("op2.h5"), OP2_ERR_IO);
  said(__LINE__, "expected a checkpoint");
  /* all goes on */
  CHECK(op_decl_map_hdf5(e, c, 2, "other.h5", "ecell") != NULL);
  op_fetch_data_hdf5_file(d, "q.h5");
  CHECK_INT(nmessages, 0);
}

int
main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "write";
  moved = !strcmp(argv[argc - 1], "moved");
  check_start(0, NULL);
  op_rank(&rank);
  op_set one = op_decl_set(1, "one of each rank");
  ranks = (int)op_get_size(one);
  op_exit();
  check_start(0, NULL);
  expect();
  if (!strcmp(what, "write")) write_all();
  if (!strcmp(what, "read")) read_all();
  if (!strcmp(what, "restart")) restart();
  if (!strcmp(what, "wrong")) wrong();
  return check_end();
}
