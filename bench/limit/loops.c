#include "loops.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "../airfoil/kernels.h"

/* Vectors are arguments of functions that are always inlined: how they would be
 * passed does not matter. (gcc wants to hear it on its command line, too.) */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double vec2 __attribute__((vector_size(16)));
typedef double vec4 __attribute__((vector_size(32)));

#define LOOP static __attribute__((noinline))

/* What is built: a name, then struct choice. */
#define LOOP_ADT(X)                                                            \
  X(adt_pairs, .geometry = LIMIT_PAIRS)                                        \
  X(adt_corners, .geometry = LIMIT_CORNERS)                                    \
  X(adt_stored, .geometry = LIMIT_STORED)                                      \
  X(adt_pairs_kept, .geometry = LIMIT_PAIRS, .kept = 1)                        \
  X(adt_corners_kept, .geometry = LIMIT_CORNERS, .kept = 1)                    \
  X(adt_stored_kept, .geometry = LIMIT_STORED, .kept = 1)
#define LOOP_RES(X)                                                            \
  X(res_pairs, .geometry = LIMIT_PAIRS)                                        \
  X(res_stored, .geometry = LIMIT_STORED)                                      \
  X(res_pairs_kept, .geometry = LIMIT_PAIRS, .kept = 1)                        \
  X(res_stored_kept, .geometry = LIMIT_STORED, .kept = 1)
#define LOOP_UPDATE(X)                                                         \
  X(update_apart, .geometry = LIMIT_PAIRS)                                     \
  X(update_pairs, .geometry = LIMIT_PAIRS, .join = 1)                          \
  X(update_stored, .geometry = LIMIT_STORED, .join = 1)                        \
  X(update_pairs_kept, .geometry = LIMIT_PAIRS, .kept = 1, .join = 1)          \
  X(update_stored_kept, .geometry = LIMIT_STORED, .kept = 1, .join = 1)
#define LOOP_GATHER(X)                                                         \
  X(gather_pairs, .geometry = LIMIT_PAIRS, .join = 1)                          \
  X(gather_corners, .geometry = LIMIT_CORNERS, .join = 1)                      \
  X(gather_stored, .geometry = LIMIT_STORED, .join = 1)                        \
  X(gather_pairs_kept, .geometry = LIMIT_PAIRS, .kept = 1, .join = 1)          \
  X(gather_corners_kept, .geometry = LIMIT_CORNERS, .kept = 1, .join = 1)      \
  X(gather_stored_kept, .geometry = LIMIT_STORED, .kept = 1, .join = 1)        \
  X(gather_edges, .geometry = LIMIT_PAIRS, .edges = 1, .join = 1)              \
  X(gather_adt_apart, .geometry = LIMIT_PAIRS)                                 \
  X(gather_update_apart, .geometry = LIMIT_PAIRS, .store = 1)                  \
  X(gather_fluxes, .geometry = LIMIT_PAIRS, .join = 1, .flux = 1)

static const int lane_4[4] = {0, 1, 2, 3};
static const int lane_8[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* What boundary edge e adds to its cell. */
static void
loops_bound_row(const struct limit *l, int from, int e, double *res) {
  const struct mesh *m = l->m;
  const int *n = m->bedge_node + 2 * (size_t)e;
  size_t c = (size_t)m->bedge_cell[e];
  const double *q = l->q[from] + c * (l->how.kept ? 8 : 4);
  const double *adt = l->adt[from] + c * (l->how.kept ? 8 : 1);
  bres_calc(m->x + 2 * (size_t)n[0], m->x + 2 * (size_t)n[1], q, adt, res,
            m->bedge_type + e);
}

void
loops_bound(const struct limit *l, int from) {
  for (int e = 0; e < l->m->nbedge; e++)
    loops_bound_row(l, from, e, l->res + 4 * (size_t)l->m->bedge_cell[e]);
}

#define W 4
#include "loops_w.h"
#undef W
#define W 8
#include "loops_w.h"
#undef W

struct loops
loops_for(const struct limit_how *how) {
  airfoil_constants();
  return how->width == 8 ? loops_make_8(how) : loops_make_4(how);
}
