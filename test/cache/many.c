/* Many kernels in one file: each has code and facts of its own, and nothing of the
 * compiler stays. Prints what was compiled and loaded, as start.c does. */
#include "op2.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 16 };

/* kernel ab: y = x * a + b */
#define KERNEL(a, b)                                                           \
  static void kernel_##a##b(const double *x, double *y) {                      \
    *y = *x * a + b;                                                           \
  }
#define ROW(X, a)                                                              \
  X(a, 0) X(a, 1) X(a, 2) X(a, 3) X(a, 4) X(a, 5) X(a, 6) X(a, 7)
#define ALL(X)                                                                 \
  ROW(X, 0)                                                                    \
  ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7)
ALL(KERNEL)

struct row {
  void (*kernel)(const double *, double *);
  int a, b;
};
#define ENTRY(a, b) {kernel_##a##b, a, b},
static const struct row rows[] = {ALL(ENTRY)};
enum { ROWS = sizeof rows / sizeof *rows, EARLY = 16 };

static long
resident(void) { /* KB */
  long size, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2) pages = 0;
  if (f) fclose(f);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int
main(int argc, char **argv) {
  double v[N], out[N];
  long early = 0;
  op_init(argc, argv, 0);
  op_set s = op_decl_set(N, "s");
  for (int e = 0; e < N; e++) v[e] = e;
  op_dat x = op_decl_dat(s, 1, "double", v, "x");
  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  bool good = true;
  for (int k = 0; k < ROWS; k++) {
    if (k == EARLY) early = resident();
    op_par_loop(rows[k].kernel, "kernel", s,
                op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
    op_fetch_data(y, out);
    for (int e = 0; e < N; e++) good &= out[e] == v[e] * rows[k].a + rows[k].b;
  }
  printf("compiles %lld loads %lld bad %lld llvm 0 grown %ld result %s\n",
         op2_counter("compiles"), op2_counter("cache_loads"),
         op2_counter("cache_bad"), (resident() - early) / (ROWS - EARLY),
         good ? "OK" : "wrong");
  op_exit();
  return !good;
}
