/* Inside of lower/: what a kernel's IR proves. See facts.c. */
#ifndef LOWER_FACTS_H
#define LOWER_FACTS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/table.h"
#include "lower/kernel.h"
#include "lower/llvm/ll.h"

#include <llvm-c/Target.h>

/* Memory that parameters lead to: what the parameter itself points to
 * (entry == FACT_SELF), or entry i of a vector parameter, or one of its entries
 * that is not known (FACT_ANY). */
enum { FACT_SELF = -1, FACT_ANY = -2 };
struct fact_object {
  uint32_t param;
  int64_t entry;
  bool escaped; /* used in a way that is not followed: anything may happen */
  bool reads, writes;
  uint64_t bit0, extent; /* flow: its bytes are bits [bit0, bit0 + extent) */
  uint64_t full;         /* bytes [0, full) are stored on every path */
};

/* Where a pointer may lead, an OR; `object` counts if it is only a PARAM. */
enum {
  FACT_PARAM = 1,
  FACT_LOCAL = 2,
  FACT_GLOBAL = 4,
  FACT_UNKNOWN = 8, /* loaded from memory, returned by a call */
  FACT_CLOSED = 16, /* constants, and all that pointers in them lead to */
  FACT_OPEN = 32    /* constants that lead to variables: facts_tables.c */
};
struct fact_pointer {
  uint8_t bases;
  bool known;      /* offset is a constant */
  uint32_t object; /* FACT_NONE: several */
  int64_t offset;
};
#define FACT_NONE UINT32_MAX

/* A load, store or memory intrinsic on a parameter's memory. A memcpy between
 * parameters is two accesses. */
struct fact_access {
  LLVMValueRef inst, pointer;
  uint32_t object;
  bool writes;
  bool known; /* offset and size are constants */
  int64_t offset;
  uint64_t size;
};

struct facts {
  LLVMContextRef ctx;
  LLVMModuleRef m;
  LLVMValueRef fn;
  LLVMTargetDataRef layout;
  struct arena arena;
  struct table pointers; /* LLVMValueRef -> struct fact_pointer */
  struct table closed;   /* constants (LLVMValueRef), see facts_tables.c -> 1 */
  struct fact_object *objects;
  struct fact_access *accesses;
  LLVMValueRef *globals; /* mutable ones that are mentioned */
  uint32_t nobjects, capobjects, naccesses, capaccesses, nglobals, capglobals;
  bool effects;
  const char *why; /* in the arena */
};

/* facts_clean.c: inline, promote, unroll, on this private copy. */
status fact_clean(struct facts *f);
/* facts_tables.c: which constants lead to constants only; fills `closed`. */
void fact_tables(struct facts *f);
/* FACT_GLOBAL, FACT_CLOSED or FACT_OPEN. */
uint8_t fact_global(const struct facts *f, LLVMValueRef g);
/* facts_pointers.c: where each pointer leads; fills `pointers`, `objects`. */
void fact_pointers(struct facts *f);
/* What is known of a pointer-valued operand. */
struct fact_pointer fact_pointer_of(const struct facts *f, LLVMValueRef v);
/* facts_access.c: accesses, escapes, effects, globals. */
void fact_accesses(struct facts *f);
/* Record an effect; the first reason stays. */
void fact_effect(struct facts *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* facts_flow.c: full bytes; reads of old values. */
void fact_flow(struct facts *f);
/* facts_adds.c: types, as bits 1 << TYPE_..., of components that the
 * parameter's memory is only added to as; 0: not proven. */
uint32_t fact_adds_as(const struct facts *f, uint32_t param);
/* facts_extremes.c: the same for memory that is only lowered, or raised; and
 * which parameters are stored to where it is, and nowhere else, as bits. False:
 * not proven. */
struct fact_extreme {
  uint32_t types;
  uint64_t payload;
};
bool fact_extreme(const struct facts *f, uint32_t param, bool max,
                  struct fact_extreme *out);
/* facts_reach.c: how far the parameter's memory is touched. */
void fact_reach(const struct facts *f, uint32_t param, struct low_param *p);
/* facts_count.c: operations. */
void fact_count(const struct facts *f, struct low_kernel *k);
/* facts_copy.c */
void fact_copy(const struct facts *f, struct low_kernel *k);

/* Read facts of function k->name in k->bitcode into k; strings and arrays go to
 * `arena`. Constants have names and sizes, no addresses. ERR_COMPILE if the
 * bitcode is broken. */
status low_facts_read(struct low_kernel *k, struct arena *arena);

#endif
