/* Inside of op2_solve_with and op2_solve: what their methods share.
 *
 *   solve.c         the call: options, checks, cycles and true residuals
 *   solve_pc.c      preconditioners
 *   solve_petsc.c   the call handed on to PETSc
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

#include "base/err.h"

struct fe_mat;
struct rt_ilu;
struct solve_pc;

typedef void (*solve_operator)(op_dat x, op_dat y, void *user);

struct solve {
  solve_operator apply;
  void *user;
  op_dat x, b;
  const char *api;
  const struct fe_mat *mat; /* y = A x; NULL: op2_solve_with */
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
  /* solve_pc.c */
  const struct solve_pc *pc; /* NULL: none */
  op_dat inverse;            /* of the diagonal; NULL */
  struct rt_ilu *ilu;        /* of this rank's rows; NULL */
  double *host;              /* [ilu->n] */
};

/* The whole call, for an operator and dats. */
int solve_call(struct solve *s, const char *options,
               struct op2_solve_info *info);

/* ---- solve_work.c -------------------------------------------------------- */

/* Declare what is worked with, for a method that needs so much; free it. A dat
 * like x; NULL: the call has failed. */
op_dat solve_dat(struct solve *s);
void solve_make(struct solve *s, int nwork, int nscalars);
void solve_clear(struct solve *s);

/* The public calls, at the program's place. */
void solve_apply(struct solve *s, op_dat x, op_dat y);
void solve_copy(struct solve *s, op_dat to, op_dat from);
void solve_zero(struct solve *s, op_dat x);
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

/* Values of all elements that this rank declared, in that order, as doubles;
 * back. s->failed: it went wrong, and was told. Collective. */
void solve_fetch(struct solve *s, op_dat x, double *to);
void solve_store(struct solve *s, op_dat x, const double *from);

/* The value, once what it needs has run. */
double solve_look(struct solve *s, op2_gbl g);
void solve_set(struct solve *s, op2_gbl g, double value);
/* A number in the dats' type. */
double solve_rounded(const struct solve *s, double value);

/* ---- solve_pc.c ---------------------------------------------------------- */

/* Is it the name of a preconditioner? Then s has it. */
bool solve_pc_find(struct solve *s, const char *word);
/* What it needs of the matrix, once; its end. ERR_ARG. Collective. */
status solve_pc_make(struct solve *s);
void solve_pc_clear(struct solve *s);
/* z = M r, which is returned; or r, where there is none. */
op_dat solve_precondition(struct solve *s, op_dat r, op_dat z);

/* ---- solve_petsc.c ------------------------------------------------------- */

/* What stands behind the word "petsc"; NULL: another solver is meant. */
const char *solve_petsc_options(const struct solve *s, const char *options);
/* The whole of the solver; s->failed likewise. Collective. */
status solve_petsc(struct solve *s, const char *options,
                   struct op2_solve_info *info);

/* ---- methods ------------------------------------------------------------- */

/* One cycle from x, with its residual in r and r.r in rr[0], whose value is
 * `rr`. True: by what was computed along the way the residual is small enough.
 * False: it has to be computed anew to go on, or maxit is reached. */
bool solve_cg(struct solve *s, double rr);
bool solve_bicgstab(struct solve *s, double rr);
bool solve_gmres(struct solve *s, double rr);

#endif
