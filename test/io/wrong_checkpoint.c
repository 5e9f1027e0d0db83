/* op2_restart compares before it changes anything; a dat that was left out has no
 * values; a checkpoint that cannot be written leaves the former one and says
 * so. */
#include "test/programs/check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 5000 };

static int nmessages;
static char message[4096];

static void
on_error(int status, const char *text, void *user) {
  (void)user;
  nmessages++;
  snprintf(message, sizeof message, "%d: %s", status, text);
}

/* One message of this status that has these words. */
static void
check_said(int line, int status, const char *words) {
  if (nmessages != 1 || atoi(message) != status || !strstr(message, words))
    check_fail(__FILE__, line, "%d messages, \"%s\", expected %d: ...%s...",
               nmessages, message, status, words);
  nmessages = 0;
  *message = 0;
}
#define SAID(status, words) check_said(__LINE__, status, words)
/* op2_restart returns this status, and says these words, with its place. */
#define REFUSED(status, words)                                                 \
  do {                                                                         \
    CHECK_INT(op2_restart("run.h5"), status);                                  \
    CHECK(strstr(message, __FILE__ ":"));                                      \
    CHECK(strstr(message, "op2_restart: \"run.h5\""));                         \
    check_said(__LINE__, status, words);                                       \
  } while (0)

static void
copy(const double *a, double *b) {
  *b = *a;
}
static void
grow(double *a) {
  *a += 1;
}
static void
sum(const double *a, double *s) {
  *s += *a;
}

static op_set cells;
static op_dat q, old, fixed;
static op2_gbl gbl;

/* dim and type of q, size of the set: what the file is compared with */
static void
start(int dim, const char *type, int size) {
  op_init(0, NULL, 2);
  cells = op_decl_set(size, "cells");
  q = op_decl_dat_char(cells, dim, type, !strcmp(type, "float") ? 4 : 8, NULL,
                       "q");
  old = op_decl_dat(cells, 1, "double", (double *)NULL, "old");
  fixed = op_decl_dat(cells, 1, "double", (double *)NULL, "fixed");
  gbl = op2_decl_gbl(2, "double", NULL, "g");
}

static void
loop_copy(op_dat from, op_dat to) {
  op_par_loop(copy, "copy", cells,
              op_arg_dat(from, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(to, -1, OP_ID, 1, "double", OP_WRITE));
}
static void
loop_grow(op_dat d) {
  op_par_loop(grow, "grow", cells,
              op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW));
}

/* q is 1 in the file, old left out (with IR), fixed as declared. */
static void
write_good(void) {
  start(1, "double", N);
  loop_copy(q, old);
  loop_grow(q);
  CHECK_INT(op2_checkpoint("run.h5"), 0);
  loop_copy(q, old);
  op_exit();
  CHECK_INT(nmessages, 0);
}

static void
wrong_files(void) {
  start(1, "double", N);
  CHECK_INT(op2_restart("none.h5"), OP2_ERR_IO);
  SAID(OP2_ERR_IO, "op2_restart: \"none.h5\": expected a file to read");
  CHECK_INT(op2_restart(NULL), OP2_ERR_ARG);
  SAID(OP2_ERR_ARG, "op2_restart: expected a file name, found NULL");
  CHECK_INT(op2_checkpoint(NULL), OP2_ERR_ARG);
  SAID(OP2_ERR_ARG, "op2_checkpoint: expected a file name, found NULL");
  CHECK_INT(op2_checkpoint("/nowhere/run.h5"), OP2_ERR_IO);
  SAID(OP2_ERR_IO,
       "op2_checkpoint: \"/nowhere/run.h5.part\": cannot be written");
  op_dump_to_hdf5("dump.h5");
  CHECK_INT(op2_restart("dump.h5"), OP2_ERR_IO);
  SAID(OP2_ERR_IO, "\"dump.h5\": expected a checkpoint, found another HDF5");
  op_exit();
}

static void
other_programs(void) {
  start(2, "double", N);
  REFUSED(OP2_ERR_IO, "dat \"q\": expected f64 x 2 on 5000 elements of set "
                      "\"cells\", found f64 x 1 on 5000 of \"cells\"");
  op_exit();
  start(1, "float", N);
  REFUSED(OP2_ERR_IO, "dat \"q\": expected f32 x 1");
  op_exit();
  start(1, "double", N - 1);
  REFUSED(OP2_ERR_IO, "expected f64 x 1 on 4999 elements");
  op_exit();
  start(1, "double", N);
  op_decl_dat(cells, 1, "int", (int *)NULL, "more");
  REFUSED(OP2_ERR_IO, "expected dat \"more\", found none");
  op_exit();
  start(1, "double", N);
  op2_free_gbl(gbl);
  gbl = op2_decl_gbl(3, "double", NULL, "g");
  REFUSED(OP2_ERR_IO, "global \"g\": expected f64 x 3, found f64 x 2");
  op2_free_gbl(gbl);
  REFUSED(OP2_ERR_IO, "to be declared, found no \"globals/g\"");
  op_exit();
  start(1, "double", N);
  loop_grow(fixed);
  REFUSED(OP2_ERR_STATE, "dat \"fixed\": expected as it was declared");
  op_exit();
}

static void
check_q(double want) {
  double v[N];
  op_fetch_data(q, v);
  CHECK_REAL(v[0], want);
  CHECK_REAL(v[N - 1], want);
}

/* Only kernels with IR prove that `old` was written as a whole. */
static void
left_out(void) {
  double v[N], s = 0;
  start(1, "double", N);
  loop_grow(q);
  loop_grow(q); /* what stood there does not matter */
  CHECK_INT(op2_restart("run.h5"), 0);
  check_q(1);
  loop_copy(old, q);
  SAID(OP2_ERR_STATE,
       "op_par_loop \"copy\": argument: dat \"old\" has no values "
       "since op2_restart(\"run.h5\")");
  op_par_loop(sum, "sum", cells,
              op_arg_dat(old, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&s, 1, "double", OP_INC));
  SAID(OP2_ERR_STATE, "op_par_loop \"sum\"");
  op_fetch_data(old, v);
  SAID(OP2_ERR_STATE, "op_fetch_data: dat \"old\" has no values");
  CHECK(!op2_dat_data_rw(old));
  SAID(OP2_ERR_STATE, "op2_dat_data_rw: dat \"old\" has no values");
  op_upload_dat(old);
  SAID(OP2_ERR_STATE, "op_upload_dat: dat \"old\" has no values");
  op_fetch_data_hdf5_file(old, "old.h5");
  SAID(OP2_ERR_STATE, "op_fetch_data_hdf5_file: dat \"old\" has no values");
  check_q(1);
  CHECK_INT(op2_checkpoint("again.h5"), 0); /* nor has it any there */
  loop_copy(q, old);
  op_fetch_data(old, v);
  CHECK_REAL(v[N - 1], 1);
  op2_flush();
  loop_grow(old);
  CHECK_INT(op2_restart("again.h5"), 0);
  op_fetch_data(old, v);
  SAID(OP2_ERR_STATE, "since op2_restart(\"again.h5\")");
  loop_copy(q, old);
  op_fetch_data(old, v);
  CHECK_REAL(v[0], 1);
  op_exit();
  CHECK_INT(nmessages, 0);
}

static void
in_the_programs_memory(void) {
  static double memory[N];
  char *args[] = {"program", "OP_NO_REALLOC"};
  op_init(2, args, 2);
  cells = op_decl_set(N, "cells");
  q = op_decl_dat(cells, 1, "double", (double *)NULL, "q");
  old = op_decl_dat(cells, 1, "double", memory, "old");
  fixed = op_decl_dat(cells, 1, "double", (double *)NULL, "fixed");
  gbl = op2_decl_gbl(2, "double", NULL, "g");
  REFUSED(OP2_ERR_STATE, "dat \"old\" was left out, which expects a dat in the "
                         "library's memory");
  op_exit();
}

/* No file may grow above so much: the disk is full. */
static void
limit(rlim_t bytes) {
  struct rlimit l;
  getrlimit(RLIMIT_FSIZE, &l);
  l.rlim_cur = bytes ? bytes : l.rlim_max;
  setrlimit(RLIMIT_FSIZE, &l);
}

/* One of the tests in a process of its own: HDF5 (1.10.8) does not let go of a file
 * that it could not write or read all of, which is no leak of ours. */
static void
apart(const char *self, const char *test) {
  char command[4096];
  int size = snprintf(command, sizeof command,
                      "ASAN_OPTIONS=detect_leaks=0 '%s' %s", self, test);
  CHECK(size < (int)sizeof command);
  CHECK_INT(system(command), 0);
}

/* The loop that found out, or op_exit, reports it; the run goes on, and the former file
 * is whole. */
static void
disk_full(void) {
  signal(SIGXFSZ, SIG_IGN);
  start(1, "double", N);
  loop_grow(q);
  loop_grow(q);
  limit(10000);
  int st = op2_checkpoint("run.h5");
  loop_grow(q);
  op2_flush();
  limit(0);
  CHECK(check_ir() ? st == 0 : 1);
  SAID(OP2_ERR_IO, "op2_checkpoint(\"run.h5\")");
  CHECK(access("run.h5.part", F_OK));
  check_q(3);
  CHECK_INT(op2_restart("run.h5"), 0);
  check_q(1);
  op_exit();
  CHECK_INT(nmessages, 0);
}

/* What others have put beside the file's place is not written to; a pipe in place of
 * a file is not waited for. */
static void
planted(void) {
  char text[8] = "";
  FILE *f = fopen("victim", "w");
  CHECK(f && fputs("theirs", f) >= 0 && !fclose(f));
  CHECK(!symlink("victim", "run.h5.part"));
  start(1, "double", N);
  loop_grow(q);
  CHECK_INT(op2_checkpoint("run.h5"), 0);
  op2_flush();
  op_exit();
  CHECK_INT(nmessages, 0);
  f = fopen("victim", "r");
  CHECK(f && fgets(text, sizeof text, f) && !fclose(f));
  CHECK(!strcmp(text, "theirs"));
  start(1, "double", N);
  CHECK(!mkfifo("pipe.h5", 0600));
  CHECK(op2_restart("pipe.h5") == OP2_ERR_IO);
  SAID(OP2_ERR_IO,
       "\"pipe.h5\": expected a file to read, found something else");
  op_exit();
}

/* One byte of a dat's values changes on disk; another process finds it. */
static void
damaged(const char *self) {
  static char file[1 << 20];
  double value = 2; /* of q behind two loops from 0 */
  start(1, "double", N);
  loop_grow(q);
  loop_grow(q);
  CHECK_INT(op2_checkpoint("bad.h5"), 0);
  op2_flush();
  check_q(2);
  op_exit();
  FILE *f = fopen("bad.h5", "r+");
  CHECK(f != NULL);
  size_t n = fread(file, 1, sizeof file, f), at = 0;
  while (at + 160 < n &&
         (memcmp(file + at, &value, 8) || memcmp(file + at + 152, &value, 8)))
    at++;
  CHECK(at + 160 < n);
  CHECK(!fseek(f, (long)at + 6, SEEK_SET) && fputc('!', f) != EOF);
  CHECK(!fclose(f));
  apart(self, "damaged");
}

static void
read_damaged(void) {
  start(1, "double", N);
  CHECK(op2_restart("bad.h5") == OP2_ERR_IO);
  SAID(OP2_ERR_IO, "cannot be read: data error detected by Fletcher32");
  op_exit();
}

int
main(int argc, char **argv) {
  op2_set_error_handler(on_error, NULL);
  if (argc > 1) {
    strcmp(argv[1], "full") ? read_damaged() : disk_full();
    return check_failures != 0;
  }
  write_good();
  wrong_files();
  other_programs();
  if (check_ir()) left_out();
  if (check_ir()) in_the_programs_memory();
  apart(argv[0], "full");
  planted();
  damaged(argv[0]);
  if (!check_failures) printf("ok\n");
  return check_failures != 0;
}
