/* Is a function of this name the C library's? Programs may have a y0 of their
 * own, in any file; compilers and linkers then take that one, and it may do
 * anything. So the address that the program's linker chose is compared with the
 * library's objects.
 *
 * A program that is not position independent has an entry of its own as the
 * address of each function of a library: a symbol that it does not define. */
#define _GNU_SOURCE 1 /* dladdr1 */
#include "lower/libm.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

static const char *const libm_files[] = {"libm.so.6", "libc.so.6"};

static const void *
libm_object(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static bool
libm_forwards(const char *name, const void *address) {
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
    return false;
  return info.dli_saddr == address && symbol->st_shndx == SHN_UNDEF &&
         !strcmp(info.dli_sname, name);
}

bool
low_libm_has(const char *name, const void *address) {
  if (!address) address = dlsym(RTLD_DEFAULT, name);
  if (!address) return false;
  const void *object = libm_object(address);
  bool forwards = libm_forwards(name, address);
  for (size_t k = 0; k < sizeof libm_files / sizeof *libm_files; k++) {
    void *library = dlopen(libm_files[k], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    const void *there = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
    if (there && (forwards || libm_object(there) == object)) return true;
  }
  return false;
}
