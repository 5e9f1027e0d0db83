/* The loops of airfoil_limit over blocks of W elements, W = 4 or 8. */
#ifndef BENCH_LIMIT_LOOPS_H
#define BENCH_LIMIT_LOOPS_H

#include "limit.h"

/* A loop over blocks [lo, hi). `from`: which version of q and adt is read. */
typedef void loop_plain(const struct limit *l, int from, int lo, int hi);
/* The same; returns its part of rms. */
typedef double loop_sum(const struct limit *l, int from, int lo, int hi);

struct loops {
  loop_plain *adt;  /* adt of version `from` */
  loop_plain *res;  /* edges: increments to res */
  loop_plain *flux; /* edges: fluxes to memory */
  loop_sum *update; /* from res; adt of what it writes unless that is apart */
  loop_sum *gather; /* all of a half but what is apart */
};

/* Increments of all boundary edges. */
void loops_bound(const struct limit *l, int from);

/* The loops for what `how` asks for; those that are not built so are NULL. Sets
 * the constants of kernels.h. */
struct loops loops_for(const struct limit_how *how);

#endif
