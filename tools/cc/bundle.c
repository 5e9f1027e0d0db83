/* op2cc --bundle: entries of the cache as data of a program.
 *
 * Problem. The cache is a folder of one machine; what it holds has to come
 * along with the executable, and survive that it is linked anew.
 *
 * Idea. An object file of its own: all entries one after another
 * (lower/entry.h), and a constructor that tells the library (lower/bundle.c).
 * Entries lose the part of the key that names the compiler's files, which a
 * machine without them cannot have. Names are sorted, so that equal folders give
 * equal programs. Entries for other processors are taken, too: a folder may have
 * been filled on several kinds. Figures of the machine (OP2_REPORT) stay where
 * they were measured. */
#include "tools/cc/bundle.h"

#include "base/arena.h"
#include "base/str.h"
#include "lower/entry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What goes along, by the ends of names (lower/disk.c). */
static const char *const kinds[] = {"region", "facts", "source", "device",
                                    "moves"};

struct bundle {
  struct arena arena; /* of names */
  struct str version, out;
  size_t taken, others; /* others: of other versions */
  bool quiet;
};

static bool
name_is_wanted(const char *name) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char end[32];
    int n = snprintf(end, sizeof end, "-%s" LOW_ENTRY_SUFFIX, kinds[k]);
    size_t len = strlen(name);
    if (len > (size_t)n && !strcmp(name + len - n, end)) return true;
  }
  return false;
}

static int
name_order(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The whole file of a folder; -1: it is none, or cannot be read. */
static int
file_read(int folder, const char *name, struct str *out) {
  char block[1 << 14];
  struct stat st;
  ssize_t n = -1;
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  if (!fstat(fd, &st) && S_ISREG(st.st_mode))
    while ((n = read(fd, block, sizeof block)) > 0)
      str_addn(out, block, (size_t)n);
  close(fd);
  return n < 0 ? -1 : 0;
}

/* Add the entry that is in `file`; what is wrong with it, NULL: nothing. */
static const char *
bundle_add(struct bundle *b, const struct str *file) {
  static const char zeros[LOW_ENTRY_ALIGN];
  struct low_parts p;
  const char *wrong = low_entry_parts(file->s, file->len, true, &p);
  if (wrong) return wrong;
  if (!low_entry_sound(file->s, &p)) return "is corrupt";
  if (p.key.n < b->version.len ||
      memcmp(p.key.at, b->version.s, b->version.len)) {
    b->others++;
    return NULL;
  }
  p.tools.n = 0;
  str_addn(&b->out, zeros, round_up(b->out.len, LOW_ENTRY_ALIGN) - b->out.len);
  low_entry_make(&p, &b->out);
  b->taken++;
  return NULL;
}

static void
bundle_add_file(struct bundle *b, int fd, const char *folder,
                const char *name) {
  SCOPED_STR file = STR_INIT;
  const char *wrong = "cannot be read";
  if (!file_read(fd, name, &file)) wrong = bundle_add(b, &file);
  if (wrong && !b->quiet)
    fprintf(stderr, "op2cc: warning: --bundle: %s/%s %s; it is left out\n",
            folder, name, wrong);
}

/* 0 or errno. */
static int
bundle_add_folder(struct bundle *b, const char *folder) {
  char **names = NULL;
  size_t n = 0, cap = 0;
  DIR *d = opendir(folder);
  if (!d) return errno;
  for (struct dirent *e; (e = readdir(d));)
    if (name_is_wanted(e->d_name))
      VEC_PUSH(names, n, cap, arena_str(&b->arena, e->d_name));
  if (n) qsort(names, n, sizeof *names, name_order);
  for (size_t k = 0; k < n; k++) bundle_add_file(b, dirfd(d), folder, names[k]);
  free(names);
  closedir(d);
  return 0;
}

static void
bundle_say(const struct bundle *b, const char *folder) {
  if (b->quiet || (b->taken && !b->others)) return;
  if (b->others)
    fprintf(stderr,
            "op2cc: warning: --bundle: %zu entries of other versions of the "
            "library are left out\n",
            b->others);
  if (!b->taken)
    fprintf(stderr,
            "op2cc: warning: --bundle: no compiled code in %s; a run with "
            "OP2_CACHE_DIR=%s puts it there\n",
            folder, folder);
}

/* The C source: data, and who tells the library of them. */
static int
source_write(const char *entries, const char *path) {
  SCOPED_STR c = STR_INIT;
  const char *slash = strrchr(entries, '/');
  str_printf(
      &c,
      "static const unsigned char entries[] "
      "__attribute__((aligned(%d))) = {\n"
      "#embed \"%s\"\n};\n"
      "void op2_bundle_register(const void *, unsigned long)\n"
      "    __attribute__((weak));\n"
      "void op2_bundle_unregister(const void *) __attribute__((weak));\n"
      "__attribute__((constructor)) static void add(void) {\n"
      "  if (op2_bundle_register)\n"
      "    op2_bundle_register(entries, sizeof entries);\n}\n"
      "__attribute__((destructor)) static void drop(void) {\n"
      "  if (op2_bundle_unregister) op2_bundle_unregister(entries);\n}\n",
      LOW_ENTRY_ALIGN, slash ? slash + 1 : entries);
  return str_write_file(&c, path);
}

/* A bundle of nothing is no array in C. */
static int
source_write_none(const char *path) {
  SCOPED_STR c = STR_INIT;
  str_add(&c, "extern int op2_bundle_of_nothing;\n");
  return str_write_file(&c, path);
}

static int
bundle_files(const struct bundle *b, const char *entries, const char *source) {
  if (!b->taken) return source_write_none(source);
  int bad = str_write_file(&b->out, entries);
  return bad ? bad : source_write(entries, source);
}

bool
bundle_write(const char *const *folders, size_t n, bool quiet,
             const char *entries, const char *source) {
  struct bundle b = {.version = STR_INIT, .out = STR_INIT, .quiet = quiet};
  int bad = 0;
  low_entry_version(&b.version);
  for (size_t k = 0; !bad && k < n; k++) {
    bad = bundle_add_folder(&b, folders[k]);
    if (bad)
      fprintf(stderr, "op2cc: --bundle=%s: %s\n", folders[k], strerror(bad));
  }
  if (!bad) {
    bundle_say(&b, folders[0]);
    bad = bundle_files(&b, entries, source);
    if (bad) fprintf(stderr, "op2cc: --bundle: %s\n", strerror(bad));
  }
  str_clear(&b.version);
  str_clear(&b.out);
  arena_clear(&b.arena);
  return !bad;
}
