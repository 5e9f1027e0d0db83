/* op2_arg_idx_long hands the element's number, or that of what a map's entry names,
 * over all ranks and in 64 bits: directly, through maps with rows of any length, over
 * subsets, beside narrow values that run side by side, and what loops make with it on
 * copies of other ranks' elements. */
#include "check.h"

enum { N = 700, M = 330 };

static int map[N][2], value[N];
static op_set s, t, third;
static op_map m, csr;
static op_dat a, first_dat, of_third, narrow, own, sum_dat, value_dat;

#define OWN(d, type, access) op_arg_dat((d), -1, OP_ID, 1, type, access)
#define NUMBER op2_arg_idx_long(-1, OP_ID)

/* Rows of 1 to 3 entries. */
static void
declare_csr(void) {
  static idx_g_t start[N + 1];
  static int to[3 * N];
  for (int e = 0; e < N; e++) {
    start[e + 1] = start[e] + 1 + e % 3;
    for (int k = 0; k <= e % 3; k++) to[start[e] + k] = (e * 7 + k) % M;
  }
  csr = op2_decl_map_csr(s, t, start, to, "csr");
}

/* All of it before the first loop, behind which a partition moves elements. */
static void
declare(void) {
  static int at[N / 3];
  static float x[N];
  for (int e = 0; e < N; e++) {
    map[e][0] = e * 5 % M;
    map[e][1] = (e * 11 + 3) % M;
    value[e] = e * 31 % N;
    x[e] = 1;
  }
  for (int i = 0; i < N / 3; i++) at[i] = 3 * i + 1;
  s = op_decl_set(N, "s");
  t = op_decl_set(M, "t");
  m = op_decl_map(s, t, 2, &map[0][0], "m");
  declare_csr();
  a = op_decl_dat(s, 1, "ll", (long long *)NULL, "a");
  first_dat = op_decl_dat(s, 1, "ll", (long long *)NULL, "first");
  of_third = op_decl_dat(s, 1, "ll", (long long *)NULL, "of_third");
  narrow = op_decl_dat(s, 1, "float", x, "narrow");
  own = op_decl_dat(t, 1, "ll", (long long *)NULL, "own");
  sum_dat = op_decl_dat(t, 1, "ll", (long long *)NULL, "sum");
  value_dat = op_decl_dat(s, 1, "int", value, "value");
  third = op2_decl_subset(s, N / 3, at, "third");
}

static void
note(const idx_g_t *e, const idx_g_t *first, const long long *second,
     long long *x) {
  *x = (*e << 40) + (*first << 20) + *second;
}

static void
numbers(void) {
  static long long got[N];
  op_par_loop(note, "note", s, NUMBER, op2_arg_idx_long(0, m),
              op2_arg_idx_long(1, m), OWN(a, "ll", OP_WRITE));
  CHECK_PENDING(1);
  op_fetch_data(a, got);
  for (long long e = 0; e < N; e++)
    CHECK_INT(got[e], (e << 40) + ((long long)map[e][0] << 20) + map[e][1]);
}

static void
mix(const idx_g_t *e, const idx_g_t *first, float *x) {
  *x += (float)(2 * *e - 3 * *first);
}

static void
beside_narrow(void) {
  static float got[N];
  op_par_loop(mix, "mix", s, NUMBER, op2_arg_idx_long(0, m),
              OWN(narrow, "float", OP_RW));
  op_fetch_data(narrow, got);
  for (int e = 0; e < N; e++) CHECK_REAL(got[e], 1 + 2 * e - 3 * map[e][0]);
}

/* ---- what others see ----------------------------------------------------------- */

static void
own_number(const idx_g_t *e, long long *x) {
  *x = 3 * *e + 1;
}
static void
add(const idx_g_t *e, const idx_g_t *second, const long long *there,
    long long *here, long long *sum) {
  *here += *e + *there;
  *sum += *e * *second;
}

/* What one loop makes the next one reads through a map, so on copies, too. */
static void
sums(void) {
  static long long got[M], x[M];
  long long sum = 5, expected = 5;
  op_par_loop(own_number, "own_number", t, NUMBER, OWN(own, "ll", OP_WRITE));
  op_par_loop(add, "add", s, NUMBER, op2_arg_idx_long(1, m),
              op_arg_dat(own, 1, m, 1, "ll", OP_READ),
              op_arg_dat(sum_dat, 0, m, 1, "ll", OP_INC),
              op_arg_gbl(&sum, 1, "ll", OP_INC));
  for (int e = 0; e < N; e++) {
    x[map[e][0]] += e + 3 * map[e][1] + 1;
    expected += (long long)e * map[e][1];
  }
  CHECK_INT(sum, expected);
  op_fetch_data(sum_dat, got);
  for (int e = 0; e < M; e++) CHECK_INT(got[e], x[e]);
}

static void
most(const int *x, const idx_g_t *e, int *max, long long *where) {
  if (*x > *max) {
    *max = *x;
    *where = *e;
  }
}

static void
payload(void) {
  int max = -1;
  long long where = -1;
  op_par_loop(most, "most", s, OWN(value_dat, "int", OP_READ), NUMBER,
              op_arg_gbl(&max, 1, "int", OP_MAX),
              op_arg_info(&where, 1, "ll", 2));
  CHECK_INT(max, N - 1);
  CHECK_INT(where >= 0 && where < N, 1);
  CHECK_INT(value[where], N - 1);
}

/* ---- other ways to elements ------------------------------------------------------ */

static void
first_of(const int *n, const idx_g_t *first, long long *x) {
  *x += 1000 * *first + *n;
}

static void
any_length(void) {
  static long long got[N];
  op_par_loop(first_of, "first_of", s, op2_arg_row_length(csr),
              op2_arg_idx_long(0, csr), OWN(first_dat, "ll", OP_RW));
  op_fetch_data(first_dat, got);
  for (int e = 0; e < N; e++)
    CHECK_INT(got[e], 1000LL * (e * 7 % M) + 1 + e % 3);
}

static void
number_and_next(const idx_g_t *e, const idx_g_t *next, long long *x) {
  *x += 1000 * *e + *next;
}

/* Numbers are those of the whole set. */
static void
subsets(void) {
  static long long got[N];
  op_par_loop(number_and_next, "number_and_next", third, NUMBER,
              op2_arg_idx_long(1, m), OWN(of_third, "ll", OP_RW));
  op_fetch_data(of_third, got);
  for (int e = 0; e < N; e++) {
    int in = e % 3 == 1 && e / 3 < N / 3;
    CHECK_INT(got[e], in ? 1000LL * e + map[e][1] : 0);
  }
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  declare();
  numbers();
  beside_narrow();
  sums();
  payload();
  any_length();
  subsets();
  return check_end();
}
