/* Types in LLVM IR that is written as text: kernels of the library's own. */
#ifndef LOWER_IRTEXT_H
#define LOWER_IRTEXT_H

#include "base/types.h"

/* A type as the text has it; `unit` of them make a component. Bytes without
 * arithmetic move in words that they hold a whole number of. */
struct low_irtype {
  char text[8];
  bool real;
  uint32_t bytes, unit;
};
struct low_irtype low_irtype_of(struct type t);

#endif
