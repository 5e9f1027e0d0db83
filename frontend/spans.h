/* Memory of the program, and what of dats lies in it: spans.c. */
#ifndef FRONTEND_SPANS_H
#define FRONTEND_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fe_dat;
struct fe_kernel;

/* Bytes [at, end) of the program's memory. */
struct fe_span {
  const char *at, *end;
};

static inline struct fe_span
fe_span_of(const void *at, size_t bytes) {
  return (struct fe_span){at, (const char *)at + bytes};
}

static inline bool
fe_spans_meet(struct fe_span a, struct fe_span b) {
  return (uintptr_t)a.at < (uintptr_t)b.end &&
         (uintptr_t)b.at < (uintptr_t)a.end;
}

/* Does the dat lie there, or do values that the program may write? */
bool fe_dat_in(const struct fe_dat *d, struct fe_span s);
/* Does the kernel mention memory of a dat by name? Found anew when dats were
 * pinned since. */
bool fe_kernel_names_dats(struct fe_kernel *k);

#endif
