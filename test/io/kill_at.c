/* Ends a process as kill -9 does, in the middle of writing a file. Preloaded:
 *   KILL_AT="pwrite 3"    at the third call of pwrite; also pwritev, fsync, rename */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static void
here(const char *call) {
  static int calls;
  const char *at = getenv("KILL_AT");
  size_t n = strlen(call);
  if (at && !strncmp(at, call, n) && at[n] == ' ' && ++calls == atoi(at + n))
    kill(getpid(), SIGKILL);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at) {
  ssize_t (*next)(int, const void *, size_t, off_t) =
      dlsym(RTLD_NEXT, "pwrite");
  here("pwrite");
  return next(fd, p, n, at);
}

ssize_t
pwrite64(int fd, const void *p, size_t n, off64_t at) {
  ssize_t (*next)(int, const void *, size_t, off64_t) =
      dlsym(RTLD_NEXT, "pwrite64");
  here("pwrite");
  return next(fd, p, n, at);
}

/* What MPI-IO writes by. */
ssize_t
pwritev(int fd, const struct iovec *v, int n, off_t at) {
  ssize_t (*next)(int, const struct iovec *, int, off_t) =
      dlsym(RTLD_NEXT, "pwritev");
  here("pwritev");
  return next(fd, v, n, at);
}

int
fsync(int fd) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
  here("fsync");
  return next(fd);
}

int
rename(const char *from, const char *to) {
  int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  here("rename");
  return next(from, to);
}
