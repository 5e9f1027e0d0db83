/* Storage of dats: buffers, layouts, mirrors.
 *
 * A dat's values live in an rt_buf, in one of three layouts that one number
 * describes. With block length b, component c of element e lies at
 *
 *   at(e, c) = (e / b) * dim * b + c * b + e % b        (in components)
 *
 * AoS is b = 1, AoSoA any b, SoA b = `stride`, the padded number of elements
 * (so e / b is 0). `block` 0 means SoA; stride is then filled in at allocation.
 *
 * Buffers are counted: two dats share one while they are equal by name (pass
 * rename). Freed buffers go to a pool and come back for the same size.
 *
 * SoA strides are odd multiples of 64 elements, so that vector loops need no
 * alignment code and components don't fall on the same cache sets. What lies in
 * the padding is never read.
 *
 * The mirror is what the program sees as dat->data: AoS, the program's order,
 * an address that never changes. It is current after declaration and after
 * rt_dat_sync; running loops makes it stale. The buffer is made from the mirror
 * when a loop first needs it, so that data that are never computed with exist
 * once. Pages of a stale mirror above RT_RELEASE_BYTES go back to the system,
 * unless the program has looked twice before and is likely to look again.
 *
 * Buffers may number elements otherwise than the program does
 * (rt/mesh/renumber.c). The mirror keeps the program's order, so that the
 * numbering, as the layout, ends where one is copied to the other: nobody else
 * converts.
 *
 * No address here is ever NULL, whatever the size: sets may be empty.
 */
#ifndef RT_STORE_H
#define RT_STORE_H

#include "base/err.h"
#include "base/reach.h"
#include "base/types.h"

struct rt_shape {
  idx_l n; /* elements, halo included */
  uint32_t dim;
  struct type type;
  uint32_t block;   /* 1 AoS, 0 SoA, b AoSoA */
  uint32_t device;  /* on devices: 1 AoS, 0 SoA; dats that overlap in memory lie
                      as on the host */
  const char *name; /* the dat's, for base/event.h; NULL: nobody asks. KEEP */
};

/* Lines of elements with room between them: element e is in place
 *   lead + e / line * pitch + e % line
 * line 0: no lines, in place lead + e. */
struct rt_spacing {
  idx_l line, pitch, lead;
};

static inline idx_l
rt_spaced(struct rt_spacing s, idx_l e) {
  return s.lead + (s.line ? e / s.line * s.pitch + e % s.line : e);
}

/* How a set's elements are numbered in buffers: element e is the program's
 * row[e], and the program's r is element at[r]; both are permutations of [0,
 * n), but in two cases. Of a set over ranks the first `owned` elements are this
 * rank's, the others copies of others' (rt/ranks/dist.h); the mirror has `rows`
 * elements, of which some may be nowhere here, and at is NULL. In a spaced one
 * (`lines`) the program's r is element rt_spaced(lines, r) of the n, others are
 * nobody's: no loop goes over such a set; row and at are NULL. */
struct rt_order {
  idx_l n, owned, rows;
  idx_l *row, *at;
  struct rt_spacing lines; /* line 0: not spaced */
  bool spread;             /* over ranks */
  bool whole;       /* each rank's mirror has all elements of all ranks */
  uint64_t version; /* process-wide unique, and no map's: see rt_relation */
};

/* The order in which `row` lists the program's elements (TAKE row, from
 * mem_alloc, a permutation). rt_order_free: NULL is allowed. */
struct rt_order *rt_order_new(idx_l n, idx_l *row);
/* That of a set over ranks (TAKE row). */
struct rt_order *rt_order_spread(idx_l n, idx_l owned, idx_l rows, bool whole,
                                 idx_l *row);
/* A spaced one of `rows` elements, a multiple of lines.line. */
struct rt_order *rt_order_spaced(idx_l rows, struct rt_spacing lines);
void rt_order_free(struct rt_order *o);
/* Process-wide unique, and no map's: of what devices have copies of. */
uint64_t rt_version_new(void);
struct rt_dev_mem;
struct rt_device;
struct rt_part;

struct rt_buf {
  struct rt_shape shape;
  void *mem; /* 64-byte aligned; NULL: on the device only */
  size_t bytes;
  size_t stride; /* components: padded n for SoA, block else */
  uint32_t refs;
  bool foreign; /* memory of the user (OP_NO_REALLOC): never freed, swapped */
  struct reach reach;
  /* residency.c: a second place of the same values */
  bool stale;             /* `mem` does not hold the values */
  bool zeros;             /* neither does anybody else: they are zero */
  bool dev_valid;         /* `dev` does */
  struct rt_dev_mem *dev; /* SoA; NULL: none */
  struct rt_buf *peers;   /* foreign: ring of those that overlap it in memory,
                             which share `dev`, AoS, and both flags */
  struct rt_buf *next;    /* in the pool */
};

/* A global's place on a device, beside the host's bytes, which its owner has.
 * All zero: the host alone has the value. */
struct rt_cell {
  size_t bytes;
  struct rt_dev_mem *mem; /* NULL: none */
  bool there;             /* it holds the value */
  bool away;              /* and the host's bytes do not */
};
/* Memory on the device, unless there is some, perhaps on another one. */
status rt_cell_room(struct rt_cell *c, struct rt_device *d);
/* The device has the value: nothing is copied if it did; by way of `host` if
 * another one has it. */
status rt_cell_upload(struct rt_cell *c, struct rt_device *d, void *host);
/* The host has it; waits for the device if it was away. */
status rt_cell_download(struct rt_cell *c, void *host);
/* The same, but not before the device's `finish`. */
status rt_cell_fetch(struct rt_cell *c, void *host);
/* Something was written: by the device there, or to the host's bytes. */
void rt_cell_written(struct rt_cell *c, bool there);
/* The memory goes, with a value that was away. */
void rt_cell_clear(struct rt_cell *c);

struct rt_dat {
  struct rt_shape shape;
  const char *name;             /* KEEP; NULL: none */
  struct rt_buf *buf;           /* NULL: only the mirror exists */
  char *mirror;                 /* AoS, the program's order, n*dim*size bytes */
  const struct rt_order *order; /* of the buffer; NULL: the program's. KEEP */
  idx_l rows;                   /* elements of the mirror */
  struct rt_part *part; /* of its set over ranks (rt/ranks/dist.h); KEEP */
  struct reach reach;   /* of the mirror */
  bool mirror_current;  /* not of a foreign one: rt_dat_mirror_current */
  bool buf_current; /* false: the mirror was written, buf is to be refilled */
  bool foreign;     /* the mirror's memory is the buffer's, too: pinned */
  bool own_mirror;  /* rt_dat_clear frees the mirror */
  bool bare;        /* ... which has no memory */
  bool untouched;   /* the mirror holds the zeros of its declaration */
  uint8_t looks;    /* rt_dat_sync copied so often (saturating) */
};

enum {
  RT_MAP_BYTES = 1 << 17,  /* above this rt_mem_new maps pages */
  RT_HUGE_BYTES = 4 << 20, /* above this it asks for huge pages */
  RT_RELEASE_BYTES = 1 << 20
};

/* Make a dat: `data` AoS [n, dim] is copied (NULL: zeros), or used as it is if
 * `foreign` (then block is 1). cost one copy. ERR_MEMORY names the size. */
status rt_dat_init(struct rt_dat *d, struct rt_shape shape, const void *data,
                   bool foreign);
/* One without memory: its mirror is addresses alone, and nobody may ask for its
 * values. ERR_MEMORY */
status rt_dat_bare(struct rt_dat *d, struct rt_shape shape);
/* Dats that overlap it must have been brought to the host. */
void rt_dat_clear(struct rt_dat *d);
/* From now on buffer and mirror are one memory, AoS: what an overlay needs
 * before a second dat is laid over d->mirror as foreign. cost one copy if the
 * mirror is stale */
status rt_dat_pin(struct rt_dat *d);

/* Memory of both dats, which are foreign, overlaps: from now on they have one
 * copy on a device. Their values come to the host. ERR_DEVICE */
status rt_dat_overlap(struct rt_dat *a, struct rt_dat *b);
/* Values of its declaration, which are all zero here, are not on other ranks.
 * */
void rt_dat_touch(struct rt_dat *d);
/* Its values are gone: mirror and buffer are as after a declaration, of
 * unspecified contents. */
void rt_dat_forget(struct rt_dat *d);
/* Does the mirror hold the values? */
bool rt_dat_mirror_current(const struct rt_dat *d);

/* On the host, are the values of its buffer in the mirror alone? A device has
 * them, too. */
static inline bool
rt_dat_mirror_alone(const struct rt_dat *d) {
  return d->mirror_current && !d->foreign && d->buf_current && d->buf->stale;
}

/* Has the buffer, wherever it is, values beside the mirror's? The program may
 * have written the mirror since they were the same. */
static inline bool
rt_dat_apart(const struct rt_dat *d) {
  return d->mirror_current && !d->foreign && d->buf_current &&
         (!d->buf->stale || d->buf->zeros || d->buf->dev_valid);
}
/* Where it has: these alone count. */
void rt_dat_mirror_leave(struct rt_dat *d);

/* The buffer with the current values in host memory, made or refilled at need
 * from the mirror or the device. */
status rt_dat_buffer(struct rt_dat *d, struct rt_buf **out);
/* The dat's buffer; the values may as yet be in the mirror or on a device. */
status rt_dat_shell(struct rt_dat *d, struct rt_buf **out);
/* The same; what the program writes into the mirror from now on is not among
 * the values. told: it has said so wherever it wrote there before. cost none if
 * it then never did, else that of rt_dat_buffer. */
status rt_dat_keep(struct rt_dat *d, bool told);
/* Give the dat another buffer (TAKE a reference); its mirror becomes stale. */
void rt_dat_set_buffer(struct rt_dat *d, struct rt_buf *b);
/* The buffer was written in place: the mirror becomes stale. */
void rt_dat_written(struct rt_dat *d);
/* Bring the mirror up to date from the buffer, wherever that is. cost one copy,
 * none if current. ERR_DEVICE ERR_MEMORY: only from a device */
status rt_dat_sync(struct rt_dat *d);
/* The host wrote the mirror, which was current before: the buffer is refilled
 * before its next use. If it is shared with another dat it is left to that
 * one. */
void rt_dat_mirror_written(struct rt_dat *d);
/* Copy the program's elements [lo, hi) to `out`, AoS, from mirror or buffer;
 * not from a device. */
void rt_dat_read(const struct rt_dat *d, idx_l lo, idx_l hi, void *out);
/* Change the layout, here and on devices; the buffer is rewritten if it exists
 * (and no longer shared). ERR_STATE for other than AoS in foreign memory. */
status rt_dat_relayout(struct rt_dat *d, uint32_t block, uint32_t device);
/* Change the numbering of the buffer (KEEP; NULL: the program's), which is
 * rewritten if it holds values, and no longer shared. Memory of the program
 * keeps the program's. ERR_MEMORY; then nothing has changed. */
status rt_dat_reorder(struct rt_dat *d, const struct rt_order *order);

/* Bring the dat to a set that lies over ranks from now on: buffers have
 * order->n elements, the mirror order->rows. The mirror must be current; it
 * keeps its values, and else its address, if it has that number of rows, and is
 * zero if not. ERR_MEMORY; then nothing has changed. */
status rt_dat_spread(struct rt_dat *d, const struct rt_order *order,
                     struct rt_part *part);

/* A buffer with one reference, from the pool or the system; its contents are
 * unspecified. ERR_MEMORY names the size. */
status rt_buf_new(struct rt_shape shape, struct rt_buf **out);
/* The same without host memory, for data that may never be on the host. */
status rt_buf_shell(struct rt_shape shape, struct rt_buf **out);
/* Give it host memory if it has none. */
status rt_buf_host(struct rt_buf *b);
/* The same, and its `zeros` are written there. */
status rt_buf_zero(struct rt_buf *b);
void rt_buf_ref(struct rt_buf *b);
void rt_buf_unref(struct rt_buf *b);
/* Memory for a mirror, as rt_mem_new gives it; NULL: there is none. */
void *rt_mirror_new(size_t bytes);
void rt_mirror_free(void *mem, size_t bytes);
/* Free what the pool holds, mirrors too; bytes it held. */
size_t rt_pool_clear(void);

/* The b of the formula above for this shape: block, or the padded n for SoA. */
size_t rt_shape_stride(struct rt_shape s);
/* Bytes of a buffer of this shape, padding included; false on overflow. */
bool rt_shape_bytes(struct rt_shape s, size_t *out);

/* Copy elements [lo, hi) from one layout to another:
 *   dst[at(e, c)] = src[at(e, c)]    e in [lo, hi), c in [0, dim)
 * each with its own b (strides for SoA). cost reads and writes each byte once;
 * no allocation */
void rt_layout_copy(void *dst, size_t dst_block, const void *src,
                    size_t src_block, idx_l lo, idx_l hi, uint32_t dim,
                    uint32_t size);

/* Copy elements from one layout and order to another:
 *   dst[at(dst_rows[i], c)] = src[at(src_rows[i], c)]    i in [0, n)
 * NULL rows: i itself. cost one cache line of either side an element, if it is
 * far from the one before */
void rt_layout_permute(void *dst, size_t dst_block, const idx_l *dst_rows,
                       const void *src, size_t src_block, const idx_l *src_rows,
                       idx_l n, uint32_t dim, uint32_t size);

/* Copy elements between two spacings of the same lines, either without any:
 *   dst[at(rt_spaced(dst_by, e), c)] = src[at(rt_spaced(src_by, e), c)]
 * e in [lo, hi). cost as rt_layout_permute's */
void rt_layout_spaced(void *dst, size_t dst_block, struct rt_spacing dst_by,
                      const void *src, size_t src_block,
                      struct rt_spacing src_by, idx_l lo, idx_l hi,
                      uint32_t dim, uint32_t size);

/* Memory for large arrays: aligned to 64 bytes, huge pages asked for above 4
 * MiB, zeroed. NULL on exhaustion. */
void *rt_mem_new(size_t bytes);
/* From now on the address sanitizer, which the program has, finds accesses
 * behind such memory. ERR_STATE: it has none. */
status rt_mem_guard(void);
bool rt_mem_guarded(void); /* was that done? */
void rt_mem_free(void *p, size_t bytes);
/* Zeros again, without memory until somebody touches it, as rt_mem_new gave it:
 * of blocks above RT_MAP_BYTES, which are mapped pages. False: it cannot be, of
 * pages that the program has locked. */
bool rt_mem_renew(void *p, size_t bytes);
/* Addresses alone, which nobody may touch, for something of so many bytes.
 * NULL: there are not as many. */
void *rt_mem_reserve(size_t bytes);
void rt_mem_unreserve(void *p, size_t bytes);
/* Give the pages back; the contents are lost, the address stays. Does nothing
 * for blocks that are not mapped pages. */
void rt_mem_release(void *p, size_t bytes);

#endif
