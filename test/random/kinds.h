/* Kinds of programs that were added for a class of defects: how many plays had each
 * is told at the end of a run. */
#ifndef RANDOM_KINDS_H
#define RANDOM_KINDS_H

#include "modes.h"
#include "program.h"

enum { KINDS_MAX = 64 };

/* A bit for each kind that a play of the program in this mode has. */
uint64_t kinds_of(const struct program *p, const struct mode *m);
/* Has the program this kind, in modes that suit? */
bool kind_is(const char *name, const struct program *p);
/* Name of a kind; NULL behind the last one. */
const char *kind_name(int kind);

#endif
