/* Sanitizers that code of regions may be instrumented for. */
#ifndef LOWER_SANITIZE_H
#define LOWER_SANITIZE_H

#include "base/err.h"

/* Rows of sanitize.def. */
enum low_sanitize {
  LOW_SANITIZE_none,
#define SANITIZER(name, attribute, symbol, first, passes) LOW_SANITIZE_##name,
#include "lower/sanitize.def"
#undef SANITIZER
};
/* "" or a name of sanitize.def. ERR_ARG: unknown, or the program lacks it. */
status low_sanitize_find(const char *name, enum low_sanitize *out);

#endif
