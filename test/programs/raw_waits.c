/* Raw globals whose every use op2cc sees: results wait until they are read, so
 * that loops of several steps run together. An explicit solver on a ring of
 * cells as OP2 programs have them, with a residual that is set to zero twice a
 * step and read now and then; then frames that end in all ways while something
 * is owed to them, and looks in all places. All against plain C. */
#include "check.h"

#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 40, STEPS = 30, EVERY = 10 };

static op_set cells, edges;
static op_map ends;
static op_dat q, old, res;

static void
save(const int *q, int *old) {
  *old = *q;
}
static void
flux(const int *a, const int *b, int *ra, int *rb) {
  int f = *a - *b;
  *ra -= f;
  *rb += f;
}
static void
update(const int *old, int *q, int *res, int *rms) {
  int del = (*old + *res) % 100 - *old;
  *q = *old + del;
  *res = 0;
  *rms += del * del;
}
static void
count(const int *q, int *n) {
  *n += *q > 0;
}
static void
most(const int *q, int *n) {
  *n = *q > *n ? *q : *n;
}

/* Do results wait? */
static bool
waits(void) {
  const char *mirror = getenv("OP2_MIRROR");
  return check_lazy() && !(mirror && atoi(mirror));
}

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)
#define VIA(d, i, acc) op_arg_dat(d, i, ends, 1, "int", acc)
#define GBL(p, acc) op_arg_gbl(p, 1, "int", acc)

static void
declare(int *values) {
  static int table[2 * N], zero[N];
  for (int e = 0; e < N; e++) {
    table[2 * e] = e;
    table[2 * e + 1] = (e + 1) % N;
    values[e] = e * 37 % 100;
  }
  cells = op_decl_set(N, "cells");
  edges = op_decl_set(N, "edges");
  ends = op_decl_map(edges, cells, 2, table, "ends");
  q = op_decl_dat(cells, 1, "int", values, "q");
  old = op_decl_dat(cells, 1, "int", zero, "old");
  res = op_decl_dat(cells, 1, "int", zero, "res");
}

/* ---- the solver ---------------------------------------------------------- */

static int
ref_step(int *u) {
  int rms = 0, r[N] = {0}, was[N];
  memcpy(was, u, sizeof was);
  for (int k = 0; k < 2; k++) {
    rms = 0;
    for (int e = 0; e < N; e++) {
      int *rb = &r[(e + 1) % N];
      flux(&u[e], &u[(e + 1) % N], &r[e], rb);
    }
    for (int e = 0; e < N; e++) update(&was[e], &u[e], &r[e], &rms);
  }
  return rms;
}

static void
solve(int *values) {
  int rms = 0, expected = 0, flushes = (int)op2_counter("flushes");
  for (int step = 1; step <= STEPS; step++) {
    op_par_loop(save, "save", cells, OWN(q, OP_READ), OWN(old, OP_WRITE));
    for (int k = 0; k < 2; k++) {
      rms = 0;
      op_par_loop(flux, "flux", edges, VIA(q, 0, OP_READ), VIA(q, 1, OP_READ),
                  VIA(res, 0, OP_INC), VIA(res, 1, OP_INC));
      op_par_loop(update, "update", cells, OWN(old, OP_READ), OWN(q, OP_WRITE),
                  OWN(res, OP_RW), GBL(&rms, OP_INC));
    }
    expected = ref_step(values);
    if (step % EVERY) continue;
    if (waits()) CHECK_INT(op2_pending(), 5 * EVERY);
    CHECK_INT(rms, expected);
  }
  if (waits()) CHECK_INT(op2_counter("flushes") - flushes, STEPS / EVERY);
}

/* ---- frames -------------------------------------------------------------- */

static int above; /* of the reference: cells above zero */
static jmp_buf back;

#define COUNT(p)                                                               \
  op_par_loop(count, "count", cells, OWN(q, OP_READ), GBL(p, OP_INC))

__attribute__((noinline)) static int
counted(int start) {
  int n = start;
  COUNT(&n);
  return n;
}
__attribute__((noinline)) static void
unread(void) {
  int n = 1000;
  COUNT(&n);
}
__attribute__((noinline)) static void
jumps(void) {
  int n[4] = {1000, 1000, 1000, 1000};
  COUNT(&n[0]);
  COUNT(&n[3]);
  longjmp(back, 1);
}
/* What is owed to frames that are gone must not come here. */
__attribute__((noinline)) static int
untouched(void) {
  int n[16], sum = 0;
  for (int i = 0; i < 16; i++) n[i] = i;
  op2_flush();
  for (int i = 0; i < 16; i++) sum += n[i];
  return sum;
}
__attribute__((noinline)) static int
depths(int depth) {
  int n = depth;
  COUNT(&n);
  if (depth) n += depths(depth - 1);
  return n;
}

static void
frames(void) {
  unread();
  CHECK_INT(untouched(), 120);
  CHECK_INT(counted(5), above + 5);
  if (!setjmp(back)) jumps();
  CHECK_INT(untouched(), 120);
  CHECK_INT(counted(6), above + 6);
  CHECK_INT(depths(4), 5 * above + 10);
}

/* ---- looks --------------------------------------------------------------- */

static int total, pair[2];

static void
add_to_total(void) {
  COUNT(&total);
}

static void
statics(void) {
  add_to_total();
  add_to_total();
  CHECK_INT(total, 2 * above);
  total++;
  add_to_total();
  pair[0] = 7;
  COUNT(&pair[1]);
  pair[0]++;
  CHECK_INT(pair[0] + pair[1], above + 8);
  CHECK_INT(total, 3 * above + 1);
}

static void
starts(int high) {
  int n = 3, m = 1000, chosen = 0;
  COUNT(&n);
  COUNT(&n);
  op_par_loop(most, "most", cells, OWN(q, OP_READ), GBL(&m, OP_MAX));
  CHECK_INT(m, 1000);
  m = -5;
  op_par_loop(most, "most", cells, OWN(q, OP_READ), GBL(&m, OP_MAX));
  COUNT(&chosen);
  if (high > 50) chosen = 0;
  CHECK_INT(chosen, high > 50 ? 0 : above);
  CHECK_INT(n, 2 * above + 3);
  CHECK_INT(m, high);
}

/* A child of fork has what its parent would have. */
static void
child(void) {
  int n = 0, status = 1;
  if (check_ranks() > 1 || check_device()) return;
  COUNT(&n);
  fflush(stdout);
  pid_t pid = fork();
  if (!pid) _exit(n == above ? 0 : 1);
  CHECK_INT(waitpid(pid, &status, 0), pid);
  CHECK_INT(status, 0);
  CHECK_INT(n, above);
}

int
main(int argc, char **argv) {
  int values[N], high = -5, last = 0;
  check_start(argc, argv);
  declare(values);
  solve(values);
  for (int e = 0; e < N; e++) {
    above += values[e] > 0;
    if (values[e] > high) high = values[e];
  }
  frames();
  statics();
  starts(high);
  child();
  COUNT(&last);
  op_exit();
  CHECK_INT(last, above);
  op_init(argc, argv, 0); /* check_end ends it */
  return check_end();
}
