/* NVIDIA GPUs, through the CUDA driver.
 *
 * The driver's library is opened when a program first asks for a CUDA device;
 * its functions are found by name from dev_cuda.def. Code is PTX, which the
 * driver finishes for the card at hand.
 *
 * One stream for each device: every command sees what stood before it. Copies
 * go through a ring of pinned memory, so that they run while the host goes on:
 * what `write` is given has been copied when it returns. A ring that is full
 * waits for the stream. A word of the API is 64 bits wide, as device addresses
 * are.
 *
 * In a batch commands are kept back until one waits: dev_cuda_graph.c. */
#include "rt/device/dev_cuda.h"

#include "base/arena.h"
#include "base/log.h"

#include <assert.h>
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
  ROWS_PER_MULTIPROCESSOR = 4096, /* two times as many as run at once */
  RING_BYTES = 16 << 20,
  RING_ALIGN = 256,
  NEWEST =
      90, /* LLVM 19 knows no later architecture; drivers take it for them */
  OLDEST = 60 /* atomic sums of doubles */
};

static const char library_name[] = "libcuda.so.1";

struct cu_functions cu;

static const char *
code_text(int code) {
  const char *text = NULL;
  if (cu.cuGetErrorString(code, &text) || !text) return "error";
  return text;
}

status
cu_failed(const struct rt_device *d, const char *what, int code) {
  return err_set(code == CU_OUT_OF_MEMORY ? ERR_MEMORY : ERR_DEVICE,
                 "CUDA device %d \"%s\": %s: %s (%d)", d->target.number,
                 d->name, what, code_text(code), code);
}

/* ---- opening ------------------------------------------------------------- */

struct function {
  const char *symbol;
  size_t at;
  bool graphs; /* older drivers lack it */
};

/* Those of graphs: all or none. */
static status
find_functions(void *library, const struct function *f, size_t n) {
  cu.graphs = true;
  for (size_t k = 0; k < n; k++) {
    void *at = dlsym(library, f[k].symbol);
    if (!at && !f[k].graphs)
      FAIL(ERR_TARGET, "target cuda: %s has no %s", library_name, f[k].symbol);
    if (!at && cu.graphs)
      LOG_INFO("%s has no %s: no CUDA graphs", library_name, f[k].symbol);
    cu.graphs = cu.graphs && at;
    memcpy((char *)&cu + f[k].at, &at, sizeof at);
  }
  return OK;
}

static status
library_open(void) {
  static const struct function functions[] = {
#define CU_FN(name, symbol, parameters)                                        \
  {symbol, offsetof(struct cu_functions, name), false},
#define CU_GRAPH_FN(name, symbol, parameters)                                  \
  {symbol, offsetof(struct cu_functions, name), true},
#include "rt/device/dev_cuda.def"
#undef CU_FN
#undef CU_GRAPH_FN
  };
  if (cu.library) return OK;
  void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    FAIL(ERR_TARGET, "target cuda: looked for %s, found none: %s", library_name,
         dlerror());
  status st =
      find_functions(library, functions, sizeof functions / sizeof *functions);
  if (st != OK) {
    dlclose(library);
    return st;
  }
  cu.library = library; /* stays open */
  return OK;
}

static status
cu_count(int *out) {
  TRY(library_open());
  int code = cu.cuInit(0);
  if (!code) code = cu.cuDeviceGetCount(out);
  if (code)
    FAIL(ERR_TARGET, "target cuda: found %s, but it does not start: %s (%d)",
         library_name, code_text(code), code);
  return OK;
}

static status
choose(struct rt_device *d, int *device_out) {
  int n = 0, number = d->target.number;
  TRY(cu_count(&n));
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
  d->group = RT_DEVICE_GROUP;
  d->local = (size_t)shared;
  d->rows = (uint32_t)units * ROWS_PER_MULTIPROCESSOR;
  return OK;
}

static void
cu_close(struct rt_device *d) {
  struct cu_device *x = cu_of(d);
  if (x->stream) cu.cuStreamSynchronize(x->stream);
  cu_graphs_close(d);
  for (uint32_t k = 0; k < x->nevents; k++) cu.cuEventDestroy(x->events[k]);
  free(x->events);
  free(x->reads);
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
  d->driver_data = mem_alloc(1, sizeof(struct cu_device));
  status st = open_device(d, d->driver_data);
  if (st != OK) cu_close(d);
  return st;
}

/* The calls that follow are about this device. */
static status
enter(const struct rt_device *d) {
  CU(d, cuCtxSetCurrent(cu_of(d)->context));
  return OK;
}

/* ---- memory -------------------------------------------------------------- */

static status
cu_finish(struct rt_device *d) {
  struct cu_device *x = cu_of(d);
  uint32_t nreads = x->nreads;
  x->nreads = 0; /* none comes of one that fails */
  TRY(enter(d));
  TRY(cu_give(d));
  CU(d, cuStreamSynchronize(x->stream));
  for (uint32_t k = 0; k < nreads; k++)
    memcpy(x->reads[k].to, x->reads[k].room, x->reads[k].bytes);
  x->used = 0;
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
  assert(!cu_of(d)->kept.n); /* nothing is freed in a batch */
  if (enter(d) == OK) cu.cuMemFree(mem);
}

/* Room for up to `bytes` in the ring; *bytes: how many it is. */
static status
ring_take(struct rt_device *d, size_t *bytes, char **out) {
  struct cu_device *x = cu_of(d);
  if (*bytes > RING_BYTES) *bytes = RING_BYTES;
  if (x->used + *bytes > RING_BYTES) TRY(cu_finish(d));
  *out = x->ring + x->used;
  x->used += round_up(*bytes, RING_ALIGN);
  if (x->used > RING_BYTES) x->used = RING_BYTES;
  return OK;
}

/* ---- commands ------------------------------------------------------------ */

static status
run_kernel(struct rt_device *d, const struct cu_command *c, const int64_t *w) {
  void *args[CU_ARGS_MAX];
  for (uint32_t k = CU_LAUNCH_WORDS; k < c->nwords; k++)
    args[k - CU_LAUNCH_WORDS] = (void *)(uintptr_t)&w[k];
  CU(d, cuLaunchKernel(c->function, (unsigned)w[0], 1, 1, (unsigned)w[1], 1, 1,
                       (unsigned)w[2], cu_of(d)->stream, args, NULL));
  return OK;
}

status
cu_run(struct rt_device *d, const struct cu_command *c, const int64_t *w) {
  void *at = (void *)(uintptr_t)w[0], *stream = cu_of(d)->stream;
  bool copies = c->kind == CU_UP || c->kind == CU_COPY;
  void *from = copies ? (void *)(uintptr_t)w[1] : NULL;
  switch (c->kind) {
  case CU_KERNEL: return run_kernel(d, c, w);
  case CU_UP: CU(d, cuMemcpyHtoDAsync(at, from, (size_t)w[2], stream)); break;
  case CU_COPY: CU(d, cuMemcpyDtoDAsync(at, from, (size_t)w[2], stream)); break;
  case CU_ZERO: CU(d, cuMemsetD8Async(at, 0, (size_t)w[1], stream)); break;
  case CU_EVENT: CU(d, cuEventRecord(at, stream)); break;
  }
  return OK;
}

/* Now, or in its turn when the batch is given. */
static status
command(struct rt_device *d, struct cu_command c, const int64_t *words) {
  return cu_of(d)->batch ? cu_keep(d, &c, words) : cu_run(d, &c, words);
}

static status
copy_command(struct rt_device *d, enum cu_kind kind, void *to, const void *from,
             size_t bytes) {
  int64_t words[] = {(int64_t)(uintptr_t)to, (int64_t)(uintptr_t)from,
                     (int64_t)bytes};
  return command(d, (struct cu_command){.kind = kind, .nwords = 3}, words);
}

static status
cu_batch_begin(struct rt_device *d) {
  cu_of(d)->batch = cu.graphs && rt_cuda_graphs;
  return OK;
}

static status
cu_batch_end(struct rt_device *d) {
  cu_of(d)->batch = false;
  TRY(enter(d));
  return cu_give(d);
}

/* ---- copies -------------------------------------------------------------- */

static status
cu_write(struct rt_device *d, void *to, const void *from, size_t bytes) {
  TRY(enter(d));
  for (size_t at = 0, n; at < bytes; at += n) {
    char *room;
    n = bytes - at;
    TRY(ring_take(d, &n, &room));
    memcpy(room, (const char *)from + at, n);
    TRY(copy_command(d, CU_UP, (char *)to + at, room, n));
  }
  return OK;
}

static status
cu_read_start(struct rt_device *d, void *to, void *from, size_t bytes) {
  struct cu_device *x = cu_of(d);
  TRY(enter(d));
  for (size_t at = 0, n; at < bytes; at += n) {
    char *room;
    n = bytes - at;
    TRY(ring_take(d, &n, &room));
    TRY(cu_give(d));
    CU(d, cuMemcpyDtoHAsync(room, (char *)from + at, n, x->stream));
    struct cu_read r = {(char *)to + at, room, n};
    VEC_PUSH(x->reads, x->nreads, x->reads_cap, r);
  }
  return OK;
}

static status
cu_read(struct rt_device *d, void *to, void *from, size_t bytes) {
  TRY(cu_read_start(d, to, from, bytes));
  return cu_finish(d);
}

static status
cu_copy(struct rt_device *d, void *to, void *from, size_t bytes) {
  TRY(enter(d));
  return copy_command(d, CU_COPY, to, from, bytes);
}

static status
cu_zero(struct rt_device *d, void *mem, size_t bytes) {
  int64_t words[] = {(int64_t)(uintptr_t)mem, (int64_t)bytes};
  TRY(enter(d));
  return command(d, (struct cu_command){.kind = CU_ZERO, .nwords = 2}, words);
}

/* ---- code ---------------------------------------------------------------- */

static status
cu_code_new(struct rt_device *d, const void *code, size_t bytes, void **out) {
  char log[2048] = "";
  int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  TRY(enter(d));
  SCOPED char *text = mem_alloc(bytes + 1, 1); /* PTX ends with a zero */
  memcpy(text, code, bytes);
  int rc = cu.cuModuleLoadDataEx(out, text, 2, options, values);
  if (rc)
    FAIL(ERR_COMPILE, "CUDA device \"%s\" does not take the code: %s (%d): %s",
         d->name, code_text(rc), rc, log);
  return OK;
}

static void
cu_code_free(struct rt_device *d, void *code) {
  if (enter(d) != OK) return;
  cu_graphs_drop(d);
  cu.cuModuleUnload(code);
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

static status
cu_launch(struct rt_device *d, void *kernel, const struct rt_dev_arg *args,
          uint32_t nargs, size_t items, size_t group) {
  if (nargs > CU_ARGS_MAX)
    FAIL(ERR_DEVICE, "CUDA device \"%s\": %u parameters, at most %d fit",
         d->name, nargs, CU_ARGS_MAX);
  TRY(enter(d));
  /* room in local memory is no parameter here, but of the launch */
  size_t local = nargs ? args[nargs - 1].local : 0;
  if (local) nargs--;
  int64_t words[CU_LAUNCH_WORDS + CU_ARGS_MAX];
  words[0] = (int64_t)(items / group);
  words[1] = (int64_t)group;
  words[2] = (int64_t)local;
  for (uint32_t k = 0; k < nargs; k++)
    words[CU_LAUNCH_WORDS + k] =
        args[k].mem ? (int64_t)(uintptr_t)args[k].mem : args[k].word;
  return command(d,
                 (struct cu_command){.kind = CU_KERNEL,
                                     .function = kernel,
                                     .nwords = CU_LAUNCH_WORDS + nargs},
                 words);
}

/* ---- times --------------------------------------------------------------- */

struct cu_span {
  void *from, *to;
};

static status
event_new(struct rt_device *d, void **out) {
  struct cu_device *x = cu_of(d);
  if (x->nevents)
    *out = x->events[--x->nevents];
  else
    CU(d, cuEventCreate(out, 0));
  return OK;
}

static void
event_give_back(struct cu_device *x, void *event) {
  if (event) VEC_PUSH(x->events, x->nevents, x->events_cap, event);
}

static status
event_record(struct rt_device *d, void **out) {
  TRY(enter(d));
  TRY(event_new(d, out));
  int64_t word = (int64_t)(uintptr_t)*out;
  return command(d, (struct cu_command){.kind = CU_EVENT, .nwords = 1}, &word);
}

static status
cu_span_begin(struct rt_device *d, void **out) {
  struct cu_span *s = mem_alloc(1, sizeof *s);
  status st = event_record(d, &s->from);
  if (st == OK) {
    *out = s;
    return OK;
  }
  event_give_back(cu_of(d), s->from);
  free(s);
  return st;
}

static status
cu_span_end(struct rt_device *d, void *span) {
  return event_record(d, &((struct cu_span *)span)->to);
}

static status
span_seconds(struct rt_device *d, const struct cu_span *s, double *out) {
  float milliseconds = 0;
  TRY(enter(d));
  CU(d, cuEventElapsedTime(&milliseconds, s->from, s->to));
  *out = (double)milliseconds * 1e-3;
  return OK;
}

static status
cu_span_take(struct rt_device *d, void *span, double *seconds_out) {
  struct cu_span *s = span;
  status st = span_seconds(d, s, seconds_out);
  event_give_back(cu_of(d), s->from);
  event_give_back(cu_of(d), s->to);
  free(s);
  return st;
}

const struct rt_driver rt_driver_cuda = {.count = cu_count,
                                         .open = cu_open,
                                         .close = cu_close,
                                         .mem_new = cu_mem_new,
                                         .mem_free = cu_mem_free,
                                         .write = cu_write,
                                         .read = cu_read,
                                         .read_start = cu_read_start,
                                         .copy = cu_copy,
                                         .zero = cu_zero,
                                         .code_new = cu_code_new,
                                         .code_free = cu_code_free,
                                         .kernel_new = cu_kernel_new,
                                         .kernel_free = cu_kernel_free,
                                         .launch = cu_launch,
                                         .finish = cu_finish,
                                         .batch_begin = cu_batch_begin,
                                         .batch_end = cu_batch_end,
                                         .span_begin = cu_span_begin,
                                         .span_end = cu_span_end,
                                         .span_take = cu_span_take};
