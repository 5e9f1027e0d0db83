/* op2-run: what a user asks the installed library.
 *
 *   op2-run --options   the environment variables, as doc/debugging.md has them
 *   op2-run --counters  the counters of op2_counter()
 *   op2-run --version   version of library and LLVM
 *   op2-run [NAME=VALUE ...] program [arg ...]
 *                       run a program with options set; a name that is not an
 *                       option, or a value that does not parse, is an error here
 *                       and not a surprise there
 */
#include "base/counters.h"
#include "base/err.h"
#include "base/opt.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
print_options(void) {
  struct str b = STR_INIT;
  opt_print(&b);
  printf("%-22s %-5s %-10s %s\n", "variable", "type", "default", "meaning");
  fputs(b.s, stdout);
  str_clear(&b);
  return 0;
}

static int
print_counters(void) {
#define COUNTER(name, what) printf("%-22s %s\n", #name, what);
#include "base/counters.def"
#undef COUNTER
  return 0;
}

static int
print_version(void) {
  printf("op2lazy %s, LLVM %s\n", OP2_VERSION, OP2_LLVM_VERSION);
  return 0;
}

static int
print_usage(void) {
  fputs("usage: op2-run --options | --counters | --version\n"
        "       op2-run [NAME=VALUE ...] program [arg ...]\n",
        stderr);
  return 2;
}

static int
is_option(const char *name, size_t len) {
#define OPT(field, env, type, def, line)                                       \
  if (strlen(env) == len && !strncmp(env, name, len)) return 1;
#include "base/opt.def"
#undef OPT
  return !strncmp(name, "OMP_", 4);
}

/* Put NAME=VALUE into the environment. */
static status
set_option(const char *word) {
  size_t len = strcspn(word, "=");
  if (!is_option(word, len))
    FAIL(ERR_ARG, "%.*s is not an option; op2-run --options lists them",
         (int)len, word);
  struct str name = STR_INIT;
  str_printf(&name, "%.*s", (int)len, word);
  int failed = setenv(name.s, word + len + 1, 1);
  str_clear(&name);
  if (failed) FAIL(ERR_MEMORY, "setenv: %s", strerror(errno));
  return OK;
}

/* Set the leading options and start the program; returns only on failure. */
static status
run_program(char **argv) {
  struct options read;
  for (; *argv && strchr(*argv, '='); argv++) TRY(set_option(*argv));
  TRY(opt_read(&read, getenv));
  if (!*argv) FAIL(ERR_ARG, "no program named");
  execvp(*argv, argv);
  FAIL(ERR_IO, "%s: %s", *argv, strerror(errno));
}

int
main(int argc, char **argv) {
  if (argc < 2) return print_usage();
  if (!strcmp(argv[1], "--options")) return print_options();
  if (!strcmp(argv[1], "--counters")) return print_counters();
  if (!strcmp(argv[1], "--version")) return print_version();
  if (argv[1][0] == '-') return print_usage();
  run_program(argv + 1);
  fprintf(stderr, "op2-run: %s\n", err_last());
  return 127;
}
