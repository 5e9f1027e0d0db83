/* C++: raw globals whose result waits until it is read, and such as don't:
 * exceptions that leave frames to which something is owed, lambdas and
 * references that keep a variable, members, structs that are returned. */
#include <stdexcept>

#include "check.h"

namespace {

constexpr int N = 20;
op_set cells;
op_dat a;

void
add(const int *x, int *sum) {
  *sum += *x;
}

void
count(int *p) {
  op_par_loop(add, "add", cells, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(p, 1, "int", OP_INC));
}

#define COUNT(p)                                                               \
  op_par_loop(add, "add", cells, op_arg_dat(a, -1, OP_ID, 1, "int", OP_READ),  \
              op_arg_gbl(p, 1, "int", OP_INC))

[[gnu::noinline]] void
throws(bool really) {
  int s = 1000, t[3] = {1000, 1000, 1000};
  COUNT(&s);
  COUNT(&t[1]);
  if (really) throw std::runtime_error("left");
  CHECK_INT(s + t[1], 2 * N + 2000);
}

[[gnu::noinline]] int
untouched() {
  int n[16], sum = 0;
  for (int i = 0; i < 16; i++) n[i] = i;
  op2_flush();
  for (int i : n) sum += i;
  return sum;
}

struct counter {
  int n = 0;
  int again() {
    COUNT(&n);
    return n;
  }
};

struct sums {
  int a, b, c[4];
};

/* It is returned where it stands. */
[[gnu::noinline]] sums
two_sums(bool set) {
  sums s = {1, 2, {3, 4, 5, 6}};
  COUNT(&s.a);
  s.b = 7; /* beside it */
  CHECK_PENDING(1);
  COUNT(&s.c[1]);
  if (set) s = {0, 0, {0, 0, 0, 1}};
  COUNT(&s.c[3]);
  CHECK_PENDING(3);
  return s;
}

} // namespace

int
main(int argc, char **argv) {
  int ones[N], s = 0, kept = 0, in_lambda = 0, sum = 0;
  check_start(argc, argv);
  cells = op_decl_set(N, "cells");
  for (int &one : ones) one = 1;
  a = op_decl_dat(cells, 1, "int", ones, "a");

  COUNT(&s);
  CHECK_PENDING(1);
  CHECK_INT(s, N);
  for (int i = 0; i < 3; i++) {
    int in_loop = i;
    COUNT(&in_loop);
    if (i != 1) sum += in_loop;
  }
  CHECK_INT(sum, 2 * N + 2);
  try {
    throws(false);
    throws(true);
  } catch (const std::exception &) {
    CHECK_INT(untouched(), 120);
  }
  int &ref = kept;
  COUNT(&kept);
  CHECK_INT(ref, N);
  auto more = [&in_lambda] { COUNT(&in_lambda); };
  more();
  more();
  CHECK_INT(in_lambda, 2 * N);
  counter c;
  c.again();
  CHECK_INT(c.again(), 2 * N);
  count(&kept);
  CHECK_INT(kept, 2 * N);
  for (int k = 0; k < 2; k++) {
    sums t = two_sums(k == 1);
    CHECK_INT(t.a, k ? 0 : N + 1);
    CHECK_INT(t.b, k ? 0 : 7);
    CHECK_INT(t.c[1], k ? 0 : N + 4);
    CHECK_INT(t.c[3], k ? N + 1 : N + 6);
  }
  return check_end();
}
