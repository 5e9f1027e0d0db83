/* The text that says which code a region needs: equal keys, equal code, in this
 * process and on disk. Kernels stand in it by the digest of their code. */
#include "lower/region.h"

#include <assert.h>

static void
low_key_words(struct str *key, const int64_t *w, size_t n) {
  str_addn(key, (const char *)w, n * sizeof *w);
}
#define KEY(key, ...)                                                          \
  low_key_words((key), (int64_t[]){__VA_ARGS__},                               \
                sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void
low_key_bind(const struct low_bind *b, struct str *key) {
  KEY(key, b->kind, b->type.kind, b->type.size, b->dim, b->block, b->stride,
      b->arity, b->step, b->alike, b->beside, b->ahead, b->alone, b->written,
      b->column > 0);
}

static void
low_key_slot(const struct low_slot *s, struct str *key) {
  KEY(key, s->kind, s->type.kind, s->type.size, s->dim, s->load, s->store,
      s->through, s->inner, s->shift, s->layer, s->local, s->stream, s->ahead,
      s->soon, s->run, s->late, s->map, s->start, s->still, s->entry, s->usual,
      s->row, s->call, s->into, s->access, s->lanes);
}

static void
low_key_instance(const struct low_instance *in, struct str *key) {
  const struct low_kernel *k = in->kernel;
  KEY(key, in->address, k->nconsts);
  for (uint32_t c = 0; c < k->nconsts && in->binds; c++) {
    KEY(key, in->binds[c], in->folded[c] != NULL, (int64_t)k->consts[c].size);
    if (in->folded[c]) str_addn(key, in->folded[c], k->consts[c].size);
  }
  if (k->bitcode)
    str_addn(key, (const char *)k->digest.bytes, sizeof k->digest.bytes);
}

/* Where lines come from: the files' code with theirs, and calls. */
static void
low_key_lines(const struct low_region *r, struct str *key) {
  for (uint32_t k = 0; k < r->ninstances; k++) {
    const struct low_kernel *kernel = r->instances[k].kernel;
    struct digest d;
    if (!kernel->bitcode) continue;
    digest_of(kernel->bitcode, kernel->bitcode_bytes, &d);
    str_addn(key, (const char *)d.bytes, sizeof d.bytes);
  }
  for (uint32_t k = 0; k < r->ncalls; k++)
    str_printf(key, "%s %s:%d\n", r->calls[k].name, r->calls[k].file,
               r->calls[k].line);
}

static void
low_key_call(const struct low_call *c, struct str *key) {
  KEY(key, c->instance, c->row, c->start, c->layer, c->down, c->makes, c->from,
      c->nargs);
  for (uint32_t a = 0; a < c->nargs; a++) {
    KEY(key, c->args[a].nslots, c->args[a].vector);
    for (uint32_t k = 0; k < c->args[a].nslots; k++)
      KEY(key, c->args[a].slots[k]);
  }
}

void
low_region_key(const struct low_region *r, struct str *key) {
  assert(r->ncalls && r->ninstances);
  KEY(key, r->nbinds, r->nslots, r->ncalls, r->ninstances, r->width, r->panel,
      r->prefetch, r->target_rows, r->stretches, r->twice, r->vector_math,
      r->sanitize, r->lines, r->quick);
  for (uint32_t k = 0; k < r->nbinds; k++) low_key_bind(&r->binds[k], key);
  for (uint32_t k = 0; k < r->nslots; k++) low_key_slot(&r->slots[k], key);
  for (uint32_t k = 0; k < r->ninstances; k++)
    low_key_instance(&r->instances[k], key);
  for (uint32_t k = 0; k < r->ncalls; k++) low_key_call(&r->calls[k], key);
  if (r->lines) low_key_lines(r, key);
}
