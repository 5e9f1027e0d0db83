/* op2-run: what a user asks the installed library.
 *
 *   op2-run --options   the environment variables, as doc/options.md has them
 *   op2-run --counters  the counters of op2_counter()
 *   op2-run --version   version of library and LLVM
 *   op2-run [NAME=VALUE ...] program [arg ...]
 *                       run a program with options set; a name that is not an
 *                       option, or a value that does not parse, is an error here
 *                       and not a surprise there
 *   op2-run [NAME=VALUE ...] trace.irt [--scale X] [--repeat N] [--eager |
 *           --deferred]   replay a recorded trace on a mesh and data made up from
 *                       it (tools/replay/replay.h): eager and deferred, the
 *                       results compared, the time of each region printed
 *     --scale X         sizes of sets times X
 *     --repeat N        call the trace's loops N times, as a time loop does
 *     --eager, --deferred   only that way, nothing is compared
 *   op2-run --emit=TARGET trace.irt --kernels file.bc [...]
 *                       code of the trace's regions (tools/emit/emit.c)
 */
#include "base/counters.h"
#include "base/err.h"
#include "base/opt.h"
#include "base/str.h"
#include "tools/emit/emit.h"
#include "tools/replay/replay.h"

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
        "       op2-run [NAME=VALUE ...] program [arg ...]\n"
        "       op2-run [NAME=VALUE ...] trace.irt [--scale X] [--repeat N]\n"
        "               [--eager | --deferred]\n",
        stderr);
  emit_usage();
  return 2;
}

static int
is_option(const char *name, size_t len) {
#define OPT(field, env, type, def, ranks, line)                                \
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

/* ---- replay -------------------------------------------------------------- */

struct command {
  const char *file;
  double scale;
  long repeat;
  bool eager, deferred; /* only that */
};

static status
read_trace(const char *file, struct ir_trace **out) {
  struct str text = STR_INIT, why = STR_INIT;
  int bad = str_read_file(&text, file);
  status st = bad ? err_set(ERR_IO, "%s: %s", file, strerror(bad))
                  : ir_parse(text.s, file, out);
  if (st == OK && ir_verify(*out, &why))
    st = err_set(ERR_ARG, "%s: not a legal trace\n%s", file, why.s);
  str_clear(&text);
  str_clear(&why);
  return st;
}

static status
read_number(const char *word, const char *value, double *out) {
  char *end;
  *out = value ? strtod(value, &end) : 0;
  if (!value || *end || !(*out > 0 && *out <= 1e9))
    FAIL(ERR_ARG, "%s: expected a number above 0, found %s", word,
         value ? value : "nothing");
  return OK;
}

static status
read_command(char **argv, struct command *c) {
  *c = (struct command){.file = *argv++, .scale = 1, .repeat = 1};
  for (; *argv; argv++) {
    double number = 0;
    if (!strcmp(*argv, "--eager"))
      c->eager = true;
    else if (!strcmp(*argv, "--deferred"))
      c->deferred = true;
    else if (!strcmp(*argv, "--scale") || !strcmp(*argv, "--repeat"))
      TRY(read_number(argv[0], argv[1], &number));
    else
      FAIL(ERR_ARG, "%s: expected --scale, --repeat, --eager or --deferred",
           *argv);
    if (!number) continue;
    *(!strcmp(*argv, "--scale") ? &c->scale : &number) = number;
    if (!strcmp(*argv, "--repeat")) c->repeat = number < 1 ? 1 : (long)number;
    argv++;
  }
  if (c->eager && c->deferred) c->eager = c->deferred = false;
  return OK;
}

/* One way; OP2_EAGER is what it differs in. */
static status
replay_way(const struct replay *r, bool eager, struct replay_values *out) {
  if (setenv("OP2_EAGER", eager ? "1" : "0", 1))
    FAIL(ERR_MEMORY, "setenv: %s", strerror(errno));
  printf("== %s\n", eager ? "eager" : "deferred");
  return replay_run(r, true, out);
}

static status
replay_ways(const struct replay *r, const struct command *c) {
  struct replay_values eager = {0}, deferred = {0};
  status st = OK;
  if (!c->deferred) st = replay_way(r, true, &eager);
  if (st == OK && !c->eager) st = replay_way(r, false, &deferred);
  if (st == OK && !c->eager && !c->deferred) {
    st = replay_compare(r, &eager, &deferred);
    if (st == OK) puts("eager and deferred agree");
  }
  replay_values_clear(r->t, &eager);
  replay_values_clear(r->t, &deferred);
  return st;
}

static status
replay_trace(char **argv) {
  struct command c;
  struct ir_trace *t = NULL;
  TRY(read_command(argv, &c));
  TRY(read_trace(c.file, &t));
  struct replay r = {.t = t, .repeat = c.repeat};
  status st = replay_mesh_make(t, c.scale, &r.mesh);
  if (st == OK) st = replay_kernels_make(t, &r.kernels);
  if (st == OK) st = replay_ways(&r, &c);
  replay_mesh_clear(t, &r.mesh);
  replay_kernels_clear(&r.kernels);
  ir_trace_free(t);
  return st;
}

/* ---- command line -------------------------------------------------------- */

static bool
is_trace(const char *file) {
  size_t n = strlen(file);
  return n > 4 && !strcmp(file + n - 4, ".irt");
}

/* Set the leading options and start the program; returns on failure, and after a
 * replay. */
static status
run(char **argv) {
  struct options read;
  for (; *argv && strchr(*argv, '='); argv++) TRY(set_option(*argv));
  TRY(opt_read(&read, getenv));
  if (!*argv) FAIL(ERR_ARG, "no program named");
  if (is_trace(*argv)) return replay_trace(argv);
  execvp(*argv, argv);
  FAIL(ERR_IO, "%s: %s", *argv, strerror(errno));
}

int
main(int argc, char **argv) {
  if (argc < 2) return print_usage();
  if (!strcmp(argv[1], "--options")) return print_options();
  if (!strcmp(argv[1], "--counters")) return print_counters();
  if (!strcmp(argv[1], "--version")) return print_version();
  bool emits = !strncmp(argv[1], "--emit=", 7);
  if (argv[1][0] == '-' && !emits) return print_usage();
  status st = emits ? emit_run(argv[1] + 7, argv + 2) : run(argv + 1);
  if (st == OK) return 0;
  fprintf(stderr, "op2-run: %s\n", err_last());
  return st == ERR_STATE ? 1 : 127;
}
