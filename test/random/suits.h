/* Which programs suit which ways to play them. */
#ifndef RANDOM_SUITS_H
#define RANDOM_SUITS_H

#include "play.h"

/* May this program be played with these flags? */
bool suits(const struct program *p, unsigned flags);
/* It without the operations that do not suit PLAY_PARTS; NULL: the rest is no program
 * that can be played so. */
struct program *suits_parts(const struct program *p);

#endif
