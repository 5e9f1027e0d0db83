/* Kernels: their bitcode, and what their IR proves about them.
 *
 * A kernel comes from a blob that op2cc embedded (found by function address),
 * from a source string, from the library itself, or is opaque (only an
 * address). The facts below are read off an optimised private copy of its IR,
 * once; they are the only thing that frontend and passes ever know about a
 * kernel's inside. Facts err on the safe side: what is not proven is false. */
#ifndef LOWER_KERNEL_H
#define LOWER_KERNEL_H

#include "base/digest.h"
#include "base/err.h"
#include "base/types.h"

#include <string.h>

struct arena;
struct op2_blob;
struct op2_blob_peek;

/* How far accesses at constant offsets go: bytes [from, to), in entries [0,
 * entries) of a vector argument. All zero: there are none. */
struct low_reach {
  int64_t from, to, entries;
};

/* What the kernel does with the memory behind parameter i. For a vector
 * argument (T **) the facts hold for each entry. */
struct low_param {
  bool reads;  /* may read the old value */
  bool writes; /* may store */
  bool stores; /* has a store that goes there: `writes` without a doubt */
  /* Types, as bits 1 << TYPE_...: taken as components of such a type, all that
   * is touched is only added to (or subtracted from), so that old values flow
   * into nothing but their own sum; likewise only lowered, only raised.
   * `..._with`: other parameters that are stored to where that happens, and
   * nowhere else, as bits 1 << i: payloads. */
  uint32_t adds_as, lowers_as, raises_as;
  uint64_t lowers_with, raises_with;
  size_t full_bytes; /* bytes [0, full_bytes) are stored on every path */
  bool indirect;     /* the parameter is used as T ** */
  uint32_t nentries; /* of a T **: full_bytes holds for entries [0, nentries),
                        and no other is touched; 0: not known */
  struct low_reach each, some; /* what each call touches; what some may */
};

/* In the names of variables of one file alone: behind it so many hexadecimal
 * digits that no other file has. */
#define LOW_STATIC ".op2."
enum { LOW_STATIC_DIGITS = 16 };
/* So much of a variable's name in the bitcode is what the program calls it: the
 * number of its unit (struct low_const) is not, nor are the mark and what is
 * behind it. */
static inline int
low_variable_length(const char *name) {
  const char *mark = strstr(name, LOW_STATIC);
  return mark ? (int)(mark - name) : (int)strcspn(name, "#");
}

/* A mutable global that the kernel mentions: captured at each call. */
struct low_const {
  const char *name; /* in the bitcode; of unit k > 0 with "#k" behind */
  const void *address;
  size_t size;
  bool integer; /* of one number */
};

/* One that has this value, as the kernel's facts know; its code does not. */
struct low_given {
  struct low_const what;
  const void *bytes;
};

/* Code of other files that a kernel calls: function `name` in this bitcode. */
struct low_unit {
  const char *name;
  const void *bitcode; /* KEEP */
  size_t bitcode_bytes;
};

/* What unit `unit` (0: the kernel, k: units[k - 1]) calls `name` is unit `to`.
 * */
struct low_tie {
  uint32_t unit, to;
  const char *name;
};

#define LOW_LOCAL_OPEN UINT64_MAX
struct low_kernel {
  char *name;            /* IR name in the module */
  void (*address)(void); /* NULL: from a source string */
  const void
      *bitcode; /* module that defines `name`, or its text, LLVM IR; NULL:
                            opaque. KEEP */
  size_t bitcode_bytes;
  struct low_unit *units;
  struct low_tie *ties;
  uint32_t nunits, nties;
  struct digest digest; /* of all this code, by which keys know it */
  bool opaque;
  bool promised;   /* opaque, but does no more than its arguments declare */
  bool effects;    /* I/O, stores to globals, unknown calls */
  const char *why; /* why opaque or effects: "calls printf"; "" else */
  int copy_from, copy_to; /* -1: not a plain copy of one parameter's bytes to
                             another; copy_bytes: how many */
  size_t copy_bytes;
  uint64_t
      local_bytes;  /* its own arrays and tables, which are private memory on a
                           device; LOW_LOCAL_OPEN: its IR does not say */
  uint32_t nparams; /* from the IR; 0 if opaque (unknown) */
  struct low_param *params;
  struct low_const *consts;
  uint32_t nconsts;
  const struct low_given *given;
  uint32_t ngiven;
  const struct low_kernel *given_of; /* the same code, and facts that hold for
                                        all values; NULL: it is that one */
  /* floating-point operations of one call, all branches taken: additions and
   * multiplications; divisions and roots; other functions of <math.h>.
   * divides: of integers, remainders too. others: what else is computed of
   * them, and two for each choice of a value. loops: some run more than once,
   * which is not counted */
  uint32_t flops, slow, calls, divides, others;
  bool loops;
  const char **maths; /* functions of <math.h> that it calls */
  uint32_t nmaths;
  const char *types; /* op2_blob_entry.types; "" not known */
};

/* Find or make the kernel for a function address (`name` only for messages and
 * for kernels registered as source). A function without IR that has a source
 * kernel of this name uses that. Never fails: no IR gives an opaque kernel.
 * KEEP */
const struct low_kernel *low_kernel_get(void (*address)(void),
                                        const char *name);
/* Compile a C source that defines `name` and keep it under that name; a former
 * one is replaced for later look-ups. ERR_COMPILE carries the compiler's
 * output. */
status low_kernel_source(const char *name, const char *source);
/* One whose units and ties are its own, in `arena`; bitcode and all else are
 * the other's. */
struct low_kernel *low_kernel_copy(const struct low_kernel *k,
                                   struct arena *arena);
/* The digest of one whose code is no unit of a file: of name and bitcode. */
void low_kernel_digest(struct low_kernel *k);
/* Is it opaque, and any thing may happen in it: then it works in place, on one
 * thread. */
static inline bool
low_kernel_in_place(const struct low_kernel *k) {
  return k->opaque && !k->promised;
}
/* Operations of a call, in additions: divisions, roots and functions of
 * <math.h> are several. Once for each loop, whose steps nobody counted. */
static inline double
low_kernel_operations(const struct low_kernel *k) {
  enum { SLOW = 8, FUNCTION = 32 };
  return (double)k->flops + k->others +
         SLOW * ((double)k->slow + (double)k->divides) +
         FUNCTION * (double)k->calls;
}
/* What a kernel of the library's own is for: equal bytes, one kernel. */
struct low_own {
  const void *key;
  size_t bytes;
};
/* The kernel that was added for it; NULL: none, or it was swept. KEEP */
const struct low_kernel *low_kernel_own(struct low_own what);
/* Make it from LLVM IR as text, which defines `name`. Its address is one that
 * nothing else has; low_kernel_get finds the kernel by it, and nobody calls
 * it. ERR_COMPILE */
status low_kernel_own_add(struct low_own what, const char *name,
                          const char *text, const struct low_kernel **out);
/* The same around another kernel, which the text declares and calls as
 * LOW_AROUND; one without IR is the text's first parameter. It is opaque if
 * `base` is, mentions the same constants and is not found by an address. */
#define LOW_AROUND "op2.around"
status low_kernel_around_add(struct low_own what, const char *name,
                             const char *text, const struct low_kernel *base,
                             const struct low_kernel **out);
/* The same kernel, code and constants, with what is proven of it for the values
 * that its integers have now; `base` itself, if it has no loops whose lengths
 * may depend on them, or no more is proven. KEEP while loops have it. */
const struct low_kernel *low_kernel_given_get(const struct low_kernel *base);
/* Have all of them these values still? */
bool low_kernel_given_hold(const struct low_kernel *k);
/* If it turns out opaque: it does no more than its arguments declare.
 * ERR_STATE: it has been got before. */
status low_kernel_promise(void (*address)(void));
/* The blob goes (its shared object is unloaded): its kernels keep a copy of the
 * bitcode and are no longer found. */
void low_kernels_forget(const struct op2_blob *blob);
/* Has any file of the program brought kernels with IR? */
bool low_blob_any(void);
/* Free kernels that are no longer found (a source that was replaced, a shared
 * object that has gone) and not used by `used`. */
void low_kernels_sweep(bool (*used)(const struct low_kernel *k));
/* The first place of at least this kind (enum op2_look_kind) where a registered
 * file reads dat->data itself; NULL: there is none. */
const struct op2_blob_peek *low_blob_peeking(int kind);
/* A file of the program that op2cc did not compile; NULL: none is known. It
 * stays when its shared object goes. */
const char *low_blob_plain(void);
/* Call this when a file of either kind comes later; NULL: no longer. */
void low_blob_tell(void (*told)(void));
/* Free all kernels (op_exit). Blobs stay registered. */
void low_kernels_clear(void);

#endif
