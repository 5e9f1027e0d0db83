/* Open devices, their memory and their copies of tables.
 *
 * Memory that a buffer gives back stays in a list and serves the next buffer of
 * the same size: allocation on a device takes longer than most loops. Maps and
 * walks never change while they keep their version, so a device has each of
 * them once, until no run asks for it between two sweeps. */
#include "rt/device/device.h"
#include "rt/store/store.h"

#include "base/arena.h"
#include "base/counters.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64, STAGING = 64 << 20 /* bytes that are kept */ };

static struct {
  struct rt_device *first;
  const struct rt_driver *instead[TARGET_COUNT];
} devices;

static const struct rt_driver *const drivers[TARGET_COUNT] = {
    [TARGET_opencl] = &rt_driver_opencl,
    [TARGET_cuda] = &rt_driver_cuda,
};

void
rt_device_set_driver(enum target_kind kind, const struct rt_driver *d) {
  devices.instead[kind] = d;
}

bool
rt_device_any(void) {
  return devices.first != NULL;
}

struct rt_device *
rt_device_last(void) {
  return devices.first;
}

status
rt_device_get(struct target t, struct rt_device **out) {
  for (struct rt_device *d = devices.first; d; d = d->next)
    if (d->target.kind == t.kind && d->target.number == t.number) {
      *out = d;
      return OK;
    }
  const struct rt_driver *driver =
      devices.instead[t.kind] ? devices.instead[t.kind] : drivers[t.kind];
  assert(driver);
  struct rt_device *d = mem_alloc(1, sizeof *d);
  d->driver = driver;
  d->target = t;
  status st = driver->open(d);
  if (st != OK) {
    free(d);
    return st;
  }
  assert(d->group && d->group <= RT_DEVICE_GROUP && d->rows);
  d->next = devices.first;
  devices.first = d;
  *out = d;
  return OK;
}

status
rt_device_batch(struct rt_device **at, struct rt_device *next) {
  struct rt_device *last = *at;
  if (last == next) return OK;
  *at = next;
  if (last && last->driver->batch_end) TRY(last->driver->batch_end(last));
  if (next) rt_dev_times_choose(next);
  return next && next->driver->batch_begin ? next->driver->batch_begin(next)
                                           : OK;
}

void
rt_devices_times(void) {
  for (struct rt_device *d = devices.first; d; d = d->next) rt_dev_times(d);
}

status
rt_device_count(enum target_kind kind, int *out) {
  const struct rt_driver *driver =
      devices.instead[kind] ? devices.instead[kind] : drivers[kind];
  assert(driver);
  return driver->count(out);
}

static void
tables_free(struct rt_device *d) {
  for (struct rt_dev_table *t = d->tables, *next; t; t = next) {
    next = t->next;
    d->driver->mem_free(d, t->mem);
    free(t);
  }
  d->tables = NULL;
}

void
rt_devices_forget(void) {
  for (struct rt_device *d = devices.first; d; d = d->next) tables_free(d);
}

static void
tables_sweep(struct rt_device *d) {
  for (struct rt_dev_table **at = &d->tables, *t; (t = *at);) {
    if (t->used) {
      t->used = false;
      at = &t->next;
      continue;
    }
    *at = t->next;
    d->driver->mem_free(d, t->mem);
    free(t);
  }
}

void
rt_devices_sweep(void) {
  for (struct rt_device *d = devices.first; d; d = d->next) tables_sweep(d);
}

void
rt_device_moves_free(struct rt_device *d) {
  struct rt_dev_moves *m = &d->moves;
  for (int k = 0; k < RT_MOVE_WORDS; k++) {
    if (m->pack[k]) d->driver->kernel_free(d, m->pack[k]);
    if (m->unpack[k]) d->driver->kernel_free(d, m->unpack[k]);
  }
  if (m->code) d->driver->code_free(d, m->code);
  *m = (struct rt_dev_moves){0};
}

static void
staging_free(struct rt_device *d) {
  rt_mem_free(d->staging, d->staging_bytes);
  d->staging = NULL;
  d->staging_bytes = 0;
}

static void
device_close(struct rt_device *d) {
  rt_dev_times(d);
  free(d->spans);
  for (struct rt_dev_mem *m = d->pool, *next; m; m = next) {
    next = m->next;
    d->driver->mem_free(d, m->mem);
    free(m);
  }
  tables_free(d);
  rt_device_moves_free(d);
  if (d->sums) d->driver->mem_free(d, d->sums);
  if (d->message) d->driver->mem_free(d, d->message);
  rt_mem_free(d->message_host, d->message_bytes);
  staging_free(d);
  d->driver->close(d);
  free(d);
}

void
rt_devices_close(void) {
  for (struct rt_device *d = devices.first, *next; d; d = next) {
    next = d->next;
    device_close(d);
  }
  devices.first = NULL;
}

/* ---- memory -------------------------------------------------------------- */

status
rt_dev_mem_new(struct rt_device *d, size_t bytes, struct rt_dev_mem **out) {
  if (bytes < SMALLEST) bytes = SMALLEST; /* an empty set has an address, too */
  for (struct rt_dev_mem **at = &d->pool; *at; at = &(*at)->next)
    if ((*at)->bytes == bytes) {
      *out = *at;
      *at = (*out)->next;
      return OK;
    }
  void *mem;
  TRY(d->driver->mem_new(d, bytes, &mem));
  struct rt_dev_mem *m = mem_alloc(1, sizeof *m);
  *m = (struct rt_dev_mem){.device = d, .mem = mem, .bytes = bytes};
  *out = m;
  return OK;
}

void
rt_dev_mem_free(struct rt_dev_mem *m) {
  if (!m) return;
  m->next = m->device->pool;
  m->device->pool = m;
}

status
rt_dev_staging(struct rt_device *d, size_t bytes, void **out) {
  if (bytes > d->staging_bytes) {
    staging_free(d);
    d->staging = rt_mem_new(bytes);
    if (!d->staging) FAIL(ERR_MEMORY, "no memory for staging %zu bytes", bytes);
    d->staging_bytes = bytes;
  }
  *out = d->staging;
  return OK;
}

void
rt_dev_staging_end(struct rt_device *d) {
  if (d->staging_bytes > STAGING) staging_free(d);
}

status
rt_dev_scratch(struct rt_device *d, void **mem, size_t *have, size_t bytes) {
  if (bytes <= *have) return OK;
  void *more;
  TRY(d->driver->mem_new(d, bytes, &more));
  if (*mem) d->driver->mem_free(d, *mem);
  *mem = more;
  *have = bytes;
  return OK;
}

status
rt_dev_table_get(struct rt_device *d, const void *data, size_t bytes,
                 uint64_t version, void **out) {
  struct rt_dev_table *t = d->tables;
  while (t && (t->data != data || t->version != version || t->bytes != bytes))
    t = t->next;
  if (!t) {
    void *mem;
    TRY(d->driver->mem_new(d, bytes < SMALLEST ? SMALLEST : bytes, &mem));
    status st = bytes ? d->driver->write(d, mem, data, bytes) : OK;
    if (st != OK) {
      d->driver->mem_free(d, mem);
      return st;
    }
    t = mem_alloc(1, sizeof *t);
    *t = (struct rt_dev_table){data, version, bytes, mem, true, d->tables};
    d->tables = t;
    counters[CNT_upload_other_bytes] += (long long)bytes;
  }
  t->used = true;
  *out = t->mem;
  return OK;
}
