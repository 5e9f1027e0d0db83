/* What programs that declare, run and free again leave on the heap. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <malloc.h>
#include <stdlib.h>

static inline long long
heap_bytes(void) {
  return (long long)mallinfo2().uordblks;
}

/* Steps to try where `many` would tell what each leaves: sanitizers have a heap
 * of their own that nobody counts, and there a few tell as much. */
static inline int
heap_steps(int few, int many) {
  enum { BLOCK = 4096 };
  long long before = heap_bytes();
  char *volatile block = malloc(BLOCK);
  long long after = heap_bytes();
  free(block);
  return after >= before + BLOCK ? many : few + 20;
}

/* Bytes that more steps leave, up to `many`, than a few. */
static inline long long
heap_grown(void (*step)(int), int few, int many) {
  for (int i = 0; i < few; i++) step(i);
  long long before = heap_bytes();
  for (int i = few; i < many; i++) step(i);
  return heap_bytes() - before;
}

#endif
