/* A CUDA driver for tests, without a GPU: device memory is the host's, kernels do
 * nothing but be counted. Every call is checked against what must hold before it
 * (a context is current, the stream is ours, memory was allocated and is large
 * enough) and written to a log; `mock_cuda` is read by the test. */
#include "libcuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mock_cuda mock_cuda = {.devices = 2};

enum { BLOCKS_MAX = 256, INVALID = 1, OUT_OF_MEMORY = 2, NO_IMAGE = 200 };
static struct {
  char *at;
  size_t bytes;
} blocks[BLOCKS_MAX];
static int context, stream;
static void *current;

static void
note(const char *fmt, ...) {
  size_t used = strlen(mock_cuda.log);
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(mock_cuda.log + used, sizeof mock_cuda.log - used, fmt, ap);
  va_end(ap);
}

/* A rule that was broken: the first one is kept. */
static int
broken(const char *what) {
  if (!*mock_cuda.broken)
    snprintf(mock_cuda.broken, sizeof mock_cuda.broken, "%s", what);
  return INVALID;
}

static int
in_block(const char *p, size_t bytes) {
  for (int k = 0; k < BLOCKS_MAX; k++)
    if (blocks[k].at && p >= blocks[k].at &&
        p + bytes <= blocks[k].at + blocks[k].bytes)
      return 1;
  return 0;
}

static int
block_new(void **out, size_t bytes) {
  for (int k = 0; k < BLOCKS_MAX; k++) {
    if (blocks[k].at) continue;
    blocks[k].at = malloc(bytes);
    blocks[k].bytes = bytes;
    memset(blocks[k].at, 0x5a, bytes);
    *out = blocks[k].at;
    return 0;
  }
  return OUT_OF_MEMORY;
}

static int
block_free(void *p) {
  for (int k = 0; k < BLOCKS_MAX; k++)
    if (p && blocks[k].at == p) {
      free(p);
      blocks[k].at = NULL;
      return 0;
    }
  return broken("memory freed that was not allocated");
}

#define NEEDS_CONTEXT                                                          \
  if (!current) return broken("a call without a current context")
#define NEEDS_STREAM(s)                                                        \
  if ((s) != &stream) return broken("a call on another stream")

int
cuInit(unsigned flags) {
  note("init ");
  if (flags) return broken("cuInit: flags");
  mock_cuda.up = 1;
  return mock_cuda.fail_init ? 999 : 0;
}

int
cuGetErrorString(int code, const char **text) {
  *text = code == OUT_OF_MEMORY ? "out of memory" : "mock error";
  return 0;
}

int
cuDeviceGetCount(int *n) {
  if (!mock_cuda.up) return broken("before cuInit");
  *n = mock_cuda.devices;
  return 0;
}

int
cuDeviceGet(int *device, int number) {
  if (number >= mock_cuda.devices) return broken("no such device");
  *device = number;
  return 0;
}

int
cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "mock %d", device);
  return 0;
}

int
cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? mock_cuda.major : attribute == 76 ? 0 : 4;
  if (attribute == 8) *value = 48 << 10;
  if (attribute == 75 && !mock_cuda.major) *value = 9;
  return 0;
}

int
cuDevicePrimaryCtxRetain(void **out, int device) {
  note("retain%d ", device);
  mock_cuda.retained++;
  *out = &context;
  return 0;
}

int
cuDevicePrimaryCtxRelease_v2(int device) {
  note("release%d ", device);
  mock_cuda.retained--;
  return 0;
}

int
cuCtxSetCurrent(void *c) {
  if (c != &context) return broken("another context");
  current = c;
  return 0;
}

int
cuStreamCreate(void **out, unsigned flags) {
  NEEDS_CONTEXT;
  note("stream%u ", flags);
  mock_cuda.streams++;
  *out = &stream;
  return 0;
}

int
cuStreamDestroy_v2(void *s) {
  NEEDS_STREAM(s);
  note("unstream ");
  mock_cuda.streams--;
  return 0;
}

int
cuStreamSynchronize(void *s) {
  NEEDS_STREAM(s);
  note("sync ");
  return 0;
}

int
cuMemAlloc_v2(void **out, size_t bytes) {
  NEEDS_CONTEXT;
  note("alloc%zu ", bytes);
  if (mock_cuda.fail_alloc) return OUT_OF_MEMORY;
  mock_cuda.mems++;
  return block_new(out, bytes);
}

int
cuMemFree_v2(void *mem) {
  NEEDS_CONTEXT;
  mock_cuda.mems--;
  return block_free(mem);
}

int
cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  NEEDS_CONTEXT;
  (void)flags;
  mock_cuda.pinned++;
  return block_new(out, bytes);
}

int
cuMemFreeHost(void *mem) {
  mock_cuda.pinned--;
  return block_free(mem);
}

static int
copy(const char *what, void *to, const void *from, size_t bytes, void *s) {
  NEEDS_CONTEXT;
  NEEDS_STREAM(s);
  note("%s%zu ", what, bytes);
  if (!in_block(to, bytes) || !in_block(from, bytes))
    return broken("a copy outside of device and pinned memory");
  memcpy(to, from, bytes);
  return 0;
}

int
cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *s) {
  return copy("up", to, from, bytes, s);
}

int
cuMemcpyDtoHAsync_v2(void *to, void *from, size_t bytes, void *s) {
  if (mock_cuda.fail_down) return 700;
  return copy("down", to, from, bytes, s);
}

int
cuMemcpyDtoDAsync_v2(void *to, void *from, size_t bytes, void *s) {
  return copy("copy", to, from, bytes, s);
}

/* "Code" must begin as PTX does. */
int
cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options,
                   void **values) {
  NEEDS_CONTEXT;
  note("load ");
  if (!strstr(image, ".version")) {
    for (unsigned k = 0; k < n; k++)
      if (options[k] == 5) strcpy(values[k], "mock: not PTX");
    return NO_IMAGE;
  }
  mock_cuda.modules++;
  *out = strdup(image);
  return 0;
}

int
cuModuleUnload(void *module) {
  note("unload ");
  mock_cuda.modules--;
  free(module);
  return 0;
}

/* A function is a place in its module's text. */
int
cuModuleGetFunction(void **out, void *module, const char *name) {
  char entry[64];
  snprintf(entry, sizeof entry, ".entry %s", name);
  *out = strstr(module, entry);
  return *out ? 0 : broken("no such kernel in the module");
}

int
cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
               unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s,
               void **args, void **extra) {
  NEEDS_CONTEXT;
  NEEDS_STREAM(s);
  (void)extra;
  const char *name = (const char *)function + strlen(".entry ");
  note("launch:%.*s:%ux%u", (int)strcspn(name, "( \n"), name, gx, bx);
  note(shared ? "+%u " : " ", shared);
  if (gy != 1 || gz != 1 || by != 1 || bz != 1 || !gx || !bx || bx > 1024)
    return broken("a grid that no card takes");
  if (!args || !args[0]) return broken("a launch without arguments");
  mock_cuda.launches++;
  if (mock_cuda.launches == mock_cuda.fail_at) return 700;
  return mock_cuda.fail_launch ? 700 : 0;
}
