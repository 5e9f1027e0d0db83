/* Regions on devices: what lower.c asks, and what lower/llvm/ needs to know
 * beyond the region. */
#ifndef LOWER_DEVICE_H
#define LOWER_DEVICE_H

#include "lower/region.h"
#include "rt/device.h"

#define LOW_NOWHERE UINT32_MAX

/* Numbers of a work item. */
enum low_item {
  LOW_ITEM_GLOBAL,
  LOW_ITEM_LOCAL,
  LOW_ITEM_GROUP,
  LOW_ITEM_SIZE /* of a group */
};

#define LOW_COLOUR "op2_colour"
#define LOW_COMBINE "op2_combine"

/* The code that a region wants: format, and where its small values lie.
 *
 * Kernels of the code (p: memory, w: 64-bit words):
 *   op2_region(p/w of binds..., p scalars, p sums, p at, w n, mul, span, step,
 *              mapped)                 e is at[e] if `mapped`, where `ordered`
 *   op2_colour(p/w of binds..., p scalars, p sums, p order, p element colours,
 *              p their numbers, w n, first, fresh)     only if `coloured`
 *   op2_combine(p sums, w rows, step, fan)             only with reductions
 * Binds of kind PARAM, GLOBAL and ACC are no arguments: they lie at
 * scalars + bind_at[k], and at sums + item * row + sum_at[reduction]. */
struct low_device_form {
  enum rt_code_kind kind;
  const char *arch;
  bool coloured;        /* conflicting writes run by colours */
  bool atomic;          /* or they are atomic */
  bool ordered;         /* elements are visited in the program's order */
  uint32_t *bind_at;    /* of binds; LOW_NOWHERE */
  uint32_t *payload_at; /* of reductions: start of a payload; LOW_NOWHERE */
  uint32_t *sum_at;     /* of reductions */
  uint32_t row;
};

/* The launch's part for device `d`: code from the cache or compiled now.
 * ERR_COMPILE says why the region cannot run there. colours: never atomic. */
status low_offload_make(const struct low_region *r, struct rt_device *d,
                        bool colours, struct rt_offload **out);
/* Code alone, for no device in particular. */
status low_device_text(const struct low_region *r, enum rt_code_kind kind,
                       const char *arch, bool colours, struct str *out);
/* Free kernels of all devices, before these are closed. */
void low_device_clear(void);

#endif
