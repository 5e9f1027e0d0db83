#include "rt/store/dev.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 1 << 16 };

/* -1: not a block length. */
static int
block_of(const char *want) {
  char *end;
  long b = strtol(want, &end, 10);
  if (end == want || *end || b < 1 || b > BLOCK_MAX) return -1;
  return (int)b;
}

/* AoS is the default: an indirect access then finds all components of an
 * element on one cache line, and loops that go straight through vectorise over
 * strided groups. With one component all layouts are the same; AoS has the
 * constant stride, which is what code generation likes best. */
int
rt_layout_choose(const char *want, unsigned dim, int soa) {
  int block;
  if (!want || !*want || !strcmp(want, "auto"))
    block = soa ? 0 : 1;
  else if (!strcmp(want, "aos"))
    block = 1;
  else if (!strcmp(want, "soa"))
    block = 0;
  else
    block = block_of(want);
  return dim <= 1 && block >= 0 ? 1 : block;
}
