/* Storage of dats: buffers, layouts, mirrors.
 *
 * A dat's values live in an rt_buf, in one of three layouts that one number
 * describes. With block length b, component c of element e lies at
 *
 *   at(e, c) = (e / b) * dim * b + c * b + e % b        (in components)
 *
 * AoS is b = 1, AoSoA any b, SoA b = `stride`, the padded number of elements (so
 * e / b is 0). `block` 0 means SoA; stride is then filled in at allocation.
 *
 * Buffers are counted: two dats share one while they are equal by name (pass
 * rename). Freed buffers go to a pool and come back for the same size.
 *
 * The mirror is what the program sees as dat->data: AoS, the program's order, an
 * address that never changes. It is current after declaration and after
 * rt_dat_sync; running loops makes it stale. The buffer is made from the mirror
 * when a loop first needs it, so that data that are never computed with exist
 * once. Pages of a stale mirror above RT_RELEASE_BYTES go back to the system.
 */
#ifndef RT_STORE_H
#define RT_STORE_H

#include "base/err.h"
#include "base/types.h"

struct rt_shape {
  idx_l n;            /* elements, halo included */
  uint32_t dim;
  struct type type;
  uint32_t block;     /* 1 AoS, 0 SoA, b AoSoA */
};

struct rt_buf {
  void *mem;      /* 64-byte aligned */
  size_t bytes;
  size_t stride;  /* components: padded n for SoA, block else */
  uint32_t refs;
  bool foreign;   /* memory of the user (OP_NO_REALLOC): never freed, swapped */
  struct rt_buf *next; /* in the pool */
};

struct rt_dat {
  struct rt_shape shape;
  struct rt_buf *buf;    /* NULL: only the mirror exists */
  char *mirror;          /* AoS, n*dim*size bytes */
  bool mirror_current;
  bool buf_current;      /* false: the mirror was written, buf is to be refilled */
  bool foreign;          /* mirror is the user's own memory and the buffer, too */
};

/* Make a dat: `data` AoS [n, dim] is copied (NULL: zeros), or used as it is if
 * `foreign` (then block is 1). cost one copy. ERR_MEMORY names the size. */
status rt_dat_init(struct rt_dat *d, struct rt_shape shape, const void *data,
                   bool foreign);
void rt_dat_clear(struct rt_dat *d);

/* The buffer with the current values, made or refilled from the mirror at need. */
status rt_dat_buffer(struct rt_dat *d, struct rt_buf **out);
/* Give the dat another buffer (TAKE a reference); its mirror becomes stale. */
void rt_dat_set_buffer(struct rt_dat *d, struct rt_buf *b);
/* The buffer was written in place: the mirror becomes stale. */
void rt_dat_written(struct rt_dat *d);
/* Bring the mirror up to date from the buffer. cost one copy, none if current */
void rt_dat_sync(struct rt_dat *d);
/* The host wrote the mirror: the buffer is refilled before its next use. If the
 * buffer is shared with another dat it is left to that one. */
void rt_dat_mirror_written(struct rt_dat *d);
/* Copy elements [lo, hi) to `out`, AoS, from mirror or buffer. */
void rt_dat_read(const struct rt_dat *d, idx_l lo, idx_l hi, void *out);
/* Change the layout; the buffer is rewritten if it exists. */
status rt_dat_relayout(struct rt_dat *d, uint32_t block);

status rt_buf_new(struct rt_shape shape, struct rt_buf **out);
void rt_buf_ref(struct rt_buf *b);
void rt_buf_unref(struct rt_buf *b);
/* Free what the pool holds; bytes it held. */
size_t rt_pool_clear(void);

/* Convert elements [lo, hi) between layouts: a has block/stride as the shape says
 * with b_a, ... Shared by all of the above. */
void rt_layout_copy(void *dst, size_t dst_block, const void *src,
                    size_t src_block, idx_l lo, idx_l hi, uint32_t dim,
                    uint32_t size);

/* Memory for large arrays: aligned to 64 bytes, huge pages asked for above 4 MiB,
 * zeroed. NULL on exhaustion. */
void *rt_mem_new(size_t bytes);
void rt_mem_free(void *p, size_t bytes);

#endif
