/* Types that are aligned to 64 bytes, as dats (direct and through a map, one of them
 * declared with ":soa"), globals read and written, tables of the program that keep and change their values: the
 * compiled kernel counts on it. */
#include "check.h"

typedef double v8 __attribute__((vector_size(64)));
struct row {
  v8 v[2];
};

enum { N = 101 };

static v8 table[4];
static int shift;

static void
spin(const int *i, struct row *b) {
  v8 t = b->v[*i & 1], u = b->v[(*i + 1) & 1];
  b->v[(*i + 1) & 1] = t * u + t - u;
}
static void
pick(const double *one, const struct row *rows, const int *i, double *y) {
  v8 t = rows[*i & 7].v[0], u = rows[(*i + 1) & 7].v[1];
  v8 s = t * u + t - u + table[(*i + shift) & 3];
  y[0] = s[0] + s[3] + t[7] + *one;
}
static void
to_next(const struct row *b, struct row *c) {
  c->v[0] = b->v[1];
  c->v[1] = b->v[0];
}
static void
last(const struct row *b, const double *one, struct row *keep) {
  keep->v[0] = b->v[0] * *one;
  keep->v[1] = b->v[1] + keep->v[0];
}

#define SOME(k) ((v8){1, 2, 3, 4, 5, 6, 7, 8} * (double)(k))

static void
check_row(const struct row *found, const struct row *want) {
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 8; c++) CHECK_REAL(found->v[k][c], want->v[k][c]);
}

int
main(int argc, char **argv) {
  static struct row b[N], c[N], out[N], rows[8];
  struct row kept = {{SOME(1), SOME(2)}}, want = kept;
  static int index[N], next[N];
  static double y[N];
  double one = 1;
  check_start(argc, argv);
  for (int k = 0; k < 8; k++) rows[k] = (struct row){{SOME(k), SOME(k + 3)}};
  for (int e = 0; e < N; e++) {
    index[e] = e;
    next[e] = (e + 1) % N;
    b[e] = (struct row){{SOME(e % 5), SOME(e % 3)}};
  }
  op_set s = op_decl_set(N, "s");
  op_map m = op_decl_map(s, s, 1, next, "m");
  op_dat di = op_decl_dat(s, 1, "int", index, "i");
  op_dat db = op_decl_dat(s, 1, "row:soa", b, "b");
  op_dat dc = op_decl_dat(s, 1, "row", c, "c");
  op_dat dy = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  op_par_loop(spin, "spin", s, op_arg_dat(di, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(db, -1, OP_ID, 1, "row", OP_RW));
  op_par_loop(to_next, "to_next", s,
              op_arg_dat(db, -1, OP_ID, 1, "row", OP_READ),
              op_arg_dat(dc, 0, m, 1, "row", OP_WRITE));
  op_par_loop(last, "last", s, op_arg_dat(db, -1, OP_ID, 1, "row", OP_READ),
              op_arg_gbl(&one, 1, "double", OP_READ),
              op_arg_gbl(&kept, 1, "row", OP_RW));
  op_fetch_data(dc, out);
  for (int e = 0; e < N; e++) {
    struct row turned;
    spin(&index[e], &b[e]);
    to_next(&b[e], &turned);
    last(&b[e], &one, &want);
    check_row(&out[next[e]], &turned);
  }
  check_row(&kept, &want);
  for (int step = 0; step < 3; step++) {
    for (int k = 0; k < 4; k++) table[k] = SOME(k + step);
    shift = step;
    op_par_loop(pick, "pick", s, op_arg_gbl(&one, 1, "double", OP_READ),
                op_arg_gbl(rows, 8, "row", OP_READ),
                op_arg_dat(di, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(dy, -1, OP_ID, 1, "double", OP_WRITE));
    op_fetch_data(dy, y);
    for (int e = 0; e < N; e++) {
      double expected;
      pick(&one, rows, &index[e], &expected);
      CHECK_REAL(y[e], expected);
    }
  }
  return check_end();
}
