/* Which memory of the program is dats', too. */
#include "frontend/spans.h"

#include "frontend/calls.h"
#include "frontend/context.h"
#include "frontend/values.h"

/* Memory that the program takes for the dat's: NULL, it knows of none. */
static const void *
dat_memory(const struct fe_dat *d) {
  if (d->freed) return NULL;
  return d->pinned ? d->pub.data : fe.arrays_apart ? d->declared_from : NULL;
}

/* The set of a dat that was freed may have ended. */
bool
fe_dat_in(const struct fe_dat *d, struct fe_span s) {
  const void *memory = dat_memory(d);
  if (!memory) return false;
  size_t bytes = (size_t)fe_declared_size(d) * (size_t)d->pub.size;
  return fe_spans_meet(s, fe_span_of(memory, bytes));
}

bool
fe_kernel_names_dats(struct fe_kernel *k) {
  if (k->pins_seen == fe.pins) return k->names_dats;
  k->pins_seen = fe.pins;
  k->names_dats = false;
  for (uint32_t i = 0; i < k->nconsts; i++)
    for (uint32_t d = 0; d < fe_all.ndats; d++)
      k->names_dats |= fe_dat_in(
          fe_all.dats[d], fe_span_of(k->consts[i].address, k->consts[i].size));
  return k->names_dats;
}
