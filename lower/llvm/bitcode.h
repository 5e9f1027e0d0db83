/* Bitcode, from the compiler to what a region links: see lower/blob.h. */
#ifndef LOWER_LLVM_BITCODE_H
#define LOWER_LLVM_BITCODE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/types.h"
#include "include/op2_blob.h"

#include <llvm-c/Types.h>

/* ---- blob_reduce.c: a module becomes the kernels alone ------------------- */

/* Keep the functions named in `keep` and what they need; make them external and
 * all else internal, mutable globals declarations. Who calls a replaceable
 * function calls a declaration; the function has LOW_BLOB_OWN behind its name.
 * Attributes of the host's compilation (target, sanitizers, size, debug info;
 * with `lines` all of that but lines and functions' names) go. Internal globals
 * get ".<suffix>" behind their names, so that they are unique in the program.
 */
status low_blob_reduce(LLVMModuleRef m, const char *const *keep, uint32_t nkeep,
                       const char *suffix, bool lines);
#define LOW_BLOB_OWN ".op2.own"
/* May the linker put another definition in the place of this one? */
bool low_blob_replaceable(LLVMValueRef g);
/* Drop what nothing external needs. */
status low_blob_drop_dead(LLVMModuleRef m);
/* Bytes of a global's value; 0: unknown (extern array without a length). */
uint64_t low_blob_sizeof(LLVMModuleRef m, LLVMValueRef global);

/* ---- blob_math.c --------------------------------------------------------- */

/* Is it a function of <math.h> that does nothing but compute? */
bool low_math_is_pure(const char *name);
/* Calls of such functions that m only declares keep no errno from here on. */
void low_math_without_errno(LLVMModuleRef m);

/* ---- kernel_open.c ------------------------------------------------------- */

struct low_kernel;
struct low_const;
/* The kernel and what it needs as a module: all that is defined there is
 * internal and nameless. `lines`: debug locations stay. ERR_COMPILE: the
 * bitcode is broken or lacks the kernel. */
status low_kernel_open(const struct low_kernel *k, bool lines,
                       LLVMContextRef ctx, LLVMModuleRef *out,
                       LLVMValueRef *fn_out);
/* Values that its facts are to know, in place of the variables. Never in code
 * that runs: that is the same whatever is known of values (region_settle.c). */
void low_kernel_give(const struct low_kernel *k, LLVMModuleRef m);
/* A constant of these bytes (NULL: a variable, zero) instead of global g, which
 * is c. */
LLVMValueRef low_const_replace(LLVMModuleRef m, LLVMValueRef g,
                               const struct low_const *c, const void *bytes);
/* Link m, which is gone then, into `to`. v[n] are values of m (or NULL), v[0] a
 * function defined there; they become what they are in `to`, NULL where nothing
 * that was linked needs them. All definitions of m are internal, nameless. */
status low_link(LLVMModuleRef to, LLVMModuleRef m, LLVMValueRef *v, uint32_t n);

/* ---- blob_embed.c: op2cc's part between two runs of the compiler --------- */

struct low_embed {
  const char *bitcode; /* path: what clang emitted, not optimised, with lines */
  const char *out;     /* path: the module to compile on */
  const char *source;  /* as named by the user */
  const char *unique;  /* goes into the names of internal globals */
  size_t data_offset;  /* of `data` in struct op_dat_core */
  bool keep_debug;     /* the user asked for debug information */
};

/* A place that reads dat->data, and what becomes of the pointer: blob_looks.c.
 * */
enum low_look_kind {
  LOW_LOOK_READ = OP2_LOOK_READ,
  LOW_LOOK_WRITE = OP2_LOOK_WRITE,
  LOW_LOOK_HOLD = OP2_LOOK_HOLD
};
struct low_look {
  LLVMValueRef field; /* the instruction that makes the field's address */
  const char *file;
  int line;
  enum low_look_kind kind;
};

/* A place that has to do with a raw global whose result may wait, or with one
 * whose result may not: blob_owed.c. */
enum low_owed_kind {
  LOW_OWED_LOOK,
  LOW_OWED_STORE,
  LOW_OWED_DROP,
  LOW_OWED_SITE
};
struct low_owed {
  LLVMValueRef at, v; /* the instruction; the variable, or an address in it */
  uint64_t bytes;     /* from there on that it is about */
  enum low_owed_kind kind;
  const char *why; /* of a site: its result does not wait; NULL: it may */
};

/* What was found; strings and array live in the arena. */
struct low_embedded {
  struct arena arena;
  struct low_look *looks;
  uint32_t nlooks, caplooks;
  struct op2_blob_peek *peeks;
  uint32_t npeeks, cappeeks;
  struct low_owed *owed;
  uint32_t nowed, capowed;
  const char **functions; /* whose address is taken */
  uint32_t nfunctions, capfunctions;
  const char **types; /* ... and what their parameters point to */
  uint32_t ntypes, captypes;
  size_t bitcode_bytes; /* 0: nothing embedded */
  struct str refused; /* errors, a line each: the file is not to be compiled */
};

/* Write `out`, with a blob if the file gives OP2 loops kernels or reads
 * dat->data. Out is always usable in place of the input. */
status low_embed_file(const struct low_embed *in, struct low_embedded *out);
void low_embedded_clear(struct low_embedded *e);

/* ---- blob_beyond.c ------------------------------------------------------- */

/* Loops of m whose kernels leave their arguments go to e->refused; `bitcode` is
 * the blob's. */
void low_beyond_find(LLVMModuleRef m, LLVMMemoryBufferRef bitcode,
                     struct low_embedded *e);

/* ---- blob_scan.c: what in a module concerns op2 -------------------------- */

/* Functions defined here that may be kernels (in files that have loops), that
 * the linker may replace, and that other files' kernels may call; by name. */
void low_scan_functions(LLVMModuleRef m, struct low_embedded *e);
/* Places outside the library's headers that touch op_dat_core.data. */
void low_scan_looks(LLVMModuleRef m, size_t data_offset,
                    struct low_embedded *e);
/* Calls that note where they stand name their first line. */
void low_scan_lines(LLVMModuleRef m);
/* Remove what op2.h leaves in files of other compilers. */
void low_scan_unmark(LLVMModuleRef m);

/* ---- blob_looks.c: a call in front of each read of dat->data ------------ */

/* The kind of each look. m stays as it is. ERR_COMPILE */
status low_looks_classify(LLVMModuleRef m, struct low_embedded *e);
/* Put the calls in. */
void low_looks_insert(LLVMModuleRef m, const struct low_embedded *e);
/* A function of the module that calls the library's `callee`, if it is linked
 * and (asked not NULL) its variable of that name is not 0. */
LLVMValueRef low_library_call(LLVMModuleRef m, const char *name,
                              const char *callee, const char *asked,
                              LLVMTypeRef type);
/* A constant text. */
LLVMValueRef low_text(LLVMModuleRef m, const char *s);

/* ---- blob_owed.c: raw globals whose result may wait --------------------- */

/* The places. m stays as it is. */
void low_owed_find(LLVMModuleRef m, struct low_embedded *e);
/* Put the calls in. */
void low_owed_insert(LLVMModuleRef m, const struct low_embedded *e);

/* ---- source.c ------------------------------------------------------------ */

/* Compile C text that defines `name`; the reduced bitcode goes to `bitcode`.
 * ERR_COMPILE with the compiler's words. */
status low_source_compile(const char *name, const char *source,
                          struct str *bitcode);

#endif
