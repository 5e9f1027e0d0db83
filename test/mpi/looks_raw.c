/* Raw globals whose results wait, on ranks that declare parts, in a program without MPI
 * of its own: where all read a result, loops wait until then, as on one rank. One rank
 * that reads alone is served when the others next meet, with what they have recorded by
 * then, and results are delivered at the call from there on.
 *
 * RUN: 2 LOOKS=all
 * RUN: 3 LOOKS=all OP2_CHECK=1
 * RUN: 2 LOOKS=all OP2_TARGET=opencl
 * RUN: 2 LOOKS=alone
 * RUN: 3 LOOKS=alone OP2_CHECK=1
 * RUN: 3 LOOKS=alone OP2_TRACE_MAX_LOOPS=3
 * RUN: 3 LOOKS=alone OP2_REPRODUCIBLE=1
 * RUN: 2 LOOKS=alone OP2_TARGET=opencl
 * RUN: 2 LOOKS=alone OP2_EAGER=1
 * RUN: 3 LOOKS=alone OP2_MIRROR=1
 * RUN: 3 LOOKS=alone OP2_TIERS=always
 * RUN: 2 LOOKS=unread
 * RUN: 3 LOOKS=unread OP2_CHECK=1
 * RUN: 3 LOOKS=order
 * RUN: 3 LOOKS=order OP2_TRACE_MAX_LOOPS=2
 * RUN: 3 LOOKS=handles
 * RUN: 3 LOOKS=handles OP2_CHECK=1
 * RUN: 2 LOOKS=dats
 * RUN: 3 LOOKS=dats OP2_CHECK=1
 * RUN: 3 LOOKS=dats OP2_TRACE_MAX_LOOPS=3
 * RUN: 2 LOOKS=temporaries
 * RUN: 3 LOOKS=temporaries OP2_CHECK=1
 * RUN: 3 LOOKS=declarations OP2_HALO_LIMIT=6
 * RUN: 2 LOOKS=declarations
 * RUN: 2 LOOKS=many OP2_PROGRAMS=2
 * RUN: 3 LOOKS=many
 * RUN: 3 LOOKS=settings
 * RUN: 3 LOOKS=rules
 */
#include "ring.h"

static void
scale(const int *by, int *b) {
  *b *= *by;
}

static int all; /* what a sums to */

/* b += a of the next element */
static void
spread(void) {
  op_par_loop(add_next, "add_next", s,
              op_arg_dat(a, 0, next, 1, "int", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
}

/* c += b */
static void
collect(void) {
  op_par_loop(add, "add", s, op_arg_dat(b, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(c, -1, OP_ID, 1, "int", OP_INC));
}

#define TOTAL(of, sum)                                                         \
  op_par_loop(total, "total", s, op_arg_dat(of, -1, OP_ID, 1, "int", OP_READ), \
              op_arg_gbl(&(sum), 1, "int", OP_INC))

/* What all loops wait for: nothing, where each runs at its call. */
static int
lazy(void) {
  const char *eager = getenv("OP2_EAGER"), *mirror = getenv("OP2_MIRROR");
  const char *most = getenv("OP2_TRACE_MAX_LOOPS");
  return !eager && !mirror && !most;
}

/* Loops wait, and run when all look. */
static void
all_look(void) {
  for (int step = 1; step <= 5; step++) {
    int sum = 0;
    spread();
    TOTAL(b, sum);
    collect();
    sum = 0;
    TOTAL(b, sum);
    if (lazy()) EXPECT(op2_pending() >= 4, 1);
    EXPECT(sum, step * all);
    int later = 0;
    TOTAL(c, later);
    EXPECT(later, step * (step + 1) / 2 * all);
  }
}

/* Rank 1 reads amid a step, then rank 0; the others go on meanwhile. */
static void
one_looks(void) {
  for (int step = 1; step <= 6; step++) {
    int sum = 0, other = 5;
    spread();
    TOTAL(b, sum);
    if (step == 2 && rank == 1) EXPECT(sum, 2 * all);
    collect();
    TOTAL(c, other);
    if (step == 4 && rank == 0) EXPECT(sum, 4 * all);
    if (step == 4 && rank == 0 && lazy()) EXPECT(op2_pending(), 0);
    if (step % 3) continue;
    int out = 0;
    op_fetch_data_idx(b, &out, size - 1, size - 1);
    EXPECT(out, step); /* of the first element, whose a is 1 */
    if (step == 6) EXPECT(sum, 6 * all);
    EXPECT(other, step * (step + 1) / 2 * all + 5);
  }
}

/* One rank alone writes over a result that others read; then they read none. */
static void
one_leaves_unread(void) {
  for (int step = 1; step <= 6; step++) {
    int sum = 0, more = 0;
    spread();
    TOTAL(b, sum);
    if (rank == 1) sum = 7;
    TOTAL(b, more);
    EXPECT(more, step * all);
    if (rank != 1 || step > 3) EXPECT(sum, rank == 1 ? 7 : step * all);
  }
}

/* Ranks read two results in different order, and one reads none. */
static void
in_other_order(void) {
  int x = 0, y = 0;
  for (int step = 1; step <= 4; step++) {
    x = y = 0;
    spread();
    TOTAL(a, x);
    collect();
    TOTAL(b, y);
    if (rank == 0) EXPECT(x, all);
    if (rank == 1) EXPECT(y, step * all);
    if (rank == 1) EXPECT(x, all);
  }
  op2_flush();
  EXPECT(x, all);
  EXPECT(y, 4 * all);
}

/* Behind the look there are records that are no loops. */
static void
amid_handles(void) {
  int two = 2, one = 1, sum = 0, out = 0;
  op2_gbl by = op2_decl_gbl(1, "int", &one, "by");
  for (int step = 1; step <= 3; step++) {
    sum = 0;
    spread();
    TOTAL(b, sum);
    if (step == 2 && rank == 1) EXPECT(sum, 3 * all); /* 2 * 1 + 1 */
    op2_gbl_set(by, &two);
    op_par_loop(scale, "scale", s, op2_arg_gbl(by, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_RW));
    op2_gbl_set(by, &one);
    op_par_loop(scale, "scale", s, op2_arg_gbl(by, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_RW));
    op2_gbl_set(by, &two);
    collect();
  }
  op2_free_gbl(by);
  op_fetch_data_idx(c, &out, size - 1, size - 1);
  EXPECT(out, 2 + 6 + 14);
  EXPECT(sum, 7 * all);
}

#define CHECK_ROWS(dat, times)                                                 \
  for (int e = 0; e < s->size; e++)                                            \
  EXPECT(((int *)(dat)->data)[e], (times) * ((first + e + 1) % size + 1))

/* A read alone of a global, reads of a dat by all, one alone. */
static void
amid_dats(void) {
  int sum = 0, out = 0;
  spread();
  TOTAL(b, sum);
  if (rank == 1) EXPECT(sum, all);
  collect();
  CHECK_ROWS(c, 1);
  spread();
  sum = 0;
  TOTAL(b, sum);
  collect();
  if (rank == 0) CHECK_ROWS(c, 3);
  spread();
  sum = 0;
  TOTAL(b, sum);
  if (rank == 1) EXPECT(sum, 3 * all);
  collect();
  op_fetch_data_idx(c, &out, size - 1, size - 1);
  EXPECT(out, 6);
  EXPECT(sum, 3 * all);
}

static void
amid_temporaries(void) {
  int sum = 0, out = 0;
  for (int step = 1; step <= 6; step++) {
    op_dat t = op_decl_dat_temp(s, 1, "int", (int *)NULL, "t");
    op_par_loop(take, "take", s, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                op_arg_dat(t, -1, OP_ID, 1, "int", OP_WRITE));
    sum = 0;
    op_par_loop(add_next, "add_next", s,
                op_arg_dat(t, 0, next, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
    TOTAL(b, sum);
    if (step == 2 && rank == 1) EXPECT(sum, 2 * all);
    op_free_dat_temp(t);
    if (step == 4) op_fetch_data_idx(b, &out, size - 1, size - 1);
    if (step == 4) EXPECT(out, 4);
  }
  EXPECT(sum, 6 * all);
}

/* The look makes halos deeper when others have declared more. */
static void
amid_declarations(void) {
  int sum = 0, out = 0, zero[N] = {0}, far[N];
  op_dat d[8];
  for (int k = 0; k < 8; k++) d[k] = op_decl_dat(s, 1, "int", zero, "d");
  TOTAL(b, sum);
  op2_flush();
  sum = 0;
  for (int k = 0; k < 7; k++)
    op_par_loop(add_next, "chain", s,
                op_arg_dat(k ? d[k - 1] : a, 0, next, 1, "int", OP_READ),
                op_arg_dat(d[k], -1, OP_ID, 1, "int", OP_INC));
  TOTAL(d[6], sum);
  if (rank == 1) EXPECT(sum, all);
  for (int e = 0; e < N; e++) far[e] = (first + e + 5) % size;
  op_map away = op_decl_map(s, s, 1, far, "away");
  op_set other = op_decl_set(N, "other");
  op_dat u = op_decl_dat(s, 1, "int", zero, "u");
  op_dat v = op_decl_dat(other, 1, "int", zero, "v");
  op_par_loop(add_next, "away", s, op_arg_dat(a, 0, away, 1, "int", OP_READ),
              op_arg_dat(u, -1, OP_ID, 1, "int", OP_INC));
  sum = 0;
  TOTAL(u, sum);
  TOTAL(u, sum);
  if (rank == 0) EXPECT(sum, 2 * all);
  op_par_loop(take, "take", other, op_arg_dat(v, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(v, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data_idx(u, &out, size - 1, size - 1);
  EXPECT(out, 5);
}

/* Behind the look: more programs and calls than are kept, more steps than errors
 * tell of. */
static void
amid_many(void) {
  int sum = 0, one = 1, out = 0;
  op2_gbl by = op2_decl_gbl(1, "int", &one, "by");
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < i; k++) spread();
    op2_flush();
  }
  TOTAL(b, sum);
  spread();
  if (rank == 1) EXPECT(sum, 10 * all);
  for (int i = 0; i < 800; i++) {
    op2_gbl_set(by, &one);
    op_par_loop(scale, "scale", s, op2_arg_gbl(by, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_RW));
    op2_gbl_set(by, &one);
  }
  collect();
  op_fetch_data_idx(c, &out, size - 1, size - 1);
  EXPECT(out, 11);
  EXPECT(sum, 10 * all);
}

/* Loops behind the look wait for another reason. In one rank's place no results
 * wait. */
static void
amid_settings(void) {
  int x = 0, sum = 0, more = 0, later = 0, *own = calloc(1, sizeof *own);
  spread();
  op_par_loop(total, "total", s, op_arg_dat(b, -1, OP_ID, 1, "int", OP_READ),
              rank == 1 ? op_arg_gbl(own, 1, "int", OP_INC)
                        : op_arg_gbl(&x, 1, "int", OP_INC));
  TOTAL(b, sum);
  if (rank == 1) EXPECT(sum, all);
  spread();
  TOTAL(b, more);
  op2_defer_globals(1);
  spread();
  TOTAL(b, later);
  collect();
  op2_flush();
  op2_defer_globals(0);
  EXPECT(rank == 1 ? *own : x, all);
  EXPECT(more, 2 * all);
  EXPECT(later, 3 * all);
  free(own);
}

/* Sets and maps that the library makes for loops behind the look. */
static void
amid_rules(void) {
  enum { NI = 8, NJ = 6, ROOM = NI * NJ };
  static const int around[] = {OP2_PERIODIC, OP2_PERIODIC};
  static const int by[] = {1, 0};
  int ones[ROOM], zero[ROOM] = {0}, sum = 0;
  for (int e = 0; e < ROOM; e++) ones[e] = 1;
  op_set box = op2_decl_box(2, (idx_g_t[]){NI, NJ}, around, "box");
  op_dat u = op_decl_dat(box, 1, "int", ones, "u");
  op_dat v = op_decl_dat(box, 1, "int", zero, "v");
  op_map east = op2_decl_map_rule(box, box, 1, by, "east");
  op_par_loop(add, "add", box, op_arg_dat(u, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(v, -1, OP_ID, 1, "int", OP_INC));
  op_par_loop(total, "total", box, op_arg_dat(v, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  if (rank != 1) sum = ROOM; /* which it is, unread */
  op_par_loop(total, "total", box, op_arg_dat(v, 0, east, 1, "int", OP_READ),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  op2_flush();
  EXPECT(sum, 2 * ROOM);
}

int
main(int argc, char **argv) {
  ring_start(argc, argv);
  all = size * (size + 1) / 2;
  static const struct ring_way ways[] = {{"all", all_look},
                                         {"alone", one_looks},
                                         {"unread", one_leaves_unread},
                                         {"order", in_other_order},
                                         {"handles", amid_handles},
                                         {"dats", amid_dats},
                                         {"temporaries", amid_temporaries},
                                         {"declarations", amid_declarations},
                                         {"many", amid_many},
                                         {"settings", amid_settings},
                                         {"rules", amid_rules}};
  return ring_play(ways, sizeof ways / sizeof *ways);
}
