/* dat->data as plain memory: read after loops, written before them, kept over
 * them. Where op2cc sees the place, nothing runs before it is reached, and code
 * that is never reached costs nothing. */
#include "check.h"

enum { N = 30 };

static void
add_one(int *a) {
  *a += 1;
}
static void
copy(const int *a, int *b) {
  *b = *a;
}

static op_set s;

/* Will loops wait? On several ranks they don't, since nobody else comes by. */
static int
waits(void) {
  return check_lazy() && check_ranks() == 1;
}

static op_dat
declare(const char *name) {
  int zero[N] = {0};
  return op_decl_dat(s, 1, "int", zero, name);
}
static void
loop(op_dat d) {
  op_par_loop(add_one, "add_one", s, op_arg_dat(d, -1, OP_ID, 1, "int", OP_RW));
}
static int
entry(op_dat d, int e) {
  return ((int *)d->data)[e];
}

static void
reads(void) {
  op_dat a = declare("a"), b = declare("b");
  for (int i = 1; i <= 3; i++) {
    loop(a);
    loop(b);
    if (waits()) CHECK(op2_pending() > 0);
    for (int e = 0; e < N; e++) CHECK_INT(entry(a, e), i);
  }
  if (waits() && !check_disabled("slice"))
    CHECK(op2_pending() > 0); /* b was not needed */
  CHECK_INT(entry(b, N - 1), 3);
}

static void
writes(void) {
  int out[N];
  op_dat a = declare("c"), b = declare("d");
  for (int i = 0; i < 3; i++) {
    loop(a);
    for (int e = 0; e < N; e++) ((int *)a->data)[e] += e;
    op_par_loop(copy, "copy", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_WRITE));
    ((int *)a->data)[0] = 0; /* after a loop that reads it */
  }
  op_fetch_data(b, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], e ? 3 + 3 * e : 1);
}

static void
keeps(void) {
  int out[N];
  op_dat a = declare("e"), b = declare("f");
  loop(a);
  int *p = (int *)a->data;
  for (int i = 2; i <= 4; i++) {
    loop(a);
    for (int e = 0; e < N; e++) CHECK_INT(p[e], i + (i - 2) * 10);
    for (int e = 0; e < N; e++) p[e] += 10;
    loop(b);
    if (waits()) CHECK(op2_pending() > 0);
  }
  op_fetch_data(a, out);
  for (int e = 0; e < N; e++) CHECK_INT(out[e], 34);
  CHECK_INT(entry(b, 0), 3);
}

/* What a temporary holds begins and ends with it. */
static void
temporaries(void) {
  for (int i = 0; i < 3; i++) {
    op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
    CHECK_INT(entry(t, 1), 0);
    loop(t);
    const int *p = (const int *)t->data;
    loop(t);
    CHECK_INT(p[N - 1], 2);
    CHECK_INT(op_free_dat_temp(t), 0);
  }
}

int
main(int argc, char **argv) {
  const char *mode = getenv("OP2_MIRROR");
  check_start(argc, argv);
  if (mode && !strcmp(mode, "0")) return check_end(); /* not what it promises */
  s = op_decl_set(N, "s");
  reads();
  writes();
  keeps();
  temporaries();
  return check_end();
}
