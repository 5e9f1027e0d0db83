/* The runner of unit tests without Criterion; see criterion/criterion.h here. */
#include <criterion/criterion.h>

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

struct plain_test *plain_tests, *plain_suites;

enum { SKIPPED = 77 };

static const struct plain_test *current;
static bool failed, together;

/* Constructors run in the order of the file: so does the list. */
void
plain_add(struct plain_test **list, struct plain_test *t) {
  while (*list) list = &(*list)->next;
  *list = t;
}

void
plain_fail(bool fatal, const char *file, int line, const char *what,
           const char *fmt, ...) {
  va_list ap;
  fprintf(stderr, "%s/%s: %s:%d: expected %s:", current->suite, current->name,
          file, line, what);
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fputc('\n', stderr);
  failed = true;
  if (together) puts("0 passed, 1 failed");
  fflush(stdout);
  if (fatal || together) _exit(1);
}

void
plain_skip(const char *why) {
  fprintf(stderr, "%s/%s: skipped: %s\n", current->suite, current->name, why);
  if (together)
    puts("0 passed, 1 failed: a test that is skipped needs a child");
  exit(SKIPPED);
}

/* ---- standard output of a test ------------------------------------------- */

static FILE *caught;

void
plain_stdout_redirect(void) {
  caught = tmpfile();
  if (!caught || dup2(fileno(caught), STDOUT_FILENO) < 0) {
    perror("stdout");
    _exit(1);
  }
}

bool
plain_stdout_is(const char *want) {
  char text[1 << 14];
  fflush(stdout);
  rewind(caught);
  size_t n = fread(text, 1, sizeof text - 1, caught);
  text[n] = 0;
  if (strcmp(text, want)) fprintf(stderr, "stdout was:\n%s\n", text);
  return !strcmp(text, want);
}

/* ---- running ------------------------------------------------------------- */

static const struct plain_test *
suite_of(const struct plain_test *t) {
  static const struct plain_test none;
  for (const struct plain_test *s = plain_suites; s; s = s->next)
    if (!strcmp(s->suite, t->suite)) return s;
  return &none;
}

static void
run(const struct plain_test *t) {
  const struct plain_test *s = suite_of(t);
  void (*init)(void) = t->init ? t->init : s->init;
  void (*fini)(void) = t->fini ? t->fini : s->fini;
  if (init) init();
  t->run();
  if (fini) fini();
}

/* Exit status of the test, as if it had none where it ended by its signal. */
static int
run_forked(const struct plain_test *t) {
  int rc;
  if (together && !t->signal) {
    run(t);
    return 0;
  }
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    together = false;
    run(t);
    exit(failed);
  }
  while (waitpid(child, &rc, 0) < 0)
    if (errno != EINTR) return 1;
  if (WIFSIGNALED(rc)) return WTERMSIG(rc) == t->signal ? 0 : 1;
  return t->signal ? 1 : WEXITSTATUS(rc);
}

static bool
wanted(const struct plain_test *t, int argc, char **argv) {
  char name[256];
  snprintf(name, sizeof name, "%s/%s", t->suite, t->name);
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], name)) return true;
  return together || argc < 2;
}

int
main(int argc, char **argv) {
  int passed = 0, wrong = 0, skipped = 0;
  together = argc > 1 && !strcmp(argv[1], "--together");
  for (const struct plain_test *t = plain_tests; t; t = t->next) {
    if (!wanted(t, argc, argv)) continue;
    current = t;
    int rc = run_forked(t);
    if (rc == SKIPPED) {
      skipped++;
      continue;
    }
    passed += !rc;
    wrong += !!rc;
    if (rc) fprintf(stderr, "%s/%s: FAILED (%d)\n", t->suite, t->name, rc);
  }
  printf("%d passed, %d failed, %d skipped\n", passed, wrong, skipped);
  return wrong || !(passed + skipped);
}
