/* Conjugate gradients, and BiCGStab, with a preconditioner M (or none: 1).
 *
 *   CG        q = A p; alpha = r.z / p.q; x += alpha p; r -= alpha q; z = M r;
 *             beta = r'.z' / r.z; p = z + beta p
 *   BiCGStab  v = A M p; alpha = r^.r / r^.v; r -= alpha v; t = A M r;
 *             omega = t.r / t.t; x += M (alpha p + omega r); r -= omega t;
 *             beta = (r^.r' / r^.r) (alpha / omega); p = r + beta (p - omega v)
 *
 * Sources: M. R. Hestenes, E. Stiefel, J. Res. NBS 49 (1952); H. A. van der
 * Vorst, SIAM J. Sci. Stat. Comput. 13 (1992). The update of x stands beside
 * that of p, which reads the same p: one pass over it. */
#include "frontend/solve.h"

/* A window of steps has been recorded: how did it go? True: no more. *rr: the
 * value of r.r before and behind it. The others of the window matter only where
 * the solution lies in it. */
static bool
window_ends(struct solve *s, int n, double *rr) {
  double last = solve_look(s, s->rr[n]), first = *rr;
  int done = n;
  for (int k = n - 1; k > 0 && last <= s->above; k--)
    if (solve_look(s, s->rr[k]) <= s->above) done = k;
  s->iterations += done;
  op2_gbl swap = s->rr[0];
  s->rr[0] = s->rr[n];
  s->rr[n] = swap;
  *rr = last;
  return s->failed || !(last > s->above) || last == first;
}

static int
window_size(const struct solve *s) {
  int left = s->maxit - s->iterations;
  return left < s->check ? left : s->check;
}

/* ---- conjugate gradients ------------------------------------------------- */

struct cg {
  op_dat p, q, z;
  op2_gbl pq, alpha, beta;
  op2_gbl rz, next; /* r.z before and behind a step; without z that is r.r */
};

static void
cg_step(struct solve *s, struct cg *c, int k) {
  op2_gbl rz = s->pc ? c->rz : s->rr[k], next = s->pc ? c->next : s->rr[k + 1];
  solve_apply(s, c->p, c->q);
  solve_dot(s, c->p, c->q, c->pq);
  solve_ratio(s, c->alpha, rz, c->pq, s->rr[k]);
  solve_axpy_gbl(s, s->r, -1, c->alpha, c->q);
  solve_dot(s, s->r, s->r, s->rr[k + 1]);
  op_dat z = solve_precondition(s, s->r, c->z);
  if (s->pc) solve_dot(s, s->r, z, next);
  solve_ratio(s, c->beta, next, rz, s->rr[k]);
  solve_axpy_gbl(s, s->x, 1, c->alpha, c->p);
  solve_xpay(s, c->p, c->beta, z);
  c->rz = s->pc ? next : NULL;
  c->next = s->pc ? rz : NULL;
}

bool
solve_cg(struct solve *s, double rr) {
  op_dat *d = s->work;
  op2_gbl *g = s->scalars;
  struct cg c = {d[0], d[1], d[2], g[0], g[1], g[2], g[3], g[4]};
  op_dat z = solve_precondition(s, s->r, c.z);
  if (s->pc) solve_dot(s, s->r, z, c.rz);
  solve_copy(s, c.p, z);
  for (int n = window_size(s); n > 0; n = window_size(s)) {
    for (int k = 0; k < n; k++) cg_step(s, &c, k);
    if (window_ends(s, n, &rr)) break;
  }
  return rr <= s->above;
}

/* ---- BiCGStab ------------------------------------------------------------ */

struct stab {
  op_dat p, v, t, shadow, mp, mr;
  op2_gbl rho, next, rv, ts, tt, alpha, omega, beta;
};

static void
stab_step(struct solve *s, struct stab *c, int k) {
  op_dat mp = solve_precondition(s, c->p, c->mp);
  solve_apply(s, mp, c->v);
  solve_dot(s, c->shadow, c->v, c->rv);
  solve_ratio(s, c->alpha, c->rho, c->rv, s->rr[k]);
  solve_axpy_gbl(s, s->r, -1, c->alpha, c->v);
  op_dat mr = solve_precondition(s, s->r, c->mr);
  solve_apply(s, mr, c->t);
  solve_dot(s, c->t, s->r, c->ts);
  solve_dot(s, c->t, c->t, c->tt);
  solve_ratio(s, c->omega, c->ts, c->tt, s->rr[k]);
  solve_axpy_gbl(s, s->x, 1, c->alpha, mp);
  solve_axpy_gbl(s, s->x, 1, c->omega, mr);
  solve_axpy_gbl(s, s->r, -1, c->omega, c->t);
  solve_dot(s, s->r, s->r, s->rr[k + 1]);
  solve_dot(s, c->shadow, s->r, c->next);
  solve_ratios(s, c->beta, c->next, c->rho, c->alpha, c->omega);
  solve_axpy_gbl(s, c->p, -1, c->omega, c->v);
  solve_xpay(s, c->p, c->beta, s->r);
  op2_gbl swap = c->rho;
  c->rho = c->next;
  c->next = swap;
}

bool
solve_bicgstab(struct solve *s, double rr) {
  op_dat *d = s->work;
  op2_gbl *g = s->scalars;
  struct stab c = {d[0], d[1], d[2], d[3], d[4], d[5], g[0],
                   g[1], g[2], g[3], g[4], g[5], g[6], g[7]};
  solve_copy(s, c.p, s->r);
  solve_copy(s, c.shadow, s->r);
  solve_dot(s, c.shadow, s->r, c.rho);
  for (int n = window_size(s); n > 0; n = window_size(s)) {
    for (int k = 0; k < n; k++) stab_step(s, &c, k);
    if (window_ends(s, n, &rr)) break;
  }
  return rr <= s->above;
}
