/* Exchanges of what devices have: elements, order of calls (pack, copy to the host,
 * message; message, copy to the device, unpack), places. The mock device's kernels are
 * C functions. */
#include "halo_make.h"
#include "mock_device.h"

/* ---- a device --------------------------------------------------------------- */

static size_t
moved(const struct rt_dev_arg *a, int64_t t, size_t *word) {
  int64_t dim = a[RT_MOVE_DIM].word, words = a[RT_MOVE_PER].word,
          i = t / (dim * words);
  int64_t r = t % (dim * words), c = r / words, k = r % words;
  const idx_l *list = a[RT_MOVE_LIST].mem, *place = a[RT_MOVE_PLACE].mem;
  *word = (size_t)(place[i] * a[RT_MOVE_SCALE].word + r);
  return (size_t)((c * a[RT_MOVE_STRIDE].word + list[i]) * words + k);
}

#define MOVES(bytes, type)                                                     \
  static void pack##bytes(const struct rt_dev_arg *a, uint32_t n,              \
                          size_t items) {                                      \
    cr_assert_eq(n, 9);                                                        \
    for (int64_t t = 0;                                                        \
         t < a[RT_MOVE_N].word * a[RT_MOVE_DIM].word * a[RT_MOVE_PER].word;    \
         t++) {                                                                \
      size_t to, from = moved(a, t, &to);                                      \
      ((type *)a[RT_MOVE_MESSAGE].mem)[to] =                                   \
          ((type *)a[RT_MOVE_DAT].mem)[from];                                  \
    }                                                                          \
    cr_assert_geq(items, (size_t)(a[RT_MOVE_N].word * a[RT_MOVE_DIM].word *    \
                                  a[RT_MOVE_PER].word));                       \
    say("pack", bytes);                                                        \
  }                                                                            \
  static void unpack##bytes(const struct rt_dev_arg *a, uint32_t n,            \
                            size_t items) {                                    \
    (void)n, (void)items;                                                      \
    for (int64_t t = 0;                                                        \
         t < a[RT_MOVE_N].word * a[RT_MOVE_DIM].word * a[RT_MOVE_PER].word;    \
         t++) {                                                                \
      size_t from, to = moved(a, t, &from);                                    \
      ((type *)a[RT_MOVE_DAT].mem)[to] =                                       \
          ((type *)a[RT_MOVE_MESSAGE].mem)[from];                              \
    }                                                                          \
    say("unpack", bytes);                                                      \
  }
MOVES(1, uint8_t)
MOVES(2, uint16_t)
MOVES(4, uint32_t)
MOVES(8, uint64_t)

static struct rt_driver driver;

static status
noted_read(struct rt_device *d, void *to, void *from, size_t bytes) {
  say("read", bytes);
  return mock_read(d, to, from, bytes);
}

static status
noted_write(struct rt_device *d, void *to, const void *from, size_t bytes) {
  say("write", bytes);
  return mock_write(d, to, from, bytes);
}

static struct rt_device *
open_device(int number) {
  struct rt_device *d;
  mock_kernel packs[] = {pack1, pack2, pack4, pack8};
  mock_kernel unpacks[] = {unpack1, unpack2, unpack4, unpack8};
  driver = mock_driver;
  driver.read = noted_read;
  driver.write = noted_write;
  rt_device_set_driver(TARGET_opencl, &driver);
  cr_assert_eq(rt_device_get((struct target){TARGET_opencl, number}, &d), OK);
  memcpy(d->moves.pack, packs, sizeof packs);
  memcpy(d->moves.unpack, unpacks, sizeof unpacks);
  return d;
}

static void
close_devices(struct rt_device *d) {
  memset(&d->moves, 0, sizeof d->moves);
  mock_end();
}

/* ---- tests ------------------------------------------------------------------ */

static void
check_packed(uint32_t layout) {
  struct rt_device *d = open_device(0);
  struct rt_halo *h = rt_halo_new(&comm);
  struct rt_buf *b = buf_new(4, (struct type){TYPE_F64, 8});
  b->shape.device = layout;
  long long up = counters[CNT_h2d], down = counters[CNT_d2h];
  long long halo_up = counters[CNT_halo_h2d_bytes];
  long long halo_down = counters[CNT_halo_d2h_bytes];
  to_device(b, d, false);
  exchange(h, &b, 1);
  cr_assert_str_eq(said,
                   "write12 write12 pack8 read96 send96 receive96 "
                   "write96 write12 write12 unpack8 ",
                   "%s", said); /* lists and places go up once */
  b->reach = REACH_OWNED;
  exchange(h, &b, 1);
  cr_assert_str_eq(said, "pack8 read96 send96 receive96 write96 unpack8 ");
  cr_assert_eq(counters[CNT_halo_d2h_bytes] - halo_down, 2 * 96);
  cr_assert_eq(counters[CNT_halo_h2d_bytes] - halo_up, 2 * 96);
  cr_assert_eq(counters[CNT_h2d] - up, 1); /* the test's own */
  cr_assert_eq(counters[CNT_d2h] - down, 0);
  cr_assert_eq(rt_buf_download(b), OK);
  check(b);
  end(h, &b, 1);
  close_devices(d);
}

Test(halo, what_a_device_has_is_packed_there) {
  check_packed(0);
}
Test(halo, what_lies_there_as_it_is_sent_too) {
  check_packed(1);
}

Test(halo, values_on_both_sides_come_to_both) {
  struct rt_device *d = open_device(0);
  struct rt_halo *h = rt_halo_new(&comm);
  struct rt_buf *b = buf_new(2, (struct type){TYPE_I32, 4});
  to_device(b, d, true);
  exchange(h, &b, 1);
  cr_assert_str_eq(said, "send24 receive24 write24 write12 write12 unpack4 ",
                   "%s", said);
  check(b);
  memset(b->mem, 0, b->bytes);
  rt_buf_written(b, true); /* as if: the device's values are there */
  cr_assert_eq(rt_buf_download(b), OK);
  check(b);
  end(h, &b, 1);
  close_devices(d);
}

/* Odd sizes, and buffers of the host and of two devices, in one message. */
Test(halo, one_message_from_all_places) {
  struct rt_device *d = open_device(0), *other = open_device(1);
  struct rt_halo *h = rt_halo_new(&comm);
  struct rt_buf *bufs[] = {buf_new(3, (struct type){TYPE_I16, 2}),
                           buf_new(1, (struct type){TYPE_BYTES, 24}),
                           buf_new(5, (struct type){TYPE_I8, 1}),
                           buf_new(2, (struct type){TYPE_F32, 4})};
  to_device(bufs[0], d, false);
  to_device(bufs[1], other, false);
  to_device(bufs[3], d, false);
  exchange(h, bufs, 4);
  cr_assert(strstr(said, "pack2"), "%s", said);
  cr_assert(strstr(said, "unpack8"), "%s", said);
  for (int k = 0; k < 4; k++) {
    cr_assert_eq(rt_buf_download(bufs[k]), OK);
    check(bufs[k]);
  }
  end(h, bufs, 4);
  memset(&other->moves, 0, sizeof other->moves);
  close_devices(d);
}

/* Counters are of the program's exchanges. */
Test(halo, measured_ones_move_an_element_and_do_not_count) {
  double each = 0;
  counters_reset();
  counters[CNT_exchanges] = 7;
  *said_to = 0;
  cr_assert_eq(rt_halo_measure(&comm, &each), OK, "%s", err_last());
  cr_assert(each > 0 && each < 1, "%g seconds", each);
  cr_assert(strstr(said_to, "send8 receive8 send8 receive8 ") == said_to, "%s",
            said_to);
  cr_assert(!strstr(said_to, "write"), "%s", said_to);
  cr_assert_eq(counters[CNT_exchanges], 7);
  cr_assert_eq(counters[CNT_messages], 0);
  cr_assert_eq(counters[CNT_exchange_bytes], 0);
}
