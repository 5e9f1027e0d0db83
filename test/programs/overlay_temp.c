/* An overlay of a temporary keeps its memory, whichever of the two is freed first,
 * and what is declared next under the old name shares nothing with it. */
#include "check.h"

enum { N = 1000, JUNK = 64 };

static void
put(int *x) {
  *x = 7;
}
static void
add(int *x) {
  *x += 1;
}
static void
copy_of(const int *x, int *y) {
  *y = *x;
}

static op_set s;

static op_dat
temporary(void) {
  return op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
}

static void
all_are(op_dat d, int want) {
  static int got[N];
  op_fetch_data(d, got);
  for (int e = 0; e < N; e++) CHECK_INT(got[e], want);
}

/* What lies where the memory was, if that was freed. */
static void
spoil(char **junk) {
  for (int i = 0; i < JUNK; i++) {
    junk[i] = (char *)malloc(N * sizeof(int));
    memset(junk[i], 0x40, N * sizeof(int));
  }
}

static void
is_spoiled(char **junk) {
  for (int i = 0; i < JUNK; i++) {
    for (size_t k = 0; k < N * sizeof(int); k++) CHECK(junk[i][k] == 0x40);
    free(junk[i]);
  }
}

/* pending: the temporary goes while a loop on it waits. */
static void
outlives(int pending) {
  char *junk[JUNK];
  op_dat t = temporary();
  op_dat o = op_decl_dat_overlay(s, t);
  op_par_loop(put, "put", s, op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  if (!pending) op2_flush();
  CHECK_INT(op_free_dat_temp(t), 0);
  if (!pending) spoil(junk);
  op_par_loop(add, "add", s, op_arg_dat(o, -1, OP_ID, 1, "int", OP_RW));
  all_are(o, 8);
  if (!pending) is_spoiled(junk);

  op_dat u = temporary(); /* beside the overlay, in one loop */
  op_par_loop(copy_of, "copy_of", s,
              op_arg_dat(o, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(u, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(add, "add", s, op_arg_dat(o, -1, OP_ID, 1, "int", OP_RW));
  all_are(u, 8);
  all_are(o, 9);
  CHECK_INT(op_free_dat_temp(u), 0);
  CHECK_INT(op_free_dat_temp(o), 0);
}

/* The overlay goes first. */
static void
ends_before(void) {
  op_dat t = temporary();
  op_dat o = op_decl_dat_overlay(s, t), p = op_decl_dat_overlay(s, o);
  op_par_loop(put, "put", s, op_arg_dat(o, -1, OP_ID, 1, "int", OP_WRITE));
  CHECK_INT(op_free_dat_temp(o), 0);
  op_par_loop(add, "add", s, op_arg_dat(p, -1, OP_ID, 1, "int", OP_RW));
  CHECK_INT(op_free_dat_temp(p), 0);
  all_are(t, 8);
  CHECK_INT(op_free_dat_temp(t), 0);
}

int
main(int argc, char **argv) {
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  for (int i = 0; i < 3; i++) {
    outlives(0);
    outlives(1);
    ends_before();
  }
  return check_end();
}
