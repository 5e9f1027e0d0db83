/* OP2_STATIC=1: sets of any size, maps without a table, dats without data; loops
 * are recorded, their code is written, and what would run one, or look at values,
 * is an error that says so. */
#include "check.h"
#include "errors.h"

#include <limits.h>
#include <unistd.h>

static double gamma_of = 1.4;

static void
flux(const double *a, const double *b, double *ra, double *rb) {
  double f = gamma_of * (*b - *a);
  *ra += f;
  *rb -= f;
}

static void
update(double *r, double *q, double *sum) {
  for (int k = 0; k < 1000; k++) q[k] += *r;
  *sum += *r;
}

static op_set cells, edges;
static op_map ecell, checked;
static op_dat q, r, s;

/* 17 TB, if it were there; where ThreadSanitizer has taken the addresses, less. */
static void
declare(void) {
  const char *sanitizer = getenv("OP2_SANITIZE");
  int n = sanitizer && !strcmp(sanitizer, "thread") ? 1000 : INT_MAX;
  int table[] = {0, 1, 1, 0}, wrong[] = {0, 2};
  double none = 1;
  cells = op_decl_set(n, "cells");
  edges = op_decl_set(n, "edges");
  ecell = op_decl_map(edges, cells, 2, NULL, "ecell");
  q = op_decl_dat(cells, 1000, "double", (double *)NULL, "q");
  r = op_decl_dat(cells, 1, "double", (double *)NULL, "r");
  s = op_decl_dat(cells, 1, "double", (double *)NULL, "s");
  CHECK(ecell && q && r && s);
  op_set few = op_decl_set(2, "few");
  checked = op_decl_map(few, few, 2, table, "checked");
  CHECK(op_decl_dat(few, 1, "double", &none, "none")); /* it has two */
  CHECK(op_decl_dat_temp(few, 1, "double", &none, "temp"));
  op2_set_error_handler(on_error, NULL);
  errors = 0;
  CHECK(!op_decl_map(few, few, 1, wrong, "wrong"));
  CHECK(errors == 1 && strstr(message, "entry 0 of element 1"));
  op2_set_error_handler(NULL, NULL);
}

static void
record(void) {
  op2_gbl sum = op2_decl_gbl(1, "double", NULL, "sum");
  op_par_loop(flux, "flux", edges,
              op_arg_dat(r, 0, ecell, 1, "double", OP_READ),
              op_arg_dat(r, 1, ecell, 1, "double", OP_READ),
              op_arg_dat(s, 0, ecell, 1, "double", OP_INC),
              op_arg_dat(s, 1, ecell, 1, "double", OP_INC));
  op_par_loop(update, "update", cells,
              op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(q, -1, OP_ID, 1000, "double", OP_RW),
              op2_arg_gbl(sum, 1, "double", OP_INC));
  CHECK_INT(op2_pending(), 2);
  op2_set_error_handler(on_error, NULL);
  double out = 0;
  errors = 0;
  op2_gbl_get(sum, &out);
  CHECK(errors == 1 && code == OP2_ERR_STATE && strstr(message, "OP2_STATIC"));
  op2_set_error_handler(NULL, NULL);
}

/* A raw global that is written would have to be there now. */
static void
raw_global(void) {
  double sum = 0;
  op2_set_error_handler(on_error, NULL);
  errors = 0;
  for (int k = 0; k < 2; k++) {
    op_par_loop(update, "raw", cells,
                op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(q, -1, OP_ID, 1000, "double", OP_RW),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    if (!k) {
      CHECK(errors == 1 && strstr(message, "op2_defer_globals"));
      CHECK_INT(op2_pending(), 2);
      op2_defer_globals(1);
    }
  }
  CHECK_INT(errors, 1);
  CHECK_INT(op2_pending(), 3);
  op2_set_error_handler(NULL, NULL);
}

/* An error each, which names OP2_STATIC; the loops stay. */
static void
looks(void) {
  double out[4];
  op2_set_error_handler(on_error, NULL);
  errors = 0;
#define REFUSED(call)                                                          \
  do {                                                                         \
    int before = errors;                                                       \
    message[0] = 0;                                                            \
    call;                                                                      \
    CHECK_INT(errors, before + 1);                                             \
    CHECK_INT(code, OP2_ERR_STATE);                                            \
    CHECK(strstr(message, "OP2_STATIC"));                                      \
  } while (0)
  REFUSED(op2_flush());
  REFUSED(op_fetch_data(r, out));
  REFUSED(op_fetch_data_idx(r, out, 0, 1));
  REFUSED(op2_sync(r));
  REFUSED(CHECK(!op2_dat_data(q)));
  REFUSED(CHECK(!op2_dat_data_rw(q)));
  REFUSED(op_upload_dat(q));
  REFUSED(op_print_dat_to_txtfile(q, "none.txt"));
  REFUSED(op_timing_output());
  op2_set_error_handler(NULL, NULL);
  CHECK_INT(op2_pending(), 3);
}

static void
write_code(void) {
  char folder[] = "/tmp/op2-static-XXXXXX", path[64];
  const char *names[] = {"00-flux.ptx", "01-update.ptx",     "02-raw.ptx",
                         "00-flux.ll",  "01-update+raw.ll",  "01-update.ll",
                         "02-raw.ll",   "01-update+raw.ptx", "index.json",
                         "trace.irt"};
  CHECK(mkdtemp(folder) != NULL);
  CHECK_INT(op2_target_push("cuda"), OP2_OK); /* no card is asked for */
  CHECK_INT(op2_generate("cuda:sm_70", folder), OP2_OK);
  CHECK_INT(op2_generate("openmp", folder), OP2_OK);
  CHECK_INT(op2_target_pop(), OP2_OK);
  CHECK_INT(op2_pending(), 3);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    remove(path);
  }
  CHECK_INT(rmdir(folder), 0);
}

/* Subsets have their indices; maps that are made from maps without tables have
 * none. */
static void
subsets(void) {
  char folder[] = "/tmp/op2-static-XXXXXX", command[128];
  int at[] = {7, 3, 7}, turn[] = {1, 0};
  op_set some = op2_decl_subset(edges, 3, at, "some");
  op_set rest = op2_set_difference(some, some, "rest");
  op_map turned = op2_decl_map_permuted(ecell, turn, "turned");
  op_map twice = op2_decl_map_composed(checked, checked, "twice");
  CHECK_INT(op_get_size(some), 2);
  CHECK(rest && turned && twice && twice->dim == 4);
  op_par_loop(flux, "part", some, op_arg_dat(r, 0, ecell, 1, "double", OP_READ),
              op_arg_dat(r, 0, turned, 1, "double", OP_READ),
              op_arg_dat(s, 1, ecell, 1, "double", OP_INC),
              op_arg_dat(s, 1, turned, 1, "double", OP_INC));
  CHECK_INT(op2_pending(), 4);
  CHECK(mkdtemp(folder) != NULL);
  CHECK_INT(op2_generate("openmp", folder), OP2_OK);
  snprintf(command, sizeof command, "ls %s | grep -q part && rm -r %s", folder,
           folder);
  CHECK_INT(system(command), 0);
}

/* Kernels without IR run at their call; they cannot. */
static void
opaque(void) {
  op2_set_error_handler(on_error, NULL);
  errors = 0;
  op_par_loop(flux, "flux", edges,
              op_arg_dat(r, 0, ecell, 1, "double", OP_READ),
              op_arg_dat(r, 1, ecell, 1, "double", OP_READ),
              op_arg_dat(s, 0, ecell, 1, "double", OP_INC),
              op_arg_dat(s, 1, ecell, 1, "double", OP_INC));
  CHECK(errors == 1 && strstr(message, "OP2_STATIC"));
  CHECK(strstr(message, "without_data.c") && strstr(message, "\"flux\""));
  CHECK_INT(op2_pending(), 0);
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  setenv("OP2_STATIC", "1", 1);
  unsetenv("OP2_EAGER"); /* each loop would be an error */
  unsetenv("OP2_TRACE_MAX_LOOPS");
  if (check_ranks() > 1) op2_set_error_handler(on_error, NULL);
  check_start(argc, argv);
  if (check_ranks() > 1) {
    CHECK(strstr(message, "OP2_STATIC is set: expected one rank"));
    if (!check_failures) puts("ok");
    return check_failures != 0;
  }
  declare();
  if (!check_ir()) {
    opaque();
    return check_end();
  }
  record();
  raw_global();
  looks();
  write_code();
  subsets();
  return check_end();
}
