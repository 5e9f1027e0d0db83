/* The part of lower/ that needs LLVM (lower/llvm/), behind a table.
 *
 * It is a shared object of its own, which the library opens when something has
 * to be compiled that the cache on disk does not hold: a start that finds all
 * its code there never loads LLVM, which takes 20 ms. Programs that link that
 * part (tests, op2cc) have the table without opening anything.
 *
 * Both sides have their own copy of base/. Memory and plain data go across;
 * messages and the log's level are passed on (below).
 */
#ifndef LOWER_MODULE_H
#define LOWER_MODULE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "lower/kernel.h"
#include "rt/device/device.h"
#include "rt/plan.h"

struct low_region;
struct low_device_form;

/* A compiled region, and what keeps it in memory. */
struct low_code {
  rt_region_fn fn;
  uint32_t lanes; /* elements that it works on at once; 1: no vector code */
  void *memory;
  void (*release)(void *memory);
};
void low_code_clear(struct low_code *c);

/* What LLVM is asked for:
 *   FACTS    fill in what the IR of kernel->name in kernel->bitcode proves;
 *            addresses of constants stay open. Strings and arrays go to `arena`
 *   SOURCE   C text that defines `name` to bitcode
 *   COMPILE  code of `region` for this machine. `out`: the relocatable file
 *            that it was made of
 *   IR       LLVM IR of that code, as text
 *   DEVICE   code of `region` in `form` for a device (lower/device.h)
 *   MOVES    kernels that move listed elements (struct rt_dev_moves) */
enum low_llvm_task {
  LOW_FACTS,
  LOW_SOURCE,
  LOW_COMPILE,
  LOW_IR,
  LOW_DEVICE,
  LOW_MOVES
};

struct low_llvm_job {
  enum low_llvm_task task;
  struct low_kernel *kernel;
  struct arena *arena;
  const char *name, *source, *arch;
  const struct low_region *region;
  const struct low_device_form *form;
  enum rt_code_kind kind;
  struct low_code *code;
  struct str *out;
};

struct low_llvm {
  const char *version; /* of the library that it was built with */
  int *log_level;      /* of its copy of base/ */
  void (**mem_told)(const char *message); /* likewise */
  const char *(*error)(void);             /* last message in this thread */
  /* May be called from several threads at once. ERR_MEMORY: there is none for
   * what LLVM does. */
  status (*run)(const struct low_llvm_job *job);
};

/* Text that tells a file from any other or changed one: path, size, time. */
void low_file_identity(const char *path, struct str *out);
/* The same for the files of the compiler, without opening them. */
void low_module_identity(struct str *out);

/* Its tasks; the module is opened at the first call. Messages of the other side
 * become the caller's. */
status low_llvm_facts(struct low_kernel *k, struct arena *arena);
status low_llvm_source(const char *name, const char *source,
                       struct str *bitcode);
status low_llvm_compile(const struct low_region *r, struct low_code *out,
                        struct str *object);
status low_llvm_ir(const struct low_region *r, struct str *out);
status low_llvm_device(const struct low_region *r,
                       const struct low_device_form *form, struct str *code);
status low_llvm_moves(enum rt_code_kind kind, const char *arch,
                      struct str *code);

#endif
