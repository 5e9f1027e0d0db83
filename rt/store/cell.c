/* Globals on devices.
 *
 * Problem. What a loop adds to a global on a device is needed there by the next
 * one and by the program perhaps never; to wait for it costs more than a small
 * loop.
 *
 * Idea. A global has a cell on the device: its value goes up when the host has
 * written it, and comes back when the host looks.
 *
 *                          there   away
 *   the host has it          -       -     at first, and when it has written
 *   both have it            yes      -     a copy was made
 *   the device has it       yes     yes    a launch has written
 *
 * Copies stand in the device's order, so that a cell may be written again while
 * launches that read it are still to come. */
#include "rt/store/residency.h"

#include "base/counters.h"

#include <assert.h>

status
rt_cell_room(struct rt_cell *c, struct rt_device *d) {
  assert(c->bytes > 0);
  return c->mem ? OK : rt_dev_mem_new(d, c->bytes, &c->mem);
}

status
rt_cell_upload(struct rt_cell *c, struct rt_device *d, void *host) {
  if (c->mem && c->mem->device != d) {
    TRY(rt_cell_download(c, host));
    rt_cell_clear(c);
  }
  TRY(rt_cell_room(c, d));
  if (c->there) return OK;
  assert(!c->away);
  TRY(d->driver->write(d, c->mem->mem, host, c->bytes));
  counters[CNT_upload_other_bytes] += (long long)c->bytes;
  c->there = true;
  return OK;
}

status
rt_cell_fetch(struct rt_cell *c, void *host) {
  if (!c->away) return OK;
  assert(c->there && c->mem);
  struct rt_device *d = c->mem->device;
  TRY(d->driver->read_start(d, host, c->mem->mem, c->bytes));
  counters[CNT_download_other_bytes] += (long long)c->bytes;
  c->away = false;
  return OK;
}

status
rt_cell_download(struct rt_cell *c, void *host) {
  if (!c->away) return OK;
  struct rt_device *d = c->mem->device;
  status st = rt_cell_fetch(c, host);
  status end = d->driver->finish(d); /* nothing is left under way */
  if (st == OK) st = end;
  c->away = st != OK;
  return st;
}

void
rt_cell_written(struct rt_cell *c, bool there) {
  assert(c->mem || !there);
  c->there = c->away = there;
}

void
rt_cell_clear(struct rt_cell *c) {
  rt_dev_mem_free(c->mem);
  c->mem = NULL;
  c->there = c->away = false;
}
