/* Shared by the files that turn a region's nodes into slots: args.c (which
 * kind), args_dat.c (dats), args_gbl.c (globals and values), args_bind.c. */
#ifndef LOWER_ARGS_H
#define LOWER_ARGS_H

#include "lower/maker.h"

/* The region being described. */
struct low_args {
  struct low_maker *m;
  struct low_region *r;
  ir_ref first, end; /* its nodes */
  bool device;       /* they run on one */
  bool payload;
  /* the call at hand */
  const struct ir_node *node;
  const struct low_kernel *kernel;
  int32_t call;
  int32_t *reductions; /* of its arguments: reduction; -1 */
};

int32_t low_slot_add(struct low_region *r, struct low_slot s);
/* A slot that equals `s`, or a new one. */
int32_t low_slot_get(struct low_region *r, struct low_slot s);
struct low_slot low_slot_blank(enum low_slot_kind kind, struct type type,
                               uint32_t dim);

/* ---- args_dat.c ---------------------------------------------------------- */

/* Have the region's holds by version; no more. */
void low_holds_begin(struct low_args *g);
void low_holds_end(struct low_args *g);
/* How the argument's operand is held; IR_HOLD_NONE: it is none. */
enum ir_hold low_hold_of(const struct low_args *g, const struct ir_arg *a);
/* Slot of entry `entry` (direct: 0) of a dat argument. */
int32_t low_dat_slot(struct low_args *g, const struct ir_arg *a,
                     uint32_t entry);
/* After all calls: which slots are stored, what conflicts, whether parallel. */
void low_dats_finish(struct low_args *g);

/* ---- args_gbl.c ---------------------------------------------------------- */

/* Reductions of the current node's arguments; before their slots. */
void low_reductions_find(struct low_args *g);
int32_t low_gbl_slot(struct low_args *g, uint32_t number);
int32_t low_param_slot(struct low_args *g, const struct ir_arg *a);
int32_t low_index_slot(struct low_args *g, const struct ir_arg *a);
int32_t low_index_long_slot(struct low_args *g, const struct ir_arg *a);
int32_t low_length_slot(struct low_args *g, const struct ir_arg *a);

/* ---- args_bind.c --------------------------------------------------------- */

int32_t low_bind_get(struct low_region *r, struct low_bind b);
/* The memory of `dat` in `buffer`, with its stride if it has one. */
int32_t low_bind_dat(struct low_args *g, ir_ref dat, ir_ref buffer);
/* The thread's columns of the dat, a root. */
int32_t low_bind_column(struct low_args *g, ir_ref root);
int32_t low_bind_map(struct low_args *g, ir_ref map);
/* Entries of its rows: the first ones, if the region goes by steps from there
 * (where rows begin, if these are the first ones), else all. */
int32_t low_bind_targets(struct low_args *g, ir_ref map);
/* Its stretches: where each entry begins; the rest hangs on that. */
int32_t low_bind_stretches(struct low_args *g, ir_ref map);
/* Where rows of the map begin; -1: they have one length. */
int32_t low_bind_start(struct low_args *g, ir_ref map);
/* What a call needs to go over rows (ir_node's `each`). */
void low_bind_rows(struct low_args *g, uint32_t each, struct low_call *c);
/* ... and to know in which layer it is, behind its arguments. */
void low_bind_layers(struct low_args *g, struct low_call *c);
/* A table of the program's numbers: of the elements (IR_NONE; -1 if they need
 * none), or of what the map names. */
int32_t low_bind_numbers(struct low_args *g, ir_ref map);
/* The numbers over all ranks of the elements of a set in parts. */
int32_t low_bind_of_numbers(struct low_args *g, ir_ref set);
/* The kernel of a node with its constants at that node. */
status low_instance_get(struct low_args *g, uint32_t *out);

#endif
