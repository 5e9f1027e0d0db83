/* Every wrong call of a loop gives one message that names file:line, loop,
 * argument (from 0), what was expected and what was found, and has no
 * effect. */
#include "check.h"

enum { N = 10, M = 7 };

static int nmessages;
static int last_status;
static char message[4096];

static void
on_error(int status, const char *text, void *user) {
  CHECK(user == message);
  nmessages++;
  last_status = status;
  snprintf(message, sizeof message, "%s", text);
}

/* Does the message begin with a place in this file at `line`? Of a call over
 * several lines compilers name the first or the last one. */
static int
names_place(int line) {
  const char *at = strstr(message, "errors.c:");
  int found = at ? atoi(at + strlen("errors.c:")) : 0;
  return found >= line - 3 && found <= line + 3;
}

/* One message since the last check, and all `words` in it. */
static void
check_message(int line, const char *const *words) {
  if (nmessages != 1)
    check_fail(__FILE__, line, "%d messages, expected one", nmessages);
  else if (!names_place(line))
    check_fail(__FILE__, line, "no 'errors.c:%d' in '%s'", line, message);
  else if (last_status != OP2_ERR_ARG)
    check_fail(__FILE__, line, "status %d of '%s'", last_status, message);
  for (; nmessages == 1 && *words; words++)
    if (!strstr(message, *words))
      check_fail(__FILE__, line, "no '%s' in '%s'", *words, message);
  nmessages = 0;
}

#define WRONG(call, ...)                                                       \
  do {                                                                         \
    call;                                                                      \
    check_message(__LINE__, (const char *const[]){__VA_ARGS__, NULL});         \
  } while (0)

static void
change(int *a, int *b) {
  if (a) *a += 1;
  if (b) *b += 1;
}
static void
most(int *a, int *g, int *where) {
  *g = *a > *g ? *a : *g;
  *where = 0;
}

static op_set s, t;
static op_map st, ts;
static op_dat a, b, x, two;

static void
declare(void) {
  int to_t[N][2], to_s[M];
  for (int e = 0; e < N; e++) {
    to_t[e][0] = e % M;
    to_t[e][1] = (e + 1) % M;
  }
  for (int e = 0; e < M; e++) to_s[e] = e;
  s = op_decl_set(N, "rows");
  t = op_decl_set(M, "columns");
  st = op_decl_map(s, t, 2, &to_t[0][0], "to_columns");
  ts = op_decl_map(t, s, 1, to_s, "to_rows");
  a = op_decl_dat(s, 1, "int", (int *)NULL, "dat_a");
  b = op_decl_dat(s, 1, "int", (int *)NULL, "dat_b");
  x = op_decl_dat(t, 1, "int", (int *)NULL, "dat_x");
  two = op_decl_dat(s, 2, "double", (double *)NULL, "dat_two");
  CHECK(s && t && st && ts && a && b && x && two);
}

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define LOOP1(second) op_par_loop(change, "change", s, OWN(a, OP_RW), second)
#define ARG1 "op_par_loop", "\"change\"", "argument 1"

static void
sets_and_maps(void) {
  WRONG(LOOP1(OWN(x, OP_RW)), ARG1, "expected", "rows", "found", "columns");
  WRONG(LOOP1(op_arg_dat(x, 0, ts, 1, "int", OP_RW)), ARG1, "map", "to_rows",
        "expected", "found");
  WRONG(LOOP1(op_arg_dat(b, 0, st, 1, "int", OP_RW)), ARG1, "map", "to_columns",
        "expected", "found");
  WRONG(LOOP1(op_arg_dat(x, 2, st, 1, "int", OP_RW)), ARG1, "index",
        "to_columns", "expected", "found 2");
  WRONG(LOOP1(op_arg_dat(x, -3, st, 1, "int", OP_RW)), ARG1, "index",
        "to_columns", "found -3");
  WRONG(LOOP1(op_arg_dat(b, -3, OP_ID, 1, "int", OP_RW)), ARG1, "vector",
        "found -3");
  WRONG(LOOP1(op_arg_idx(2, st)), ARG1, "expected", "found 2");
  WRONG(LOOP1(op2_arg_idx_long(2, st)), ARG1, "expected", "found 2");
  WRONG(LOOP1(op2_arg_idx_long(-2, st)), ARG1,
        "index of op2_arg_idx_long: expected 0 to 1, found -2");
  WRONG(LOOP1(op2_arg_idx_long(0, ts)), ARG1, "wrong map", "to_rows");
  WRONG(op_par_loop(change, "change", (op_set)NULL, OWN(a, OP_RW),
                    OWN(b, OP_RW)),
        "op_par_loop", "\"change\"", "set");
  WRONG(LOOP1(op_arg_dat(NULL, -1, OP_ID, 1, "int", OP_RW)), ARG1, "dat",
        "found");
}

static void
dims_types_accesses(void) {
  static int g;
  static double real;
  WRONG(LOOP1(op_arg_dat(b, -1, OP_ID, 2, "int", OP_RW)), ARG1, "dim",
        "expected 1", "dat_b", "found 2");
  WRONG(LOOP1(op_arg_dat(two, -1, OP_ID, 1, "double", OP_RW)), ARG1, "dim",
        "expected 2", "dat_two", "found 1");
  WRONG(LOOP1(op_arg_dat(b, -1, OP_ID, 1, "double", OP_RW)), ARG1, "type",
        "expected \"int\"", "dat_b", "found \"double\"");
  WRONG(LOOP1(op_arg_dat(b, -1, OP_ID, 1, "uint", OP_RW)), ARG1, "type",
        "expected \"int\"", "found \"uint\"");
  WRONG(LOOP1(OWN(b, 17)), ARG1, "access", "expected", "found", "17");
  WRONG(LOOP1(OWN(b, OP_WORK)), ARG1, "access", "expected", "OP_MAX",
        "OP_WORK");
  WRONG(LOOP1(op_arg_gbl(&g, 1, "int", 42)), ARG1, "access", "42");
  WRONG(LOOP1(op_arg_gbl(&g, 0, "int", OP_READ)), ARG1, "dim", "found 0");
  WRONG(LOOP1(op_arg_gbl(&real, 1, "int", OP_READ)), ARG1, "type", "expected",
        "found");
  WRONG(LOOP1(op_arg_gbl((int *)NULL, 1, "int", OP_READ)), ARG1, "found");
}

static void
payloads(void) {
  static int g, where;
  WRONG(op_par_loop(most, "most", s, OWN(a, OP_READ),
                    op_arg_gbl(&g, 1, "int", OP_INC),
                    op_arg_info(&where, 1, "int", 1)),
        "\"most\"", "argument 2", "expected", "found 1");
  WRONG(op_par_loop(most, "most", s, OWN(a, OP_READ),
                    op_arg_gbl(&g, 1, "int", OP_MAX),
                    op_arg_info(&where, 1, "int", 5)),
        "\"most\"", "argument 2", "expected", "found 5");
}

static void
kernels(void) {
  WRONG(op_par_loop(NULL, "nobody", s, OWN(a, OP_RW)), "\"nobody\"", "kernel",
        "found NULL");
  if (!check_ir()) return; /* only IR tells how many parameters there are */
  WRONG(op_par_loop(change, "change", s, OWN(a, OP_RW)), "\"change\"",
        "expected 2", "found 1");
  WRONG(op_par_loop(change, "change", s, OWN(a, OP_RW), OWN(b, OP_RW),
                    OWN(b, OP_RW)),
        "\"change\"", "expected 2", "found 3");
}

static void
declarations(void) {
  int table[N][1];
  op_set none = NULL;
  for (int e = 0; e < N; e++) table[e][0] = e % M;
  table[4][0] = M;
  WRONG(CHECK(!op_decl_map(s, t, 1, &table[0][0], "outside")), "\"outside\"",
        "element 4", "columns", "found 7");
  table[4][0] = -1;
  WRONG(CHECK(!op_decl_map(s, t, 1, &table[0][0], "below")), "\"below\"",
        "element 4", "found -1");
  WRONG(CHECK(!op_decl_map(s, t, 1, (int *)NULL, "empty")), "\"empty\"",
        "found NULL");
  WRONG(CHECK(!op_decl_map(s, t, 0, &table[0][0], "no_dim")), "\"no_dim\"",
        "found 0");
  WRONG(CHECK(!op_decl_map(s, none, 1, &table[0][0], "no_set")), "\"no_set\"");
  WRONG(CHECK(!op_decl_set(-1, "negative")), "\"negative\"", "found -1");
  WRONG(CHECK(!op_decl_dat(s, 0, "int", (int *)NULL, "flat")), "\"flat\"",
        "found 0");
  WRONG(CHECK(!op_decl_dat(s, 1, "double", &table[0][0], "other")), "\"other\"",
        "found \"double\"");
  WRONG(CHECK(!op_decl_dat(none, 1, "int", (int *)NULL, "lost")), "\"lost\"");
}

static void
looks(void) {
  int out[N];
  double wrong[N];
  WRONG(op_fetch_data((op_dat)NULL, out), "op_fetch_data", "found");
  WRONG(op_fetch_data(a, wrong), "dat_a", "type", "\"int\"", "\"double\"");
  WRONG(op_fetch_data_idx(a, out, 3, N), "dat_a", "expected", "found 3 and 10");
  WRONG(op_fetch_data_idx(a, out, 3, 2), "dat_a", "found 3 and 2");
  WRONG(op2_sync((op_dat)NULL), "op2_sync");
}

/* What is off takes part in no check. */
static void
switched_off(void) {
  int out[N];
  LOOP1(op_opt_arg_dat(0, NULL, 99, ts, 5, "float", 17));
  CHECK_INT(nmessages, 0);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 1);
}

int
main(int argc, char **argv) {
  int out[N];
  op2_set_error_handler(on_error, message);
  check_start(argc, argv);
  declare();
  CHECK_INT(nmessages, 0);
  long long loops = op2_counter("loops");
  sets_and_maps();
  dims_types_accesses();
  payloads();
  kernels();
  declarations();
  looks();
  CHECK_INT(op2_counter("loops"), loops);
  CHECK_INT(op2_pending(), 0);
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 0);
  switched_off();
  return check_end();
}
