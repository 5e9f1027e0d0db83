/* Dats, buffers and mirrors: who is current, who is shared, what is given
 * back. */
#include "base/counters.h"
#include "rt/store/dev.h"
#include "rt/store/store.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct type f64 = {TYPE_F64, 8};
enum { N = 100, DIM = 3 };

static struct rt_shape
shape_of(idx_l n, uint32_t dim, uint32_t block) {
  return (struct rt_shape){n, dim, f64, block, 0, NULL};
}

/* A dat whose component c of element e is e * 10 + c. */
static struct rt_dat
counted(idx_l n, uint32_t block) {
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(n, DIM, block), NULL, false), OK);
  for (size_t i = 0; i < (size_t)n * DIM; i++)
    ((double *)d.mirror)[i] = (double)(i / DIM * 10 + i % DIM);
  return d;
}

static struct rt_buf *
buffer_of(struct rt_dat *d) {
  struct rt_buf *b;
  cr_assert_eq(rt_dat_buffer(d, &b), OK);
  return b;
}

static double *
buffer_at(struct rt_buf *b, size_t e, size_t c) {
  return (double *)b->mem + e / b->stride * DIM * b->stride + c * b->stride +
         e % b->stride;
}

static void
add_to_all(struct rt_dat *d, double v) {
  struct rt_buf *b = buffer_of(d);
  for (size_t e = 0; e < (size_t)d->shape.n; e++)
    for (size_t c = 0; c < DIM; c++) *buffer_at(b, e, c) += v;
  rt_dat_written(d);
}

static double
mirror_at(const struct rt_dat *d, size_t e, size_t c) {
  return ((const double *)d->mirror)[e * DIM + c];
}

Test(rt_mem, small_and_large_are_zeroed_and_aligned) {
  static const size_t sizes[] = {0,       1,       4095,    1 << 17, 131073,
                                 1 << 20, 1048577, 4194305, 9000000, 9000000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *p = rt_mem_new(sizes[i]);
    cr_assert_not_null(p);
    cr_assert_eq((uintptr_t)p % 64, 0);
    for (size_t k = 0; k < sizes[i]; k++) cr_assert_eq(p[k], 0);
    memset(p, 1, sizes[i]);
    rt_mem_free(p, sizes[i]);
  }
}

Test(rt_mem, neighbours_start_at_different_page_offsets) {
  void *a = rt_mem_new(5 << 20), *b = rt_mem_new(5 << 20);
  cr_assert_neq((uintptr_t)a % 4096, (uintptr_t)b % 4096);
  rt_mem_free(a, 5 << 20);
  rt_mem_free(b, 5 << 20);
}

Test(rt_mem, exhaustion_gives_null) {
  cr_assert_null(rt_mem_new((size_t)1 << 60));
  cr_assert_null(rt_mem_new(SIZE_MAX - 10));
}

Test(rt_mem, a_whole_block_can_be_freed) {
  size_t bytes = 6 << 20;
  char *p = rt_mem_new(bytes);
  rt_mem_free(p, bytes);
  unsigned char resident[1];
  cr_assert_eq(mincore((void *)((uintptr_t)p & ~4095ul), 4096, resident), -1,
               "the first page is still mapped");
}

Test(rt_store, data_are_copied_at_declaration) {
  double data[2 * DIM] = {1, 2, 3, 4, 5, 6};
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(2, DIM, 0), data, false), OK);
  data[0] = 99;
  cr_assert_eq(mirror_at(&d, 0, 0), 1);
  cr_assert_null(d.buf, "no loop has used it yet");
  rt_dat_clear(&d);
}

Test(rt_store, no_data_means_zeros) {
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(N, DIM, 1), NULL, false), OK);
  for (size_t e = 0; e < N; e++) cr_assert_eq(mirror_at(&d, e, 2), 0);
  rt_dat_clear(&d);
}

/* What a loop is to find that waits while the mirror is written. */
static void
check_kept(bool told, double found) {
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(N, DIM, 1), NULL, false), OK);
  ((double *)d.mirror)[5] = 3;
  cr_assert_eq(rt_dat_keep(&d, told), OK);
  cr_assert_eq(d.buf->mem == NULL, told, "zeros need no memory yet");
  cr_assert_eq(d.buf->reach.own, REACH_MAX, "and are right everywhere");
  ((double *)d.mirror)[5] = 7;
  cr_assert_eq(((double *)buffer_of(&d)->mem)[5], found);
  rt_dat_mirror_written(&d);
  cr_assert_eq(((double *)buffer_of(&d)->mem)[5], 7);
  rt_dat_clear(&d);
}

Test(rt_store, kept_values_are_those_before_the_mirror_is_written) {
  check_kept(false, 3);
  check_kept(true, 0);
}

Test(rt_store, kept_zeros_come_to_the_mirror) {
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(N, DIM, 0), NULL, false), OK);
  cr_assert_eq(rt_dat_keep(&d, true), OK);
  ((double *)d.mirror)[5] = 7;
  rt_dat_mirror_leave(&d);
  cr_assert_eq(rt_dat_sync(&d), OK);
  cr_assert_eq(((double *)d.mirror)[5], 0);
  rt_dat_clear(&d);
}

Test(rt_store, zeros_hold_in_a_used_buffer) {
  struct rt_dat d = counted(N, 0), z;
  buffer_of(&d);
  rt_dat_clear(&d); /* its buffer, full of numbers, is in the pool now */
  cr_assert_eq(rt_dat_init(&z, shape_of(N, DIM, 0), NULL, false), OK);
  cr_assert_eq(*buffer_at(buffer_of(&z), N - 1, 2), 0);
  rt_dat_clear(&z);
}

static void
check_round_trip(uint32_t block, idx_l n) {
  struct rt_dat d = counted(n, block);
  add_to_all(&d, 1000);
  cr_assert_not(d.mirror_current);
  rt_dat_sync(&d);
  for (size_t e = 0; e < (size_t)n; e++)
    for (size_t c = 0; c < DIM; c++)
      cr_assert_eq(mirror_at(&d, e, c), (double)(1000 + e * 10 + c));
  rt_dat_clear(&d);
}

Test(rt_store, values_survive_every_layout) {
  static const uint32_t blocks[] = {1, 0, 2, 4, 5, 8, 16};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    check_round_trip(blocks[i], 1);
    check_round_trip(blocks[i], 101);
    check_round_trip(blocks[i], 60001); /* mapped pages, released when stale */
  }
}

Test(rt_store, mirror_address_stays) {
  struct rt_dat d = counted(60001, 0);
  const char *before = d.mirror;
  add_to_all(&d, 1);
  rt_dat_sync(&d);
  cr_assert_eq(d.mirror, before);
  rt_dat_clear(&d);
}

Test(rt_store, sync_of_a_current_mirror_copies_nothing) {
  struct rt_dat d = counted(N, 0);
  add_to_all(&d, 1);
  long long before = counters[CNT_mirror_syncs];
  rt_dat_sync(&d);
  rt_dat_sync(&d);
  cr_assert_eq(counters[CNT_mirror_syncs], before + 1);
  rt_dat_clear(&d);
}

Test(rt_store, host_writes_reach_the_buffer) {
  struct rt_dat d = counted(N, 8);
  buffer_of(&d);
  ((double *)d.mirror)[7 * DIM + 2] = -5;
  rt_dat_mirror_written(&d);
  cr_assert_eq(*buffer_at(buffer_of(&d), 7, 2), -5);
  rt_dat_clear(&d);
}

static size_t
resident_pages(const char *p, size_t bytes) {
  static unsigned char seen[1 << 16];
  uintptr_t first = ((uintptr_t)p + 4095) & ~4095ul;
  size_t pages = (bytes - 4096) / 4096, n = 0;
  cr_assert_eq(mincore((void *)first, pages * 4096, seen), 0);
  for (size_t i = 0; i < pages; i++) n += seen[i] & 1;
  return n;
}

Test(rt_store, pages_of_a_stale_mirror_go_back) {
  struct rt_dat d = counted(200000, 0);
  size_t bytes = 200000 * DIM * 8;
  cr_assert_gt(resident_pages(d.mirror, bytes), 1000);
  add_to_all(&d, 1);
  cr_assert_lt(resident_pages(d.mirror, bytes), 10);
  rt_dat_clear(&d);
}

Test(rt_store, pages_of_a_watched_mirror_stay) {
  struct rt_dat d = counted(200000, 0);
  for (int i = 0; i < 3; i++) {
    add_to_all(&d, 1);
    rt_dat_sync(&d);
  }
  add_to_all(&d, 1);
  cr_assert_gt(resident_pages(d.mirror, 200000 * DIM * 8), 1000);
  rt_dat_clear(&d);
}

Test(rt_store, read_takes_a_range_from_the_mirror) {
  struct rt_dat d = counted(N, 0);
  double out[4 * DIM];
  rt_dat_read(&d, 10, 14, out);
  cr_assert_eq(out[0], 100);
  cr_assert_eq(out[4 * DIM - 1], 132);
  rt_dat_clear(&d);
}

Test(rt_store, read_takes_a_range_from_the_buffer) {
  static const uint32_t blocks[] = {1, 0, 3, 8};
  for (size_t i = 0; i < 4; i++) {
    struct rt_dat d = counted(N, blocks[i]);
    add_to_all(&d, 0.5);
    double out[21 * DIM + 1];
    out[21 * DIM] = 7;
    rt_dat_read(&d, 13, 34, out);
    for (size_t k = 0; k < 21 * DIM; k++)
      cr_assert_eq(out[k], 130.5 + (double)(k / DIM * 10 + k % DIM));
    cr_assert_eq(out[21 * DIM], 7);
    cr_assert_not(d.mirror_current, "reading a part is no sync");
    rt_dat_clear(&d);
  }
}

Test(rt_store, two_names_for_one_buffer) {
  struct rt_dat a = counted(N, 0), b = counted(N, 0);
  add_to_all(&a, 1);
  struct rt_buf *shared = buffer_of(&a);
  rt_buf_ref(shared);
  rt_dat_set_buffer(&b, shared);
  cr_assert_eq(shared->refs, 2);
  rt_dat_clear(&a);
  cr_assert_eq(shared->refs, 1);
  rt_dat_sync(&b);
  cr_assert_eq(mirror_at(&b, 5, 1), 52);
  rt_dat_clear(&b);
}

Test(rt_store, host_writes_part_the_names) {
  struct rt_dat a = counted(N, 0), b = counted(N, 0);
  struct rt_buf *shared = buffer_of(&a);
  rt_buf_ref(shared);
  rt_dat_set_buffer(&b, shared);
  rt_dat_sync(&b);
  ((double *)b.mirror)[0] = -1;
  rt_dat_mirror_written(&b);
  cr_assert_eq(shared->refs, 1);
  cr_assert_neq(buffer_of(&b), shared);
  cr_assert_eq(*buffer_at(buffer_of(&b), 0, 0), -1);
  cr_assert_eq(*buffer_at(buffer_of(&a), 0, 0), 0);
  rt_dat_clear(&a);
  rt_dat_clear(&b);
}

/* Refill after sharing began later: a was written by the host while alone. */
Test(rt_store, refilling_never_writes_a_shared_buffer) {
  struct rt_dat a = counted(N, 0);
  struct rt_buf *old = buffer_of(&a);
  ((double *)a.mirror)[0] = -1;
  rt_dat_mirror_written(&a);
  rt_buf_ref(old);
  cr_assert_neq(buffer_of(&a), old);
  cr_assert_eq(*buffer_at(old, 0, 0), 0);
  rt_buf_unref(old);
  rt_dat_clear(&a);
}

Test(rt_store, foreign_memory_is_used_as_it_is) {
  double data[2 * DIM] = {1, 2, 3, 4, 5, 6};
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(2, DIM, 1), data, true), OK);
  cr_assert_eq(buffer_of(&d)->mem, data);
  add_to_all(&d, 1);
  cr_assert(d.mirror_current);
  cr_assert_eq(data[5], 7);
  data[0] = 40;
  rt_dat_mirror_written(&d);
  cr_assert_eq(*buffer_at(buffer_of(&d), 0, 0), 40);
  rt_dat_clear(&d);
}

Test(rt_store, foreign_memory_keeps_its_layout) {
  double data[DIM] = {0};
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(1, DIM, 1), data, true), OK);
  cr_assert_eq(rt_dat_relayout(&d, 0, 0), ERR_STATE);
  cr_assert_eq(d.shape.block, 1);
  rt_dat_clear(&d);
}

Test(rt_store, foreign_buffers_are_never_swapped, .signal = SIGABRT) {
#ifdef NDEBUG
  raise(SIGABRT);
#endif
  double data[DIM] = {0};
  struct rt_dat d;
  struct rt_buf *b;
  rt_dat_init(&d, shape_of(1, DIM, 1), data, true);
  rt_buf_new(d.shape, &b);
  rt_dat_set_buffer(&d, b);
}

Test(rt_store, pinned_dats_keep_their_values_in_the_mirror) {
  struct rt_dat d = counted(N, 0), view;
  add_to_all(&d, 1000);
  cr_assert_eq(rt_dat_pin(&d), OK);
  cr_assert_eq(rt_dat_init(&view, shape_of(2, DIM, 1), d.mirror, true), OK);
  add_to_all(&view, 1);
  cr_assert_eq(mirror_at(&d, 1, 2), 1013);
  cr_assert_eq(mirror_at(&d, 2, 2), 1022);
  rt_dat_clear(&view);
  rt_dat_clear(&d);
}

Test(rt_store, relayout_moves_the_values) {
  static const uint32_t blocks[] = {0, 8, 3, 1};
  struct rt_dat d = counted(N, 1);
  add_to_all(&d, 1);
  for (size_t i = 0; i < 4; i++) {
    cr_assert_eq(rt_dat_relayout(&d, blocks[i], 0), OK);
    cr_assert_eq(*buffer_at(buffer_of(&d), 77, 2), 773);
  }
  rt_dat_sync(&d);
  cr_assert_eq(mirror_at(&d, 77, 2), 773);
  rt_dat_clear(&d);
}

Test(rt_store, relayout_parts_from_a_shared_buffer) {
  struct rt_dat d = counted(N, 1);
  struct rt_buf *old = buffer_of(&d);
  rt_buf_ref(old);
  cr_assert_eq(rt_dat_relayout(&d, 0, 0), OK);
  cr_assert_eq(old->refs, 1);
  rt_buf_unref(old);
  rt_dat_clear(&d);
}

Test(rt_store, empty_sets_have_addresses) {
  for (uint32_t block = 0; block < 3; block++) {
    struct rt_dat d;
    cr_assert_eq(rt_dat_init(&d, shape_of(0, DIM, block), NULL, false), OK);
    cr_assert_not_null(d.mirror);
    cr_assert_not_null(buffer_of(&d)->mem);
    cr_assert_gt(buffer_of(&d)->stride, 0);
    rt_dat_written(&d);
    rt_dat_sync(&d);
    rt_dat_mirror_written(&d);
    rt_dat_clear(&d);
  }
}

Test(rt_store, empty_foreign_sets_have_addresses) {
  struct rt_dat d;
  cr_assert_eq(rt_dat_init(&d, shape_of(0, DIM, 1), NULL, true), OK);
  cr_assert_not_null(buffer_of(&d)->mem);
  rt_dat_clear(&d);
}

Test(rt_store, memory_errors_name_the_size) {
  struct rt_dat d;
  struct rt_shape s = shape_of(INT32_MAX, 1 << 24, 1);
  cr_assert_eq(rt_dat_init(&d, s, NULL, false), ERR_MEMORY);
  cr_assert_not_null(strstr(err_last(), "288230376017494016"), "%s",
                     err_last());
}

Test(rt_store, oversized_shapes_are_errors) {
  struct rt_dat d;
  struct rt_shape s = {INT32_MAX, UINT32_MAX, {TYPE_BYTES, 1 << 20},
                       1,         0,          NULL};
  cr_assert_eq(rt_dat_init(&d, s, NULL, false), ERR_MEMORY);
}

Test(rt_pool, buffers_come_back_for_the_same_size) {
  struct rt_buf *a, *b;
  cr_assert_eq(rt_buf_new(shape_of(N, DIM, 0), &a), OK);
  void *mem = a->mem;
  rt_buf_unref(a);
  long long before = counters[CNT_allocations];
  cr_assert_eq(rt_buf_new(shape_of(N, DIM, 0), &b), OK);
  cr_assert_eq(b->mem, mem);
  cr_assert_eq(counters[CNT_allocations], before);
  rt_buf_unref(b);
}

/* 192 elements as AoS and 191 as SoA take the same bytes. */
Test(rt_pool, a_reused_buffer_gets_its_own_stride) {
  struct rt_buf *a, *b;
  cr_assert_eq(rt_buf_new(shape_of(191, DIM, 0), &a), OK);
  rt_buf_unref(a);
  cr_assert_eq(rt_buf_new(shape_of(192, DIM, 1), &b), OK);
  cr_assert_eq(a, b);
  cr_assert_eq(b->stride, 1);
  rt_buf_unref(b);
}

Test(rt_pool, clear_tells_what_it_held) {
  struct rt_buf *a;
  rt_buf_new(shape_of(N, DIM, 1), &a);
  rt_buf_unref(a);
  cr_assert_eq(rt_pool_clear(), N * DIM * 8);
  cr_assert_eq(rt_pool_clear(), 0);
}

Test(rt_pool, memory_of_former_sizes_is_bounded) {
  struct rt_buf *b;
  for (idx_l n = 1000; n < 2000; n++) {
    cr_assert_eq(rt_buf_new(shape_of(n, 1, 1), &b), OK);
    rt_buf_unref(b);
  }
  cr_assert_leq(rt_pool_clear(), 2 * 2000 * 8);
}

/* Written at both ends, which share pages with nothing else. */
Test(rt_pool, large_mirrors_come_back_as_zeros) {
  size_t bytes = RT_MAP_BYTES + 1000;
  char *a = rt_mirror_new(bytes);
  a[0] = a[bytes - 1] = 1;
  rt_mirror_free(a, bytes);
  char *b = rt_mirror_new(bytes);
  cr_assert_eq(b, a);
  cr_assert_eq(b[0], 0);
  cr_assert_eq(b[bytes - 1], 0);
  rt_mirror_free(b, bytes);
  cr_assert_eq(rt_pool_clear(), bytes);
  cr_assert_eq(rt_pool_clear(), 0);
}

Test(rt_pool, large_mirrors_are_kept_as_far_as_they_were_in_use) {
  enum { LARGE = 2 * RT_MAP_BYTES };
  void *mem[20];
  for (int k = 0; k < 20; k++) mem[k] = rt_mirror_new(LARGE);
  for (int k = 0; k < 20; k++) rt_mirror_free(mem[k], LARGE);
  void *more = rt_mirror_new(20 * LARGE);
  rt_mirror_free(more, 20 * LARGE);
  cr_assert_eq(rt_pool_clear(), 20 * LARGE);
}

/* Pages that the program locked keep what is in them. */
Test(rt_pool, locked_mirrors_do_not_come_back) {
  size_t bytes = RT_MAP_BYTES + 1000;
  char *a = rt_mirror_new(bytes);
  if (syscall(SYS_mlock, a, bytes)) /* sanitizers have an mlock of their own */
    cr_skip_test("no memory may be locked here");
  a[0] = a[bytes - 1] = 1;
  rt_mirror_free(a, bytes);
  cr_assert_eq(rt_pool_clear(), 0);
}

Test(rt_pool, alternating_sizes_settle) {
  struct rt_buf *b;
  long long before = 0;
  for (int i = 0; i < 10; i++) {
    if (i == 2) before = counters[CNT_allocations];
    cr_assert_eq(rt_buf_new(shape_of(i % 2 ? 1000 : 900, 1, 1), &b), OK);
    rt_buf_unref(b);
  }
  cr_assert_eq(counters[CNT_allocations], before);
}

Test(rt_dev, layouts_by_name) {
  cr_assert_eq(rt_layout_choose("auto", 4, 0), 1);
  cr_assert_eq(rt_layout_choose("auto", 4, 1), 0);
  cr_assert_eq(rt_layout_choose("aos", 4, 1), 1);
  cr_assert_eq(rt_layout_choose("soa", 4, 0), 0);
  cr_assert_eq(rt_layout_choose("8", 4, 0), 8);
}

Test(rt_dev, one_component_is_always_aos) {
  cr_assert_eq(rt_layout_choose("soa", 1, 1), 1);
}

Test(rt_dev, other_words_are_refused) {
  static const char *const bad[] = {"sao", "0", "-1", "8x", "70000"};
  for (int i = 0; i < 5; i++)
    cr_assert_eq(rt_layout_choose(bad[i], 1, 0), -1, "%s", bad[i]);
}
