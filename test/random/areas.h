/* Temporaries with a halo: over what loops run that write them, and how far around
 * the domain these have values then. Written after include/op2_boxes.h. */
#ifndef RANDOM_AREAS_H
#define RANDOM_AREAS_H

#include "interp.h"

/* What the loop goes over around the domain of its box; elements with it. */
struct area loop_area(const struct world *w, const struct op *o);
int loop_size(const struct program *p, const struct op *o,
              const struct area *x);
/* Is all that it reads there, over this area? */
bool loop_reaches(const struct world *w, const struct op *o,
                  const struct area *x);
/* It ran. */
void loop_made(struct world *w, const struct op *o, const struct area *x);
/* The store has values in all of the dat's halo. */
void store_made(const struct program *p, int dat, struct store *s);

#endif
