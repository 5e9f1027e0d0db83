/* Loads and unloads shared.so (argv[1]). */
#include "registry.h"

#include <dlfcn.h>
#include <string.h>

int
main(int argc, char **argv) {
  if (argc != 2 || registry_blobs() != 0) return 1;
  void *so = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!so) return 2;
  const void *(*kernel)(void);
  void *symbol = dlsym(so, "shared_kernel");
  memcpy(&kernel, &symbol, sizeof kernel);
  if (registry_blobs() != 1) return 3;
  if (strcmp(registry_name(kernel()), "weigh")) return 4;
  dlclose(so);
  return registry_blobs() == 0 ? 0 : 5;
}
