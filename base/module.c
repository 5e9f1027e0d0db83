#define _GNU_SOURCE 1 /* dl_iterate_phdr */
#include "base/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file that this code came from; "": not known. A program that the shell
 * found on PATH is known to the loader by its bare name: the kernel has its
 * path. */
static const char *
own_file(void) {
  static const char here; /* a place in this file */
  Dl_info info;
  if (!dladdr(&here, &info) || !info.dli_fname) return "";
  if (strchr(info.dli_fname, '/')) return info.dli_fname;
  const char *started = (const char *)getauxval(AT_EXECFN);
  return started ? started : "";
}

/* The library has its parts beside it; so have tools in a build. Tools that are
 * installed lie in another folder of the same prefix. */
void
module_path(const char *name, struct str *out) {
  const char *file = own_file(), *slash = strrchr(file, '/');
  size_t folder = slash ? (size_t)(slash + 1 - file) : 0;
  str_addn(out, file, folder);
  str_add(out, name);
  if (!access(out->s, F_OK)) return;
  SCOPED_STR other = STR_INIT;
  str_printf(&other, "%.*s" OP2_BIN_TO_LIB "/%s", (int)folder, file, name);
  if (!access(other.s, F_OK)) {
    str_reset(out);
    str_add(out, other.s);
  }
}

static const void *
table_of(void *handle, const char *path, const char *symbol, struct str *why) {
  const void *table = dlsym(handle, symbol);
  const char *version = table ? *(const char *const *)table : "(none)";
  if (table && !strcmp(version, OP2_VERSION)) return table;
  str_printf(why, "%s is of version %s, the library of " OP2_VERSION, path,
             version);
  return NULL;
}

/* The loader does not say why it could not map a file: could another be? */
static bool
has_room(void) {
  enum { LARGE = 256 << 20 }; /* the compiler with what it needs */
  void *p = mmap(NULL, LARGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  munmap(p, LARGE);
  return true;
}

static const void *
open_as(int mode, const char *name, const char *symbol, struct str *why) {
  SCOPED_STR path = STR_INIT;
  module_path(name, &path);
  void *handle = dlopen(path.s, mode);
  int trouble = handle || has_room() ? 0 : ENOMEM;
  const void *table = handle ? table_of(handle, path.s, symbol, why) : NULL;
  if (!handle) str_add(why, dlerror());
  if (handle && !table) dlclose(handle);
  errno = trouble;
  return table;
}

const void *
module_open(const char *name, const char *symbol, struct str *why) {
  return open_as(RTLD_NOW | RTLD_LOCAL, name, symbol, why);
}

const void *
module_open_global(const char *name, const char *symbol, struct str *why) {
  return open_as(RTLD_NOW | RTLD_GLOBAL, name, symbol, why);
}

/* The program's file comes first. */
static int
find_constant(struct dl_phdr_info *file, size_t size, void *address) {
  (void)size;
  for (int k = 0; k < file->dlpi_phnum; k++) {
    const ElfW(Phdr) *segment = &file->dlpi_phdr[k];
    uintptr_t at = *(uintptr_t *)address - file->dlpi_addr - segment->p_vaddr;
    if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W) &&
        at < segment->p_memsz)
      return 1;
  }
  return -1;
}

bool
module_constant(const void *address) {
  uintptr_t at = (uintptr_t)address;
  return dl_iterate_phdr(find_constant, &at) == 1;
}
