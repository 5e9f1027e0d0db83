/* Temporaries start at zero, also for loops that wait and write some elements
 * only, whatever memory they get, and whatever the program writes there
 * meanwhile: small ones, and some whose pages are mapped. */
#include "check.h"

#include <stddef.h>

static int n; /* elements of the set, and how many of these are in part */
enum { PART = 3 };

static void
put(const int *e, int *t) {
  *t = *e + 1;
}
static void
take(const int *t, int *y) {
  *y += *t;
}
static void
fill(int *t) {
  *t = -1;
}

/* The field is reached by hand: op2cc would put a look before the writes. */
static int *
mirror(op_dat d) {
  return *(int **)((char *)d + offsetof(struct op_dat_core, data));
}

static op_dat
temporary(op_set s, const char *name) {
  return op_decl_dat_temp(s, 1, "int", (int *)NULL, name);
}

/* Memory of this size that holds other numbers goes back to the library. */
static void
leave_numbers(op_set s) {
  op_dat t = temporary(s, "used");
  op_par_loop(fill, "fill", s, op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op2_sync(t);
  CHECK_INT(op_free_dat_temp(t), 0);
  op2_flush();
}

/* y += t, of which a loop has written part. */
static void
add_part(op_set s, op_set part, op_dat t, op_dat y) {
  op_par_loop(put, "put", part, op_arg_idx(-1, OP_ID),
              op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(take, "take", s, op_arg_dat(t, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "int", OP_INC));
}

static void
expect(op_dat y, int times) {
  int *got = malloc((size_t)n * sizeof *got);
  op_fetch_data(y, got);
  for (int e = 0; e < n; e++) CHECK_INT(got[e], e < PART ? times * (e + 1) : 0);
  free(got);
}

static void
play(int size) {
  int at[PART] = {0, 1, 2};
  n = size;
  op_set s = op_decl_set(n, "s"), part = op2_decl_subset(s, PART, at, "part");
  op_dat y = op_decl_dat(s, 1, "int", (int *)NULL, "y");
  leave_numbers(s);
  op_dat t = temporary(s, "t"), u = temporary(s, "u");
  add_part(s, part, t, y);
  CHECK_INT(op_free_dat_temp(t), 0);
  expect(y, 1);
  leave_numbers(s);
  add_part(s, part, u, y);
  for (int e = 0; e < n; e++) mirror(u)[e] = 1000;
  op_upload_dat(u);
  expect(y, 2);
  int *got = malloc((size_t)n * sizeof *got);
  op_fetch_data(u, got);
  for (int e = 0; e < n; e++) CHECK_INT(got[e], 1000);
  free(got);
  CHECK_INT(op_free_dat_temp(u), 0);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  play(50);
  play(100000);
  play(1 << 20);
  return check_end();
}
