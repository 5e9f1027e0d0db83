/* Element types of the random programs, and the cells in which the interpreter
 * keeps values: wide enough for every type, so that it never computes in the type
 * itself. Shares nothing with the library.
 *
 * A dat or global is of one of two classes. INT: its values are whole numbers that
 * the type holds exactly, floating types included; cells hold them as int64_t. REAL:
 * any finite value of a floating type; cells hold it as double. Type letters:
 *   i u l L s c C b   int uint ll ull short char uchar bool     (INT)
 *   d f               double float with whole values            (INT)
 *   r q               double float                              (REAL)
 *   V W A P           types of the program's own, aligned to 32 or 64 bytes
 *   S T               ... structs
 * A type of the program's own consists of lanes; cells, dims and numbers of values
 * count these (user_types.def). */
#ifndef RANDOM_TYPES_H
#define RANDOM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

union cell {
  int64_t i;
  double r;
};

/* A value that a type of the program's own consists of. */
struct lane {
  char letter;
  size_t offset;
  const char *text; /* ".x", behind one of the type */
};

struct type_row {
  char letter;
  const char *op2, *c; /* OP2's and C's name */
  size_t size;
  bool real, is_signed;
  int64_t limit; /* INT: largest magnitude that a program may reach; 0: wraps */
  const char *definition; /* in C, of the program's own; else NULL */
  size_t align;
  struct lane lane[8];
  int lanes; /* 1: it has no lanes */
};

/* The row of a letter. */
const struct type_row *type_row(char letter);
/* Type of value number i of an array; the value's place; bytes of n values. */
char type_lane(char letter, int i);
void *type_at(char letter, const void *array, int i);
size_t type_bytes(char letter, int n);
/* Components, as OP2 counts them, of n values. */
int type_dim(char letter, int n);
/* INT: magnitude that no value may go beyond; 0: any. */
int64_t type_limit(char letter);
/* As the type stores it: wraps around, or 0 and 1 for bool; INT only. */
int64_t type_wrap(char letter, int64_t v);
/* a < b as the type compares. */
bool type_less(char letter, union cell a, union cell b);
/* Between memory of the type and cells. */
union cell type_load(char letter, const void *at);
void type_store(char letter, void *at, union cell v);
/* Text of a C literal with this value, into buf. */
const char *type_literal(char letter, union cell v, char *buf, size_t size);

/* ---- memory and numbers that never fail or end the program -------------- */

void *get_memory(size_t n, size_t size); /* zeroed */
/* One more entry behind n of `array`; its address. */
void *grow(void *array, size_t n, size_t size);
#define ADD(array, n, value)                                                   \
  ((array) = grow((array), (size_t)(n), sizeof *(array)),                      \
   (array)[(n)++] = (value))

struct rnd {
  uint64_t state;
};
uint64_t rnd_next(struct rnd *r);
/* From 0 to n - 1; n >= 1. */
int rnd_below(struct rnd *r, int n);
/* True in `percent` of 100 cases. */
bool rnd_chance(struct rnd *r, int percent);

#endif
