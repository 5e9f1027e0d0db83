/* Loops on matrices: products, rows, solving.
 *
 *   y = A x     a loop over rows, through row -> nonzeros and row -> columns
 *   y = A^T x   y = 0, and a loop over rows that adds to columns
 *   rows        loops over a subset of the rows
 *   masks       chars of rows and columns, which a loop over rows joins to
 *               those of nonzeros; loops that assemble have these beside the
 *               values (mat_arg.c)
 *
 * Each is recorded like any other loop, with kernels of lower/matvec.h. */
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/matrix.h"
#include "frontend/solve.h"

#include "lower/matvec.h"

#include <stdio.h>
#include <string.h>

/* ---- checks of calls ----------------------------------------------------- */

struct call {
  const char *api, *file;
  int line;
  const struct fe_mat *m;
};

static status
check_mat(struct call *c, op2_mat mat) {
  TRY(fe_mat_check(c->api, mat));
  c->m = (const struct fe_mat *)mat;
  c->file = fe.file;
  c->line = fe.line;
  return OK;
}

static struct type
type_of(op_dat dat) {
  return ((const struct fe_dat *)dat)->type;
}

static status
check_vector(const struct call *c, const char *what, op_dat x, op_set set,
             int dim) {
  if (!fe_handle_is(x, FE_DAT))
    FAIL(ERR_ARG, "%s: %s: expected a declared dat, found %s", c->api, what,
         fe_handle_found(x));
  if (x->set != set || x->dim != dim ||
      !type_same(type_of(x), type_of(c->m->values)))
    FAIL(ERR_ARG,
         "%s: %s: expected %d of \"%s\" on set \"%s\", as matrix \"%s\" has "
         "it, found %d of \"%s\" on set \"%s\" (\"%s\")",
         c->api, what, dim, c->m->values->type, set->name, c->m->name, x->dim,
         x->type, x->set->name, x->name);
  return OK;
}

/* Is it the set, or a subset of it? */
static status
check_part(const struct call *c, const char *what, op_set part, op_set all) {
  if (!fe_handle_is(part, FE_SET))
    FAIL(ERR_ARG, "%s: %s: expected a declared set, found %s", c->api, what,
         fe_handle_found(part));
  const struct fe_set *whole = ((const struct fe_set *)part)->whole;
  if (part != all && (!whole || &whole->pub != all))
    FAIL(ERR_ARG,
         "%s: %s: expected set \"%s\" of matrix \"%s\" or a subset of it, "
         "found \"%s\"",
         c->api, what, all->name, c->m->name, part->name);
  return OK;
}

static status
check_rows(const struct call *c, op_set *rows) {
  op_set all = c->m->sparsity->rows;
  if (!*rows) *rows = all;
  return check_part(c, "rows", *rows, all);
}

/* ---- loops --------------------------------------------------------------- */

static status
loop(const struct call *c, enum low_matvec op, op_set set, int n,
     const op_arg *args) {
  void (*kernel)(void);
  const struct fe_mat *m = c->m;
  bool mask = op == LOW_MATVEC_MASK || op == LOW_MATVEC_MASK_ALL;
  TRY(low_matvec_get(op, type_of(mask ? m->mask : m->values),
                     mask ? 1 : (uint32_t)m->rdim, mask ? 1 : (uint32_t)m->cdim,
                     &kernel));
  op2_par_loop_at(c->file, c->line, kernel, low_matvec_name(op), set, n, args);
  return OK;
}

/* All of a row. */
static op_arg
arg_row(op_dat dat, op_map map, op_access acc) {
  return op_arg_dat(dat, map->dim > 2 ? -map->dim : -2, map, dat->dim,
                    dat->type, acc);
}

static op_arg
arg_own(op_dat dat, op_access acc) {
  return op_arg_dat(dat, -1, OP_ID, dat->dim, dat->type, acc);
}

static status
mult(struct call *c, op2_mat mat, op_dat x, op_dat y, bool transpose) {
  TRY(check_mat(c, mat));
  const struct fe_sparsity *s = c->m->sparsity;
  op_set from = transpose ? s->rows : s->columns;
  op_set to = transpose ? s->columns : s->rows;
  int xdim = transpose ? c->m->rdim : c->m->cdim;
  int ydim = transpose ? c->m->cdim : c->m->rdim;
  TRY(check_vector(c, "x", x, from, xdim));
  TRY(check_vector(c, "y", y, to, ydim));
  if (x == y)
    FAIL(ERR_ARG, "%s: y: expected another dat than x, found \"%s\"", c->api,
         y->name);
  op_arg args[] = {
      op2_arg_row_length(s->entries),
      arg_row(c->m->values, s->entries, OP_READ),
      transpose ? arg_own(x, OP_READ) : arg_row(x, s->targets, OP_READ),
      transpose ? arg_row(y, s->targets, OP_INC) : arg_own(y, OP_WRITE)};
  if (transpose) op2_dat_zero(y);
  return loop(c, transpose ? LOW_MATVEC_TRANSPOSE : LOW_MATVEC_MULT, s->rows, 4,
              args);
}

static status
set_diagonal(struct call *c, op_set rows, double value) {
  const struct fe_mat *m = c->m;
  struct fe_scalar scalar;
  TRY(check_rows(c, &rows));
  if (!m->sparsity->diagonal || m->rdim != m->cdim)
    FAIL(ERR_ARG,
         "%s: expected a matrix with a diagonal, found \"%s\" with %d x %d "
         "from set \"%s\" to \"%s\"",
         c->api, m->name, m->rdim, m->cdim, m->sparsity->rows->name,
         m->sparsity->columns->name);
  TRY(fe_algebra_scalar(c->api, m->values, "diagonal", value, &scalar));
  op_dat v = m->values;
  op_arg args[] = {
      op_arg_gbl_char(scalar.bytes, 1, v->type, (int)type_of(v).size, OP_READ),
      op_arg_dat(v, 0, m->sparsity->diagonal, v->dim, v->type, OP_WRITE)};
  return loop(c, LOW_MATVEC_DIAGONAL, rows, 2, args);
}

static status
zero_rows(struct call *c, op2_mat mat, op_set rows, double value) {
  TRY(check_mat(c, mat));
  TRY(check_rows(c, &rows));
  const struct fe_sparsity *s = c->m->sparsity;
  op_arg args[] = {op2_arg_row_length(s->entries),
                   arg_row(c->m->values, s->entries, OP_WRITE)};
  TRY(loop(c, LOW_MATVEC_ROW_ZERO, rows, 2, args));
  return value != 0 ? set_diagonal(c, rows, value) : OK;
}

void
op2_mat_mult(op2_mat mat, op_dat x, op_dat y) {
  struct call c = {.api = "op2_mat_mult"};
  if (fe_enter(c.api)) fe_leave(mult(&c, mat, x, y, false));
}

void
op2_mat_mult_transpose(op2_mat mat, op_dat x, op_dat y) {
  struct call c = {.api = "op2_mat_mult_transpose"};
  if (fe_enter(c.api)) fe_leave(mult(&c, mat, x, y, true));
}

void
op2_mat_zero(op2_mat mat) {
  struct call c = {.api = "op2_mat_zero"};
  if (!fe_enter(c.api)) return;
  status st = check_mat(&c, mat);
  if (st == OK) op2_dat_zero(c.m->values);
  fe_leave(st);
}

void
op2_mat_zero_rows(op2_mat mat, op_set rows, double diagonal) {
  struct call c = {.api = "op2_mat_zero_rows"};
  if (fe_enter(c.api)) fe_leave(zero_rows(&c, mat, rows, diagonal));
}

void
op2_mat_set_diagonal(op2_mat mat, op_set rows, double value) {
  struct call c = {.api = "op2_mat_set_diagonal"};
  if (!fe_enter(c.api)) return;
  status st = check_mat(&c, mat);
  if (st == OK) st = set_diagonal(&c, rows, value);
  fe_leave(st);
}

/* ---- masks --------------------------------------------------------------- */

/* chars = 1, and 0 on `part`. */
static status
chars_fill(const struct call *c, op_dat chars, op_set part) {
  op_arg all[] = {arg_own(chars, OP_WRITE)};
  TRY(loop(c, LOW_MATVEC_MASK_ALL, chars->set, 1, all));
  op2_here(c->file, c->line);
  if (part) op2_dat_zero_on(part, chars);
  return OK;
}

static status
chars_free(const struct call *c, op_dat chars) {
  op2_here(c->file, c->line);
  return (status)op_free_dat_temp(chars);
}

/* A nonzero counts if both its row and its column do. */
static status
mask_fill(const struct call *c, op_set rows, op_set columns) {
  const struct fe_sparsity *s = c->m->sparsity;
  op_dat r, k;
  TRY(fe_mat_chars(c->m, c->api, s->rows, "mask_rows", &r));
  TRY(fe_mat_chars(c->m, c->api, s->columns, "mask_columns", &k));
  TRY(chars_fill(c, r, rows));
  TRY(chars_fill(c, k, columns));
  op_arg args[] = {op2_arg_row_length(s->entries),
                   arg_row(c->m->mask, s->entries, OP_WRITE),
                   arg_own(r, OP_READ), arg_row(k, s->targets, OP_READ)};
  TRY(loop(c, LOW_MATVEC_MASK, s->rows, 4, args));
  TRY(chars_free(c, r));
  return chars_free(c, k);
}

static status
mat_mask(struct call *c, op2_mat mat, op_set rows, op_set columns) {
  TRY(check_mat(c, mat));
  struct fe_mat *m = (struct fe_mat *)mat;
  const struct fe_sparsity *s = m->sparsity;
  bool masked = rows || columns;
  if (rows) TRY(check_part(c, "rows", rows, s->rows));
  if (columns) TRY(check_part(c, "columns", columns, s->columns));
  if (masked && !m->mask)
    TRY(fe_mat_chars(c->m, c->api, s->nonzeros, "mask", &m->mask));
  if (masked) TRY(mask_fill(c, rows, columns));
  fe.masked = fe.masked - m->masked + masked;
  m->masked = masked;
  return OK;
}

void
op2_mat_mask(op2_mat mat, op_set rows, op_set columns) {
  struct call c = {.api = "op2_mat_mask"};
  if (fe_enter(c.api)) fe_leave(mat_mask(&c, mat, rows, columns));
}

/* ---- solving ------------------------------------------------------------- */

status
fe_mat_inverse_diagonal(const struct fe_mat *m, op_dat to) {
  struct call c = {"op2_solve", fe.file, fe.line, m};
  op_dat v = m->values;
  op_arg args[] = {
      op_arg_dat(v, 0, m->sparsity->diagonal, v->dim, v->type, OP_READ),
      arg_own(to, OP_WRITE)};
  return loop(&c, LOW_MATVEC_INVERSE, to->set, 2, args);
}

static void
mult_by(op_dat x, op_dat y, void *user) {
  op2_mat_mult((op2_mat)user, x, y);
}

int
op2_solve(op2_mat mat, op_dat x, op_dat b, const char *options,
          struct op2_solve_info *info) {
  struct call c = {.api = "op2_solve"};
  if (!fe_enter(c.api)) return ERR_STATE;
  status st = check_mat(&c, mat);
  const struct fe_mat *m = c.m;
  if (st == OK) st = check_vector(&c, "x", x, m->sparsity->columns, m->cdim);
  if (st == OK) st = check_vector(&c, "b", b, m->sparsity->rows, m->rdim);
  if (st != OK) return fe_leave_returned(st);
  struct solve s = {mult_by, mat, x, b, .api = c.api, .mat = m};
  return solve_call(&s, options, info);
}
