/* How far around a part of the mesh loops must run, and data be valid. */
#ifndef IR_EXTENT_H
#define IR_EXTENT_H

#include "ir/ir.h"

/* Levels around a part (a rank's, a thread's, a tile's): for each set a chain
 * of element sets L_0 in L_1 in L_2 ...; ir/extent.c defines them.
 *
 * What a version must be valid on: L_own, and all that elements of L_via name
 * through maps. -1: nothing. */
struct ir_need {
  int own, via;
};

/* The level to run over so that what is written through maps is complete on
 * L_level: it has all elements that name one of those. */
static inline int
ir_level_naming(int level) {
  return level < 0 ? -1 : (level + 1) | 1;
}
/* The level that a version must be made valid on to meet the need. */
static inline int
ir_need_level(struct ir_need n) {
  int named = reach_named(n.via);
  return n.own > named ? n.own : named;
}

/*   exec[n]      node n runs over L_exec[n]; -1: it does not run (deferred, or
 *                nothing to run)
 *   need[v]      of each value, its readers' needs together; equal for values
 *                that are `same`
 *   exchange[v]  its producer runs over less: the rest comes from the elements'
 *                owners (never set for version 0, whose maker is not here) */
struct ir_extent {
  int *exec;
  struct ir_need *need;
  bool *exchange;
};

/* What argument a of a node that runs over L_level needs of its old version:
 * what it reads, and what of the old shows through in the new. */
struct ir_need ir_extent_operand(const struct ir_extent *x,
                                 const struct ir_trace *t,
                                 const struct ir_arg *a, int level);

/* Extents of the whole trace; no node runs beyond L_limit unless one that
 * writes through a map must (limit 0: as in a runtime that exchanges before
 * each loop). LIVE, FETCH and deferred nodes ask for L_0.
 * cost O(arguments); free with ir_extent_free */
struct ir_extent ir_extent_build(const struct ir_trace *t, int limit);
void ir_extent_free(struct ir_extent *x);
/* One line for each node that runs and each value that is needed. */
void ir_extent_print(const struct ir_trace *t, const struct ir_extent *x,
                     struct str *out);

/* ---- around a box -------------------------------------------------------- */

/*   exec[n]   what node n runs over, if runs[n]; of loops over points
 *   need[v]   what is wanted of each value, if needed[v]; of dats on points;
 *             equal for values that are `same` */
struct ir_areas {
  struct ir_area *exec, *need;
  bool *runs, *needed;
};

/* Those of the whole trace. LIVE, FETCH and deferred nodes ask for all points
 * of a dat, halo included. readers: temporaries are wanted where loops read
 * them, other dats in their domain, whatever is looked at. cost O(arguments);
 * free with ir_areas_free */
struct ir_areas ir_areas_build(const struct ir_trace *t, bool readers);
void ir_areas_free(struct ir_areas *x);
/* Where node n, which runs, finds what argument a of it reads. */
struct ir_area ir_areas_read(const struct ir_trace *t, const struct ir_areas *x,
                             ir_ref n, const struct ir_arg *a);
/* All that is wanted of versions of the dat, a root; false: nothing. */
bool ir_areas_of(const struct ir_trace *t, const struct ir_areas *x, ir_ref dat,
                 struct ir_area *out);
/* One line for each such loop and value. */
void ir_areas_print(const struct ir_trace *t, const struct ir_areas *x,
                    struct str *out);

/* ---- blocks in place ----------------------------------------------------- */

/* Two loops, perhaps the same, of a chain over one box that goes wrong if all
 * of it runs on one block of points after another, in place. */
struct ir_clash {
  ir_ref reader, writer;
  ir_ref dat;          /* a root, of both */
  struct ir_area area; /* where it is read, as seen from the block */
  bool turns;          /* on the other side of a periodic dimension, too */
};
/* Is there one? The first in the order of the later loop. cost O(arguments) */
bool ir_clash_find(const struct ir_trace *t, struct ir_clash *out);
void ir_clash_print(const struct ir_trace *t, const struct ir_clash *c,
                    struct str *out);

#endif
