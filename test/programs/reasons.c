/* Why loops ran: op2_explain's first line and a counter for each reason. */
#include "check.h"

enum { N = 50, MOST = 7 };

static op_set s;
static op_dat d;
static op2_gbl sum;

static void
add(double *x, double *g) {
  *x += 1;
  *g += *x;
}
static void
grow(double *x) {
  *x *= 2;
}

static void
record_grow(void) {
  op_par_loop(grow, "grow", s, op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW));
}

/* One more flush for this reason than before, and op2_explain says why: it has all
 * of the words. */
static void
expect(int line, const char *counter, long long before, const char *words,
       const char *more) {
  const char *text = op2_explain();
  const char *end = strchr(text, '\n');
  if (op2_counter(counter) != before + 1)
    check_fail(__FILE__, line, "%s is %lld, expected %lld", counter,
               op2_counter(counter), before + 1);
  const char *at = strstr(text, words), *also = strstr(text, more);
  if (strncmp(text, "flush: because ", 15) || !at || at > end || !also ||
      also > end)
    check_fail(__FILE__, line, "expected \"%s\" and \"%s\" in: %.*s", words,
               more, (int)(end - text), text);
}
#define EXPECT(counter, words, more)                                           \
  expect(__LINE__, "flushes_" counter, before, words, more)
#define COUNT(counter) long long before = op2_counter("flushes_" counter)

static void
looks(void) {
  static double values[N];
  {
    COUNT("dat");
    record_grow();
    op_fetch_data(d, values);
    EXPECT("dat", ": dat \"size\", by op_fetch_data (", "reasons.c:");
  }
  COUNT("handle");
  double got;
  op_par_loop(add, "add", s, op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW),
              op2_arg_gbl(sum, 1, "double", OP_INC));
  op2_gbl_get(sum, &got);
  EXPECT("handle", ": global \"sum\"", "by op2_gbl_get");
}

static void
raw(void) {
  static double kept[2]; /* its address leaves op2cc's sight */
  double *volatile at = kept;
  COUNT("raw");
  op_par_loop(add, "add", s, op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(at, 1, "double", OP_INC));
  EXPECT("raw", ": argument 1 of loop \"add\", by op_par_loop (", "reasons.c:");
}

static void
bounds(void) {
  {
    COUNT("full");
    for (int k = 0; k < MOST; k++) record_grow();
    EXPECT("full", "as much waits as may", "op_par_loop");
  }
  COUNT("asked");
  record_grow();
  op2_flush();
  EXPECT("asked", "the program asks for it", "by op2_flush");
  op2_flush(); /* nothing waits: it is none */
  CHECK_INT(op2_counter("flushes_asked"), before + 1);
}

static void
at_call(void) {
  long long call = op2_counter("flushes_call");
  COUNT("kernel");
  record_grow();
  if (op2_counter("flushes_call") == call) {
    EXPECT("kernel", "a kernel does more than to write its arguments",
           "reasons.c:");
    return;
  }
  before = call;
  EXPECT("call", "a loop has to run at its call", "reasons.c:");
}

int
main(int argc, char **argv) {
  static double values[N];
  setenv("OP2_TRACE_MAX_LOOPS", "7", 1);
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  d = op_decl_dat(s, 1, "double", values, "size");
  sum = op2_decl_gbl(1, "double", (double[]){0}, "sum");
  if (check_lazy()) {
    looks();
    raw();
    bounds();
  } else {
    at_call();
  }
  return check_end();
}
