/* Names of targets: "seq", "openmp", "opencl", "opencl:1". One table. */
#ifndef BASE_TARGET_H
#define BASE_TARGET_H

#include "base/err.h"

#include <stdbool.h>

enum target_kind {
#define TARGET(name, device, what) TARGET_##name,
#include "base/target.def"
#undef TARGET
  TARGET_COUNT
};

struct target {
  enum target_kind kind;
  int number;
};

extern const struct target_info {
  const char *name;
  bool device; /* has memory of its own */
  const char *what;
} target_info[TARGET_COUNT];

enum { TARGET_NUMBER_MAX = 99 };

/* ERR_TARGET names `text` and what there is. */
status target_parse(const char *text, struct target *out);
/* Does the text name a device? NULL is the host. */
bool target_is_device(const char *text);
/* NULL or equal texts: is it the same place? */
bool target_same(const char *a, const char *b);

#endif
