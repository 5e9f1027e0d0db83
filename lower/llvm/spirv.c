/* SPIR-V 1.2, for OpenCL devices that take it and no SPIR.
 *
 * Problem. Drivers of GPUs take code as SPIR-V. LLVM 19 as Debian has it is
 * built without that target, and what is built with one is experimental in LLVM
 * 19.
 *
 * Idea. Khronos' translator reads bitcode. Debian has it for LLVM 15, for which
 * our SPIR is written anyway (target_spir.c), as a program: llvm-spirv-15, of
 * the package of the same name. It runs as a process of its own, since a second
 * LLVM in this one would be a library of 100 MB that few need. It finds its
 * files by /proc/self/fd: they are memory that the process inherits, so that
 * nothing is left behind whatever happens.
 *
 * Cost    20 ms and more for each region, once: the cache on disk keeps the
 *         result.
 * Source  SPIRV-LLVM-Translator; SPIR-V specification 1.2, environment OpenCL.
 * Limits  what LLVM 15 cannot read; version 1.2, which OpenCL 2.1 and
 *         cl_khr_il_program ask for at most. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "lower/llvm/device.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRANSLATOR "llvm-spirv-15"

enum { FROM, TO, SAID, FILES };

extern char **environ;

static bool
spirv_write(int fd, const struct str *s) {
  for (size_t at = 0; at < s->len;) {
    ssize_t n = pwrite(fd, s->s + at, s->len - at, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += (size_t)n;
  }
  return true;
}

static bool
spirv_read(int fd, struct str *out) {
  char piece[4096];
  for (off_t at = 0;;) {
    ssize_t n = pread(fd, piece, sizeof piece, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (!n) return true;
    str_addn(out, piece, (size_t)n);
    at += n;
  }
}

/* The translator from file to file; its exit status, -1: it does not run. */
static int
spirv_run(const int *fd) {
  char from[32], to[32];
  char *argv[] = {TRANSLATOR,
                  "--opaque-pointers",
                  "--spirv-max-version=1.2",
                  from,
                  "-o",
                  to,
                  NULL};
  posix_spawn_file_actions_t files;
  pid_t child;
  int status = 0;
  snprintf(from, sizeof from, "/proc/self/fd/%d", fd[FROM]);
  snprintf(to, sizeof to, "/proc/self/fd/%d", fd[TO]);
  if (posix_spawn_file_actions_init(&files)) return -1;
  bool bad = posix_spawn_file_actions_adddup2(&files, fd[SAID], 1) ||
             posix_spawn_file_actions_adddup2(&files, fd[SAID], 2) ||
             posix_spawnp(&child, TRANSLATOR, &files, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&files);
  if (bad) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0; /* the program reaps by itself */
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static status
spirv_from(const struct str *spir, const int *fd, struct str *code) {
  struct str said = STR_INIT;
  if (!spirv_write(fd[FROM], spir))
    FAIL(ERR_COMPILE, "SPIR-V: no memory for a file: %s", strerror(errno));
  int rc = spirv_run(fd);
  if (rc < 0 || rc == 127)
    FAIL(ERR_COMPILE,
         "the device takes SPIR-V: looked for the translator " TRANSLATOR
         " (Debian package " TRANSLATOR "), found none");
  if (rc || !spirv_read(fd[TO], code) || !code->len) {
    spirv_read(fd[SAID], &said);
    status s = err_set(ERR_COMPILE, TRANSLATOR " failed (%d): %s", rc,
                       said.s ? said.s : "");
    str_clear(&said);
    return s;
  }
  return OK;
}

status
low_spirv_translate(const struct str *spir, struct str *code) {
  int fd[FILES], n = 0;
  while (n < FILES && (fd[n] = memfd_create("op2-spirv", 0)) >= 0) n++;
  status s = n == FILES ? spirv_from(spir, fd, code)
                        : err_set(ERR_COMPILE, "SPIR-V: memfd_create: %s",
                                  strerror(errno));
  while (n > 0) close(fd[--n]);
  return s;
}
