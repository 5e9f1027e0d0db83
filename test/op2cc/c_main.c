/* Two C files with the same header's kernels. Exit status 0: all as expected;
 * else the number of the first check that failed. */
#include "kernels.h"
#include "registry.h"

#include <string.h>

double gam = 1.4;
const double rk[2] = {0.5, 1.0};

const void *other_counting(void);
const void *other_calls(void);

static void
constant_kernel(const double *a, double *b) {
  *b = rk[0] * *a;
}

static void
never_taken(double *b) {
  *b = 1;
}

static void (*const table[])(const double *, double *) = {constant_kernel};

int
main(void) {
  TEST_LOOP(inline_kernel);
  TEST_LOOP(counting_kernel);
  double one = 1;
  never_taken(&one);
  table[0](&one, &one);
  counting_kernel(&one, &one);
  if (registry_blobs() != 2 || !registry_bitcode_ok()) return 1;
  if (!registry_name(inline_kernel)) return 2;
  if (strcmp(registry_name(inline_kernel), "inline_kernel")) return 3;
  if (!registry_name(counting_kernel)) return 4;
  if (!registry_name(other_counting())) return 5;
  if (other_counting() == (const void *)counting_kernel) return 6;
  if (!registry_name(constant_kernel)) return 7;
  if (!registry_has("inline_kernel") || registry_has("never_taken") ||
      registry_has("main"))
    return 8;
  if (registry_size(&gam) != sizeof gam) return 9;
  if (strcmp(registry_name(&gam), "gam")) return 10;
  if (registry_size(&calls) != sizeof calls) return 11;
  if (registry_size(other_calls()) != sizeof calls) return 12;
  if (!strcmp(registry_name(&calls), registry_name(other_calls()))) return 13;
  if (registry_size(rk)) return 14; /* a constant is in the bitcode */
  if (calls != 1) return 15;        /* host code and table mean one object */
  return 0;
}
