/* Preconditioners: z = M r, where M is about the inverse of A.
 *
 *   jacobi    z = D^-1 r, D the diagonal of A: its inverse is a dat, made once
 *             for each solve; then a loop that fuses with its neighbours
 *   bjacobi   z = (L U)^-1 r with the incomplete factors (rt/mesh/ilu.h) of the
 *             rows and columns that this rank declares, components one by one.
 *             The host does that, on one thread: it looks at r, and what waits
 *             runs in each iteration
 *
 * Both are symmetric where A is, as CG wants it. */
#include "frontend/context.h"
#include "frontend/matrix.h"
#include "frontend/ranks.h"
#include "frontend/solve.h"

#include "rt/mesh/ilu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- jacobi -------------------------------------------------------------- */

static status
jacobi_make(struct solve *s) {
  s->inverse = solve_dat(s);
  if (s->failed) return OK;
  op2_here(s->file, s->line);
  return fe_mat_inverse_diagonal(s->mat, s->inverse);
}

static void
jacobi_apply(struct solve *s, op_dat r, op_dat z) {
  op2_here(s->file, s->line);
  fe_algebra_times(z, s->inverse, r);
}

/* ---- incomplete factors -------------------------------------------------- */

static double
value_of(const struct fe_mat *m, const void *values, size_t i) {
  bool wide = m->values->size / m->values->dim == sizeof(double);
  return wide ? ((const double *)values)[i]
              : (double)((const float *)values)[i];
}

/* Number of this rank's row that the column is; -1: another rank's. */
static idx_l
own_column(const struct fe_mat *m, idx_g column) {
  idx_g i = column - m->sparsity->rt.first;
  return i >= 0 && i < m->sparsity->rt.rows ? (idx_l)i : -1;
}

static int64_t
own_count(const struct fe_mat *m, const struct op2_csr *a) {
  int64_t n = 0;
  for (int64_t k = 0; k < a->row_ptr[a->rows]; k++)
    n += own_column(m, a->column[k]) >= 0;
  return n;
}

/* Row r of the blocks of row e, behind the n values so far; returns how many
 * there are then. */
static int64_t
row_add(const struct fe_mat *m, const struct op2_csr *a, idx_l e, int r,
        struct rt_ilu *to, int64_t n) {
  int dim = m->cdim;
  for (int64_t k = a->row_ptr[e]; k < a->row_ptr[e + 1]; k++) {
    idx_l column = own_column(m, a->column[k]);
    size_t at = ((size_t)k * (size_t)m->rdim + (size_t)r) * (size_t)dim;
    for (int c = 0; c < dim && column >= 0; c++) {
      to->col[n] = column * dim + c;
      to->val[n++] = value_of(m, a->values, at + (size_t)c);
    }
  }
  return n;
}

static struct rt_ilu *
own_rows(const struct fe_mat *m, const struct op2_csr *a) {
  int64_t n = 0, values = own_count(m, a) * m->rdim * m->cdim;
  struct rt_ilu *ilu = rt_ilu_new(a->rows * m->rdim, values);
  for (idx_l i = 0; i < ilu->n; i++) {
    ilu->start[i] = n;
    n = row_add(m, a, i / m->rdim, i % m->rdim, ilu, n);
  }
  assert(n == values);
  ilu->start[ilu->n] = n;
  return ilu;
}

static status
factor(const struct solve *s) {
  const struct fe_mat *m = s->mat;
  idx_l bad = rt_ilu_factor(s->ilu);
  if (bad < 0) return OK;
  FAIL(ERR_ARG,
       "%s: bjacobi: matrix \"%s\": expected a pivot in each row, found none "
       "in row %lld, component %d",
       s->api, m->name, (long long)(m->sparsity->rt.first + bad / m->rdim),
       bad % m->rdim);
}

static status
ilu_make(struct solve *s) {
  op2_here(s->file, s->line);
  struct op2_csr a = op2_mat_csr((op2_mat)s->mat);
  s->failed |= !a.row_ptr;
  if (s->failed) return OK;
  s->ilu = own_rows(s->mat, &a);
  s->host = mem_alloc((size_t)s->ilu->n + 1, sizeof *s->host);
  return fe_agree(s->api, 0, factor(s));
}

static void
ilu_apply(struct solve *s, op_dat r, op_dat z) {
  solve_fetch(s, r, s->host);
  rt_ilu_solve(s->ilu, s->host);
  if (!s->failed) solve_store(s, z, s->host);
}

/* ---- by name ------------------------------------------------------------- */

static const struct solve_pc {
  const char *name;
  status (*make)(struct solve *s);
  void (*apply)(struct solve *s, op_dat r, op_dat z);
} pcs[] = {{"none", NULL, NULL},
           {"jacobi", jacobi_make, jacobi_apply},
           {"bjacobi", ilu_make, ilu_apply},
           {"ilu", ilu_make, ilu_apply}};

bool
solve_pc_find(struct solve *s, const char *word) {
  for (size_t i = 0; i < sizeof pcs / sizeof *pcs; i++)
    if (!strcmp(word, pcs[i].name)) {
      s->pc = pcs[i].apply ? &pcs[i] : NULL;
      return true;
    }
  return false;
}

status
solve_pc_make(struct solve *s) {
  return s->pc && !s->failed ? s->pc->make(s) : OK;
}

op_dat
solve_precondition(struct solve *s, op_dat r, op_dat z) {
  if (!s->pc) return r;
  if (!s->failed) s->pc->apply(s, r, z);
  return z;
}

void
solve_pc_clear(struct solve *s) {
  rt_ilu_free(s->ilu);
  free(s->host);
}
