/* An OpenCL library for tests: oclgrind's, but programs are translated on the way, since
 * oclgrind 21 reads the bitcode of LLVM 14 alone. Our SPIR goes through SPIR-V:
 *
 *   LLVM 19 bitcode --llvm-spirv-15--> SPIR-V --llvm-spirv-14 -r--> LLVM 14 bitcode
 *
 * The tools work in a folder of RACES_DIR. With RACES_PLANT=barriers every barrier is
 * taken out of the code before. With RACES_IL=1 the device says that it takes SPIR-V and
 * no SPIR. Everything but these functions is oclgrind's, which this library is linked
 * with and dlsym finds behind it. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  INVALID_BINARY = -42,
  DEVICE_EXTENSIONS = 0x1030,
  DEVICE_IL_VERSION = 0x105B
};

#define TO_SPIRV                                                               \
  "llvm-spirv-15 --opaque-pointers --spirv-max-version=1.2 now.bc -o now.spv"
#define FROM_SPIRV "llvm-spirv-14 -r now.spv -o out.bc"

static int
write_file(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f) return -1;
  size_t done = fwrite(bytes, 1, n, f);
  return fclose(f) || done != n ? -1 : 0;
}

static unsigned char *
read_file(const char *path, size_t *n_out) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END)) return NULL;
  long n = ftell(f);
  unsigned char *bytes = n > 0 ? malloc((size_t)n) : NULL;
  rewind(f);
  if (bytes && fread(bytes, 1, (size_t)n, f) != (size_t)n) abort();
  fclose(f);
  *n_out = (size_t)n;
  return bytes;
}

/* What oclgrind reads, made from file `in` of RACES_DIR by `tools`, which write out.bc;
 * NULL: a tool failed, and has said why. */
static unsigned char *
translated(const char *in, const void *bytes, size_t n, const char *tools,
           size_t *n_out) {
  char path[512], command[1024];
  const char *folder = getenv("RACES_DIR");
  if (!folder) return NULL;
  snprintf(command, sizeof command, "cd \"$RACES_DIR\" && %s", tools);
  snprintf(path, sizeof path, "%s/%s", folder, in);
  if (write_file(path, bytes, n) || system(command)) return NULL;
  snprintf(path, sizeof path, "%s/out.bc", folder);
  return read_file(path, n_out);
}

/* oclgrind's function of this name. */
static void *
real(const char *name) {
  void *f = dlsym(RTLD_NEXT, name);
  if (!f) abort();
  return f;
}

static void *
create(void *context, uint32_t n, void *const *devices, unsigned char *binary,
       size_t bytes, int32_t *each, int32_t *err) {
  void *(*make)(void *, uint32_t, void *const *, const size_t *,
                const unsigned char **, int32_t *, int32_t *);
  void *f = real("clCreateProgramWithBinary");
  *err = INVALID_BINARY;
  if (!binary) return NULL;
  memcpy(&make, &f, sizeof f);
  const unsigned char *one = binary;
  void *program = make(context, n, devices, &bytes, &one, each, err);
  free(binary);
  return program;
}

void *
clCreateProgramWithBinary(void *context, uint32_t n, void *const *devices,
                          const size_t *sizes, const unsigned char **binaries,
                          int32_t *each, int32_t *err) {
  const char *plant = getenv("RACES_PLANT");
  int barriers = plant && !strcmp(plant, "barriers");
  size_t bytes = 0;
  unsigned char *binary = translated(
      "in.bc", binaries[0], sizes[0],
      barriers ? "llvm-dis-19 -o - in.bc | sed '/call.*@_Z7barrierj/d' | "
                 "llvm-as-19 -o now.bc && " TO_SPIRV " && " FROM_SPIRV
               : "cp in.bc now.bc && " TO_SPIRV " && " FROM_SPIRV,
      &bytes);
  return create(context, n, devices, binary, bytes, each, err);
}

/* ---- RACES_IL: a device that takes SPIR-V alone ------------------------------ */

static void *device; /* there is one */

static void *
clCreateProgramWithILKHR(void *context, const void *il, size_t bytes,
                         int32_t *err) {
  int32_t each = 0;
  size_t n = 0;
  unsigned char *binary = translated("now.spv", il, bytes, FROM_SPIRV, &n);
  return create(context, 1, &device, binary, n, &each, err);
}

int32_t
clGetDeviceInfo(void *id, uint32_t what, size_t size, void *value,
                size_t *size_out) {
  int32_t (*info)(void *, uint32_t, size_t, void *, size_t *);
  void *f = real("clGetDeviceInfo");
  const char *text = what == DEVICE_EXTENSIONS ? "cl_khr_fp64 cl_khr_il_program"
                     : what == DEVICE_IL_VERSION ? "SPIR-V_1.2"
                                                 : NULL;
  memcpy(&info, &f, sizeof f);
  device = id;
  if (!getenv("RACES_IL") || !text)
    return info(id, what, size, value, size_out);
  if (size_out) *size_out = strlen(text) + 1;
  if (value) snprintf(value, size, "%s", text);
  return 0;
}

void *
clGetExtensionFunctionAddressForPlatform(void *platform, const char *name) {
  void *(*find)(void *, const char *), *f;
  void *(*il)(void *, const void *, size_t, int32_t *) =
      clCreateProgramWithILKHR;
  if (!strcmp(name, "clCreateProgramWithILKHR")) {
    memcpy(&f, &il, sizeof f);
    return f;
  }
  f = real("clGetExtensionFunctionAddressForPlatform");
  memcpy(&find, &f, sizeof f);
  return find(platform, name);
}
