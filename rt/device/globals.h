/* Globals of a program on devices; rt/store/cell.c has one of them. */
#ifndef RT_GLOBALS_H
#define RT_GLOBALS_H

#include "rt/plan.h"

struct rt_device;

/* Memory on the device for those of the launch, before the first command. */
status rt_globals_room(const struct rt_program *p, const struct rt_launch *l,
                       struct rt_device *d);
/* The device has those of the launch, but for reductions that are to start from
 * what the host has, as a word: bits of *fresh. keep: the host, too, has those
 * that it writes. */
status rt_globals_upload(const struct rt_program *p, const struct rt_launch *l,
                         struct rt_device *d, bool keep, uint64_t *fresh);
/* The launch was given: written are those in place (kept: what was written does
 * not count, the host has the values) and, if they were joined there, sums. */
void rt_globals_used(const struct rt_program *p, const struct rt_launch *l,
                     bool joined, bool kept);

/* The host has those of the launch, and writes those that it writes. */
status rt_globals_here(const struct rt_program *p, const struct rt_launch *l);
/* The same for one that the host reads, or has written. */
status rt_global_here(const struct rt_program *p, uint32_t g);
void rt_global_written(const struct rt_program *p, uint32_t g);

/* A run begins: what is the program's alone is on the host, and comes back in
 * the end, in one wait. Broken: what was to go up may not have. */
void rt_globals_begin(const struct rt_program *p);
status rt_globals_end(const struct rt_program *p);
void rt_globals_broken(const struct rt_program *p);

#endif
