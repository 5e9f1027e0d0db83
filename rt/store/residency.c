/* Residency: copies between the two places of a buffer.
 *
 * Problem. A dat's values may lie in the mirror (AoS, the program's), in host
 * memory of a buffer (the layout of host loops) and in memory of a device (SoA,
 * so that neighbouring work items read neighbouring words). Which of them are
 * current changes with every loop and every look.
 *
 * Idea. A buffer knows two things: is its host memory `stale`, is its device
 * memory `dev_valid`. A copy makes a second place valid, a write leaves one.
 * Pass place has put the copies where they are needed; here they are made, and
 * left out where they turn out to be needless. Layouts change on the host, in a
 * staging area, on the way.
 *
 *            mirror  --(transposed)-->  staging  --write-->  device memory
 *            mirror  <--(transposed)--  staging  <--read---  device memory
 *
 * Dats of the program's own memory (OP_NO_REALLOC, overlays) may overlap. Their
 * buffers form a ring (`peers`) that has one copy on a device: the bytes from
 * the first to the last of them, as they lie on the host, each at its offset.
 * What is true for one of the ring is true for all.
 *
 *            host    a |-------------|     b |---------|
 *            device  0 |=======================| one memory, b at offset b - a
 *
 * Host memory of a buffer is made when a host loop needs it, device memory when
 * a device loop does. So a temporary of device loops never exists on the host.
 *
 * Cost  each byte is copied twice where layouts differ, once where not.
 * Limits  one device at a time; staging is ordinary memory. */
#include "rt/store/residency.h"
#include "rt/store/store_impl.h"

#include "base/counters.h"
#include "base/event.h"
#include "base/str.h"

#include <assert.h>
#include <string.h>

static struct rt_shape
dev_shape(struct rt_shape s) {
  s.block = s.dim > 1 ? s.device : 1;
  return s;
}

size_t
rt_dev_stride(struct rt_shape s) {
  return rt_shape_stride(dev_shape(s));
}

/* ---- overlapping memory -------------------------------------------------- */

enum { SPAN_ALIGN = 16 }; /* of any type */

static bool
is_shared(const struct rt_buf *b) {
  return b->foreign && b->peers != b;
}

/* Where the bytes begin that hold all of the ring, and how many they are. */
static char *
span_of(const struct rt_buf *b, size_t *bytes_out) {
  char *lo = b->mem, *hi = lo;
  const struct rt_buf *x = b;
  do {
    char *first = x->mem;
    if (first < lo) lo = first;
    if (first + x->bytes > hi) hi = first + x->bytes;
    x = x->peers;
  } while (x != b);
  *bytes_out = (size_t)(hi - lo);
  return lo;
}

/* Bytes of device memory before the span, so that addresses there are aligned
 * as those of the host are. */
static size_t
span_shift(const char *lo) {
  return (size_t)((uintptr_t)lo % SPAN_ALIGN);
}

size_t
rt_dev_offset(const struct rt_buf *b) {
  size_t bytes;
  if (!is_shared(b)) return 0;
  char *lo = span_of(b, &bytes);
  return (size_t)((char *)b->mem - lo) + span_shift(lo);
}

/* All of the ring: their device memory and what is valid. */
static void
set_all(struct rt_buf *b, struct rt_dev_mem *dev, bool stale, bool dev_valid) {
  struct rt_buf *x = b;
  do {
    x->dev = dev;
    x->stale = stale;
    x->zeros &= stale && !dev_valid;
    x->dev_valid = dev_valid;
    x = x->peers;
  } while (x && x != b);
}

/* ---- one buffer ---------------------------------------------------------- */

static size_t
dev_bytes(const struct rt_buf *b) {
  size_t bytes = 0;
  bool fits = rt_shape_bytes(dev_shape(b->shape), &bytes);
  assert(fits); /* it did in its host layout, but for padding */
  (void)fits;
  return bytes;
}

/* Bytes that a copy of the buffer moves. */
static size_t
copy_bytes(const struct rt_buf *b) {
  size_t bytes;
  if (!is_shared(b)) return dev_bytes(b);
  span_of(b, &bytes);
  return bytes;
}

enum rt_residency
rt_residency_of(const struct rt_dat *d) {
  const struct rt_buf *b = d->buf_current ? d->buf : NULL;
  bool host = rt_dat_mirror_current(d) || (b && !b->stale);
  bool device = b && b->dev_valid;
  if (host && device) return RT_BOTH;
  if (device) return d->untouched && !b->mem ? RT_HOST_UNALLOCATED : RT_DEVICE;
  return d->buf && d->buf->dev ? RT_HOST : RT_DEVICE_UNALLOCATED;
}

/* Its device memory was taken, or is given back. */
static void
memory_told(const struct rt_buf *b, bool begins) {
  if (!event_listening || !b->dev) return;
  struct event e = {.kind = EVENT_dat,
                    .name = b->shape.name,
                    .place = {b->dev->device->target, b->dev->mem},
                    .bytes = b->dev->bytes};
  event_tell(&e, begins ? EVENT_BEGINS : EVENT_ENDS);
}

status
rt_buf_device(struct rt_buf *b, struct rt_device *d) {
  if (b->dev && b->dev->device == d) return OK;
  struct rt_dev_mem *m;
  size_t more = is_shared(b) ? SPAN_ALIGN : 0;
  TRY(rt_dev_mem_new(d, copy_bytes(b) + more, &m));
  assert(!b->dev || !b->stale || !b->dev_valid);
  memory_told(b, false);
  rt_dev_mem_free(b->dev);
  set_all(b, m, b->stale, false);
  memory_told(b, true);
  return OK;
}

void
rt_buf_leave_device(struct rt_buf *b) {
  memory_told(b, false);
  rt_dev_mem_free(b->dev);
  set_all(b, NULL, false, false);
}

/* Values on the host: blocks of `stride`, in order `order` (NULL: the
 * buffer's); over ranks only owned elements are written there. */
struct side {
  void *mem;
  size_t stride;
  const struct rt_order *order;
};

static struct side
side_of_mirror(const struct rt_dat *d) {
  return (struct side){d->mirror, 1, d->order};
}

/* n bytes of the device's memory from (up) or to the host's. */
static status
move(struct rt_buf *b, void *host, size_t n, bool up) {
  struct rt_device *d = b->dev->device;
  return up ? d->driver->write(d, b->dev->mem, host, n)
            : d->driver->read(d, host, b->dev->mem, n);
}

static status
move_span(struct rt_buf *b, bool up) {
  size_t bytes;
  char *lo = span_of(b, &bytes), *staging;
  size_t shift = span_shift(lo);
  if (!bytes) return OK;
  if (!shift) return move(b, lo, bytes, up);
  TRY(rt_dev_staging(b->dev->device, shift + bytes, (void **)&staging));
  if (up) memcpy(staging + shift, lo, bytes);
  status st = move(b, staging, shift + bytes, up);
  if (st == OK && !up) memcpy(lo, staging + shift, bytes);
  rt_dev_staging_end(b->dev->device);
  return st;
}

/* All values from (up) or to the host. */
static status
move_all(struct rt_buf *b, struct side host, bool up) {
  size_t bytes = dev_bytes(b);
  void *staging;
  if (is_shared(b)) return move_span(b, up);
  if (!b->shape.n) return OK;
  if (host.stride == rt_dev_stride(b->shape) && !host.order)
    return move(b, host.mem, bytes, up);
  TRY(rt_dev_staging(b->dev->device, bytes, &staging));
  size_t stride = rt_dev_stride(b->shape);
  if (up)
    rt_order_take(host.order, staging, stride, host.mem, host.stride,
                  &b->shape);
  status st = move(b, staging, bytes, up);
  if (st == OK && !up)
    rt_order_give(host.order, host.mem, host.stride, staging, stride,
                  &b->shape);
  rt_dev_staging_end(b->dev->device);
  return st;
}

static status
move_told(struct rt_buf *b, struct side host, bool up) {
  if (!event_listening) return move_all(b, host, up);
  struct event_place here = {.at = host.mem},
                     there = {b->dev->device->target, b->dev->mem};
  struct event e = {.kind = up ? EVENT_upload : EVENT_download,
                    .name = b->shape.name,
                    .place = up ? there : here,
                    .from = up ? here : there,
                    .bytes = copy_bytes(b)};
  SCOPED_STR words = STR_INIT;
  event_begin(&e);
  status st = move_all(b, host, up);
  if (event_in_words()) {
    str_printf(&words, "\"bytes\": %zu, \"dat\": ", (size_t)e.bytes);
    str_json(&words, e.name ? e.name : "");
    e.words = words.s;
  }
  event_end(&e);
  return st;
}

static void
count_up(const struct rt_buf *b) {
  counters[CNT_h2d]++;
  counters[CNT_h2d_bytes] += (long long)copy_bytes(b);
}

static void
count_down(const struct rt_buf *b) {
  counters[CNT_d2h]++;
  counters[CNT_d2h_bytes] += (long long)copy_bytes(b);
}

/* Zeros that nobody has written are made where they are needed. */
static status
zero_there(struct rt_buf *b, struct rt_device *d) {
  assert(!is_shared(b)); /* the program's memory has values */
  TRY(rt_buf_device(b, d));
  if (b->shape.n) TRY(d->driver->zero(d, b->dev->mem, dev_bytes(b)));
  set_all(b, b->dev, true, true);
  return OK;
}

status
rt_buf_upload(struct rt_buf *b, struct rt_device *d,
              const struct rt_dat *mirror) {
  if (b->dev_valid && b->dev->device == d) return OK;
  if (b->stale && b->dev_valid) TRY(rt_buf_download(b));
  if (b->zeros) return zero_there(b, d);
  TRY(rt_buf_device(b, d));
  assert(!b->stale || mirror);
  TRY(move_told(b,
                b->stale ? side_of_mirror(mirror)
                         : (struct side){b->mem, b->stride, NULL},
                true));
  if (b->stale) b->reach = mirror->reach;
  count_up(b);
  set_all(b, b->dev, b->stale, true);
  return OK;
}

status
rt_buf_download(struct rt_buf *b) {
  if (!b->stale) return OK;
  assert(b->dev_valid);
  TRY(rt_buf_host(b));
  TRY(move_told(b, (struct side){b->mem, b->stride, NULL}, false));
  count_down(b);
  set_all(b, b->dev, false, b->dev_valid);
  return OK;
}

status
rt_dat_mirror_fetch(struct rt_dat *d) {
  assert(d->buf && d->buf->dev_valid);
  TRY(move_told(d->buf, side_of_mirror(d), false));
  count_down(d->buf);
  return OK;
}

void
rt_buf_written(struct rt_buf *b, bool on_device) {
  set_all(b, b->dev, on_device, on_device);
}
