/* Options that ranks have to share: where rank 1 has another value than the others,
 * or one that is none, op_init fails on all, and says which option it is. Then all
 * begin anew.
 *
 * RUN: 2
 * RUN: 3 OP2_TRACE=1
 */
#include <sys/stat.h>

#include "../programs/check.h"

static const char *const values[][2] = {
    {"OP2_OFFLOAD_FALLBACK", "host"},
    {"OP2_DECLARE", "whole"},
    {"OP2_HALO_LIMIT", "auto"},
    {"OP2_HALO_COSTS", "1,1000,5"},
    {"OP2_OVERLAP", "0"},
    {"OP2_WAIT", "spin"},
    {"OP2_EAGER", "1"},
    {"OP2_DISABLE", "fuse"},
    {"OP2_TRACE_MAX_LOOPS", "7"},
    {"OP2_TRACE_MAX_BYTES", "7"},
    {"OP2_PROGRAMS", "7"},
    {"OP2_DEFER_OPAQUE", "1"},
    {"OP2_MIRROR", "0"},
    {"OP2_REPRODUCIBLE", "1"},
    {"OP2_CHECKPOINT", "all"},
    {"OP2_FILES", "root"},
    {"OP2_LAYOUT", "soa"},
    {"OP2_RENUMBER", "rcm"},
    {"OP2_VECTOR_MATH", "0"},
    {"OP2_THREADING", "colours"},
    {"OP2_INCREMENTS", "atomic"},
};

/* Those of the library that are marked so. */
static const char *const shared[] = {
#define RANKS_all(env) env,
#define RANKS_own(env)
#define OPT(field, env, type, def, ranks, line) RANKS_##ranks(env)
#include "../../base/opt.def"
#undef OPT
};

static int errors, rank;
static char text[4096];

static void
note(int status, const char *message, void *user) {
  (void)status;
  (void)user;
  errors++;
  snprintf(text, sizeof text, "%s", message);
}

static void
expect(const char *part) {
  if (!strstr(text, part))
    check_fail(__FILE__, __LINE__, "\"%s\" is not in: %s", part, text);
}

/* With that value on rank 1 alone. */
static void
start_apart(int argc, char **argv, const char *name, const char *value) {
  const char *before = getenv(name);
  char kept[64] = "";
  if (before) snprintf(kept, sizeof kept, "%s", before);
  if (rank == 1) setenv(name, value, 1);
  errors = 0;
  op_init(argc, argv, 0);
  CHECK_INT(errors, 1);
  expect(name);
  if (rank == 1) unsetenv(name);
  if (rank == 1 && before) setenv(name, kept, 1);
}

static const char *
other_value(const char *name) {
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (!strcmp(values[i][0], name)) return values[i][1];
  check_fail(__FILE__, __LINE__, "no value here for %s", name);
  return "";
}

static void
one(int *x) {
  *x = 1;
}

int
main(int argc, char **argv) {
  const char *me = getenv("OMPI_COMM_WORLD_RANK");
  struct stat st;
  char path[64];
  int x[3];
  if (!me) me = getenv("PMI_RANK");
  rank = me ? atoi(me) : 0;
  op2_set_error_handler(note, NULL);
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    const char *value = other_value(shared[i]);
    start_apart(argc, argv, shared[i], value);
    expect("on rank 1");
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", value);
    expect(quoted);
  }
  start_apart(argc, argv, "OP2_LAYOUT", "sideways");
  expect("expected auto, aos, soa");
  op2_set_error_handler(NULL, NULL);
  op_init(argc, argv, 0);
  op_set s = op_decl_set(3, "s");
  op_dat d = op_decl_dat(s, 1, "int", (int *)NULL, "d");
  op_par_loop(one, "one", s, op_arg_dat(d, -1, OP_ID, 1, "int", OP_WRITE));
  op_fetch_data(d, x);
  CHECK_INT(x[2], 1);
  snprintf(path, sizeof path, "op2_trace/rank-%d/0000.after.irt", rank);
  if (getenv("OP2_TRACE")) CHECK_INT(stat(path, &st), 0);
  CHECK_INT(op2_trace_write("mine.irt"), 0);
  snprintf(path, sizeof path, rank ? "mine.rank-%d.irt" : "mine.irt", rank);
  CHECK_INT(stat(path, &st), 0);
  return check_end();
}
