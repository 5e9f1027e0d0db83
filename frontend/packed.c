/* Arguments that a kernel takes as one block: see lower/packed.h. */
#include "frontend/calls.h"

#include "lower/packed.h"

static status
check_bytes(const struct fe_kernel *k, uint32_t a, const struct fe_arg *fa) {
  uint64_t bytes = (uint64_t)fa->vector * fa->dim * fa->type.size;
  if (bytes > LOW_PACK_BYTES)
    FAIL(ERR_ARG,
         "op_par_loop \"%s\": argument %u: packed argument: expected at most "
         "%d bytes, found %llu",
         k->name, a, LOW_PACK_BYTES, (unsigned long long)bytes);
  return OK;
}

/* The number of the argument that masks argument a; 0: none. */
static uint32_t
mask_of(const struct fe_arg *args, uint32_t nargs, uint32_t a) {
  for (uint32_t i = a + 1; i < nargs; i++)
    if (args[i].masks == a + 1) return i;
  return 0;
}

status
fe_kernel_packed(struct fe_kernel *k, const struct fe_arg *args, uint32_t nargs,
                 uint32_t nhidden, struct fe_kernel **out) {
  struct low_pack packs[FE_MAX_ARGS];
  const struct low_kernel *low;
  uint32_t n = 0;
  for (uint32_t a = 0; a < nargs; a++) {
    const struct fe_arg *fa = &args[a];
    if (!fa->cols) continue;
    TRY(check_bytes(k, a, fa));
    packs[n++] = (struct low_pack){a,
                                   mask_of(args, nargs, a),
                                   (enum access)fa->access,
                                   fa->type,
                                   fa->vector,
                                   fa->dim,
                                   fa->cols,
                                   fa->cdim};
  }
  *out = k;
  if (!n) return OK;
  TRY(low_kernel_packed(k->low, nargs - nhidden, packs, n, &low));
  *out = fe_kernel_of(low, k->name);
  return OK;
}
