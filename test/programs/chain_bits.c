/* A chain of floating-point loops without sums gives the same bits fused and
 * eager, on any number of threads, in any layout: no product of one kernel may
 * join a sum of the next one. Prints hashes of the bits; the runner compares
 * the modes. */
#include "check.h"

enum { NI = 37, NJ = 23, N = NI * NJ };

static void
scale(const double *a, double *b) {
  b[0] = a[0] * 1.0000001;
  b[1] = a[1] * a[0];
}
static void
add(const double *b, double *c) {
  c[0] = b[0] + b[1];
  c[1] = b[1] - 0.1;
}
static void
neighbours(const double *w, const double *e, const double *c, double *a) {
  a[0] = (c[0] * 0.5 + (w[0] - e[0]) * 0.125) / (1.0 + c[0] * c[0]) + 0.3;
  a[1] = sqrt(fabs(c[1] * w[1])) / (1.0 + e[1] * e[1]) + 0.5;
}
static void
narrow(const double *a, float *f) {
  *f = (float)a[0] * 3.0f;
}
static void
widen(const float *f, double *b) {
  b[0] += *f - 1.0f;
  b[1] = b[1] * b[0];
}

static op_set s;
static op_map m;

static void
step(op_dat a, op_dat b, op_dat c, op_dat f) {
  op_par_loop(scale, "scale", s, op_arg_dat(a, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(narrow, "narrow", s,
              op_arg_dat(a, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(f, -1, OP_ID, 1, "float", OP_WRITE));
  op_par_loop(widen, "widen", s, op_arg_dat(f, -1, OP_ID, 1, "float", OP_READ),
              op_arg_dat(b, -1, OP_ID, 2, "double", OP_RW));
  op_par_loop(add, "add", s, op_arg_dat(b, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(c, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(neighbours, "neighbours", s,
              op_arg_dat(b, 0, m, 2, "double", OP_READ),
              op_arg_dat(b, 1, m, 2, "double", OP_READ),
              op_arg_dat(c, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(a, -1, OP_ID, 2, "double", OP_WRITE));
}

static void
print_bits(op_dat d, const char *name, size_t bytes) {
  static double out[2 * N];
  op_fetch_data(d, (void *)out);
  /* NaNs have signs that nobody promised: the chain must stay finite. */
  for (size_t i = 0; d->size > 4 && i < bytes / sizeof out[0]; i++)
    CHECK(isfinite(out[i]) && fabs(out[i]) < 100);
  printf("bits %s %016llx\n", name,
         (unsigned long long)check_hash(out, bytes, 0xcbf29ce484222325u));
}

int
main(int argc, char **argv) {
  static double init[N][2];
  static int map[N][2];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) {
    init[e][0] = sin(e * 0.37);
    init[e][1] = cos(e * 0.11) + 1.5;
    map[e][0] = (e + N - 1) % N;
    map[e][1] = (e + NI) % N;
  }
  s = op_decl_set(N, "s");
  m = op_decl_map(s, s, 2, &map[0][0], "m");
  op_dat a = op_decl_dat(s, 2, "double", &init[0][0], "a");
  op_dat b = op_decl_dat(s, 2, "double", (double *)NULL, "b");
  op_dat c = op_decl_dat(s, 2, "double", (double *)NULL, "c");
  op_dat f = op_decl_dat(s, 1, "float", (float *)NULL, "f");
  for (int i = 0; i < 10; i++) step(a, b, c, f);
  CHECK_PENDING(50);
  print_bits(a, "a", sizeof init);
  print_bits(b, "b", sizeof init);
  print_bits(c, "c", sizeof init);
  print_bits(f, "f", N * sizeof(float));
  return check_end();
}
