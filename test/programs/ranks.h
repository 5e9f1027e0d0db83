/* How many ranks a launcher started; may be included before OP2's own headers. */
#ifndef TEST_RANKS_H
#define TEST_RANKS_H

#include <stdlib.h>

static inline int
check_ranks(void) {
  const char *n = getenv("OMPI_COMM_WORLD_SIZE");
  if (!n) n = getenv("PMI_SIZE");
  return n ? atoi(n) : 1;
}

/* This one's number. */
static inline int
check_rank(void) {
  const char *n = getenv("OMPI_COMM_WORLD_RANK");
  if (!n) n = getenv("PMI_RANK");
  return n ? atoi(n) : 0;
}

#endif
