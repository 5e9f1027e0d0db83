/* Blocks renumbered for staging: see rt/walk/stage.c. */
#ifndef RT_STAGE_H
#define RT_STAGE_H

#include "rt/plan.h"

/* Blocks of consecutive elements with numbers of their own for what they reach
 * through entries c[0 .. nentries) of one map (ind_map and loc_map of OP2's
 * plans).
 *   block b     elements [b*block, min((b+1)*block, n))
 *   its targets targets[first[b] .. first[b+1]), distinct, ascending
 *   element e   reaches through entry j: targets[first[b] + local[e*nentries +
 *               j]]
 * No block has more than `most` targets. */
struct rt_stage {
  idx_l n, block, nblocks;
  uint32_t nentries, most;
  idx_l *first, *targets;
  uint16_t *local;
};

/* Entries that a block reaches at most: block * nentries. */
enum { RT_STAGE_MAX = 1 << 16 };

/* The numbers for these entries (all of one map, one each, none twice), from
 * the cache of walks or made. KEEP. cost O(n * nentries * log(block *
 * nentries)) */
status rt_stage_get(idx_l n, idx_l block, const struct rt_entries *c,
                    uint32_t nentries, const struct rt_stage **out);

status rt_stage_make(idx_l n, idx_l block, const struct rt_entries *c,
                     uint32_t nentries, struct rt_stage **out);
void rt_stage_free(struct rt_stage *s);
/* walk_check.c: every number names the entry's target, no target twice. */
status rt_stage_check(const struct rt_stage *s, const struct rt_entries *c,
                      uint32_t nentries);

#endif
