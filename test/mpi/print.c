/* Printed dats: one file of all ranks' elements in global order, which rank 0 alone
 * writes; op_dump_dat on its stdout. Each rank has a folder of its own, so that a file
 * of another rank would be seen.
 *
 * RUN: 2
 * RUN: 3
 * RUN: 3 PART=RANDOM
 * RUN: 2 OP2_DECLARE=whole
 */
#include "../programs/check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 500, DIM = 2 }; /* of a rank */

static int rank;

/* The bytes of the file; -1: there is none. */
static long
take(const char *path, char *out, size_t room) {
  FILE *f = fopen(path, "rb");
  if (!f) return -1;
  size_t n = fread(out, 1, room - 1, f);
  fclose(f);
  out[n] = 0;
  return (long)n;
}

/* Numbers 0, 1, ... `n` behind what `at` begins with. */
static void
check_lines(char *at, int n) {
  for (int i = 0; i < n; i++) CHECK_REAL(strtod(at, &at), i);
  CHECK_INT(at[0], '\n');
  CHECK_INT(at[1], 0);
}

static void
check_text(op_dat x, int total) {
  static char text[1 << 18];
  int n, dim, behind = 0;
  op_print_dat_to_txtfile(x, "x.txt");
  long got = take("x.txt", text, sizeof text);
  CHECK_INT(got >= 0, !rank);
  if (rank) return;
  CHECK_INT(sscanf(text, "%d %d%n", &n, &dim, &behind), 2);
  CHECK_INT(n, total);
  CHECK_INT(dim, DIM);
  check_lines(text + behind, total * DIM);
}

static void
check_bytes(op_dat x, int total) {
  static char bytes[1 << 18];
  op_print_dat_to_binfile(x, "x.bin");
  long got = take("x.bin", bytes, sizeof bytes);
  CHECK_INT(got >= 0, !rank);
  if (rank) return;
  CHECK_INT(got,
            (long)(2 * sizeof(int) + (size_t)total * DIM * sizeof(double)));
  for (int i = 0; i < total * DIM; i++) {
    double v;
    memcpy(&v, bytes + 2 * sizeof(int) + (size_t)i * sizeof v, sizeof v);
    CHECK_REAL(v, i);
  }
}

static void
check_dump(op_dat x, int total) {
  static char text[1 << 18];
  fflush(stdout);
  int was = dup(1), file = open("dump.txt", O_CREAT | O_TRUNC | O_WRONLY, 0666);
  CHECK(was >= 0 && file >= 0 && dup2(file, 1) == 1);
  op_dump_dat(x);
  fflush(stdout);
  CHECK(dup2(was, 1) == 1);
  close(was);
  close(file);
  long got = take("dump.txt", text, sizeof text);
  if (rank) CHECK_INT(got, 0);
  if (!rank) check_lines(text, total * DIM);
}

int
main(int argc, char **argv) {
  static double x[N * DIM * 3];
  const char *declare = getenv("OP2_DECLARE"), *part = getenv("PART");
  char folder[32];
  check_start(argc, argv);
  op_rank(&rank);
  snprintf(folder, sizeof folder, "rank-%d", rank);
  CHECK(!mkdir(folder, 0777));
  CHECK(!chdir(folder));
  int whole = declare && !strcmp(declare, "whole");
  int total = N * check_ranks(), mine = whole ? total : N;
  for (int i = 0; i < mine * DIM; i++) x[i] = i + (whole ? 0 : rank * N * DIM);
  op_set s = op_decl_set(mine, "s");
  op_dat d = op_decl_dat(s, DIM, "double", x, "d");
  if (part) op_partition(part, "", s, NULL, NULL);
  check_text(d, total);
  check_bytes(d, total);
  check_dump(d, total);
  return check_end();
}
