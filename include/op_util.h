/* For OP2 sources: the helpers that programs took from OP2's header of this
 * name. They are defined here, so that the library needs no such names. */
#ifndef OP_UTIL_H
#define OP_UTIL_H

#include "op_lib_core.h"

#ifdef __cplusplus
#include <array>
#include <tuple>
#endif

/* Size of block `rank` when `global_size` elements are dealt to `nranks` ranks
 * in order, sizes differing by one at most, the larger ones first. */
static inline int
compute_local_size(int global_size, int nranks, int rank) {
  return global_size / nranks + (rank < global_size % nranks);
}

/* Memory or the end of the program. */
static inline void *
op2_or_exit(void *p, size_t size) {
  if (!p && size) {
    fprintf(stderr, "op2lazy: error: out of memory (%zu bytes)\n", size);
    exit(1);
  }
  return p;
}
static inline void *
xmalloc(size_t size) {
  return op2_or_exit(malloc(size), size);
}
static inline void *
xcalloc(size_t number, size_t size) {
  return op2_or_exit(calloc(number, size), number ? size : 0);
}
static inline void *
xrealloc(void *p, size_t size) {
  return op2_or_exit(realloc(p, size), size);
}

/* 1 if both handles mean the same set. */
static inline int
compare_sets(op_set a, op_set b) {
  return a == b;
}

/* Position of value in a[low..high], -1 if it is not there. */
static inline int
linear_search(int a[], int value, int low, int high) {
  for (int i = low; i <= high; i++)
    if (a[i] == value) return i;
  return -1;
}

/* 1 if the file can be opened for reading. */
static inline int
file_exist(char const *name) {
  FILE *f = fopen(name, "r");
  return f ? fclose(f), 1 : 0;
}

#ifdef __cplusplus
template <typename T>
void
op_sort(T *array, int n) {
  std::sort(array, array + n);
}
/* Drop repetitions from a sorted array; how many are left. */
template <typename T>
int
removeDups(T *array, int n) {
  return static_cast<int>(std::unique(array, array + n) - array);
}
#endif

#endif
