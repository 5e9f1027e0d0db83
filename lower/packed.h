/* Kernels that take one block of values where a loop has a vector argument. */
#ifndef LOWER_PACKED_H
#define LOWER_PACKED_H

#include "base/err.h"
#include "base/types.h"
#include "lower/kernel.h"

/* Parameter `param` is T x[entries * dim]. Entries of the vector are (i, j) =
 * (n / cols, n % cols), components of one are (r, c) = (m / cdim, m % cdim); in
 * the block component m of entry n is x[((i * (dim / cdim) + r) * cols + j) *
 * cdim + c]. With cols and cdim 1 that is x[n * dim + m]. Where there is a
 * mask, parameter `mask` of the function is char **, one for each entry: what
 * the kernel leaves in the block of an entry whose char is 0 is dropped. */
struct low_pack {
  uint32_t param, mask; /* masks are behind the kernel's parameters; 0: none */
  enum access access;   /* as declared */
  struct type type;
  uint32_t entries, dim, cols, cdim;
};

/* Largest block. */
enum { LOW_PACK_BYTES = 1 << 20 };

/* The kernel that takes T ** for these n > 0 parameters of the nparams that
 * `base` has, and calls it; behind them it has a parameter for each mask. KEEP
 * while loops have it. ERR_COMPILE */
status low_kernel_packed(const struct low_kernel *base, uint32_t nparams,
                         const struct low_pack *packs, uint32_t n,
                         const struct low_kernel **out);

#endif
