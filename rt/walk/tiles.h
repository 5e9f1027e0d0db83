/* Launches that run tile by tile: tiles.c. */
#ifndef RT_TILES_H
#define RT_TILES_H

#include "rt/walk/launch.h"

struct rt_tiles;

/* A chain's tables and private memory, for the threads of the run at hand,
 * which rt_launch_prepare has found. Kept from run to run. ERR_MEMORY */
status rt_tiles_prepare(const struct rt_program *p, uint32_t chain,
                        struct rt_tiles **tiles);
void rt_tiles_free(struct rt_tiles *x); /* NULL: nothing */
void rt_tiles_run(const struct rt_program *p, uint32_t chain,
                  const struct rt_tiles *x);

#endif
