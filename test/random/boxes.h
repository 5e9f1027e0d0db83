/* Boxes by their formulas, see struct pmade: points in some dimensions, i fastest. A
 * dat with a halo lies on a set of its own, the points of the domain and the halo; to
 * reach it, an element of the box goes to its place there. */
#ifndef RANDOM_BOXES_H
#define RANDOM_BOXES_H

#include "program.h"

/* Points around a box's domain, below and above in each dimension. */
struct area {
  int at[2 * BOX_DIMS];
};

bool set_is_box(const struct program *p, int s);
/* Points of the domain and of an area around it; NULL: none. */
int area_size(const struct program *p, int s, const struct area *x);
/* Points of the domain, or, of a set with a halo, with it. */
int box_size(const struct program *p, int s);
/* Is it a set with the halo of this box? Where point e of the box and an area around
 * it (NULL: none) lies there. */
bool points_around(const struct program *p, int s, int box);
int point_place(const struct program *p, int s, const struct area *x, int e);
/* The same of the point dl higher in the last dimension; points of a box that have one
 * coordinate there, and how many coordinates there are. */
int point_layer(const struct program *p, int s, const struct area *x, int e,
                int dl);
int box_plane(const struct program *p, int box);
int box_layers(const struct program *p, int box);
/* Do rules, tables and halos belong to boxes, and nothing else to these? */
bool boxes_settle(struct program *p);

/* A rule, or its table: how far entry j leads in dimension d; where from point e, as
 * point_place has it, as an element of a box or a set around it. How far entries leave
 * the box. */
bool map_is_rule(const struct pmap *m);
int rule_offset(const struct program *p, const struct pmap *m, int j, int d);
int rule_target(const struct program *p, const struct pmap *m,
                const struct area *x, int e, int j, int to);
struct area rule_reach(const struct program *p, const struct pmap *m, int first,
                       int end);
/* Has set `to` all that entries lead to; does none leave the box? */
bool rule_reaches(const struct program *p, const struct pmap *m, int first,
                  int end, int to);
bool rule_stays(const struct program *p, const struct pmap *m, int first,
                int end);

/* A box with halos and rules, of at most so many points in a dimension. */
void boxes_draw(struct program *p, struct rnd *r, int most);

#endif
