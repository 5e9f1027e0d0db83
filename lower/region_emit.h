/* State of the builder of one region's body; region.c and region_slots.c. */
#ifndef LOWER_REGION_EMIT_H
#define LOWER_REGION_EMIT_H

#include "lower/ll.h"
#include "lower/region.h"

/* Slots above this many components are moved by a loop in the code, those above
 * LOW_WHOLE bytes are not copied where a pointer will do. */
enum { LOW_UNROLL = 32, LOW_WHOLE = 256, LOW_SUM_MAX = 16 };

struct low_emit {
  const struct low_region *r;
  LLVMContextRef ctx;
  LLVMModuleRef m;
  LLVMBuilderRef b;
  struct ll_marks marks;
  LLVMValueRef *fns;    /* of instances */
  LLVMValueRef **consts; /* of instances: globals of bound constants */
  LLVMValueRef body;
  LLVMValueRef *arg;    /* of binds, in the body */
  LLVMValueRef *home;   /* of slots: their private memory; NULL if none */
  LLVMValueRef *now;    /* of slots: where they are for this element */
  LLVMValueRef *strip;  /* of INC slots: strip buffer; NULL: scatter at once */
  LLVMValueRef *acc;    /* of SUM slots: running value */
  LLVMValueRef *vec;    /* of vector arguments of one call: see region.c */
  LLVMValueRef e, i;    /* element; its place in the strip */
  uint32_t strip_len;   /* 0: no strips */
};

/* One element's components somewhere: contiguous at `base` if bind is NULL, else
 * element e of a bound buffer. `step`: distance of components at base. */
struct low_at {
  LLVMValueRef base, e;
  const struct low_bind *bind;
  LLVMValueRef stride;
  bool tagged; /* accesses belong to the parallel group */
  LLVMValueRef step;
};

struct low_at low_at_home(LLVMValueRef base);
/* Element of slot s in bind `bind` (its load or store), through its map. */
struct low_at low_at_dat(struct low_emit *em, const struct low_slot *s,
                         int32_t bind);
struct low_at low_at_strip(struct low_emit *em, uint32_t s);
LLVMValueRef low_at_address(struct low_emit *em, struct low_at at,
                            struct type type, LLVMValueRef c);
/* Index of the element that slot s stands for: e or a map entry. */
LLVMValueRef low_slot_index(struct low_emit *em, const struct low_slot *s);

/* dst[c] = src[c], dst[c] += src[c], dst[c] = identity, for all components. */
void low_emit_copy(struct low_emit *em, const struct low_slot *s,
                   struct low_at dst, struct low_at src);
void low_emit_add(struct low_emit *em, const struct low_slot *s,
                  struct low_at dst, struct low_at src);
void low_emit_fill(struct low_emit *em, const struct low_slot *s,
                   struct low_at dst, enum access acc);
/* acc[c] = acc[c] (+, min, max) slot[c]; sums may be associated anew. */
void low_emit_combine(struct low_emit *em, const struct low_slot *s,
                      LLVMValueRef acc, LLVMValueRef slot);

#endif
