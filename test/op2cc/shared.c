/* A shared object with a kernel of its own. */
#include "registry.h"

static double weight = 3;

static void
weigh(double *b) {
  *b *= weight;
}

const void *
shared_kernel(void) {
  TEST_LOOP(weigh);
  return (const void *)weigh;
}
