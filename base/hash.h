/* Hashes: words that stand for more, where a chance meeting is harmless, or
 * rarer than a broken machine. What must never meet goes by base/digest.h or by
 * itself. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / the golden ratio */

/* The hash h with one word more: a bijection of h and of x, so that one word
 * that differs shows. */
static inline uint64_t
hash_word(uint64_t h, uint64_t x) {
  h = (h ^ x) * HASH_FACTOR;
  return h ^ h >> 29;
}

/* With a text and its end; NULL is like "". */
static inline uint64_t
hash_text(uint64_t h, const char *s) {
  for (; s && *s; s++) h = hash_word(h, (unsigned char)*s);
  return hash_word(h, 256);
}

#endif
