/* Element types and access modes: facts shared by the IR and the runtime. */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t idx_l; /* index on this rank */
typedef int64_t idx_g; /* index over all ranks; counts and products */

enum type_kind {
#define TYPE(name, text, bytes, ctype, kind) TYPE_##name,
#include "base/types.def"
#undef TYPE
  TYPE_BYTES, /* user types: copied, never computed with */
  TYPE_COUNT
};

/* A type with its size; compare with type_same. */
struct type {
  uint32_t kind; /* enum type_kind */
  uint32_t size; /* bytes of one component */
};

enum access {
#define ACCESS(name, text, code, reads, writes, commutes, identity)            \
  ACC_##name = code,
#include "base/access.def"
#undef ACCESS
  ACC_COUNT
};

struct access_info {
  const char *text;
  bool reads, writes, commutes;
};
extern const struct access_info access_info[ACC_COUNT];

/* Type of an OP2 name ("double", "int:soa", ...). A name outside the table is a
 * user type of `user_size` bytes (TYPE_BYTES); with user_size 0 it is unknown
 * and false comes back. `soa_out` may be NULL. */
bool type_from_name(const char *name, size_t user_size, struct type *out,
                    bool *soa_out);
/* Are the names the same, but for ":soa"? */
bool type_name_same(const char *a, const char *b);
/* IR text "f64", "b24" <-> type; the writer gives a static or thread-local
 * string valid until the next call. */
bool type_from_text(const char *text, size_t len, struct type *out);
const char *type_text(struct type t);
char type_class(struct type t); /* 'F' 'I' 'U' 'B' */

static inline bool
type_same(struct type a, struct type b) {
  return a.kind == b.kind && a.size == b.size;
}

/* Write the identity of INC, MIN or MAX for n components of type t to dst. */
void type_identity(struct type t, enum access acc, void *dst, size_t n);
/* dst[i] = dst[i] (+, min, max) src[i], i in [0, n); a NaN never replaces a
 * number, and of two zeros -0 is the smaller one. */
void type_combine(struct type t, enum access acc, void *dst, const void *src,
                  size_t n);
/* By MIN or MAX: 1 if *new is better than *old, 0 if they are equal, else -1.
 * */
int type_compare(struct type t, enum access acc, const void *old,
                 const void *new);

#endif
