/* Axes and loops over their levels: kernels in intervals between splitters, each of
 * which is loops or scans over some layers of a box. Written after
 * include/op2_boxes.h. */
#ifndef RANDOM_LEVELS_H
#define RANDOM_LEVELS_H

#include "interp.h"

/* Are axes of boxes? */
bool axes_settle(const struct program *p);
/* Splitter k as a DO_PLACE puts it. */
int axis_position(const struct program *p, int axis, int formula, int k);

/* What a world knows of axes; its operations. */
void axes_begin(struct world *w);
void axes_end(struct world *w);
bool place_run(struct world *w, const struct op *o, struct seen *seen);
bool levels_run(struct world *w, const struct op *o, struct seen *seen);

/* Axes of a box. Of a DO_LEVELS with its first kernel and arguments: an order; more
 * kernels, of these rows, and intervals for all, false where the axis has no room. */
void axes_draw(struct program *p, struct rnd *r, int box);
enum scan_order levels_order(const struct program *p, struct rnd *r, int axis);
bool levels_draw(const struct program *p, struct rnd *r, struct op *o,
                 const struct row *const *rows, int nrows);

/* Without kernel k. */
void levels_drop(struct op *o, int k);

#endif
