/* Hashes: words that stand for more, where a chance meeting is harmless, or
 * rarer than a broken machine. What must never meet goes by base/digest.h or by
 * itself. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* With n bytes and their number. */
static inline uint64_t
hash_bytes(uint64_t h, const char *p, size_t n) {
  h ^= n;
  while (n) {
    uint64_t w = 0;
    size_t k = n < sizeof w ? n : sizeof w;
    memcpy(&w, p, k);
    h = hash_word(h, w);
    p += k;
    n -= k;
  }
  return h;
}

#endif
