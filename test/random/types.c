#include "types.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER(letter, name, ...) __VA_ARGS__
#include "user_types.def"

/* Limits leave room for what a kernel does on its way (times 3, plus another),
 * and for sums in any order: the interpreter refuses what goes beyond. */
#define PLAIN(letter, op2, c, size, real, is_signed, limit)                    \
  {letter, op2, c, size, real, is_signed, limit, NULL, size, {{0}}, 1}
static struct type_row rows[] = {
    PLAIN('i', "int", "int", 4, false, true, 1 << 28),
    PLAIN('u', "uint", "unsigned", 4, false, false, 0),
    PLAIN('l', "ll", "long long", 8, false, true, INT64_C(1) << 58),
    PLAIN('L', "ull", "unsigned long long", 8, false, false, 0),
    PLAIN('s', "short", "short", 2, false, true, 0),
    PLAIN('c', "char", "signed char", 1, false, true, 0),
    PLAIN('C', "uchar", "unsigned char", 1, false, false, 0),
    PLAIN('b', "bool", "_Bool", 1, false, false, 0),
    PLAIN('d', "double", "double", 8, false, true, INT64_C(1) << 50),
    PLAIN('f', "float", "float", 4, false, true, 1 << 21),
    PLAIN('r', "double", "double", 8, true, true, 0),
    PLAIN('q', "float", "float", 4, true, true, 0),
#define USER(letter, name, ...)                                                \
  {#letter[0], #name,        #name,          sizeof(name), false, true,        \
   0,          #__VA_ARGS__, _Alignof(name), {{0}},        0},
#include "user_types.def"
};
enum { NROWS = sizeof rows / sizeof *rows };

#define USER(letter, name, ...) typedef name type_##letter;
#include "user_types.def"

static struct type_row *
row_find(char letter) {
  for (size_t k = 0; k < NROWS; k++)
    if (rows[k].letter == letter) return &rows[k];
  assert(!"no such type");
  return NULL;
}

static void
add_lane(char type, char letter, size_t offset, const char *text) {
  struct type_row *t = row_find(type);
  assert((size_t)t->lanes < sizeof t->lane / sizeof *t->lane);
  t->lane[t->lanes++] = (struct lane){letter, offset, text};
}

/* Each is looked for where the table has it. */
static void
add_lanes(void) {
#define LANE(type, text, letter, at)                                           \
  {                                                                            \
    type_##type one;                                                           \
    one text = 1;                                                              \
    if (type_load(#letter[0], (char *)&one + (at)).i != 1) abort();            \
    add_lane(#type[0], #letter[0], at, #text);                                 \
  }
#include "user_types.def"
}

const struct type_row *
type_row(char letter) {
  if (!rows[NROWS - 1].lanes) add_lanes();
  return row_find(letter);
}

char
type_lane(char letter, int i) {
  const struct type_row *t = type_row(letter);
  return t->definition ? t->lane[i % t->lanes].letter : letter;
}

void *
type_at(char letter, const void *array, int i) {
  const struct type_row *t = type_row(letter);
  size_t at = (size_t)(i / t->lanes) * t->size;
  if (t->definition) at += t->lane[i % t->lanes].offset;
  return (char *)(uintptr_t)array + at;
}

size_t
type_bytes(char letter, int n) {
  return (size_t)type_dim(letter, n) * type_row(letter)->size;
}

int
type_dim(char letter, int n) {
  assert(n % type_row(letter)->lanes == 0);
  return n / type_row(letter)->lanes;
}

int64_t
type_limit(char letter) {
  const struct type_row *t = type_row(letter);
  int64_t least = t->limit;
  for (int k = 0; t->definition && k < t->lanes; k++) {
    int64_t limit = type_row(t->lane[k].letter)->limit;
    if (limit && (!least || limit < least)) least = limit;
  }
  return least;
}

int64_t
type_wrap(char letter, int64_t v) {
  const struct type_row *t = type_row(letter);
  if (letter == 'b') return v != 0;
  if (t->limit || t->size == 8) return v;
  uint64_t range = UINT64_C(1) << (8 * t->size);
  uint64_t low = (uint64_t)v & (range - 1);
  bool negative = t->is_signed && low >= range / 2;
  return negative ? (int64_t)(low - range) : (int64_t)low;
}

bool
type_less(char letter, union cell a, union cell b) {
  if (letter == 'L') return (uint64_t)a.i < (uint64_t)b.i;
  return type_row(letter)->real ? a.r < b.r : a.i < b.i;
}

#define LOAD(type, field)                                                      \
  {                                                                            \
    type x;                                                                    \
    memcpy(&x, at, sizeof x);                                                  \
    v.field = x;                                                               \
    return v;                                                                  \
  }

/* A floating value that is not whole, where it has to be, becomes one that
 * no program computes. */
static union cell
whole(double x) {
  bool ok = x == rint(x) && fabs(x) < 9e15;
  return (union cell){.i = ok ? (int64_t)x : INT64_MIN};
}

union cell
type_load(char letter, const void *at) {
  union cell v = {0};
  double d;
  float f;
  switch (letter) {
  case 'i': LOAD(int32_t, i)
  case 'u': LOAD(uint32_t, i)
  case 'l': LOAD(int64_t, i)
  case 'L': LOAD(int64_t, i)
  case 's': LOAD(int16_t, i)
  case 'c': LOAD(int8_t, i)
  case 'C':
  case 'b': LOAD(uint8_t, i)
  case 'r': LOAD(double, r)
  case 'q': LOAD(float, r)
  case 'd': memcpy(&d, at, sizeof d); return whole(d);
  default: memcpy(&f, at, sizeof f); return whole((double)f);
  }
}

#define STORE(type, value)                                                     \
  {                                                                            \
    type x = (type)(value);                                                    \
    memcpy(at, &x, sizeof x);                                                  \
    return;                                                                    \
  }

void
type_store(char letter, void *at, union cell v) {
  switch (letter) {
  case 'i': STORE(int32_t, v.i)
  case 'u': STORE(uint32_t, v.i)
  case 'l':
  case 'L': STORE(int64_t, v.i)
  case 's': STORE(int16_t, v.i)
  case 'c': STORE(int8_t, v.i)
  case 'C':
  case 'b': STORE(uint8_t, v.i)
  case 'd': STORE(double, v.i)
  case 'f': STORE(float, v.i)
  case 'r': STORE(double, v.r)
  default: STORE(float, v.r)
  }
}

const char *
type_literal(char letter, union cell v, char *buf, size_t size) {
  if (type_row(letter)->real)
    snprintf(buf, size, letter == 'r' ? "%.17g" : "(float)%.9g", v.r);
  else if (letter == 'L')
    snprintf(buf, size, "%" PRIu64 "ull", (uint64_t)v.i);
  else
    snprintf(buf, size, letter == 'l' ? "%" PRId64 "ll" : "%" PRId64, v.i);
  return buf;
}

void *
get_memory(size_t n, size_t size) {
  void *p = calloc(n ? n : 1, size);
  if (!p) {
    fprintf(stderr, "no memory\n");
    abort();
  }
  return p;
}

void *
grow(void *array, size_t n, size_t size) {
  if (n & (n - 1)) return array; /* room is kept at powers of two */
  void *p = realloc(array, (n ? 2 * n : 1) * size);
  if (!p) {
    fprintf(stderr, "no memory\n");
    abort();
  }
  return p;
}

uint64_t
rnd_next(struct rnd *r) { /* splitmix64: Steele, Lea, Flood 2014 */
  uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

int
rnd_below(struct rnd *r, int n) {
  return (int)(rnd_next(r) % (uint64_t)n);
}

bool
rnd_chance(struct rnd *r, int percent) {
  return rnd_below(r, 100) < percent;
}
