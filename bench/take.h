/* Memory for benchmark programs: zeros, or a message and the end. */
#ifndef BENCH_TAKE_H
#define BENCH_TAKE_H

#include <stdio.h>
#include <stdlib.h>

static inline void *
bench_take(size_t n, size_t size) {
  void *p = calloc(n ? n : 1, size);
  if (p) return p;
  fprintf(stderr, "out of memory: %zu times %zu bytes\n", n, size);
  exit(1);
}

#endif
