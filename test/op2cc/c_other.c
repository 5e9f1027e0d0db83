#include "kernels.h"
#include "registry.h"

const void *
other_counting(void) {
  TEST_LOOP(counting_kernel);
  TEST_LOOP(inline_kernel);
  return (const void *)counting_kernel;
}

const void *
other_calls(void) {
  return &calls;
}
