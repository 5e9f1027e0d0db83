/* What the programs of gen.c share: a mesh of some cells, kernels that do
 * everything with a global of the host, and a sum of all that was seen. */
#ifndef TEST_HOSTS_H
#define TEST_HOSTS_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"

enum { N = 6 };
static op_set cells;
static op_dat x;

static void
add(const uint *a, uint *s) {
  *s += *a;
}
static void
most(const uint *a, uint *s) {
  *s = *a > *s ? *a : *s;
}
static void
least(const uint *a, uint *s) {
  *s = *a < *s ? *a : *s;
}
static void
put(const uint *a, uint *s) {
  *s = *a + 1;
}
static void
mix(const uint *a, uint *s) {
  *s = *s * 5 + *a;
}
static void
maybe(const uint *a, uint *s) {
  if (s) *s += *a;
}
static void
add_two(const uint *a, uint *s, uint *t) {
  *s += *a;
  *t += 2 * *a;
}
static void
take(const uint *s, uint *a) {
  *a = (*a * 3 + *s) % 1000;
}
static void
grow(uint *a) {
  *a = (*a * 7 + 1) % 1000;
}

#define X(acc) op_arg_dat(x, -1, OP_ID, 1, "uint", acc)
#define G(p, n, acc) op_arg_gbl(p, n, "uint", acc)
#define ADD(p) op_par_loop(add, "add", cells, X(OP_READ), G(p, 1, OP_INC))
#define MOST(p) op_par_loop(most, "most", cells, X(OP_READ), G(p, 1, OP_MAX))
#define LEAST(p) op_par_loop(least, "least", cells, X(OP_READ), G(p, 1, OP_MIN))
#define PUT(p) op_par_loop(put, "put", cells, X(OP_READ), G(p, 1, OP_WRITE))
#define MIX(p) op_par_loop(mix, "mix", cells, X(OP_READ), G(p, 1, OP_RW))
#define TAKE(p) op_par_loop(take, "take", cells, G(p, 1, OP_READ), X(OP_RW))
#define MAYBE(on, p)                                                           \
  op_par_loop(maybe, "maybe", cells, X(OP_READ),                               \
              op_opt_arg_gbl((on) & 1, p, 1, "uint", OP_INC))
#define ADD_TWO(p, q)                                                          \
  op_par_loop(add_two, "add_two", cells, X(OP_READ), G(p, 1, OP_INC),          \
              G(q, 1, OP_INC))
#define GROW() op_par_loop(grow, "grow", cells, X(OP_RW))

static uint seen, fuel, own; /* own: what this rank alone has seen */
static int ranks, rank;

__attribute__((noinline, unused)) static void
note(uint v) {
  seen = seen * 31 + v;
}
/* Is it this rank's turn to do something alone? */
__attribute__((noinline, unused)) static int
mine(uint k) {
  return (int)(k % (uint)ranks) == rank;
}
__attribute__((noinline, unused)) static void
note_own(uint v) {
  own = own * 31 + v;
}
__attribute__((noinline, unused)) static uint
same(uint v) {
  return v;
}
__attribute__((unused)) static void
fetch(void) {
  uint out[N];
  op_fetch_data(x, out);
  for (int e = 0; e < N; e++) note(out[e]);
}

/* Addresses that are kept for a while. */
extern uint *kept;
uint *kept;
__attribute__((noinline, unused)) static void
poke(void) {
  if (kept) *kept += 3;
}
__attribute__((noinline, unused)) static void
keep(uint *p) {
  kept = p;
}
__attribute__((noinline, unused)) static void
add_by(uint *p) {
  ADD(p);
  *p += 1;
}
/* Returned through memory, to which loops give results: here and there all of it,
 * or a part, is read or set before. */
struct six {
  uint a, b, c[2], d, e;
};
__attribute__((noinline, unused)) static struct six
six(uint v) {
  struct six s = {v, 2, {3, 4}, 5, 6};
  for (uint i = 0; i < 2; i++) {
    ADD_TWO(&s.a, &s.c[i]);
    if (v & 1) s.c[1] = s.a;
    if (v & 2) memset(&s, 1, 3 * sizeof s.a);
    MIX(&s.d);
    if (v & 4) return s;
    if (v & 8) s.d = 1;
  }
  ADD(&s.e);
  return s;
}
/* The frame goes while something is owed to it. */
__attribute__((noinline, unused)) static void
leap(jmp_buf *to, uint v) {
  uint here[3] = {v, v, v};
  ADD(&here[1]);
  MIX(&here[2]);
  if (v & 1) note(here[1]);
  longjmp(*to, 1);
}
/* What may lie where the frames of others lay. */
__attribute__((noinline, unused)) static uint
stack(uint v) {
  uint here[24], sum = 0;
  for (uint i = 0; i < 24; i++) here[i] = v + i;
  op2_flush();
  for (uint i = 0; i < 24; i++) sum = sum * 3 + here[i];
  return sum;
}
__attribute__((unused)) static int
order(const void *a, const void *b) {
  uint l = *(const uint *)a, r = *(const uint *)b;
  return l < r ? -1 : l > r;
}

/* Another thread and a handler reach these. */
static uint threads_own, handlers_own;
__attribute__((unused)) static void *
thread(void *p) {
  (void)p;
  threads_own = threads_own * 3 + 1;
  return NULL;
}
__attribute__((unused)) static void
run_thread(void) {
  pthread_t t;
  if (!pthread_create(&t, NULL, thread, NULL)) pthread_join(t, NULL);
}
static void
handler(int number) {
  (void)number;
  handlers_own = handlers_own * 5 + 1;
}

static void
start(int argc, char **argv) {
  uint values[N] = {3, 1, 4, 1, 5, 9};
  const char *size = getenv("HOSTS_RANKS");
  ranks = size ? atoi(size) : 1;
  op_init(argc, argv, 0);
  op_rank(&rank);
  signal(SIGUSR1, handler);
  cells = op_decl_set(N, "cells");
  x = op_decl_dat(cells, 1, "uint", values, "x");
}

/* One function has returned. */
static void
tell(const char *name, uint v) {
  note(v);
  fetch();
  note(threads_own + handlers_own);
  printf("%s %u %u\n", name, seen, own);
  fuel = 40;
}

#endif
