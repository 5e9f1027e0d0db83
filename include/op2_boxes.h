/* Structured sets: boxes, and icosahedral grids. A part of op2.h, which includes this
 * file and has what is said of all calls; op2_decl_dat_box is in op2_c.h and
 * op2_cpp.h. */
#include "op2.h"

#ifndef OP2_BOXES_H
#define OP2_BOXES_H

/* ---- structured sets: boxes and icosahedral grids ------------------------ */

/* What an offset out of a box finds: the halo of the dat, or the other side. */
enum { OP2_HALO = 0, OP2_PERIODIC = 1 };
OP2_PLAIN
/* A box: n[0] * ... * n[ndim - 1] points, neighbours by rule (op2_decl_map_rule).
 * Point (i, j, k, l) has number i + n[0] * (j + n[1] * (k + n[2] * l)).
 * ndim     1 to 4
 * n        [ndim] >= 0
 * boundary [ndim], OP2_HALO or OP2_PERIODIC each; NULL: all OP2_HALO
 * A box is a set like any other: dats without a halo (op_decl_dat), tables from it
 * and to it, and subsets are as ever. To be freed by op2_free, or at op_exit.
 * Over ranks, which all give the same n, a grid of ranks cuts it into parts
 * (op2_box_local), which op_partition leaves alone; numbers are those inside the part,
 * as above with its extent; in files, prints and op_fetch_data_idx they are as above, of
 * the whole, with the halo that a dat has. The last dimension of three or four is not cut.
 * error   more than 2^31 - 1 points on a rank. Collective over ranks; runs no loops */
op_set op2_decl_box(int ndim, const idx_g_t *n, const int *boundary,
                    const char *name);
/* The same in two dimensions (i, j) with `colours` elements at each point: that of
 * colour c has number i + n[0] * (c + colours * j). Icosahedral grids (see
 * op2_decl_map_grid) have cells of 2, edges of 3, vertices of 1 colour.
 * n, boundary [2]; colours 1 to 64. error, cost as above */
op_set op2_decl_grid(const idx_g_t *n, int colours, const int *boundary,
                     const char *name);
OP2_PLAIN_END
/* This rank's part of a box or grid: lo[d] <= index < hi[d] in dimension d; all of it
 * on one rank and under OP2_DECLARE=whole. Of more ranks than points some have none:
 * lo[d] = hi[d] in a dimension with n[d] > 0, and dats there have no halo either.
 * Returns an op2_status. (local) */
OP2_CHECKED int op2_box_local(op_set set, idx_g_t *lo, idx_g_t *hi);
OP2_PLAIN
/* A temporary on a box or grid, as op_decl_dat_temp, with a halo: see op2_decl_dat_box
 * in op2_c.h and op2_cpp.h for lo_hi. Loops that write it directly run over
 * its halo, too, as far as what they read is there: so a later loop finds at an
 * offset what that loop makes there. Which is: on each side the least of the halos
 * of all temporaries that it writes, and, for all that it reads, of the halo (of
 * temporaries, as far as they were made) less the furthest offset on that side,
 * which is negative if all offsets lead to the other.
 * Such a loop runs over the domain alone, if it also writes another dat, or a global,
 * writes through a map, asks for an index (op_arg_idx), goes through a table or over
 * a subset.
 * type    one of the library's: the call does not see the size of others
 * It starts at zero, halo included. What the program writes (op2_dat_data_rw) counts as
 * made in all of it. To be freed by op_free_dat_temp.
 * error   at loops: a read beyond what was made; as for op2_decl_dat_box */
op_dat op2_decl_dat_box_temp(op_set set, const int *lo_hi, int dim,
                             const char *type, const char *name);
/* A map by rule: entry k of the row of a point is the point at its place plus
 * offsets. Reads go to the dat's halo, or come in again on the other side where the
 * box is periodic.
 * from, to  boxes or grids with the same n and boundary
 * rule      [colours of from][count][offset in each dimension, and where `to` is of
 *           op2_decl_grid, then a colour of `to`]; copied
 * A box has one colour. Loops take it like a table: op_arg_dat(d, k, map, ...),
 * vectors, packed arguments, op2_arg_row_length; op_arg_idx and op2_arg_idx_long
 * where the entry stays in the box. The handle is for loops, op2_map_materialise, op2_free.
 * error   at the declaration: sets, count, offsets beyond 2^20, colours. At loops:
 *         the dat's halo is less than an entry's offset (names loop, argument, dat and
 *         what is needed); a write through an entry that leaves the box
 * cost    for each halo that it leads to, on one rank: 4 bytes an entry of a line of
 *         points (i fastest) where code goes from line to line, which loops on hosts
 *         mostly do; 4 bytes an entry of each point on devices, over ranks, where a
 *         loop adds through the map, and where lines have less than four points */
op_map op2_decl_map_rule(op_set from, op_set to, int count, const int *rule,
                         const char *name);
/* The connectivity between two grids of cells (2 colours), edges (3) and vertices (1)
 * of one icosahedral grid, with the same n and boundary, as a rule. Vertices lie
 * at i a + j b, b being a turned by 120 degrees. The edges 0, 1, 2 of (i, j) lead from
 * its vertex along a, b and a + b. The cells of (i, j) are 0 with the corners (i, j),
 * (i+1, j), (i+1, j+1), and 1 with (i, j), (i, j+1), (i+1, j+1). Neighbours, in their
 * order, (i, colour, j) as offsets but for the colour; vertices have no other colour:
 *   cells to cells     0: (0,1,0) (1,1,0) (0,1,-1)     1: (-1,0,0) (0,0,1) (0,0,0)
 *   cells to edges     0: (0,2,0) (1,1,0) (0,0,0)      1: (0,1,0) (0,0,1) (0,2,0)
 *   cells to vertices  0: (1,0,0) (0,0,0) (1,0,1)      1: (1,0,1) (0,0,0) (0,0,1)
 *   edges to cells     0: (0,0,0) (0,1,-1)   1: (-1,0,0) (0,1,0)   2: (0,0,0) (0,1,0)
 *   edges to edges     0: (0,2,0) (1,1,0) (0,1,-1) (0,2,-1)
 *                      1: (-1,2,0) (-1,0,0) (0,0,1) (0,2,0)
 *                      2: (1,1,0) (0,0,0) (0,1,0) (0,0,1)
 *   edges to vertices  0: (0,0,0) (1,0,0)    1: (0,0,0) (0,0,1)    2: (0,0,0) (1,0,1)
 *   vertices to cells     (0,0,0) (0,1,0) (-1,0,0) (-1,1,-1) (-1,0,-1) (0,1,-1)
 *   vertices to edges     (0,0,0) (0,2,0) (0,1,0) (-1,0,0) (-1,2,-1) (0,1,-1)
 *   vertices to vertices  (1,0,0) (1,0,1) (0,0,1) (-1,0,0) (-1,0,-1) (0,0,-1)
 * Of cells, neighbour k lies behind edge k, opposite to vertex k. Of vertices, all go
 * counterclockwise: edge k leads to vertex k, cell k follows it. Of edges, the first
 * cell has colour 0, its edges come before the other's, each in its cell's order.
 * error, cost  as for op2_decl_map_rule */
op_map op2_decl_map_grid(op_set from, op_set to, const char *name);
/* The rule written down as a table, from the points of the domain: a map that can
 * stand wherever a declared one can, with the same results. Where entries leave a box,
 * it leads to a set of the domain and as much of a halo as they reach; dats with at
 * least that halo are reached through it.
 * error   `map` is none of op2_decl_map_rule or op2_decl_map_grid
 * cost    4 bytes an entry */
op_map op2_map_materialise(op_map map, const char *name);
OP2_PLAIN_END
/* A box or grid is columns, too: layers are the places in its last dimension, over each
 * point of the dimensions before.
 *   op2_arg_dat_layer(d, dl, ...)   of point (i, j, k) the value of (i, j, k + dl), in the
 *     domain or in the halo of d; on the other side, where that dimension is periodic.
 *     In op_par_loop it exists for all layers that the loop's set has points in
 *   op2_par_loop_scan(kernel, name, set, order, op_arg...)   set: a box or grid, or a
 *     subset of one. It goes along k over those points of it for which all layers exist
 *     that arguments name. It writes the domain, of dats with any halos; a temporary
 *     with a halo is made in its domain by it
 * cost   4 bytes a point for each dl and halo, and for each order and range of layers
 * error  at the call: a layer that does not exist in op_par_loop, or lies in a halo and
 *        is not OP_READ; a scan over a set that is periodic in its last dimension */

/* How much of a dat on a box or grid the pending loops want, and over what a loop
 * among them has to run for that: in dimension d from the point lo_hi[2 d] behind the
 * first of the domain to the one lo_hi[2 d + 1] behind its last. So {-1, 2}: from one
 * below the domain to two above it.
 * From the last loop to the first: a dat is wanted where loops read it, which is where
 * they run, moved by the offsets of their maps; of points, from the least to the
 * greatest in each dimension. Over that the loop that makes it runs, within the halos
 * that its call found (op2_decl_dat_box_temp). What they leave in dats that are no
 * temporaries is wanted in the domain. All versions of a dat count together. In
 * periodic dimensions there is the domain alone.
 * lo_hi   [2 * dimensions]
 * loop    loops count from 0 as they wait; op2_pending of them
 * Returns an op2_status; runs nothing.
 * error   dat: none on a box, or no pending loop wants it; loop: no such one, or over
 *         another set
 * cost    a trace of all that is pending. (local) */
OP2_CHECKED int op2_trace_extents(op_dat dat, int *lo_hi);
OP2_CHECKED int op2_trace_compute_extent(int loop, int *lo_hi);

/* ---- levels of a vertical axis ------------------------------------------- */

/* Layers of a box named by splitters, which lie between layers: level (s, o) is for
 * o > 0 the o-th layer behind splitter s, for o < 0 the -o-th before it,
 *   layer position[s] + o - (o > 0)
 * An interval is levels, both ends included. To be freed by op2_free, or at op_exit. */
typedef struct op2_axis_core *op2_axis;
struct op2_interval {
  int from_splitter, from_offset, to_splitter, to_offset;
};
/* A kernel and the interval in which it holds: op2_level makes it. */
struct op2_level {
  void (*kernel)(void);
  const char *const *param_types; /* as in op2_par_loop_typed_at */
  size_t nparams;
  struct op2_interval on;
};
/* Such items: op2_levels_of makes it. */
typedef struct op2_levels {
  const struct op2_level *at;
  size_t n;
} op2_levels;
OP2_PLAIN
/* An axis of a box or grid.
 * dimension   of `set`; so far the last one
 * nsplitters  2 to 1024, numbered from 0
 * limit       1 to 1024: offsets are -limit to -1 and 1 to limit
 * error  otherwise. Runs no loops */
op2_axis op2_decl_axis(op_set set, int dimension, int nsplitters, int limit);
/* Where splitters lie from now on; loops that were called before stay where they are.
 * position  [nsplitters], the number of the first layer behind each, ascending or equal,
 *           0 to the layers of the box; copied
 * Returns an op2_status; on error splitters stay where they were.
 * error  otherwise; levels of loops of this axis overlap there, or leave the box, as
 *        at op2_par_loop_levels
 * cost   other positions: subsets of layers are made anew. Runs no loops */
OP2_CHECKED int op2_axis_place(op2_axis axis, const idx_l_t *position);
OP2_PLAIN_END
/* op2_par_loop_levels(name, set, axis, order, op2_levels_of(op2_level(kernel, interval),
 * ...), op_arg...): some kernels with the same arguments, each in its interval
 * (doc/boxes.md). Macros in C, templates in C++.
 *   name      of loops: "name (0,1)-(2,-1)", with the levels that each is over
 *   set       the box that the axis is of
 *   order     OP2_PARALLEL, OP2_FORWARD, OP2_BACKWARD; added to it OP2_GAPS: between
 *             the intervals there may be levels that no kernel has, and these are
 *             left alone
 *   op2_level 1 to 64. interval: a struct op2_interval
 * The intervals cut the axis where any begins or ends. In each part, from the first to
 * the last, in OP2_BACKWARD from the last to the first, run the kernels that hold
 * there, in the order of the list:
 *   OP2_PARALLEL  each as an op_par_loop over these layers, with its arguments; a
 *                 layer of op2_arg_dat_layer must exist
 *   otherwise     as an op2_par_loop_scan over them; so far at most one kernel may
 *                 hold at each level
 * An interval whose end is one below its begin at these positions runs nothing.
 * error  an interval that begins at offset -limit or ends at limit, or ends before it
 *        begins; gaps; splitters that are not placed; levels that overlap (an end more
 *        than one below its begin) or leave the box; a kernel without a function; what
 *        op_par_loop and op2_par_loop_scan find in one loop, while those before it
 *        are recorded
 * cost   4 bytes a point of the layers of each part, once for each place of splitters */
enum { OP2_PARALLEL = 4, OP2_GAPS = 8 };
void op2_par_loop_levels_at(const char *file, int line, const char *name,
                            op_set set, op2_axis axis, int order,
                            op2_levels items, int nargs, const op_arg *args);

#endif
