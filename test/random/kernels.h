/* The kernels as functions, and what they mention besides their arguments. */
#ifndef RANDOM_KERNELS_H
#define RANDOM_KERNELS_H

#include <stddef.h>

struct kernel_entry {
  const char *name;
  int plain; /* compiled by another compiler than op2cc */
  void (*function)(void);
  /* op_par_loop with this kernel, or, with an order, op2_par_loop_scan; set, order and
   * args as op2.h has them. */
  void (*loop)(const struct kernel_entry *k, const char *file, int line,
               void *set, int order, int nargs, const void *args);
};
/* The kernels of one object that kernels.c was compiled to. */
struct kernel_group {
  const struct kernel_entry *entries;
  size_t n;
};
/* Constants: mutable globals of the program. */
extern int k_int, k_vec[3], k_table[16];
extern double k_real;
extern int k_own[64]; /* all but the first are of each rank's own */
extern int k_gain;    /* of far.c */
/* Written by the kernels with a side effect. */
extern unsigned k_trail;

/* Of other files (far.def), for kernels. */
long long far_mix(long long a, long long b);
void far_turn(long long *v, int n);
int far_entry(int k);
void far_note(unsigned v);

const struct kernel_entry *kernel_find(const char *name);

#endif
