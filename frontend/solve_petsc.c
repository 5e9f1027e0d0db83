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
  SCOPED double *b = mem_alloc(n + 1, sizeof *b);
  SCOPED double *x = mem_alloc(n + 1, sizeof *x);
  solve_fetch(s, s->b, b);
  if (!s->failed) solve_fetch(s, s->x, x);
  if (s->failed) return OK;
  TRY(run(s, options, b, x, info));
  if (!s->failed) solve_store(s, s->x, x);
  return OK;
}
