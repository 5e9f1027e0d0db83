/* Tables of constants that lead to other constants: matrices by order, structs by
 * kind of element, lists. Kernels that look things up there have no side effects:
 * their loops wait, are fused, and run on devices. Tables may also hold what a
 * kernel does not follow: the program's variables, functions, NULL. */
#include "check.h"

enum { N = 60 };

static const double p1[] = {1, 2}, p2[] = {3, 5, 7}, p3[] = {11, 13, 17, 19};
static const double *const order[] = {p1, p2, p3};
static const double *const *const table_of[] = {order, order + 1};

struct kind {
  int n;
  const double *weights;
  const struct kind *next; /* a ring */
  double (*f)(double);
};
static int calls;
static double
counts(double x) {
  calls++;
  return x;
}
static double
counts_down(double x) {
  calls--;
  return -x;
}
static const struct kind kinds[] = {{2, p1, &kinds[1], NULL},
                                    {3, p2, &kinds[2], counts_down},
                                    {4, p3 + 0, &kinds[0], counts_down},
                                    {1, p3, &kinds[0], counts}};

static double states[4];
static const struct {
  double weight;
  double *state;
  double (*f)(double);
} mixed[] = {{10, states + 1, counts}, {20, states + 3, NULL}};

/* ---- kernels --------------------------------------------------------------- */

static void
by_order(const int *k, double *y) {
  *y = order[*k % 3][*k & 1] + order[2][*k & 3];
}
static void
by_two_steps(const int *k, double *y) {
  *y = table_of[*k & 1][*k % 2][1];
}
static void
by_loop(const int *k, double *y) {
  const struct kind *kind = &kinds[*k % 3];
  *y = 0;
  for (const double *p = kind->weights; p != kind->weights + kind->n; p++)
    *y += *p * *k;
}
static void
by_ring(const int *k, double *y) {
  const struct kind *kind = &kinds[*k % 3];
  for (int i = 0; i < *k % 7; i++) kind = kind->next;
  *y = kind->weights[kind->n - 1];
}
static void
by_choice(const int *k, double *y) {
  static const double other[] = {23, 29};
  const double *p = *k & 4 ? other : order[*k % 3];
  *y = p[*k & 1];
}
static void
by_local(const int *k, double *y) {
  const double *const local[] = {p3, p1, p2};
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += local[(*k + i) % 3][i & 1];
  *y = sum - local[*k % 3][1];
}
static void
by_function(const int *k, double *y) {
  *y = kinds[*k % 3].f ? kinds[*k % 3].weights[0] : -1;
}
static void
by_comparison(const int *k, double *y) {
  const struct kind *kind = &kinds[*k % 3];
  *y = kind->f == kind->next->f;
}
static void
by_name(const int *k, double *y) {
  *y = kinds[*k % 3].f == counts_down;
}
static void
beside_variables(const int *k, double *y) {
  *y = mixed[*k & 1].weight + *k;
}
static void
add_to(const double *y, double *sum) {
  *sum += *y;
}

/* ---- loops ----------------------------------------------------------------- */

static void
check_kernel(op_dat k, op_dat y, op_dat sum,
             void (*kernel)(const int *, double *)) {
  double out[N], before[N], after[N];
  op_fetch_data(sum, before);
  op_par_loop(kernel, "kernel", k->set,
              op_arg_dat(k, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(add_to, "add_to", k->set,
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_INC));
  CHECK_PENDING(2);
  op_fetch_data(y, out);
  op_fetch_data(sum, after);
  for (int e = 0; e < N; e++) {
    double want;
    kernel(&e, &want);
    CHECK_REAL(out[e], want);
    CHECK_REAL(after[e], before[e] + want);
  }
}

int
main(int argc, char **argv) {
  int v[N];
  check_start(argc, argv);
  for (int e = 0; e < N; e++) v[e] = e;
  op_set s = op_decl_set(N, "s");
  op_dat k = op_decl_dat(s, 1, "int", v, "k");
  op_dat y = op_decl_dat(s, 1, "double", (double *)NULL, "y");
  op_dat sum = op_decl_dat(s, 1, "double", (double *)NULL, "sum");
  check_kernel(k, y, sum, by_order);
  check_kernel(k, y, sum, by_two_steps);
  check_kernel(k, y, sum, by_loop);
  check_kernel(k, y, sum, by_ring);
  check_kernel(k, y, sum, by_choice);
  check_kernel(k, y, sum, by_local);
  check_kernel(k, y, sum, by_function);
  check_kernel(k, y, sum, by_comparison);
  check_kernel(k, y, sum, by_name);
  check_kernel(k, y, sum, beside_variables);
  return check_end();
}
