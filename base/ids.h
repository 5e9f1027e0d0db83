/* Numbers for byte strings: equal bytes have the same number, which no others
 * ever had. Those that are out of use can be dropped. Zero is a valid empty
 * table. */
#ifndef BASE_IDS_H
#define BASE_IDS_H

#include "base/kept.h"

struct ids {
  struct keeper known; /* bytes -> number */
};

/* From 1. `last` is the number given last, which several tables may share. */
uint32_t ids_get(struct ids *t, uint32_t *last, const void *key, size_t bytes);
/* Mark a number as in use (no number of the table: ignored); drop all that were
 * not marked, and all marks. */
void ids_keep(struct ids *t, uint32_t id);
void ids_sweep(struct ids *t);
void ids_clear(struct ids *t);

#endif
