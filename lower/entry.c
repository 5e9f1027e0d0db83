/* How an entry lies in memory:
 *
 *   head | tools | key | bytes      head: magic, lengths, checksum over all
 *
 * The key is all that the bytes depend on, and says which library and processor
 * they are for. The tools are the files that made them, by size and time: on
 * disk they count, since a compiler of the same version that was built anew is
 * another one; entries in a program go where there may be no compiler, and have
 * none. */
#include "lower/entry.h"

#include "base/arena.h"
#include "base/hash.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char entry_magic[8] = "op2lazy2";

struct entry_head {
  char magic[8];
  uint64_t tools_bytes, key_bytes, bytes, sum;
};

/* The sources of all that makes code or runs it: tools/cmake/library.cmake. */
extern const char low_code_id[];

void
low_entry_version(struct str *out) {
  str_printf(out, "op2lazy %s, code %s, LLVM %s\n", OP2_VERSION, low_code_id,
             OP2_LLVM_VERSION);
}

/* Of all but the sum itself. */
static uint64_t
entry_sum(struct entry_head h, const char *rest, size_t n) {
  h.sum = 0;
  return hash_bytes(hash_bytes(0, (const char *)&h, sizeof h), rest, n);
}

/* Where the bytes begin, and where they end. */
static size_t
entry_size(const struct entry_head *h, size_t *at_out) {
  *at_out =
      round_up(sizeof *h + h->tools_bytes + h->key_bytes, LOW_ENTRY_ALIGN);
  return *at_out + h->bytes;
}

void
low_entry_make(const struct low_parts *p, struct str *out) {
  assert(p->key.n && out->len % LOW_ENTRY_ALIGN == 0);
  static const char zeros[LOW_ENTRY_ALIGN];
  struct entry_head h = {
      .tools_bytes = p->tools.n, .key_bytes = p->key.n, .bytes = p->bytes.n};
  size_t begin = out->len, at, size = entry_size(&h, &at);
  memcpy(h.magic, entry_magic, sizeof h.magic);
  str_addn(out, (const char *)&h, sizeof h);
  str_addn(out, p->tools.at, p->tools.n);
  str_addn(out, p->key.at, p->key.n);
  str_addn(out, zeros, begin + at - out->len);
  str_addn(out, p->bytes.at, p->bytes.n);
  assert(out->len == begin + size);
  h.sum = entry_sum(h, out->s + begin + sizeof h, size - sizeof h);
  memcpy(out->s + begin, &h, sizeof h);
}

const char *
low_entry_parts(const char *file, size_t n, bool whole, struct low_parts *out) {
  struct entry_head h;
  size_t at;
  if (n < sizeof h) return "is truncated";
  memcpy(&h, file, sizeof h);
  if (memcmp(h.magic, entry_magic, sizeof h.magic)) return "is foreign";
  if (h.tools_bytes > n || h.key_bytes > n || h.bytes > n)
    return "is truncated";
  size_t size = entry_size(&h, &at);
  if (size > n || (whole && size < n)) return "is truncated";
  const char *tools = file + sizeof h;
  *out = (struct low_parts){{tools, h.tools_bytes},
                            {tools + h.tools_bytes, h.key_bytes},
                            {file + at, h.bytes},
                            size};
  return NULL;
}

bool
low_entry_sound(const char *file, const struct low_parts *p) {
  struct entry_head h;
  assert(p->size >= sizeof h);
  memcpy(&h, file, sizeof h);
  return entry_sum(h, file + sizeof h, p->size - sizeof h) == h.sum;
}

void
low_entry_clear(struct low_entry *e) {
  free(e->file);
  *e = (struct low_entry){0};
}
