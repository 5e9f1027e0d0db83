/* op_malloc and its kin: malloc's contract, 64-byte aligned, and free() takes
 * the memory back. They work before op_init. */
#define OP2_NO_MACROS 1
#include "op2.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MEM_ALIGN = 64 }; /* a cache line, and the widest vector */

void *
op_malloc(size_t size) {
  void *p = NULL;
  return posix_memalign(&p, MEM_ALIGN, size ? size : 1) ? NULL : p;
}

void *
op_calloc(size_t num, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(num, size, &bytes)) return NULL;
  void *p = op_malloc(bytes);
  return p ? memset(p, 0, bytes) : NULL;
}

/* realloc keeps the contents but not the alignment; where it moved to a place
 * that is not aligned, the contents move once more. */
void *
op_realloc(void *ptr, size_t size) {
  if (!ptr) return op_malloc(size);
  void *p = realloc(ptr, size ? size : 1);
  if (!p || (uintptr_t)p % MEM_ALIGN == 0) return p;
  void *q = op_malloc(size);
  if (!q) return p;
  memcpy(q, p, size);
  free(p);
  return q;
}

void
op_free(void *ptr) {
  free(ptr);
}
