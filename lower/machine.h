/* This machine's CPU, as it describes itself. */
#ifndef LOWER_MACHINE_H
#define LOWER_MACHINE_H

#include "base/str.h"

#include <stdint.h>

/* All that LLVM derives the CPU's name and features from. */
void low_machine_text(struct str *out);
/* Bytes of its widest vectors. */
uint32_t low_machine_vector(void);

#endif
