/* Regions on devices: what lower.c asks. */
#ifndef LOWER_DEVICE_H
#define LOWER_DEVICE_H

#include "lower/device_form.h"
#include "lower/lower.h"

/* ---- device_form.c ------------------------------------------------------- */

/* Choose the form and its places, in `f` (arena) and `o` (mem_alloc). */
void low_form_make(const struct low_region *r, struct arena *a,
                   struct low_device_form *f, struct rt_offload *o);

/* ---- device.c ------------------------------------------------------------ */

/* The launch's part for device `d`: code from the cache or compiled now.
 * ERR_COMPILE says why the region cannot run there. */
status low_offload_make(const struct low_region *r, struct rt_device *d,
                        struct rt_offload **out);
void low_offload_clear(struct rt_offload *o); /* its arrays, but for `args` */
/* Why the region cannot run on a device; NULL: it can. */
const char *low_device_why_not(const struct low_region *r);
/* Free those that are not marked as kept, and drop the marks. */
void low_device_sweep(void);

#endif
