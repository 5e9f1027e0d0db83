/* The mock CUDA driver (test/mock/libcuda.c) in the place of the real one. */
#ifndef TEST_CUDA_MAKE_H
#define TEST_CUDA_MAKE_H

#include "../mock/libcuda.h"

#include "rt/device/device.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <string.h>

static struct mock_cuda *mock;

/* It has the driver's name, so that it is the one found later. */
static inline void
mock_load_from(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  cr_assert(library, "%s", dlerror());
  mock = dlsym(library, "mock_cuda");
  cr_assert(mock);
}

static inline void
mock_load(void) {
  mock_load_from(OP2_BUILD_DIR "/test/mock/libcuda.so.1");
}

static inline struct rt_device *
device(int number) {
  struct rt_device *d = NULL;
  status st = rt_device_get((struct target){TARGET_cuda, number}, &d);
  cr_assert_eq(st, OK, "%s", err_last());
  return d;
}

static inline void
check_end(void) {
  rt_devices_close();
  cr_assert_str_empty(mock->broken, "%s", mock->broken);
  cr_assert_eq(mock->mems, 0);
  cr_assert_eq(mock->pinned, 0);
  cr_assert_eq(mock->modules, 0);
  cr_assert_eq(mock->streams, 0);
  cr_assert_eq(mock->retained, 0);
  cr_assert_eq(mock->graphs, 0);
  cr_assert_eq(mock->execs, 0);
  cr_assert_eq(mock->events, 0);
}

#endif
