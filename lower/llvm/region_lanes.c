/* Lanes: elements of a block between memory and vectors.
 *
 * Problem. A block's kernels want each component as a vector over elements;
 * memory has elements as vectors over components (AoS), or anything at all
 * behind a map. Gather instructions take one component at a time and cost eight
 * loads each.
 *
 * Idea. Elements in AoS are loaded whole, four, two or one components at a
 * time, and transposed in registers. For four doubles in eight lanes:
 *
 *   r0 = v0|v2  r1 = v1|v3  r2 = v4|v6  r3 = v5|v7   a load, an insert each
 *   t0 = lo(r0, r1)  t2 = lo(r2, r3)        unpack low within each 128 bits
 *   out0 = pairs 0,2 of t0 and of t2, out2 = pairs 1,3; odd ones likewise, hi
 *
 * two shuffles a component, no index vectors. One or three components at the
 * end are loaded with the one before them, as two or four: by itself the last
 * one would take seven inserts. What is added through maps goes dat by dat, few
 * components at a time, in each of them element by element, which is the order
 * that matters; all at once they would lie on the stack meanwhile (Euler's
 * gradients and extremes, 50 components: 1.2 times as fast).
 *
 * Consecutive elements of SoA and AoSoA are vectors already. SoA behind a map
 * is loaded one by one: that is what a gather instruction does inside.
 *
 * Each component of SoA is a stream of its own; with sixteen of them the
 * processor's prefetchers don't keep up, so a block asks for the line of each
 * stream some elements on (passes/ahead.c). FEM's matrix product: 1.46 times
 * plain C without, 1.95 with it (1 thread). */
#include "lower/llvm/region_emit.h"

#include <assert.h>
#include <stdlib.h>

enum { LOW_CHUNK = 4 };

static LLVMValueRef
low_shuffle(struct low_emit *em, LLVMValueRef x, LLVMValueRef y,
            const uint32_t *mask, uint32_t n) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(em->ctx);
  LLVMValueRef idx[LOW_CHUNK * LOW_WIDTH_MAX];
  assert(n <= LOW_CHUNK * LOW_WIDTH_MAX);
  for (uint32_t k = 0; k < n; k++) idx[k] = LLVMConstInt(i32, mask[k], 0);
  return LLVMBuildShuffleVector(em->b, x, y, LLVMConstVector(idx, n), "");
}

static uint32_t
low_len(LLVMValueRef v) {
  return LLVMGetVectorSize(LLVMTypeOf(v));
}

/* x|y: both, one after the other. */
static LLVMValueRef
low_join(struct low_emit *em, LLVMValueRef x, LLVMValueRef y) {
  assert(low_len(x) == low_len(y));
  uint32_t mask[LOW_CHUNK * LOW_WIDTH_MAX], n = 2 * low_len(x);
  for (uint32_t k = 0; k < n; k++) mask[k] = k;
  return low_shuffle(em, x, y, mask, n);
}

/* v[0] | v[step] | v[2 step] ..., n of them, a power of two. */
static LLVMValueRef
low_join_all(struct low_emit *em, const LLVMValueRef *v, uint32_t n,
             uint32_t step) {
  assert(n && !(n & (n - 1)));
  LLVMValueRef part[LOW_WIDTH_MAX];
  for (uint32_t k = 0; k < n; k++) part[k] = v[k * step];
  for (; n > 1; n /= 2)
    for (uint32_t k = 0; k < n / 2; k++)
      part[k] = low_join(em, part[2 * k], part[2 * k + 1]);
  return part[0];
}

/* Of each pair of 64-bit values of x and y the low (odd 0) or high one. */
static LLVMValueRef
low_unpack(struct low_emit *em, LLVMValueRef x, LLVMValueRef y, uint32_t odd) {
  uint32_t mask[LOW_WIDTH_MAX], n = low_len(x);
  for (uint32_t k = 0; k < n; k++) mask[k] = (k & ~1u) + odd + (k & 1) * n;
  return low_shuffle(em, x, y, mask, n);
}

/* Pairs odd, odd+2, ... of x, then of y. */
static LLVMValueRef
low_pairs(struct low_emit *em, LLVMValueRef x, LLVMValueRef y, uint32_t odd) {
  uint32_t mask[LOW_WIDTH_MAX], n = low_len(x);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t pair = 2 * ((k % (n / 2)) / 2) + odd;
    mask[k] = 2 * pair + (k & 1) + (k >= n / 2 ? n : 0);
  }
  return low_shuffle(em, x, y, mask, n);
}

/* Element c, c+n, c+2n, ... of a long vector. */
static LLVMValueRef
low_stride(struct low_emit *em, LLVMValueRef v, uint32_t c, uint32_t n) {
  assert(c < n && low_len(v) % n == 0);
  uint32_t mask[LOW_WIDTH_MAX], count = low_len(v) / n;
  for (uint32_t k = 0; k < count; k++) mask[k] = c + k * n;
  return low_shuffle(em, v, LLVMGetUndef(LLVMTypeOf(v)), mask, count);
}

/* v[l] has n components of lane l; out[c] gets component c of w lanes. */
static void
low_transpose_in(struct low_emit *em, const LLVMValueRef *v, uint32_t n,
                 uint32_t w, bool is64, LLVMValueRef *out) {
  assert(n == 2 || n == 4);
  if (is64 && n == 2) {
    LLVMValueRef even = low_join_all(em, v, w / 2, 2);
    LLVMValueRef odd = low_join_all(em, v + 1, w / 2, 2);
    for (uint32_t c = 0; c < 2; c++) out[c] = low_unpack(em, even, odd, c);
  } else if (is64 && n == 4 && (w == 4 || w == 8)) {
    LLVMValueRef r[4];
    for (uint32_t k = 0; k < 4; k++)
      r[k] = w == 4
                 ? v[k]
                 : low_join(em, v[k % 2 + k / 2 * 4], v[k % 2 + k / 2 * 4 + 2]);
    for (uint32_t c = 0; c < 4; c++)
      out[c] = low_pairs(em, low_unpack(em, r[0], r[1], c % 2),
                         low_unpack(em, r[2], r[3], c % 2), c / 2);
  } else {
    LLVMValueRef all = low_join_all(em, v, w, 1);
    for (uint32_t c = 0; c < n; c++) out[c] = low_stride(em, all, c, n);
  }
}

/* Values [from, from + n) of a vector. */
static LLVMValueRef
low_part(struct low_emit *em, LLVMValueRef v, uint32_t from, uint32_t n) {
  uint32_t mask[LOW_WIDTH_MAX];
  for (uint32_t k = 0; k < n; k++) mask[k] = from + k;
  return low_shuffle(em, v, LLVMGetUndef(LLVMTypeOf(v)), mask, n);
}

/* Pair k of x, pair k of y, pair k+1 of x, pair k+1 of y. */
static LLVMValueRef
low_zip_pairs(struct low_emit *em, LLVMValueRef x, LLVMValueRef y, uint32_t k) {
  uint32_t n = low_len(x), a = 2 * k, b = n + 2 * k;
  uint32_t mask[8] = {a, a + 1, b, b + 1, a + 2, a + 3, b + 2, b + 3};
  return low_shuffle(em, x, y, mask, 8);
}

/* The way back: n vectors over w lanes, v[l] gets the components of lane l. */
static void
low_transpose_out(struct low_emit *em, const LLVMValueRef *in, uint32_t n,
                  uint32_t w, bool is64, LLVMValueRef *v) {
  assert(n == 2 || n == 4);
  if (!is64 || w < 4) {
    for (uint32_t l = 0; l < w; l++) {
      uint32_t pick[2] = {l, w + l};
      v[l] = low_shuffle(em, in[0], in[1], pick, 2);
      if (n == 4)
        v[l] = low_join(em, v[l], low_shuffle(em, in[2], in[3], pick, 2));
    }
    return;
  }
  for (uint32_t odd = 0; odd < 2; odd++) {
    LLVMValueRef x = low_unpack(em, in[0], in[1], odd);
    if (n == 2) {
      for (uint32_t l = odd; l < w; l += 2) v[l] = low_part(em, x, l - odd, 2);
      continue;
    }
    LLVMValueRef y = low_unpack(em, in[2], in[3], odd);
    for (uint32_t l = 0; l < w; l += 4) {
      LLVMValueRef z = low_zip_pairs(em, x, y, l / 2);
      v[l + odd] = low_part(em, z, 0, 4);
      v[l + odd + 2] = low_part(em, z, 4, 4);
    }
  }
}

/* ---- memory -------------------------------------------------------------- */

/* Components c .. c+n of an element, n in {1, 2, 4}. */
static uint32_t
low_chunk(uint32_t left) {
  return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* What is known of the address of components c.. of elements. */
static unsigned
low_align(const struct low_bind *d, uint32_t c, uint32_t n) {
  uint32_t size = d->type.size, chunk = n * size;
  bool whole = (d->dim * size) % chunk == 0 && (c * size) % chunk == 0;
  return d->alone && d->block == 1 && whole ? chunk : size;
}

static LLVMTypeRef
low_vector(struct low_emit *em, struct type t, uint32_t n) {
  return LLVMVectorType(ll_type(em->ctx, t), n);
}

/* Is component c of the block's elements one vector in memory? */
static bool
low_is_row(const struct low_emit *em, const struct low_slot *s,
           const struct low_bind *d) {
  bool steps = low_slot_stretches(em->r, s) && !s->still;
  bool beside =
      low_slot_beside(em->r, s) && s->map < 0 && (d->block <= 1 || d->column);
  if (low_slot_far(s) && !steps && !beside) return false;
  return d->block == 0 || (d->block == 1 && s->dim == 1) ||
         (d->block > 1 && d->block % em->width == 0);
}

static LLVMValueRef
low_lanes_at(struct low_emit *em, uint32_t k, uint32_t c) {
  assert(c < em->r->slots[k].dim && em->lanes[k]);
  LLVMValueRef at = ll_i64(em->ctx, (int64_t)c * em->width);
  return LLVMBuildInBoundsGEP2(em->b, ll_type(em->ctx, em->r->slots[k].type),
                               em->lanes[k], &at, 1, "");
}

static LLVMValueRef
low_lanes_get(struct low_emit *em, uint32_t k, uint32_t c) {
  LLVMTypeRef type = low_vector(em, em->r->slots[k].type, em->width);
  return LLVMBuildLoad2(em->b, type, low_lanes_at(em, k, c), "");
}

static void
low_lanes_put(struct low_emit *em, uint32_t k, uint32_t c, LLVMValueRef v) {
  LLVMBuildStore(em->b, v, low_lanes_at(em, k, c));
}

/* A vector of n values at component c of a place: contiguous there. */
static LLVMValueRef
low_vector_load(struct low_emit *em, struct low_at at, const struct low_slot *s,
                uint32_t c, uint32_t n, unsigned align) {
  LLVMValueRef p = low_at_address(em, at, s->type, ll_i64(em->ctx, c));
  LLVMTypeRef type =
      n == 1 ? ll_type(em->ctx, s->type) : low_vector(em, s->type, n);
  LLVMValueRef v = LLVMBuildLoad2(em->b, type, p, "");
  LLVMSetAlignment(v, align);
  return v;
}

static void
low_vector_store(struct low_emit *em, struct low_at at,
                 const struct low_slot *s, uint32_t c, LLVMValueRef v,
                 unsigned align) {
  LLVMValueRef p = low_at_address(em, at, s->type, ll_i64(em->ctx, c));
  LLVMSetAlignment(LLVMBuildStore(em->b, v, p), align);
}

static LLVMValueRef
low_insert(struct low_emit *em, LLVMValueRef into, LLVMValueRef v, uint32_t l) {
  assert(l < em->width);
  return LLVMBuildInsertElement(em->b, into, v, ll_i64(em->ctx, l), "");
}

/* ---- loops over lanes ---------------------------------------------------- */

struct ll_loop
low_lanes_begin(struct low_emit *em) {
  LLVMValueRef width = ll_i64(em->ctx, em->width);
  struct ll_loop l = ll_loop_begin(em->b, ll_i64(em->ctx, 0), width, "lane");
  em->i = l.i;
  return l;
}

void
low_lanes_end(struct low_emit *em, struct ll_loop *l) {
  ll_loop_end(em->b, l, em->marks.parallel);
  em->i = NULL;
}

/* ---- lanes of the block before ------------------------------------------- */

LLVMValueRef
low_lanes_new(struct low_emit *em, uint32_t k, const char *name) {
  const struct low_slot *s = &em->r->slots[k];
  return ll_entry_alloca(em->b, ll_type(em->ctx, s->type),
                         (uint64_t)s->dim * em->r->width, 64, name);
}

/* Lane l of component c in the lanes of the block before. */
static LLVMValueRef
low_before_at(struct low_emit *em, uint32_t k, uint32_t c, uint32_t l) {
  assert(em->before[k] && l < em->width);
  LLVMValueRef at = ll_i64(em->ctx, (int64_t)c * em->width + l);
  return LLVMBuildInBoundsGEP2(em->b, ll_type(em->ctx, em->r->slots[k].type),
                               em->before[k], &at, 1, "");
}

void
low_lanes_slide(struct low_emit *em, uint32_t k, uint32_t from) {
  const struct low_slot *s = &em->r->slots[k];
  uint32_t mask[LOW_WIDTH_MAX];
  assert(s->dim == em->r->slots[from].dim);
  for (uint32_t l = 0; l < em->width; l++) mask[l] = em->width - 1 + l;
  for (uint32_t c = 0; c < s->dim; c++) {
    LLVMValueRef before =
        LLVMBuildLoad2(em->b, low_vector(em, s->type, em->width),
                       low_before_at(em, from, c, 0), "");
    LLVMValueRef v = low_lanes_get(em, from, c);
    low_lanes_put(em, k, c, low_shuffle(em, before, v, mask, em->width));
  }
}

void
low_lanes_keep(struct low_emit *em, uint32_t k) {
  for (uint32_t c = 0; c < em->r->slots[k].dim; c++)
    LLVMBuildStore(em->b, low_lanes_get(em, k, c), low_before_at(em, k, c, 0));
}

void
low_lanes_start(struct low_emit *em, uint32_t k, uint32_t value) {
  const struct low_slot *s = &em->r->slots[k];
  for (uint32_t c = 0; c < s->dim; c++) {
    LLVMValueRef p = low_at_address(em, low_at_home(em->home[value]), s->type,
                                    ll_i64(em->ctx, c));
    LLVMValueRef v = LLVMBuildLoad2(em->b, ll_type(em->ctx, s->type), p, "");
    LLVMBuildStore(em->b, v, low_before_at(em, k, c, em->width - 1));
  }
}

/* ---- loading ------------------------------------------------------------- */

/* Components [c, c+n) of all lanes, element by element; what lies before `from`
 * is there already. */
static void
low_load_chunk(struct low_emit *em, uint32_t k, const struct low_at *at,
               uint32_t c, uint32_t n, uint32_t from) {
  const struct low_slot *s = &em->r->slots[k];
  LLVMValueRef v[LOW_WIDTH_MAX], out[LOW_CHUNK];
  for (uint32_t l = 0; l < em->width; l++)
    v[l] = low_vector_load(em, at[l], s, c, n, low_align(at[l].bind, c, n));
  if (n == 1) {
    out[0] = LLVMGetUndef(low_vector(em, s->type, em->width));
    for (uint32_t l = 0; l < em->width; l++)
      out[0] = low_insert(em, out[0], v[l], l);
  } else {
    low_transpose_in(em, v, n, em->width, s->type.size == 8, out);
  }
  for (uint32_t x = from - c; x < n; x++) low_lanes_put(em, k, c + x, out[x]);
}

/* All components in AoS. One or three at the end are loaded with the one before
 * them: that is fewer shuffles. */
static void
low_load_elements(struct low_emit *em, uint32_t k, const struct low_at *at) {
  uint32_t dim = em->r->slots[k].dim;
  for (uint32_t c = 0, n; c < dim; c += n) {
    uint32_t left = dim - c, more = c && (left == 1 || left == 3);
    n = more ? left : low_chunk(left);
    low_load_chunk(em, k, at, c - more, n + more, c);
  }
}

/* The component's row at p of an element further on. Elements of AoSoA lie
 * further apart. */
static void
low_row_ahead(struct low_emit *em, const struct low_slot *s, LLVMValueRef p) {
  int64_t apart = em->r->binds[s->load].block > 1 ? s->dim : 1;
  if (em->r->prefetch)
    ll_prefetch(em->b, p, apart * em->r->prefetch * s->type.size);
}

static void
low_load_rows(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  struct low_at at = low_at_dat(em, s, s->load);
  for (uint32_t c = 0; c < s->dim; c++) {
    LLVMValueRef p = low_at_address(em, at, s->type, ll_i64(em->ctx, c));
    if (!low_slot_far(s) && !s->stream) low_row_ahead(em, s, p);
    if (s->ahead) ll_prefetch(em->b, p, s->ahead);
    low_lanes_put(em, k, c,
                  low_vector_load(em, at, s, c, em->width, s->type.size));
  }
}

/* The lines of a block's elements, which lie one behind the other. */
static void
low_lines_ahead(struct low_emit *em, const struct low_slot *s) {
  struct low_at at = low_at_dat(em, s, s->load);
  uint64_t bytes = (uint64_t)em->width * s->dim * s->type.size;
  LLVMValueRef p = low_at_address(em, at, s->type, ll_i64(em->ctx, 0));
  for (uint64_t line = 0; line < bytes; line += LOW_LINE)
    ll_prefetch(em->b, p, s->ahead + (int64_t)line);
}

void
low_components_ahead(struct low_emit *em) {
  for (uint32_t k = 0; k < em->r->nslots; k++) {
    const struct low_slot *s = &em->r->slots[k];
    if (s->kind != LOW_SLOT_DAT || s->load < 0 || s->call >= 0) continue;
    bool row = low_is_row(em, s, &em->r->binds[s->load]);
    if (s->ahead && !row) low_lines_ahead(em, s);
    if (low_slot_far(s) || !row) continue;
    struct low_at at = low_at_dat(em, s, s->load);
    for (uint32_t c = 0; c < s->dim; c++)
      low_row_ahead(em, s, low_at_address(em, at, s->type, ll_i64(em->ctx, c)));
  }
}

static void
low_load_index(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  LLVMTypeRef type = ll_type(em->ctx, s->type);
  LLVMValueRef v = LLVMGetUndef(low_vector(em, s->type, em->width));
  for (uint32_t l = 0; l < em->width; l++) {
    LLVMValueRef e = LLVMBuildNSWAdd(em->b, em->e, ll_i64(em->ctx, l), "");
    LLVMValueRef to = low_slot_index(em, s, e);
    v = low_insert(em, v, LLVMBuildIntCast2(em->b, to, type, true, ""), l);
  }
  low_lanes_put(em, k, 0, v);
}

static void
low_lane_places(struct low_emit *em, const struct low_slot *s, int32_t bind,
                struct low_at *at) {
  for (uint32_t l = 0; l < em->width; l++)
    at[l] = low_at_dat_lane(em, s, bind, l);
}

void
low_lanes_load(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  struct low_at at[LOW_WIDTH_MAX];
  if (s->kind == LOW_SLOT_INDEX) {
    low_load_index(em, k);
    return;
  }
  const struct low_bind *d = &em->r->binds[s->load];
  if (low_is_row(em, s, d)) {
    low_load_rows(em, k);
    return;
  }
  low_lane_places(em, s, s->load, at);
  if (s->ahead) low_lines_ahead(em, s);
  if (d->block == 1)
    low_load_elements(em, k, at);
  else
    for (uint32_t c = 0; c < s->dim; c++) low_load_chunk(em, k, at, c, 1, c);
}

/* ---- storing ------------------------------------------------------------- */

/* Chunks [c, c+n) of all lanes as they lie in memory. */
static void
low_lane_chunks(struct low_emit *em, const LLVMValueRef *in, uint32_t n,
                bool is64, LLVMValueRef *v) {
  if (n > 1) {
    low_transpose_out(em, in, n, em->width, is64, v);
    return;
  }
  for (uint32_t l = 0; l < em->width; l++)
    v[l] = LLVMBuildExtractElement(em->b, in[0], ll_i64(em->ctx, l), "");
}

/* How many components lie together from c on. */
static uint32_t
low_bind_chunk(const struct low_bind *d, uint32_t c) {
  assert(c < d->dim);
  return d->block == 1 ? low_chunk(d->dim - c) : 1;
}

/* Chunk c of slot k as it lies in memory: v[l] of lane l. Returns its size. */
static uint32_t
low_out_chunk(struct low_emit *em, uint32_t k, uint32_t c, LLVMValueRef *v) {
  const struct low_slot *s = &em->r->slots[k];
  uint32_t n = low_bind_chunk(&em->r->binds[s->store], c);
  LLVMValueRef in[LOW_CHUNK];
  assert(n && n <= LOW_CHUNK);
  for (uint32_t x = 0; x < n; x++) in[x] = low_lanes_get(em, k, c + x);
  low_lane_chunks(em, in, n, s->type.size == 8, v);
  return n;
}

static bool
low_slot_scatters(const struct low_slot *s) {
  return s->kind == LOW_SLOT_INC && s->map >= 0;
}

void
low_chunks_copy(struct low_emit *em, const struct low_slot *s,
                struct low_at dst, struct low_at src) {
  const struct low_bind *d = &em->r->binds[s->store < 0 ? s->load : s->store];
  assert((dst.bind == d) != (src.bind == d));
  for (uint32_t c = 0, n; c < s->dim; c += n) {
    n = low_bind_chunk(d, c);
    unsigned align = low_align(d, c, n);
    low_vector_store(em, dst, s, c, low_vector_load(em, src, s, c, n, align),
                     align);
  }
}

/* Where slot k has lane l. */
static struct low_at
low_put_place(struct low_emit *em, uint32_t k, uint32_t l) {
  const struct low_slot *s = &em->r->slots[k];
  if (!s->run) return low_at_dat_lane(em, s, s->store, l);
  return low_run_at(em, k);
}

/* Store, or combine with what is there, components [c, c+n) of lane l. */
static void
low_put_chunk(struct low_emit *em, uint32_t k, uint32_t c, uint32_t n,
              uint32_t l, LLVMValueRef x) {
  const struct low_slot *s = &em->r->slots[k];
  struct low_at at = low_put_place(em, k, l);
  unsigned align = low_align(&em->r->binds[s->store], c, n);
  if (low_slot_scatters(s))
    x = low_combined(em, s, low_vector_load(em, at, s, c, n, align), x);
  low_vector_store(em, at, s, c, x, align);
}

void
low_lanes_store(struct low_emit *em, uint32_t k) {
  const struct low_slot *s = &em->r->slots[k];
  if (low_is_row(em, s, &em->r->binds[s->store])) {
    struct low_at at = low_at_dat(em, s, s->store);
    for (uint32_t c = 0; c < s->dim; c++) {
      LLVMValueRef v = low_lanes_get(em, k, c);
      if (s->stream)
        low_stream_store(em, at, s, c, v);
      else
        low_vector_store(em, at, s, c, v, s->type.size);
      if (s->through >= 0)
        low_stream_store(em, low_at_dat(em, s, s->through), s, c, v);
    }
    return;
  }
  LLVMValueRef v[LOW_WIDTH_MAX];
  for (uint32_t c = 0, n; c < s->dim; c += n) {
    n = low_out_chunk(em, k, c, v);
    for (uint32_t l = 0; l < em->width; l++)
      low_put_chunk(em, k, c, n, l, v[l]);
  }
}

static bool
low_slot_adds_to(const struct low_slot *s, uint32_t bind) {
  return low_slot_scatters(s) && s->store == (int32_t)bind;
}

/* How many slots add to a bind. */
static uint32_t
low_adders(const struct low_region *r, uint32_t bind) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->nslots; k++)
    n += low_slot_adds_to(&r->slots[k], bind);
  return n;
}

/* Components [from, to) of a bind, chunk by chunk. */
struct low_span {
  uint32_t bind, from, to;
};

/* Slot k's part of the span as it lies in memory; returns what is behind. */
static LLVMValueRef *
low_span_chunks(struct low_emit *em, uint32_t k, const struct low_span *p,
                LLVMValueRef *v) {
  for (uint32_t c = p->from; c < p->to; v += em->width)
    c += low_out_chunk(em, k, c, v);
  return v;
}

/* Lane l of it, to where it is added. */
static const LLVMValueRef *
low_span_put(struct low_emit *em, uint32_t k, const struct low_span *p,
             uint32_t l, const LLVMValueRef *v) {
  const struct low_bind *d = &em->r->binds[p->bind];
  for (uint32_t c = p->from, n; c < p->to; c += n, v += em->width) {
    n = low_bind_chunk(d, c);
    low_put_chunk(em, k, c, n, l, v[l]);
  }
  return v;
}

/* What slots bring to the span, in element order. */
static void
low_span_add(struct low_emit *em, const struct low_span *p, uint32_t slots) {
  const struct low_region *r = em->r;
  int32_t run = low_run_slot(r, (int32_t)p->bind);
  assert(run < 0 || p->to - p->from == r->binds[p->bind].dim);
  size_t room = (size_t)slots * (p->to - p->from) * em->width;
  LLVMValueRef *all = mem_alloc(room, sizeof *all), *end = all;
  for (uint32_t k = 0; k < r->nslots; k++)
    if (low_slot_adds_to(&r->slots[k], p->bind))
      end = low_span_chunks(em, k, p, end);
  for (uint32_t l = 0; l < em->width; l++) {
    const LLVMValueRef *v = all;
    if (run >= 0) low_run_turn(em, (uint32_t)run, l);
    for (uint32_t k = 0; k < r->nslots; k++)
      if (low_slot_adds_to(&r->slots[k], p->bind))
        v = low_span_put(em, k, p, l, v);
    assert(v == end);
  }
  free(all);
}

/* Does what is added to a bind wait for the next block? All of it does, or
 * none. */
static bool
low_bind_late(const struct low_region *r, uint32_t bind) {
  for (uint32_t k = 0; k < r->nslots; k++)
    if (low_slot_adds_to(&r->slots[k], bind)) return r->slots[k].late;
  return false;
}

/* LOW_SPAN vectors at a time: they stay in registers. 32 are as fast. */
void
low_lanes_add(struct low_emit *em, bool late) {
  for (uint32_t b = 0; b < em->r->nbinds; b++) {
    const struct low_bind *d = &em->r->binds[b];
    if (low_bind_late(em->r, b) != late) continue;
    uint32_t slots = low_adders(em->r, b);
    struct low_span p = {b, 0, 0};
    while (slots && p.from < d->dim) {
      do p.to += low_bind_chunk(d, p.to);
      while (p.to < d->dim &&
             slots * (p.to + low_bind_chunk(d, p.to) - p.from) <= LOW_SPAN);
      low_span_add(em, &p, slots);
      p.from = p.to;
    }
  }
}
