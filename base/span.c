#include "base/span.h"

#include <stddef.h>

void (*span_hook)(const struct span *e);
