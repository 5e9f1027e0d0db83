/* Walks of regions: walks.def has them, walk.c what they must keep apart. */
#ifndef IR_WALK_H
#define IR_WALK_H

#include "ir/ir.h"

struct ir_walk_info {
  const char *text;
  bool host, device; /* has code there */
  int safe;          /* 0 nothing may meet, 1 writes through maps may, 2 all */
  const char *meaning;
};
extern const struct ir_walk_info ir_walk_info[IR_WALK_COUNT];

/* Texts of teams. */
extern const char *const ir_team_text[IR_TEAM_COUNT];
/* Does one thread run all of the region: in order, or by its target? */
bool ir_alone(const struct ir_trace *t, ir_ref region);

/* For each argument a, of node n, of the loops of region g that run. */
#define IR_EACH_ARG(t, g, n, a)                                                \
  for (ir_ref n = (g)->first; n < (g)->first + (g)->count; n++)                \
    for (const struct ir_arg *a = ir_args(t, &(t)->nodes[n]),                  \
                             *a##_end = a + (t)->nodes[n].nargs;               \
         !ir_deferred(&(t)->nodes[n]) && a < a##_end; a++)

/* How a region touches a buffer: an OR of these over its arguments. */
enum {
  IR_READS_HERE = 1, /* at the element itself */
  IR_WRITES_HERE = 2,
  IR_READS_FAR = 4, /* through a map */
  IR_WRITES_FAR = 8,
  IR_ADDS_FAR = 16,       /* through a map, and nothing but that: it adds, */
  IR_LOWERS_FAR = 32,     /* keeps the smaller value, */
  IR_RAISES_FAR = 64,     /* or the larger one */
  IR_WRITES_COLUMN = 128, /* in the element's column, which is as here */
  IR_COMBINES_FAR = IR_ADDS_FAR | IR_LOWERS_FAR | IR_RAISES_FAR,
  IR_TOUCH_FAR = IR_READS_FAR | IR_WRITES_FAR | IR_COMBINES_FAR,
  IR_TOUCH_WRITES =
      IR_WRITES_HERE | IR_WRITES_FAR | IR_WRITES_COLUMN | IR_COMBINES_FAR
};

/* How the region touches each buffer, in touch[buffer], zero before; untouch
 * makes it so again. */
void ir_region_touch(const struct ir_trace *t, ir_ref region, uint8_t *touch);
void ir_region_untouch(const struct ir_trace *t, ir_ref region, uint8_t *touch);
/* Is it one of the arguments by which the region writes a dat's elements, and
 * by which alone it reaches them, through one entry of an injective map? Then
 * each element of the loop has its own. */
bool ir_arg_of_element(const struct ir_trace *t, ir_ref region,
                       const struct ir_arg *a);
/* Do elements meet in the buffer, so that each call loads and stores what it
 * touches? Not where all of them only add, or only read. */
bool ir_touch_meets(unsigned touch);

/* What elements of a region do to each other. */
enum {
  IR_WALK_MEETS = 1,  /* they may write to one element of another set */
  IR_WALK_ORDERED = 2 /* results depend on their order */
};

/* Have all versions that the region touches buffers (pass storage)? Before that
 * nobody knows what elements do to each other. */
bool ir_walk_known(const struct ir_trace *t, ir_ref region);
/* May its core, elements that need nothing of other ranks, run before the rest?
 * Where it has one: an exchange is under way when the region begins, its walk
 * is not in order, rows have one length, and no extreme has a payload. In a
 * front, which begins while that of its first region is: if it has not run. */
bool ir_core_first(const struct ir_trace *t, ir_ref region);
/* May its code go by stretches (ir_map) of the maps that it has? On hosts, by
 * ranges or parts; not over rows, nor in blocks where memory is in blocks, nor
 * where a sum is rounded. */
bool ir_may_stretch(const struct ir_trace *t, ir_ref region);
/* Elements of a stretch, on average, from which on code by stretches pays. */
enum { IR_STRETCH_LEAST = 8 };
/* Does this argument's path go by them then? */
bool ir_arg_stretches(const struct ir_trace *t, const struct ir_arg *a);
/* Do stretches of both maps begin at the same elements? */
bool ir_stretches_alike(const struct ir_trace *t, ir_ref a, ir_ref b);
/* May some of its elements run twice, others meanwhile, and leave the same?
 * What their kernels see is still there then, or made again; no sums, of any
 * kind. The walk is there. cost O(arguments squared) */
bool ir_may_run_twice(const struct ir_trace *t, ir_ref region);
/* Is the buffer the chain's own that the region is of? Its memory begins
 * wherever a tile does. */
bool ir_is_private(const struct ir_trace *t, const struct ir_region *g,
                   ir_ref buffer);
/* Bytes ahead of what is read at which code asks for memory, at most. */
enum { IR_AHEAD_MAX = 1 << 20 };
/* Does the region read nothing of this buffer further on, in the order of
 * points, than through this entry of the argument's rule? Then what that reads
 * is not in a cache yet. No: the region made it itself, it is the element's
 * own, the buffer is private to a chain, or others of the chain have read it
 * already. cost O(entries of the region, and of those before
 * it in its chain) */
bool ir_entry_leads(const struct ir_trace *t, ir_ref region,
                    const struct ir_arg *a, uint32_t entry);
/* Does the argument read its element's own components, several that lie side by
 * side, which neither the region made nor others of its chain have in a cache?
 * cost O(arguments before it in its chain) */
bool ir_arg_leads(const struct ir_trace *t, ir_ref region,
                  const struct ir_arg *a);
/* Does an entry that it reads through lead? cost O(its entries squared) */
bool ir_entries_lead(const struct ir_trace *t, ir_ref region);
/* Does one, or an argument? cost as above */
bool ir_region_leads(const struct ir_trace *t, ir_ref region);
/* Elements further on whose rows code asks for, at most. */
enum { IR_PREFETCH_MAX = 4096 };
/* Bytes of rows of several lines each, anywhere in memory, that an element of
 * the region reaches through tables by this argument; 0: none. Of long rows,
 * whose loops are not unrolled, processors foresee what comes. */
uint64_t ir_arg_lines(const struct ir_trace *t, ir_ref region,
                      const struct ir_arg *a);
/* The same of all its arguments, where code works on one element at a time and
 * may ask for those of others; 0 else. cost O(its arguments) */
uint64_t ir_region_lines(const struct ir_trace *t, ir_ref region);
/* Bytes of a row that blocks ask for, at most. */
enum { IR_ROW_MOST = 1024 };
/* Bytes of a target's row that blocks of the region ask for by this argument
 * (`targets`); 0: of none. A dat in AoS, by a table of entries that several
 * elements may share. */
uint64_t ir_arg_row(const struct ir_trace *t, ir_ref region,
                    const struct ir_arg *a);
/* Targets whose rows blocks ask for, at most. */
enum { IR_TARGET_ROWS_MAX = 8 };
/* May its code go along many rows side by side, entry by entry, and have
 * nothing for their elements meanwhile? All loops go over rows that lie beside
 * each other, and meet what these name alone. */
bool ir_may_panel(const struct ir_trace *t, ir_ref region);
/* The usual length (ir_map) of the rows whose length its first such kernel asks
 * for, on hosts; 0: there are none. */
uint32_t ir_usual_length(const struct ir_trace *t, ir_ref region);
/* May its code go by steps (ir_map) along rows that it has? Anywhere. */
bool ir_may_step(const struct ir_trace *t, ir_ref region);
/* An OR of these, of a region for which it is known; `overlaps` as
 * ir_overlaps_build makes it. cost O(buffers + arguments of the region, squared
 * for those by injective maps) */
unsigned ir_walk_needs(const struct ir_trace *t, ir_ref region,
                       const bool *overlaps);

#endif
