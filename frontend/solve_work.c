/* What solvers work with: dats and handles that go in the end, and the public
 * calls, each of which stands where the program called the solver. */
#include "frontend/context.h"
#include "frontend/rows.h"
#include "frontend/solve.h"
#include "frontend/values.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
here(const struct solve *s) {
  op2_here(s->file, s->line);
}

/* ---- dats and handles ---------------------------------------------------- */

/* Names of temporaries are unique: an operator may solve, too. */
op_dat
solve_dat(struct solve *s) {
  static unsigned made;
  char name[40];
  if (s->failed) return NULL;
  snprintf(name, sizeof name, "op2_solve_%u", made++);
  here(s);
  op_dat d = op2_decl_dat_temp_at(s->x->set, s->x->dim, s->x->type, 0, NULL,
                                  NULL, name);
  s->failed |= !d;
  return d;
}

static op2_gbl
work_gbl(struct solve *s) {
  if (s->failed) return NULL;
  here(s);
  op2_gbl g = op2_decl_gbl(1, s->x->type, NULL, "op2_solve");
  s->failed |= !g;
  return g;
}

static op2_gbl *
work_gbls(struct solve *s, int n) {
  op2_gbl *all = mem_alloc((size_t)n, sizeof(op2_gbl));
  for (int i = 0; i < n; i++) all[i] = work_gbl(s);
  return all;
}

void
solve_make(struct solve *s, int nwork, int nscalars) {
  s->nwork = nwork;
  s->nscalars = nscalars;
  s->r = solve_dat(s);
  s->work = mem_alloc((size_t)nwork, sizeof(op_dat));
  for (int i = 0; i < nwork; i++) s->work[i] = solve_dat(s);
  s->scalars = work_gbls(s, nscalars);
  s->rr = work_gbls(s, s->check + 1);
  s->limit = work_gbl(s);
}

static void
clear_dat(const struct solve *s, op_dat d) {
  here(s);
  if (d) op_free_dat_temp(d);
}

static void
clear_gbls(const struct solve *s, op2_gbl *all, int n) {
  for (int i = 0; i < n; i++) {
    here(s);
    op2_free_gbl(all[i]); /* NULL: nothing */
  }
  free(all);
}

void
solve_clear(struct solve *s) {
  clear_dat(s, s->inverse);
  clear_dat(s, s->r);
  for (int i = 0; i < s->nwork; i++) clear_dat(s, s->work[i]);
  free(s->work);
  clear_gbls(s, s->scalars, s->nscalars);
  clear_gbls(s, s->rr, s->check + 1);
  here(s);
  op2_free_gbl(s->limit);
}

/* ---- values -------------------------------------------------------------- */

static bool
is_double(const struct solve *s) {
  return s->x->size / s->x->dim == sizeof(double);
}

double
solve_rounded(const struct solve *s, double value) {
  return is_double(s) ? value : (double)(float)value;
}

/* A look that fails leaves memory as it is, and has told why. */
double
solve_look(struct solve *s, op2_gbl g) {
  static const unsigned char none[8] = {0xa5, 0x5a, 0xff, 0xff,
                                        0xa5, 0x5a, 0xff, 0xff};
  unsigned char bytes[8];
  double d;
  float f;
  memcpy(bytes, none, sizeof none);
  here(s);
  op2_gbl_get(g, bytes);
  s->failed |= !memcmp(bytes, none, sizeof none);
  memcpy(&d, bytes, sizeof d);
  memcpy(&f, bytes, sizeof f);
  return is_double(s) ? d : (double)f;
}

void
solve_set(struct solve *s, op2_gbl g, double value) {
  float f = (float)value;
  here(s);
  op2_gbl_set(g, is_double(s) ? (void *)&value : (void *)&f);
}

/* ---- values of dats ------------------------------------------------------ */

static status
fetch(const struct solve *s, op_dat x, double *to) {
  struct fe_dat *d;
  TRY(fe_access_begin(s->api, x, false, &d));
  return fe_rows_to_reals(d, to);
}

void
solve_fetch(struct solve *s, op_dat x, double *to) {
  here(s);
  status st = fe_enter(s->api) ? fetch(s, x, to) : ERR_STATE;
  s->failed |= st != OK;
  fe_leave(st);
}

static status
store(const struct solve *s, op_dat x, const double *from) {
  struct fe_dat *d;
  TRY(fe_access_begin(s->api, x, true, &d));
  return fe_rows_from_reals(s->api, d, from);
}

void
solve_store(struct solve *s, op_dat x, const double *from) {
  here(s);
  status st = fe_enter(s->api) ? store(s, x, from) : ERR_STATE;
  s->failed |= st != OK;
  fe_leave(st);
}

/* ---- calls --------------------------------------------------------------- */

void
solve_apply(struct solve *s, op_dat x, op_dat y) {
  s->apply(x, y, s->user);
}

void
solve_copy(struct solve *s, op_dat to, op_dat from) {
  here(s);
  op2_dat_copy(to, from);
}

void
solve_zero(struct solve *s, op_dat x) {
  here(s);
  op2_dat_zero(x);
}

void
solve_scale(struct solve *s, op_dat x, double a) {
  here(s);
  op2_dat_scale(x, a);
}

void
solve_axpy(struct solve *s, op_dat y, double a, op_dat x) {
  here(s);
  op2_dat_axpy(y, a, x);
}

void
solve_axpy_gbl(struct solve *s, op_dat y, double sign, op2_gbl a, op_dat x) {
  here(s);
  op2_dat_axpy_gbl(y, sign, a, x);
}

void
solve_xpay(struct solve *s, op_dat y, op2_gbl a, op_dat x) {
  here(s);
  fe_algebra_xpay(y, a, x);
}

void
solve_over(struct solve *s, op_dat x, op2_gbl a) {
  here(s);
  fe_algebra_over(x, a);
}

void
solve_dot(struct solve *s, op_dat x, op_dat y, op2_gbl out) {
  here(s);
  op2_dat_dot(x, y, out);
}

void
solve_norm(struct solve *s, op_dat x, op2_gbl out) {
  here(s);
  op2_dat_norm(x, out);
}

void
solve_ratio(struct solve *s, op2_gbl out, op2_gbl a, op2_gbl b, op2_gbl rr) {
  const op2_gbl handles[] = {out, a, b, rr, s->limit};
  here(s);
  fe_algebra_scalars(LOW_ALGEBRA_RATIO, s->x, 5, handles);
}

void
solve_ratios(struct solve *s, op2_gbl out, op2_gbl a, op2_gbl b, op2_gbl c,
             op2_gbl d) {
  const op2_gbl handles[] = {out, a, b, c, d};
  here(s);
  fe_algebra_scalars(LOW_ALGEBRA_RATIOS, s->x, 5, handles);
}
