/* SHA-256: bytes that stand for other bytes, in keys that would be too long. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>

struct digest {
  unsigned char bytes[32];
};

/* The digest of n bytes. Nobody knows two texts that have the same. */
void digest_of(const void *bytes, size_t n, struct digest *out);

#endif
