/* Axes of boxes: where their splitters are, and sets of layers. */
#ifndef FRONTEND_AXIS_H
#define FRONTEND_AXIS_H

#include "frontend/handles.h"

struct rt_interval;

/* Layers lo to hi of a box, both included. */
struct fe_layers {
  idx_l lo, hi;
  struct fe_set *points; /* a subset of the box */
};

struct fe_axis {
  struct fe_set *set; /* of a box, along its last dimension */
  int nsplitters, limit;
  idx_l *at; /* positions of splitters; NULL: not placed yet */
  VEC(struct rt_interval, used); /* by loops, each once */
  VEC(struct fe_layers, layers); /* that loops had, as splitters are now */
  struct fe_axis *next;
};

/* An axis of this box that is not freed; NULL: there is none. */
const struct fe_axis *fe_axis_of(const struct fe_set *box);
struct fe_axis *fe_axis_new(struct fe_set *box, int nsplitters, int limit);
/* It has no sets of layers any more. */
void fe_axis_end(struct fe_axis *x);
void fe_axes_clear(void); /* at op_exit */
/* api_free.c: its sets of layers; loops that wait keep what they need. */
status fe_axis_drop_layers(struct fe_axis *x);

/* ---- api_axes.c ---------------------------------------------------------- */

/* The interval's points as splitters are now; NULL: it runs nothing. From then
 * on splitters are placed so that it has some or none. ERR_ARG: its levels
 * overlap, or leave the axis */
status fe_axis_points(struct fe_axis *x, const struct rt_interval *v,
                      struct fe_set **out);
/* Can it have points there? */
status fe_axis_check(const struct fe_axis *x, const struct rt_interval *v);

#endif
