/* One cycle of GMRES, with a preconditioner M (or none: 1) on the right, so
 * that residuals are those of A x = b.
 *
 * Step j makes w = A M v_j orthogonal to v_0 ... v_j, one after another
 * (modified Gram-Schmidt), and v_(j+1) of it. The products stay in handles
 * until a window of steps has been recorded. Then the host turns their columns
 * into those of a triangle by Givens rotations, which also give the norm of the
 * residual; where it is small enough, or the cycle ends, it solves the triangle
 * and adds up x.
 *
 * Source: Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986). */
#include "frontend/solve.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

struct gmres {
  struct solve *s;
  int m;             /* steps of this cycle at most */
  double *h;         /* [m + 1, m] columns: h[j * (m + 1) + i] */
  double *cos, *sin; /* [m] of the rotations */
  double *g;         /* [m + 1] the turned right-hand side */
  int done;          /* columns that count */
  bool small, ends;
};

/* Product i of column j, in its window. */
static op2_gbl
product(const struct gmres *c, int j, int i) {
  return c->s->scalars[j % c->s->check * (c->s->restart + 1) + i];
}

static void
column_record(struct gmres *c, int j) {
  struct solve *s = c->s;
  op_dat *v = s->work, w = v[j + 1];
  solve_apply(s, solve_precondition(s, v[j], s->work[s->restart + 1]), w);
  for (int i = 0; i <= j; i++) {
    solve_dot(s, w, v[i], product(c, j, i));
    solve_axpy_gbl(s, w, -1, product(c, j, i), v[i]);
  }
  solve_norm(s, w, product(c, j, j + 1));
  solve_over(s, w, product(c, j, j + 1));
}

/* Turn rows i and i + 1 of a column. */
static void
turn(const struct gmres *c, int i, double *at) {
  double a = c->cos[i] * at[i] + c->sin[i] * at[i + 1];
  at[i + 1] = c->cos[i] * at[i + 1] - c->sin[i] * at[i];
  at[i] = a;
}

/* The last product is looked at first: it needs the others. */
static void
column_take(struct gmres *c, int j) {
  double *h = c->h + (size_t)j * ((size_t)c->m + 1);
  for (int i = j + 1; i >= 0; i--) h[i] = solve_look(c->s, product(c, j, i));
  double next = h[j + 1];
  for (int i = 0; i < j; i++) turn(c, i, h);
  double length = hypot(h[j], next);
  if (c->s->failed || !(length > 0) || isinf(length)) {
    c->ends = true; /* no more can be had of this cycle */
    return;
  }
  c->cos[j] = h[j] / length;
  c->sin[j] = next / length;
  turn(c, j, h);
  turn(c, j, c->g);
  c->done = j + 1;
  c->s->iterations++;
  c->small = c->g[j + 1] * c->g[j + 1] <= c->s->above;
  c->ends = c->small || next == 0;
}

/* x += M v y, where h y = g. */
static void
add_up(const struct gmres *c) {
  struct solve *s = c->s;
  size_t rows = (size_t)c->m + 1;
  op_dat mu = s->work[s->restart + 1], u = s->work[s->restart + 2];
  op_dat to = s->pc ? u : s->x;
  if (s->pc) solve_zero(s, u);
  for (int j = c->done - 1; j >= 0; j--) {
    double y = c->g[j] /= c->h[(size_t)j * rows + (size_t)j];
    for (int i = 0; i < j; i++) c->g[i] -= c->h[(size_t)j * rows + i] * y;
    solve_axpy(s, to, y, s->work[j]);
  }
  if (s->pc) solve_axpy(s, s->x, 1, solve_precondition(s, u, mu));
}

static void
columns(struct gmres *c) {
  for (int j = 0, n; j < c->m && !c->ends; j += n) {
    n = c->m - j < c->s->check ? c->m - j : c->s->check;
    for (int k = 0; k < n; k++) column_record(c, j + k);
    for (int k = 0; k < n && !c->ends; k++) column_take(c, j + k);
  }
}

bool
solve_gmres(struct solve *s, double rr) {
  int left = s->maxit - s->iterations;
  struct gmres c = {.s = s, .m = left < s->restart ? left : s->restart};
  size_t m = (size_t)c.m;
  c.h = mem_alloc((m + 1) * m + 3 * m + 1, sizeof *c.h);
  c.cos = c.h + (m + 1) * m;
  c.sin = c.cos + m;
  c.g = c.sin + m;
  c.g[0] = sqrt(rr);
  solve_copy(s, s->work[0], s->r);
  solve_scale(s, s->work[0], 1 / c.g[0]);
  columns(&c);
  add_up(&c);
  free(c.h);
  return c.small;
}
