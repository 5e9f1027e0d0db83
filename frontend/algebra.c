/* Algebra on whole dats: op2_dat_zero to op2_dat_norm.
 *
 * Each call is checked here, under its own name, and recorded as a loop like
 * any other: its kernel comes from lower/algebra.h, its scalars are globals (a
 * number that the program passes is captured, a handle is read when the loop
 * runs), so that it waits, fuses and moves to devices as op_par_loop's do. A
 * sum starts anew by op2_gbl_set, which is ordered like a write.
 *
 * What is computed between scalars is a loop over a set of one element (the
 * root of a norm), on the first of several ranks; values go to the others as
 * those of any loop that writes a global. */
#include "frontend/algebra.h"
#include "frontend/box.h"
#include "frontend/context.h"
#include "frontend/handles.h"
#include "frontend/ranks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The call under way, and where it stands. */
struct call {
  const char *api, *file;
  int line;
  op_set set; /* NULL: the dat's */
};

static bool
call_enter(const char *api, op_set set, struct call *out) {
  *out = (struct call){api, fe.file, fe.line, set};
  return fe_enter(api);
}

/* ---- checks -------------------------------------------------------------- */

static status
check_dat(const struct call *c, const char *what, op_dat dat) {
  if (!fe_handle_is(dat, FE_DAT))
    FAIL(ERR_ARG, "%s: %s: expected a declared dat, found %s", c->api, what,
         fe_handle_found(dat));
  return OK;
}

static struct type
type_of(op_dat dat) {
  return ((const struct fe_dat *)dat)->type;
}

/* The first dat, and the elements of it that are meant. */
static status
check_first(struct call *c, const char *what, op_dat dat, bool every,
            enum low_algebra op) {
  TRY(check_dat(c, what, dat));
  op_set domain = fe_set_domain(dat->set);
  if (every) c->set = domain;
  if (!fe_handle_is(c->set, FE_SET))
    FAIL(ERR_ARG, "%s: subset: expected a declared set, found %s", c->api,
         fe_handle_found(c->set));
  const struct fe_set *whole = ((const struct fe_set *)c->set)->whole;
  if (c->set != domain && (!whole || &whole->pub != domain))
    FAIL(ERR_ARG,
         "%s: subset: expected set \"%s\" of dat \"%s\" or a subset of it, "
         "found \"%s\"",
         c->api, domain->name, dat->name, c->set->name);
  if (!low_algebra_fits(op, type_of(dat)))
    FAIL(ERR_ARG,
         "%s: %s: wrong type: expected one with arithmetic, found \"%s\" of "
         "dat \"%s\"",
         c->api, what, dat->type, dat->name);
  return OK;
}

/* Another one, of the same shape. */
static status
check_like(const struct call *c, op_dat like, const char *what, op_dat dat) {
  TRY(check_dat(c, what, dat));
  if (fe_set_domain(dat->set) != fe_set_domain(like->set))
    FAIL(ERR_ARG,
         "%s: %s: wrong set: expected a dat on set \"%s\" as \"%s\", found "
         "\"%s\" on set \"%s\"",
         c->api, what, like->set->name, like->name, dat->name, dat->set->name);
  if (dat->dim != like->dim)
    FAIL(ERR_ARG,
         "%s: %s: wrong dim: expected %d as \"%s\", found %d of \"%s\"", c->api,
         what, like->dim, like->name, dat->dim, dat->name);
  if (!type_same(type_of(dat), type_of(like)) ||
      (type_of(like).kind == TYPE_BYTES &&
       !type_name_same(dat->type, like->type)))
    FAIL(ERR_ARG,
         "%s: %s: wrong type: expected \"%s\" as \"%s\", found \"%s\" of "
         "\"%s\"",
         c->api, what, like->type, like->name, dat->type, dat->name);
  return OK;
}

/* A handle of one value of the dat's type. */
static status
check_gbl(const struct call *c, op_dat dat, const char *what, op2_gbl handle) {
  if (!fe_handle_is(handle, FE_GBL))
    FAIL(ERR_ARG, "%s: %s: expected a handle of op2_decl_gbl, found %s", c->api,
         what, fe_handle_found(handle));
  const struct fe_gbl *g = (const struct fe_gbl *)handle;
  if (g->dim != 1)
    FAIL(ERR_ARG, "%s: %s: wrong dim: expected 1 of global \"%s\", found %u",
         c->api, what, g->name, g->dim);
  if (!type_same(g->type, type_of(dat)))
    FAIL(ERR_ARG,
         "%s: %s: wrong type: expected \"%s\" as dat \"%s\", found %s of "
         "global \"%s\"",
         c->api, what, dat->type, dat->name, type_text(g->type), g->name);
  return OK;
}

/* ---- scalars ------------------------------------------------------------- */

/* Largest magnitude of a factor: those of unsigned types may be negative, since
 * what is added up may be none the less. */
static double
scalar_limit(struct type t) {
  return ldexp(1, (int)t.size * 8 - (type_class(t) == 'I'));
}

status
fe_algebra_scalar(const char *api, op_dat dat, const char *what, double value,
                  struct fe_scalar *out) {
  struct type t = type_of(dat);
  *out = (struct fe_scalar){{0}};
  if (type_class(t) == 'F') {
    float rounded = (float)value;
    memcpy(out->bytes, t.size == 8 ? (void *)&value : (void *)&rounded, t.size);
    return OK;
  }
  if (!(fabs(value) < scalar_limit(t)) || value != floor(value))
    FAIL(ERR_ARG,
         "%s: %s: expected a number of type \"%s\" of dat \"%s\", found %.17g",
         api, what, dat->type, dat->name, value);
  uint64_t magnitude =
      (uint64_t)fabs(value); /* low bytes of two's complement */
  uint64_t bits = value < 0 ? -magnitude : magnitude;
  memcpy(out->bytes, &bits, t.size);
  return OK;
}

static op_arg
arg_scalar(op_dat dat, struct fe_scalar *s) {
  return op_arg_gbl_char(s->bytes, 1, dat->type, (int)type_of(dat).size,
                         OP_READ);
}

static op_arg
arg_dat(op_dat dat, op_access acc) {
  return op_arg_dat(dat, -1, OP_ID, dat->dim, dat->type, acc);
}

/* ---- loops --------------------------------------------------------------- */

/* Record the operation over c->set; its errors are op_par_loop's from here on.
 * */
static status
loop(const struct call *c, enum low_algebra op, op_dat dat, int n,
     const op_arg *args) {
  void (*kernel)(void);
  TRY(low_algebra_get(op, type_of(dat), dat->dim, &kernel));
  op2_par_loop_at(c->file, c->line, kernel, low_algebra_name(op), c->set, n,
                  args);
  return OK;
}

/* The set of one element, declared when it is first needed. */
static status
one_get(op_set *out) {
  bool here = fe_ranks.whole || !fe_ranks.rank;
  if (!fe.one) fe.one = op_decl_set(here, "op2_one");
  *out = fe.one;
  if (!fe.one) return err_set(ERR_STATE, "%s", op2_last_error());
  return OK;
}

/* Parameter 0 is written; a root is its own operand. */
static status
scalars(const struct call *at, enum low_algebra op, op_dat like, int n,
        const op2_gbl *handles) {
  op_arg args[8];
  struct call c = *at;
  void (*kernel)(void);
  op_access first = op == LOW_ALGEBRA_ROOT ? OP_RW : OP_WRITE;
  assert(n > 0 && n <= 8);
  TRY(one_get(&c.set));
  TRY(low_algebra_get(op, type_of(like), 1, &kernel));
  for (int i = 0; i < n; i++)
    args[i] = op2_arg_gbl(handles[i], 1, like->type, i ? OP_READ : first);
  op2_par_loop_at(c.file, c.line, kernel, low_algebra_name(op), c.set, n, args);
  return OK;
}

/* The sum starts at zero, whatever the handle holds. */
static status
sum(const struct call *c, enum low_algebra op, op_dat dat, op2_gbl out,
    op_arg *args, int n) {
  static const char zero[8];
  void (*kernel)(void);
  TRY(low_algebra_get(op, type_of(dat), dat->dim, &kernel));
  op2_gbl_set(out, zero);
  args[n] = op2_arg_gbl(out, 1, dat->type, OP_INC);
  return loop(c, op, dat, n + 1, args);
}

/* ---- the operations ------------------------------------------------------ */

static status
dat_zero(struct call *c, op_dat x, bool every) {
  TRY(check_first(c, "x", x, every, LOW_ALGEBRA_ZERO));
  op_arg args[] = {arg_dat(x, OP_WRITE)};
  return loop(c, LOW_ALGEBRA_ZERO, x, 1, args);
}

static status
dat_copy(struct call *c, op_dat to, op_dat from, bool every) {
  TRY(check_first(c, "to", to, every, LOW_ALGEBRA_COPY));
  TRY(check_like(c, to, "from", from));
  if (to == from) return OK;
  op_arg args[] = {arg_dat(to, OP_WRITE), arg_dat(from, OP_READ)};
  return loop(c, LOW_ALGEBRA_COPY, to, 2, args);
}

static status
dat_scale(struct call *c, op_dat x, double a, bool every) {
  struct fe_scalar factor;
  TRY(check_first(c, "x", x, every, LOW_ALGEBRA_SCALE));
  TRY(fe_algebra_scalar(c->api, x, "a", a, &factor));
  op_arg args[] = {arg_dat(x, OP_RW), arg_scalar(x, &factor)};
  return loop(c, LOW_ALGEBRA_SCALE, x, 2, args);
}

static status
dat_axpy(struct call *c, op_dat y, double a, op_dat x, bool every) {
  struct fe_scalar factor;
  TRY(check_first(c, "y", y, every, LOW_ALGEBRA_AXPY));
  TRY(check_like(c, y, "x", x));
  TRY(fe_algebra_scalar(c->api, y, "a", a, &factor));
  op_arg args[] = {arg_dat(y, OP_RW), arg_scalar(y, &factor),
                   arg_dat(x, OP_READ)};
  return loop(c, LOW_ALGEBRA_AXPY, y, 3, args);
}

static status
dat_axpy_gbl(struct call *c, op_dat y, double sign, op2_gbl a, op_dat x,
             bool every) {
  struct fe_scalar factor;
  TRY(check_first(c, "y", y, every, LOW_ALGEBRA_AXPY_GBL));
  TRY(check_like(c, y, "x", x));
  TRY(check_gbl(c, y, "a", a));
  TRY(fe_algebra_scalar(c->api, y, "sign", sign, &factor));
  op_arg args[] = {arg_dat(y, OP_RW), arg_scalar(y, &factor),
                   op2_arg_gbl(a, 1, y->type, OP_READ), arg_dat(x, OP_READ)};
  return loop(c, LOW_ALGEBRA_AXPY_GBL, y, 4, args);
}

static status
dat_dot(struct call *c, op_dat x, op_dat y, op2_gbl out, bool every) {
  TRY(check_first(c, "x", x, every, LOW_ALGEBRA_DOT));
  TRY(check_like(c, x, "y", y));
  TRY(check_gbl(c, x, "out", out));
  op_arg args[3] = {arg_dat(x, OP_READ), arg_dat(y, OP_READ)};
  return sum(c, LOW_ALGEBRA_DOT, x, out, args, 2);
}

static status
dat_norm(struct call *c, op_dat x, op2_gbl out, bool every) {
  TRY(check_first(c, "x", x, every, LOW_ALGEBRA_NORM));
  if (!low_algebra_fits(LOW_ALGEBRA_ROOT, type_of(x)))
    FAIL(ERR_ARG,
         "%s: x: wrong type: expected double or float, found \"%s\" of dat "
         "\"%s\"",
         c->api, x->type, x->name);
  TRY(check_gbl(c, x, "out", out));
  op_arg args[2] = {arg_dat(x, OP_READ)};
  TRY(sum(c, LOW_ALGEBRA_NORM, x, out, args, 1));
  return scalars(c, LOW_ALGEBRA_ROOT, x, 1, &out);
}

/* ---- for solvers --------------------------------------------------------- */

void
fe_algebra_scalars(enum low_algebra op, op_dat like, int n,
                   const op2_gbl *handles) {
  struct call c;
  if (call_enter("op2_solve_with", NULL, &c))
    fe_leave(scalars(&c, op, like, n, handles));
}

void
fe_algebra_times(op_dat z, op_dat x, op_dat y) {
  struct call c;
  if (!call_enter("op2_solve", z->set, &c)) return;
  op_arg args[] = {arg_dat(z, OP_WRITE), arg_dat(x, OP_READ),
                   arg_dat(y, OP_READ)};
  fe_leave(loop(&c, LOW_ALGEBRA_TIMES, z, 3, args));
}

void
fe_algebra_xpay(op_dat y, op2_gbl a, op_dat x) {
  struct call c;
  if (!call_enter("op2_solve_with", fe_set_domain(y->set), &c)) return;
  op_arg args[] = {arg_dat(y, OP_RW), op2_arg_gbl(a, 1, y->type, OP_READ),
                   arg_dat(x, OP_READ)};
  fe_leave(loop(&c, LOW_ALGEBRA_XPAY, y, 3, args));
}

void
fe_algebra_over(op_dat x, op2_gbl a) {
  struct call c;
  if (!call_enter("op2_solve_with", fe_set_domain(x->set), &c)) return;
  op_arg args[] = {arg_dat(x, OP_RW), op2_arg_gbl(a, 1, x->type, OP_READ)};
  fe_leave(loop(&c, LOW_ALGEBRA_OVER, x, 2, args));
}

/* ---- as the program calls them ------------------------------------------- */

/* Both forms of a call: over the dat's set, and over a subset. */
#define ALGEBRA_CALL(name, params, ...)                                        \
  void op2_##name params {                                                     \
    struct call c;                                                             \
    if (call_enter("op2_" #name, NULL, &c))                                    \
      fe_leave(name(&c, __VA_ARGS__, true));                                   \
  }
#define ALGEBRA_CALL_ON(name, params, ...)                                     \
  void op2_##name##_on params {                                                \
    struct call c;                                                             \
    if (call_enter("op2_" #name "_on", subset, &c))                            \
      fe_leave(name(&c, __VA_ARGS__, false));                                  \
  }

ALGEBRA_CALL(dat_zero, (op_dat x), x)
ALGEBRA_CALL_ON(dat_zero, (op_set subset, op_dat x), x)
ALGEBRA_CALL(dat_copy, (op_dat to, op_dat from), to, from)
ALGEBRA_CALL_ON(dat_copy, (op_set subset, op_dat to, op_dat from), to, from)
ALGEBRA_CALL(dat_scale, (op_dat x, double a), x, a)
ALGEBRA_CALL_ON(dat_scale, (op_set subset, op_dat x, double a), x, a)
ALGEBRA_CALL(dat_axpy, (op_dat y, double a, op_dat x), y, a, x)
ALGEBRA_CALL_ON(dat_axpy, (op_set subset, op_dat y, double a, op_dat x), y, a,
                x)
ALGEBRA_CALL(dat_axpy_gbl, (op_dat y, double sign, op2_gbl a, op_dat x), y,
             sign, a, x)
ALGEBRA_CALL_ON(dat_axpy_gbl,
                (op_set subset, op_dat y, double sign, op2_gbl a, op_dat x), y,
                sign, a, x)
ALGEBRA_CALL(dat_dot, (op_dat x, op_dat y, op2_gbl out), x, y, out)
ALGEBRA_CALL_ON(dat_dot, (op_set subset, op_dat x, op_dat y, op2_gbl out), x, y,
                out)
ALGEBRA_CALL(dat_norm, (op_dat x, op2_gbl out), x, out)
ALGEBRA_CALL_ON(dat_norm, (op_set subset, op_dat x, op2_gbl out), x, out)
