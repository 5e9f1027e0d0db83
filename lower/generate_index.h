/* The index of generated code. */
#ifndef LOWER_GENERATE_INDEX_H
#define LOWER_GENERATE_INDEX_H

#include "lower/device_form.h"
#include "lower/maker.h"

#define LOW_INDEX "index.json"
#define LOW_INDEX_TRACE "trace.irt"

/* A region and what was made of it. */
struct low_indexed {
  const struct low_maker *m;
  struct low_span nodes;
  const struct low_region *r;
  const char *file;
  struct arena *arena;
  struct low_device_form *form; /* of a device, both; NULL: the host */
  struct rt_offload *offload;
};

/* Append its object: file, loops, walk, launch, arguments in order. */
void low_index_region(const struct low_indexed *x, struct str *out);

#endif
