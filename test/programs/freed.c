/* op2_free of subsets and made maps: loops that wait keep them, what comes in their
 * place is another, and a program that frees what it declares does not grow. */
#include "check.h"
#include "errors.h"
#include "heap.h"

enum { N = 50, FEW = 40, MANY = 240, PLAIN = 100000 };

#define OWN(d, acc) op_arg_dat(d, -1, OP_ID, 1, "int", acc)

static void
set_to(const int *value, int *x) {
  *x = *value;
}
static void
add(const int *x, int *sum) {
  *sum += *x;
}

static op_set set;
static op_map ring, twice;
static op_dat x, sum;
static int want[N], want_sum[N], found[N], next[N];

/* Elements step, step + 2, ... less than N. */
static op_set
some(int step, const char *name) {
  int at[N], n = 0;
  for (int i = step % 7; i < N; i += 2) at[n++] = i;
  return op2_decl_subset(set, n, at, name);
}

static void
check_both(void) {
  op_fetch_data(x, found);
  CHECK_INTS(found, want, N);
  op_fetch_data(sum, found);
  CHECK_INTS(found, want_sum, N);
}

/* All is freed while its loops may wait. */
static void
step_of(int step) {
  op_set s = some(step, "s");
  op_set rest = op2_set_difference(set, s, "rest");
  op_map far = op2_decl_map_composed(ring, ring, "far");
  op_par_loop(set_to, "set_to", s, op_arg_gbl(&step, 1, "int", OP_READ),
              OWN(x, OP_WRITE));
  op_par_loop(add, "add", rest, OWN(x, OP_READ),
              op_arg_dat(sum, 0, far, 1, "int", OP_INC));
  CHECK_INT(op2_free(far), 0);
  CHECK_INT(op2_free(s), 0);
  CHECK_INT(op2_free(rest), 0);
  for (int i = step % 7; i < N; i += 2) want[i] = step;
  for (int i = 0; i < N; i++)
    if (i < step % 7 || (i - step % 7) % 2) want_sum[next[next[i]]] += want[i];
  if (step % 3 == 0) check_both();
}

/* No loop ever sees them. */
static void
step_plain(int step) {
  op_set s = some(step, "s"), t = some(step + 3, "t");
  op_set u = op2_set_union(s, t, "u");
  op_map m = op2_decl_map_composed(ring, twice, "m");
  op_map p = op2_decl_map_permuted(m, (int[]){1, 0}, "p");
  CHECK(u && p);
  op2_free(m);
  op2_free(s);
  op2_free(p);
  op2_free(u);
  op2_free(t);
}

static void
check_grown(void (*step)(int), int few, int many, long long room) {
  long long grown = heap_grown(step, few, heap_steps(few, many));
  if (grown > room)
    check_fail(__FILE__, __LINE__, "%lld bytes have stayed of %d steps", grown,
               many - few);
}

static void
refused(void) {
  op_set s = some(0, "s"), t = some(1, "t");
  op_map m = op2_decl_map_composed(ring, ring, "m");
  op_dat own = op_decl_dat(t, 1, "int", found, "own");
  op2_set_error_handler(on_error, NULL);
  CHECK_INT(op2_free(NULL), 0);
  CHECK_INT(errors, 0);
  CHECK_INT(op2_free(set), OP2_ERR_ARG);
  CHECK(strstr(message, "found set \"set\" of op_decl_set"));
  CHECK_INT(op2_free(ring), OP2_ERR_ARG);
  CHECK(strstr(message, "found map \"ring\" of op_decl_map"));
  CHECK_INT(op2_free(own), OP2_ERR_ARG);
  CHECK(strstr(
      message,
      "expected a set, a map, an axis, a sparsity or a matrix, found dat "
      "\"own\""));
  CHECK_INT(op2_free(t), OP2_ERR_ARG);
  CHECK(strstr(message, "expected no dat on it, found \"own\""));
  CHECK_INT(errors, 4);
  op_par_loop(add, "add", s, OWN(x, OP_READ),
              op_arg_dat(sum, 0, m, 1, "int", OP_INC));
  CHECK_INT(op2_free(m), 0);
  CHECK_INT(op2_free(s), 0);
  CHECK_INT(op2_free(s), OP2_ERR_ARG);
  CHECK_INT(errors, 5);
  op_par_loop(add, "add", s, OWN(x, OP_READ),
              op_arg_dat(sum, 0, ring, 1, "int", OP_INC));
  CHECK_INT(errors, 6);
  op_par_loop(add, "add", t, OWN(x, OP_READ),
              op_arg_dat(sum, 0, m, 1, "int", OP_INC));
  CHECK_INT(errors, 7);
  op2_set_error_handler(NULL, NULL);
  for (int i = 0; i < N; i += 2) want_sum[next[next[i]]] += want[i];
  check_both();
}

int
main(int argc, char **argv) {
  int pairs[2 * N];
  long long room = check_device() ? 2 << 20 : 96 << 10;
  bool alone = check_ranks() == 1; /* else sets are spread anew in each step */
  setenv("OP2_PROGRAMS", "10", 1);
  setenv("OP2_TIERS", "never", 1); /* what is under way is on the heap, too */
  check_start(argc, argv);
  for (int i = 0; i < N; i++) {
    next[i] = (7 * i + 3) % N;
    pairs[2 * i] = i;
    pairs[2 * i + 1] = N - 1 - i;
  }
  set = op_decl_set(N, "set");
  ring = op_decl_map(set, set, 1, next, "ring");
  twice = op_decl_map(set, set, 2, pairs, "twice");
  x = op_decl_dat(set, 1, "int", want, "x");
  sum = op_decl_dat(set, 1, "int", want, "sum");
  check_grown(step_of, FEW, alone ? MANY : FEW + 20, alone ? room : 1 << 20);
  check_both();
  check_grown(step_plain, FEW, alone ? PLAIN : FEW + 40,
              alone ? 64 << 10 : 1 << 20);
  check_both();
  refused();
  return check_end();
}
