/* The cache on disk: code of regions, facts about kernels, compiled sources.
 *
 * Problem. Compiling a region takes tens of milliseconds, and loading LLVM 20
 * more, at each start of a program that has not changed.
 *
 * Idea. One file an entry,
 *
 *   head | key | bytes        head: magic, lengths, checksum over the rest
 *
 * under a name made of a hash of the key. The hash only finds the file: an
 * entry counts if its whole key is the one that is asked for. A key holds
 * whatever the entry was made from, of kernels' code the SHA-256 (a file may
 * have a thousand kernels, and megabytes of code), and before that what made
 * it: versions, the files of the compiler with size and time (a build of the
 * same version that was changed is another compiler), the CPU.
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
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DISK_SUFFIX ".op2"
enum { DISK_ALIGN = 16, DISK_DAY = 86400 };
static const char disk_magic[8] = "op2lazy1";

struct disk_head {
  char magic[8];
  uint64_t key_bytes, bytes, sum;
};

enum { CLOSED = -1 };
static struct {
  bool open, listed;
  int fd;                   /* of the folder; CLOSED: not there yet */
  struct str folder, maker; /* maker: what every key begins with */
  size_t max, used;         /* used: since the folder was listed */
} disk = {.fd = CLOSED, .folder = STR_INIT, .maker = STR_INIT};

/* ---- keys and sums ------------------------------------------------------- */

static uint64_t
disk_sum(uint64_t h, const char *p, size_t n) {
  h ^= n;
  while (n) {
    uint64_t w = 0;
    size_t k = n < sizeof w ? n : sizeof w;
    memcpy(&w, p, k);
    h = hash_word(h, w);
    p += k;
    n -= k;
  }
  return h;
}

/* The name of an entry, and its whole key. */
static void
disk_name(const char *kind, const struct str *key, struct str *name,
          struct str *whole) {
  assert(!name->len && !whole->len);
  str_printf(whole, "%s%s\n", disk.maker.s, kind);
  str_addn(whole, key->s, key->len);
  str_printf(name, "%016llx-%s" DISK_SUFFIX,
             (unsigned long long)disk_sum(0, whole->s, whole->len), kind);
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
  for (struct dirent *e; (e = readdir(d));) {
    struct stat st;
    if (!strstr(e->d_name, DISK_SUFFIX) ||
        fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
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
low_disk_open(const char *folder, size_t max_bytes, const char *machine) {
  assert(folder && machine);
  low_disk_close();
  disk_folder(folder, &disk.folder);
  disk.open = disk.folder.len > 0;
  disk.max = max_bytes;
  if (!disk.open) {
    LOG_INFO("no cache on disk: neither HOME nor a folder is known");
    return;
  }
  str_add(&disk.maker, "op2lazy " OP2_VERSION ", LLVM " OP2_LLVM_VERSION "\n");
  low_module_identity(&disk.maker);
  str_add(&disk.maker, machine);
  disk_folder_open();
}

void
low_disk_close(void) {
  disk_folder_close();
  str_clear(&disk.folder);
  str_clear(&disk.maker);
  disk.open = disk.listed = false;
  disk.used = 0;
}

bool
low_disk_is_open(void) {
  return disk.open;
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

/* What is wrong with this file as an entry of `key`; NULL: nothing. */
static const char *
disk_check(const char *file, size_t n, const struct str *key,
           struct low_entry *out) {
  assert(key->len);
  struct disk_head h;
  if (n < sizeof h) return "is truncated";
  memcpy(&h, file, sizeof h);
  if (memcmp(h.magic, disk_magic, sizeof h.magic)) return "is foreign";
  if (h.key_bytes > n || h.bytes > n) return "is truncated";
  size_t at = round_up(sizeof h + h.key_bytes, DISK_ALIGN);
  if (at + h.bytes != n) return "is truncated";
  if (disk_sum(0, file + sizeof h, n - sizeof h) != h.sum) return "is corrupt";
  if (h.key_bytes != key->len || memcmp(file + sizeof h, key->s, key->len))
    return "is foreign: it has another key";
  out->bytes = file + at;
  out->n = h.bytes;
  return NULL;
}

bool
low_disk_find(const char *kind, const char *name, const struct str *key,
              struct low_entry *out) {
  assert(kind && name && key->len);
  if (!disk.open || disk.fd == CLOSED) return false;
  SCOPED_STR entry = STR_INIT, whole = STR_INIT;
  disk_name(kind, key, &entry, &whole);
  const char *why;
  size_t n = 0;
  *out = (struct low_entry){0};
  errno = 0;
  out->file = disk_read(entry.s, &n, &why);
  if (out->file) why = disk_check(out->file, n, &whole, out);
  bool found = out->file && !why;
  if (!found && errno != ENOENT) {
    counters[CNT_cache_bad]++;
    LOG_WARN("cache entry %s/%s of %s %s; it is made anew", disk.folder.s,
             entry.s, name, why);
  }
  if (!found) low_entry_clear(out);
  return found;
}

void
low_entry_clear(struct low_entry *e) {
  free(e->file);
  *e = (struct low_entry){0};
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

static void
disk_file_make(const struct str *key, const char *bytes, size_t n,
               struct str *out) {
  assert(!out->len && key->len);
  static const char zeros[DISK_ALIGN];
  struct disk_head h = {.key_bytes = key->len, .bytes = n};
  memcpy(h.magic, disk_magic, sizeof h.magic);
  str_addn(out, (const char *)&h, sizeof h);
  str_addn(out, key->s, key->len);
  str_addn(out, zeros, round_up(out->len, DISK_ALIGN) - out->len);
  str_addn(out, bytes, n);
  h.sum = disk_sum(0, out->s + sizeof h, out->len - sizeof h);
  memcpy(out->s, &h, sizeof h);
}

int
low_disk_lock_file(const char *name) {
  assert(!strchr(name, '/'));
  if (!disk.open || disk_folder_need()) return -1;
  return openat(disk.fd, name,
                O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

void
low_disk_keep(const char *kind, const struct str *key, const char *bytes,
              size_t n) {
  assert(kind && (bytes || !n));
  if (!disk.open) return;
  SCOPED_STR name = STR_INIT, whole = STR_INIT, file = STR_INIT;
  disk_name(kind, key, &name, &whole);
  disk_file_make(&whole, bytes, n, &file);
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
