/* Copy loops (which may become second names) never show: both names keep their
 * own values through full writes, partial writes, increments and host
 * writes. */
#include "check.h"

enum { N = 40 };

static void
copy(const int *a, int *b) {
  for (int c = 0; c < 3; c++) b[c] = a[c];
}
static void
count_up(int *a) {
  for (int c = 0; c < 3; c++) a[c] += c + 1;
}
static void
set_middle(int *a) {
  a[1] = -1;
}
static void
overwrite(int *a) {
  for (int c = 0; c < 3; c++) a[c] = 500 + c;
}
static void
add_here(const int *a, int *b) {
  b[0] += a[2];
}

static op_set s;
static op_map turn;
static op_dat a, b, c;
static int A[N][3], B[N][3], C[N][3];

#define DIRECT(d, acc) op_arg_dat(d, -1, OP_ID, 3, "int", acc)

static void
copy_dat(op_dat from, int (*f)[3], op_dat to, int (*t)[3]) {
  op_par_loop(copy, "copy", s, DIRECT(from, OP_READ), DIRECT(to, OP_WRITE));
  memcpy(t, f, sizeof A);
}

static void
each(void (*kernel)(int *), op_dat d, int acc, int (*host)[3]) {
  op_par_loop(kernel, "each", s, DIRECT(d, acc));
  for (int e = 0; e < N; e++) kernel(host[e]);
}

static void
add_turned(op_dat from, int (*f)[3], op_dat to, int (*t)[3]) {
  op_par_loop(add_here, "add_here", s, DIRECT(from, OP_READ),
              op_arg_dat(to, 0, turn, 3, "int", OP_INC));
  for (int e = 0; e < N; e++) add_here(f[e], t[(e + 3) % N]);
}

static void
compare(int line) {
  op_dat dats[3] = {a, b, c};
  int(*host[3])[3] = {A, B, C}, out[N][3];
  for (int k = 0; k < 3; k++) {
    op_fetch_data(dats[k], &out[0][0]);
    check_ints(__FILE__, line, dats[k]->name, &out[0][0], &host[k][0][0],
               3 * N);
  }
}

static void
rounds(void) {
  each(count_up, a, OP_RW, A);
  copy_dat(a, A, b, B);
  each(set_middle, a, OP_WRITE, A); /* partial write to the source */
  copy_dat(b, B, c, C);
  each(overwrite, b, OP_WRITE, B); /* full write to the copy */
  add_turned(c, C, b, B);
  copy_dat(c, C, a, A);
  each(count_up, c, OP_RW, C);
  copy_dat(a, A, b, B);
  copy_dat(b, B, c, C);
}

int
main(int argc, char **argv) {
  int map[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    map[e] = (e + 3) % N;
    for (int k = 0; k < 3; k++) A[e][k] = 10 * e + k;
  }
  s = op_decl_set(N, "s");
  turn = op_decl_map(s, s, 1, map, "turn");
  a = op_decl_dat(s, 3, "int", &A[0][0], "a");
  b = op_decl_dat(s, 3, "int", (int *)NULL, "b");
  c = op_decl_dat(s, 3, "int", (int *)NULL, "c");
  rounds();
  compare(__LINE__);
  for (int i = 0; i < 3; i++) rounds();
  each(set_middle, b, OP_WRITE, B);
  compare(__LINE__);
  copy_dat(a, A, b, B);
  int *view = op2_dat_data_rw(b); /* a host write to one of two names */
  view[0] = B[0][0] = 12345;
  compare(__LINE__);
  return check_end();
}
