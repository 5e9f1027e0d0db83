/* Integers whose values kernels know.
 *
 * Problem. What is proven of a kernel does not know values, so that nothing is
 * known of a loop over a number of levels that is a variable of the program:
 * what it writes counts as partly written, what it computes as unknown.
 *
 * Idea. Of a kernel with loops whose constants are integers there is a second
 * one: the same code and constants, with what is proven for the values at hand
 * (lower/kernel.h: low_kernel_given_get). Calls take it as long as the values
 * stay. At the first call that sees another one all calls are looked for again,
 * and from there on take the first kernel. Loops that are new may see yet
 * another value, and have a kernel of their own, up to GIVEN_MOST. Bits are the
 * same, as the code is.
 *
 * Example. `for (l = 0; l < nlev; l++) y[l] = x[l]` with nlev 64 writes all of
 * a dat of 64 components; with 60, not all.
 *
 * Cost. Facts once more for each of these kernels (1 to 3 ms, kept on disk);
 * one memcmp per integer and call.
 *
 * Limits. Over ranks values may differ, and what is proven has to be the same:
 * there calls take the first kernel. So they do where a constant lies in a dat,
 * which pending loops may write, and for code that is to hold for later runs
 * (op2_generate). */
#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/ranks.h"
#include "frontend/spans.h"

#include "lower/kernel.h"

#include <assert.h>

enum { GIVEN_MOST = 8 };

struct fe_kernel *
fe_kernel_given(struct fe_kernel *k) {
  if (k->varies || fe_ranked() || fe.opt.bare || fe_kernel_names_dats(k))
    return k;
  const struct low_kernel *low = low_kernel_given_get(k->low);
  if (low == k->low && !k->low->loops) return k;
  struct fe_kernel *known = low == k->low ? NULL : fe_kernel_of(low, k->name);
  if (!known || (!known->base && ++k->ngiven > GIVEN_MOST)) {
    k->varies = true;
    return k;
  }
  if (!known->base) known->told = k->told;
  known->base = k;
  return known;
}

void
fe_kernel_vary(struct fe_kernel *k) {
  assert(k->base);
  k->base->varies = true;
  k->base->told |= k->told;
  fe.source_version++;
}

bool
fe_kernel_changed(struct fe_kernel *k) {
  if (low_kernel_given_hold(k->low) && !fe_kernel_names_dats(k)) return false;
  fe_kernel_vary(k);
  return true;
}
