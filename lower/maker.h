/* From a trace to a program: its numbers, and the regions on the way. Files of
 * lower/ that see the trace share this; lower/llvm/ does not. */
#ifndef LOWER_MAKER_H
#define LOWER_MAKER_H

#include "ir/ir.h"
#include "lower/lower.h"
#include "lower/region.h"

/* Numbers of the program being made, and facts of the whole trace that every
 * region asks for. Arrays are indexed by trace references. */
struct low_maker {
  const struct ir_trace *t;
  const struct low_env *env;
  struct rt_program *p;
  struct low_program *out;
  uint32_t *dat_no, *gbl_no;
  bool *shared;  /* of a root: several dats lie there */
  uint8_t *hold; /* of a value: how the region at hand holds it; 0 */
  int32_t *held; /* of a value: its slot, -1; scratch of args.c */
  uint32_t capslots, capparams, capaddresses;
  uint32_t *slot_buffer; /* of a slot: ir buffer */
  bool *slot_host;       /* something on the host works on it */
  uint32_t capcmds, capsums, capwants;
  bool exchanging; /* behind EXCHANGE_START, before EXCHANGE_FINISH */
  uint32_t capchains, capspans, caplaunches;
  struct low_region *regions; /* of launches on the host, */
  double quick;               /* seconds of these on one thread by quick code */
  uint32_t nregions, capregions;
};

/* ---- number.c ------------------------------------------------------------ */

/* Sets, maps, dats and globals of the trace; first of all. */
void low_number_decls(struct low_maker *m);
/* What is asked for a second time has the number of the first. */
uint32_t low_number_slot(struct low_maker *m, ir_ref buffer, ir_ref dat);
uint32_t low_number_param(struct low_maker *m, struct low_capture c);
uint32_t low_number_address(struct low_maker *m, uint32_t kernel_tag);

/* ---- chain.c ------------------------------------------------------------- */

/* Is the slot private to tiles of the chain that region g is of? */
bool low_slot_is_own(const struct low_maker *m, const struct ir_region *g,
                     uint32_t slot);
/* Chain k, of the last `count` launches; regions from `first` on. */
void low_chain_make(struct low_maker *m, ir_ref k, ir_ref first,
                    uint32_t count);

/* Is what the region has by this bind in a cache, since it stays with a tile of
 * its chain, or an earlier region of its front went to it? */
bool low_bind_is_near(const struct low_maker *m, ir_ref region,
                      const struct low_bind *b);
/* Chain k, of pieces: of the last launch, and those that follow it. */
void low_front_make(struct low_maker *m, ir_ref k, ir_ref first,
                    uint32_t count);

/* ---- lower.c ------------------------------------------------------------- */

/* fn for each region of the trace, in order, until it fails; `nodes` are those
 * that it was made of. */
typedef status low_region_fn(void *user, const struct low_maker *m,
                             struct low_span nodes, const struct low_region *r);
status low_regions_each(const struct ir_trace *t, const struct low_env *env,
                        low_region_fn *fn, void *user);

/* ---- effort.c ------------------------------------------------------------ */

/* What the region does for each element. */
struct rt_effort low_effort(const struct ir_trace *t,
                            const struct low_region *r);
/* Seconds that an element takes by quick code. */
double low_effort_quick(const struct ir_trace *t, const struct low_region *r);

/* ---- args.c -------------------------------------------------------------- */

/* Describe nodes [first, first+count), deferred ones left out. `r` is zero;
 * owner calls low_region_clear. ERR_COMPILE: arguments and kernel don't fit. */
status low_region_make(struct low_maker *m, ir_ref first, uint32_t count,
                       struct low_region *r);

#endif
