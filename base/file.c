#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 100, LINKS = 40, PRIVATE = 0600, PUBLIC = 0666 };

/* ---- where it goes ------------------------------------------------------- */

/* Where the path leads over links of our own. */
static void
path_resolve(const char *path, struct str *out) {
  struct stat st;
  char *real = NULL;
  if (!lstat(path, &st) && S_ISLNK(st.st_mode) && st.st_uid == geteuid())
    real = realpath(path, NULL);
  str_add(out, real ? real : path);
  free(real);
}

static bool
is_device(const char *path) {
  struct stat st;
  return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) &&
         !S_ISDIR(st.st_mode);
}

/* In place of a link's name that of where it leads. False: it leads nowhere. */
static bool
link_follow(struct str *at) {
  char to[PATH_MAX];
  ssize_t n = readlink(at->s, to, sizeof to);
  if (n < 0 || n == (ssize_t)sizeof to) return false;
  const char *slash = strrchr(at->s, '/');
  size_t folder = slash && *to != '/' ? (size_t)(slash + 1 - at->s) : 0;
  struct str next = STR_INIT;
  str_addn(&next, at->s, folder);
  str_addn(&next, to, (size_t)n);
  str_clear(at);
  *at = next;
  return true;
}

/* Is it a name for a file that is open (/dev/stdout, /proc/self/fd/5)? A new
 * file in its place would not be that. */
static bool
is_open_file(const char *path) {
  struct stat proc, st;
  SCOPED_STR at = STR_INIT;
  bool open = false;
  str_add(&at, path);
  for (int links = 0; links < LINKS && !open; links++) {
    if (lstat(at.s, &st) || !S_ISLNK(st.st_mode)) break;
    open = !stat("/proc/self", &proc) && st.st_dev == proc.st_dev;
    if (!open && !link_follow(&at)) break;
  }
  return open;
}

/* A number that differs from try to try, and from process to process. */
static unsigned long
salt(int try) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ((unsigned long)getpid() << 32 ^ (unsigned long)now.tv_nsec << 8) +
         (unsigned long)try;
}

/* A file of a name that nobody has. */
static int
open_beside(struct file_new *n, mode_t mode) {
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = -1;
  for (int try = 0; try < TRIES && fd < 0; try++) {
    str_reset(&n->beside);
    str_printf(&n->beside, "%s.%lx.tmp", n->path.s, salt(try));
    fd = openat(n->folder, n->beside.s, flags, mode);
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd < 0) str_reset(&n->beside);
  return fd;
}

/* The place itself. */
static int
open_place(const struct file_new *n) {
  return openat(n->folder, n->path.s, O_WRONLY | O_TRUNC | O_CLOEXEC);
}

static int
begin(struct file_new *n, int fd) {
  int bad = EIO;
  n->f = NULL;
  if (fd < 0) {
    if (errno) bad = errno;
  } else {
    n->f = fdopen(fd, "wb");
    if (n->f) return 0;
    bad = errno;
    close(fd);
    if (n->beside.len) unlinkat(n->folder, n->beside.s, 0);
  }
  str_clear(&n->path), str_clear(&n->beside);
  return bad;
}

int
file_begin(struct file_new *n, const char *path) {
  *n = (struct file_new){NULL, AT_FDCWD, STR_INIT, STR_INIT};
  if (is_open_file(path)) {
    str_add(&n->path, path);
    return begin(n, open_place(n));
  }
  path_resolve(path, &n->path);
  if (is_device(n->path.s)) return begin(n, open_place(n));
  int fd = open_beside(n, PUBLIC);
  if (fd < 0 && (errno == EACCES || errno == EPERM)) fd = open_place(n);
  return begin(n, fd);
}

int
file_begin_private(struct file_new *n, int folder, const char *name) {
  *n = (struct file_new){NULL, folder, STR_INIT, STR_INIT};
  str_add(&n->path, name);
  return begin(n, open_beside(n, PRIVATE));
}

int
file_end(struct file_new *n, bool keep) {
  int bad = ferror(n->f) ? EIO : 0;
  errno = 0;
  if (fclose(n->f)) bad = errno ? errno : EIO;
  if (n->beside.len) {
    if (keep && !bad && renameat(n->folder, n->beside.s, n->folder, n->path.s))
      bad = errno;
    if (!keep || bad) unlinkat(n->folder, n->beside.s, 0);
  }
  str_clear(&n->path);
  str_clear(&n->beside);
  return bad;
}

/* ---- written by others --------------------------------------------------- */

static int
to_disk(const char *path, int flags) {
  int fd = open(path, flags | O_RDONLY | O_CLOEXEC);
  int bad = fd < 0 || fsync(fd) ? errno : 0;
  if (fd >= 0) close(fd);
  return bad;
}

static int
folder_to_disk(const char *path) {
  const char *slash = strrchr(path, '/');
  SCOPED_STR folder = STR_INIT;
  str_addn(&folder, path, slash ? (size_t)(slash + 1 - path) : 0);
  return to_disk(folder.len ? folder.s : ".", O_DIRECTORY);
}

int
file_settle(const char *beside, const char *path, const char **what_out) {
  *what_out = "cannot be brought to disk";
  int bad = to_disk(beside, O_NOFOLLOW);
  if (bad) return bad;
  if (rename(beside, path)) {
    *what_out = "cannot take the place of the former file";
    return errno;
  }
  return folder_to_disk(path);
}
