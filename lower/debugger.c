/* GDB's interface for code made at run time, and perf's file of names.
 *
 * GDB looks for a variable and a function by their names, in each file that the
 * program has loaded: the variable heads a list of object files, each with the
 * addresses of its sections filled in; at each call of the function, which does
 * nothing, GDB stops and reads what has changed. LLVM has both, too, for what
 * MCJIT makes; two writers never meet, since lines are made on one thread.
 *
 * perf reads /tmp/perf-<pid>.map, a line a function: start, size (both in
 * hexadecimal), name. */
#include "lower/debugger.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/str.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names and layout are GDB's. */
enum debugger_action { DEBUGGER_NOTHING, DEBUGGER_ADD, DEBUGGER_DROP };
struct low_told {
  struct low_told *next, *prev;
  const char *file;
  uint64_t bytes;
};
struct debugger {
  uint32_t version, action;
  struct low_told *now, *first;
};
void debugger_stop(void) __asm__("__jit_debug_register_code");
extern struct debugger debugger_list __asm__("__jit_debug_descriptor");

#define SHOWN __attribute__((visibility("default"), used, noinline))
SHOWN void
debugger_stop(void) {
  __asm__ volatile("" ::: "memory");
}
__attribute__((visibility("default"), used)) struct debugger debugger_list = {
    1, DEBUGGER_NOTHING, NULL, NULL};

static pthread_mutex_t debugger_lock = PTHREAD_MUTEX_INITIALIZER;

static void
debugger_say(struct low_told *t, enum debugger_action action) {
  debugger_list.now = t;
  debugger_list.action = action;
  debugger_stop();
}

void
low_debugger_again(void) {
  debugger_stop();
}

#ifdef __linux__
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- perf ---------------------------------------------------------------- */

static void
perf_write(const struct str *lines) {
  char path[32];
  snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                S_IRUSR | S_IWUSR);
  if (fd < 0 || write(fd, lines->s, lines->len) != (ssize_t)lines->len)
    LOG_INFO("%s cannot be written: perf has no names of regions", path);
  if (fd >= 0) close(fd);
}

/* The functions that section s of the file, a table of symbols, has. */
static void
perf_lines(const char *object, const Elf64_Shdr *s, const char *base,
           const size_t *at, const char *name, struct str *out) {
  assert(s->sh_type == SHT_SYMTAB);
  const Elf64_Ehdr *h = (const void *)object;
  const Elf64_Shdr *sections = (const void *)(object + h->e_shoff);
  const char *names = object + sections[s->sh_link].sh_offset;
  for (size_t k = 0; k < s->sh_size / sizeof(Elf64_Sym); k++) {
    Elf64_Sym y;
    memcpy(&y, object + s->sh_offset + k * sizeof y, sizeof y);
    if (ELF64_ST_TYPE(y.st_info) != STT_FUNC || y.st_shndx >= h->e_shnum ||
        at[y.st_shndx] == SIZE_MAX)
      continue;
    str_printf(out, "%lx %lx %s (%s)\n",
               (unsigned long)(uintptr_t)(base + at[y.st_shndx] + y.st_value),
               (unsigned long)y.st_size, name, names + y.st_name);
  }
}

/* ---- both ---------------------------------------------------------------- */

struct low_told *
low_debugger_tell(const char *object, size_t n, const char *base,
                  const size_t *at, const char *name) {
  assert(n > sizeof(Elf64_Ehdr) && (uintptr_t)object % 8 == 0);
  SCOPED_STR lines = STR_INIT;
  struct low_told *t = mem_grow(NULL, 1, sizeof *t + n);
  char *file = (char *)(t + 1);
  *t = (struct low_told){NULL, NULL, file, n};
  memcpy(file, object, n);
  const Elf64_Ehdr *h = (const void *)file;
  Elf64_Shdr *s = (void *)(file + h->e_shoff);
  for (uint32_t k = 0; k < h->e_shnum; k++) {
    s[k].sh_addr = at[k] == SIZE_MAX ? 0 : (uintptr_t)(base + at[k]);
    if (at[k] == SIZE_MAX) s[k].sh_flags &= ~(Elf64_Xword)SHF_ALLOC;
    if (s[k].sh_type == SHT_SYMTAB)
      perf_lines(file, &s[k], base, at, name, &lines);
  }
  pthread_mutex_lock(&debugger_lock);
  t->next = debugger_list.first;
  if (t->next) t->next->prev = t;
  debugger_list.first = t;
  debugger_say(t, DEBUGGER_ADD);
  perf_write(&lines);
  pthread_mutex_unlock(&debugger_lock);
  return t;
}

void
low_debugger_forget(struct low_told *t) {
  pthread_mutex_lock(&debugger_lock);
  if (t->next) t->next->prev = t->prev;
  if (t->prev)
    t->prev->next = t->next;
  else
    debugger_list.first = t->next;
  debugger_say(t, DEBUGGER_DROP);
  pthread_mutex_unlock(&debugger_lock);
  free(t);
}
#endif
