/* What messages say beyond what is wrong: the first line of a call that goes over
 * several, and what is likely meant. And the timing table has the plans. */
#include "check.h"

#include "op_lib_core.h"

enum { N = 4000 };

static char message[1024];
static void
note(int status, const char *text, void *user) {
  (void)status;
  (void)user;
  snprintf(message, sizeof message, "%s", text);
}
static void
says(int line, const char *text) {
  char place[64];
  snprintf(place, sizeof place, "messages.c:%d: ", line);
  if (!strstr(message, place) || !strstr(message, text))
    check_fail(__FILE__, line, "expected %s ... %s, found %s", place, text,
               message);
  *message = 0;
}

static void
add(double *a, double *b) {
  *a += 1;
  *b += 1;
}

/* The calls' own layout is what is tested. */
/* clang-format off */
static void
first_lines(op_set s, op_dat d) {
  int line = __LINE__ + 1;
  op_par_loop(
    add, "add", s,
    op_arg_dat(d, -1, OP_ID, 1, "double",
               OP_RW)
  );
  says(line, "number of arguments");
  line = __LINE__ + 1;
  op_decl_dat(
    s, 0,
    "double", (double *)NULL,
    "none");
  says(line, "dim: expected 1 or more");
  line = __LINE__ + 2;
  op_dat x =
    op_decl_dat_temp(s, 1,
      "double", (float *)NULL,
      "x"
    );
  says(line, "wrong type");
  CHECK(!x);
}
/* clang-format on */

static void
tables_from_one(op_set s, op_set t) {
  static int table[2 * N];
  for (int e = 0; e < 2 * N; e++) table[e] = e / 2 + 1;
  CHECK(!op_decl_map(s, t, 2, table, "from one"));
  says(__LINE__ - 1, "does the table count from 1 (OP_MAPS_BASE_INDEX=1)?");
  table[0] = -1;
  CHECK(!op_decl_map(s, t, 2, table, "below"));
  CHECK(!strstr(message, "count from 1"));
}

static void
plan_time(op_set s, op_set t) {
  static int table[2 * N];
  for (int e = 0; e < 2 * N; e++) table[e] = (e * 7 + e / 2) % N;
  op_map m = op_decl_map(s, t, 2, table, "m");
  op_dat d = op_decl_dat(t, 1, "double", (double *)NULL, "sums");
  op_par_loop(add, "add", s, op_arg_dat(d, 0, m, 1, "double", OP_INC),
              op_arg_dat(d, 1, m, 1, "double", OP_INC));
  op_timing_output();
  CHECK((OP_plan_time > 0) == (op2_counter("plans") > 0));
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s"), t = op_decl_set(N, "t");
  op_dat d = op_decl_dat(s, 1, "double", (double *)NULL, "d");
  op2_set_error_handler(note, NULL);
  if (check_ir()) first_lines(s, d); /* op2cc knows them, and gcc */
  tables_from_one(s, t);
  op2_set_error_handler(NULL, NULL);
  plan_time(s, t);
  return check_end();
}
