/* A kernel that touches a component or entry beyond its argument is an error of the
 * first call of its loop, if each call of the kernel does; one that asks first is not.
 * (Where dims are constants op2cc tells: test/op2cc.) */
#include "check.h"
#include "errors.h"

enum { N = 12 };

static void
one_more(const double *a, double *b) {
  for (int c = 0; c <= 2; c++) b[c] = a[c % 2];
}
static void
reads_more(const float *a, float *b) {
  b[0] = a[0] + a[3];
}
static void
one_less(const double *a, double *b) {
  b[0] = a[0] - a[-1];
}
static void
past_global(double *b, const int *g) {
  b[0] = g[0] + g[2];
}
static void
past_entry(const double **a, double *b) {
  b[0] = a[0][0] + a[2][0];
}
static void
past_row(const double **a, double *b) {
  b[0] = a[0][0] + a[1][2];
}
static void
past_index(const int *i, double *b) {
  b[0] = i[0] - i[1];
}
/* For any shape: never comes to what is not there. */
static void
shapes(const int *dim, double *b) {
  b[0] = 1;
  if (*dim > 2) b[2] = 2;
}
static void
never(double *b) {
  if (sizeof(int) > 100) b[9] = 1;
  b[1] = 3;
}
static void
maybe_none(const double *a, double *b) {
  b[0] = a ? a[7] : 5;
}

static int pair = 2, triple = 3, all_of_two = -2;

static op_set s;
static op_map m;
static op_dat a, b, f, g;

/* The call just made is an error, at a line near this one, with this text. */
static void
expect(int line, const char *text) {
  const char *at = strstr(message, "beyond.c:");
  int place = errors && at ? atoi(at + strlen("beyond.c:")) : 0;
  if (errors != 1 || !strstr(message, text))
    check_fail(__FILE__, line, "%d errors, expected \"%s\", found %s", errors,
               text, errors ? message : "none");
  else if (abs(place - line) > 15)
    check_fail(__FILE__, line, "no 'beyond.c:%d' in %s", line, message);
  CHECK_INT(code, OP2_ERR_ARG);
  CHECK_INT(op2_pending(), 0);
  errors = code = 0;
}
#define EXPECT(text, call)                                                     \
  do {                                                                         \
    call;                                                                      \
    expect(__LINE__, text);                                                    \
  } while (0)
#define DAT(d, n, t, acc) op_arg_dat(d, -1, OP_ID, n, t, acc)
#define OUTSIDE ": kernel outside its argument: expected "

static void
refused(void) {
  for (int again = 0; again < 2; again++)
    EXPECT("op_par_loop \"one_more\": argument 1" OUTSIDE
           "components 0 to 1 of \"b\", "
           "found 2",
           op_par_loop(one_more, "one_more", s, DAT(a, pair, "double", OP_READ),
                       DAT(b, pair, "double", OP_WRITE)));
  EXPECT("op_par_loop \"reads_more\": argument 0" OUTSIDE
         "components 0 to 2 of \"f\", "
         "found 3",
         op_par_loop(reads_more, "reads_more", s,
                     op_arg_dat(f, 1, m, triple, "float", OP_READ),
                     DAT(g, triple, "float", OP_RW)));
  EXPECT("op_par_loop \"one_less\": argument 0" OUTSIDE
         "components 0 to 1 of \"a\", "
         "found -1",
         op_par_loop(one_less, "one_less", s, DAT(a, pair, "double", OP_READ),
                     DAT(b, pair, "double", OP_RW)));
  int two[2] = {1, 2};
  EXPECT("op_par_loop \"past_global\": argument 1" OUTSIDE
         "components 0 to 1, found 2",
         op_par_loop(past_global, "past_global", s,
                     DAT(b, pair, "double", OP_RW),
                     op_arg_gbl(two, pair, "int", OP_READ)));
  EXPECT("op_par_loop \"past_entry\": argument 0" OUTSIDE
         "entries 0 to 1 of \"a\", "
         "found 2",
         op_par_loop(past_entry, "past_entry", s,
                     op_arg_dat(a, all_of_two, m, pair, "double", OP_READ),
                     DAT(b, pair, "double", OP_RW)));
  EXPECT("op_par_loop \"past_row\": argument 0" OUTSIDE
         "components 0 to 1 of \"a\", "
         "found 2",
         op_par_loop(past_row, "past_row", s,
                     op_arg_dat(a, all_of_two, m, pair, "double", OP_READ),
                     DAT(b, pair, "double", OP_RW)));
  EXPECT("op_par_loop \"past_index\": argument 0" OUTSIDE
         "components 0 to 0, found 1",
         op_par_loop(past_index, "past_index", s, op_arg_idx(-1, OP_ID),
                     DAT(b, pair, "double", OP_RW)));
}

static void
from_text(void) {
  CHECK_INT(op2_kernel_source("texts", "void texts(double *b) { b[3] = 1; }"),
            0);
  EXPECT("op_par_loop \"texts\": argument 0" OUTSIDE
         "components 0 to 1 of \"b\", found 3",
         op_par_loop(NULL, "texts", s, DAT(b, 2, "double", OP_RW)));
}

static void
taken(void) {
  double v[2 * N];
  int dim = 2;
  op_par_loop(never, "never", s, DAT(b, 2, "double", OP_RW));
  op_par_loop(shapes, "shapes", s, op_arg_gbl(&dim, 1, "int", OP_READ),
              DAT(b, 2, "double", OP_RW));
  op_fetch_data(b, v);
  for (int e = 0; e < N; e++) {
    CHECK_REAL(v[2 * e], 1);
    CHECK_REAL(v[2 * e + 1], 3);
  }
  op_par_loop(maybe_none, "maybe_none", s,
              op_opt_arg_dat(0, a, -1, OP_ID, 2, "double", OP_READ),
              DAT(b, 2, "double", OP_RW));
  op_fetch_data(b, v);
  for (int e = 0; e < N; e++) CHECK_REAL(v[2 * e], 5);
  CHECK_INT(errors, 0);
}

int
main(int argc, char **argv) {
  static double two[2 * N];
  static float three[3 * N];
  static int table[2 * N];
  for (int i = 0; i < 2 * N; i++) table[i] = (i + 1) / 2 % N;
  check_start(argc, argv);
  op2_set_error_handler(on_error, NULL);
  s = op_decl_set(N, "s");
  m = op_decl_map(s, s, 2, table, "m");
  a = op_decl_dat(s, 2, "double", two, "a");
  b = op_decl_dat(s, 2, "double", two, "b");
  f = op_decl_dat(s, 3, "float", three, "f");
  g = op_decl_dat(s, 3, "float", three, "g");
  if (check_ir()) refused(); /* without IR nobody knows what a kernel does */
  from_text();
  taken();
  return check_end();
}
