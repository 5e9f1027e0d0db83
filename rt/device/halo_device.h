/* Halos of data on devices; halo.c asks. */
#ifndef RT_HALO_DEVICE_H
#define RT_HALO_DEVICE_H

#include "rt/device/device.h"
#include "rt/store/store.h"

/* Elements of a buffer, and where each is in the messages of one side. */
struct rt_moved {
  idx_l n;
  idx_l *list;
  idx_l *place;  /* in units of `unit` bytes */
  uint32_t unit; /* 1, 2, 4 or 8: divides elements and places */
  uint64_t version;
};

/* The largest unit that divides so many bytes. */
uint32_t rt_moved_unit(size_t bytes);
/* Give the device room for messages of so many bytes (d->message, and on the
 * host d->message_host). ERR_MEMORY */
status rt_moved_room(struct rt_device *d, size_t bytes);
/* d->message = elements of the buffer, and back. */
status rt_moved_pack(const struct rt_moved *m, const struct rt_buf *b);
status rt_moved_unpack(const struct rt_moved *m, const struct rt_buf *b);

#endif
