#include "base/counters.h"

#include <string.h>

long long counters[CNT_COUNT];

static const char *const counter_names[CNT_COUNT] = {
#define COUNTER(name, what) #name,
#include "base/counters.def"
#undef COUNTER
};

long long
counter_get(const char *name) {
  for (int i = 0; i < CNT_COUNT; i++)
    if (!strcmp(counter_names[i], name)) return counters[i];
  return -1;
}

void
counters_reset(void) {
  memset(counters, 0, sizeof counters);
}
