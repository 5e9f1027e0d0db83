/* OP2_TIERS: loops run code that is not optimised until other code is there. Steps do
 * the same again and again while that happens, and each has the bits of the first:
 * products that are added, a function of libm, float sums, of float and double, values
 * through a map, a kernel that loops. Nothing is left of the threads that made that code
 * in a child of fork, which ThreadSanitizer would tell. */
#include "check.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 700, EDGES = 1501, LEAST = 40, MOST = 1000000 };

static void
wave(const double *x, double *y) {
  for (int k = 0; k < 3; k++) y[k] = exp(-*x * *x) * (k + 1) + *x * 0.1;
}
static void
flux(const double *a, const double *b, double *f) {
  *f = a[0] * b[1] - a[1] * b[0] + a[2] * b[2];
}
static void
spread(const double *f, double *ra, double *rb) {
  *ra += *f * 0.7;
  *rb -= *f * 0.3 + 1e-3;
}
static void
norms(double *r, double *sum, float *rough, double *most) {
  float s = (float)*r;
  *sum += *r * *r;
  *rough += s * 1.1f;
  if (*r > *most) *most = *r;
  *r = 0;
}

static double x[NODES];
static int table[2 * EDGES];
static op_set nodes, edges;
static op_map ends;
static op_dat dx, dy, df, dr;

static void
declare(void) {
  for (int i = 0; i < NODES; i++) x[i] = 0.01 * (i % 89) - 0.3;
  for (int e = 0; e < EDGES; e++) {
    table[2 * e] = (e * 7) % NODES;
    table[2 * e + 1] = (e * 11 + 3) % NODES;
  }
  nodes = op_decl_set(NODES, "nodes");
  edges = op_decl_set(EDGES, "edges");
  ends = op_decl_map(edges, nodes, 2, table, "ends");
  dx = op_decl_dat(nodes, 1, "double", x, "x");
  dy = op_decl_dat(nodes, 3, "double", (double *)NULL, "y");
  df = op_decl_dat(edges, 1, "double", (double *)NULL, "f");
  dr = op_decl_dat(nodes, 1, "double", (double *)NULL, "r");
}

struct sums {
  double sum, most;
  float rough;
};

static struct sums
step(void) {
  struct sums s = {0, -1e30, 0};
  op_par_loop(wave, "wave", nodes,
              op_arg_dat(dx, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dy, -1, OP_ID, 3, "double", OP_WRITE));
  op_par_loop(flux, "flux", edges,
              op_arg_dat(dy, 0, ends, 3, "double", OP_READ),
              op_arg_dat(dy, 1, ends, 3, "double", OP_READ),
              op_arg_dat(df, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(spread, "spread", edges,
              op_arg_dat(df, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(dr, 0, ends, 1, "double", OP_INC),
              op_arg_dat(dr, 1, ends, 1, "double", OP_INC));
  op_par_loop(norms, "norms", nodes,
              op_arg_dat(dr, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(&s.sum, 1, "double", OP_INC),
              op_arg_gbl(&s.rough, 1, "float", OP_INC),
              op_arg_gbl(&s.most, 1, "double", OP_MAX));
  op2_flush();
  return s;
}

/* Devices add in an order of their own. */
static bool
is_host(void) {
  const char *target = getenv("OP2_TARGET");
  return !target || !strcmp(target, "openmp") || !strcmp(target, "seq");
}

/* Is there code of the host that will be replaced, and can it be waited for? */
static bool
is_replaced(void) {
  const char *tiers = getenv("OP2_TIERS"), *optimise = getenv("OP2_OPTIMISE");
  const char *debug = getenv("OP2_DEBUG");
  return is_host() && !strcmp(tiers, "always") &&
         !(optimise && !atoi(optimise)) && !(debug && strcmp(debug, "0")) &&
         check_ranks() == 1;
}

static bool
waits(void) {
  return is_replaced() && op2_counter("tiers") < op2_counter("compiles");
}

static void
child(void) {
  int status = 1;
  if (check_ranks() > 1 || check_device()) return;
  fflush(stdout);
  pid_t pid = fork();
  if (!pid) _exit(0);
  CHECK_INT(waitpid(pid, &status, 0), pid);
  CHECK_INT(status, 0);
}

int
main(int argc, char **argv) {
  setenv("OP2_TIERS", "always", 0);
  setenv("OP2_CACHE", "0", 1);
  setenv("OP2_TRIAL", "never", 1); /* its code is optimised at once */
  check_start(argc, argv);
  declare();
  struct sums first = step();
  if (is_replaced()) CHECK(strstr(op2_explain(), "not optimised yet"));
  int n = 0;
  for (; n < LEAST || (waits() && n < MOST); n++) {
    struct sums s = step();
    CHECK_NEAR(s.sum, first.sum, 1e-9);
    if (is_host()) {
      CHECK_REAL(s.sum, first.sum);
      CHECK_REAL(s.most, first.most);
      CHECK(s.rough == first.rough);
    }
    if (check_failures) break;
  }
  CHECK(!waits());
  if (is_replaced()) {
    CHECK(op2_counter("tiers") > 0);
    CHECK(!strstr(op2_explain(), "not optimised yet"));
  }
  child();
  return check_end();
}
