/* NVIDIA GPUs, through the CUDA driver.
 *
 * The driver's library is opened when a program first asks for a CUDA device; its
 * functions are found by name from dev_cuda.def. Code is PTX, which the driver
 * finishes for the card at hand.
 *
 * One stream for each device: every command sees what stood before it. Copies go
 * through a ring of pinned memory, so that they run while the host goes on: what
 * `write` is given has been copied when it returns. A ring that is full waits for
 * the stream. A word of the API is 64 bits wide, as device addresses are. */
#include "base/arena.h"
#include "base/log.h"
#include "rt/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CU_SHARED_PER_BLOCK = 8, /* cuDeviceGetAttribute */
  CU_MULTIPROCESSORS = 16,
  CU_CAPABILITY_MAJOR = 75,
  CU_CAPABILITY_MINOR = 76,
  CU_STREAM_NON_BLOCKING = 1,
  CU_JIT_ERROR_LOG = 5, /* cuModuleLoadDataEx */
  CU_JIT_ERROR_LOG_BYTES = 6,
  CU_OUT_OF_MEMORY = 2
};

enum {
  GROUP = 256,
  ROWS_PER_MULTIPROCESSOR = 1024,
  RING_BYTES = 16 << 20,
  RING_ALIGN = 256,
  NEWEST =
      90, /* LLVM 19 knows no later architecture; drivers take it for them */
  OLDEST = 60 /* atomic sums of doubles */
};

static const char library_name[] = "libcuda.so.1";

static struct {
  void *library;
#define CU_FN(name, symbol, parameters) int(*name) parameters;
#include "rt/dev_cuda.def"
#undef CU_FN
} cu;

struct cu_device {
  int device;
  bool retained;
  void *context, *stream;
  char *ring; /* pinned */
  size_t used;
};

static const char *
code_text(int code) {
  const char *text = NULL;
  if (cu.cuGetErrorString(code, &text) || !text) return "error";
  return text;
}

static status
failed(const struct rt_device *d, const char *what, int code) {
  return err_set(code == CU_OUT_OF_MEMORY ? ERR_MEMORY : ERR_DEVICE,
                 "CUDA device %d \"%s\": %s: %s (%d)", d->target.number,
                 d->name, what, code_text(code), code);
}

#define CU(d, call)                                                            \
  do {                                                                         \
    int code_ = cu.call;                                                       \
    if (code_) return failed(d, #call, code_);                                 \
  } while (0)

static struct cu_device *
data_of(const struct rt_device *d) {
  return d->driver_data;
}

/* ---- opening ------------------------------------------------------------- */

static status
library_open(void) {
  static const struct {
    const char *symbol;
    size_t at;
  } functions[] = {
#define CU_FN(name, symbol, parameters)                                        \
  {symbol, (size_t)((char *)&cu.name - (char *)&cu)},
#include "rt/dev_cuda.def"
#undef CU_FN
  };
  if (cu.library) return OK;
  void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    FAIL(ERR_TARGET, "target cuda: looked for %s, found none: %s", library_name,
         dlerror());
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    void *f = dlsym(library, functions[k].symbol);
    if (!f) {
      dlclose(library);
      FAIL(ERR_TARGET, "target cuda: %s has no %s", library_name,
           functions[k].symbol);
    }
    memcpy((char *)&cu + functions[k].at, &f, sizeof f);
  }
  cu.library = library; /* stays open */
  return OK;
}

static status
choose(struct rt_device *d, int *device_out) {
  int n = 0, number = d->target.number;
  int code = cu.cuInit(0);
  if (code)
    FAIL(ERR_TARGET, "target cuda:%d: found %s, but it does not start: %s (%d)",
         number, library_name, code_text(code), code);
  CU(d, cuDeviceGetCount(&n));
  if (number >= n)
    FAIL(ERR_TARGET, "target cuda:%d: looked for device %d, found %d device%s",
         number, number, n, n == 1 ? "" : "s");
  CU(d, cuDeviceGet(device_out, number));
  return OK;
}

static status
read_facts(struct rt_device *d, int device) {
  int major = 0, minor = 0, units = 1, shared = 0;
  CU(d, cuDeviceGetName(d->name, (int)sizeof d->name, device));
  d->name[sizeof d->name - 1] = 0;
  CU(d, cuDeviceGetAttribute(&major, CU_CAPABILITY_MAJOR, device));
  CU(d, cuDeviceGetAttribute(&minor, CU_CAPABILITY_MINOR, device));
  CU(d, cuDeviceGetAttribute(&units, CU_MULTIPROCESSORS, device));
  CU(d, cuDeviceGetAttribute(&shared, CU_SHARED_PER_BLOCK, device));
  int arch = 10 * major + minor;
  if (arch < OLDEST)
    FAIL(ERR_TARGET, "target cuda:%d: \"%s\" is sm_%d, sm_%d is needed",
         d->target.number, d->name, arch, OLDEST);
  snprintf(d->arch, sizeof d->arch, "sm_%d", arch < NEWEST ? arch : NEWEST);
  d->code_kind = RT_CODE_PTX;
  d->group = GROUP;
  d->local = (size_t)shared;
  d->rows = (uint32_t)units * ROWS_PER_MULTIPROCESSOR;
  return OK;
}

static void
cu_close(struct rt_device *d) {
  struct cu_device *x = data_of(d);
  if (x->stream) cu.cuStreamSynchronize(x->stream);
  if (x->ring) cu.cuMemFreeHost(x->ring);
  if (x->stream) cu.cuStreamDestroy(x->stream);
  if (x->retained) cu.cuDevicePrimaryCtxRelease(x->device);
  free(x);
}

static status
open_device(struct rt_device *d, struct cu_device *x) {
  TRY(choose(d, &x->device));
  TRY(read_facts(d, x->device));
  CU(d, cuDevicePrimaryCtxRetain(&x->context, x->device));
  x->retained = true;
  CU(d, cuCtxSetCurrent(x->context));
  CU(d, cuStreamCreate(&x->stream, CU_STREAM_NON_BLOCKING));
  CU(d, cuMemHostAlloc((void **)&x->ring, RING_BYTES, 0));
  LOG_INFO("CUDA device %d: %s, %s", d->target.number, d->name, d->arch);
  return OK;
}

static status
cu_open(struct rt_device *d) {
  TRY(library_open());
  d->driver_data = mem_alloc(1, sizeof(struct cu_device));
  status st = open_device(d, d->driver_data);
  if (st != OK) cu_close(d);
  return st;
}

/* The calls that follow are about this device. */
static status
enter(const struct rt_device *d) {
  CU(d, cuCtxSetCurrent(data_of(d)->context));
  return OK;
}

/* ---- memory -------------------------------------------------------------- */

static status
cu_finish(struct rt_device *d) {
  TRY(enter(d));
  CU(d, cuStreamSynchronize(data_of(d)->stream));
  data_of(d)->used = 0;
  return OK;
}

static status
cu_mem_new(struct rt_device *d, size_t bytes, void **out) {
  TRY(enter(d));
  CU(d, cuMemAlloc(out, bytes));
  return OK;
}

static void
cu_mem_free(struct rt_device *d, void *mem) {
  if (enter(d) == OK) cu.cuMemFree(mem);
}

/* Room for up to `bytes` in the ring; *bytes: how many it is. */
static status
ring_take(struct rt_device *d, size_t *bytes, char **out) {
  struct cu_device *x = data_of(d);
  if (*bytes > RING_BYTES) *bytes = RING_BYTES;
  if (x->used + *bytes > RING_BYTES) TRY(cu_finish(d));
  *out = x->ring + x->used;
  x->used += (*bytes + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
  if (x->used > RING_BYTES) x->used = RING_BYTES;
  return OK;
}

static status
cu_write(struct rt_device *d, void *to, const void *from, size_t bytes) {
  TRY(enter(d));
  for (size_t at = 0, n; at < bytes; at += n) {
    char *room;
    n = bytes - at;
    TRY(ring_take(d, &n, &room));
    memcpy(room, (const char *)from + at, n);
    CU(d, cuMemcpyHtoDAsync((char *)to + at, room, n, data_of(d)->stream));
  }
  return OK;
}

static status
cu_read(struct rt_device *d, void *to, void *from, size_t bytes) {
  TRY(enter(d));
  for (size_t at = 0, n; at < bytes; at += n) {
    char *room;
    n = bytes - at;
    TRY(ring_take(d, &n, &room));
    CU(d, cuMemcpyDtoHAsync(room, (char *)from + at, n, data_of(d)->stream));
    TRY(cu_finish(d));
    memcpy((char *)to + at, room, n);
  }
  return OK;
}

static status
cu_copy(struct rt_device *d, void *to, void *from, size_t bytes) {
  TRY(enter(d));
  CU(d, cuMemcpyDtoDAsync(to, from, bytes, data_of(d)->stream));
  return OK;
}

/* ---- code ---------------------------------------------------------------- */

static status
cu_code_new(struct rt_device *d, const void *code, size_t bytes, void **out) {
  char log[2048] = "";
  int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  TRY(enter(d));
  char *text = mem_alloc(bytes + 1, 1); /* PTX ends with a zero */
  memcpy(text, code, bytes);
  int rc = cu.cuModuleLoadDataEx(out, text, 2, options, values);
  free(text);
  if (rc)
    FAIL(ERR_COMPILE, "CUDA device \"%s\" does not take the code: %s (%d): %s",
         d->name, code_text(rc), rc, log);
  return OK;
}

static void
cu_code_free(struct rt_device *d, void *code) {
  if (enter(d) == OK) cu.cuModuleUnload(code);
}

static status
cu_kernel_new(struct rt_device *d, void *code, const char *name, void **out) {
  TRY(enter(d));
  CU(d, cuModuleGetFunction(out, code, name));
  return OK;
}

static void
cu_kernel_free(struct rt_device *d, void *kernel) {
  (void)d, (void)kernel; /* goes with its module */
}

enum { ARGS_MAX = 512 }; /* 4096 bytes of parameters */

static status
cu_launch(struct rt_device *d, void *kernel, const struct rt_dev_arg *args,
          uint32_t nargs, size_t items, size_t group) {
  void *at[ARGS_MAX];
  if (nargs > ARGS_MAX)
    FAIL(ERR_DEVICE, "CUDA device \"%s\": %u parameters, at most %d fit",
         d->name, nargs, ARGS_MAX);
  TRY(enter(d));
  /* room in local memory is no parameter here, but of the launch */
  size_t local = nargs ? args[nargs - 1].local : 0;
  if (local) nargs--;
  for (uint32_t k = 0; k < nargs; k++)
    at[k] = (void *)(uintptr_t)(args[k].mem ? (const void *)&args[k].mem
                                            : (const void *)&args[k].word);
  CU(d, cuLaunchKernel(kernel, (unsigned)(items / group), 1, 1, (unsigned)group,
                       1, 1, (unsigned)local, data_of(d)->stream, at, NULL));
  return OK;
}

const struct rt_driver rt_driver_cuda = {.open = cu_open,
                                         .close = cu_close,
                                         .mem_new = cu_mem_new,
                                         .mem_free = cu_mem_free,
                                         .write = cu_write,
                                         .read = cu_read,
                                         .copy = cu_copy,
                                         .code_new = cu_code_new,
                                         .code_free = cu_code_free,
                                         .kernel_new = cu_kernel_new,
                                         .kernel_free = cu_kernel_free,
                                         .launch = cu_launch,
                                         .finish = cu_finish};
