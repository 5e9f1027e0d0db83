/* dat->data as plain memory on ranks that declare parts: each reads and writes its
 * own rows, one rank alone among them, while others go on.
 *
 * RUN: 2
 * RUN: 3 OP2_CHECK=1
 * RUN: 3 OP2_MIRROR=1
 * RUN: 2 OP2_TARGET=opencl
 */
#include "op2.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 10, STEPS = 4 };

static void
add_next(const int *next, int *b) {
  *b += *next;
}
static void
take(const int *b, int *a) {
  *a = *b;
}

static int rank, ranks, bad;
static void
expect(const char *what, int e, int found, int expected) {
  if (found != expected && !bad++)
    printf("rank %d: %s[%d] is %d, expected %d\n", rank, what, e, found,
           expected);
}

int
main(int argc, char **argv) {
  int ring[N], zero[N] = {0}, one[N], expected[N] = {0};
  op_init(argc, argv, 0);
  op_rank(&rank);
  op_set s = op_decl_set(N, "s");
  int total = (int)op_get_size(s);
  ranks = total / N;
  for (int e = 0; e < N; e++) {
    one[e] = rank * N + e;
    ring[e] = (rank * N + e + 1) % total;
  }
  op_map next = op_decl_map(s, s, 1, ring, "next");
  op_dat a = op_decl_dat(s, 1, "int", one, "a");
  op_dat b = op_decl_dat(s, 1, "int", zero, "b");
  int *kept = NULL;
  for (int step = 0; step < STEPS; step++) {
    /* a rank's own numbers, written where they lie; the neighbour needs them */
    for (int e = 0; e < N; e++) ((int *)a->data)[e] = (rank * N + e) * step;
    op_par_loop(add_next, "add_next", s,
                op_arg_dat(a, 0, next, 1, "int", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "int", OP_INC));
    for (int e = 0; e < N; e++) expected[e] += ring[e] * step;
    if (rank == step % ranks) /* alone */
      for (int e = 0; e < N; e++)
        expect("b", e, ((int *)b->data)[e], expected[e]);
    if (step == 1) kept = (int *)b->data;
    for (int e = 0; kept && e < N; e++) expect("kept", e, kept[e], expected[e]);
  }
  op_par_loop(take, "take", s, op_arg_dat(b, -1, OP_ID, 1, "int", OP_READ),
              op_arg_dat(a, -1, OP_ID, 1, "int", OP_WRITE));
  if (rank) expect("a", 0, ((int *)a->data)[0], expected[0]);
  op_exit();
  if (!bad) printf("ok\n");
  return bad != 0;
}
