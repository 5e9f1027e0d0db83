#include "base/arena.h"

#include "base/numbers.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ARENA_BLOCK = 1 << 14,
  ARENA_ALIGN = 16,
  FRESH_PAGES = 1 << 16 /* bytes that are likely to be the system's */
};

struct arena_block {
  struct arena_block *next;
  size_t used, size;
  _Alignas(ARENA_ALIGN) unsigned char data[];
};

void (*mem_told)(const char *message);

void
mem_exhausted(size_t bytes) {
  static char message[96]; /* there is no memory for it */
  snprintf(message, sizeof message, "out of memory: %zu bytes were wanted",
           bytes);
  if (mem_told) mem_told(message);
  fprintf(stderr, "op2lazy: %s\n", message);
  abort();
}

void *
mem_try(size_t n, size_t size) {
  if (size && n > SIZE_MAX / size) return NULL; /* sanitizers end at calloc */
  return calloc(n && size ? n : 1, n && size ? size : 1);
}

void *
mem_grow(void *p, size_t n, size_t size) {
  if (size && n > SIZE_MAX / size) mem_exhausted(SIZE_MAX);
  void *q = realloc(p, n && size ? n * size : 1);
  if (!q) mem_exhausted(n * size);
  return q;
}

void *
mem_aligned(size_t align, size_t bytes) {
  void *p;
  if (posix_memalign(&p, align, bytes ? bytes : 1)) mem_exhausted(bytes);
  return p;
}

void *
mem_alloc(size_t n, size_t size) {
  if (!size || n <= FRESH_PAGES / size) { /* such a one was often used before */
    void *p = mem_grow(NULL, n, size);
    return memset(p, 0, n * size);
  }
  void *p = mem_try(n, size); /* fresh pages are zero without a touch */
  if (!p) mem_exhausted(n > SIZE_MAX / size ? SIZE_MAX : n * size);
  return p;
}

void *
arena_alloc(struct arena *a, size_t size) {
  size_t want = round_up(size, ARENA_ALIGN);
  if (want < size) mem_exhausted(size);
  struct arena_block *b = a->head;
  if (!b || b->size - b->used < want) {
    size_t n = want > ARENA_BLOCK ? want : ARENA_BLOCK;
    b = mem_grow(NULL, 1, sizeof *b + n);
    *b = (struct arena_block){a->head, 0, n};
    a->head = b;
  }
  void *p = b->data + b->used;
  b->used += want;
  a->used += want;
  return memset(p, 0, want);
}

void *
arena_copy(struct arena *a, const void *src, size_t size) {
  void *p = arena_alloc(a, size);
  if (size) memcpy(p, src, size);
  return p;
}

char *
arena_str(struct arena *a, const char *s) {
  return arena_copy(a, s, strlen(s) + 1);
}

char *
arena_printf(struct arena *a, const char *fmt, ...) {
  va_list ap;
  SCOPED_NUMBERS;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *s = arena_alloc(a, (size_t)n + 1);
  va_start(ap, fmt);
  vsnprintf(s, (size_t)n + 1, fmt, ap);
  va_end(ap);
  return s;
}

void
arena_clear(struct arena *a) {
  while (a->head) {
    struct arena_block *next = a->head->next;
    free(a->head);
    a->head = next;
  }
  a->used = 0;
}
