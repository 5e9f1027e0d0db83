/* Which bytes are stored on every path, and which loads see old values.
 *
 * Problem. OP_WRITE promises that all components are written; programs break
 * the promise (boundary kernels that write under a condition). If it is taken
 * at its word then, memory that nobody set is read.
 *
 * Idea. The classic forward must-analysis, one bit for each byte that some
 * store with a constant offset reaches:
 *
 *     in(entry) = {}                        if (c) { u[0] = 1; u[1] = 2; }
 *     in(b)     = AND of out(p), p -> b     else     u[0] = 3;
 *     out(b)    = in(b) OR stored in b      full(u) = 8 bytes, not 16
 *
 * starting from "all" everywhere else. The same sets tell whether a load can
 * see what was there before the kernel ran.
 *
 * cost: blocks * bytes / 64 words, times the depth of loops. source: Kildall
 * 1973; any compiler book. limits: stores at variable offsets prove nothing.
 */
#include "lower/llvm/facts.h"

#include <assert.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* Above this many bits in all sets together nothing is proven. */
enum { FLOW_MAX_BITS = 1 << 28 };

struct flow {
  struct facts *f;
  LLVMBasicBlockRef *blocks;
  uint32_t nblocks;
  struct table index; /* block -> 1 + number */
  uint64_t bits, words;
  uint64_t *in, *gen; /* [nblocks, words] */
};

static void
flow_set(uint64_t *set, uint64_t bit0, uint64_t n) {
  assert(set || !n);
  for (uint64_t i = bit0; i < bit0 + n; i++) set[i / 64] |= 1ull << i % 64;
}

static bool
flow_has(const uint64_t *set, uint64_t bit0, uint64_t n) {
  for (uint64_t i = bit0; i < bit0 + n; i++)
    if (!(set[i / 64] >> i % 64 & 1)) return false;
  return true;
}

/* Give each object's stored bytes their bits. */
static void
flow_number(struct flow *w) {
  struct facts *f = w->f;
  for (uint32_t a = 0; a < f->naccesses; a++) {
    const struct fact_access *x = &f->accesses[a];
    struct fact_object *o = &f->objects[x->object];
    uint64_t end = x->known ? (uint64_t)x->offset + x->size : 0;
    if (x->writes && !o->escaped && end > o->extent) o->extent = end;
  }
  for (uint32_t k = 0; k < f->nobjects; k++) {
    if (f->objects[k].extent > FLOW_MAX_BITS) f->objects[k].extent = 0;
    f->objects[k].bit0 = w->bits;
    w->bits += f->objects[k].extent;
  }
  w->words = (w->bits + 63) / 64;
}

static void
flow_blocks(struct flow *w) {
  LLVMValueRef fn = w->f->fn;
  uint32_t n = LLVMCountBasicBlocks(fn);
  w->blocks = ARENA_ARRAY(&w->f->arena, LLVMBasicBlockRef, n);
  LLVMGetBasicBlocks(fn, w->blocks);
  w->nblocks = n;
  for (uint32_t b = 0; b < n; b++)
    *table_slot(&w->index, &w->blocks[b], sizeof w->blocks[b]) = b + 1;
}

static uint32_t
flow_block(const struct flow *w, LLVMBasicBlockRef b) {
  uintptr_t i = table_get(&w->index, &b, sizeof b, 0);
  assert(i > 0);
  return (uint32_t)i - 1;
}

/* Bits of a store; none for a load, or where nothing is known. */
static bool
flow_range(const struct flow *w, const struct fact_access *x, uint64_t *bit0,
           uint64_t *n) {
  const struct fact_object *o = &w->f->objects[x->object];
  if (!x->known || o->escaped) return false;
  if ((uint64_t)x->offset + x->size > o->extent) return false;
  *bit0 = o->bit0 + (uint64_t)x->offset;
  *n = x->size;
  return true;
}

static void
flow_generate(struct flow *w) {
  uint64_t bit0, n;
  for (uint32_t a = 0; a < w->f->naccesses; a++) {
    const struct fact_access *x = &w->f->accesses[a];
    if (!x->writes || !flow_range(w, x, &bit0, &n)) continue;
    uint32_t b = flow_block(w, LLVMGetInstructionParent(x->inst));
    flow_set(w->gen + b * w->words, bit0, n);
  }
}

/* in(s) &= in(b) | gen(b) for each successor s of b. */
static bool
flow_push(struct flow *w, uint32_t b) {
  assert(b < w->nblocks);
  bool changed = false;
  LLVMValueRef t = LLVMGetBasicBlockTerminator(w->blocks[b]);
  unsigned n = LLVMGetNumSuccessors(t);
  for (unsigned k = 0; k < n; k++) {
    uint32_t s = flow_block(w, LLVMGetSuccessor(t, k));
    for (uint64_t i = 0; i < w->words; i++) {
      uint64_t *to = &w->in[s * w->words + i], old = *to;
      *to &= w->in[b * w->words + i] | w->gen[b * w->words + i];
      changed |= *to != old;
    }
  }
  return changed;
}

static void
flow_solve(struct flow *w) {
  size_t bytes = w->nblocks * w->words * sizeof *w->in;
  w->in = mem_alloc(1, bytes);
  w->gen = mem_alloc(1, bytes);
  memset(w->in + w->words, 0xff, bytes - w->words * sizeof *w->in);
  flow_generate(w);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t b = 0; b < w->nblocks; b++) again |= flow_push(w, b);
  }
}

/* full = longest prefix that is in the set at every return. */
static void
flow_full(struct flow *w) {
  SCOPED uint64_t *all = mem_alloc(w->words, sizeof *all);
  bool returns = false;
  memset(all, 0xff, w->words * sizeof *all);
  for (uint32_t b = 0; b < w->nblocks; b++) {
    if (!LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(w->blocks[b]))) continue;
    returns = true;
    for (uint64_t i = 0; i < w->words; i++)
      all[i] &= w->in[b * w->words + i] | w->gen[b * w->words + i];
  }
  for (uint32_t k = 0; returns && k < w->f->nobjects; k++) {
    struct fact_object *o = &w->f->objects[k];
    while (o->full < o->extent && flow_has(all, o->bit0 + o->full, 1))
      o->full++;
  }
}

/* Walk the accesses, which are in program order, with the set so far. */
static void
flow_reads(struct flow *w) {
  uint64_t *now = mem_alloc(w->words, sizeof *now), bit0, n;
  LLVMBasicBlockRef block = NULL;
  for (uint32_t a = 0; a < w->f->naccesses; a++) {
    const struct fact_access *x = &w->f->accesses[a];
    struct fact_object *o = &w->f->objects[x->object];
    LLVMBasicBlockRef b = LLVMGetInstructionParent(x->inst);
    if (b != block && w->words)
      memcpy(now, w->in + flow_block(w, b) * w->words, w->words * sizeof *now);
    block = b;
    bool range = flow_range(w, x, &bit0, &n);
    if (x->writes && range) flow_set(now, bit0, n);
    if (x->writes)
      o->writes = true;
    else if (!range || !flow_has(now, bit0, n))
      o->reads = true;
  }
  free(now);
}

void
fact_flow(struct facts *f) {
  struct flow w = {.f = f};
  flow_number(&w);
  flow_blocks(&w);
  if (w.bits > FLOW_MAX_BITS / w.nblocks) {
    for (uint32_t k = 0; k < f->nobjects; k++) f->objects[k].extent = 0;
    w.words = 0;
  }
  flow_solve(&w);
  flow_full(&w);
  flow_reads(&w);
  free(w.in);
  free(w.gen);
  table_clear(&w.index);
}
