/* Public counters: one table, counted from the API's one thread. */
#ifndef BASE_COUNTERS_H
#define BASE_COUNTERS_H

enum counter {
#define COUNTER(name, what) CNT_##name,
#include "base/counters.def"
#undef COUNTER
  CNT_COUNT
};

extern long long counters[CNT_COUNT];
/* Value by name; -1: no such counter. */
long long counter_get(const char *name);
void counters_reset(void);

#endif
