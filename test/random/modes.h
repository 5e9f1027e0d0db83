/* The ways in which each program is played: eager, by default, and in two modes of
 * a deck that holds each other mode `share` times, so that all come equally often,
 * and more often those that few programs suit. */
#ifndef RANDOM_MODES_H
#define RANDOM_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mode {
  const char *name;
  const char *env; /* "NAME=value NAME=value" */
  int threads;
  unsigned flags; /* PLAY_* */
  int share;      /* cards in the deck; 0: played beside another mode */
};

extern struct mode modes[];
extern const size_t nmodes;
enum { MODES_MAX = 256 };
enum { MODE_EAGER, MODE_DEFAULT }; /* the first two: always played */

/* Under OP2_TARGET=opencl... or cuda... each mode that names no target plays there, and
 * those that name opencl do. Call it before the first program. */
void modes_start(void);
/* Modes of batch `number`, by the deck. */
void modes_draw(uint64_t number, size_t **list, int *n);
/* Can it be played: with this device, with kernels that have IR or have none? */
bool mode_is_for(const struct mode *m);
/* Set the environment and the number of threads. */
void mode_enter(const struct mode *m);
/* Number of the mode with this name; nmodes: none. */
size_t mode_find(const char *name);

/* Is there an OpenCL device for modes that need one? */
bool mode_have_device(void);
/* Target of operation `op` of a program under PLAY_TARGETS. */
const char *mode_target(uint64_t seed, int op);

#endif
