/* Values that carry what a parameter's memory held at the start: shared by the
 * proofs of sums (facts_adds.c) and of extremes (facts_extremes.c).
 *
 * Locations are (object, offset, type), or the address itself where the offset
 * is variable: then a carrier must not pass a phi, since the address may be
 * another one there. */
#ifndef LOWER_LLVM_FACTS_CARRY_H
#define LOWER_LLVM_FACTS_CARRY_H

#include "lower/llvm/facts.h"

struct carry {
  const struct facts *f;
  uint32_t param;
  LLVMTypeRef type;   /* of one component, in all accesses; NULL: none seen */
  struct table where; /* carrier -> 1 + number of an access of its location */
  LLVMValueRef *carriers;
  uint32_t ncarriers, capcarriers;
};

/* May instruction i use carrier v of location loc? It may become a carrier
 * itself, by carry_mark. */
typedef bool (*carry_use_fn)(struct carry *w, LLVMValueRef i, LLVMValueRef v,
                             const struct fact_access *loc);

/* All loads of the parameter's memory are carriers, and what `use` makes of
 * their uses. False: an access is no plain one of components of one type, or
 * `use` refused. */
bool carry_spread(struct carry *w, carry_use_fn use);
void carry_clear(struct carry *w);

/* Is x an access of the parameter's memory? */
bool carry_mine(const struct carry *w, const struct fact_access *x);
/* The same location? */
bool carry_same(const struct fact_access *a, const struct fact_access *b);
/* Location that v carries; NULL: v is independent of the start. */
const struct fact_access *carry_location(const struct carry *w, LLVMValueRef v);
/* v carries this location; false if it carries another one, too. */
bool carry_mark(struct carry *w, LLVMValueRef v, const struct fact_access *loc);
/* Is this store one to location loc? */
bool carry_stores(const struct carry *w, LLVMValueRef store,
                  const struct fact_access *loc);
/* Type of one component of a vector, or t itself. */
LLVMTypeRef carry_component(LLVMTypeRef t);
/* Name of the function or intrinsic that is called; "": through a pointer. */
const char *carry_callee(LLVMValueRef call);
/* Types of base/types.def whose components are what the accesses work on, as
 * bits 1 << TYPE_...; `classes`: of which classes ("FIU"). */
uint32_t carry_types(const struct carry *w, const char *classes);

#endif
