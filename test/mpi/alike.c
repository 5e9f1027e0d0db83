/* A program for one rank on several: each rank declares the same mesh. Without
 * OP2_DECLARE=whole that is an error of the first loop that says so, unless
 * OP2_DECLARE=parts insists. Programs that declare parts which look alike are right:
 * all name one element, or sets have other sizes, or rows name all parts.
 *
 * RUN: 2 ALIKE=mesh
 * RUN: 3 ALIKE=mesh
 * RUN: 3 ALIKE=mesh OP2_DECLARE=parts
 * RUN: 3 ALIKE=mesh OP2_DECLARE=whole
 * RUN: 3 ALIKE=star
 * RUN: 3 ALIKE=sizes
 * RUN: 3 ALIKE=wide
 * RUN: 2 ALIKE=ring
 */
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
count(double *a, double *b) {
  *a += 1;
  *b += 1;
}

static void
sum(const double *x, double *s) {
  *s += *x;
}

static int
said(const char *part) {
  return strstr(text, part) != NULL;
}

int
main(int argc, char **argv) {
  const char *how = getenv("ALIKE"), *declare = getenv("OP2_DECLARE");
  int rank, table[64] = {0}, nodes = 9, edges = 8;
  double s = 0;
  check_start(argc, argv);
  op2_set_error_handler(note, NULL);
  op_rank(&rank);
  op_set one = op_decl_set(1, "one");
  int ranks = (int)op_get_size(one);
  if (!strcmp(how, "sizes") && rank) nodes = 5;
  for (int e = 0; e < edges; e++)
    for (int k = 0; k < 2; k++) {
      if (!strcmp(how, "star")) continue; /* all name 0 */
      table[2 * e + k] = e + k;
      if (!strcmp(how, "wide")) table[2 * e + k] = (e + k) * ranks;
      if (!strcmp(how, "ring"))
        table[2 * e + k] = (rank * nodes + e + k) % (ranks * nodes);
    }
  op_set to = op_decl_set(nodes, "nodes");
  op_set from = op_decl_set(edges, "edges");
  op_map ends = op_decl_map(from, to, 2, table, "ends");
  op_dat x = op_decl_dat(to, 1, "double", (double *)NULL, "x");
  op_par_loop(count, "count", from, op_arg_dat(x, 0, ends, 1, "double", OP_INC),
              op_arg_dat(x, 1, ends, 1, "double", OP_INC));
  if (!strcmp(how, "mesh") && !declare) {
    CHECK_INT(errors, 1);
    CHECK(said("alike.c:"));
    CHECK(said("\"ends\""));
    CHECK(said("OP2_DECLARE=whole"));
  } else {
    op_par_loop(sum, "sum", to, op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&s, 1, "double", OP_INC));
    CHECK_INT(errors, 0);
    if (errors) printf("%s\n", text);
    CHECK_REAL(s, 16 * (declare && !strcmp(declare, "whole") ? 1 : ranks));
  }
  return check_end();
}
