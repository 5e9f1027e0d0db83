/* Takes functions' addresses, but for itself: nothing is embedded. */
#include "registry.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int
compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

int
main(int argc, char **argv) {
  (void)argv;
  int v[2] = {2, 1};
  qsort(v, 2, sizeof *v, compare);
  errno = 0;
  volatile double root = sqrt(-(double)argc); /* the host may look at errno */
  (void)root;
  if (errno != EDOM) return 1;
#ifdef __OPTIMIZE__
  if (v[0] != 1 || registry_blobs()) return 2;
  return 0;
#else
  return v[0] == 1 && !registry_blobs() ? 100
                                        : 2; /* says: compiled under -O0 */
#endif
}
