/* dat->data as plain memory, in a file of the kernels' compiler. */
#ifndef RANDOM_PEEKS_H
#define RANDOM_PEEKS_H

#include "op2.h"

#include <stddef.h>

/* Bytes out of, and into, the dat's memory; its address, kept by the caller. */
void peek_read(op_dat d, void *out, size_t bytes);
void peek_write(op_dat d, const void *in, size_t bytes);
char *peek_keep(op_dat d);

#endif
