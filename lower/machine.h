/* This machine's CPU, as it describes itself. */
#ifndef LOWER_MACHINE_H
#define LOWER_MACHINE_H

#include "base/str.h"

#include <stdint.h>

/* All that LLVM derives the CPU's name and features from. */
void low_machine_text(struct str *out);
/* Bytes of its widest vectors. */
uint32_t low_machine_vector(void);
/* How many of them code may count on. */
uint32_t low_machine_registers(void);

/* A processor's largest cache. bytes 0: the system tells of none. */
struct low_machine_cache {
  uint64_t bytes;
  unsigned shared; /* processors that have it together */
};
#define LOW_CACHE_FOLDER "/sys/devices/system/cpu/cpu0/cache"
/* As it stands in such a folder of Linux's. */
struct low_machine_cache low_machine_last_cache(const char *folder);
/* What a processor may count on: of four fifths, the rest being others', by all
 * that have it together, whoever runs there. At least what it has by itself and
 * with its neighbours on any machine of these years; not more than this, since
 * virtual machines tell of caches that they share with others. */
enum { LOW_SHARE_LEAST = 6 << 20, LOW_SHARE_MOST = 16 << 20 };
uint32_t low_machine_share(struct low_machine_cache c);

#endif
