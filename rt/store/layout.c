/* Layouts of dats, and copying between them.
 *
 * Problem. Every dat is AoS in its mirror and AoS, SoA or AoSoA in its buffer,
 * and each look at it is a transposition [n, dim] -> [dim, n]. Written as two
 * nested loops over n and dim, one side is read or written with a large stride,
 * and each cache line is fetched dim times once dim lines no longer fit.
 *
 * Idea. Both layouts keep runs of elements contiguous for each component: all
 * of [0, n) for SoA, b elements for AoSoA, one for AoS. Cut [lo, hi) where any
 * run ends. If neither side is AoS, a piece is one memcpy per component. If one
 * side is AoS, cut further into tiles whose AoS rows fit into the first cache
 * level and move one component after the other: the block side is streamed, the
 * AoS side strided but cached.
 *
 *   AoS rows      a0 b0 c0 a1 b1 c1 ...     tile of TILE_BYTES
 *   SoA           a0 a1 ..   b0 b1 ..   c0 c1 ..
 *
 * Orders of elements that differ go element by element instead: whatever the
 * layout, the next element is somewhere else. Spaced lines go one by one.
 *
 * Whole dats are copied by all threads, each the range of elements that loops
 * over the set give it: the pages of a buffer then lie where they are used
 * (first touch).
 *
 * Cost: each byte is read and written once; 5 to 19 GB/s for 2 to 6 doubles,
 * one thread.
 * Limits: components of other sizes than 1, 2, 4, 8 go by memcpy. Parts of a
 * dat (rt_layout_rows) are copied by one thread.
 */
#include "rt/store/store_impl.h"

#include <assert.h>
#include <omp.h>
#include <string.h>

enum { SOA_ALIGN = 64, TILE_BYTES = 8192, THREADED_BYTES = 1 << 20 };

size_t
rt_shape_stride(struct rt_shape s) {
  assert(s.n >= 0);
  if (s.block) return s.block;
  return ((((size_t)s.n + SOA_ALIGN - 1) / SOA_ALIGN) | 1) * SOA_ALIGN;
}

bool
rt_shape_bytes(struct rt_shape s, size_t *out) {
  size_t b = rt_shape_stride(s), blocks = ((size_t)s.n + b - 1) / b, bytes;
  return !__builtin_mul_overflow(blocks * b, (size_t)s.dim, &bytes) &&
         !__builtin_mul_overflow(bytes, (size_t)s.type.size, out) &&
         *out < SIZE_MAX / 4;
}

/* Component 0 of element e, in components. */
static size_t
row_at(size_t e, size_t b, size_t dim) {
  return e / b * dim * b + e % b;
}

/* One component of n elements, from stride a to stride b. One side has stride 1
 * in every call, and `inline` lets the compiler see which. */
#define STRIDED(bits)                                                          \
  typedef uint##bits##_t __attribute__((may_alias)) word##bits;                \
  static inline void pack##bits(void *dst, const void *src, size_t n,          \
                                size_t stride) {                               \
    word##bits *d = dst;                                                       \
    const word##bits *s = src;                                                 \
    for (size_t i = 0; i < n; i++) d[i] = s[i * stride];                       \
  }                                                                            \
  static inline void unpack##bits(void *dst, const void *src, size_t n,        \
                                  size_t stride) {                             \
    word##bits *d = dst;                                                       \
    const word##bits *s = src;                                                 \
    for (size_t i = 0; i < n; i++) d[i * stride] = s[i];                       \
  }
STRIDED(8)
STRIDED(16)
STRIDED(32)
STRIDED(64)

typedef void (*strided_fn)(void *dst, const void *src, size_t n, size_t stride);
static const strided_fn pack_fn[9] = {
    [1] = pack8, [2] = pack16, [4] = pack32, [8] = pack64};
static const strided_fn unpack_fn[9] = {
    [1] = unpack8, [2] = unpack16, [4] = unpack32, [8] = unpack64};

/* Is [p] a multiple of the component, so that it may be moved as a word? User
 * memory may be packed more tightly. */
static bool
word_sized(const void *a, const void *b, uint32_t size) {
  return size <= 8 && pack_fn[size] && (uintptr_t)a % size == 0 &&
         (uintptr_t)b % size == 0;
}

/* rows[i][c] -> block[c*b + i] for i in [0, n): a piece inside one block. */
static void
pack_piece(char *block, size_t b, const char *rows, size_t n, size_t dim,
           uint32_t size) {
  bool words = word_sized(block, rows, size);
  for (size_t c = 0; c < dim; c++) {
    char *d = block + c * b * size;
    const char *s = rows + c * size;
    if (words)
      pack_fn[size](d, s, n, dim);
    else
      for (size_t i = 0; i < n; i++)
        memcpy(d + i * size, s + i * dim * size, size);
  }
}

static void
unpack_piece(char *rows, const char *block, size_t b, size_t n, size_t dim,
             uint32_t size) {
  bool words = word_sized(block, rows, size);
  for (size_t c = 0; c < dim; c++) {
    char *d = rows + c * size;
    const char *s = block + c * b * size;
    if (words)
      unpack_fn[size](d, s, n, dim);
    else
      for (size_t i = 0; i < n; i++)
        memcpy(d + i * dim * size, s + i * size, size);
  }
}

static void
move_piece(char *dst, size_t db, const char *src, size_t sb, size_t n,
           size_t dim, uint32_t size) {
  if (db == 1)
    unpack_piece(dst, src, sb, n, dim, size);
  else if (sb == 1)
    pack_piece(dst, db, src, n, dim, size);
  else
    for (size_t c = 0; c < dim; c++)
      memcpy(dst + c * db * size, src + c * sb * size, n * size);
}

/* End of the piece that starts at e: where a block of either side ends. AoS
 * rows go on for ever, but no further than a tile. */
static size_t
piece_end(size_t e, size_t hi, size_t db, size_t sb, size_t tile) {
  size_t end = hi;
  if (db > 1 && (e / db + 1) * db < end) end = (e / db + 1) * db;
  if (sb > 1 && (e / sb + 1) * sb < end) end = (e / sb + 1) * sb;
  if ((db == 1 || sb == 1) && e + tile < end) end = e + tile;
  return end;
}

/* dst is AoS rows from element `first` on, or (first is 0) any layout. */
static void
copy(char *dst, size_t db, size_t first, const char *src, size_t sb, size_t lo,
     size_t hi, size_t dim, uint32_t size) {
  size_t row = dim * size;
  if (dim == 1) db = sb = 1; /* at(e, 0) = e in every layout */
  if (db == 1 && sb == 1) {
    memcpy(dst + (lo - first) * row, src + lo * row, (hi - lo) * row);
    return;
  }
  size_t tile = TILE_BYTES / row < 16 ? 16 : TILE_BYTES / row;
  for (size_t e = lo, end; e < hi; e = end) {
    end = piece_end(e, hi, db, sb, tile);
    move_piece(dst + row_at(e - first, db, dim) * size, db,
               src + row_at(e, sb, dim) * size, sb, end - e, dim, size);
  }
}

/* ---- by all threads ----------------------------------------------------- */

/* Is a parallel region worth it? One costs 0.4 us even where one thread has it
 * all, more than the few elements of a message take: an exchange of a pair of
 * nodes between two ranks took 1.4 us, 0.5 without. */
static bool
is_large(idx_l n, uint32_t dim, uint32_t size) {
  return (size_t)n * dim * size >= THREADED_BYTES;
}

/* Where this thread's share of n elements begins, or (next 1) the next one's.
 * */
static size_t
my_begin(idx_l n, int next) {
  int t = omp_get_thread_num() + next, k = omp_get_num_threads();
  return (size_t)((int64_t)n * t / k);
}

void
rt_layout_copy(void *dst, size_t dst_block, const void *src, size_t src_block,
               idx_l lo, idx_l hi, uint32_t dim, uint32_t size) {
  assert(dst_block > 0 && src_block > 0 && lo >= 0);
  if (hi <= lo || !dim || !size) return;
  if (!is_large(hi - lo, dim, size)) {
    copy(dst, dst_block, 0, src, src_block, (size_t)lo, (size_t)hi, dim, size);
    return;
  }
#pragma omp parallel
  {
    size_t from = (size_t)lo + my_begin(hi - lo, 0);
    size_t to = (size_t)lo + my_begin(hi - lo, 1);
    copy(dst, dst_block, 0, src, src_block, from, to, dim, size);
  }
}

void
rt_layout_rows(void *rows, const void *src, size_t src_block, idx_l lo,
               idx_l hi, uint32_t dim, uint32_t size) {
  assert(src_block > 0 && lo >= 0);
  if (hi <= lo || !dim || !size) return;
  copy(rows, 1, (size_t)lo, src, src_block, (size_t)lo, (size_t)hi, dim, size);
}

/* ---- other orders of elements -------------------------------------------- */

/* One side of a permuted copy; NULL: elements from `first` on. */
struct side {
  size_t block;
  const idx_l *rows;
  size_t first;
};

static inline size_t
side_at(struct side s, size_t i, size_t dim) {
  size_t e = s.rows ? (size_t)s.rows[i] : s.first + i;
  return s.block == 1 ? e * dim : row_at(e, s.block, dim);
}

/* Elements [lo, hi); `size` is a constant in each call. */
static inline void
permute(char *dst, struct side d, const char *src, struct side s, size_t lo,
        size_t hi, size_t dim, size_t size) {
  for (size_t i = lo; i < hi; i++) {
    char *to = dst + side_at(d, i, dim) * size;
    const char *from = src + side_at(s, i, dim) * size;
    for (size_t c = 0; c < dim; c++)
      memcpy(to + c * d.block * size, from + c * s.block * size, size);
  }
}

static void
permute_sized(char *dst, struct side d, const char *src, struct side s,
              size_t lo, size_t hi, size_t dim, size_t size) {
  switch (size) {
  case 8: permute(dst, d, src, s, lo, hi, dim, 8); break;
  case 4: permute(dst, d, src, s, lo, hi, dim, 4); break;
  default: permute(dst, d, src, s, lo, hi, dim, size);
  }
}

void
rt_layout_permute(void *dst, size_t dst_block, const idx_l *dst_rows,
                  const void *src, size_t src_block, const idx_l *src_rows,
                  idx_l n, uint32_t dim, uint32_t size) {
  assert(dst_block > 0 && src_block > 0 && n >= 0);
  struct side d = {dst_block, dst_rows, 0}, s = {src_block, src_rows, 0};
  if (dim == 1) d.block = s.block = 1;
  if (!is_large(n, dim, size)) {
    permute_sized(dst, d, src, s, 0, (size_t)n, dim, size);
    return;
  }
#pragma omp parallel
  permute_sized(dst, d, src, s, my_begin(n, 0), my_begin(n, 1), dim, size);
}

/* ---- spaced lines -------------------------------------------------------- */

/* n elements that lie behind one another on both sides. */
static void
copy_line(char *dst, struct side d, const char *src, struct side s, size_t n,
          size_t dim, size_t size) {
  size_t row = dim * size;
  if (d.block == 1 && s.block == 1)
    memcpy(dst + d.first * row, src + s.first * row, n * row);
  else
    permute_sized(dst, d, src, s, 0, n, dim, size);
}

void
rt_layout_spaced(void *dst, size_t dst_block, struct rt_spacing dst_by,
                 const void *src, size_t src_block, struct rt_spacing src_by,
                 idx_l lo, idx_l hi, uint32_t dim, uint32_t size) {
  idx_l line = dst_by.line ? dst_by.line : src_by.line;
  assert(line > 0 && 0 <= lo && lo <= hi);
  assert(!dst_by.line || !src_by.line || dst_by.line == src_by.line);
  if (dim == 1) dst_block = src_block = 1;
#pragma omp parallel if (is_large(hi - lo, dim, size))
  {
    idx_l e = lo + (idx_l)my_begin(hi - lo, 0);
    idx_l end = lo + (idx_l)my_begin(hi - lo, 1);
    for (idx_l n; e < end; e += n) {
      struct side d = {dst_block, NULL, (size_t)rt_spaced(dst_by, e)};
      struct side s = {src_block, NULL, (size_t)rt_spaced(src_by, e)};
      n = line - e % line;
      if (n > end - e) n = end - e;
      copy_line(dst, d, src, s, (size_t)n, dim, size);
    }
  }
}

/* ---- a buffer's elements, from and to the program's ---------------------- */

void
rt_order_take(const struct rt_order *o, void *buf, size_t stride,
              const void *rows, size_t rows_stride, const struct rt_shape *s) {
  if (o && o->lines.line)
    rt_layout_spaced(buf, stride, o->lines, rows, rows_stride,
                     (struct rt_spacing){0}, 0, o->rows, s->dim, s->type.size);
  else if (o)
    rt_layout_permute(buf, stride, NULL, rows, rows_stride, o->row, s->n,
                      s->dim, s->type.size);
  else
    rt_layout_copy(buf, stride, rows, rows_stride, 0, s->n, s->dim,
                   s->type.size);
}

void
rt_order_give(const struct rt_order *o, void *rows, size_t rows_stride,
              const void *buf, size_t stride, const struct rt_shape *s) {
  if (o && o->lines.line)
    rt_layout_spaced(rows, rows_stride, (struct rt_spacing){0}, buf, stride,
                     o->lines, 0, o->rows, s->dim, s->type.size);
  else if (o)
    rt_layout_permute(rows, rows_stride, o->row, buf, stride, NULL, o->owned,
                      s->dim, s->type.size);
  else
    rt_layout_copy(rows, rows_stride, buf, stride, 0, s->n, s->dim,
                   s->type.size);
}
