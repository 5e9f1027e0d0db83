/* Boxes by their formulas, see struct pmade: points in some dimensions, i fastest, in
 * grids with some elements at each point, told apart behind i by their colours. A
 * dat with a halo lies on a set of its own, the points of the domain and the halo; to
 * reach it, an element of the box goes to its place there. */
#ifndef RANDOM_BOXES_H
#define RANDOM_BOXES_H

#include "program.h"

/* Points around a box's domain, below and above in each dimension. */
struct area {
  int at[2 * BOX_DIMS];
};

/* Where an entry of a rule lies as seen from a point. */
struct hop {
  int by[BOX_DIMS], colour;
};

bool set_is_box(const struct program *p, int s);
bool set_is_grid(const struct program *p, int s);
/* Elements at each point: of a grid; else 1. */
int box_colours(const struct program *p, int s);
/* Have two boxes the same n, periodic or not? */
bool boxes_alike(const struct program *p, int a, int b);
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
/* A box, or a set around one: the points of a part lo to hi and of an area around it,
 * as the part numbers them; returns how many. */
int box_points(const struct program *p, int s, const int *lo, const int *hi,
               const struct area *x, int *out);
int box_plane(const struct program *p, int box);
int box_layers(const struct program *p, int box);
/* n of boxes that are like others. */
void boxes_take_shape(struct program *p);
/* Do rules, tables and halos belong to boxes, and nothing else to these? */
bool boxes_settle(struct program *p);

/* A rule, or its table; a rule without one. Where entry j of a point of this colour
 * leads; from point e, as point_place has it, as an element of a box or a set around
 * it. How far entries leave the box: less than none where all lead elsewhere. */
bool map_is_rule(const struct pmap *m);
bool map_has_no_table(const struct pmap *m);
struct hop rule_hop(const struct program *p, const struct pmap *m, int colour,
                    int j);
int rule_target(const struct program *p, const struct pmap *m,
                const struct area *x, int e, int j, int to);
/* Can others be made of it: has it a table that leads to the box alone? Of maps that are
 * no rules: yes. */
bool map_can_make(const struct program *p, const struct pmap *m);
struct area rule_reach(const struct program *p, const struct pmap *m, int first,
                       int end);
/* Has set `to` all that entries lead to; does none leave the box? */
bool rule_reaches(const struct program *p, const struct pmap *m, int first,
                  int end, int to);
bool rule_stays(const struct program *p, const struct pmap *m, int first,
                int end);

/* A box with halos and rules, of at most so many points in a dimension. */
void boxes_draw(struct program *p, struct rnd *r, int most);
/* One more set; now and then without points in some dimension. A rule between two boxes, now and then with its table; a set with
 * the halo of a box; what lies beside one: subsets, axes, a map of another set. */
int box_add(struct program *p, struct pmade how);
void box_draw_empty(const struct program *p, struct pmade *b);
void box_draw_rule(struct program *p, struct rnd *r, struct pmap rule);
void box_draw_points(struct program *p, struct rnd *r, int box);
void box_draw_beside(struct program *p, struct rnd *r, int box);

#endif
