/* What a C kernel's parameters point to is compared with the arguments, as far as
 * op2cc could see it; aliases, qualifiers and other names of a type are no matter. */
#include "check.h"

enum colour { RED, GREEN };
typedef double real;
typedef const real *reals;
struct pair {
  double x, y;
};

static char message[1024];
static void
note(int status, const char *text, void *user) {
  (void)status;
  (void)user;
  snprintf(message, sizeof message, "%s", text);
}

enum { N = 6 };
static op_set s, t;
static op_map m;
static op_dat d, f, i32, i64, flag, pairs;

/* ---- right ------------------------------------------------------------------- */

static void
aliases(const real *a, reals b, double *restrict c, double *const e) {
  (void)(*a + *b + *c + *e);
}
static void
arrays(const double a[1], double *b[2], const double *const *c) {
  (void)(a[0] + b[1][0] + c[0][0]);
}
static void
integers(const unsigned *a, const enum colour *b, const long *c,
         const long long *e, const _Bool *g) {
  (void)(*a + *b + *c + *e + *g);
}
static void
bytes(const void *a, const char *b, const struct pair *c,
      const double (*e)[2]) {
  (void)a;
  (void)(*b + c->x + e[0][0]);
}
static void
index_and_global(const int *index, const double *value, float *sum) {
  *sum += (float)(*value * *index);
}

static void
index_long(const idx_g_t *index, const long *next, const int64_t *other) {
  (void)(*index + *next + *other);
}

#define DAT(d, type) op_arg_dat((d), -1, OP_ID, 1, type, OP_READ)
static void
right(void) {
  double two = 2;
  float sum = 0;
  op_par_loop(aliases, "aliases", t, DAT(d, "double"), DAT(d, "double"),
              DAT(d, "double"), DAT(d, "double"));
  op_par_loop(arrays, "arrays", s, op_arg_dat(d, 0, m, 1, "double", OP_READ),
              op_arg_dat(d, -2, m, 1, "double", OP_READ),
              op_arg_dat(d, -2, m, 1, "double", OP_READ));
  op_par_loop(integers, "integers", t, DAT(i32, "int"), DAT(i32, "int"),
              DAT(i64, "ll"), DAT(i64, "ll"), DAT(flag, "bool"));
  op_par_loop(bytes, "bytes", t, DAT(d, "double"), DAT(f, "float"),
              op_arg_dat(pairs, -1, OP_ID, 2, "double", OP_READ),
              op_arg_dat(pairs, -1, OP_ID, 2, "double", OP_READ));
  op_par_loop(index_and_global, "index_and_global", t, op_arg_idx(-1, OP_ID),
              op_arg_gbl(&two, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "float", OP_INC));
  op_par_loop(index_long, "index_long", t, op2_arg_idx_long(-1, OP_ID),
              op2_arg_idx_long(-1, OP_ID), op2_arg_idx_long(-1, OP_ID));
  CHECK_INT(strcmp(message, ""), 0);
}

/* ---- wrong ------------------------------------------------------------------- */

static void
takes_float(const double *a, const float *b) {
  (void)(*a + *b);
}
static void
takes_int(int *a) {
  *a = 1;
}
static void
takes_index(const int *a) {
  (void)*a;
}
static void
takes_index_long(const idx_g_t *a) {
  (void)*a;
}
static void
takes_row(const double **a) {
  (void)a[0][0];
}
static void
takes_long_double(const long double *a) {
  (void)*a;
}

static void
says(const char *text) {
  int heard = strstr(message, text) != NULL;
  if (heard != check_ir())
    check_fail(__FILE__, __LINE__, "\"%s\", found: %s", text, message);
  *message = 0;
}

static void
wrong(void) {
  double value = 1;
  op_par_loop(takes_float, "takes_float", t, DAT(d, "double"),
              DAT(d, "double"));
  says("op_par_loop \"takes_float\": argument 1: wrong kernel parameter: "
       "expected a pointer to \"double\", found one to \"float\"");
  op_par_loop(takes_float, "swapped", t, DAT(f, "float"), DAT(f, "float"));
  says("\"swapped\": argument 0: wrong kernel parameter: expected a pointer to "
       "\"float\", found one to \"double\"");
  op_par_loop(takes_int, "takes_int", t,
              op_arg_gbl(&value, 1, "double", OP_RW));
  says("argument 0: wrong kernel parameter: expected a pointer to \"double\", "
       "found one to \"int\"");
  op_par_loop(takes_int, "narrow", t,
              op_arg_dat(i64, -1, OP_ID, 1, "ll", OP_WRITE));
  says("expected a pointer to \"ll\", found one to \"int\"");
  op_par_loop(takes_index, "takes_index", t, op2_arg_idx_long(-1, OP_ID));
  says("op_par_loop \"takes_index\": argument 0: wrong kernel parameter: "
       "expected a pointer to \"long long\", found one to \"int\" "
       "(op_arg_idx)");
  op_par_loop(takes_index_long, "takes_index_long", t, op_arg_idx(-1, OP_ID));
  says("expected a pointer to \"int\", found one to \"ll\" "
       "(op2_arg_idx_long)");
  op_par_loop(takes_row, "takes_row", t, DAT(d, "double"));
  says("expected T *, found double*");
  op_par_loop(takes_long_double, "takes_long_double", t, DAT(d, "double"));
  says("found one to \"long double\"");
  if (check_ir()) CHECK_PENDING(0); /* none of them was recorded */
}

int
main(int argc, char **argv) {
  int rows[2 * N], zero[2 * N] = {0};
  long long big[N] = {0};
  double x[2 * N] = {0};
  float y[N] = {0};
  _Bool b[N] = {0};
  check_start(argc, argv);
  for (int e = 0; e < 2 * N; e++) rows[e] = e / 2;
  s = op_decl_set(N, "s");
  t = op_decl_set(N, "t");
  m = op_decl_map(s, t, 2, rows, "m");
  d = op_decl_dat(t, 1, "double", x, "d");
  f = op_decl_dat(t, 1, "float", y, "f");
  i32 = op_decl_dat(t, 1, "int", zero, "i32");
  i64 = op_decl_dat(t, 1, "ll", big, "i64");
  flag = op_decl_dat(t, 1, "bool", b, "flag");
  pairs = op_decl_dat(t, 2, "double", x, "pairs");
  op2_set_error_handler(note, NULL);
  right();
  op2_flush();
  if (check_ir()) wrong(); /* else they would run, and do harm */
  return check_end();
}
