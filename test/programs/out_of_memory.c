/* Memory that is not there is an error of the call that wanted it, which names the
 * bytes and changes nothing; where the library cannot go on, the handler hears of
 * it before the process ends. */
#include "check.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 10, LARGE = 1 << 27, HEARD = 7, REFUSED = 8, ROOM = 64 << 20 };

static int nmessages, last_status;
static char message[4096];

static void
on_error(int status, const char *text, void *user) {
  (void)user;
  nmessages++;
  last_status = status;
  snprintf(message, sizeof message, "%s", text);
}

static void
refused(const char *words) {
  if (nmessages != 1 || last_status != OP2_ERR_MEMORY ||
      !strstr(message, words))
    check_fail(__FILE__, __LINE__, "%d messages, status %d, no '%s' in '%s'",
               nmessages, last_status, words, message);
  nmessages = 0;
}

/* This process may have so many bytes more than it has; < 0: as many as there are. */
static void
allow(long bytes) {
  struct rlimit limit;
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  CHECK(f && fscanf(f, "%ld", &pages) == 1);
  if (f) fclose(f);
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur =
      bytes < 0 ? limit.rlim_max
                : (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)bytes;
  CHECK_INT(setrlimit(RLIMIT_AS, &limit), 0);
}

static void
add(const double *big, double *x) {
  *x += big[0];
}

static op_set s;
static op_dat x;

static void
work(void) {
  double out[N] = {0};
  op_par_loop(add, "add", s, op_arg_gbl(out, 1, "double", OP_READ),
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_RW));
  op_fetch_data(x, out);
}

static void
heard(int status, const char *text, void *user) {
  (void)user;
  _exit(status == OP2_ERR_MEMORY && strstr(text, "bytes were wanted") ? HEARD
                                                                      : 1);
}

/* In a process of its own: small things until there is no room for one. */
static void
the_end(void) {
  static char name[1 << 16];
  int status = 0;
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    memset(name, 'n', sizeof name - 1);
    op2_set_error_handler(heard, NULL);
    allow(ROOM);
    for (int i = 0; i < 1 << 20; i++) (void)op_decl_set(1, name);
    _exit(2);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK_INT(WEXITSTATUS(status), HEARD);
}

static void
halve(const double *big, double *x) {
  for (int k = 0; k < 9; k++) *x = *x / 2 + big[0] / (1 + *x * *x);
}

static void
on_error_there(int status, const char *text, void *user) {
  if (status == OP2_ERR_MEMORY &&
      (strstr(text, "bytes were wanted") || strstr(text, "while compiling")))
    _exit(HEARD);
  on_error(status, text, user);
}

/* The compiler is opened; then there are so many bytes to compile a loop with. */
static void
compile_with(long room) {
  double one = 1, out[N], want = 0;
  op2_set_error_handler(on_error_there, NULL);
  work();
  allow(room);
  op_par_loop(halve, "halve", s, op_arg_gbl(&one, 1, "double", OP_READ),
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_RW));
  op_fetch_data(x, out);
  allow(-1);
  bool refused = nmessages;
  if (refused &&
      (last_status != OP2_ERR_MEMORY || !strstr(message, "out_of_memory.c:")))
    _exit(1);
  op_fetch_data(x, out); /* nothing is lost */
  halve(&one, &want);
  for (int e = 0; e < N; e++)
    if (out[e] != want) _exit(2);
  _exit(refused ? REFUSED : 0);
}

/* In processes of their own: the compiler has no room. Threads do not survive a
 * fork, so nothing may have run before. */
static void
the_compiler(void) {
  const char *cache = getenv("OP2_CACHE");
  int nrefused = 0;
  for (long room = 0; room < 10; room++) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (!child) compile_with(room * (80 << 10));
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    int how = WEXITSTATUS(status);
    if (how && how != HEARD) CHECK_INT(how, REFUSED);
    nrefused += how == REFUSED;
  }
  if (cache && !atoi(cache)) CHECK(nrefused > 0);
}

static bool
runs_on_host(void) {
  const char *target = getenv("OP2_TARGET");
  return !target || !*target || !strcmp(target, "openmp") ||
         !strcmp(target, "seq");
}

int
main(int argc, char **argv) {
  double *big = (double *)calloc(LARGE, sizeof *big);
  op2_set_error_handler(on_error, NULL);
  setenv("OP2_TIERS", "never", 1); /* memory gets short while threads compile */
  check_start(argc, argv);
  s = op_decl_set(N, "s");
  op_set many = op_decl_set(LARGE, "many");
  x = op_decl_dat(s, 1, "double", (double *)NULL, "x");
  bool limits = big && !getenv("ASAN_OPTIONS") && !getenv("TSAN_OPTIONS") &&
                check_ranks() == 1;
  if (limits && check_ir() && runs_on_host()) the_compiler();
  work(); /* the compiler is there */
  if (limits) {
    allow(ROOM);
    CHECK(!op_decl_dat(many, 1, "double", (double *)NULL, "large"));
    refused("bytes");
    CHECK(!op2_decl_gbl(LARGE, "double", NULL, "large"));
    refused("op2_decl_gbl \"large\": no memory for its 1073741824 bytes");
    op_par_loop(add, "add", s, op_arg_gbl(big, LARGE, "double", OP_READ),
                op_arg_dat(x, -1, OP_ID, 1, "double", OP_RW));
    refused("1073741824 bytes of global arguments");
    allow(-1);
    the_end();
  }
  work();
  CHECK_INT(nmessages, 0);
  free(big);
  return check_end();
}
