/* From a region as data to code, by LLVM. Nothing outside this folder includes
 * it: the library reaches it through lower/module.h.
 */
#ifndef LOWER_LLVM_CODE_H
#define LOWER_LLVM_CODE_H

#include "lower/module.h"
#include "lower/region.h"

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

/* ---- region.c, region_link.c --------------------------------------------- */

/* The machine that code is made for. */
struct low_target {
  LLVMTargetMachineRef machine;
  char *triple, *layout;
  char *cpu, *features;  /* NULL: code for devices names none */
  uint32_t vector_bytes; /* of the widest registers */
  bool fma;              /* a product joins a sum at no cost */
};

/* Named metadata: the loop over the lanes of a block, until it is vectorised.
 * */
#define LOW_LANE_LOOP "op2.lanes"
/* Attribute of the function that runs blocks: how often a block's code stands
 * in it, "1" or "2". Passes replace functions by others that have their
 * attributes, and names may be the program's. */
#define LOW_BLOCKS "op2-blocks"

/* A module in `ctx` with LOW_ENTRY (rt_region_fn), not yet optimised; in
 * blocks if wanted and possible. *large_out: for low_target_lean. */
status low_region_build(const struct low_region *r, const struct low_target *t,
                        bool blocks, LLVMContextRef ctx, LLVMModuleRef *out,
                        bool *large_out);
/* Link the region's kernels into `m`; fns[i] is that of instance i. *large_out:
 * they are so much code that they are called, not inlined; NULL: always
 * inlined. */
enum { LOW_INLINE_INSTRUCTIONS = 20000 };
status low_link_kernels(const struct low_region *r, const struct low_target *t,
                        LLVMModuleRef m, LLVMValueRef *fns,
                        LLVMValueRef *const *consts, bool *large_out);

/* ---- region_absent.c ----------------------------------------------------- */

/* In the module of a kernel without effects: what only its tables mention
 * becomes addresses that nothing else has (variables) and empty functions. */
void low_absent_replace(LLVMModuleRef m, LLVMValueRef kernel);
/* Once all is inlined: functions that tables mention become such addresses,
 * too. */
void low_absent_on_device(LLVMModuleRef m);

/* ---- region_settle.c ----------------------------------------------------- */

/* Decide in the kernel's own module what LLVM is free to round in several ways.
 * */
status low_kernel_settle(const struct low_target *t, LLVMModuleRef m,
                         LLVMValueRef kernel);
/* exp, pow, ... of all kernels: there are functions for vectors of `width`. */
void low_math_widen(LLVMModuleRef m, uint32_t width);
/* After optimising: exp, pow, ... are LLVM's operations again. */
void low_math_show(LLVMModuleRef m);

/* ---- region_align.c ------------------------------------------------------ */

/* Let no access of the kernel count on more than LOW_ALIGN. */
enum { LOW_ALIGN = 16 };
void low_kernel_align(LLVMModuleRef m);

/* ---- target_host.c ------------------------------------------------------- */

/* All targets that are there, once, before somebody looks for one; of these
 * low_ptx_register (target_ptx.c) has those for PTX. */
void low_targets_register(void);
void low_ptx_register(void);
/* NULL cpu: this machine's. */
status low_target_init(struct low_target *t, const char *cpu,
                       const char *features);
/* The layout of data as its machine has it. */
void low_target_lay_out(struct low_target *t);
void low_target_clear(struct low_target *t);
/* Drop what binds a function to its compilation, put this target there. */
void low_target_adopt(const struct low_target *t, LLVMValueRef fn);
/* region_forward.c: once kernels are inlined, pointers of rows of any length
 * are computed where they are used. */
void low_entries_forward(LLVMModuleRef m);
/* region_pad.c: before vectors are made, arrays on the stack get room for one
 * behind their end. */
void low_arrays_pad(LLVMModuleRef m);
/* The forms of a region, in the order in which they are tried: a vector has no
 * loops within, so that those of its kernels must be unrolled, and by how much
 * LLVM does so decides between vectors and none. Unrolling more is tried later
 * since where it is not needed it is code for nothing: short loops, those that
 * clang -O3 unrolls, then all, as long as that is LOW_UNROLLED_MOST
 * instructions an element (unroll.h), for each time that its code is there. */
enum low_form {
  LOW_IN_BLOCKS,
  LOW_IN_BLOCKS_LONG,
  LOW_IN_BLOCKS_ALL,
  LOW_ONE_BY_ONE
};
enum { LOW_UNROLLED_MOST = 4000 };
/* Inline the kernels and vectorise; then the rest. */
status low_target_vectorise(const struct low_target *t, enum low_form form,
                            LLVMModuleRef m);
status low_target_optimise(const struct low_target *t, LLVMModuleRef m);
/* The function marked LOW_BLOCKS; NULL: none. */
LLVMValueRef low_blocks_find(LLVMModuleRef m);
/* vector_math.c: exp, log, pow, ... of an optimised module through libmvec. */
void low_vector_math(const struct low_target *t, LLVMModuleRef m);
/* Simplify a kernel alone; `fast`: it has flags to use. */
status low_target_settle(const struct low_target *t, LLVMModuleRef m,
                         bool fast);
/* Optimise a lot of code, in less time for each instruction. */
status low_target_lean(const struct low_target *t, LLVMModuleRef m);
/* Make the code scalar and simple, no more. */
status low_target_simplify(const struct low_target *t, LLVMModuleRef m);
/* May code for this sanitizer have vectors? */
bool low_sanitize_vectors(enum low_sanitize s);
/* Instrument all functions: before anything else is done to a module, or as the
 * last thing, as the sanitizer wants it. */
status low_target_sanitize_first(const struct low_target *t,
                                 enum low_sanitize s, LLVMModuleRef m);
status low_target_sanitize(const struct low_target *t, enum low_sanitize s,
                           LLVMModuleRef m);
/* Assembly text of an optimised module. */
status low_target_assembly(const struct low_target *t, LLVMModuleRef m,
                           struct str *out);

/* ---- device.c ------------------------------------------------------------ */

struct low_device_form;
status low_device_compile(const struct low_region *r,
                          const struct low_device_form *form, struct str *code);

/* ---- device_moves.c ------------------------------------------------------ */

status low_moves_compile(enum rt_code_kind kind, const char *arch,
                         struct str *code);

/* ---- jit.c --------------------------------------------------------------- */

status low_jit_compile(const struct low_region *r, struct low_code *out,
                       struct str *object);
status low_jit_ir(const struct low_region *r, struct str *out);
/* Assembly of its module for a CPU with these features (tests, dumps). */
status low_jit_assembly(const struct low_region *r, const char *cpu,
                        const char *features, struct str *out);

#endif
