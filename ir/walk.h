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

/* What elements of a region do to each other. */
enum {
  IR_WALK_MEETS = 1,  /* they may write to one element of another set */
  IR_WALK_ORDERED = 2 /* results depend on their order */
};

/* Have all versions that the region touches buffers (pass storage)? Before that
 * nobody knows what elements do to each other. */
bool ir_walk_known(const struct ir_trace *t, ir_ref region);
/* An OR of these, of a region for which it is known; `overlaps` as
 * ir_overlaps_build makes it. cost O(buffers + arguments of the region) */
unsigned ir_walk_needs(const struct ir_trace *t, ir_ref region,
                       const bool *overlaps);

#endif
