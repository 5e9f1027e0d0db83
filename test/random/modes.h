/* The ways in which each program is played. */
#ifndef RANDOM_MODES_H
#define RANDOM_MODES_H

#include <stddef.h>

struct mode {
  const char *name;
  const char *env; /* "NAME=value NAME=value" */
  int threads;
  unsigned flags; /* PLAY_* */
};

extern const struct mode modes[];
extern const size_t nmodes;
enum { MODE_EAGER, MODE_DEFAULT }; /* the first two: always played */

/* Set the environment and the number of threads. */
void mode_enter(const struct mode *m);
/* Number of the mode with this name; nmodes: none. */
size_t mode_find(const char *name);

#endif
