/* Ranks that come apart get an error that names what each did, and none waits for
 * another: rank 1 records one loop more, calls another kernel (one
 * that adds through a map), looks at data that the others do not look at, makes a mistake, leaves, or has no memory for a loop.
 * (!: the program does not end well, as ranks that disagree cannot.)
 *
 * RUN: !2 WRONG=more
 * RUN: !3 WRONG=kernel
 * RUN: !3 WRONG=look
 * RUN: !3 WRONG=argument
 * RUN: !4 WRONG=exit
 * RUN: !3 WRONG=scatter OP2_REPRODUCIBLE=1
 * RUN: !3 WRONG=memory
 * RUN: !3 WRONG=upload
 * RUN: !2 WRONG=option
 * RUN: !3 WRONG=partition
 */
#include <sys/resource.h>
#include <unistd.h>

#include "../programs/check.h"

static int errors;
static char text[1024];

static void
note(int status, const char *message, void *user) {
  (void)status;
  (void)user;
  if (!errors++) snprintf(text, sizeof text, "%s", message);
}

static void
one(int *a) {
  *a += 1;
}
static void
two(int *a) {
  *a += 2;
}

static void
clear(int *a) {
  *a = 0;
}

static op_set s;
static op_map next;
static op_dat a, b;

static void
scatter(const int *from, int *to) {
  *to += *from;
}

static void
add(op_dat d, int twice) {
  if (twice)
    op_par_loop(two, "two", s, op_arg_dat(d, -1, OP_ID, 1, "int", OP_RW));
  else
    op_par_loop(one, "one", s, op_arg_dat(d, -1, OP_ID, 1, "int", OP_RW));
}

static void
expect(const char *mine, const char *other) {
  CHECK(errors > 0);
  if (!strstr(text, mine) || !strstr(text, other))
    check_fail(__FILE__, __LINE__, "\"%s\" and \"%s\" are not in: %s", mine,
               other, text);
}

/* Memory that the process may have from now on. */
static void
limit_memory(size_t more) {
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  struct rlimit limit;
  if (!f || fscanf(f, "%ld", &pages) != 1) exit(2);
  fclose(f);
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) + more;
  setrlimit(RLIMIT_AS, &limit);
}

/* What was compiled for the first dat serves the second, whose buffer is too
 * large for one rank. */
static void
run_short(int apart) {
  op_set large = op_decl_set(20 << 20, "large");
  op_dat first = op_decl_dat(large, 1, "int", (int *)NULL, "first");
  op_dat second = op_decl_dat(large, 1, "int", (int *)NULL, "second");
  op_dat dats[] = {first, second};
  for (int k = 0; k < 2; k++) {
    if (k && apart) limit_memory(16 << 20);
    op_par_loop(clear, "clear", large,
                op_arg_dat(dats[k], -1, OP_ID, 1, "int", OP_WRITE));
    op2_flush();
    CHECK_INT(errors, k);
  }
  expect("no memory for", apart ? "bytes" : "rank 1: ");
}

/* The message of the one that is apart names itself first. */
static void
play(const char *how, int apart) {
  int out[8], sum = 0;
  add(a, 0);
  if (!strcmp(how, "more")) {
    if (apart) add(a, 0);
    op2_flush();
    expect("op_par_loop \"one\"", "after 1 loops");
  } else if (!strcmp(how, "kernel")) {
    add(a, apart);
    op2_flush();
    expect("op_par_loop \"one\"", "op_par_loop \"two\"");
  } else if (!strcmp(how, "scatter")) {
    if (apart)
      add(a, 0);
    else
      op_par_loop(scatter, "scatter", s,
                  op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
                  op_arg_dat(b, 0, next, 1, "int", OP_INC));
    op2_flush();
    expect("op_par_loop \"one\"", "op_par_loop \"scatter\"");
  } else if (!strcmp(how, "look")) {
    op_fetch_data(apart ? b : a, out);
    expect("op_fetch_data", "op_fetch_data");
  } else if (!strcmp(how, "argument")) {
    op_par_loop(one, "one", s,
                op_arg_dat(a, -1, OP_ID, apart ? 2 : 1, "int", OP_RW));
    op2_flush();
    if (apart)
      expect("wrong dim", "found 2");
    else
      expect("op_par_loop \"one\"", "after 1 loops");
  } else if (!strcmp(how, "memory")) {
    run_short(apart);
  } else if (!strcmp(how, "exit")) {
    if (apart) {
      op_exit();
    } else {
      op_par_loop(one, "sum", s, op_arg_gbl(&sum, 1, "int", OP_INC));
      op2_flush();
    }
    expect("op_exit", "sum");
  } else if (!strcmp(how, "upload")) {
    op2_sync(a);
    op2_flush();
    if (apart) op_upload_dat(a);
    add(a, 0);
    op2_flush();
    expect("op_par_loop \"one\"", "op_upload_dat");
  } else if (!strcmp(how, "option")) {
    if (apart) op2_defer_globals(0);
    op_par_loop(one, "sum", s, op_arg_gbl(&sum, 1, "int", OP_INC));
    op2_flush();
    expect(apart ? "op2_defer_globals" : "sum", "op2_defer_globals");
  } else if (!strcmp(how, "partition")) {
    op2_flush();
    if (apart) op2_decl_gbl(1, "int", NULL, "more");
    op_partition("RANDOM", "", s, next, NULL);
    expect("ranks do not make the same calls", "op2_decl_gbl");
  }
}

/* The launcher ends all ranks when one has ended like this: wait until each has
 * said how it went, in a file. */
static void
wait_for_all(int rank, int ranks) {
  char name[32];
  snprintf(name, sizeof name, "said.%d", rank);
  FILE *f = fopen(name, "w");
  if (f) fclose(f);
  for (int r = 0; r < ranks; r++) {
    snprintf(name, sizeof name, "said.%d", r);
    while (access(name, F_OK)) usleep(1000);
  }
}

int
main(int argc, char **argv) {
  const char *how = getenv("WRONG");
  int rank, data[8] = {0};
  check_start(argc, argv);
  op_rank(&rank);
  op2_set_error_handler(note, NULL);
  op_set ranks = op_decl_set(1, "ranks");
  s = op_decl_set(4 + rank, "s");
  next = op_decl_map(s, s, 1, data, "next"); /* all to the first */
  a = op_decl_dat(s, 1, "int", data, "a");
  b = op_decl_dat(s, 1, "int", data, "b");
  op2_defer_globals(1);
  play(how ? how : "", rank == 1);
  if (!check_failures) printf("ok\n");
  fflush(stdout);
  wait_for_all(rank, (int)(op_get_size(ranks)));
  _exit(check_failures != 0);
}
