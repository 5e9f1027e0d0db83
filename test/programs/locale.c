/* Numbers in files have a point, also in a program whose locale has a comma, and the
 * program's own output keeps its comma. The locale is made from the system's sources
 * where it is not there; without these only the program's is checked. */
#include "check.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "op_lib_core.h"

enum { N = 3, TEXT = 1 << 16 };

static void
halve(double *x) {
  *x = *x / 2;
}

/* A locale with a comma, in `folder` if it has to be made: TEST_LOCALES is where
 * it was made for many runs. */
static int
comma(const char *folder) {
  char command[256];
  if (getenv("TEST_LOCALES")) setenv("LOCPATH", getenv("TEST_LOCALES"), 1);
  if (setlocale(LC_ALL, "de_DE.UTF-8")) return 1;
  snprintf(command, sizeof command,
           "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", folder);
  if (system(command) < 0) return 0;
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void
expect_text(const char *path, const char *words) {
  static char text[TEXT];
  FILE *f = fopen(path, "r");
  CHECK(f != NULL);
  if (!f) return;
  text[fread(text, 1, TEXT - 1, f)] = 0;
  fclose(f);
  if (!strstr(text, words))
    check_fail(__FILE__, __LINE__, "%s: no '%s' in '%.300s'", path, words,
               text);
}

static void
no_comma(const char *path, int commas) {
  FILE *f = fopen(path, "r");
  int c, last = 0, found = 0;
  CHECK(f != NULL);
  if (!f) return;
  while ((c = fgetc(f)) != EOF) { /* 0,5 but not [0, 5] */
    found += c == ',' && last >= '0' && last <= '9';
    last = c;
  }
  fclose(f);
  CHECK_INT(found, commas);
}

int
main(int argc, char **argv) {
  char folder[] = "/tmp/op2-locale-XXXXXX", path[64], clean[64];
  double values[N] = {1, 3, -5};
  CHECK(mkdtemp(folder) != NULL);
  int have = comma(folder);
  setenv("OP2_HALO_COSTS", "2.5,8000,5", 1);
  check_start(argc, argv);
  op_set s = op_decl_set(N, "s");
  op_dat x = op_decl_dat(s, 1, "double", values, "x");
  op_par_loop(halve, "halve", s, op_arg_dat(x, -1, OP_ID, 1, "double", OP_RW));
  snprintf(path, sizeof path, "%s/x.txt", folder);
  snprintf(clean, sizeof clean, "rm -rf %s", folder);
  op_print_dat_to_txtfile(x, path);
  if (op_is_root()) expect_text(path, " -2.500000000000000E+00");
  op_timing_output_2_file(path);
  if (op_is_root()) no_comma(path, 0);
  op_profile_start("all");
  op_profile_enter("part");
  op_profile_exit();
  op_profile_output_json(path);
  if (op_is_root()) expect_text(path, "\"total\": 0.");
  op_profile_end();
  snprintf(path, sizeof path, "%s/t.json", folder);
  CHECK_INT(op2_trace_write(path), 0);
  char own[16];
  snprintf(own, sizeof own, "%.1f", 0.5);
  CHECK(!strcmp(own, have ? "0,5" : "0.5"));
  CHECK(system(clean) == 0);
  return check_end();
}
