/* An OpenCL library for tests: oclgrind's, but programs are translated on the way, since
 * oclgrind 21 reads the bitcode of LLVM 14 alone. Our SPIR goes through SPIR-V:
 *
 *   LLVM 19 bitcode --llvm-spirv-15--> SPIR-V --llvm-spirv-14 -r--> LLVM 14 bitcode
 *
 * The tools work in a folder of RACES_DIR. With RACES_PLANT=barriers every barrier is
 * taken out of the code before. Everything but this one function is oclgrind's, which
 * this library is linked with and dlsym finds behind it. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_BINARY = -42 };

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

/* Bitcode as oclgrind reads it; NULL: a tool failed, and has said why. */
static unsigned char *
translated(const void *bytes, size_t n, size_t *n_out) {
  char path[512], command[1024];
  const char *folder = getenv("RACES_DIR"), *plant = getenv("RACES_PLANT");
  if (!folder) return NULL;
  snprintf(command, sizeof command,
           "cd \"$RACES_DIR\" && %s && "
           "llvm-spirv-15 --opaque-pointers --spirv-max-version=1.2 now.bc -o "
           "now.spv && llvm-spirv-14 -r now.spv -o out.bc",
           plant && !strcmp(plant, "barriers")
               ? "llvm-dis-19 -o - in.bc | sed '/call.*@_Z7barrierj/d' | "
                 "llvm-as-19 -o now.bc"
               : "cp in.bc now.bc");
  snprintf(path, sizeof path, "%s/in.bc", folder);
  if (write_file(path, bytes, n) || system(command)) return NULL;
  snprintf(path, sizeof path, "%s/out.bc", folder);
  return read_file(path, n_out);
}

void *
clCreateProgramWithBinary(void *context, uint32_t n, void *const *devices,
                          const size_t *sizes, const unsigned char **binaries,
                          int32_t *each, int32_t *err) {
  void *(*real)(void *, uint32_t, void *const *, const size_t *,
                const unsigned char **, int32_t *, int32_t *);
  void *f = dlsym(RTLD_NEXT, "clCreateProgramWithBinary");
  size_t bytes = 0;
  unsigned char *binary = translated(binaries[0], sizes[0], &bytes);
  *err = INVALID_BINARY;
  if (!f || !binary) return NULL;
  memcpy(&real, &f, sizeof f);
  const unsigned char *one = binary;
  void *program = real(context, n, devices, &bytes, &one, each, err);
  free(binary);
  return program;
}
