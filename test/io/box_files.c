/* Files of boxes, and of what is made of them, on several ranks: rows are in the order
 * of one rank, so that what any number of ranks wrote is the same, and any read it.
 *   box_files write      all of it to boxes.h5, all.h5, boxes.vtkhdf, x.txt and run.h5
 *   box_files read       on any number of ranks: it comes back
 *   box_files restart    the same from the checkpoint
 * What is expected each rank computes from where its points are. Exact: integers. */
#include "test/programs/check.h"

#include <stdlib.h>
#include <string.h>

enum { NI = 9, NJ = 7, NK = 3, NS = 40, ROOM = 4096 };

/* ---- sets ------------------------------------------------------------------------ */

/* This rank's part of a box, and where its points with some halo lie. */
struct part {
  op_set set;
  int ndim, colours;
  idx_g_t n[3], lo[3], hi[3];
};
static struct part box, plane, grid;
static op_set odd, heights, towers, stations;
static op_map at, corners;
static op2_sparsity sparsity;
static op2_mat matrix;

static struct part
part_make(int ndim, int colours, const int *boundary, const char *name) {
  struct part p = {.ndim = ndim, .colours = colours, .n = {NI, NJ, NK}};
  p.set = colours > 1 ? op2_decl_grid(p.n, colours, boundary, name)
                      : op2_decl_box(ndim, p.n, boundary, name);
  CHECK_INT(op2_box_local(p.set, p.lo, p.hi), 0);
  for (int d = ndim; d < 3; d++) p.n[d] = p.hi[d] = 1;
  return p;
}

/* What this rank's points have as numbers on one rank, with halos of h. */
static int
numbers_of(const struct part *p, int h, int *out) {
  int n = 0, hk = p->ndim == 3 ? h : 0;
  for (int d = 0; d < p->ndim; d++)
    if (p->lo[d] == p->hi[d]) return 0;
  for (long k = (long)p->lo[2] - hk; k < p->hi[2] + hk; k++)
    for (long j = (long)p->lo[1] - h; j < p->hi[1] + h; j++)
      for (int c = 0; c < p->colours; c++)
        for (long i = (long)p->lo[0] - h; i < p->hi[0] + h; i++) {
          long row = (k + hk) * (p->n[1] + 2 * h) + j + h;
          row = (row * p->colours + c) * (p->n[0] + 2 * h) + i + h;
          out[n++] = (int)row;
        }
  return n;
}

/* Layers that stand on a point of the plane. */
static int
height(int number) {
  return number * 5 % 4;
}

/* Rows of the columns and of the odd points by numbers of the plane. */
static int heights_first[NI * NJ + 1], odd_row[NI * NJ];

static void
rows_know(void) {
  int nodd = 0;
  for (int e = 0; e < NI * NJ; e++) {
    heights_first[e + 1] = heights_first[e] + height(e);
    odd_row[e] = nodd;
    nodd += (e % NI + e / NI) % 2;
  }
}

static void
sets_make(void) {
  int number[ROOM], list[ROOM], range[2 * ROOM], nlist = 0;
  box = part_make(3, 1, NULL, "box");
  plane = part_make(2, 1, ((int[]){OP2_PERIODIC, OP2_PERIODIC}), "plane");
  grid = part_make(2, 2, NULL, "grid");
  int n = numbers_of(&plane, 0, number);
  for (int e = 0; e < n; e++) {
    if ((number[e] % NI + number[e] / NI) % 2) list[nlist++] = e;
    range[2 * e] = 1;
    range[2 * e + 1] = 1 + height(number[e]);
  }
  odd = op2_decl_subset(plane.set, nlist, list, "odd");
  heights = op2_decl_columns_var(plane.set, range, "heights");
  towers = op2_decl_columns(odd, 2, "towers");
}

/* ---- dats ------------------------------------------------------------------------ */

/* In whose set each element has a row that the program knows. */
struct field {
  op_set set;
  const char *name;
  op_dat dat;
  int n, row[ROOM];
};
static struct field fields[] = {{.name = "y"},         {.name = "on_odd"},
                                {.name = "on_towers"}, {.name = "on_heights"},
                                {.name = "g"},         {.name = "x"}};
enum { FIELDS = sizeof fields / sizeof *fields, X = FIELDS - 1 };

static void
rows_find(void) {
  struct field *f = fields;
  const int *of = f[0].row;
  f[0].set = plane.set, f[0].n = numbers_of(&plane, 0, f[0].row);
  f[1].set = odd, f[2].set = towers, f[3].set = heights;
  for (int e = 0; e < f[0].n; e++) {
    if ((of[e] % NI + of[e] / NI) % 2)
      for (int l = 0; l < 2; l++) {
        if (!l) f[1].row[f[1].n++] = odd_row[of[e]];
        f[2].row[f[2].n++] = 2 * odd_row[of[e]] + l;
      }
    for (int l = 0; l < height(of[e]); l++)
      f[3].row[f[3].n++] = heights_first[of[e]] + l;
  }
  f[4].set = grid.set, f[4].n = numbers_of(&grid, 0, f[4].row);
  f[X].set = box.set, f[X].n = numbers_of(&box, 1, f[X].row);
  for (int k = 0; k < X; k++) CHECK_INT(op_get_size_local(f[k].set), f[k].n);
}

static int
value(int k, int e) {
  return 3 * fields[k].row[e] + 100 * k;
}

/* Loops add 1 to what is no halo. */
static bool
is_inside(int k, int e) {
  int row = fields[k].row[e], i = row % (NI + 2), j = row / (NI + 2) % (NJ + 2);
  int l = row / (NI + 2) / (NJ + 2);
  return k != X || (i > 0 && i <= NI && j > 0 && j <= NJ && l > 0 && l <= NK);
}

/* What 'w'rites gives values, 'r'ead has them from the file, but for a halo. */
static void
dats_make(int what) {
  static const int halo[] = {1, 1, 1, 1, 1, 1};
  static int values[ROOM];
  for (int k = 0; k < FIELDS; k++) {
    struct field *f = &fields[k];
    for (int e = 0; e < f->n; e++) values[e] = value(k, e);
    int *given = what == 'w' ? values : NULL;
    if (k == X)
      f->dat = op2_decl_dat_box(f->set, halo, 1, "int", given, f->name);
    else if (what == 'r')
      f->dat = op_decl_dat_hdf5(f->set, 1, "int", "boxes.h5", f->name);
    else
      f->dat = op_decl_dat(f->set, 1, "int", given, f->name);
  }
}

static void
add_one(int *v) {
  *v += 1;
}

static void
dats_add(void) {
  for (int k = 0; k < FIELDS; k++)
    op_par_loop(add_one, "add_one", fields[k].set,
                op_arg_dat(fields[k].dat, -1, OP_ID, 1, "int", OP_RW));
}

static void
dats_compare(int count) {
  static int found[ROOM];
  for (int k = 0; k < count; k++) {
    op_fetch_data(fields[k].dat, found);
    for (int e = 0; e < fields[k].n; e++)
      CHECK_INT(found[e], value(k, e) + is_inside(k, e));
  }
}

/* ---- maps ------------------------------------------------------------------------ */

static int
station_point(int s) {
  return (s * s + 3 * s) % (NI * NJ);
}

static void
take_number(const long long *number, int *to) {
  *to = (int)*number;
}

static void
add_to(const int *v, int *to) {
  *to += *v;
}

/* Entries are global numbers, which depend on parts: a loop finds them. */
static void
maps_make(int what) {
  int all[NI * NJ], table[NS], rank;
  op_rank(&rank);
  int lo = NS * rank / check_ranks();
  int n = NS * (rank + 1) / check_ranks() - lo;
  stations = op_decl_set(n, "stations");
  op_dat numbers =
      op_decl_dat_temp(plane.set, 1, "int", (int *)NULL, "numbers");
  op_par_loop(take_number, "take_number", plane.set,
              op2_arg_idx_long(-1, OP_ID),
              op_arg_dat(numbers, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data_idx(numbers, all, 0, NI * NJ - 1);
  op_free_dat_temp(numbers);
  for (int s = 0; s < n; s++) table[s] = all[station_point(lo + s)];
  at = what == 'w' ? op_decl_map(stations, plane.set, 1, table, "at")
                   : op_decl_map_hdf5(stations, plane.set, 1, "all.h5", "at");
  op_map rule = op2_decl_map_rule(plane.set, plane.set, 4,
                                  ((int[]){0, 0, 1, 0, 1, 1, 0, 1}), "rule");
  corners = what == 'w' ? op2_map_materialise(rule, "corners")
                        : op_decl_map_hdf5(plane.set, plane.set, 4, "all.h5",
                                           "corners");
}

/* Corner k of a cell, counterclockwise; nodes are points of the plane, too. */
static int
corner(int cell, int k) {
  int i = cell % NI + (k == 1 || k == 2), j = cell / NI + k / 2;
  return i % NI + NI * (j % NJ);
}

/* Each station adds to its point, each cell its number to its corners. */
static void
maps_compare(void) {
  static int want[NI * NJ], found[ROOM];
  op_dat one = op_decl_dat_temp(stations, 1, "int", (int *)NULL, "one");
  op_par_loop(add_one, "add_one", stations,
              op_arg_dat(one, -1, OP_ID, 1, "int", OP_RW));
  op_dat hits = op_decl_dat_temp(plane.set, 1, "int", (int *)NULL, "hits");
  op_dat sums = op_decl_dat_temp(plane.set, 1, "int", (int *)NULL, "sums");
  op_par_loop(add_to, "add_to", stations,
              op_arg_dat(one, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(hits, 0, at, 1, "int", OP_INC));
  for (int k = 0; k < 4; k++)
    op_par_loop(add_to, "add_to", plane.set,
                op_arg_dat(fields[0].dat, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(sums, k, corners, 1, "int", OP_INC));
  for (int s = 0; s < NS; s++) want[station_point(s)]++;
  op_fetch_data(hits, found);
  for (int e = 0; e < fields[0].n; e++)
    CHECK_INT(found[e], want[fields[0].row[e]]);
  memset(want, 0, sizeof want);
  for (int e = 0; e < NI * NJ; e++)
    for (int k = 0; k < 4; k++) want[corner(e, k)] += 3 * e + 1;
  op_fetch_data(sums, found);
  for (int e = 0; e < fields[0].n; e++)
    CHECK_INT(found[e], want[fields[0].row[e]]);
  op_free_dat_temp(one);
  op_free_dat_temp(hits);
  op_free_dat_temp(sums);
}

/* ---- a matrix -------------------------------------------------------------------- */

/* Each of a cell's 16 values is another one. */
static int
block(int v, int k) {
  return 16 * v + k;
}

static void
fill(const int *v, double *m) {
  for (int k = 0; k < 16; k++) m[k] += block(*v, k);
}

static void
matrix_make(void) {
  sparsity = op2_decl_sparsity(1, &corners, &corners, "sparsity");
  matrix = op2_decl_mat(sparsity, 1, 1, "double", "matrix");
}

static void
matrix_assemble(void) {
  op_par_loop(fill, "fill", plane.set,
              op_arg_dat(fields[0].dat, -1, OP_ID, 1, "int", OP_READ),
              op2_arg_mat(matrix, corners, corners, 1, 1, "double", OP_INC));
}

static void
matrix_compare(void) {
  static double want[NI * NJ], found[ROOM];
  int n = fields[0].n, *row = fields[0].row;
  op_dat v = op_decl_dat_temp(plane.set, 1, "double", (double *)NULL, "v");
  double *of = (double *)op2_dat_data_rw(v);
  for (int e = 0; e < n; e++) of[e] = row[e] % 11 - 5;
  op_dat product =
      op_decl_dat_temp(plane.set, 1, "double", (double *)NULL, "product");
  op2_mat_mult(matrix, v, product);
  op_fetch_data(product, found);
  for (int e = 0; e < NI * NJ; e++)
    for (int k = 0; k < 16; k++)
      want[corner(e, k / 4)] +=
          (double)block(3 * e + 1, k) * (corner(e, k % 4) % 11 - 5);
  for (int e = 0; e < n; e++) CHECK_REAL(found[e], want[row[e]]);
  memset(want, 0, sizeof want);
  op_free_dat_temp(v);
  op_free_dat_temp(product);
}

/* ---- a plane that is not periodic ------------------------------------------------ */

/* Over ranks points with a halo are two sets: a temporary, made around the plane by a
 * loop, and what a table of a rule leads to, are of one, what is declared of another. */
static op_map square_corners;
static op_dat square_places;

static void
square_make(void) {
  static const int halo[] = {0, 1, 0, 1};
  struct part square = part_make(2, 1, NULL, "square");
  op_map rule = op2_decl_map_rule(square.set, square.set, 4,
                                  ((int[]){0, 0, 1, 0, 1, 1, 0, 1}), "angles");
  square_corners = op2_map_materialise(rule, "angles_of");
  square_places =
      op2_decl_dat_box(square.set, halo, 2, "double", (double *)NULL, "where");
  double *where = (double *)op2_dat_data_rw(square_places);
  bool none = square.lo[0] == square.hi[0] || square.lo[1] == square.hi[1];
  for (idx_g_t j = square.lo[1]; !none && j < square.hi[1] + 1; j++)
    for (idx_g_t i = square.lo[0]; i < square.hi[0] + 1; i++) {
      *where++ = (double)i;
      *where++ = (double)j;
    }
}

static void
take_sum(const double *a, double *to) {
  *to = a[0] + 100 * a[1];
}

/* Made around the square, since places are known there. */
static void
square_temporary(void) {
  static const int halo[] = {0, 1, 0, 1};
  op_set square = square_corners->from;
  op_dat sum = op2_decl_dat_box_temp(square, halo, 1, "double", "sum");
  op_par_loop(take_sum, "take_sum", square,
              op_arg_dat(square_places, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_WRITE));
  CHECK_INT(op2_write_vtk("square.vtkhdf", 0, square_corners, 9, square_places,
                          1, (op_dat[]){sum}),
            0);
  op_free_dat_temp(sum);
}

/* ---- looks ----------------------------------------------------------------------- */

static void
free_copy(op_dat copy) {
  free(copy->data);
  free(copy->set);
  free(copy);
}

/* Any range, and all of them; copies in the same order as what they are of. */
static void
ranges(void) {
  static int found[ROOM], all[ROOM];
  op_dat x = fields[X].dat, odd_dat = fields[1].dat;
  int n = (int)op_get_size(x->set);
  CHECK_INT(n, (NI + 2) * (NJ + 2) * (NK + 2));
  op_fetch_data_idx(x, all, 0, n - 1);
  for (int e = 0; e < fields[X].n; e++)
    CHECK_INT(all[fields[X].row[e]], value(X, e) + is_inside(X, e));
  op_fetch_data_idx(x, found, 57, 57);
  CHECK_INT(found[0], all[57]);
  op_dat copy = op_mpi_get_data(x), other = op_mpi_get_data(odd_dat);
  op_fetch_data_idx(copy, found, 0, n - 1);
  CHECK(!memcmp(found, all, (size_t)n * sizeof *all));
  op_print_dat_to_txtfile(copy, "copy.txt");
  op_print_dat_to_txtfile(other, "odd.txt");
  free_copy(copy);
  free_copy(other);
}

/* ---- programs -------------------------------------------------------------------- */

static void
pictures(void) {
  op_dat place =
      op_decl_dat_temp(plane.set, 2, "double", (double *)NULL, "place");
  double *where = (double *)op2_dat_data_rw(place);
  for (int e = 0; e < fields[0].n; e++) {
    where[2 * e] = fields[0].row[e] % NI;
    where[2 * e + 1] = fields[0].row[e] / NI;
  }
  CHECK_INT(op2_write_vtk("boxes.vtkhdf", 0, corners, 0, place, 1,
                          (op_dat[]){fields[0].dat}),
            0);
  op_free_dat_temp(place);
}

static void
write_all(void) {
  dats_make('w');
  maps_make('w');
  square_make();
  matrix_make();
  dats_add();
  for (int k = 0; k < FIELDS; k++)
    op_fetch_data_hdf5_file(fields[k].dat, "boxes.h5");
  matrix_assemble();
  op2_mat_write_hdf5(matrix, "boxes.h5", NULL);
  op_print_dat_to_txtfile(fields[X].dat, "x.txt");
  op_print_dat_to_txtfile(fields[3].dat, "heights.txt");
  pictures();
  square_temporary();
  ranges();
  op_dump_to_hdf5("all.h5");
  CHECK_INT(op2_checkpoint("run.h5"), 0);
  dats_compare(FIELDS);
  maps_compare();
  matrix_compare();
}

static void
read_all(void) {
  dats_make('r');
  maps_make('r');
  dats_compare(X);
  maps_compare();
  matrix_make();
  op2_mat_read_hdf5(matrix, "boxes.h5", NULL);
  matrix_compare();
}

/* The checkpoint has no maps: these are as the program declares them. */
static void
restart(void) {
  dats_make('s');
  maps_make('w');
  square_make();
  matrix_make();
  CHECK_INT(op2_restart("run.h5"), 0);
  dats_compare(FIELDS);
  maps_compare();
  matrix_compare();
}

int
main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "write";
  check_start(0, NULL);
  sets_make();
  rows_know();
  rows_find();
  if (!strcmp(what, "write")) write_all();
  if (!strcmp(what, "read")) read_all();
  if (!strcmp(what, "restart")) restart();
  op_exit();
  if (!check_failures) printf("ok\n");
  return check_failures != 0;
}
