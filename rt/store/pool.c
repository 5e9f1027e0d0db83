/* Buffers and their pool.
 *
 * Problem. Double-buffered dats and temporaries take a buffer at the start of
 * every run and give one back at its end. Memory from the system costs a page
 * fault per page and the clearing of the page, more than most loops cost.
 *
 * Idea. A buffer that nobody refers to goes to a list and is handed out again
 * for the same number of bytes; its stride is set anew. A program that repeats
 * itself so reaches a state in which nothing is allocated.
 *
 * The list must not keep what a former phase of the program needed. Let `peak`
 * be the most that was ever in use at once. Before memory is taken from the
 * system, the longest-unused buffers are freed while the sum of used, pooled
 * and new bytes is above twice the peak. Twice, because phases that alternate
 * between sizes A and B otherwise free A to make B for ever; their sum is never
 * above twice the peak of each.
 *
 * Small mirrors, of temporaries that are declared in each step, are kept in it,
 * too, as long as all is no more than was in use at once, and cleared for the
 * next one. Where the allocator gave their pages back to the system when they
 * went, and faulted them in anew, a step of diffusion on 64 x 64 x 3 points
 * took 0.12 ms in place of 0.02. Larger ones are mapped, and cost nothing while
 * nobody touches them but calls of the system, five for a temporary: a few are
 * kept without their pages, as long as all of them together are no more than
 * were used at once. Steps on 64 x 64 x 4 points, with three temporaries that
 * stay in registers, take 0.86 of the time so.
 *
 * Cost: a walk over the list, which holds tens of buffers.
 */
#include "rt/store/store.h"

#include "base/arena.h"
#include "base/counters.h"
#include "base/event.h"
#include "rt/store/residency.h"
#include "rt/store/store_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct {
  struct rt_buf *head; /* last freed first */
  size_t pooled, used, peak;
} pool;

static void
buf_destroy(struct rt_buf *b) {
  rt_mem_free(b->mem, b->bytes);
  free(b);
}

/* Unlink and return the first buffer of this size; NULL: none. */
static struct rt_buf *
pool_take(size_t bytes) {
  for (struct rt_buf **at = &pool.head; *at; at = &(*at)->next)
    if ((*at)->bytes == bytes) {
      struct rt_buf *b = *at;
      *at = b->next;
      pool.pooled -= bytes;
      return b;
    }
  return NULL;
}

static void
pool_drop_oldest(void) {
  struct rt_buf **at = &pool.head;
  while ((*at)->next) at = &(*at)->next;
  pool.pooled -= (*at)->bytes;
  buf_destroy(*at);
  *at = NULL;
}

static struct rt_buf *
buf_from_system(size_t bytes) {
  while (pool.head && pool.used + pool.pooled + bytes > 2 * pool.peak)
    pool_drop_oldest();
  void *mem = rt_mem_new(bytes);
  if (!mem && rt_pool_clear()) mem = rt_mem_new(bytes);
  if (!mem) return NULL;
  struct rt_buf *b = mem_alloc(1, sizeof *b);
  *b = (struct rt_buf){.mem = mem, .bytes = bytes};
  counters[CNT_allocations]++;
  return b;
}

/* Its memory was taken, or is given back. */
static void
memory_told(const struct rt_buf *b, bool begins) {
  if (!event_listening) return;
  struct event e = {.kind = EVENT_dat,
                    .name = b->shape.name,
                    .place.at = b->mem,
                    .bytes = b->bytes};
  event_tell(&e, begins ? EVENT_BEGINS : EVENT_ENDS);
}

static void
used_more(size_t bytes) {
  pool.used += bytes;
  if (pool.used > pool.peak) pool.peak = pool.used;
}

static void
pool_put(struct rt_buf *b) {
  pool.pooled += b->bytes;
  b->next = pool.head;
  pool.head = b;
}

/* ---- mirrors ------------------------------------------------------------- */

/* Large ones: `used` bytes are dats', `held` those that are addresses alone, no
 * more of both than were used at once, so that others find room. */
enum { SPARES = 8 };
static struct {
  struct spare {
    void *mem;
    size_t bytes; /* 0: none */
  } at[SPARES];
  unsigned next; /* goes when a place is wanted and all are taken */
  size_t used, held, peak;
} spares;

static struct spare *
spare_find(size_t bytes) {
  for (int k = 0; k < SPARES; k++)
    if (spares.at[k].bytes == bytes) return &spares.at[k];
  return NULL;
}

static void *
spare_take(size_t bytes) {
  struct spare *s = spare_find(bytes);
  if (!s) return NULL;
  spares.held -= bytes;
  s->bytes = 0;
  return s->mem;
}

static void
spare_drop(struct spare *s) {
  if (!s->bytes) return;
  rt_mem_free(s->mem, s->bytes);
  spares.held -= s->bytes;
  s->bytes = 0;
}

/* False: it is not kept. */
static bool
spare_put(void *mem, size_t bytes) {
  bool room = spares.used + spares.held + bytes <= spares.peak;
  if (!room || rt_mem_guarded() || !rt_mem_renew(mem, bytes)) return false;
  struct spare *s = spare_find(0);
  if (!s) spare_drop(s = &spares.at[spares.next++ % SPARES]);
  *s = (struct spare){mem, bytes};
  spares.held += bytes;
  return true;
}

static void
spares_drop(void) {
  for (int k = 0; k < SPARES; k++) spare_drop(&spares.at[k]);
}

static void *
large_new(size_t bytes) {
  void *mem = spare_take(bytes);
  if (!mem && spares.used + spares.held + bytes > spares.peak) spares_drop();
  if (!mem) mem = rt_mem_new(bytes);
  if (!mem && rt_pool_clear()) mem = rt_mem_new(bytes);
  if (mem) spares.used += bytes;
  if (spares.used > spares.peak) spares.peak = spares.used;
  return mem;
}

static void
large_free(void *mem, size_t bytes) {
  assert(spares.used >= bytes);
  spares.used -= bytes;
  if (!spare_put(mem, bytes)) rt_mem_free(mem, bytes);
}

static bool
is_small(size_t bytes) {
  return bytes && bytes <= RT_MAP_BYTES;
}

void *
rt_mirror_new(size_t bytes) {
  if (bytes > RT_MAP_BYTES) return large_new(bytes);
  struct rt_buf *b = is_small(bytes) ? pool_take(bytes) : NULL;
  void *mem = b ? memset(b->mem, 0, bytes) : rt_mem_new(bytes);
  if (!mem && rt_pool_clear()) mem = rt_mem_new(bytes);
  free(b);
  if (mem && is_small(bytes)) used_more(bytes);
  return mem;
}

void
rt_mirror_free(void *mem, size_t bytes) {
  if (bytes > RT_MAP_BYTES) {
    large_free(mem, bytes);
    return;
  }
  if (is_small(bytes)) pool.used -= bytes;
  bool fits = pool.used + pool.pooled + bytes <= pool.peak;
  if (!is_small(bytes) || !fits || rt_mem_guarded()) {
    rt_mem_free(mem, bytes);
    return;
  }
  struct rt_buf *b = mem_alloc(1, sizeof *b);
  *b = (struct rt_buf){.mem = mem, .bytes = bytes};
  pool_put(b);
}

/* ---- buffers ------------------------------------------------------------- */

status
rt_buf_new(struct rt_shape shape, struct rt_buf **out) {
  size_t bytes;
  if (!rt_shape_bytes(shape, &bytes))
    FAIL(ERR_MEMORY, "%d elements of %u x %u bytes exceed the address space",
         shape.n, shape.dim, shape.type.size);
  if (bytes + pool.used > pool.peak) pool.peak = bytes + pool.used;
  struct rt_buf *b = pool_take(bytes);
  if (!b) b = buf_from_system(bytes);
  if (!b) FAIL(ERR_MEMORY, "no memory for a buffer of %zu bytes", bytes);
  b->shape = shape;
  b->stride = rt_shape_stride(shape);
  b->refs = 1;
  b->next = NULL;
  pool.used += bytes;
  memory_told(b, true);
  *out = b;
  return OK;
}

status
rt_buf_shell(struct rt_shape shape, struct rt_buf **out) {
  struct rt_buf shell = {.shape = shape,
                         .stride = rt_shape_stride(shape),
                         .refs = 1,
                         .stale = true};
  if (!rt_shape_bytes(shape, &shell.bytes))
    FAIL(ERR_MEMORY, "%d elements of %u x %u bytes exceed the address space",
         shape.n, shape.dim, shape.type.size);
  struct rt_buf *b = mem_alloc(1, sizeof *b);
  *b = shell;
  *out = b;
  return OK;
}

/* A buffer with memory is made, and its memory taken. */
status
rt_buf_host(struct rt_buf *b) {
  if (b->mem) return OK;
  struct rt_buf *made;
  TRY(rt_buf_new(b->shape, &made));
  assert(made->bytes == b->bytes);
  b->mem = made->mem;
  free(made);
  return OK;
}

status
rt_buf_zero(struct rt_buf *b) {
  assert(b->stale && b->zeros && !b->dev_valid);
  TRY(rt_buf_host(b));
  memset(b->mem, 0, b->bytes);
  b->stale = b->zeros = false;
  return OK;
}

struct rt_buf *
rt_buf_foreign(struct rt_shape shape, void *mem, size_t bytes) {
  struct rt_buf *b = mem_alloc(1, sizeof *b);
  *b = (struct rt_buf){.shape = shape,
                       .mem = mem,
                       .bytes = bytes,
                       .stride = 1,
                       .refs = 1,
                       .foreign = true};
  b->peers = b;
  return b;
}

static void
leave_peers(struct rt_buf *b) {
  struct rt_buf *before = b;
  while (before->peers != b) before = before->peers;
  before->peers = b->peers;
}

void
rt_buf_ref(struct rt_buf *b) {
  assert(b->refs > 0 && b->refs < UINT32_MAX);
  b->refs++;
}

void
rt_buf_unref(struct rt_buf *b) {
  if (!b) return;
  assert(b->refs > 0);
  if (--b->refs) return;
  rt_buf_leave_device(b);
  if (b->foreign) leave_peers(b);
  if (b->foreign || !b->mem) {
    free(b);
    return;
  }
  memory_told(b, false);
  pool.used -= b->bytes;
  pool_put(b);
}

size_t
rt_pool_clear(void) {
  size_t held = pool.pooled;
  while (pool.head) {
    struct rt_buf *next = pool.head->next;
    buf_destroy(pool.head);
    pool.head = next;
  }
  pool.pooled = 0;
  pool.peak = pool.used;
  held += spares.held;
  spares_drop();
  spares.peak = spares.used;
  return held;
}
