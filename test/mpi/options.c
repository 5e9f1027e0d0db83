/* Options that ranks have to share: where rank 1 has another value than the others,
 * or one that is none, op_init fails on all, and says which option it is. Then all
 * begin anew.
 *
 * RUN: 2
 * RUN: 3 OP2_TRACE=1
 */
#include <sys/stat.h>

#include "../programs/check.h"
#include "../programs/rank_options.h"

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
  if (rank_option_missing())
    check_fail(__FILE__, __LINE__, "no value here for %s",
               rank_option_missing());
  for (size_t i = 0; i < NSHARED; i++) {
    const char *value = shared_values[i][1];
    start_apart(argc, argv, shared_values[i][0], value);
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
