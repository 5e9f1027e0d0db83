/* Code for devices: what device*.c and target_*.c share. */
#ifndef LOWER_LLVM_DEVICE_H
#define LOWER_LLVM_DEVICE_H

#include "lower/device_form.h"
#include "lower/llvm/region_emit.h"

/* How a device's code differs: one row each in device.c. */
struct low_device_kind {
  const char *name;
  unsigned kernel_convention;
  bool float_atomics; /* atomicrmw fadd; else a compare-and-swap loop */
  /* Fill in triple, layout and, if it has one, machine. */
  status (*init)(struct low_target *t, const char *arch);
  /* Global number, number in the group, of the group: i64. */
  LLVMValueRef (*item)(struct low_emit *em, enum low_item which);
  void (*barrier)(struct low_emit *em);
  /* Local memory that the launch gives: the kernel's last argument, or not one.
   * */
  bool room_is_argument;
  LLVMValueRef (*room)(struct low_emit *em);
  /* Mark a kernel; `nargs` parameters. */
  void (*mark)(struct low_emit *em, LLVMValueRef fn);
  /* Optimise what is inlined already, then bytes of code. */
  status (*finish)(const struct low_target *t, LLVMModuleRef m,
                   struct str *code);
};
extern const struct low_device_kind low_kind_spir, low_kind_spirv, low_kind_ptx;

/* spirv.c: SPIR-V from SPIR, by a translator that is looked for now.
 * ERR_COMPILE: there is none, or what it says */
status low_spirv_translate(const struct str *spir, struct str *code);

/* ---- device_globals.c ---------------------------------------------------- */

/* Give kernel `em->fn`, into which all is inlined, private copies of the
 * module's variables: devices keep those in other address spaces. Bound
 * constants start from their captured bytes. */
status low_device_globals(struct low_emit *em);

/* ---- device_sums.c ------------------------------------------------------- */

/* Accumulators of a work item: their start, and into the group's sums, which
 * all of its items pass alike. `fresh` NULL: always; else i1: where false, the
 * group has sums from a launch before. */
void low_device_sums_begin(struct low_emit *em);
void low_device_sums_end(struct low_emit *em, LLVMValueRef fresh);
/* Where the items' accumulators are: the room, and each its row. `groups` NULL:
 * as many as the launch has. */
void low_device_rows(struct low_emit *em, LLVMValueRef groups);
/* Before an element: keep what claims are about. After it: `number` made what
 * has changed. */
void low_device_claims_keep(struct low_emit *em);
void low_device_claims_note(struct low_emit *em, LLVMValueRef number);
/* The kernel that joins the groups' sums; struct rt_reduction says how. */
void low_device_combine(struct low_emit *em);

/* ---- device_stage.c ------------------------------------------------------ */

void low_device_stage(struct low_emit *em);

/* ---- device.c ------------------------------------------------------------ */

enum { LOW_SPACE_GLOBAL = 1, LOW_SPACE_LOCAL = 3 }; /* of SPIR and PTX */

const struct low_device_kind *low_device_kind(enum rt_code_kind kind);
/* Is the module valid? ERR_COMPILE */
status low_device_verify(struct low_emit *em);
/* Open a kernel: binds, sums, captured values, then `n` arguments, the first
 * `np` of which are memory and the others words, and room in local memory if
 * the form has it. p[0..n): those arguments. */
void low_device_kernel(struct low_emit *em, const char *name, LLVMValueRef *p,
                       uint32_t np, uint32_t n);
/* Slots and accumulators before the elements and after them. */
void low_device_begin(struct low_emit *em);
void low_device_end(struct low_emit *em, LLVMValueRef fresh);
/* ---- device_parts.c ------------------------------------------------------ */

LLVMTypeRef low_device_ptr(struct low_emit *em);
/* i1: is the item's element in [lo, hi)? */
LLVMValueRef low_device_inside(struct low_emit *em, LLVMValueRef lo,
                               LLVMValueRef hi);
/* Colour of the item's element, -1 where it is not `inside`. */
LLVMValueRef low_device_colour(struct low_emit *em, LLVMValueRef colours,
                               LLVMValueRef inside);
/* *p = *p (+, min, max) x, of 4 or 8 bytes, atomically. */
void low_device_atomic(struct low_emit *em, struct type t, enum access acc,
                       LLVMValueRef p, LLVMValueRef x);
/* base + offset bytes */
LLVMValueRef low_device_at(struct low_emit *em, LLVMValueRef base,
                           LLVMValueRef offset);
/* A kernel of these parameter types, in whose entry block the builder stands;
 * low_device_close ends it. */
void low_device_open(struct low_emit *em, const char *name,
                     const LLVMTypeRef *types, uint32_t n);
void low_device_close(struct low_emit *em);

/* An operation of LLVM's that is one instruction, or a few, everywhere. */
bool low_device_math_plain(const char *name, size_t len);
/* What stands for a function of <math.h> or an operation of LLVM's, as a name
 * in `out`; false: there is none, or it is one. */
typedef bool low_math_name(LLVMValueRef fn, const char *name, char *out,
                           size_t size);
/* Call these; were there such calls? */
bool low_device_maths(LLVMModuleRef m, low_math_name *name_of,
                      unsigned convention);

#endif
