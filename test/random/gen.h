#ifndef RANDOM_GEN_H
#define RANDOM_GEN_H

#include "interp.h"

/* Seeds n * GEN_GROUP ... share types and kernels. */
enum { GEN_GROUP = 8 };

/* The program of a seed. The interpreter ran along: all its operations are
 * allowed. */
struct program *gen_program(uint64_t seed);

#endif
