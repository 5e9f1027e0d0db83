/* The CUDA layer against a mock driver (test/mock/libcuda.c): order of calls,
 * sizes, streams, errors in words, nothing left. */
#include "cuda_make.h"

#include <stdlib.h>

Test(cuda, opening_reads_the_card, .init = mock_load) {
  struct rt_device *d = device(1);
  cr_assert_str_eq(d->name, "mock 1");
  cr_assert_str_eq(d->arch, "sm_90");
  cr_assert_eq(d->code_kind, RT_CODE_PTX);
  cr_assert_eq(d->group, 256);
  cr_assert_eq(d->rows, 4 * 4096);
  check_end();
  cr_assert_str_eq(mock->log, "init retain1 stream1 sync unstream release1 ");
}

Test(cuda, a_later_card_gets_the_newest_code_we_make, .init = mock_load) {
  mock->major = 10;
  cr_assert_str_eq(device(0)->arch, "sm_90");
  check_end();
}

Test(cuda, an_older_card_is_refused, .init = mock_load) {
  struct rt_device *d;
  mock->major = 5;
  cr_assert_eq(rt_device_get((struct target){TARGET_cuda, 0}, &d), ERR_TARGET);
  cr_assert(strstr(err_last(), "sm_50, sm_60 is needed"), "%s", err_last());
  check_end();
}

Test(cuda, a_device_that_is_not_there, .init = mock_load) {
  struct rt_device *d;
  cr_assert_eq(rt_device_get((struct target){TARGET_cuda, 2}, &d), ERR_TARGET);
  cr_assert_str_eq(err_last(),
                   "target cuda:2: looked for device 2, found 2 devices");
  check_end();
}

Test(cuda, a_driver_that_does_not_start, .init = mock_load) {
  struct rt_device *d;
  mock->fail_init = 1;
  cr_assert_eq(rt_device_get((struct target){TARGET_cuda, 0}, &d), ERR_TARGET);
  cr_assert(strstr(err_last(), "does not start: mock error (999)"), "%s",
            err_last());
  check_end();
}

Test(cuda, copies_go_through_pinned_memory, .init = mock_load) {
  struct rt_device *d = device(0);
  char from[1000], to[1000] = "";
  void *a, *b;
  for (int k = 0; k < 1000; k++) from[k] = (char)k;
  cr_assert_eq(d->driver->mem_new(d, 1000, &a), OK);
  cr_assert_eq(d->driver->mem_new(d, 1000, &b), OK);
  *mock->log = 0;
  cr_assert_eq(d->driver->write(d, a, from, 1000), OK);
  memset(from, 0, 10); /* it was taken */
  cr_assert_eq(d->driver->copy(d, b, a, 1000), OK);
  cr_assert_eq(d->driver->read(d, to, b, 1000), OK);
  cr_assert_str_eq(mock->log, "up1000 copy1000 down1000 sync ");
  for (int k = 0; k < 1000; k++) cr_assert_eq(to[k], (char)k);
  d->driver->mem_free(d, a);
  d->driver->mem_free(d, b);
  check_end();
}

/* More than the ring holds: in pieces, and the ring waits when it is full. */
Test(cuda, large_copies_in_pieces, .init = mock_load) {
  struct rt_device *d = device(0);
  size_t bytes = (40 << 20) + 123;
  unsigned char *from = malloc(bytes), *to = calloc(bytes, 1);
  void *a;
  for (size_t k = 0; k < bytes; k++) from[k] = (unsigned char)(k * 7 + k / 251);
  cr_assert_eq(d->driver->mem_new(d, bytes, &a), OK);
  *mock->log = 0;
  cr_assert_eq(d->driver->write(d, a, from, bytes), OK);
  cr_assert_str_eq(mock->log, "up16777216 sync up16777216 sync up8388731 ");
  cr_assert_eq(d->driver->read(d, to, a, bytes), OK);
  cr_assert_arr_eq(to, from, bytes);
  d->driver->mem_free(d, a);
  free(from);
  free(to);
  check_end();
}

Test(cuda, no_memory_says_so, .init = mock_load) {
  struct rt_device *d = device(0);
  void *a;
  mock->fail_alloc = 1;
  cr_assert_eq(d->driver->mem_new(d, 64, &a), ERR_MEMORY);
  cr_assert(strstr(err_last(), "out of memory"), "%s", err_last());
  check_end();
}

static const char ptx[] =
    ".version 7.0\n.visible .entry op2_region(\n.param .u64 a,\n"
    ".param .u64 b)\n{ret;}";

Test(cuda, code_and_launches, .init = mock_load) {
  struct rt_device *d = device(0);
  void *code, *kernel, *a;
  cr_assert_eq(d->driver->mem_new(d, 64, &a), OK);
  cr_assert_eq(d->driver->code_new(d, ptx, strlen(ptx), &code), OK);
  cr_assert_eq(d->driver->kernel_new(d, code, "op2_region", &kernel), OK);
  struct rt_dev_arg args[] = {{.mem = a}, {.word = 3}};
  *mock->log = 0;
  cr_assert_eq(d->driver->launch(d, kernel, args, 2, 1024, 256), OK);
  cr_assert_str_eq(mock->log, "launch:op2_region:4x256 ");
  mock->fail_launch = 1;
  cr_assert_eq(d->driver->launch(d, kernel, args, 2, 256, 256), ERR_DEVICE);
  cr_assert(strstr(err_last(), "cuLaunchKernel"), "%s", err_last());
  d->driver->kernel_free(d, kernel);
  d->driver->code_free(d, code);
  d->driver->mem_free(d, a);
  check_end();
}

Test(cuda, code_that_the_driver_refuses, .init = mock_load) {
  struct rt_device *d = device(0);
  void *code;
  cr_assert_eq(d->driver->code_new(d, "nonsense", 8, &code), ERR_COMPILE);
  cr_assert(strstr(err_last(), "mock: not PTX"), "%s", err_last());
  check_end();
}

Test(cuda, no_driver_says_what_was_looked_for) {
  struct rt_device *d;
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) return;
  void *real = dlopen("libcuda.so.1", RTLD_NOW);
  if (real) {
    dlclose(real); /* a machine with a GPU: nothing to see here */
    return;
  }
  cr_assert_eq(rt_device_get((struct target){TARGET_cuda, 0}, &d), ERR_TARGET);
  cr_assert(strstr(err_last(), "looked for libcuda.so.1, found none"), "%s",
            err_last());
}
