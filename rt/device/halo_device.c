/* Halos of data on devices.
 *
 * Problem. A message takes a few elements of a dat whose values are on a
 * device; to fetch the dat for it would cost more than the loop that wants
 * them.
 *
 * Idea. A kernel gathers the listed elements into memory of the device that is
 * laid out as the messages are; that memory comes to the host in one copy, and
 * goes from there as any message. What arrives goes up in one copy and is
 * scattered. All commands of a device run in order, so that nothing else is
 * waited for.
 *
 *   dat  --pack-->  message  --read-->  host  --send-->
 *   dat  <-unpack-  message  <-write--  host  <-receive-
 *
 * cost  a launch for each dat, a copy for each device; lists go up once
 * limits  messages pass through the host, also where MPI could take them from
 *         the
 * device */
#include "rt/device/halo_device.h"

#include "base/arena.h"
#include "rt/store/residency.h"

#include <assert.h>

enum { UNIT_MAX = 1 << (RT_MOVE_WORDS - 1) };

uint32_t
rt_moved_unit(size_t bytes) {
  uint32_t unit = UNIT_MAX;
  while (bytes % unit) unit /= 2;
  return unit;
}

status
rt_moved_room(struct rt_device *d, size_t bytes) {
  size_t had = d->message_bytes;
  TRY(rt_dev_scratch(d, &d->message, &d->message_bytes, bytes));
  if (d->message_host && d->message_bytes == had) return OK;
  rt_mem_free(d->message_host, had);
  d->message_host = rt_mem_new(d->message_bytes);
  if (!d->message_host)
    FAIL(ERR_MEMORY, "no memory for %zu bytes of messages", d->message_bytes);
  return OK;
}

/* Log2 of the largest word that a component consists of. */
static int
word_of(const struct rt_buf *b) {
  uint32_t word = rt_moved_unit(b->shape.type.size);
  int k = 0;
  while (1u << k < word) k++;
  return k;
}

static status
launch_move(const struct rt_moved *m, const struct rt_buf *b, bool packs) {
  struct rt_device *d = b->dev->device;
  int k = word_of(b);
  int64_t words = b->shape.type.size >> k, dim = b->shape.dim;
  size_t bytes = sizeof(idx_l) * (size_t)m->n;
  void *kernel = packs ? d->moves.pack[k] : d->moves.unpack[k], *list, *place;
  if (!m->n) return OK;
  if (b->shape.device) { /* an element lies as it is sent */
    words *= dim;
    dim = 1;
  }
  assert(kernel && !b->foreign && m->unit >> k);
  TRY(rt_dev_table_get(d, m->list, bytes, m->version, &list));
  TRY(rt_dev_table_get(d, m->place, bytes, m->version, &place));
  const struct rt_dev_arg args[RT_MOVE_ARGS] = {
      [RT_MOVE_DAT] = {.mem = b->dev->mem},
      [RT_MOVE_LIST] = {.mem = list},
      [RT_MOVE_PLACE] = {.mem = place},
      [RT_MOVE_MESSAGE] = {.mem = d->message},
      [RT_MOVE_N] = {.word = m->n},
      [RT_MOVE_DIM] = {.word = dim},
      [RT_MOVE_PER] = {.word = words},
      [RT_MOVE_STRIDE] = {.word = (int64_t)rt_dev_stride(b->shape)},
      [RT_MOVE_SCALE] = {.word = m->unit >> k}};
  size_t items = (size_t)m->n * (size_t)(dim * words);
  items = round_up(items, d->group);
  return d->driver->launch(d, kernel, args, RT_MOVE_ARGS, items, d->group);
}

status
rt_moved_pack(const struct rt_moved *m, const struct rt_buf *b) {
  return launch_move(m, b, true);
}

status
rt_moved_unpack(const struct rt_moved *m, const struct rt_buf *b) {
  return launch_move(m, b, false);
}
