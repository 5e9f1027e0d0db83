/* A device for tests: its memory is the host's, but apart; its kernels are C
 * functions; every call is counted, memory that was not freed is found. */
#ifndef TEST_MOCK_DEVICE_H
#define TEST_MOCK_DEVICE_H

#include "rt/device/device.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef void (*mock_kernel)(const struct rt_dev_arg *args, uint32_t nargs,
                            size_t items);
static struct {
  int mems, writes, reads, copies, zeros, launches, opened;
  size_t written;
  bool fail_mem, fail_launch;
} mock;

static status
mock_open(struct rt_device *d) {
  strcpy(d->name, "mock");
  d->group = 4;
  d->rows = 8;
  mock.opened++;
  return OK;
}

static void
mock_close(struct rt_device *d) {
  (void)d;
  mock.opened--;
}

static status
mock_mem_new(struct rt_device *d, size_t bytes, void **out) {
  (void)d;
  if (mock.fail_mem) FAIL(ERR_MEMORY, "mock: no memory for %zu bytes", bytes);
  *out = malloc(bytes);
  memset(*out, 0xa5, bytes);
  mock.mems++;
  return OK;
}

static void
mock_mem_free(struct rt_device *d, void *mem) {
  (void)d;
  free(mem);
  mock.mems--;
}

static status
mock_write(struct rt_device *d, void *to, const void *from, size_t bytes) {
  (void)d;
  memcpy(to, from, bytes);
  mock.writes++;
  mock.written += bytes;
  return OK;
}

static status
mock_read(struct rt_device *d, void *to, void *from, size_t bytes) {
  (void)d;
  memcpy(to, from, bytes);
  mock.reads++;
  return OK;
}

static status
mock_copy(struct rt_device *d, void *to, void *from, size_t bytes) {
  (void)d;
  memcpy(to, from, bytes);
  mock.copies++;
  return OK;
}

static status
mock_zero(struct rt_device *d, void *mem, size_t bytes) {
  (void)d;
  cr_assert(bytes > 0, "drivers refuse to fill nothing");
  memset(mem, 0, bytes);
  mock.zeros++;
  return OK;
}

static status
mock_launch(struct rt_device *d, void *kernel, const struct rt_dev_arg *args,
            uint32_t nargs, size_t items, size_t group) {
  mock_kernel f;
  if (mock.fail_launch) FAIL(ERR_DEVICE, "mock: launch failed");
  cr_assert_eq(items % group, 0);
  cr_assert_leq(group, d->group);
  memcpy(&f, &kernel, sizeof f);
  f(args, nargs, items);
  mock.launches++;
  return OK;
}

static status
mock_finish(struct rt_device *d) {
  (void)d;
  return OK;
}

static const struct rt_driver mock_driver = {.open = mock_open,
                                             .close = mock_close,
                                             .mem_new = mock_mem_new,
                                             .mem_free = mock_mem_free,
                                             .write = mock_write,
                                             .read = mock_read,
                                             .read_start = mock_read,
                                             .copy = mock_copy,
                                             .zero = mock_zero,
                                             .launch = mock_launch,
                                             .finish = mock_finish};

/* Mock device `number`, open. */
static inline struct rt_device *
mock_device(int number) {
  struct rt_device *d = NULL;
  rt_device_set_driver(TARGET_opencl, &mock_driver);
  cr_assert_eq(rt_device_get((struct target){TARGET_opencl, number}, &d), OK);
  return d;
}

/* Close all; nothing may be left. */
static inline void
mock_end(void) {
  rt_devices_close();
  rt_device_set_driver(TARGET_opencl, NULL);
  cr_assert_eq(mock.mems, 0, "%d pieces of device memory left", mock.mems);
  cr_assert_eq(mock.opened, 0);
}

#endif
