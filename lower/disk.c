/* The cache on disk: code of regions, facts about kernels, compiled sources.
 *
 * Problem. Compiling a region takes tens of milliseconds, and loading LLVM 20
 * more, at each start of a program that has not changed.
 *
 * Idea. One file an entry (entry.c) under a name made of a hash of key and
 * tools. The hash only finds the file: an entry counts if its whole key is the
 * one that is asked for. A key holds whatever the entry was made from, of
 * kernels' code the SHA-256 (a file may have a thousand kernels, and megabytes
 * of code), and before that the library and the CPU. Tools are the files of the
 * compiler with size and time (a build of the same version that was changed is
 * another compiler).
 *
 * Files are written beside their place and renamed (base/file.h), so that
 * processes that start together see whole entries or none; both compile, the
 * last one stays (ranks take turns: disk_turn.c). What is shortened, damaged,
 * of another key, a link, a pipe, or writable by others (it will be run) is
 * ignored with a line in the log; since it counts as missing it is made anew
 * and replaced.
 *
 * The folder must be this user's, and nobody else may write to it. It is opened
 * once, and all names are looked up in what was opened then.
 *
 * An entry that serves and has not been touched for a day gets today's date;
 * when the folder outgrows its bound the oldest entries go.
 *
 * cost  a hit reads the file once: 10 us and 1 us per 10 KB. A folder is listed
 *       at the first entry that a process keeps, and when it has grown to the
 *       bound.
 * limits  what a disk holds is trusted as far as its owner is. Names of system
 *       functions are resolved when code is loaded, so that the C library may
 *       change. */
#include "lower/disk.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "lower/module.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DISK_DAY = 86400 };

enum { CLOSED = -1 };
static struct {
  bool open, listed;
  int fd;                   /* of the folder; CLOSED: not there yet */
  struct str folder, tools; /* tools: the compiler's files */
  size_t max, used;         /* used: since the folder was listed */
} disk = {.fd = CLOSED, .folder = STR_INIT, .tools = STR_INIT};

/* Threads that compile beside the program keep what they make: held by who
 * finds and keeps. */
static pthread_mutex_t disk_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- names --------------------------------------------------------------- */

/* The name of an entry's file, and its tools. */
static void
disk_name(const struct low_made *m, const struct str *key, struct str *name,
          struct str *tools) {
  assert(!name->len && !tools->len && key->len);
  str_printf(tools, "%s%s", disk.tools.s, m->tools);
  uint64_t h =
      hash_bytes(hash_bytes(0, key->s, key->len), tools->s, tools->len);
  str_printf(name, "%016llx-%s" LOW_ENTRY_SUFFIX, (unsigned long long)h,
             m->kind);
}

/* ---- the folder ---------------------------------------------------------- */

static void
disk_folder(const char *folder, struct str *out) {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (*folder)
    str_add(out, folder);
  else if (xdg && *xdg == '/')
    str_printf(out, "%s/op2lazy", xdg);
  else if (home && *home == '/')
    str_printf(out, "%s/.cache/op2lazy", home);
}

/* Make the folder with all above it; 0 or errno. */
static int
disk_folder_make(void) {
  SCOPED_STR path = STR_INIT;
  str_add(&path, disk.folder.s);
  int bad = 0;
  for (char *p = path.s + 1; !bad; p++) {
    char c = *p;
    if (c && c != '/') continue;
    *p = 0;
    if (mkdir(path.s, 0700) && errno != EEXIST) bad = errno;
    *p = c;
    if (!c) break;
  }
  return bad;
}

/* What is wrong with the folder that is open; NULL: nothing. */
static const char *
disk_folder_wrong(int fd) {
  struct stat st;
  if (fstat(fd, &st)) return "cannot be looked at";
  if (st.st_uid != geteuid()) return "belongs to another user";
  if (st.st_mode & (S_IWGRP | S_IWOTH)) return "may be written by others";
  return NULL;
}

/* Open the folder if it is there; 0 or errno. One that is not to be trusted
 * closes the cache. */
static int
disk_folder_open(void) {
  int fd = open(disk.folder.s, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  const char *wrong = disk_folder_wrong(fd);
  if (!wrong) {
    disk.fd = fd;
    return 0;
  }
  LOG_WARN("cache %s %s: it is not used", disk.folder.s, wrong);
  close(fd);
  disk.open = false;
  return EPERM;
}

/* The folder is there and open, as it must be to keep something. */
static int
disk_folder_need(void) {
  if (disk.fd != CLOSED) return 0;
  int bad = disk_folder_make();
  return bad ? bad : disk_folder_open();
}

static void
disk_folder_close(void) {
  if (disk.fd != CLOSED) close(disk.fd);
  disk.fd = CLOSED;
}

struct disk_file {
  char *name;
  size_t bytes;
  struct timespec time;
};

static int
disk_older(const void *a, const void *b) {
  const struct timespec *x = &((const struct disk_file *)a)->time;
  const struct timespec *y = &((const struct disk_file *)b)->time;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Our files in the folder; strings in the arena, array the caller's. */
static size_t
disk_list(DIR *d, struct arena *names, struct disk_file **out) {
  size_t n = 0, cap = 0;
  struct disk_file *files = NULL;
  int folder = dirfd(d);
  assert(folder >= 0);
  for (struct dirent *e; (e = readdir(d));) {
    struct stat st;
    if (!strstr(e->d_name, LOW_ENTRY_SUFFIX) ||
        fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(st.st_mode))
      continue;
    struct disk_file f = {arena_str(names, e->d_name), (size_t)st.st_size,
                          st.st_mtim};
    VEC_PUSH(files, n, cap, f);
  }
  *out = files;
  return n;
}

/* List the folder, and bring it to three quarters of its bound if above. */
static void
disk_trim(void) {
  int fd = openat(disk.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *d = fd < 0 ? NULL : fdopendir(fd);
  if (!d) {
    if (fd >= 0) close(fd);
    return;
  }
  SCOPED_BY(arena_clear) struct arena names = {0};
  struct disk_file *files;
  size_t n = disk_list(d, &names, &files), removed = 0;
  disk.used = 0;
  for (size_t k = 0; k < n; k++) disk.used += files[k].bytes;
  if (disk.used > disk.max) {
    qsort(files, n, sizeof *files, disk_older);
    for (; removed < n && disk.used > disk.max / 4 * 3; removed++) {
      unlinkat(dirfd(d), files[removed].name, 0);
      disk.used -= files[removed].bytes;
    }
    LOG_INFO("cache %s: %zu of %zu entries removed, %zu bytes left",
             disk.folder.s, removed, n, disk.used);
  }
  free(files);
  closedir(d);
  disk.listed = true;
}

/* ---- open ---------------------------------------------------------------- */

void
low_disk_open(const char *folder, size_t max_bytes) {
  assert(folder);
  low_disk_close();
  disk_folder(folder, &disk.folder);
  disk.open = disk.folder.len > 0;
  disk.max = max_bytes;
  if (!disk.open) {
    LOG_INFO("no cache on disk: neither HOME nor a folder is known");
    return;
  }
  low_module_identity(&disk.tools);
  disk_folder_open();
}

void
low_disk_close(void) {
  disk_folder_close();
  str_clear(&disk.folder);
  str_clear(&disk.tools);
  disk.open = disk.listed = false;
  disk.used = 0;
}

/* ---- find ---------------------------------------------------------------- */

/* All bytes that are there. */
static char *
disk_read_all(int fd, size_t n, size_t *n_out) {
  char *file = mem_grow(NULL, n, 1);
  size_t done = 0;
  for (ssize_t k; done < n; done += (size_t)k)
    if ((k = read(fd, file + done, n - done)) <= 0) break;
  *n_out = done;
  return file;
}

/* The whole file; NULL: it holds the reason why not, or errno is ENOENT.
 * Nothing is waited for: what is no file may be a pipe. */
static char *
disk_read(const char *name, size_t *n_out, const char **why) {
  struct stat st;
  int fd =
      openat(disk.fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  *why = errno == ELOOP ? "is a link" : "cannot be read";
  if (fd < 0) return NULL;
  char *file = NULL;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
    *why = "is no file";
  } else if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH)) {
    *why = "may be written by others";
  } else if ((size_t)st.st_size > disk.max) {
    *why = "is larger than all may be together (OP2_CACHE_SIZE)";
  } else {
    file = disk_read_all(fd, (size_t)st.st_size, n_out);
    if (time(NULL) - st.st_mtime > DISK_DAY) futimens(fd, NULL);
  }
  errno = 0;
  close(fd);
  return file;
}

static bool
disk_same(const struct low_chunk *a, const struct str *b) {
  return a->n == b->len && !memcmp(a->at, b->s, a->n);
}

/* What is wrong with this file as an entry of `key`; NULL: nothing. */
static const char *
disk_check(const char *file, size_t n, const struct str *tools,
           const struct str *key, struct low_entry *out) {
  assert(key->len);
  struct low_parts p;
  const char *wrong = low_entry_parts(file, n, true, &p);
  if (wrong) return wrong;
  if (!low_entry_sound(file, &p)) return "is corrupt";
  if (!disk_same(&p.key, key) || !disk_same(&p.tools, tools))
    return "is foreign: it has another key";
  out->bytes = p.bytes.at;
  out->n = p.bytes.n;
  return NULL;
}

static bool
disk_find(const struct low_made *m, const struct str *key,
          struct low_entry *out) {
  assert(key->len);
  if (!disk.open || disk.fd == CLOSED) return false;
  SCOPED_STR name = STR_INIT, tools = STR_INIT;
  disk_name(m, key, &name, &tools);
  const char *why;
  size_t n = 0;
  *out = (struct low_entry){0};
  errno = 0;
  out->file = disk_read(name.s, &n, &why);
  if (out->file) why = disk_check(out->file, n, &tools, key, out);
  bool found = out->file && !why;
  if (!found && errno != ENOENT) {
    __atomic_fetch_add(&counters[CNT_cache_bad], 1, __ATOMIC_RELAXED);
    LOG_WARN("cache entry %s/%s of %s %s; it is made anew", disk.folder.s,
             name.s, m->name, why);
  }
  if (!found) low_entry_clear(out);
  return found;
}

bool
low_disk_find(const struct low_made *m, const struct str *key,
              struct low_entry *out) {
  pthread_mutex_lock(&disk_lock);
  bool found = disk_find(m, key, out);
  pthread_mutex_unlock(&disk_lock);
  return found;
}

/* ---- keep ---------------------------------------------------------------- */

/* 0 or errno. */
static int
disk_replace(const char *name, const struct str *file) {
  assert(!strchr(name, '/'));
  struct file_new new;
  int bad = disk_folder_need();
  if (!bad) bad = file_begin_private(&new, disk.fd, name);
  if (bad) return bad;
  bool whole = fwrite(file->s, 1, file->len, new.f) == file->len;
  bad = file_end(&new, whole);
  return bad || whole ? bad : EIO;
}

int
low_disk_lock_file(const char *name) {
  assert(!strchr(name, '/'));
  int fd = -1;
  pthread_mutex_lock(&disk_lock);
  if (disk.open && !disk_folder_need())
    fd = openat(disk.fd, name,
                O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  pthread_mutex_unlock(&disk_lock);
  return fd;
}

static void
disk_keep(const struct low_made *m, const struct str *key, const char *bytes,
          size_t n) {
  assert(bytes || !n);
  if (!disk.open) return;
  SCOPED_STR name = STR_INIT, tools = STR_INIT, file = STR_INIT;
  disk_name(m, key, &name, &tools);
  struct low_parts p = {
      {tools.s, tools.len}, {key->s, key->len}, {bytes, n}, 0};
  low_entry_make(&p, &file);
  int bad = disk_replace(name.s, &file);
  if (bad == ENOENT) { /* the folder was removed */
    disk_folder_close();
    bad = disk_replace(name.s, &file);
  }
  if (bad && disk.open) {
    LOG_WARN("cache %s: %s; nothing more is kept", disk.folder.s,
             strerror(bad));
    disk.open = false;
  } else if (!bad) {
    disk.used += file.len;
    if (!disk.listed || disk.used > disk.max) disk_trim();
  }
}

void
low_disk_keep(const struct low_made *m, const struct str *key,
              const char *bytes, size_t n) {
  pthread_mutex_lock(&disk_lock);
  disk_keep(m, key, bytes, n);
  pthread_mutex_unlock(&disk_lock);
}
