/* Sums without rounding errors: any order of the terms gives the same bits. See
 * exact.c. */
#ifndef RT_EXACT_H
#define RT_EXACT_H

#include <stdint.h>

enum { RT_EXACT_CHUNKS = 67 };

/* sum chunk[i] * 2^(32 i - 1074), and how often what is no number came. Zero:
 * an empty sum. */
struct rt_exact {
  int64_t chunk[RT_EXACT_CHUNKS];
  int64_t nan, plus, minus; /* not a number, infinities */
  int64_t since;            /* terms since carries were taken */
};
/* The first words, by which two sums are added. */
enum { RT_EXACT_WORDS = RT_EXACT_CHUNKS + 3 };

void rt_exact_add(struct rt_exact *x, double term);
/* n terms, at most MANY: exact_many.c. */
enum { RT_EXACT_MANY = 512 };
void rt_exact_add_many(struct rt_exact *x, const double *terms, int n);
/* Integers, modulo 2^64. A sum has terms of one kind. */
void rt_exact_add_integer(struct rt_exact *x, int64_t term);
/* Each chunk but the last into [0, 2^32), so that 2^30 such sums may be added
 * word by word. */
void rt_exact_carry(struct rt_exact *x);
void rt_exact_join(struct rt_exact *to, struct rt_exact *from);
/* The sum, rounded to nearest, ties to even. Infinities of both signs are not a
 * number. */
double rt_exact_value(struct rt_exact *x);
int64_t rt_exact_integer(struct rt_exact *x);

#endif
