/* Maps that are declared between loops, as of particles that move through cells. A map
 * with rows that were there before fits the halos as they are: sets are not spread
 * anew. Others may fit or not, near ones and, in the last steps, any: values are those of
 * plain C. Deep halos: loops through the new map, one through an old one, and the
 * next step are one slice.
 *
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 3 OP2_HALO_LIMIT=6 OP2_CHECK=1
 * RUN: 4 OP2_EAGER=1
 * RUN: 3 OP2_RENUMBER=rcm OP2_HALO_LIMIT=4
 * RUN: 2 OP2_TARGET=opencl
 */
#include "slice.h"

#include "../programs/check.h"

enum { CELLS = 60, POINTS = 90, STEPS = 36, FAR = 24, MOD = 1009 };

static int q[CELLS], r[POINTS], at[2 * POINTS], ring[CELLS];
static int got[CELLS], got_r[POINTS], sum[CELLS];

static void
take(const int *a, const int *b, int *r) {
  *r = (3 * *a + *b) % MOD;
}

static void
spread(const int *r, int *a, int *b) {
  *a += *r;
  *b += *r + 1;
}

static void
smooth(int *sum, const int *q, const int *next, int *out) {
  *out = (*sum + *q + 2 * *next) % MOD;
  *sum = 0;
}

static void
keep(const int *from, int *to) {
  *to = *from;
}

static int
draw(int n) {
  static unsigned state = 5;
  state = state * 1664525 + 1013904223;
  return (int)(state >> 8) % n;
}

/* Rows of this step: as before, near home, or anywhere. */
static void
points_move(int step) {
  for (int p = 0; p < POINTS && step % 2 == 0; p++)
    for (int k = 0; k < 2; k++) {
      int reach = step < FAR / 2 ? 1 : 2, home = p * CELLS / POINTS;
      int near = home + draw(2 * reach + 1) - reach + CELLS;
      at[2 * p + k] = step < FAR ? near % CELLS : draw(CELLS);
    }
}

static void
reference(void) {
  int next[CELLS];
  for (int c = 0; c < CELLS; c++) sum[c] = 0;
  for (int p = 0; p < POINTS; p++) {
    r[p] = (3 * q[at[2 * p]] + q[at[2 * p + 1]]) % MOD;
    sum[at[2 * p]] += r[p];
    sum[at[2 * p + 1]] += r[p] + 1;
  }
  for (int c = 0; c < CELLS; c++)
    next[c] = (sum[c] + q[c] + 2 * q[ring[c]]) % MOD;
  memcpy(q, next, sizeof q);
}

struct mesh {
  op_set cells, points;
  op_map ring;
  op_dat q, sum, next, r;
};

#define VIA(x, i, m, acc) op_arg_dat(x, i, m, 1, "int", acc)
#define OWN(x, acc) op_arg_dat(x, -1, OP_ID, 1, "int", acc)

static void
loops(const struct mesh *m, op_map at) {
  op_par_loop(take, "take", m->points, VIA(m->q, 0, at, OP_READ),
              VIA(m->q, 1, at, OP_READ), OWN(m->r, OP_WRITE));
  op_par_loop(spread, "spread", m->points, OWN(m->r, OP_READ),
              VIA(m->sum, 0, at, OP_INC), VIA(m->sum, 1, at, OP_INC));
  op_par_loop(smooth, "smooth", m->cells, OWN(m->sum, OP_RW),
              OWN(m->q, OP_READ), VIA(m->q, 0, m->ring, OP_READ),
              OWN(m->next, OP_WRITE));
  op_par_loop(keep, "keep", m->cells, OWN(m->next, OP_READ),
              OWN(m->q, OP_WRITE));
}

int
main(int argc, char **argv) {
  struct mesh m;
  check_start(argc, argv);
  for (int c = 0; c < CELLS; c++) {
    q[c] = draw(MOD);
    ring[c] = (c + 1) % CELLS;
  }
  m.cells = op_decl_set(CELLS, "cells");
  m.points = op_decl_set(POINTS, "points");
  m.ring = op_decl_map(m.cells, m.cells, 1, ring, "ring");
  m.q = op_decl_dat(m.cells, 1, "int", q, "q");
  m.sum = op_decl_dat(m.cells, 1, "int", sum, "sum");
  m.next = op_decl_dat(m.cells, 1, "int", sum, "next");
  m.r = op_decl_dat(m.points, 1, "int", r, "r");
  for (int step = 0; step < STEPS; step++) {
    char name[16];
    long long before = op2_counter("spreads");
    points_move(step);
    snprintf(name, sizeof name, "at%d", step);
    loops(&m, op_decl_map(m.points, m.cells, 2, at, name));
    reference();
    if (step % 2) CHECK_INT(op2_counter("spreads"), before);
    if (step % 3 < 2 && step < STEPS - 1) continue;
    op_fetch_data(m.q, got);
    CHECK_INTS(got, q, CELLS);
    op_fetch_data(m.r, got_r);
    CHECK_INTS(got_r, r, POINTS);
  }
  CHECK(op2_counter("spreads") > 0);
  return check_end();
}
