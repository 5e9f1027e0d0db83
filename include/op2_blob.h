/* What op2cc embeds into each object file, and how it reaches the library.
 *
 * One op2_blob per translation unit: the unoptimised LLVM bitcode of the kernels
 * and all they call, and a table that ties addresses in the program to names in
 * the bitcode. Which code runs under a name is the linker's choice (weak functions,
 * shared objects), so addresses say what is meant, names only where to look in the
 * bitcode. A constructor registers it before main. Programs that were not
 * compiled by op2cc have none; their kernels are opaque.
 */
#ifndef OP2_BLOB_H
#define OP2_BLOB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum op2_blob_kind {
  OP2_BLOB_FUNCTION =
      0,               /* code of this file: a function that others may reach */
  OP2_BLOB_GLOBAL = 1, /* a mutable global that its kernels mention */
  OP2_BLOB_INLINE = 2, /* a function that any file may define, all alike */
  OP2_BLOB_CALLED = 3  /* a function that its kernels call and that the bitcode
                            does not define; the address is the one that the
                            program's linker chose, NULL: it is not there */
};

struct op2_blob_entry {
  const void *address;
  const char *ir_name;
  unsigned long long size; /* bytes of a global; 0 for functions */
  int kind;
  /* of a function of this file: entries (CALLED) that its code reaches, and the
     SHA-256 of its code with all that it needs here */
  unsigned ncalls;
  const unsigned *calls;
  unsigned char digest[32];
  /* ... and what its parameters point to, as op2_par_loop_typed_at has it, a ';'
   * behind each; NULL: not known */
  const char *types;
};

/* What becomes of the pointer where the program reads op_dat_core.data itself. */
enum op2_look_kind {
  OP2_LOOK_READ = 0,  /* used up at once, to read */
  OP2_LOOK_WRITE = 1, /* ... and perhaps to write */
  OP2_LOOK_HOLD = 2   /* kept, or used after loops that may be recorded */
};

/* Such a place; op2cc has put a call of op2_look_at in front of it. */
struct op2_blob_peek {
  const char *file;
  int line;
  int kind;
};

struct op2_blob {
  unsigned version; /* OP2_BLOB_VERSION */
  unsigned nentries;
  const struct op2_blob_entry *entries;
  const void *bitcode;
  size_t bitcode_bytes;
  const char *source; /* the file that was compiled */
  const struct op2_blob_peek *peeks;
  unsigned npeeks;
};
enum { OP2_BLOB_VERSION = 3 };

/* Called by constructors, before main and when a shared object is loaded. The
 * blob is kept, not copied; duplicate addresses (inline functions of several
 * files) keep the first. */
void op2_blob_register(const struct op2_blob *blob);
/* Called by destructors when a shared object is unloaded. */
void op2_blob_unregister(const struct op2_blob *blob);

/* The same for what op2cc --bundle links into a program: entries of the cache,
 * [bytes], aligned to 16 (lower/entry.h). Kept, not copied. */
void op2_bundle_register(const void *entries, size_t bytes);
void op2_bundle_unregister(const void *entries);

struct op_dat_core;
/* In front of each read of dat->data: what the dat needs runs, and the field's memory
 * is current. `dat` may be a struct of the program's own. cost: a look-up if
 * nothing has to be done. (local, on several ranks: there the memory is kept
 * current) */
void op2_look_at(struct op_dat_core *dat, int kind, const char *file, int line);

/* Raw globals whose every use op2cc has seen (doc/porting.md). In front of an
 * op_arg_gbl of memory `at`: its result may wait until a look (why NULL), or why not.
 * (local) */
void op2_gbl_site(const void *at, const char *why);
/* In front of a read of the memory: what is owed to it arrives (look). In front of a
 * write: results of which all is written go, others arrive (store). Where its memory
 * begins and ends: what is owed to it goes (drop). cost: a call where anything is owed (op2_gbl_owed), else none. (local) */
extern unsigned op2_gbl_owed;
void op2_gbl_look(const void *at, size_t bytes);
void op2_gbl_store(const void *at, size_t bytes);
void op2_gbl_drop(const void *at, size_t bytes);

/* From a constructor of a file that includes op2.h and was not compiled by
 * op2cc: the library does not know where it reads dat->data. */
void op2_plain_file(const char *file);

#ifdef __cplusplus
}
#endif
#endif
