/* All groups of kernels together, and what they mention. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int k_own[64];
int k_int, k_vec[3], k_table[16];
double k_real;
unsigned k_trail;

#define GROUPS(G)                                                              \
  G(i)                                                                         \
  G(d)                                                                         \
  G(f) G(u) G(l) G(L) G(s) G(c) G(C) G(b) G(r) G(q) G(x) G(y) G(z) G(j) G(h)
#define DECLARE(g) extern const struct kernel_group kernel_group_##g;
GROUPS(DECLARE)
#define NAME(g) &kernel_group_##g,
static const struct kernel_group *const kernel_groups[] = {GROUPS(NAME)};

const struct kernel_entry *
kernel_find(const char *name) {
  for (size_t g = 0; g < sizeof kernel_groups / sizeof *kernel_groups; g++)
    for (size_t k = 0; k < kernel_groups[g]->n; k++)
      if (!strcmp(kernel_groups[g]->entries[k].name, name))
        return &kernel_groups[g]->entries[k];
  fprintf(stderr, "no kernel %s\n", name);
  abort();
}
