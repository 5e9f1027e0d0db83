/* OpenCL devices, through the ICD loader.
 *
 * The loader is opened when a program first asks for an OpenCL device; its
 * functions are found by name from dev_opencl.def, so that neither headers nor
 * the library are needed to build or to run without. Devices are numbered over
 * all platforms, in the loader's order. Code is SPIR (LLVM bitcode) where the
 * device says cl_khr_spir, else SPIR-V where it says that it takes that: by
 * OpenCL 2.1's function, or by that of cl_khr_il_program before.
 *
 * One in-order queue for each device: every command sees what stood before it.
 * Writes return when the host's memory may be changed. */
#include "base/arena.h"
#include "base/log.h"
#include "base/str.h"
#include "rt/device/device.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
  CL_PLATFORM_NAME = 0x0902,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_NAME = 0x102B,
  CL_DEVICE_EXTENSIONS = 0x1030,
  CL_DEVICE_PLATFORM = 0x1031,
  CL_DEVICE_IL_VERSION = 0x105B,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_MEM_READ_WRITE = 1,
  CL_QUEUE_PROFILING = 2,
  CL_PROFILING_START = 0x1282,
  CL_PROFILING_END = 0x1283
};
static const uint64_t all_types = 0xFFFFFFFF;
static const char library_name[] = "libOpenCL.so.1";

enum { DEVICES_MAX = 32, PLATFORMS_MAX = 16, ROWS_PER_UNIT = 1024 };

static struct {
  void *library;
#define CL_FN(result, name, parameters) result(*name) parameters;
#include "rt/device/dev_opencl.def"
#undef CL_FN
} cl;

/* Kernels and copies that are timed. */
struct cl_span {
  void **events;
  uint32_t n, cap;
};

/* clCreateProgramWithIL, under one of its names. */
typedef void *(*program_with_il)(void *context, const void *il, size_t bytes,
                                 int32_t *err);

struct cl_device {
  void *id, *context, *queue;
  program_with_il with_il; /* NULL: it takes SPIR */
  struct cl_span *span;    /* open */
};

static const char *
code_text(int32_t code) {
  static const struct {
    int32_t value;
    const char *text;
  } codes[] = {
#define CL_CODE(value, text) {value, text},
#include "rt/device/dev_opencl.def"
#undef CL_CODE
  };
  for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
    if (codes[k].value == code) return codes[k].text;
  return "error";
}

static status
failed(const struct rt_device *d, const char *what, int32_t code) {
  return err_set(ERR_DEVICE, "OpenCL device \"%s\": %s: %s (%d)", d->name, what,
                 code_text(code), code);
}

#define CL(d, call)                                                            \
  do {                                                                         \
    int32_t code_ = cl.call;                                                   \
    if (code_) return failed(d, #call, code_);                                 \
  } while (0)

/* ---- opening ------------------------------------------------------------- */

static status
library_open(void) {
  static const struct {
    const char *name;
    size_t at;
  } functions[] = {
#define CL_FN(result, name, parameters)                                        \
  {#name, (size_t)((char *)&cl.name - (char *)&cl)},
#include "rt/device/dev_opencl.def"
#undef CL_FN
  };
  if (cl.library) return OK;
  void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    FAIL(ERR_TARGET, "target opencl: looked for %s, found none: %s",
         library_name, dlerror());
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    void *f = dlsym(library, functions[k].name);
    if (!f) {
      dlclose(library);
      FAIL(ERR_TARGET, "target opencl: %s has no %s", library_name,
           functions[k].name);
    }
    memcpy((char *)&cl + functions[k].at, &f, sizeof f);
  }
  cl.library = library; /* stays open: drivers don't like to be unloaded */
  return OK;
}

struct found {
  void *ids[DEVICES_MAX];
  uint32_t n;
  struct str names; /* "0: pthread-..., 1: ..." */
};

static void
find_of_platform(void *platform, struct found *f) {
  uint32_t n = 0;
  if (cl.clGetDeviceIDs(platform, all_types, DEVICES_MAX - f->n, f->ids + f->n,
                        &n))
    return;
  if (n > DEVICES_MAX - f->n) n = DEVICES_MAX - f->n;
  for (uint32_t k = 0; k < n; k++) {
    char name[128] = "?";
    cl.clGetDeviceInfo(f->ids[f->n + k], CL_DEVICE_NAME, sizeof name, name,
                       NULL);
    name[sizeof name - 1] = 0;
    str_printf(&f->names, "%s%u: %s", f->n + k ? ", " : "", f->n + k, name);
  }
  f->n += n;
}

static void
find_devices(struct found *f) {
  void *platforms[PLATFORMS_MAX];
  uint32_t n = 0;
  if (cl.clGetPlatformIDs(PLATFORMS_MAX, platforms, &n)) n = 0;
  if (n > PLATFORMS_MAX) n = PLATFORMS_MAX;
  for (uint32_t k = 0; k < n; k++) find_of_platform(platforms[k], f);
}

static status
cl_count(int *out) {
  struct found f = {.names = STR_INIT};
  TRY(library_open());
  find_devices(&f);
  *out = (int)f.n;
  str_clear(&f.names);
  return OK;
}

static status
choose(struct rt_device *d, void **id_out) {
  struct found f = {.names = STR_INIT};
  find_devices(&f);
  status st = OK;
  if ((uint32_t)d->target.number >= f.n)
    st = err_set(ERR_TARGET,
                 "target opencl:%d: looked for device %d of %s, found %s",
                 d->target.number, d->target.number, library_name,
                 f.n ? f.names.s : "no devices");
  else
    *id_out = f.ids[d->target.number];
  str_clear(&f.names);
  return st;
}

/* What the device takes SPIR-V by; NULL: it does not. */
static program_with_il
find_il(void *id, const char *extensions) {
  char version[256] = "";
  void *platform = NULL, *f = NULL;
  program_with_il found;
  if (cl.clGetDeviceInfo(id, CL_DEVICE_IL_VERSION, sizeof version - 1, version,
                         NULL) ||
      !strstr(version, "SPIR-V_1."))
    return NULL;
  if (!strstr(extensions, "cl_khr_il_program"))
    f = dlsym(cl.library, "clCreateProgramWithIL");
  else if (!cl.clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform,
                               &platform, NULL))
    f = cl.clGetExtensionFunctionAddressForPlatform(platform,
                                                    "clCreateProgramWithILKHR");
  memcpy(&found, &f, sizeof found);
  return found;
}

/* How code gets there. */
static status
choose_code(struct rt_device *d, const char *extensions) {
  struct cl_device *x = d->driver_data;
  bool spir = strstr(extensions, "cl_khr_spir") != NULL;
  x->with_il = spir ? NULL : find_il(x->id, extensions);
  d->code_kind = spir ? RT_CODE_SPIR : RT_CODE_SPIRV;
  if ((spir || x->with_il) && strstr(extensions, "cl_khr_fp64")) return OK;
  FAIL(ERR_TARGET,
       "target opencl:%d: device \"%s\" needs cl_khr_fp64, and cl_khr_spir or "
       "SPIR-V 1.x, it has %s",
       d->target.number, d->name, extensions);
}

static status
read_facts(struct rt_device *d, void *id) {
  char extensions[8192] = "";
  size_t group = 0;
  uint32_t units = 1;
  CL(d, clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof d->name, d->name, NULL));
  d->name[sizeof d->name - 1] = 0;
  CL(d, clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions,
                        NULL));
  CL(d, clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group,
                        NULL));
  CL(d, clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units,
                        NULL));
  TRY(choose_code(d, extensions));
  uint64_t local = 0;
  CL(d,
     clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
  d->local = (size_t)local;
  d->group = group < RT_DEVICE_GROUP ? (uint32_t)group : RT_DEVICE_GROUP;
  d->rows = units * ROWS_PER_UNIT / d->group * d->group;
  if (d->rows < d->group) d->rows = d->group;
  return OK;
}

static void
cl_close(struct rt_device *d) {
  struct cl_device *x = d->driver_data;
  if (x->queue) cl.clFinish(x->queue);
  if (x->queue) cl.clReleaseCommandQueue(x->queue);
  if (x->context) cl.clReleaseContext(x->context);
  free(x);
}

static status
cl_open_id(struct rt_device *d, struct cl_device *x) {
  int32_t code = 0;
  TRY(choose(d, &x->id));
  TRY(read_facts(d, x->id));
  x->context = cl.clCreateContext(NULL, 1, &x->id, NULL, NULL, &code);
  if (!x->context) return failed(d, "clCreateContext", code);
  x->queue = cl.clCreateCommandQueue(
      x->context, x->id, rt_device_times ? CL_QUEUE_PROFILING : 0, &code);
  if (!x->queue) return failed(d, "clCreateCommandQueue", code);
  LOG_INFO("OpenCL device %d: %s", d->target.number, d->name);
  return OK;
}

static status
cl_open(struct rt_device *d) {
  TRY(library_open());
  d->driver_data = mem_alloc(1, sizeof(struct cl_device));
  status st = cl_open_id(d, d->driver_data);
  if (st != OK) cl_close(d);
  return st;
}

/* ---- memory -------------------------------------------------------------- */

static void *
queue_of(const struct rt_device *d) {
  return ((struct cl_device *)d->driver_data)->queue;
}

static status
cl_mem_new(struct rt_device *d, size_t bytes, void **out) {
  struct cl_device *x = d->driver_data;
  int32_t code = 0;
  *out = cl.clCreateBuffer(x->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  if (!*out)
    FAIL(ERR_MEMORY, "OpenCL device \"%s\": no memory for %zu bytes: %s (%d)",
         d->name, bytes, code_text(code), code);
  return OK;
}

static void
cl_mem_free(struct rt_device *d, void *mem) {
  (void)d;
  cl.clReleaseMemObject(mem);
}

static status
cl_write(struct rt_device *d, void *to, const void *from, size_t bytes) {
  CL(d,
     clEnqueueWriteBuffer(queue_of(d), to, 1, 0, bytes, from, 0, NULL, NULL));
  return OK;
}

static status
cl_read(struct rt_device *d, void *to, void *from, size_t bytes) {
  CL(d, clEnqueueReadBuffer(queue_of(d), from, 1, 0, bytes, to, 0, NULL, NULL));
  return OK;
}

static status
cl_read_start(struct rt_device *d, void *to, void *from, size_t bytes) {
  CL(d, clEnqueueReadBuffer(queue_of(d), from, 0, 0, bytes, to, 0, NULL, NULL));
  return OK;
}

/* An open span takes the events of what is given. */
static void **
event_wanted(const struct rt_device *d, void **event) {
  struct cl_device *x = d->driver_data;
  return x->span ? event : NULL;
}

static void
event_note(const struct rt_device *d, void *event) {
  struct cl_span *s = ((struct cl_device *)d->driver_data)->span;
  if (s) VEC_PUSH(s->events, s->n, s->cap, event);
}

static status
cl_copy(struct rt_device *d, void *to, void *from, size_t bytes) {
  void *event = NULL;
  CL(d, clEnqueueCopyBuffer(queue_of(d), from, to, 0, 0, bytes, 0, NULL,
                            event_wanted(d, &event)));
  event_note(d, event);
  return OK;
}

static status
cl_zero(struct rt_device *d, void *mem, size_t bytes) {
  static const unsigned char zero;
  void *event = NULL;
  CL(d, clEnqueueFillBuffer(queue_of(d), mem, &zero, sizeof zero, 0, bytes, 0,
                            NULL, event_wanted(d, &event)));
  event_note(d, event);
  return OK;
}

/* ---- code ---------------------------------------------------------------- */

static status
build_failed(struct rt_device *d, void *program, int32_t code) {
  struct cl_device *x = d->driver_data;
  char log[2048] = "";
  cl.clGetProgramBuildInfo(program, x->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1,
                           log, NULL);
  return err_set(ERR_COMPILE,
                 "OpenCL device \"%s\" does not take the code: %s "
                 "(%d): %s",
                 d->name, code_text(code), code, log);
}

static status
create_program(struct rt_device *d, const void *code, size_t bytes,
               void **out) {
  struct cl_device *x = d->driver_data;
  const unsigned char *binary = code;
  int32_t each = 0, rc = 0;
  if (x->with_il) {
    *out = x->with_il(x->context, code, bytes, &rc);
    return *out && !rc ? OK : failed(d, "clCreateProgramWithIL", rc);
  }
  *out = cl.clCreateProgramWithBinary(x->context, 1, &x->id, &bytes, &binary,
                                      &each, &rc);
  return *out && !rc && !each ? OK : failed(d, "clCreateProgramWithBinary", rc);
}

static status
cl_code_new(struct rt_device *d, const void *code, size_t bytes, void **out) {
  struct cl_device *x = d->driver_data;
  const char *options = x->with_il ? "" : "-x spir -spir-std=1.2";
  TRY(create_program(d, code, bytes, out));
  int32_t rc = cl.clBuildProgram(*out, 1, &x->id, options, NULL, NULL);
  if (!rc) return OK;
  status st = build_failed(d, *out, rc);
  cl.clReleaseProgram(*out);
  *out = NULL;
  return st;
}

static void
cl_code_free(struct rt_device *d, void *code) {
  (void)d;
  cl.clReleaseProgram(code);
}

static status
cl_kernel_new(struct rt_device *d, void *code, const char *name, void **out) {
  int32_t rc = 0;
  *out = cl.clCreateKernel(code, name, &rc);
  return *out ? OK : failed(d, name, rc);
}

static void
cl_kernel_free(struct rt_device *d, void *kernel) {
  (void)d;
  cl.clReleaseKernel(kernel);
}

static status
cl_launch(struct rt_device *d, void *kernel, const struct rt_dev_arg *args,
          uint32_t nargs, size_t items, size_t group) {
  for (uint32_t k = 0; k < nargs; k++) {
    if (args[k].local)
      CL(d, clSetKernelArg(kernel, k, args[k].local, NULL));
    else if (args[k].mem)
      CL(d, clSetKernelArg(kernel, k, sizeof(void *), &args[k].mem));
    else
      CL(d, clSetKernelArg(kernel, k, sizeof args[k].word, &args[k].word));
  }
  void *event = NULL;
  CL(d, clEnqueueNDRangeKernel(queue_of(d), kernel, 1, NULL, &items, &group, 0,
                               NULL, event_wanted(d, &event)));
  event_note(d, event);
  CL(d, clFlush(queue_of(d)));
  return OK;
}

static status
cl_finish(struct rt_device *d) {
  CL(d, clFinish(queue_of(d)));
  return OK;
}

/* ---- times --------------------------------------------------------------- */

static status
cl_span_begin(struct rt_device *d, void **out) {
  struct cl_device *x = d->driver_data;
  *out = x->span = mem_alloc(1, sizeof *x->span);
  return OK;
}

static status
cl_span_end(struct rt_device *d, void *span) {
  struct cl_device *x = d->driver_data;
  assert(x->span == span);
  (void)span;
  x->span = NULL;
  return OK;
}

static status
event_seconds(const struct rt_device *d, void *event, double *sum) {
  uint64_t from = 0, to = 0;
  CL(d, clGetEventProfilingInfo(event, CL_PROFILING_START, sizeof from, &from,
                                NULL));
  CL(d, clGetEventProfilingInfo(event, CL_PROFILING_END, sizeof to, &to, NULL));
  *sum += (double)(to - from) * 1e-9;
  return OK;
}

static status
cl_span_take(struct rt_device *d, void *span, double *seconds_out) {
  struct cl_span *s = span;
  status st = OK;
  *seconds_out = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    if (st == OK) st = event_seconds(d, s->events[k], seconds_out);
    cl.clReleaseEvent(s->events[k]);
  }
  free(s->events);
  free(s);
  return st;
}

const struct rt_driver rt_driver_opencl = {.count = cl_count,
                                           .open = cl_open,
                                           .close = cl_close,
                                           .mem_new = cl_mem_new,
                                           .mem_free = cl_mem_free,
                                           .write = cl_write,
                                           .read = cl_read,
                                           .read_start = cl_read_start,
                                           .copy = cl_copy,
                                           .zero = cl_zero,
                                           .code_new = cl_code_new,
                                           .code_free = cl_code_free,
                                           .kernel_new = cl_kernel_new,
                                           .kernel_free = cl_kernel_free,
                                           .launch = cl_launch,
                                           .finish = cl_finish,
                                           .span_begin = cl_span_begin,
                                           .span_end = cl_span_end,
                                           .span_take = cl_span_take};
