/* Residency: on which side the values of a dat are; doc/residency.md. */
#ifndef RT_RESIDENCY_H
#define RT_RESIDENCY_H

#include "rt/device/device.h"
#include "rt/store/store.h"

/* The five states of a dat (its mirror and host buffer are one side). */
enum rt_residency {
  RT_DEVICE_UNALLOCATED, /* on the host; no device memory yet */
  RT_HOST_UNALLOCATED,   /* on the device; never was anything on the host */
  RT_HOST,               /* memory on both sides, values on the host only */
  RT_DEVICE,             /* memory on both sides, values on the device only */
  RT_BOTH                /* values on both: only ever set by a copy */
};
enum rt_residency rt_residency_of(const struct rt_dat *d);

/* Device memory for the buffer, of unspecified contents. If it lay on another
 * device, that one's memory goes (its values must have come back). */
status rt_buf_device(struct rt_buf *b, struct rt_device *d);
/* Make the values valid on the device: from host memory, or, if that is stale,
 * from the mirror of `mirror` (NULL: it has none). Nothing to do if they are.
 * Counts h2d. */
status rt_buf_upload(struct rt_buf *b, struct rt_device *d,
                     const struct rt_dat *mirror);
/* Make the values valid in host memory; counts d2h. */
status rt_buf_download(struct rt_buf *b);
/* Write the dat's values on the device to its mirror; counts d2h. */
status rt_dat_mirror_fetch(struct rt_dat *d);
/* The values were written on the device, or on the host. */
void rt_buf_written(struct rt_buf *b, bool on_device);

/* The device memory goes, also that of all that overlap it: values that are
 * wanted are on the host. */
void rt_buf_leave_device(struct rt_buf *b);

/* Stride of memory on a device, in components; 1: AoS. */
size_t rt_dev_stride(struct rt_shape s);
/* Where the buffer's first byte lies in its memory on a device: not 0 where
 * others overlap it. */
size_t rt_dev_offset(const struct rt_buf *b);

#endif
