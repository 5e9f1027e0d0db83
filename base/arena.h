/* Arena: many small allocations, freed together.
 *
 * Blocks never move, so pointers stay valid until arena_clear. Zero is a valid
 * empty arena. Running out of memory ends the process with a message: nothing
 * above could do better for the few kilobytes that live here. Memory whose size
 * the program decides comes from mem_try or rt/store, which say so and go on.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before the declaration of locals: each is given back where its scope ends,
 * whichever way it is left (TRY, FAIL, return). Not for what is handed on.
 *   SCOPED int *home = mem_alloc(n, sizeof *home);      by free
 *   SCOPED_BY(table_clear) struct table seen = {0}; */
#define SCOPED_BY(clear) __attribute__((cleanup(clear)))
#define SCOPED SCOPED_BY(mem_drop)

static inline void
mem_drop(void *local) {
  void *p;
  memcpy(&p, local, sizeof p);
  free(p);
}

struct arena_block;
struct arena {
  struct arena_block *head;
  size_t used; /* bytes handed out since the last clear */
};

/* `size` zeroed bytes, 16-byte aligned; never NULL. cost O(size) amortised */
void *arena_alloc(struct arena *a, size_t size);
void *arena_copy(struct arena *a, const void *src, size_t size);
char *arena_str(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void arena_clear(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n)                                                \
  ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* The end: told to mem_told (NULL: printed), which may end the process itself.
 * */
_Noreturn void mem_exhausted(size_t bytes);
extern void (*mem_told)(const char *message);
/* Zeroed; NULL on exhaustion or overflow. */
void *mem_try(size_t n, size_t size);

/* n, or the next multiple of `to` above it. */
static inline size_t
round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

/* malloc family that aborts with a message on exhaustion, for the library's
 * own small structures. `n * size` is checked for overflow. */
void *mem_alloc(size_t n, size_t size);         /* zeroed */
void *mem_aligned(size_t align, size_t bytes);  /* a power of two; free */
void *mem_grow(void *p, size_t n, size_t size); /* realloc */

/* A growable array `name` of nname elements. */
#define VEC(type, name)                                                        \
  type *name;                                                                  \
  uint32_t n##name, cap##name

/* Make room for one more in a growable array: VEC_PUSH(v, n, cap, value). */
#define VEC_ROOM(v, n, cap)                                                    \
  ((n) < (cap) ? (void)0                                                       \
               : (void)((cap) = (cap) ? 2 * (cap) : 8,                         \
                        (v) = mem_grow((v), (cap), sizeof *(v))))
#define VEC_PUSH(v, n, cap, value) (VEC_ROOM(v, n, cap), (v)[(n)++] = (value))

#endif
