/* Inside of op2_solve_with: what its methods share.
 *
 *   solve.c         the call: options, checks, cycles and true residuals
 *   solve_cg.c      conjugate gradients, and their stabilised kin
 *   solve_gmres.c   one cycle of GMRES
 *   solve_work.c    below all: operators, work dats, handles
 *
 * A solver is a program like any other: it uses public calls, and of the
 * library's inside only algebra.h. Scalars stay in handles: the host looks only
 * at the end of a window of `check` iterations. Once the residual is small
 * enough the factors of further steps are zero (LOW_ALGEBRA_RATIO), so that
 * what is computed does not depend on when the host looks. */
#ifndef FRONTEND_SOLVE_H
#define FRONTEND_SOLVE_H

#include "frontend/algebra.h"

typedef void (*solve_operator)(op_dat x, op_dat y, void *user);

struct solve {
  solve_operator apply;
  void *user;
  op_dat x, b;
  double rtol;
  int maxit, check, restart;
  const char *file; /* of the call */
  int line;
  /* work, declared once */
  op_dat *work;     /* [nwork] temporaries like x, of the method */
  op2_gbl *scalars; /* [nscalars] handles of one value, likewise */
  int nwork, nscalars;
  op_dat r;      /* b - A x at the start of a cycle */
  op2_gbl *rr;   /* [check + 1] r.r before each step of a window */
  op2_gbl limit; /* rtol^2 b.b, in the dats' type */
  double above;  /* the same number */
  int iterations;
  bool failed; /* a call went wrong, and has told so */
};

/* ---- solve_work.c -------------------------------------------------------- */

/* Declare what is worked with, for a method that needs so much; free it. */
void solve_make(struct solve *s, int nwork, int nscalars);
void solve_clear(struct solve *s);

/* The public calls, at the program's place. */
void solve_apply(struct solve *s, op_dat x, op_dat y);
void solve_copy(struct solve *s, op_dat to, op_dat from);
void solve_scale(struct solve *s, op_dat x, double a);
void solve_axpy(struct solve *s, op_dat y, double a, op_dat x);
void solve_axpy_gbl(struct solve *s, op_dat y, double sign, op2_gbl a,
                    op_dat x);
void solve_xpay(struct solve *s, op_dat y, op2_gbl a, op_dat x);
void solve_over(struct solve *s, op_dat x, op2_gbl a);
void solve_dot(struct solve *s, op_dat x, op_dat y, op2_gbl out);
void solve_norm(struct solve *s, op_dat x, op2_gbl out);
/* out = a / b while this residual is above the limit, else 0. */
void solve_ratio(struct solve *s, op2_gbl out, op2_gbl a, op2_gbl b,
                 op2_gbl rr);
/* out = (a / b) (c / d) */
void solve_ratios(struct solve *s, op2_gbl out, op2_gbl a, op2_gbl b, op2_gbl c,
                  op2_gbl d);

/* The value, once what it needs has run. */
double solve_look(struct solve *s, op2_gbl g);
void solve_set(struct solve *s, op2_gbl g, double value);
/* A number in the dats' type. */
double solve_rounded(const struct solve *s, double value);

/* ---- methods ------------------------------------------------------------- */

/* One cycle from x, with its residual in r and r.r in rr[0], whose value is
 * `rr`. True: by what was computed along the way the residual is small enough.
 * False: it has to be computed anew to go on, or maxit is reached. */
bool solve_cg(struct solve *s, double rr);
bool solve_bicgstab(struct solve *s, double rr);
bool solve_gmres(struct solve *s, double rr);

#endif
