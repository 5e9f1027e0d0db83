/* OP2_REPORT: the file that op_exit leaves is JSON, has each region with its limit,
 * its arithmetic and its walk, the times beside them, and a row for each cause of a
 * flush; loops of some length within a kernel do not keep it from vectors. Which
 * limit it is depends on the machine: test_rt_bound.c asks that. A child of fork, which
 * has none of the threads, tries nothing of the machine. */
#include "check.h"

#include <ctype.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 300, ROUNDS = 2 };

static void
scale(const double *a, double *b) {
  *b = *a * 3 + 1;
}
static void
gather(const double *p, const double *q, double *a) {
  *a += *p - *q;
}

/* A loop of components that is longer than what LLVM unrolls at first: it becomes
 * vectors nevertheless. */
static double
room(double v, double w, double low, double high) {
  double most = (v > 0 ? high - w : w - low) + 1e-3, size = fabs(v);
  return size > most ? most / size : 1;
}
static void
bound(const double *x, const double *w, const double *ga, const double *gb,
      const double *low, const double *high, double *pa, double *pb) {
  double d[3] = {0.5 * x[0], 0.5 * x[1], 0.5 * x[2]};
  for (int c = 0; c < 5; c++) {
    double va = ga[3 * c] * d[0] + ga[3 * c + 1] * d[1] + ga[3 * c + 2] * d[2];
    double vb = gb[3 * c] * d[0] + gb[3 * c + 1] * d[1] + gb[3 * c + 2] * d[2];
    double fa = room(va, w[c], low[c], high[c]);
    double fb = room(-vb, w[c], low[c], high[c]);
    pa[c] = fa < pa[c] ? fa : pa[c];
    pb[c] = fb < pb[c] ? fb : pb[c];
  }
}

/* ---- JSON: NULL, or what is behind the value at s ------------------------ */

static const char *json(const char *s, int depth);

static const char *
space(const char *s) {
  while (s && isspace((unsigned char)*s)) s++;
  return s;
}

static const char *
json_text(const char *s) {
  if (*s != '"') return NULL;
  for (s++; *s && *s != '"'; s++)
    if (*s == '\\' && !*++s) return NULL;
  return *s ? s + 1 : NULL;
}

/* Elements of an array, or members of an object. */
static const char *
json_list(const char *s, int depth, bool named, char end) {
  s = space(s + 1);
  if (*s == end) return s + 1;
  for (;; s++) {
    s = space(s);
    if (named) {
      s = space(json_text(s));
      if (!s || *s++ != ':') return NULL;
    }
    s = space(json(space(s), depth + 1));
    if (!s || *s == end) return s ? s + 1 : NULL;
    if (*s != ',') return NULL;
  }
}

static const char *
json(const char *s, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  if (depth > 20) return NULL;
  if (*s == '{') return json_list(s, depth, true, '}');
  if (*s == '[') return json_list(s, depth, false, ']');
  if (*s == '"') return json_text(s);
  for (int k = 0; k < 3; k++)
    if (!strncmp(s, words[k], strlen(words[k]))) return s + strlen(words[k]);
  if (*s != '-' && !isdigit((unsigned char)*s)) return NULL;
  char *end;
  strtod(s, &end);
  return end;
}

/* ---- the program --------------------------------------------------------- */

static char path[64], text[1 << 16];

static void
loops(void) {
  static double values[N], out[N];
  static int table[2 * N];
  for (int e = 0; e < N; e++) {
    values[e] = e;
    table[2 * e] = e;
    table[2 * e + 1] = (e + 1) % N;
  }
  op_set s = op_decl_set(N, "set");
  op_map m = op_decl_map(s, s, 2, table, "m");
  op_dat a = op_decl_dat(s, 1, "double", values, "a");
  op_dat b = op_decl_dat(s, 1, "double", (double *)NULL, "b");
  for (int k = 0; k < ROUNDS; k++) {
    op_par_loop(scale, "scale \"it\"", s,
                op_arg_dat(a, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
    op2_flush();
    op_par_loop(gather, "gather", s, op_arg_dat(b, 0, m, 1, "double", OP_READ),
                op_arg_dat(b, 1, m, 1, "double", OP_READ),
                op_arg_dat(a, -1, OP_ID, 1, "double", OP_RW));
    op_fetch_data(a, out);
  }
  CHECK_REAL(out[1], 1 - 3 - 3);
}

#define OWN(d, dim, acc) op_arg_dat(d, -1, OP_ID, dim, "double", acc)

static op_dat
zeros(op_set s, int dim, const char *name) {
  return op_decl_dat(s, dim, "double", (double *)NULL, name);
}

static void
long_loop(void) {
  op_set s = op_decl_set(N, "bounded");
  op_dat x = zeros(s, 3, "x"), w = zeros(s, 5, "w"), low = zeros(s, 5, "low");
  op_dat ga = zeros(s, 15, "ga"), gb = zeros(s, 15, "gb");
  op_dat high = zeros(s, 5, "high");
  op_dat pa = zeros(s, 5, "pa"), pb = zeros(s, 5, "pb");
  op_par_loop(bound, "bound", s, OWN(x, 3, OP_READ), OWN(w, 5, OP_READ),
              OWN(ga, 15, OP_READ), OWN(gb, 15, OP_READ), OWN(low, 5, OP_READ),
              OWN(high, 5, OP_READ), OWN(pa, 5, OP_MIN), OWN(pb, 5, OP_MIN));
  op2_flush();
}

/* Elements at once in the region of that name; -1: not there. */
static int
lanes_of(const char *region) {
  static const char key[] = "\"lanes\": ";
  char name[40];
  snprintf(name, sizeof name, "\"name\": \"%s\"", region);
  const char *at = strstr(text, name);
  at = at ? strstr(at, key) : NULL;
  return at ? atoi(at + sizeof key - 1) : -1;
}

/* Code that was not optimised yet goes element by element. */
static bool
may_be_quick(void) {
  const char *tiers = getenv("OP2_TIERS");
  return tiers && !strcmp(tiers, "always");
}

static bool
has(const char *words) {
  return strstr(text, words) != NULL;
}

static void
look(void) {
  FILE *f = fopen(path, "r");
  CHECK(f != NULL);
  if (!f) return;
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  remove(path);
  const char *end = space(json(text, 0));
  CHECK(n && n < sizeof text - 1 && end == text + n);
  CHECK(has("\"name\": \"scale \\\"it\\\"\", \"calls\": 2,"));
  CHECK(has("\"name\": \"gather\"") && has("\"would_help\": \""));
  if (!may_be_quick()) CHECK(lanes_of("bound") > 1 || lanes_of("gather") <= 1);
  CHECK(has("\"bound\": \"") && has("\"outside\": {") && has("\"flushes\": ["));
  if (check_ranks() == 1 && has("\"more\": false"))
    CHECK(has("\"flops\": 1200, ")); /* 2 an element, 2 calls */
  if (check_lazy())
    CHECK(has("\"because\": \"values of a dat are looked at\""));
}

/* It runs a loop when it is time for the next try. Its loops run on one thread. */
static void
child(void) {
  enum { LONGER = 200000 /* microseconds */ };
  const char *team = getenv("OP2_TEAM");
  int status = 1;
  if (check_ranks() > 1 || check_device() || (team && !strcmp(team, "all")))
    return;
  fflush(stdout);
  pid_t pid = fork();
  if (!pid) {
    usleep(LONGER);
    long_loop();
    _exit(0);
  }
  CHECK_INT(waitpid(pid, &status, 0), pid);
  CHECK_INT(status, 0);
}

int
main(int argc, char **argv) {
  int number = check_ranks() > 1 ? getppid() : getpid(); /* one for all */
  snprintf(path, sizeof path, "op2_report.%d.json", number);
  setenv("OP2_REPORT", path, 1);
  check_start(argc, argv);
  loops();
  long_loop();
  child();
  op_exit();
  if (!check_rank()) look();
  setenv("OP2_REPORT", "0", 1);
  op_init(argc, argv, 0); /* check_end ends it */
  return check_end();
}
