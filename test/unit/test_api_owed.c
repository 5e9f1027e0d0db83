/* What op2cc makes of raw globals, called by hand: a result waits until a look,
 * a drop overtakes it, and only looks write the program's memory. */
#define OP2_CALLS_ONLY 1
#include "op2.h"
#include "op2_blob.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 10 };
static op_set cells;
static op_dat a;

static void
start(void) {
  static double values[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  setenv("OP2_MIRROR", "0", 1);
  op_init(0, NULL, 0);
  cr_assert_eq(op2_kernel_source(
                   "add", "void add(const double *x, double *s) { *s += *x; }"),
               0);
  cr_assert_eq(op2_kernel_source(
                   "grow", "void grow(const double *s, double *x) {*x += *s;}"),
               0);
  cells = op_decl_set(N, "cells");
  a = op_decl_dat(cells, 1, "double", values, "a");
}

#define DAT(acc) op_arg_dat(a, -1, OP_ID, 1, "double", acc)
#define LOOP(name, ...)                                                        \
  op2_par_loop_at(__FILE__, __LINE__, NULL, name, cells, 2,                    \
                  (op_arg[]){__VA_ARGS__})

static op_arg
gbl(double *s, int acc, const char *why) {
  op2_gbl_site(s, why);
  return op_arg_gbl(s, 1, "double", acc);
}

static void
add(double *s) {
  LOOP("add", DAT(OP_READ), gbl(s, OP_INC, NULL));
}

Test(owed, waits_until_a_look, .init = start, .fini = op_exit) {
  double s = 1;
  add(&s);
  cr_assert_eq(op2_pending(), 1);
  cr_assert_eq(s, 1);
  cr_assert_eq(op2_gbl_owed, 1);
  errno = 5;
  op2_gbl_look(&s, sizeof s);
  cr_assert_eq(errno, 5);
  cr_assert_eq(s, 56);
  cr_assert_eq(op2_pending(), 0);
  cr_assert_eq(op2_gbl_owed, 0);
}

Test(owed, without_a_promise, .init = start, .fini = op_exit) {
  double s = 1;
  LOOP("add", DAT(OP_READ), op_arg_gbl(&s, 1, "double", OP_INC));
  cr_assert_eq(s, 56);
  LOOP("add", DAT(OP_READ), gbl(&s, OP_INC, "it is a test"));
  cr_assert_eq(s, 111);
  op2_gbl_site(&s, NULL);
  double other = 0; /* of which nothing was said */
  LOOP("add", DAT(OP_READ), op_arg_gbl(&other, 1, "double", OP_INC));
  cr_assert_eq(other, 55);
  cr_assert_eq(op2_gbl_owed, 0);
}

/* Of an array of two that a loop adds to: one is written, which needs the other. */
static void
add_pair(double *s) {
  op2_gbl_site(s, NULL);
  LOOP("add_pair", DAT(OP_READ), op_arg_gbl(s, 2, "double", OP_INC));
}

Test(owed, a_store_of_a_part_waits_for_the_rest, .init = start,
     .fini = op_exit) {
  double s[2] = {1, 2};
  cr_assert_eq(op2_kernel_source("add_pair", "void add_pair(const double *x, "
                                             "double *s) { s[0] += *x; "
                                             "s[1] += 2 * *x; }"),
               0);
  add_pair(s);
  op2_gbl_store(&s[1], sizeof *s);
  cr_assert_eq(op2_gbl_owed, 0);
  cr_assert_eq(s[0], 56);
  cr_assert_eq(s[1], 112);
  add_pair(s);
  op2_gbl_store(s, sizeof s);
  cr_assert_eq(op2_gbl_owed, 0);
  cr_assert_eq(s[0], 56);
}

/* Beside what is owed. */
Test(owed, a_store_of_another_waits_for_nothing, .init = start,
     .fini = op_exit) {
  double s[3] = {1, 2, 3};
  add(&s[1]);
  op2_gbl_store(&s[0], sizeof *s);
  op2_gbl_store(&s[2], sizeof *s);
  cr_assert_eq(op2_pending(), 1);
  op2_gbl_look(&s[1], sizeof *s);
  cr_assert_eq(s[1], 57);
}

Test(owed, what_is_dropped_never_comes, .init = start, .fini = op_exit) {
  double s[3] = {7, 0, 7};
  add(&s[1]);
  op2_gbl_drop(&s[1], sizeof *s);
  s[1] = 5;
  cr_assert_eq(op2_pending(), 1);
  add(&s[1]); /* from what was stored, not from the result before */
  op2_gbl_look(&s[1], sizeof *s);
  cr_assert_eq(s[1], 60);
  add(&s[1]);
  op2_flush(); /* it has come, and is not written yet */
  cr_assert_eq(s[1], 60);
  op2_gbl_drop(&s[1], sizeof *s);
  op2_gbl_look(&s[1], sizeof *s);
  cr_assert_eq(s[1], 60);
  cr_assert(s[0] == 7 && s[2] == 7);
}

/* The next loop starts from it, and may read it. */
Test(owed, a_loop_takes_it, .init = start, .fini = op_exit) {
  double s = 0, out[N];
  add(&s);
  add(&s);
  LOOP("grow", gbl(&s, OP_READ, NULL), DAT(OP_RW));
  cr_assert_eq(s, 110);
  op_fetch_data(a, out);
  cr_assert_eq(out[0], 111);
}

/* Memory of which nothing is known is not the variable that was there. */
Test(owed, to_memory_with_a_new_use, .init = start, .fini = op_exit) {
  double s = 0;
  add(&s);
  s = 2;
  LOOP("add", DAT(OP_READ), op_arg_gbl(&s, 1, "double", OP_INC));
  cr_assert_eq(s, 57);
  cr_assert_eq(op2_gbl_owed, 0);
}

/* A look runs what it needs, wherever the loop stands. */
Test(owed, others_stay, .init = start, .fini = op_exit) {
  double s = 0, t = 0, u = 0;
  add(&s);
  LOOP("grow", gbl(&(double){1}, OP_READ, NULL), DAT(OP_RW));
  add(&t);
  add(&u);
  op2_gbl_look(&s, sizeof s);
  cr_assert_eq(s, 55);
  cr_assert_eq(op2_pending(), 3);
  op2_gbl_look(&t, sizeof t);
  cr_assert_eq(t, 65, "%g", t);
  cr_assert_eq(u, 0);
  op2_gbl_look(&u, sizeof u);
  cr_assert_eq(u, 65);
}

/* Passes know that nobody reads it: a loop with nothing else does not run. */
Test(owed, a_loop_for_what_is_overwritten_goes, .init = start,
     .fini = op_exit) {
  for (int k = 0; k < 3; k++) { /* the same loop with and without */
    double s = 0;
    add(&s);
    op2_gbl_store(&s, sizeof s);
    s = 7;
    add(&s);
    op2_gbl_look(&s, sizeof s);
    cr_assert_eq(s, 62);
    add(&s);
    op2_flush();
    op2_gbl_look(&s, sizeof s);
    cr_assert_eq(s, 117);
    add(&s);
    op2_flush(); /* it has run before that is known */
    op2_gbl_store(&s, sizeof s);
    cr_assert_eq(op2_counter("dead_loops"), k + 1);
  }
}

/* The same loops, of which nobody reads the first one's result, or somebody does. */
Test(owed, what_is_overwritten_is_part_of_the_key, .init = start,
     .fini = op_exit) {
  for (int read = 0; read < 2; read++) {
    double s = 0, t = 0;
    add(&s);
    if (!read) op2_gbl_store(&s, sizeof s);
    add(&t);
    op2_flush();
    op2_gbl_look(&s, sizeof s);
    op2_gbl_look(&t, sizeof t);
    cr_assert_eq(s, read ? 55 : 0);
    cr_assert_eq(t, 55);
  }
}

/* Of two results of a loop one is overwritten, and the loop runs for the other. */
Test(owed, one_of_two_is_overwritten, .init = start, .fini = op_exit) {
  cr_assert_eq(op2_kernel_source("add_both",
                                 "void add_both(const double *x, double *s, "
                                 "double *t) { *s += *x; *t += *x; }"),
               0);
  double s = 0, t = 0;
  op2_par_loop_at(__FILE__, __LINE__, NULL, "add_both", cells, 3,
                  (op_arg[]){DAT(OP_READ), gbl(&s, OP_INC, NULL),
                             gbl(&t, OP_INC, NULL)});
  op2_gbl_store(&s, sizeof s);
  s = 3;
  op2_flush();
  op2_gbl_look(&t, sizeof t);
  cr_assert_eq(s, 3);
  cr_assert_eq(t, 55);
}

/* The same recording, another result wanted. */
Test(owed, which_is_part_of_the_key, .init = start, .fini = op_exit) {
  for (int i = 0; i < 2; i++) {
    double s = 0, t = 0, *first = i ? &s : &t, *second = i ? &t : &s;
    add(&s);
    add(&t);
    op2_gbl_look(first, sizeof *first);
    cr_assert_eq(*first, 55);
    op2_gbl_look(second, sizeof *second);
    cr_assert_eq(*second, 55);
  }
}

Test(owed, behind_op_exit, .init = start) {
  double s = 0;
  add(&s);
  op_exit();
  op2_gbl_look(&s, sizeof s);
  cr_assert_eq(s, 55);
}

static void *
elsewhere(void *s) {
  op2_gbl_look(s, sizeof(double));
  op2_gbl_drop(s, sizeof(double));
  return NULL;
}

Test(owed, only_to_its_thread, .init = start, .fini = op_exit) {
  double s = 0;
  pthread_t t;
  add(&s);
  cr_assert_eq(pthread_create(&t, NULL, elsewhere, &s), 0);
  pthread_join(t, NULL);
  cr_assert_eq(op2_pending(), 1);
  op2_gbl_look(&s, sizeof s);
  cr_assert_eq(s, 55);
}

static int errors;
static void
on_error(int st, const char *text, void *user) {
  (void)st, (void)text, (void)user;
  errors++;
}

/* Its loop is lost: the memory stays as it was. */
Test(owed, never_made, .init = start, .fini = op_exit) {
  double s = 3;
  op2_set_error_handler(on_error, NULL);
  cr_assert_eq(op2_kernel_source("bad",
                                 "void nowhere(double *); void bad(const "
                                 "double *x, double *s) { nowhere(s); "
                                 "*s += *x; }"),
               0);
  LOOP("bad", DAT(OP_READ), gbl(&s, OP_INC, NULL));
  op2_gbl_look(&s, sizeof s);
  cr_assert_eq(errors, 1);
  cr_assert_eq(s, 3);
  cr_assert_eq(op2_gbl_owed, 0);
}
