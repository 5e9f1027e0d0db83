/* op2_solve_with: A x = b for an operator that the program applies.
 *
 * A cycle begins with the true residual r = b - A x and ends when the one that
 * its method carries along is small enough, or with the method's own end (a
 * restart, a breakdown). Then the true residual decides: whether this is the
 * solution, whether another cycle is worth it, and what is reported. */
#include "frontend/solve.h"
#include "frontend/context.h"
#include "frontend/handles.h"

#include "base/numbers.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ------------------------------------------------------------- */

static const struct method {
  const char *name;
  bool (*cycle)(struct solve *s, double rr);
  int nwork, nscalars; /* of GMRES: for each vector, and product */
} methods[] = {{"cg", solve_cg, 3, 5},
               {"bicgstab", solve_bicgstab, 6, 8},
               {"gmres", solve_gmres, 0, 0}};
enum { NMETHODS = sizeof methods / sizeof *methods };

static const char wanted[] = "rtol=, maxit=, check= or restart=",
                  wanted_pc[] = "none, jacobi, bjacobi or ilu, ";

/* A word "name=number" with a number in these bounds. */
static bool
number_of(const char *word, const char *name, double least, double most,
          double *out) {
  size_t n = strlen(name);
  char *end;
  if (strncmp(word, name, n) || word[n] != '=' || !word[n + 1]) return false;
  locale_t former = numbers_begin();
  double value = strtod(word + n + 1, &end);
  numbers_end(&former);
  *out = value;
  return !*end && value >= least && value <= most;
}

static bool
count_of(const char *word, const char *name, int least, int most, int *out) {
  double value;
  if (!number_of(word, name, least, most, &value) || value != floor(value))
    return false;
  *out = (int)value;
  return true;
}

static status
option(struct solve *s, const struct method **method, const char *word) {
  for (int i = 0; i < NMETHODS; i++)
    if (!strcmp(word, methods[i].name)) {
      *method = &methods[i];
      return OK;
    }
  if (s->mat && solve_pc_find(s, word)) return OK;
  if (number_of(word, "rtol", 0, 1, &s->rtol) ||
      count_of(word, "maxit", 0, INT_MAX, &s->maxit) ||
      count_of(word, "check", 1, 100, &s->check) ||
      count_of(word, "restart", 1, 200, &s->restart))
    return OK;
  FAIL(ERR_ARG,
       "%s: options: expected cg, bicgstab or gmres, %s%s, found \"%s\"",
       s->api, s->mat ? wanted_pc : "", wanted, word);
}

static status
options_read(struct solve *s, const struct method **method, const char *text) {
  SCOPED char *copy = fe_text_copy(text ? text : "");
  char *rest = NULL;
  *method = &methods[0];
  s->rtol = 1e-8;
  s->maxit = 1000;
  s->check = 10;
  s->restart = 30;
  for (char *w = strtok_r(copy, " \t\n", &rest); w;
       w = strtok_r(NULL, " \t\n", &rest))
    TRY(option(s, method, w));
  return OK;
}

/* ---- checks -------------------------------------------------------------- */

static status
check_dat(const struct solve *s, const char *what, op_dat dat) {
  if (!fe_handle_is(dat, FE_DAT))
    FAIL(ERR_ARG, "%s: %s: expected a declared dat, found %s", s->api, what,
         fe_handle_found(dat));
  if (!low_algebra_fits(LOW_ALGEBRA_ROOT, ((struct fe_dat *)dat)->type))
    FAIL(ERR_ARG,
         "%s: %s: wrong type: expected double or float, found \"%s\" of dat "
         "\"%s\"",
         s->api, what, dat->type, dat->name);
  return OK;
}

static status
check(const struct solve *s) {
  op_dat x = s->x, b = s->b;
  if (!s->apply)
    FAIL(ERR_ARG, "%s: apply: expected a function, found NULL", s->api);
  TRY(check_dat(s, "x", x));
  TRY(check_dat(s, "b", b));
  if (x == b)
    FAIL(ERR_ARG, "%s: b: expected another dat than x, found \"%s\"", s->api,
         b->name);
  if (x->set != b->set || x->size != b->size || x->dim != b->dim)
    FAIL(ERR_ARG,
         "%s: b: expected %d of \"%s\" on set \"%s\" as \"%s\", "
         "found %d of \"%s\" on set \"%s\"",
         s->api, x->dim, x->type, x->set->name, x->name, b->dim, b->type,
         b->set->name);
  return OK;
}

/* ---- cycles -------------------------------------------------------------- */

/* r = b - A x; r.r */
static double
residual(struct solve *s) {
  solve_apply(s, s->x, s->r);
  solve_scale(s, s->r, -1);
  solve_axpy(s, s->r, 1, s->b);
  solve_dot(s, s->r, s->r, s->rr[0]);
  return solve_look(s, s->rr[0]);
}

/* Is another cycle worth it? Not if the last one has claimed what it had not
 * reached, and brought nothing; nor after a NaN. */
static bool
goes_on(const struct solve *s, double rr, double last, bool claimed) {
  if (s->failed || !(rr > s->above) || isinf(rr)) return false;
  return s->iterations < s->maxit && !(claimed && rr > 0.5 * last);
}

/* The square of the norm of what is left. */
static double
cycles(struct solve *s, const struct method *m) {
  double rr = residual(s), last = INFINITY;
  bool claimed = false;
  int before = -1;
  while (goes_on(s, rr, last, claimed) && s->iterations > before) {
    last = rr;
    before = s->iterations;
    claimed = m->cycle(s, rr);
    rr = residual(s);
  }
  return rr;
}

static status
solve(struct solve *s, const struct method *m, struct op2_solve_info *info) {
  if (!m->nwork && s->check > s->restart) s->check = s->restart;
  int nwork = m->nwork ? m->nwork : s->restart + 3;
  int nscalars = m->nscalars ? m->nscalars : s->check * (s->restart + 1);
  solve_make(s, nwork, nscalars);
  TRY(solve_pc_make(s));
  if (s->failed) return OK;
  solve_dot(s, s->b, s->b, s->limit);
  double bb = solve_look(s, s->limit), rr = 0;
  s->above = solve_rounded(s, s->rtol * s->rtol * bb);
  solve_set(s, s->limit, s->above);
  if (bb == 0) {
    solve_zero(s, s->x);
  } else if (!s->failed) {
    rr = cycles(s, m);
  }
  *info = (struct op2_solve_info){.iterations = s->iterations,
                                  .residual = bb == 0 ? 0 : sqrt(rr / bb),
                                  .converged = !s->failed &&
                                               (bb == 0 || rr <= s->above)};
  return OK;
}

static status
solve_here(struct solve *s, const struct method *m,
           struct op2_solve_info *info) {
  status st = solve(s, m, info);
  solve_pc_clear(s);
  solve_clear(s);
  return st;
}

int
solve_call(struct solve *s, const char *options, struct op2_solve_info *info) {
  struct op2_solve_info found = {0, NAN, 0};
  const struct method *method = NULL;
  s->file = fe.file;
  s->line = fe.line;
  if (!fe_enter(s->api)) return ERR_STATE;
  status st = check(s);
  const char *rest = st == OK ? solve_petsc_options(s, options) : NULL;
  if (st == OK && !rest) st = options_read(s, &method, options);
  if (st != OK) return fe_leave_returned(st);
  st = rest ? solve_petsc(s, rest, &found) : solve_here(s, method, &found);
  if (info) *info = found;
  fe.file = s->file;
  fe.line = s->line;
  if (st != OK) return fe_leave_returned(st);
  fe.file = NULL;
  return s->failed ? ERR_STATE : OK;
}

int
op2_solve_with(void (*apply)(op_dat x, op_dat y, void *user), void *user,
               op_dat x, op_dat b, const char *options,
               struct op2_solve_info *info) {
  struct solve s = {apply, user, x, b, .api = "op2_solve_with"};
  return solve_call(&s, options, info);
}
