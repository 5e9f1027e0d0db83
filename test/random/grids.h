/* Icosahedral grids: cells, edges and vertices of one lattice, each a box of two
 * dimensions with colours, and the maps between these. Written after
 * include/op2_boxes.h. */
#ifndef RANDOM_GRIDS_H
#define RANDOM_GRIDS_H

#include "boxes.h"

/* Entry j of a MAP_GRID, for an element of this colour. Does it lead from one of the
 * three to another one of the same lattice? Its arity is set. */
struct hop grid_hop(const struct program *p, const struct pmap *m, int colour,
                    int j);
bool grid_map_fits(const struct program *p, struct pmap *m);

/* Grids of one lattice, of at most so many points in a dimension; with halos, maps,
 * and rules of other kinds between them and boxes as large. */
void grids_draw(struct program *p, struct rnd *r, int most);

#endif
