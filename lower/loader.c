/* Bring a relocatable object file into memory, without LLVM.
 *
 * Problem. The cache on disk holds what MCJIT compiled, as ELF files. LLVM's
 * own loader would mean to load LLVM, 20 ms, for code that is there.
 *
 * Idea. MCJIT compiles for the large code model: code and data reach each other
 * and the outside through full addresses only. So one kind of relocation is all
 * there is, an address in 64 bits:
 *
 *   sections that take memory      -> one mapping: code, constants, variables
 *   R_X86_64_64 at r_offset        -> value of the symbol + addend
 *   symbols that are not defined   -> the process, as MCJIT looks them up
 *
 * Anything else is refused, and the region is compiled again. Tables for
 * unwinding are left out: nothing throws through a region.
 *
 * cost  a few system calls, 30 us. */
#include "lower/loader.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__linux__)
#include "base/arena.h"

#include <assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Parts of the mapping by what may be done there. */
enum { LOAD_CODE, LOAD_CONST, LOAD_DATA, LOAD_PARTS };
static const int load_protection[LOAD_PARTS] = {
    PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};

struct load {
  const char *file;
  size_t n;
  Elf64_Ehdr head;
  const Elf64_Shdr *sections;
  const Elf64_Sym *symbols;
  const char *names; /* of symbols */
  uint32_t nsections, nsymbols;
  size_t names_bytes;
  size_t *at; /* of a section: offset in the mapping; SIZE_MAX: left out */
  size_t part[LOAD_PARTS + 1]; /* where each begins */
  char *base;
};

/* What releasing needs; at the start of the variables' part it would be in the
 * way, so it has memory of its own. */
struct load_map {
  char *base;
  size_t n;
  struct low_told *told; /* NULL: debuggers do not know of it */
};

static void
load_release(void *memory) {
  struct load_map *m = memory;
  assert(m->n > 0);
  if (m->told) low_debugger_forget(m->told);
  munmap(m->base, m->n);
  free(m);
}

static bool
load_holds(const struct load *l, uint64_t at, uint64_t n, size_t align) {
  assert(align && !(align & (align - 1)));
  return at <= l->n && n <= l->n - at && at % align == 0;
}

/* ---- reading ------------------------------------------------------------- */

static status
load_head(struct load *l) {
  if (l->n < sizeof l->head) FAIL(ERR_COMPILE, "no object file");
  memcpy(&l->head, l->file, sizeof l->head);
  const Elf64_Ehdr *h = &l->head;
  if (memcmp(h->e_ident, ELFMAG, SELFMAG) ||
      h->e_ident[EI_CLASS] != ELFCLASS64 ||
      h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL ||
      h->e_machine != EM_X86_64 || h->e_shentsize != sizeof(Elf64_Shdr))
    FAIL(ERR_COMPILE, "no object file of this machine");
  l->nsections = h->e_shnum;
  if (!load_holds(l, h->e_shoff, l->nsections * sizeof(Elf64_Shdr), 8))
    FAIL(ERR_COMPILE, "its table of sections is broken");
  l->sections = (const Elf64_Shdr *)(const void *)(l->file + h->e_shoff);
  return OK;
}

static status
load_symbols(struct load *l) {
  for (uint32_t k = 0; k < l->nsections; k++) {
    const Elf64_Shdr *s = &l->sections[k];
    if (s->sh_type != SHT_NOBITS && !load_holds(l, s->sh_offset, s->sh_size, 1))
      FAIL(ERR_COMPILE, "section %u lies outside", k);
    if (s->sh_type != SHT_SYMTAB) continue;
    if (s->sh_link >= l->nsections ||
        !load_holds(l, s->sh_offset, s->sh_size, 8))
      FAIL(ERR_COMPILE, "its table of symbols is broken");
    const Elf64_Shdr *names = &l->sections[s->sh_link];
    l->symbols = (const Elf64_Sym *)(const void *)(l->file + s->sh_offset);
    l->nsymbols = (uint32_t)(s->sh_size / sizeof *l->symbols);
    l->names = l->file + names->sh_offset;
    l->names_bytes = names->sh_size;
  }
  if (!l->names_bytes || l->names[l->names_bytes - 1])
    FAIL(ERR_COMPILE, "it has no symbols");
  return OK;
}

/* ---- placing ------------------------------------------------------------- */

static int
load_part_of(const Elf64_Shdr *s) {
  bool wanted = s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS;
  if (!wanted || !(s->sh_flags & SHF_ALLOC)) return LOAD_PARTS;
  if (s->sh_flags & SHF_EXECINSTR) return LOAD_CODE;
  return s->sh_flags & SHF_WRITE ? LOAD_DATA : LOAD_CONST;
}

static status
load_place(struct load *l) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), at = 0;
  for (uint32_t k = 0; k < l->nsections; k++) l->at[k] = SIZE_MAX;
  for (int part = 0; part < LOAD_PARTS; part++) {
    l->part[part] = at;
    for (uint32_t k = 0; k < l->nsections; k++) {
      const Elf64_Shdr *s = &l->sections[k];
      if (load_part_of(s) != part) continue;
      if (s->sh_flags & SHF_TLS)
        FAIL(ERR_COMPILE, "it has variables of threads");
      if (s->sh_addralign > page || s->sh_size > SIZE_MAX / 64)
        FAIL(ERR_COMPILE, "section %u cannot be placed", k);
      l->at[k] = round_up(at, s->sh_addralign ? s->sh_addralign : 1);
      at = l->at[k] + s->sh_size;
    }
    at = round_up(at, page);
  }
  l->part[LOAD_PARTS] = at;
  return OK;
}

static status
load_copy(struct load *l) {
  size_t n = l->part[LOAD_PARTS];
  void *base = n ? mmap(NULL, n, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                 : MAP_FAILED;
  if (base == MAP_FAILED)
    FAIL(ERR_MEMORY, "no memory for %zu bytes of code", n);
  l->base = base;
  for (uint32_t k = 0; k < l->nsections; k++) {
    const Elf64_Shdr *s = &l->sections[k];
    if (l->at[k] != SIZE_MAX && s->sh_type != SHT_NOBITS)
      memcpy(l->base + l->at[k], l->file + s->sh_offset, s->sh_size);
  }
  return OK;
}

/* ---- symbols and relocations --------------------------------------------- */

/* Libraries that code may need and that nothing else has brought: vector
 * variants of the functions in libm, and what a processor lacks. */
static const char *const load_libraries[] = {"libmvec.so.1", "libgcc_s.so.1"};

static void *
load_outside(const char *name) {
  void *at = dlsym(RTLD_DEFAULT, name);
  size_t n = sizeof load_libraries / sizeof *load_libraries;
  for (size_t k = 0; k < n && !at; k++) {
    void *library = dlopen(load_libraries[k], RTLD_NOW | RTLD_LOCAL);
    if (library) at = dlsym(library, name);
    if (library && !at) dlclose(library);
  }
  return at;
}

static status
load_value(const struct load *l, const Elf64_Sym *s, uint64_t *out) {
  if (s->st_name >= l->names_bytes) FAIL(ERR_COMPILE, "a name lies outside");
  const char *name = l->names + s->st_name;
  if (s->st_shndx == SHN_UNDEF) {
    *out = (uintptr_t)load_outside(name);
    if (!*out && ELF64_ST_BIND(s->st_info) != STB_WEAK)
      FAIL(ERR_COMPILE, "`%s` is not there", name);
  } else if (s->st_shndx < l->nsections && l->at[s->st_shndx] != SIZE_MAX) {
    *out = (uintptr_t)(l->base + l->at[s->st_shndx]) + s->st_value;
  } else {
    FAIL(ERR_COMPILE, "`%s` is in section %u, which has no memory", name,
         s->st_shndx);
  }
  return OK;
}

static status
load_relocate(struct load *l, const Elf64_Shdr *section, const Elf64_Rela *r) {
  assert(l->at[section->sh_info] != SIZE_MAX);
  uint32_t symbol = ELF64_R_SYM(r->r_info);
  if (ELF64_R_TYPE(r->r_info) != R_X86_64_64)
    FAIL(ERR_COMPILE, "relocation of kind %u",
         (unsigned)ELF64_R_TYPE(r->r_info));
  uint64_t to = l->sections[section->sh_info].sh_size, value;
  if (to < sizeof value || r->r_offset > to - sizeof value ||
      symbol >= l->nsymbols)
    FAIL(ERR_COMPILE, "a relocation lies outside");
  TRY(load_value(l, &l->symbols[symbol], &value));
  value += (uint64_t)r->r_addend;
  memcpy(l->base + l->at[section->sh_info] + r->r_offset, &value, sizeof value);
  return OK;
}

static status
load_relocate_all(struct load *l) {
  for (uint32_t k = 0; k < l->nsections; k++) {
    const Elf64_Shdr *s = &l->sections[k];
    if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL) continue;
    if (s->sh_info >= l->nsections || l->at[s->sh_info] == SIZE_MAX) continue;
    if (s->sh_type == SHT_REL || !load_holds(l, s->sh_offset, s->sh_size, 8) ||
        l->sections[s->sh_info].sh_type == SHT_NOBITS)
      FAIL(ERR_COMPILE, "its relocations are broken");
    const Elf64_Rela *r = (const void *)(l->file + s->sh_offset);
    for (size_t i = 0; i < s->sh_size / sizeof *r; i++)
      TRY(load_relocate(l, s, &r[i]));
  }
  return OK;
}

/* ---- all ----------------------------------------------------------------- */

static status
load_protect(const struct load *l) {
  for (int part = 0; part < LOAD_PARTS; part++) {
    assert(l->part[part] <= l->part[part + 1]);
    size_t n = l->part[part + 1] - l->part[part];
    if (n && mprotect(l->base + l->part[part], n, load_protection[part]))
      FAIL(ERR_COMPILE, "the system does not allow new code");
  }
  return OK;
}

static status
load_entry(const struct load *l, const char *entry, struct low_code *out) {
  assert(entry && !out->fn);
  for (uint32_t k = 0; k < l->nsymbols; k++) {
    const Elf64_Sym *s = &l->symbols[k];
    if (s->st_name >= l->names_bytes || s->st_shndx == SHN_UNDEF ||
        strcmp(l->names + s->st_name, entry))
      continue;
    uint64_t at;
    TRY(load_value(l, s, &at));
    out->fn = (rt_region_fn)(uintptr_t)at;
    return OK;
  }
  FAIL(ERR_COMPILE, "it does not define `%s`", entry);
}

static status
load_all(struct load *l, const char *entry, struct low_code *out) {
  TRY(load_head(l));
  l->at = mem_alloc(l->nsections, sizeof *l->at);
  TRY(load_symbols(l));
  TRY(load_place(l));
  TRY(load_copy(l));
  TRY(load_relocate_all(l));
  TRY(load_protect(l));
  return load_entry(l, entry, out);
}

status
low_load_told(const char *object, size_t n, const char *entry, const char *name,
              struct low_code *out) {
  assert((uintptr_t)object % 8 == 0);
  struct load l = {.file = object, .n = n};
  *out = (struct low_code){0};
  status s = load_all(&l, entry, out);
  struct load_map map = {l.base, l.part[LOAD_PARTS], NULL};
  if (s == OK) {
    if (name) map.told = low_debugger_tell(object, n, l.base, l.at, name);
    out->memory = mem_grow(NULL, 1, sizeof map);
    memcpy(out->memory, &map, sizeof map);
    out->release = load_release;
  } else if (l.base) {
    munmap(map.base, map.n);
  }
  free(l.at);
  return s;
}

#else
status
low_load_told(const char *object, size_t n, const char *entry, const char *name,
              struct low_code *out) {
  (void)object, (void)n, (void)entry, (void)name, (void)out;
  FAIL(ERR_COMPILE, "object files are loaded on x86-64 under Linux only");
}
#endif

status
low_load(const char *object, size_t n, const char *entry,
         struct low_code *out) {
  return low_load_told(object, n, entry, NULL, out);
}
