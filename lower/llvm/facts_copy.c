/* Is the kernel a plain copy of one argument to another?
 *
 * save_soln of Airfoil and its kin do nothing else, and then no loop needs to
 * run at all: the second dat can be a second name of the first one's values.
 *
 * Proof: the only memory written is one argument's; each store there stores
 * what a load from one other argument gave at the same offset and width, or is
 * a memcpy of that shape; and every byte that is stored at all is stored on
 * every path. Since nothing writes the source, neither order nor paths matter.
 */
#include "lower/llvm/facts.h"

#include <assert.h>
#include <llvm-c/Core.h>

/* The read access behind the bytes that store `a` writes; NULL: not one. */
static const struct fact_access *
copy_source(const struct facts *f, uint32_t a) {
  assert(a < f->naccesses);
  const struct fact_access *to = &f->accesses[a];
  LLVMValueRef from = to->inst; /* a memcpy reads itself */
  if (LLVMIsAStoreInst(to->inst)) from = LLVMGetOperand(to->inst, 0);
  for (uint32_t k = 0; k < f->naccesses; k++) {
    const struct fact_access *x = &f->accesses[k];
    if (x->inst == from && !x->writes)
      return x->known && x->offset == to->offset && x->size == to->size ? x
                                                                        : NULL;
  }
  return NULL;
}

static bool
copy_object_fits(const struct fact_object *o) {
  return !o->escaped && (!o->writes || (o->entry == FACT_SELF && o->full &&
                                        o->full == o->extent));
}

void
fact_copy(const struct facts *f, struct low_kernel *k) {
  uint32_t from = FACT_NONE, to = FACT_NONE;
  if (f->effects) return;
  for (uint32_t o = 0; o < f->nobjects; o++)
    if (!copy_object_fits(&f->objects[o])) return;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a], *source;
    if (!x->writes) continue;
    source = x->known ? copy_source(f, a) : NULL;
    if (!source || f->objects[source->object].entry != FACT_SELF) return;
    if (from != FACT_NONE && (from != source->object || to != x->object))
      return;
    from = source->object;
    to = x->object;
  }
  if (from == FACT_NONE || from == to) return;
  k->copy_from = (int)f->objects[from].param;
  k->copy_to = (int)f->objects[to].param;
  k->copy_bytes = f->objects[to].full;
}
