/* Over what loops run: of those that write temporaries with a halo also, how far around
 * the domain these have values then. Written after include/op2_boxes.h. */
#ifndef RANDOM_AREAS_H
#define RANDOM_AREAS_H

#include "interp.h"

/* What a loop goes over: elements of loop_set and of an area around these, which it
 * has if the set is a box and `x` is not empty. at[i], one after the other; NULL: all
 * in turn. */
struct over {
  struct area x;
  int n, *at;
};
struct over loop_over(const struct world *w, const struct op *o);
void over_clear(struct over *v);
int over_element(const struct over *v, int i);
/* How far around the domain the dat has values. */
struct area dat_area(const struct world *w, int dat);
/* Is all that it reads there, over this area? */
bool loop_reaches(const struct world *w, const struct op *o,
                  const struct area *x);
/* It ran. */
void loop_made(struct world *w, const struct op *o, const struct area *x);
/* The store has values in all of the dat's halo. */
void store_made(const struct program *p, int dat, struct store *s);

#endif
