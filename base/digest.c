/* SHA-256 (FIPS 180-4): the first bits of the fractional parts of square and
 * cube roots of primes as constants, 64 rounds over blocks of 64 bytes, the
 * length at the end. cost: 5 ns a byte. */
#include "base/digest.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, LENGTH = 8, ROUNDS = 64, STATE = 8 };

static const uint32_t digest_start[STATE] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                             0xa54ff53a, 0x510e527f, 0x9b05688c,
                                             0x1f83d9ab, 0x5be0cd19};
static const uint32_t digest_round[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t
rotate(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static void
digest_block(uint32_t *h, const unsigned char *p) {
  uint32_t w[ROUNDS], s[STATE];
  for (int t = 0; t < 16; t++, p += 4)
    w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
  for (int t = 16; t < ROUNDS; t++) {
    uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[t - 7] +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  memcpy(s, h, sizeof s);
  for (int t = 0; t < ROUNDS; t++) {
    uint32_t a = s[0], e = s[4];
    uint32_t x = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                 ((e & s[5]) ^ (~e & s[6])) + digest_round[t] + w[t];
    uint32_t y = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                 ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += x;
    s[0] = x + y;
  }
  for (int k = 0; k < STATE; k++) h[k] += s[k];
}

void
digest_of(const void *bytes, size_t n, struct digest *out) {
  const unsigned char *p = bytes;
  unsigned char end[2 * BLOCK] = {0};
  uint32_t h[STATE];
  size_t left = n % BLOCK, whole = n - left;
  size_t more = left + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK;
  memcpy(h, digest_start, sizeof h);
  for (size_t at = 0; at < whole; at += BLOCK) digest_block(h, p + at);
  if (left) memcpy(end, p + whole, left);
  end[left] = 0x80;
  for (int k = 0; k < LENGTH; k++)
    end[more - 1 - (size_t)k] = (unsigned char)((uint64_t)n * 8 >> (8 * k));
  for (size_t at = 0; at < more; at += BLOCK) digest_block(h, end + at);
  for (int k = 0; k < 4 * STATE; k++)
    out->bytes[k] = (unsigned char)(h[k / 4] >> (24 - 8 * (k % 4)));
}
