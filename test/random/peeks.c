#include "peeks.h"

#include <string.h>

void
peek_read(op_dat d, void *out, size_t bytes) {
  memcpy(out, d->data, bytes);
}

void
peek_write(op_dat d, const void *in, size_t bytes) {
  memcpy(d->data, in, bytes);
}

char *
peek_keep(op_dat d) {
  return d->data;
}
