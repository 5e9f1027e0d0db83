/* A chain of half steps in tiles: wavefronts over ranges of cells.
 *
 * Problem   Between two halves all of q leaves the cache and comes back.
 *
 * Idea      Cells are numbered so that neighbours are near each other. Let half
 *           h run over a prefix of the cells; half h + 1 may follow up to where
 *           all neighbours are inside that prefix, and so on down the chain.
 *           Then the first half goes on by one tile, and all others follow.
 *           Nothing is computed twice, and each cell meets the same numbers in
 *           the same order as without tiles. Two versions of q are enough: half
 *           h + 1 overwrites what half h has read for all its neighbours.
 *
 * Threads   Each has a range of cells and runs its wavefront there with both
 *           ends receding (a trapezoid); then the gaps between ranges are
 *           filled, half by half.
 *
 * Cost      O(blocks * halves) look-ups. What is in use at a time is the reach
 *           of a cell (in Airfoil a row of the mesh) times the halves of the
 *           chain, and a tile.
 *
 * Source    skewed tiles: M. Wolfe, "More iteration space tiling", 1989; level
 *           blocking: C. Alappat et al., "A recursive algebraic coloring
 *           technique for hardware-efficient symmetric sparse matrix-vector
 *           multiplication", 2020. */
#ifndef BENCH_LIMIT_TILED_H
#define BENCH_LIMIT_TILED_H

#include "loops.h"

enum { TILED_STEPS = 64 };

/* Run `steps` (at most TILED_STEPS) time steps; rms[i] is the sum of step i's
 * second half. False: ranges are too short for so many threads and steps,
 * nothing was run. */
bool tiled_run(struct limit *l, const struct loops *s, int steps, double *rms);

#endif
