/* A wrong value of an option is an error of op_init that names the variable and
 * what was found; an op_init with the right one works then. */
#include "check.h"

static char said[1024];

static void
note(int status, const char *message, void *user) {
  (void)status;
  (void)user;
  snprintf(said, sizeof said, "%s", message);
}

static void
wrong(int argc, char **argv, const char *name, const char *value) {
  const char *old = getenv(name);
  char kept[256], found[256];
  snprintf(kept, sizeof kept, "%s", old ? old : "");
  snprintf(found, sizeof found, "%s=%s: ", name, value);
  said[0] = 0;
  setenv(name, value, 1);
  op_init(argc, argv, 0);
  if (!strstr(said, found))
    check_fail(__FILE__, __LINE__, "\"%s...\" is not in: %s", found, said);
  if (old)
    setenv(name, kept, 1);
  else
    unsetenv(name);
}

int
main(int argc, char **argv) {
  static const char *const texts[] = {
      "OP2_OFFLOAD_FALLBACK", "OP2_DECLARE",    "OP2_HALO_LIMIT", "OP2_WAIT",
      "OP2_MIRROR",           "OP2_CHECKPOINT", "OP2_FILES",      "OP2_LAYOUT",
      "OP2_RENUMBER",         "OP2_THREADING",  "OP2_INCREMENTS", "OP2_TEAM",
      "OP2_SANITIZE",         "OP2_DISABLE",    "OP2_TRIAL",      "OP2_READS"};
  op2_set_error_handler(note, NULL);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    wrong(argc, argv, texts[k], "nonsense");
  wrong(argc, argv, "OP2_HALO_LIMIT", "-1");
  wrong(argc, argv, "OP2_HALO_LIMIT", "1000");
  wrong(argc, argv, "OP2_EAGER", "1x");
  wrong(argc, argv, "OP2_TRACE_MAX_LOOPS", "many");
  wrong(argc, argv, "OP2_TRACE_MAX_BYTES", "16Q");
  wrong(argc, argv, "OP2_CACHE_SIZE", "-1");
  setenv("OP2_HALO_LIMIT", "auto", 1);
  wrong(argc, argv, "OP2_HALO_COSTS", "1,2");
  wrong(argc, argv, "OP2_HALO_COSTS", "1,2,3,4");
  unsetenv("OP2_HALO_LIMIT");
  op2_set_error_handler(NULL, NULL);
  check_start(argc, argv);
  CHECK_INT(op2_pending(), 0);
  return check_end();
}
