/* fem_matrix_ref, fem_matrix_ref_jit: the matrix in plain C. The places of an element's
 * values are found once; one loop a kernel on one thread, coloured blocks on
 * more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../colour.h"
#include "../common.h"
#include "../take.h"
#include "csr.h"
#include "forms.h"
#include "kernels.h"

#define LOOP static __attribute__((noinline))
enum { THREADS = 256, PAD = 8 };

struct plain {
  const struct square *s;
  struct csr rows;
  struct colouring nodes, cells;
  int threads;
  double *value, *x, *y, *u, *b, *r, *p, *q, *z, *inverse;
  double alpha, beta;
  double total[2][THREADS * PAD];
};

/* ---- loops --------------------------------------------------------------- */

LOOP void
assemble_range(int lo, int hi, const int *restrict cell_node,
               const int *restrict place, double *restrict x,
               double *restrict value) {
  for (int e = lo; e < hi; e++) {
    const int *n = cell_node + 4 * e;
    double *xs[4] = {x + 2 * n[0], x + 2 * n[1], x + 2 * n[2], x + 2 * n[3]};
    double m[16] = {0};
    stiffness(xs, m);
    for (int k = 0; k < 16; k++)
      if (place[16 * e + k] >= 0) value[place[16 * e + k]] += m[k];
  }
}

LOOP void
multiply_range(int lo, int hi, const int *restrict start,
               const int *restrict column, const double *restrict value,
               const double *restrict x, double *restrict y) {
  for (int i = lo; i < hi; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

LOOP double
dot_range(int lo, int hi, const double *restrict a, const double *restrict b) {
  double sum = 0;
  for (int i = lo; i < hi; i++) sum += a[i] * b[i];
  return sum;
}

/* r -= alpha q, z = r / diagonal; r.r, and r.z in *rz. */
LOOP double
residual_range(int lo, int hi, double alpha, const double *restrict q,
               const double *restrict inverse, double *restrict r,
               double *restrict z, double *rz) {
  double rr = 0, sum = 0;
  for (int i = lo; i < hi; i++) {
    r[i] -= alpha * q[i];
    z[i] = inverse[i] * r[i];
    rr += r[i] * r[i];
    sum += r[i] * z[i];
  }
  *rz += sum;
  return rr;
}

LOOP void
direction_range(int lo, int hi, double alpha, double beta,
                const double *restrict z, double *restrict u,
                double *restrict p) {
  for (int i = lo; i < hi; i++) {
    u[i] += alpha * p[i];
    p[i] = z[i] + beta * p[i];
  }
}

/* ---- as bodies ----------------------------------------------------------- */

static void
assemble_body(void *context, int lo, int hi, int thread) {
  struct plain *f = context;
  (void)thread;
  assemble_range(lo, hi, f->s->cell_node, f->rows.place, f->s->x, f->value);
}

static void
zero_body(void *context, int lo, int hi, int thread) {
  struct plain *f = context;
  const int *start = f->rows.start;
  (void)thread;
  memset(f->value + start[lo], 0,
         (size_t)(start[hi] - start[lo]) * sizeof *f->value);
}

static void
multiply_body(void *context, int lo, int hi, int thread) {
  struct plain *f = context;
  (void)thread;
  multiply_range(lo, hi, f->rows.start, f->rows.column, f->value, f->x, f->y);
}

static void
step_body(void *context, int lo, int hi, int thread) {
  struct plain *f = context;
  multiply_range(lo, hi, f->rows.start, f->rows.column, f->value, f->p, f->q);
  f->total[0][thread * PAD] += dot_range(lo, hi, f->p, f->q);
}

static void
residual_body(void *context, int lo, int hi, int thread) {
  struct plain *f = context;
  f->total[0][thread * PAD] +=
      residual_range(lo, hi, f->alpha, f->q, f->inverse, f->r, f->z,
                     &f->total[1][thread * PAD]);
}

static void
direction_body(void *context, int lo, int hi, int thread) {
  struct plain *f = context;
  (void)thread;
  direction_range(lo, hi, f->alpha, f->beta, f->z, f->u, f->p);
}

/* Run one loop; returns what its threads added to the first total. */
static double
run(struct plain *f, const struct colouring *c, loop_body *body) {
  double sum = 0;
  memset(f->total, 0, sizeof f->total);
  if (f->threads == 1)
    body(f, 0, c->n, 0);
  else
    colouring_run(c, f->threads, body, f);
  for (int t = 0; t < f->threads; t++) sum += f->total[0][t * PAD];
  return sum;
}

static double
second_total(const struct plain *f) {
  double sum = 0;
  for (int t = 0; t < f->threads; t++) sum += f->total[1][t * PAD];
  return sum;
}

/* ---- what is measured ---------------------------------------------------- */

static void
assemble(void *program) {
  struct plain *f = program;
  run(f, &f->nodes, zero_body);
  run(f, &f->cells, assemble_body);
  for (int i = 0; i < f->s->nbnode; i++) {
    int row = f->s->bnode[i];
    f->value[csr_find(&f->rows, row, row)] = 1;
  }
}

static void
multiply_once(void *program) {
  struct plain *f = program;
  run(f, &f->nodes, multiply_body);
}

static void
solve_begin(struct plain *f) {
  for (int i = 0; i < f->rows.n; i++) {
    f->inverse[i] = 1 / f->value[csr_find(&f->rows, i, i)];
    f->u[i] = 0;
    f->r[i] = f->b[i];
    f->p[i] = f->inverse[i] * f->r[i];
  }
}

static int
solve(void *program, double rtol, int most) {
  struct plain *f = program;
  solve_begin(f);
  double bb = dot_range(0, f->rows.n, f->b, f->b), rr = bb;
  double rz = dot_range(0, f->rows.n, f->r, f->p);
  for (int i = 1; i <= most; i++) {
    f->alpha = rz / run(f, &f->nodes, step_body);
    rr = run(f, &f->nodes, residual_body);
    double next = second_total(f);
    f->beta = next / rz;
    rz = next;
    run(f, &f->nodes, direction_body);
    if (rr <= rtol * rtol * bb) return i;
  }
  return -1;
}

static double
find_error(void *program, double *most_out) {
  struct plain *f = program;
  double sum = 0;
  *most_out = 0;
  for (int i = 0; i < f->rows.n; i++)
    inner_error(f->s->x + 2 * i, f->u + i, &sum, most_out);
  return sqrt(sum / f->rows.n);
}

/* ---- begin and end ------------------------------------------------------- */

static void
right_side(struct plain *f) {
  const struct square *s = f->s;
  for (int e = 0; e < s->ncell; e++) {
    double *xs[4], *bs[4];
    for (int a = 0; a < 4; a++) {
      xs[a] = s->x + 2 * s->cell_node[4 * e + a];
      bs[a] = f->b + s->cell_node[4 * e + a];
    }
    load(xs, bs);
  }
  for (int i = 0; i < s->nbnode; i++) f->b[s->bnode[i]] = 0;
  for (int i = 0; i < s->nnode; i++) first_guess(s->x + 2 * i, f->x + i);
}

static void
start(struct plain *f, const struct square *s, const struct bench_options *o) {
  double **vectors[] = {&f->x, &f->y, &f->u, &f->b,      &f->r,
                        &f->p, &f->q, &f->z, &f->inverse};
  f->s = s;
  f->threads = o->threads < 1 ? 1 : o->threads > THREADS ? THREADS : o->threads;
  csr_make(&f->rows, s);
  colouring_make(&f->nodes, s->nnode, o->block, NULL, 0, 0);
  colouring_make(&f->cells, s->ncell, o->block, s->cell_node, 4, s->nnode);
  f->value = bench_take(forms_nonzeros(s), sizeof(double));
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = bench_take(s->nnode, sizeof(double));
  right_side(f);
}

int
main(int argc, char **argv) {
  static struct plain f; /* the process' end frees it */
  struct bench_options o = {.size = {400, 400}, .iters = 30, .warmup = 5};
  struct square s;
  o.threads = bench_threads();
  o.block = 1024;
  if (!bench_parse(&o, argc, argv)) return 2;
  square_make(&s, o.size[0], o.size[1]);
  start(&f, &s, &o);
  struct form form = {&f, assemble, multiply_once, solve, find_error};
  return forms_measure(&form, argv[0], &o, &s, f.threads);
}
