/* Partitions by PT-Scotch: a module of its own, since Debian's PT-Scotch is
 * linked with Open MPI, whatever MPI a program uses.
 *
 * Left alone PT-Scotch 7 works on all processors of a machine in each rank and
 * talks from several threads at a time, for which MPI is not started here:
 * seven ranks came to wait for each other for ever, in one of some hundred
 * cuts. In a context of one thread it doesn't, and the cut is the same each
 * time. */
#include "rt/ranks/partition.h"

#include <mpi.h>
#include <ptscotch.h>
#include <stdlib.h>

/* What the call copies into PT-Scotch's own integers. */
static SCOTCH_Num *
numbers(const int64_t *from, int64_t n) {
  SCOTCH_Num *to = malloc(((size_t)n + 1) * sizeof *to);
  for (int64_t i = 0; to && i < n; i++) to[i] = (SCOTCH_Num)from[i];
  return to;
}

/* To of each element, with one thread. */
static int
part(SCOTCH_Dgraph *graph, SCOTCH_Num ranks, SCOTCH_Strat *strategy,
     SCOTCH_Num *to) {
  SCOTCH_Context context;
  SCOTCH_Dgraph bound;
  if (SCOTCH_contextInit(&context)) return 1;
  SCOTCH_contextRandomReset(&context);
  int failed = SCOTCH_contextThreadSpawn(&context, 1, NULL) ||
               SCOTCH_contextBindDgraph(&context, graph, &bound);
  if (!failed) {
    failed = SCOTCH_dgraphPart(&bound, ranks, strategy, to);
    SCOTCH_dgraphExit(&bound);
  }
  SCOTCH_contextExit(&context);
  return failed;
}

static const char *
cut(SCOTCH_Dgraph *graph, int ranks, SCOTCH_Num n, SCOTCH_Num *start,
    SCOTCH_Num *list, SCOTCH_Num *to) {
  SCOTCH_Strat strategy;
  SCOTCH_Num links = start[n];
  if (SCOTCH_dgraphBuild(graph, 0, n, n, start, start + 1, NULL, NULL, links,
                         links, list, NULL, NULL))
    return "SCOTCH_dgraphBuild failed";
  SCOTCH_stratInit(&strategy);
  int failed = part(graph, (SCOTCH_Num)ranks, &strategy, to);
  SCOTCH_stratExit(&strategy);
  return failed ? "SCOTCH_dgraphPart failed" : NULL;
}

__attribute__((visibility("default"))) const char *
op2_ptscotch(const void *communicator, int ranks, int64_t n,
             const int64_t *start, const int64_t *list, int *parts) {
  SCOTCH_Dgraph graph;
  SCOTCH_Num *first = numbers(start, n + 1), *links = numbers(list, start[n]);
  SCOTCH_Num *to = malloc(((size_t)n + 1) * sizeof *to);
  const char *why = first && links && to ? NULL : "no memory for its graph";
  MPI_Comm comm = *(const MPI_Comm *)communicator;
  if (!why && SCOTCH_dgraphInit(&graph, comm)) why = "SCOTCH_dgraphInit failed";
  if (!why) {
    why = cut(&graph, ranks, (SCOTCH_Num)n, first, links, to);
    SCOTCH_dgraphExit(&graph);
  }
  for (int64_t i = 0; !why && i < n; i++) parts[i] = (int)to[i];
  free(first);
  free(links);
  free(to);
  return why;
}
