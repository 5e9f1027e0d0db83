/* Dats: where their values are.
 *
 * A dat has two places, the mirror that the program sees and the buffer that
 * loops use. At least one of them is current at any time:
 *
 *   mirror_current  buf_current
 *         1              0       declared, or written by the host
 *         1              1       looked at, or first used by a loop
 *         0              1       written by a loop
 *
 *   rt_dat_shell           1 0 -> 1 1   the buffer is stale: filled at need
 *   rt_dat_keep            1 0 -> 1 1   likewise, or stale zeros, whatever the
 *                                       program writes into the mirror now
 *   rt_dat_buffer          1 0 -> 1 1   copy mirror to buffer
 *   rt_dat_sync            0 1 -> 1 1   copy buffer to mirror
 *   rt_dat_written         . 1 -> 0 1
 *   rt_dat_set_buffer      . . -> 0 1   another buffer
 *   rt_dat_mirror_written  1 . -> 1 0
 *   rt_dat_mirror_leave    1 1 -> 0 1   the mirror was written: not for loops
 *
 * Only a copy makes both current. A foreign dat has one memory for both places:
 * its mirror is current while the buffer is not stale.
 *
 * A buffer may serve several dats that are equal by name. Nothing here writes
 * to a buffer that has a second reference: refilling takes a new one.
 */
#include "rt/store/store.h"

#include "base/counters.h"
#include "base/event.h"
#include "base/log.h"
#include "base/str.h"
#include "rt/store/residency.h"
#include "rt/store/store_impl.h"

#include <assert.h>
#include <string.h>

enum { LOOKS_KEEP = 2 };

static struct rt_shape
mirror_shape(struct rt_shape s, idx_l rows) {
  s.n = rows;
  s.block = 1;
  return s;
}

static size_t
mirror_bytes(const struct rt_dat *d) {
  size_t bytes = 0;
  bool fits = rt_shape_bytes(mirror_shape(d->shape, d->rows), &bytes);
  assert(fits);
  (void)fits;
  return bytes;
}

static void
init_foreign(struct rt_dat *d, void *memory, size_t bytes) {
  static _Alignas(64) char nowhere[64]; /* an empty set has no memory */
  assert(d->shape.block == 1);
  assert(memory || !bytes);
  d->mirror = memory ? memory : nowhere;
  d->buf = rt_buf_foreign(d->shape, d->mirror, bytes);
  d->foreign = d->buf_current = true;
}

bool
rt_dat_mirror_current(const struct rt_dat *d) {
  return d->foreign ? !d->buf->stale : d->mirror_current;
}

void
rt_dat_mirror_leave(struct rt_dat *d) {
  assert(rt_dat_apart(d));
  d->mirror_current = false;
}

void
rt_dat_touch(struct rt_dat *d) {
  assert(d->untouched && rt_dat_mirror_current(d));
  d->untouched = false;
}

void
rt_dat_forget(struct rt_dat *d) {
  d->untouched = false;
  if (d->foreign) {
    rt_buf_leave_device(d->buf);
    return;
  }
  rt_buf_unref(d->buf);
  d->buf = NULL;
  d->buf_current = false;
  d->mirror_current = true;
}

/* Are both buffers in one ring? */
static bool
are_peers(const struct rt_buf *a, const struct rt_buf *b) {
  const struct rt_buf *x = a;
  do {
    if (x == b) return true;
    x = x->peers;
  } while (x != a);
  return false;
}

status
rt_dat_overlap(struct rt_dat *a, struct rt_dat *b) {
  assert(a->foreign && b->foreign);
  if (are_peers(a->buf, b->buf)) return OK;
  TRY(rt_dat_sync(a));
  TRY(rt_dat_sync(b));
  rt_buf_leave_device(a->buf);
  rt_buf_leave_device(b->buf);
  struct rt_buf *next = a->buf->peers;
  a->buf->peers = b->buf->peers;
  b->buf->peers = next;
  return OK;
}

/* But for its memory. */
static status
init_shape(struct rt_dat *d, struct rt_shape shape, size_t *bytes_out) {
  *d = (struct rt_dat){.shape = shape,
                       .rows = shape.n,
                       .reach = REACH_FULL,
                       .mirror_current = true};
  if (rt_shape_bytes(mirror_shape(shape, shape.n), bytes_out)) return OK;
  FAIL(ERR_MEMORY, "%d elements of %u x %u bytes exceed the address space",
       shape.n, shape.dim, shape.type.size);
}

/* A mirror of the library's own was made, or goes. */
static void
mirror_told(const struct rt_dat *d, bool begins) {
  if (!event_listening) return;
  struct event e = {.kind = EVENT_dat,
                    .name = d->shape.name,
                    .place.at = d->mirror,
                    .bytes = mirror_bytes(d)};
  event_tell(&e, begins ? EVENT_BEGINS : EVENT_ENDS);
}

static void
mirror_free(const struct rt_dat *d) {
  mirror_told(d, false);
  rt_mirror_free(d->mirror, mirror_bytes(d));
}

status
rt_dat_bare(struct rt_dat *d, struct rt_shape shape) {
  struct rt_dat fresh;
  size_t bytes;
  TRY(init_shape(&fresh, shape, &bytes));
  fresh.mirror = rt_mem_reserve(bytes);
  if (!fresh.mirror)
    FAIL(ERR_MEMORY, "no addresses for a dat of %zu bytes", bytes);
  fresh.own_mirror = fresh.bare = true;
  *d = fresh;
  return OK;
}

status
rt_dat_init(struct rt_dat *d, struct rt_shape shape, const void *data,
            bool foreign) {
  struct rt_dat fresh;
  size_t bytes;
  TRY(init_shape(&fresh, shape, &bytes));
  if (foreign) {
    init_foreign(&fresh, (void *)data, bytes);
  } else {
    fresh.mirror = rt_mirror_new(bytes);
    if (!fresh.mirror)
      FAIL(ERR_MEMORY, "no memory for a dat of %zu bytes", bytes);
    fresh.own_mirror = true;
    if (data && bytes) memcpy(fresh.mirror, data, bytes);
    fresh.untouched = !data;
    mirror_told(&fresh, true);
  }
  *d = fresh;
  return OK;
}

void
rt_dat_clear(struct rt_dat *d) {
  rt_buf_unref(d->buf);
  if (d->bare)
    rt_mem_unreserve(d->mirror, mirror_bytes(d));
  else if (d->own_mirror)
    mirror_free(d);
  *d = (struct rt_dat){0};
}

status
rt_dat_pin(struct rt_dat *d) {
  if (d->foreign) return OK;
  assert(!d->order && "memory of the program is in the program's order");
  TRY(rt_dat_sync(d));
  rt_buf_unref(d->buf);
  d->shape.block = 1;
  init_foreign(d, d->mirror, mirror_bytes(d));
  return OK;
}

/* Bring the buffer's host memory up to date. */
static status
rt_dat_fill(struct rt_dat *d) {
  struct rt_buf *b = d->buf;
  if (!b->stale) return OK;
  if (b->zeros) return rt_buf_zero(b);
  if (!rt_dat_mirror_current(d)) return rt_buf_download(b);
  TRY(rt_buf_host(b));
  rt_order_take(d->order, b->mem, b->stride, d->mirror, 1, &d->shape);
  b->reach = b->dev_valid ? reach_meet(b->reach, d->reach) : d->reach;
  b->stale = false;
  return OK;
}

/* How far the mirror's values are right if its own rows are: others' are there
 * if it has all, whoever owns them. */
static struct reach
mirror_reach(const struct rt_dat *d) {
  bool own = d->order && d->order->spread && !d->order->whole;
  return own ? REACH_OWNED : REACH_FULL;
}

status
rt_dat_shell(struct rt_dat *d, struct rt_buf **out) {
  assert(rt_dat_mirror_current(d) || (d->buf && d->buf_current));
  if (!d->buf || !d->buf_current) {
    struct rt_buf *b = d->buf;
    if (!b || b->refs > 1) {
      TRY(rt_buf_shell(d->shape, &b));
      rt_buf_unref(d->buf);
      d->buf = b;
    }
    b->stale = true;
    b->zeros = false;
    b->dev_valid = false;
    d->buf_current = true;
  }
  *out = d->buf;
  return OK;
}

status
rt_dat_buffer(struct rt_dat *d, struct rt_buf **out) {
  TRY(rt_dat_shell(d, out));
  return rt_dat_fill(d);
}

status
rt_dat_keep(struct rt_dat *d, bool told) {
  bool zeros = told && d->untouched && !d->buf_current;
  struct rt_buf *b;
  TRY(rt_dat_shell(d, &b));
  if (zeros) {
    b->zeros = true;
    b->reach = d->reach;
  }
  return b->zeros ? OK : rt_dat_fill(d);
}

void
rt_dat_written(struct rt_dat *d) {
  assert(d->buf);
  d->buf_current = true;
  if (d->foreign) return;
  if (d->mirror_current && d->looks < LOOKS_KEEP &&
      mirror_bytes(d) > RT_RELEASE_BYTES)
    rt_mem_release(d->mirror, mirror_bytes(d));
  d->mirror_current = false;
}

void
rt_dat_set_buffer(struct rt_dat *d, struct rt_buf *b) {
  assert(!d->foreign && !b->foreign);
  assert(b->stride == rt_shape_stride(d->shape));
  rt_buf_unref(d->buf);
  d->buf = b;
  rt_dat_written(d);
}

static status
mirror_sync(struct rt_dat *d) {
  if (d->buf->zeros) TRY(rt_dat_fill(d));
  if (d->foreign)
    TRY(rt_buf_download(d->buf));
  else if (d->buf->stale)
    TRY(rt_dat_mirror_fetch(d));
  else if (d->order && d->order->spread)
    rt_order_give(d->order, d->mirror, 1, d->buf->mem, d->buf->stride,
                  &d->shape);
  else
    rt_dat_read(d, 0, d->rows, d->mirror);
  d->mirror_current = true;
  d->reach = mirror_reach(d);
  d->untouched = false;
  if (d->looks < LOOKS_KEEP) d->looks++;
  counters[CNT_mirror_syncs]++;
  return OK;
}

status
rt_dat_sync(struct rt_dat *d) {
  if (rt_dat_mirror_current(d)) return OK;
  assert(d->buf && d->buf_current);
  return mirror_sync(d);
}

void
rt_dat_mirror_written(struct rt_dat *d) {
  assert(rt_dat_mirror_current(d));
  d->untouched = false;
  d->reach = mirror_reach(d);
  if (d->foreign) {
    rt_buf_written(d->buf, false);
    return;
  }
  d->buf_current = false;
  if (!d->buf || d->buf->refs == 1) return;
  rt_buf_unref(d->buf);
  d->buf = NULL;
}

void
rt_dat_read(const struct rt_dat *d, idx_l lo, idx_l hi, void *out) {
  assert(0 <= lo && lo <= hi && hi <= d->rows);
  size_t row = (size_t)d->shape.dim * d->shape.type.size;
  if (lo == hi) return;
  assert(rt_dat_mirror_current(d) || !d->buf->stale);
  assert(rt_dat_mirror_current(d) || !d->order || !d->order->spread);
  if (rt_dat_mirror_current(d))
    memcpy(out, d->mirror + (size_t)lo * row, (size_t)(hi - lo) * row);
  else if (d->order && d->order->lines.line)
    rt_layout_spaced(out, 1, (struct rt_spacing){.lead = -lo}, d->buf->mem,
                     d->buf->stride, d->order->lines, lo, hi, d->shape.dim,
                     d->shape.type.size);
  else if (d->order)
    rt_layout_permute(out, 1, NULL, d->buf->mem, d->buf->stride,
                      d->order->at + lo, hi - lo, d->shape.dim,
                      d->shape.type.size);
  else
    rt_layout_rows(out, d->buf->mem, d->buf->stride, lo, hi, d->shape.dim,
                   d->shape.type.size);
}

status
rt_dat_relayout(struct rt_dat *d, uint32_t block, uint32_t device) {
  if (block == d->shape.block && device == d->shape.device) return OK;
  if (d->foreign)
    FAIL(ERR_STATE, "memory of the program stays AoS; block %u was asked for",
         block);
  struct rt_shape shape = d->shape;
  shape.block = block;
  shape.device = device;
  struct rt_buf *b = NULL;
  if (d->buf && d->buf_current) {
    TRY(rt_dat_fill(d));
    TRY(rt_buf_new(shape, &b));
    rt_layout_copy(b->mem, b->stride, d->buf->mem, d->buf->stride, 0, shape.n,
                   shape.dim, shape.type.size);
    b->reach = d->buf->reach;
  }
  rt_buf_unref(d->buf);
  d->buf = b;
  d->buf_current = b != NULL;
  d->shape = shape;
  return OK;
}

/* Values of the buffer, in the order of `to`, in b. */
static void
copy_reordered(const struct rt_dat *d, const struct rt_order *to,
               struct rt_buf *b) {
  const struct rt_spacing none = {0};
  const struct rt_order *from = d->order;
  struct rt_spacing is = from ? from->lines : none, by = to ? to->lines : none;
  uint32_t dim = d->shape.dim, size = d->shape.type.size;
  if (!is.line && !by.line) {
    rt_layout_permute(b->mem, b->stride, to ? to->at : NULL, d->buf->mem,
                      d->buf->stride, from ? from->at : NULL, d->rows, dim,
                      size);
    return;
  }
  assert((!to || by.line) && (!from || is.line));
  rt_layout_spaced(b->mem, b->stride, by, d->buf->mem, d->buf->stride, is, 0,
                   d->rows, dim, size);
}

status
rt_dat_reorder(struct rt_dat *d, const struct rt_order *order) {
  if (order == d->order) return OK;
  assert(!d->foreign && (!order || order->rows == d->rows));
  struct rt_shape shape = d->shape;
  struct rt_buf *b = NULL;
  shape.n = order ? order->n : d->rows;
  if (d->buf && d->buf_current) {
    TRY(rt_dat_fill(d));
    TRY(rt_buf_new(shape, &b));
    copy_reordered(d, order, b);
  }
  rt_buf_unref(d->buf);
  d->buf = b;
  d->buf_current = b != NULL;
  d->order = order;
  d->shape = shape;
  return OK;
}

status
rt_dat_spread(struct rt_dat *d, const struct rt_order *order,
              struct rt_part *part) {
  assert(rt_dat_mirror_current(d) && !d->foreign && order->spread);
  if (order->rows != d->rows) {
    size_t bytes;
    bool fits = rt_shape_bytes(mirror_shape(d->shape, order->rows), &bytes);
    char *mirror = fits ? rt_mirror_new(bytes) : NULL;
    if (!mirror)
      FAIL(ERR_MEMORY, "no memory for a dat of %d elements", order->rows);
    mirror_free(d);
    d->mirror = mirror;
    d->rows = order->rows;
    mirror_told(d, true);
  }
  rt_buf_unref(d->buf);
  d->buf = NULL;
  d->buf_current = false;
  d->order = order;
  d->part = part;
  d->shape.n = order->n;
  d->reach = d->untouched ? REACH_FULL : mirror_reach(d);
  return OK;
}
