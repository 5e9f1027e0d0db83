/* dat->data on ranks that declare parts, in a program without MPI of its own: where all
 * come by a look, loops wait until then, as on one rank. One rank that looks alone is
 * served when the others next meet, with what they have recorded by then; a place
 * that holds the pointer works on all. From these on each loop runs at its call.
 *
 * RUN: 2 LOOKS=all
 * RUN: 2 LOOKS=alone
 * RUN: 3 LOOKS=alone OP2_CHECK=1
 * RUN: 3 LOOKS=alone OP2_TRACE_MAX_LOOPS=3
 * RUN: 3 LOOKS=alone OP2_REPRODUCIBLE=1
 * RUN: 2 LOOKS=alone OP2_TARGET=opencl
 * RUN: 2 LOOKS=write
 * RUN: 3 LOOKS=alone OP2_DECLARE=whole
 * RUN: 2 LOOKS=hold
 * RUN: 2 LOOKS=temporaries
 * RUN: 3 LOOKS=temporaries OP2_CHECK=1
 * RUN: 3 LOOKS=temporaries OP2_TRACE_MAX_LOOPS=3
 * RUN: 2 LOOKS=deeper OP2_HALO_LIMIT=6
 * RUN: 3 LOOKS=deeper
 */
#include "ring.h"

static op2_gbl sum;

static void
spread(void) {
  op_par_loop(add_next, "add_next", s,
              op_arg_dat(a, 0, next, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
}

static void
collect(void) {
  op_par_loop(add, "add", s, op_arg_dat(b, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(c, -1, OP_ID, 1, "int", OP_INC));
  op_par_loop(total, "total", s, op_arg_dat(c, -1, OP_ID, 1, "int", OP_READ),
              op2_arg_gbl(sum, 1, "int", OP_INC));
}

/* a[g] = g + 1; b, c: these times that. */
static int
value(int e) {
  return (first + e + 1) % size + 1;
}
#define CHECK_ROWS(dat, times)                                                 \
  for (int e = 0; e < s->size; e++)                                            \
  EXPECT(((int *)(dat)->data)[e], (times) * value(e))

static void
check_sum(int times) {
  int found, ones = size * (size + 1) / 2;
  op2_gbl_get(sum, &found);
  EXPECT(found, times * ones);
}

/* Loops wait, and run when all look. */
static void
all_look(void) {
  for (int step = 1; step <= 3; step++) {
    spread();
    spread();
    EXPECT(op2_pending() >= 2, 1);
    CHECK_ROWS(b, 2 * step);
    EXPECT(op2_pending(), 0);
  }
  collect();
  EXPECT(op2_pending(), 2);
  CHECK_ROWS(c, 6);
  check_sum(6);
}

static void
one_looks(void) {
  int zero = 0, last = size - 1, out = 0;
  spread();
  collect(); /* c = 1, sum = 1 */
  spread();  /* b = 2 */
  if (rank == 1) CHECK_ROWS(b, 2);
  if (rank == 1) EXPECT(op2_pending(), 0);
  collect(); /* c = 3, sum = 4 */
  op2_gbl_set(sum, &zero);
  collect(); /* c = 5, sum = 5 */
  spread();  /* b = 3 */
  if (rank == 0) CHECK_ROWS(c, 5);
  op_fetch_data_idx(b, &out, last, last);
  EXPECT(out, 3);
  EXPECT(op2_pending(), 0);
  check_sum(5);
  spread();
  CHECK_ROWS(b, 4);
}

static void
one_writes(void) {
  spread();
  collect(); /* c = 1 */
  if (rank == 1)
    for (int e = 0; e < s->size; e++) ((int *)b->data)[e] = 5 * value(e);
  collect(); /* c = 6 on rank 1, 2 elsewhere */
  spread();
  CHECK_ROWS(c, rank == 1 ? 6 : 2);
  CHECK_ROWS(b, rank == 1 ? 6 : 2);
}

static void
take_own(const int *own, int *to) {
  *to = *own;
}
/* b += what next has in `of`, c = its total, by way of a temporary and a global. */
static void
by_way_of_temporary(op_dat of) {
  op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
  op2_gbl own = op2_decl_gbl(1, "int", NULL, "own");
  op_par_loop(take, "take", s, op_arg_dat(of, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
  op_par_loop(add_next, "add_next", s,
              op_arg_dat(t, 0, next, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
  op_par_loop(total, "total", s, op_arg_dat(t, -1, OP_ID, 1, "int", OP_READ),
              op2_arg_gbl(own, 1, "int", OP_INC));
  op_par_loop(take_own, "take_own", s, op2_arg_gbl(own, 1, "int", OP_READ),
              op_arg_dat(c, -1, OP_ID, 1, "int", OP_WRITE));
  op_free_dat_temp(t);
  op2_free_gbl(own);
}

/* The rank that looked alone has slots of what was freed for what is declared
 * next; others, which still defer their loops, do not. */
static void
one_looks_amid_temporaries(void) {
  int ones = size * (size + 1) / 2, last = size - 1, out = 0;
  for (int step = 1; step <= 6; step++) {
    by_way_of_temporary(a);
    if (step == 2 && rank == 1) CHECK_ROWS(b, 2);
    if (step == 4) {
      op_fetch_data_idx(b, &out, last, last);
      EXPECT(out, 4);
    }
  }
  CHECK_ROWS(b, 6);
  for (int e = 0; e < s->size; e++) EXPECT(((int *)c->data)[e], ones);
}

/* Adds at other elements make sets be laid out anew, with a deeper halo, when the rank that
 * looks meets others, which have declared temporaries meanwhile. */
static void
one_looks_before_deeper_halos(void) {
  op_par_loop(add, "add", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
  op2_sync(b);
  op_par_loop(add, "add_next", s, op_arg_dat(a, 0, next, 1, "int", OP_READ),
              op_arg_dat(b, 0, next, 1, "int", OP_INC));
  op_par_loop(add, "add_next_of_b", s,
              op_arg_dat(b, 0, next, 1, "int", OP_READ),
              op_arg_dat(c, 0, next, 1, "int", OP_INC));
  if (rank == 1)
    for (int e = 0; e < s->size; e++)
      EXPECT(((int *)c->data)[e], 2 * (first + e + 1));
  op_dat u = op_decl_dat_temp(s, 1, "int", (int *)NULL, "u");
  op_par_loop(take, "take", s, op_arg_dat(c, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(u, -1, OP_ID, 1, "int", OP_WRITE));
  op_dat v = op_decl_dat_temp(s, 1, "int", (int *)NULL, "v");
  op2_sync(c);
  for (int e = 0; e < s->size; e++)
    EXPECT(((int *)u->data)[e], 2 * (first + e + 1));
  op_free_dat_temp(u);
  op_free_dat_temp(v);
}

static void
all_hold(void) {
  spread();
  int *kept = (int *)b->data;
  collect();
  for (int step = 2; step <= 4; step++) {
    spread();
    for (int e = 0; e < s->size; e++) EXPECT(kept[e], step * value(e));
  }
  kept[0] = 0;
  collect();
  EXPECT(((int *)c->data)[0], value(0));
}

int
main(int argc, char **argv) {
  ring_start(argc, argv);
  sum = op2_decl_gbl(1, "int", NULL, "sum");
  static const struct ring_way ways[] = {
      {"all", all_look},
      {"alone", one_looks},
      {"write", one_writes},
      {"hold", all_hold},
      {"temporaries", one_looks_amid_temporaries},
      {"deeper", one_looks_before_deeper_halos}};
  return ring_play(ways, sizeof ways / sizeof *ways);
}
