/* What ways to run a region cost: see cost.c. */
#ifndef IR_COST_H
#define IR_COST_H

#include "ir/hold.h"

/* Increments through maps of one region, for each of its elements. */
struct ir_increments {
  bool words;  /* increments and extremes of 4 or 8 bytes and copies of the
                  element's own are all that it writes: each component can be
                  atomic */
  bool staged; /* and there is room to stage them */
  double moved, extremes; /* components that are added, and others */
  double meet; /* increments that a target gets, on average, of that map where
                   they are fewest */
};
/* facts: of the region, as for ir_holds_of. cost O(arguments squared) */
struct ir_increments ir_increments_of(const struct ir_trace *t, ir_ref region,
                                      const struct ir_hold_facts *facts);

/* What elements of a region read of one version through maps. */
struct ir_reads {
  double moved; /* components, of each entry */
  double meet;  /* as of increments */
};
struct ir_reads ir_reads_of(const struct ir_trace *t, ir_ref region,
                            ir_ref version);
/* Is there room in local memory for these versions, by number, beside what a
 * region adds there? cost as above */
bool ir_stage_fits(const struct ir_trace *t, ir_ref region, const bool *local);

/* Components that code of a region keeps for an element. cost as above
 *   singles  of these: come through a map one by one, whatever vectors hold
 *   own      of these: the element's own, not through a map */
struct ir_components {
  uint64_t all, singles, own;
};
struct ir_components ir_components_of(const struct ir_trace *t, ir_ref region);

/* Elements from which on a region has several shares, and from which on
 * entering a team of threads is nothing beside the work: rt/walk/team.c. */
enum { IR_TEAM_LEAST = 2 * 512, IR_TEAM_LONG = 1 << 16 };

/* Where regions run: weights of machines.def. */
enum ir_machine {
#define MACHINE(name, ...) IR_MACHINE_##name,
#include "ir/machines.def"
#undef MACHINE
  IR_MACHINE_COUNT
};

/* Bytes of its vectors, unless somebody knows better. */
uint32_t ir_machine_vector(enum ir_machine m);
/* In units of one component moved to or from memory, an element; HUGE_VAL: it
 * is not to be. */
double ir_cost_atomic(const struct ir_increments *x, enum ir_machine m);
double ir_cost_coloured(const struct ir_increments *x, enum ir_machine m);
double ir_cost_staged(const struct ir_increments *x, enum ir_machine m);
/* ... where they are, and by way of local memory */
double ir_cost_direct(const struct ir_reads *x, enum ir_machine m);
double ir_cost_local(const struct ir_reads *x, enum ir_machine m);

/* The block (struct ir_dat) of `dim` components, which loops reach by rows or
 * go straight through. */
uint32_t ir_cost_block(uint32_t dim, bool rows, enum ir_machine m);

/* Are elements to be numbered anew whose maps have this scatter (struct
 * ir_map) on average? */
bool ir_cost_bad_order(double scatter, enum ir_machine m);

/* Seconds that an element takes by code that is not optimised, about: so many
 * components moved, and operations. */
double ir_cost_quick(double moved, double operations);

/* What staging has room for: entries of one map, bytes of an element's
 * increments and reads in local memory, and what each begins at a multiple of.
 */
enum { IR_STAGE_ENTRIES = 16, IR_STAGE_BYTES = 1024, IR_STAGE_ALIGN = 16 };

#endif
