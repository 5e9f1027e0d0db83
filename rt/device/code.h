/* Code on a device. */
#ifndef RT_CODE_H
#define RT_CODE_H

#include "base/kept.h"

struct rt_device;

/* Kernels of a region on a device; lower has them, the device runs them. */
struct rt_dev_code {
  struct kept kept; /* first; its maker's */
  struct rt_device *device;
  void *code;
  void *run, *combine; /* NULL: not there */
};

#endif
