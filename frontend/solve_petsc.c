/* "petsc ...": a solver of PETSc, whose options are the rest of the text.
 *
 * What waits runs once, before it: the host looks at A, x and b. PETSc has
 * doubles of its own and gives back x whole, or leaves it. */
#include "frontend/context.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"
#include "frontend/solve.h"

#include "rt/mesh/petsc.h"

#include <stdlib.h>
#include <string.h>

static const char word[] = "petsc", blanks[] = " \t\n";

const char *
solve_petsc_options(const struct solve *s, const char *options) {
  size_t n = sizeof word - 1;
  if (!s->mat || !options) return NULL;
  options += strspn(options, blanks);
  if (strncmp(options, word, n)) return NULL;
  return !options[n] || strchr(blanks, options[n]) ? options + n : NULL;
}

static bool
is_double(const struct solve *s) {
  return s->x->size / s->x->dim == (int)sizeof(double);
}

/* A copy of what this rank declares; NULL: the look has failed, and told so. */
static double *
take(const struct solve *s, op_dat dat, size_t n) {
  op2_here(s->file, s->line);
  const void *from = op2_dat_data(dat);
  if (!from && n) return NULL;
  double *to = mem_alloc(n + 1, sizeof *to);
  for (size_t i = 0; i < n; i++)
    to[i] = is_double(s) ? ((const double *)from)[i]
                         : (double)((const float *)from)[i];
  return to;
}

static void
give(struct solve *s, const double *from, size_t n) {
  op2_here(s->file, s->line);
  void *to = op2_dat_data_rw(s->x);
  s->failed |= !to && n;
  for (size_t i = 0; to && i < n; i++)
    if (is_double(s))
      ((double *)to)[i] = from[i];
    else
      ((float *)to)[i] = (float)from[i];
}

/* From and to these copies. */
static status
run(struct solve *s, const char *options, const double *b, double *x,
    struct op2_solve_info *info) {
  struct fe_mat *m = (struct fe_mat *)s->mat;
  struct rt_petsc_end end;
  op2_here(s->file, s->line);
  struct op2_csr a = op2_mat_csr((op2_mat)m);
  s->failed |= !a.row_ptr;
  if (s->failed) return OK;
  TRY(fe_petsc_fill(s->api, m, &a));
  status st = rt_petsc_solve(m->petsc, options, b, x, &end);
  TRY(fe_agree(s->api, 0, err_prefix(st, "%s: ", s->api)));
  *info = (struct op2_solve_info){end.iterations, end.residual, end.converged};
  return OK;
}

status
solve_petsc(struct solve *s, const char *options, struct op2_solve_info *info) {
  size_t n = (size_t)fe_map_rows(s->x->set) * (size_t)s->x->dim;
  SCOPED double *b = take(s, s->b, n);
  SCOPED double *x = b ? take(s, s->x, n) : NULL;
  s->failed |= !x;
  if (s->failed) return OK;
  TRY(run(s, options, b, x, info));
  if (!s->failed) give(s, x, n);
  return OK;
}
