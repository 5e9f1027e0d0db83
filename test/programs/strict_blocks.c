/* OP2_STRICT_BLOCKS=1: chains on boxes that go wrong on blocks in place are refused at
 * the call, with both loops and the dat; others run, and so does a refused loop
 * behind a flush. Exact. */
#include "check.h"
#include "errors.h"

enum { N = 8, ROOM = N + 20 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "double", acc)
#define VIA(d, k, m) op_arg_dat(d, -(k), m, 1, "double", OP_READ)
#define AT(d, m) op_arg_dat(d, 0, m, 1, "double", OP_READ)

static void
copy(const double *x, double *out) {
  *out = *x;
}
static void
sum2(double **x, double *out) {
  *out = x[0][0] + x[1][0];
}
static void
sum3(double **x, double *out) {
  *out = x[0][0] + x[1][0] + x[2][0];
}
static void
sum3_2(double **x, double **y, double *out) {
  *out = x[0][0] + x[1][0] + x[2][0] + y[0][0] + y[1][0];
}
static void
sum2_2(double **x, double **y, double *out) {
  *out = x[0][0] + x[1][0] + y[0][0] + y[1][0];
}

static op_set line;
static op_map before, around, ahead;

static op_dat
field(int lo, int hi, const char *name) {
  double at[ROOM];
  for (int k = 0; k < lo + N + hi; k++) at[k] = 10 * (k - lo);
  return op2_decl_dat_box(line, ((int[]){lo, hi}), 1, "double", at, name);
}

static op_dat
temp(int lo, int hi, const char *name) {
  return op2_decl_dat_box_temp(line, (int[]){lo, hi}, 1, "double", name);
}

/* The call before was refused, if loops wait; it has all these words. */
static bool
refused(const char *a, const char *b, const char *c) {
  static int wrong;
  if (!check_lazy()) return false;
  CHECK_INT(errors, ++wrong);
  CHECK_INT(code, OP2_ERR_STATE);
  bool all =
      strstr(message, a) && strstr(message, b) && (!c || strstr(message, c));
  if (!all) puts(message);
  CHECK(all);
  op2_flush();
  return true;
}

/* t <- q; q <- t(-1): the second block finds the first one's q. */
static void
trap(void) {
  double got[ROOM];
  op_dat q = field(1, 0, "q"), t = temp(1, 0, "t");
  op_par_loop(copy, "g0", line, OWN(q, OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "g1", line, AT(t, before), OWN(q, OP_WRITE));
  if (refused("loop \"g0\" (", "reads \"q\" on (-1) around its block",
              "loop \"g1\" ("))
    op_par_loop(copy, "g1", line, AT(t, before), OWN(q, OP_WRITE));
  op_fetch_data(q, got);
  for (int k = 0; k < N + 1; k++) CHECK_REAL(got[k], k ? 10 * (k - 2) : -10);
  CHECK_INT(op_free_dat_temp(t), 0);
}

static void
f1(op_dat a, op_dat in, op_dat c) {
  op_par_loop(sum2_2, "f1", line, VIA(a, 2, ahead), VIA(in, 2, ahead),
              OWN(c, OP_WRITE));
}

/* A temporary is read at an offset, and written again. */
static void
written_again(void) {
  op_dat in = field(4, 4, "in"), e = field(0, 0, "e");
  op_dat a = temp(2, 3, "a"), c = temp(4, 4, "c");
  double got[ROOM];
  op_par_loop(copy, "fill", line, OWN(in, OP_READ), OWN(c, OP_WRITE));
  op_par_loop(sum2, "f0", line, VIA(c, 2, ahead), OWN(a, OP_WRITE));
  f1(a, in, c);
  if (refused("loop \"f0\" (", "reads \"c\" on (0:2)", "loop \"f1\" ("))
    f1(a, in, c);
  op_par_loop(sum3_2, "f2", line, VIA(c, 3, around), VIA(a, 2, ahead),
              OWN(e, OP_WRITE));
  op_fetch_data(e, got);
  for (int i = 0; i < N; i++) /* a = 20 i + 10, c = 60 i + 50 */
    CHECK_REAL(got[i], 3 * (60 * i + 50) + (20 * i + 10) + (20 * i + 30));
  CHECK_INT(op_free_dat_temp(a), 0);
  CHECK_INT(op_free_dat_temp(c), 0);
}

/* A dat of the program's is made in the block, and read around it. */
static void
read_beyond(void) {
  op_dat x = field(0, 0, "x"), y = field(1, 1, "y"), z = field(0, 0, "z");
  double got[ROOM];
  op_par_loop(copy, "make", line, OWN(x, OP_READ), OWN(y, OP_WRITE));
  op_par_loop(sum3, "use", line, VIA(y, 3, around), OWN(z, OP_WRITE));
  if (refused("loop \"use\" (", "reads \"y\" on (-1:1)", "loop \"make\" ("))
    op_par_loop(sum3, "use", line, VIA(y, 3, around), OWN(z, OP_WRITE));
  op_fetch_data(z, got);
  for (int i = 0; i < N; i++) CHECK_REAL(got[i], 30 * i);
}

/* Nothing is wrong with temporaries in between, or with a flush. */
static void
right(void) {
  op_dat in = field(2, 2, "rin"), out = field(0, 0, "rout");
  op_dat a = temp(1, 1, "ra");
  double got[ROOM];
  int wrong = errors;
  for (int step = 0; step < 2; step++) {
    op_par_loop(sum3, "first", line, VIA(in, 3, around), OWN(a, OP_WRITE));
    op_par_loop(sum3, "second", line, VIA(a, 3, around), OWN(out, OP_WRITE));
    CHECK_PENDING(2);
    op2_flush();
  }
  op_par_loop(copy, "back", line, OWN(out, OP_READ), OWN(in, OP_WRITE));
  op_fetch_data(in, got);
  for (int i = 0; i < N; i++) CHECK_REAL(got[i + 2], 90 * i);
  CHECK_INT(errors, wrong);
  CHECK_INT(op_free_dat_temp(a), 0);
}

/* What lies on the other side of a period no block has. */
static void
periodic(void) {
  op_set ring = op2_decl_box(1, (idx_g_t[]){N}, (int[]){OP2_PERIODIC}, "ring");
  op_map back = op2_decl_map_rule(ring, ring, 1, (int[]){-1}, "back");
  op_dat q = op_decl_dat(ring, 1, "double", (double *)NULL, "pq");
  op_dat r = op_decl_dat(ring, 1, "double", (double *)NULL, "pr");
  op_dat t = op2_decl_dat_box_temp(ring, (int[]){0, 0}, 1, "double", "pt");
  op_par_loop(copy, "h0", ring, OWN(q, OP_READ), OWN(t, OP_WRITE));
  op_par_loop(copy, "h1", ring, AT(t, back), OWN(r, OP_WRITE));
  refused("loop \"h1\" (", "reads \"pt\" on (0) and across a period", "\"h0\"");
  CHECK_INT(op_free_dat_temp(t), 0);
}

int
main(int argc, char **argv) {
  setenv("OP2_STRICT_BLOCKS", "1", 1);
  check_start(argc, argv);
  op2_set_error_handler(on_error, NULL);
  line = op2_decl_box(1, (idx_g_t[]){N}, NULL, "line");
  before = op2_decl_map_rule(line, line, 1, (int[]){-1}, "before");
  around = op2_decl_map_rule(line, line, 3, (int[]){-1, 0, 1}, "around");
  ahead = op2_decl_map_rule(line, line, 2, (int[]){0, 1}, "ahead");
  trap();
  written_again();
  read_beyond();
  right();
  periodic();
  op2_set_error_handler(NULL, NULL);
  return check_end();
}
