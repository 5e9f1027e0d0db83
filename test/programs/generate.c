/* op2_generate writes the code of what is pending and runs nothing: the loops
 * stay, run later, and give what they would have given. Errors name the loop.
 *   generate [FOLDER]   leaves the code there, and pending.irt, the trace of it */
#include "check.h"
#include "errors.h"

#include <unistd.h>

enum { NCELL = 50, NEDGE = 49 };

static double scale = 0.25;

static void
flux(const double *a, const double *b, double *ra, double *rb) {
  double f = *b - *a;
  *ra += f;
  *rb -= f;
}

/* Code for later runs knows no value of it. */
static int levels = 3;

static void
fill(double *x) {
  for (int l = 0; l < levels; l++) x[l] = l;
}

static void
update(double *r, double *q, const double *dt, double *sum) {
  *q += *dt * scale * *r;
  *sum += *r * *r;
  *r = 0;
}

/* No device has arrays of a length that is known when it runs. */
static void
variable(double *q, const int *n) {
  double x[*n];
  for (int k = 0; k < *n; k++) x[k] = k ? x[k - 1] : 0;
  *q += x[*n - 1];
}

static op_set cells, edges;
static op_map ecell;
static op_dat q, r;
static op2_gbl sum;

static void
declare(void) {
  static double start[NCELL];
  static int table[2 * NEDGE];
  for (int e = 0; e < NCELL; e++) start[e] = e * e % 17;
  for (int e = 0; e < NEDGE; e++) table[2 * e] = e, table[2 * e + 1] = e + 1;
  cells = op_decl_set(NCELL, "cells");
  edges = op_decl_set(NEDGE, "edges");
  ecell = op_decl_map(edges, cells, 2, table, "ecell");
  q = op_decl_dat(cells, 1, "double", start, "q");
  r = op_decl_dat(cells, 1, "double", (double *)NULL, "r");
  sum = op2_decl_gbl(1, "double", NULL, "sum");
  op_decl_const(1, "double", &scale);
}

static void
record(double dt) {
  op_par_loop(flux, "flux", edges,
              op_arg_dat(q, 0, ecell, 1, "double", OP_READ),
              op_arg_dat(q, 1, ecell, 1, "double", OP_READ),
              op_arg_dat(r, 0, ecell, 1, "double", OP_INC),
              op_arg_dat(r, 1, ecell, 1, "double", OP_INC));
  op_par_loop(update, "update", cells,
              op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(q, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(&dt, 1, "double", OP_READ),
              op2_arg_gbl(sum, 1, "double", OP_INC));
}

/* The same in plain C: q and the sum after two steps. */
static double
by_hand(double *out, const double *dt) {
  double res[NCELL] = {0}, total = 0;
  for (int e = 0; e < NCELL; e++) out[e] = e * e % 17;
  for (int step = 0; step < 2; step++) {
    for (int e = 0; e < NEDGE; e++)
      flux(&out[e], &out[e + 1], &res[e], &res[e + 1]);
    for (int e = 0; e < NCELL; e++) update(&res[e], &out[e], &dt[step], &total);
  }
  return total;
}

static char text[1 << 16];

static const char *
content(const char *folder, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = 0;
  return text;
}

/* Words of the index, in this order. */
static void
check_words(const char *const *words) {
  const char *at = text;
  for (; *words; words++) {
    const char *next = strstr(at, *words);
    if (!next) {
      check_fail(__FILE__, __LINE__, "no %s in the index behind %.80s", *words,
                 at);
      return;
    }
    at = next + strlen(*words);
  }
}

static void
check_cuda(const char *folder) {
  static const char *const words[] = {"\"target\": \"cuda\"",
                                      "\"format\": \"ptx\"",
                                      "\"arch\": \"sm_80\"",
                                      "\"set\": \"edges\"",
                                      "\"group\": ",
                                      "\"is\": \"map\", \"name\": \"ecell\"",
                                      "\"is\": \"dat\", \"name\": \"r\"",
                                      "\"name\": \"flux\"",
                                      "\"set\": \"cells\"",
                                      "\"is\": \"word\"",
                                      "\"is\": \"constant\"",
                                      "\"name\": \"scale\"",
                                      "\"is\": \"value\"",
                                      "\"argument\": 2",
                                      "\"is\": \"inc\", \"name\": \"sum\"",
                                      "\"op2_combine\"",
                                      "\"name\": \"update\"",
                                      NULL};
  content(folder, "index.json");
  check_words(words);
  CHECK(strstr(content(folder, "00-flux.ptx"), ".target sm_80"));
  CHECK(strstr(content(folder, "01-update.ptx"),
               ".visible .entry op2_combine"));
  CHECK(strstr(content(folder, "trace.irt"), "loop @flux over %edges"));
}

static void
check_host(const char *folder) {
  static const char *const words[] = {
      "\"target\": \"openmp\"",    "\"format\": \"llvm\"",
      "\"entry\": \"op2_region\"", "\"is\": \"map\"",
      "\"is\": \"dat\"",           "\"is\": \"constant\"",
      "\"is\": \"sum\"",           NULL};
  content(folder, "index.json");
  check_words(words);
  CHECK(strstr(content(folder, "00-flux.ll"), "define"));
}

/* The loop waits with what is proven for one value; its code is for all, and some
 * leave something as it was. */
static void
check_levels(const char *folder) {
  op2_flush();
  op_dat x = op_decl_dat(cells, 3, "double", (double *)NULL, "column");
  op_par_loop(fill, "fill", cells,
              op_arg_dat(x, -1, OP_ID, 3, "double", OP_WRITE));
  if (!op2_pending() || !check_ir()) return;
  CHECK_INT(op2_generate("openmp", folder), OP2_OK);
  if (check_rank()) return;
  content(folder, "index.json");
  CHECK(strstr(text, "\"is\": \"constant\", \"name\": \"levels\""));
  content(folder, "trace.irt");
  CHECK(strstr(text, "%column.0"));
}

static void
clean(const char *folder) {
  static const char *const names[] = {
      "00-flux.ptx", "01-update.ptx", "00-flux.bc",     "01-update.bc",
      "00-flux.ll",  "01-update.ll",  "00-flux.o",      "01-update.o",
      "trace.irt",   "index.json",    "00-variable.ll", "00-lengths.ptx",
      "00-fill.ll"};
  char path[512];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    remove(path);
  }
}

/* Which targets, and what each leaves behind. */
static void
write_code(const char *folder) {
  CHECK_INT(op2_generate("cuda:sm_90", folder), OP2_OK);
  if (!check_rank())
    CHECK(strstr(content(folder, "00-flux.ptx"), ".target sm_90"));
  CHECK_INT(op2_generate("opencl", folder), OP2_OK);
  CHECK_INT(op2_generate("openmp:object", folder), OP2_OK);
  CHECK_INT(op2_generate("seq", folder), OP2_OK);
  CHECK_INT(op2_generate("openmp", folder), OP2_OK);
  if (!check_rank()) check_host(folder);
  CHECK_INT(op2_generate("cuda", folder), OP2_OK);
  if (!check_rank()) check_cuda(folder);
}

/* They leave everything as it is. */
static void
wrong_calls(const char *folder) {
  char below[512];
  snprintf(below, sizeof below, "%s/index.json/code", folder);
  errors = 0;
  op2_set_error_handler(on_error, NULL);
  CHECK_INT(op2_generate("abacus", folder), OP2_ERR_TARGET);
  CHECK(strstr(message, "abacus") && strstr(message, "spirv"));
  CHECK_INT(op2_generate("cuda:sm_5", folder), OP2_ERR_TARGET);
  CHECK(strstr(message, "sm_5") && strstr(message, "sm_90"));
  CHECK_INT(op2_generate("opencl:llvm", folder), OP2_ERR_TARGET);
  CHECK_INT(op2_generate(NULL, folder), OP2_ERR_ARG);
  CHECK_INT(op2_generate("cuda", NULL), OP2_ERR_ARG);
  CHECK_INT(op2_generate("cuda", below) != OP2_OK, 1);
  if (!check_rank()) CHECK(strstr(message, "cannot make folder"));
  CHECK_INT(errors, 6);
  op2_set_error_handler(NULL, NULL);
}

/* Loops that wait, and that no device takes. */
static void
refused(const char *folder) {
  int n = 3;
  CHECK_INT(op2_target_push("openmp"), OP2_OK);
  if (!check_ir()) CHECK_INT(op2_kernel_pure(variable), OP2_OK);
  op_par_loop(variable, "variable", cells,
              op_arg_dat(q, -1, OP_ID, 1, "double", OP_RW),
              op_arg_gbl(&n, 1, "int", OP_READ));
  CHECK_INT(op2_target_pop(), OP2_OK);
  if (!op2_pending()) return;
  op2_set_error_handler(on_error, NULL);
  CHECK(op2_generate("cuda", folder) != OP2_OK);
  if (!check_rank()) {
    /* which of a call's lines it is differs between compilers */
    CHECK(strstr(message, "generate.c:") && strstr(message, "\"variable\""));
    CHECK(strstr(message, check_ir() ? "variable length" : "no IR"));
  }
  op2_set_error_handler(NULL, NULL);
  CHECK_INT(op2_generate("openmp", folder), OP2_OK);
  if (!check_rank() && !check_ir())
    CHECK(strstr(content(folder, "index.json"), "address of kernel"));
}

static void
lengths(const int *n, double *x) {
  *x += *n;
}

/* Where rows of any length begin is counted in 64 bits. */
static void
row_starts(const char *folder) {
  static const char *const words[] = {
      "\"is\": \"row starts\", \"name\": \"rows\", \"type\": \"i64\"", NULL};
  static idx_g_t start[NCELL + 1];
  static int to[NCELL];
  for (int e = 0; e < NCELL; e++) start[e + 1] = e + 1, to[e] = e;
  op2_flush();
  op_map rows = op2_decl_map_csr(cells, cells, start, to, "rows");
  op_par_loop(lengths, "lengths", cells, op2_arg_row_length(rows),
              op_arg_dat(r, -1, OP_ID, 1, "double", OP_RW));
  if (!check_lazy()) return;
  CHECK_INT(op2_generate("cuda", folder), OP2_OK);
  if (check_rank()) return;
  content(folder, "index.json");
  check_words(words);
}

static void
nothing_pending(const char *folder) {
  op2_flush();
  op2_set_error_handler(on_error, NULL);
  CHECK_INT(op2_generate("cuda", folder), OP2_ERR_STATE);
  CHECK(strstr(message, "op2_generate: no loop is pending"));
  op2_set_error_handler(NULL, NULL);
}

int
main(int argc, char **argv) {
  const char *keep = argc > 1 ? argv[1] : NULL;
  char own[] = "/tmp/op2-generate-XXXXXX", path[512];
  const char *folder = keep ? keep : mkdtemp(own);
  double dt[2] = {0.5, 0.125}, found[NCELL], expected[NCELL], total;
  setenv("OP2_GATHER", "never", 1); /* its regions go over edges */
  check_start(argc, argv);
  CHECK(folder != NULL);
  declare();
  record(dt[0]);
  if (check_lazy()) {
    long long runs = op2_counter("flushes"), steps = op2_counter("loops_run");
    CHECK_INT(op2_pending(), 2);
    snprintf(path, sizeof path, "%s/pending.irt", folder);
    if (keep) CHECK_INT(op2_trace_write(path), OP2_OK);
    write_code(folder);
    wrong_calls(folder);
    CHECK_INT(op2_pending(), 2);
    CHECK_INT(op2_counter("flushes"), runs);
    CHECK_INT(op2_counter("loops_run"), steps);
  }
  record(dt[1]);
  op2_gbl_get(sum, &total);
  op_fetch_data(q, found);
  double expect = by_hand(expected, dt);
  CHECK_NEAR(total, expect, 1e-12);
  for (int e = 0; e < NCELL; e++) CHECK_NEAR(found[e], expected[e], 1e-12);
  if (!keep) refused(folder);
  if (!keep) check_levels(folder);
  if (!keep) row_starts(folder);
  nothing_pending(folder);
  if (!keep) {
    clean(folder);
    CHECK_INT(rmdir(folder), 0);
  }
  return check_end();
}
