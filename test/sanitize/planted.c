/* Planted errors in compiled code, which the sanitizers must find there
 * (OP2_SANITIZE); test/sanitize/planted.sh.
 *
 *   planted          none: nothing may be found
 *   planted race     the map is said to name no target twice, so that threads
 *                    increment through it without colouring
 *   planted bounds   an entry of the map's table is changed behind the library's
 *                    back, so that a read leaves its dat
 *   planted tail     the same for a dat whose memory is larger than the dat
 *   planted mapped   the same for a dat in memory of its own pages
 *   planted KIND     a kernel goes beyond the dim of an argument: see run()
 */
#include "op2.h"

#include "frontend/handles.h"

#include <stdio.h>
#include <string.h>

enum { N = 20000, FEW = 64, ODD = 61, BIG = 300000, WIDE = 10000, BINS = 40 };

static void
add(const double *from, double *to) {
  *to += *from;
}

/* ---- beyond the dim ---------------------------------------------------------- */

static int one = 1; /* a constant of the program: no compiler knows it, and no
                       loop is refused for it */

static void
write_next(double *x) {
  x[0] = 1;
  x[one] = 2;
}
static void
write_before(double *x) {
  x[0] = 1;
  x[-one] = 2;
}
static void
read_next(const double *x, double *y) {
  *y = x[0] + x[one];
}
static void
inc_next(const double *x, double *y) {
  y[0] += *x;
  y[one] += *x;
}
static void
read_wide(const double *x, double *y) {
  *y = x[WIDE - 1 + one];
}
static void
read_value(const double *value, double *y) {
  *y = value[BINS - 1 + one];
}
static void
read_small(const double *value, double *y) {
  *y = value[0] + value[one];
}
static void
add_value(const double *x, double *sum) {
  sum[0] += *x;
  sum[one] += *x;
}
static void
add_bin(const double *x, double *bins) {
  bins[BINS - 1 + one] += *x;
}
static void
write_global(const double *x, double *last) {
  last[0] = *x;
  last[one] = *x;
}
static void
read_entry(double **x, double *y) {
  *y = x[0][0] + x[one][0] + x[one][one];
}

static op_set from, to;
static op_map map;
static op_dat many, few, wide;
static double room[2 * BINS]; /* more than loops declare */

#define DAT(dat, dim, access) op_arg_dat(dat, -1, OP_ID, dim, "double", access)
#define GBL(dim, access) op_arg_gbl(room, dim, "double", access)

static void
run(const char *kind) {
  op_set s = op_decl_set(2, "two"); /* elements of WIDE doubles */
  wide = op_decl_dat(s, WIDE, "double", (double *)NULL, "wide");
  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  if (!strcmp(kind, "write"))
    op_par_loop(write_next, "write_next", from, DAT(many, 1, OP_WRITE));
  if (!strcmp(kind, "before"))
    op_par_loop(write_before, "write_before", from, DAT(many, 1, OP_WRITE));
  if (!strcmp(kind, "read"))
    op_par_loop(read_next, "read_next", from,
                op_arg_dat(few, 0, map, 1, "double", OP_READ),
                DAT(many, 1, OP_WRITE));
  if (!strcmp(kind, "inc"))
    op_par_loop(inc_next, "inc_next", from, DAT(many, 1, OP_READ),
                op_arg_dat(few, 0, map, 1, "double", OP_INC));
  if (!strcmp(kind, "wide"))
    op_par_loop(read_wide, "read_wide", s, DAT(wide, WIDE, OP_READ),
                DAT(y, 1, OP_WRITE));
  if (!strcmp(kind, "value"))
    op_par_loop(read_value, "read_value", from, GBL(BINS, OP_READ),
                DAT(many, 1, OP_WRITE));
  if (!strcmp(kind, "small"))
    op_par_loop(read_small, "read_small", from, GBL(1, OP_READ),
                DAT(many, 1, OP_WRITE));
  if (!strcmp(kind, "sum"))
    op_par_loop(add_value, "add_value", from, DAT(many, 1, OP_READ),
                GBL(1, OP_INC));
  if (!strcmp(kind, "bins"))
    op_par_loop(add_bin, "add_bin", from, DAT(many, 1, OP_READ),
                GBL(BINS, OP_INC));
  if (!strcmp(kind, "global"))
    op_par_loop(write_global, "write_global", from, DAT(many, 1, OP_READ),
                GBL(1, OP_WRITE));
  if (!strcmp(kind, "entry"))
    op_par_loop(read_entry, "read_entry", from,
                op_arg_dat(few, -2, map, 1, "double", OP_READ),
                DAT(many, 1, OP_WRITE));
}

int
main(int argc, char **argv) {
  static int table[2 * N];
  static double zero[BIG];
  const char *error = argc > 1 ? argv[1] : "";
  int n = !strcmp(error, "tail") ? ODD : !strcmp(error, "mapped") ? BIG : FEW;
  for (int e = 0; e < 2 * N; e++) table[e] = e % 16;
  op_init(argc, argv, 0);
  from = op_decl_set(N, "from"), to = op_decl_set(n, "to");
  map = op_decl_map(from, to, 2, table, "map");
  few = op_decl_dat(to, 1, "double", zero, "few");
  many = op_decl_dat(from, 1, "double", zero, "many");
  if (!strcmp(error, "race")) ((struct fe_map *)map)->injective = true;
  op_par_loop(add, "add", from,
              op_arg_dat(many, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(few, 0, map, 1, "double", OP_INC));
  op2_flush(); /* its plan is made by code that is instrumented anyway */
  if (!strcmp(error, "bounds") || n != FEW) map->map[N] = n;
  run(error);
  op_par_loop(add, "add", from, op_arg_dat(few, 0, map, 1, "double", OP_READ),
              op_arg_dat(many, -1, OP_ID, 1, "double", OP_INC));
  op2_flush();
  op_exit();
  puts("ok");
  return 0;
}
