/* Inside of lower/: what the program's files have registered, blob.c.
 *
 *   op2cc:   file.c --clang--> module --low_embed--> with blob --clang--> .o
 *   program: constructor --op2_blob_register--> table --> kernel.c
 *   source:  text --low_source_compile--> blob in memory ----------------^
 *
 * What looks into bitcode is in llvm/bitcode.h.
 */
#ifndef LOWER_BLOB_H
#define LOWER_BLOB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/types.h"
#include "include/op2_blob.h"

/* The entry of a function address, and the blob it came with; NULL: none. */
const struct op2_blob_entry *low_blob_find(void (*address)(void),
                                           const struct op2_blob **blob_out);
/* The entry of this kind by its name in the bitcode; NULL: none. */
const struct op2_blob_entry *low_blob_entry(
    const struct op2_blob *blob, enum op2_blob_kind kind, const char *name);

#endif
