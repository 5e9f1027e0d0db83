/* facts cuda|opencl: one JSON line about the machine's first device, among it what a
 * copy inside its memory reaches, counting bytes read and bytes written, against which
 * regions are measured. The drivers' functions are found by name: nothing of them is
 * needed to build. Ends with 1 where there is no device or a call fails. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  COPY_BYTES = 1 << 29,
  HOST_BYTES = 1 << 27,
  TIMES = 20,
  LAUNCHES = 2000
};

static void *library;

static void *
function(const char *name) {
  void *at = dlsym(library, name);
  if (at) return at;
  printf("{\"kind\": \"facts\", \"ok\": 0, \"why\": \"no %s\"}\n", name);
  exit(1);
}

static void
must(int code, const char *what) {
  if (!code) return;
  printf("{\"kind\": \"facts\", \"ok\": 0, \"why\": \"%s: %d\"}\n", what, code);
  exit(1);
}

static double
seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes read and written by one copy, over its time: GB/s */
static double
rate(double bytes, double since) {
  double took = (seconds() - since) / TIMES;
  return took > 0 ? bytes / took * 1e-9 : 0;
}

/* ---- CUDA ---------------------------------------------------------------- */

static const char empty_kernel[] = ".version 6.0\n.target sm_60\n"
                                   ".address_size 64\n"
                                   ".visible .entry nothing() { ret; }\n";

#define CALL(name, types, ...)                                                 \
  must(((int(*) types)function(name))(__VA_ARGS__), name)

static int
attribute(int which, int device) {
  int value = 0;
  CALL("cuDeviceGetAttribute", (int *, int, int), &value, which, device);
  return value;
}

static void *stream;

static void
cuda_wait(void) {
  CALL("cuStreamSynchronize", (void *), stream);
}

static double
cuda_copy(void) {
  void *from, *to;
  CALL("cuMemAlloc_v2", (void **, size_t), &from, COPY_BYTES);
  CALL("cuMemAlloc_v2", (void **, size_t), &to, COPY_BYTES);
  double since = 0;
  for (int k = -2; k < TIMES; k++) {
    if (k == 0) cuda_wait(), since = seconds();
    CALL("cuMemcpyDtoDAsync_v2", (void *, void *, size_t, void *), to, from,
         COPY_BYTES, stream);
  }
  cuda_wait();
  double gb = rate(2.0 * COPY_BYTES, since);
  CALL("cuMemFree_v2", (void *), from);
  CALL("cuMemFree_v2", (void *), to);
  return gb;
}

static double
cuda_upload(void) {
  void *host, *to;
  CALL("cuMemHostAlloc", (void **, size_t, unsigned), &host, HOST_BYTES, 0);
  CALL("cuMemAlloc_v2", (void **, size_t), &to, HOST_BYTES);
  memset(host, 1, HOST_BYTES);
  double since = seconds();
  for (int k = 0; k < TIMES; k++)
    CALL("cuMemcpyHtoDAsync_v2", (void *, void *, size_t, void *), to, host,
         HOST_BYTES, stream);
  cuda_wait();
  double gb = rate(HOST_BYTES, since);
  CALL("cuMemFreeHost", (void *), host);
  CALL("cuMemFree_v2", (void *), to);
  return gb;
}

/* Microseconds from launch to launch of a kernel that does nothing */
static double
cuda_launch(void) {
  void *module, *kernel;
  CALL("cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **),
       &module, empty_kernel, 0, NULL, NULL);
  CALL("cuModuleGetFunction", (void **, void *, const char *), &kernel, module,
       "nothing");
  double since = 0;
  for (int k = -100; k < LAUNCHES; k++) {
    if (k == 0) cuda_wait(), since = seconds();
    CALL("cuLaunchKernel",
         (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
          unsigned, void *, void **, void **),
         kernel, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL);
  }
  cuda_wait();
  return (seconds() - since) / LAUNCHES * 1e6;
}

static void
cuda(void) {
  int device = 0, version = 0;
  char name[256] = "";
  void *context;
  CALL("cuInit", (unsigned), 0);
  CALL("cuDeviceGet", (int *, int), &device, 0);
  CALL("cuDeviceGetName", (char *, int, int), name, sizeof name, device);
  if (dlsym(library, "cuDriverGetVersion"))
    CALL("cuDriverGetVersion", (int *), &version);
  CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, device);
  CALL("cuCtxSetCurrent", (void *), context);
  CALL("cuStreamCreate", (void **, unsigned), &stream, 1);
  double copy = cuda_copy(), up = cuda_upload(), launch = cuda_launch();
  printf("{\"kind\": \"facts\", \"device\": \"%s\", \"driver\": %d, "
         "\"sm\": %d%d, \"multiprocessors\": %d, \"clock_khz\": %d, "
         "\"memory_clock_khz\": %d, \"bus_bits\": %d, \"l2_bytes\": %d, "
         "\"shared_per_block\": %d, "
         "\"copy_gb_per_s\": %.1f, \"upload_gb_per_s\": %.1f, "
         "\"launch_us\": %.2f}\n",
         name, version, attribute(75, device), attribute(76, device),
         attribute(16, device), attribute(13, device), attribute(36, device),
         attribute(37, device), attribute(38, device), attribute(8, device),
         copy, up, launch);
}

/* ---- OpenCL -------------------------------------------------------------- */

enum { CL_ANY = -1, CL_NAME = 0x102B };

static void
opencl(void) {
  void *platform = NULL, *device = NULL;
  char name[256] = "";
  int code = 0;
  CALL("clGetPlatformIDs", (unsigned, void **, void *), 1, &platform, NULL);
  CALL("clGetDeviceIDs",
       (void *, unsigned long long, unsigned, void **, void *), platform,
       0xFFFFFFFFULL, 1, &device, NULL);
  CALL("clGetDeviceInfo", (void *, int, size_t, void *, void *), device,
       CL_NAME, sizeof name, name, NULL);
  void *context =
      ((void *(*)(void *, unsigned, void **, void *, void *, int *))function(
          "clCreateContext"))(NULL, 1, &device, NULL, NULL, &code);
  must(code, "clCreateContext");
  void *queue = ((void *(*)(void *, void *, unsigned long long, int *))function(
      "clCreateCommandQueue"))(context, device, 0, &code);
  must(code, "clCreateCommandQueue");
  void *buffer[2];
  for (int k = 0; k < 2; k++) {
    buffer[k] =
        ((void *(*)(void *, unsigned long long, size_t, void *, int *))function(
            "clCreateBuffer"))(context, 1, HOST_BYTES, NULL, &code);
    must(code, "clCreateBuffer");
  }
  double since = 0;
  for (int k = -2; k < TIMES; k++) {
    if (k == 0) {
      CALL("clFinish", (void *), queue);
      since = seconds();
    }
    CALL("clEnqueueCopyBuffer",
         (void *, void *, void *, size_t, size_t, size_t, unsigned, void *,
          void *),
         queue, buffer[0], buffer[1], 0, 0, HOST_BYTES, 0, NULL, NULL);
  }
  CALL("clFinish", (void *), queue);
  printf("{\"kind\": \"facts\", \"device\": \"%s\", \"copy_gb_per_s\": %.1f}\n",
         name, rate(2.0 * HOST_BYTES, since));
}

int
main(int argc, char **argv) {
  int is_cuda = argc < 2 || strcmp(argv[1], "opencl") != 0;
  const char *file = is_cuda ? "libcuda.so.1" : "libOpenCL.so.1";
  library = dlopen(file, RTLD_NOW);
  if (!library) {
    printf("{\"kind\": \"facts\", \"ok\": 0, \"why\": \"no %s\"}\n", file);
    return 1;
  }
  if (is_cuda)
    cuda();
  else
    opencl();
  return 0;
}
