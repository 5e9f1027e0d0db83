/* How operands of a region are held: holds.def has the ways, hold.c who may be
 * held how. */
#ifndef IR_HOLD_H
#define IR_HOLD_H

#include "ir/live.h"

struct ir_hold_info {
  const char *text;
  const char *meaning;
};
extern const struct ir_hold_info ir_hold_info[IR_HOLD_COUNT];

/* Largest sum that is held apart for each element, in components; largest
 * global that is copied, in bytes. */
enum { IR_HOLD_SUM_MAX = 16, IR_HOLD_COPY_MAX = 256 };

/* The version by which an argument's operand is named: that which it writes,
 * else that which it reads, whose data it may share with others. IR_NONE: it is
 * none (an index, a captured value, scratch). */
ir_ref ir_operand(const struct ir_trace *t, const struct ir_arg *a);

/* Numbers of 4 or 8 bytes: those that devices combine atomically. */
static inline bool
ir_in_words(struct type t) {
  return t.kind < TYPE_BOOL && (t.size == 4 || t.size == 8);
}

/* What is known of a region; `touch` as ir_region_touch makes it. */
struct ir_hold_facts {
  const bool *overlaps; /* ir_overlaps_build */
  const struct ir_live *live;
  uint8_t *touch;
};
/* The ways in which the operand of node n's argument a may be held: bits
 * 1 << enum ir_hold, never none of them. */
unsigned ir_holds_of(const struct ir_trace *t, ir_ref n, const struct ir_arg *a,
                     const struct ir_hold_facts *f);

/* Most elements that code works on at once, and most components of an operand
 * that it then keeps for each. */
enum { IR_WIDTH_MAX = 16, IR_WIDTH_COMPONENTS = 32 };
/* What code of a region is spelt out, in components: an operand of more than
 * IR_WIDTH_COMPONENTS is moved by a loop, which is as much as IR_SPELT_LOOP.
 * Code of more than IR_SPELT_MOST calls its kernels, and is slow. */
enum { IR_SPELT_MOST = 512, IR_SPELT_LOOP = 4 };
/* What an argument adds to that, if no other one is the same operand. */
uint64_t ir_arg_spelt(const struct ir_trace *t, const struct ir_arg *a);
/* Most elements of a panel (struct ir_region). */
enum { IR_PANEL_MAX = 1 << 20 };
/* How it is held before a pass of its own (stretch, stream, runs) looks at it:
 * what that may refine; the same, if none does. */
enum ir_hold ir_hold_before(enum ir_hold how);

/* ---- hold_column.c ------------------------------------------------------- */

/* Do threads keep it, by columns? */
static inline bool
ir_held_by_column(enum ir_hold how) {
  return how == IR_HOLD_COLUMN || how == IR_HOLD_THROUGH;
}
/* Bytes of a column that threads keep, at most: a cache is to hold some. */
enum { IR_COLUMN_MOST = 1 << 14 };
/* Bytes of all columns that a thread has at once, of which its second cache is
 * to hold some more. */
enum { IR_COLUMNS_ROOM = 256 << 10 };
/* May threads keep what the region has of the root for themselves, by columns,
 * if none of it is wanted outside? Each reads only what it wrote for the same
 * column. The walk is there. cost O(arguments of the region) */
bool ir_may_hold_columns(const struct ir_trace *t, ir_ref region, ir_ref root);
/* How many layers from the row's own the argument is, of a dat held so. */
int32_t ir_arg_layer(const struct ir_trace *t, const struct ir_arg *a);
/* Bytes of one column of all that the region holds so. */
uint64_t ir_column_bytes(const struct ir_trace *t, ir_ref region);

/* ---- hold_stream.c ------------------------------------------------------- */

/* May what a region holds as a copy, a version that it makes, be stored past
 * the caches? Width and stretches are chosen. cost O(arguments squared) */
bool ir_may_stream(const struct ir_trace *t, ir_ref region, ir_ref v,
                   const bool *overlaps);
/* May all that it holds as staged of the root be kept by columns, and what is
 * written go past the caches besides? cost O(arguments) */
bool ir_may_go_through(const struct ir_trace *t, ir_ref region, ir_ref root,
                       const bool *overlaps);

/* ---- hold_run.c ---------------------------------------------------------- */

/* Components of what is added to a dat for an element, at most. */
enum { IR_RUN_MOST = 16 };
/* May what a region holds as add, a version that it makes, stay in a register
 * while its target does? Width and stretches are chosen. cost O(arguments) */
struct ir_run {
  uint32_t length;     /* elements for a target on average; 0: it may not */
  uint32_t components; /* of all that an element adds to the dat */
};
struct ir_run ir_may_run(const struct ir_trace *t, ir_ref region, ir_ref v);
/* May what the region reads of version v through the entry along which it adds
 * in runs stay in a register meanwhile? Others are held as run already. cost
 * O(arguments of the region squared) */
bool ir_may_keep(const struct ir_trace *t, ir_ref region, ir_ref v);
/* Does it, of any version? Then its blocks run one element after another. */
bool ir_keeps_reads(const struct ir_trace *t, const struct ir_region *g);

/* ---- hold_late.c --------------------------------------------------------- */

/* May what the region holds as add wait until the next block's loads are under
 * way? Width and stretches are chosen. cost O(loops of the region) */
bool ir_may_be_late(const struct ir_trace *t, ir_ref region);

/* ---- hold_slide.c -------------------------------------------------------- */

/* The call that makes of an element what version v, an inlined loop's result,
 * is of the next one along a stretch: blocks may take that from its lanes.
 * IR_NONE: there is none, or no end of looking. Width and stretches are chosen.
 * cost O(calls * arguments of the region), times what it has from others */
ir_ref ir_slides_from(const struct ir_trace *t, ir_ref region, ir_ref v);

/* ---- several elements at once -------------------------------------------- */

/* May the code of a region work on several elements at once? Bytes of the
 * widest component that each then has for itself; 0: it may not. Walk and holds
 * are there; overlaps: ir_overlaps_build. cost O(arguments * holds) */
size_t ir_widest_component(const struct ir_trace *t, ir_ref region,
                           const bool *overlaps);

/* How nodes [first, end) use a global, a root, over ranks: INC, MIN, MAX: they
 * only add to it, each rank a part; READ: in another way, so that it must be
 * whole; WORK: not at all. cost O(arguments * holds) */
uint8_t ir_sum_use(const struct ir_trace *t, ir_ref first, ir_ref end,
                   ir_ref root);
/* The root whose values nobody has any more behind node n, which sets or frees
 * it; IR_NONE. */
ir_ref ir_dropped(const struct ir_trace *t, ir_ref n);
/* How loops add to what argument a of a BEGIN begins, or a REDUCE joins; READ:
 * no loop does. */
uint8_t ir_sum_access(const struct ir_trace *t, ir_ref n,
                      const struct ir_arg *a);

#endif
