/* Residency on a mock device: each row of residency.def, layouts on the way,
 * sharing, several devices, launches with scalars and sums, failures. */
#include "mock_device.h"
#include "rt_make.h"

#include "base/counters.h"
#include "rt/device/code.h"
#include "rt/store/residency.h"

enum { N = 10, DIM = 3 };
enum use { READ, WRITE, UPDATE, LOOK, EDIT };

static struct rt_set set = {.n = N, .name = "set"};

/* "kernel": SoA memory, stride and length as bound. */
static void
fill_7(const struct rt_dev_arg *a, uint32_t nargs, size_t items) {
  (void)nargs, (void)items;
  int *x = a[0].mem;
  for (int c = 0; c < DIM; c++)
    for (int e = 0; e < N; e++) x[c * a[1].word + e] = 7;
}

static void
look(const struct rt_dev_arg *a, uint32_t nargs, size_t items) {
  (void)a, (void)nargs, (void)items;
}

/* x[e][c] += 100 * e + c, so that a wrong layout shows */
static void
add_place(const struct rt_dev_arg *a, uint32_t nargs, size_t items) {
  (void)nargs, (void)items;
  int *x = a[0].mem;
  for (int c = 0; c < DIM; c++)
    for (int e = 0; e < N; e++) x[c * a[1].word + e] += 100 * e + c;
}

/* The same of a dat that lies AoS on the device. */
static void
add_place_rows(const struct rt_dev_arg *a, uint32_t nargs, size_t items) {
  (void)nargs, (void)items;
  int *x = a[0].mem;
  cr_assert_eq(a[1].word, 1);
  for (int i = 0; i < N * DIM; i++) x[i] += 100 * (i / DIM) + i % DIM;
}

static struct rt_dat
dat_new(const int *data, uint32_t block) {
  struct rt_dat d;
  struct rt_shape s = {N, DIM, {TYPE_I32, 4}, block, 0, NULL};
  cr_assert_eq(rt_dat_init(&d, s, data, false), OK);
  return d;
}

static void *
kernel_of(mock_kernel f) {
  void *p;
  memcpy(&p, &f, sizeof p);
  return p;
}

/* Run one launch on the device, as lower would have it for this access. */
static status
run_on(struct rt_device *dev, struct rt_dat *d, mock_kernel f, enum use use) {
  struct rt_program *p = make_program();
  struct rt_dev_code code = {.device = dev, .run = kernel_of(f)};
  make_set(p, &set);
  uint32_t slot = make_slot(p, d, true);
  p->slots[slot].no_host = true;
  p->slots[slot].device = dev;
  if (use != WRITE) {
    make_cmd(p, RT_UPLOAD, slot, 0, 0);
    p->cmds[p->ncmds - 1].device = dev;
  }
  struct rt_launch *l = make_launch(p, NULL, 0, RT_RUN_RANGE, 2, RT_BIND_SLOT,
                                    slot, RT_BIND_STRIDE, slot);
  l->binds[0].written = use != READ;
  l->offload = mem_alloc(1, sizeof *l->offload);
  l->offload->code = &code;
  if (use != READ) make_out(p, 0, slot);
  status st = make_run(p, 1);
  rt_program_free(p);
  return st;
}

static void
apply(struct rt_device *dev, struct rt_dat *d, enum use use) {
  switch (use) {
  case READ: cr_assert_eq(run_on(dev, d, look, READ), OK); break;
  case WRITE: cr_assert_eq(run_on(dev, d, fill_7, WRITE), OK); break;
  case UPDATE: {
    mock_kernel f = d->shape.device ? add_place_rows : add_place;
    cr_assert_eq(run_on(dev, d, f, UPDATE), OK);
    break;
  }
  case LOOK: cr_assert_eq(rt_dat_sync(d), OK); break;
  case EDIT:
    cr_assert_eq(rt_dat_sync(d), OK);
    rt_dat_mirror_written(d);
    break;
  }
}

static const int ones[N * DIM] = {1, 1, 1};

/* A dat in this state. */
static struct rt_dat
dat_in(struct rt_device *dev, enum rt_residency state) {
  struct rt_dat d = dat_new(state == RT_HOST_UNALLOCATED ? NULL : ones, 1);
  if (state == RT_HOST_UNALLOCATED || state == RT_DEVICE) apply(dev, &d, WRITE);
  if (state == RT_HOST || state == RT_BOTH) apply(dev, &d, READ);
  if (state == RT_HOST) apply(dev, &d, EDIT);
  cr_assert_eq(rt_residency_of(&d), state);
  return d;
}

static void
check_row(enum rt_residency from, enum use use, enum rt_residency to, int up,
          int down, const char *text) {
  struct rt_device *dev = mock_device(0);
  struct rt_dat d = dat_in(dev, from);
  long long ups = counters[CNT_h2d], downs = counters[CNT_d2h];
  apply(dev, &d, use);
  cr_expect_eq(rt_residency_of(&d), to, "%s: state %d, expected %d", text,
               rt_residency_of(&d), to);
  cr_expect_eq(counters[CNT_h2d] - ups, up, "%s: uploads", text);
  cr_expect_eq(counters[CNT_d2h] - downs, down, "%s: downloads", text);
  rt_dat_clear(&d);
}

#define RESIDENCY(from, use, to, up, down)                                     \
  Test(residency, row_##from##_##use) {                                        \
    check_row(RT_##from, use, RT_##to, up, down, #from " " #use);              \
    mock_end();                                                                \
  }
#include "test/unit/residency.def"
#undef RESIDENCY

/* ---- what is moved ------------------------------------------------------- */

static void
check_values(struct rt_dat *d, int times) {
  cr_assert_eq(rt_dat_sync(d), OK);
  const int *x = (const int *)(void *)d->mirror;
  for (int e = 0; e < N; e++)
    for (int c = 0; c < DIM; c++)
      cr_assert_eq(x[e * DIM + c], e * DIM + c + times * (100 * e + c));
}

static void
check_layout(uint32_t block, uint32_t device) {
  struct rt_device *dev = mock_device(0);
  int start[N * DIM];
  for (int i = 0; i < N * DIM; i++) start[i] = i;
  struct rt_dat d = dat_new(start, block);
  cr_assert_eq(rt_dat_relayout(&d, block, device), OK);
  apply(dev, &d, UPDATE);
  apply(dev, &d, UPDATE);
  check_values(&d, 2);
  struct rt_buf *b;
  cr_assert_eq(rt_dat_buffer(&d, &b), OK); /* now the host has it, too */
  cr_assert_eq(counters[CNT_d2h], 1, "the mirror serves the host's buffer");
  apply(dev, &d, UPDATE);
  check_values(&d, 3);
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, values_survive_from_aos) {
  check_layout(1, 0);
}
Test(residency, values_survive_from_soa) {
  check_layout(0, 0);
}
Test(residency, values_survive_from_blocks) {
  check_layout(4, 0);
}
Test(residency, values_survive_from_aos_as_aos) {
  check_layout(1, 1);
}
Test(residency, values_survive_from_soa_as_aos) {
  check_layout(0, 1);
}

/* Renumbered while the device alone has the values. */
Test(residency, values_survive_a_new_order) {
  struct rt_device *dev = mock_device(0);
  int start[N * DIM];
  for (int i = 0; i < N * DIM; i++) start[i] = i;
  struct rt_dat d = dat_new(start, 4);
  idx_l *row = mem_alloc(N, sizeof *row);
  for (int e = 0; e < N; e++) row[e] = (3 * e + 4) % N;
  struct rt_order *o = rt_order_new(N, row);
  apply(dev, &d, UPDATE);
  cr_assert_eq(rt_dat_reorder(&d, o), OK);
  check_values(&d, 1);
  apply(dev, &d, READ); /* up and down through the order */
  rt_dat_mirror_written(&d);
  apply(dev, &d, READ);
  cr_assert_eq(rt_dat_reorder(&d, NULL), OK);
  apply(dev, &d, UPDATE);
  check_values(&d, 2);
  rt_dat_clear(&d);
  rt_order_free(o);
  mock_end();
}

Test(residency, foreign_memory_comes_back_at_a_look) {
  struct rt_device *dev = mock_device(0);
  int memory[N * DIM];
  for (int i = 0; i < N * DIM; i++) memory[i] = i;
  struct rt_dat d;
  struct rt_shape s = {N, DIM, {TYPE_I32, 4}, 1, 0, NULL};
  cr_assert_eq(rt_dat_init(&d, s, memory, true), OK);
  apply(dev, &d, UPDATE);
  cr_assert_eq(memory[5], 5, "nothing moved yet");
  check_values(&d, 1);
  cr_assert_eq(memory[5], 5 + 100 + 2);
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, from_one_device_to_another_through_the_host) {
  struct rt_device *a = mock_device(0), *b = mock_device(1);
  int start[N * DIM];
  for (int i = 0; i < N * DIM; i++) start[i] = i;
  struct rt_dat d = dat_new(start, 1);
  apply(a, &d, UPDATE);
  apply(b, &d, UPDATE);
  cr_assert_eq(counters[CNT_h2d], 2);
  cr_assert_eq(counters[CNT_d2h], 1);
  apply(a, &d, UPDATE);
  check_values(&d, 3);
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, a_temporary_of_device_loops_has_no_host_memory) {
  struct rt_device *dev = mock_device(0);
  struct rt_dat d = dat_new(NULL, 0);
  apply(dev, &d, WRITE);
  apply(dev, &d, UPDATE);
  cr_assert_null(d.buf->mem);
  cr_assert_eq(mock.writes + mock.reads, 0);
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, zeros_are_made_on_the_device) {
  struct rt_device *dev = mock_device(0);
  struct rt_dat d = dat_new(NULL, 0);
  cr_assert_eq(rt_dat_keep(&d, true), OK);
  apply(dev, &d, UPDATE);
  apply(dev, &d, UPDATE);
  cr_assert_null(d.buf->mem);
  cr_assert_eq(mock.writes, 0);
  cr_assert_eq(mock.zeros, 1);
  cr_assert_eq(rt_dat_sync(&d), OK);
  const int *x = (const int *)(void *)d.mirror;
  for (int i = 0; i < N * DIM; i++)
    cr_assert_eq(x[i], 2 * (100 * (i / DIM) + i % DIM));
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, no_zeros_of_an_empty_set) {
  struct rt_device *dev = mock_device(0);
  struct rt_dat d;
  struct rt_shape s = {0, DIM, {TYPE_I32, 4}, 0, 0, NULL};
  cr_assert_eq(rt_dat_init(&d, s, NULL, false), OK);
  cr_assert_eq(rt_dat_keep(&d, true), OK);
  cr_assert_eq(rt_buf_upload(d.buf, dev, NULL), OK);
  cr_assert_eq(mock.zeros, 0);
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, device_memory_is_used_again) {
  struct rt_device *dev = mock_device(0);
  for (int k = 0; k < 5; k++) {
    struct rt_dat d = dat_new(ones, 1);
    apply(dev, &d, UPDATE);
    rt_dat_clear(&d);
  }
  cr_assert_leq(mock.mems, 3, "a buffer and two scratch areas, %d found",
                mock.mems);
  mock_end();
}

Test(residency, no_memory_is_an_error_before_anything_runs) {
  struct rt_device *dev = mock_device(0);
  struct rt_dat d = dat_new(ones, 1);
  mock.fail_mem = true;
  cr_assert_eq(run_on(dev, &d, add_place, UPDATE), ERR_MEMORY);
  cr_assert_eq(mock.launches, 0);
  mock.fail_mem = false;
  cr_assert_eq(run_on(dev, &d, add_place, UPDATE), OK);
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, a_failed_launch_is_an_error) {
  struct rt_device *dev = mock_device(0);
  struct rt_dat d = dat_new(ones, 1);
  mock.fail_launch = true;
  cr_assert_eq(run_on(dev, &d, add_place, UPDATE), ERR_DEVICE);
  cr_assert_str_eq(err_last(), "mock: launch failed");
  rt_dat_clear(&d);
  mock_end();
}

Test(residency, tables_go_up_once_for_each_version) {
  struct rt_device *dev = mock_device(0);
  int table[] = {1, 2, 3};
  void *a, *b;
  cr_assert_eq(rt_dev_table_get(dev, table, sizeof table, 1, &a), OK);
  cr_assert_eq(rt_dev_table_get(dev, table, sizeof table, 1, &b), OK);
  cr_assert_eq(a, b);
  cr_assert_eq(mock.writes, 1);
  cr_assert_eq(rt_dev_table_get(dev, table, sizeof table, 2, &b), OK);
  cr_assert_neq(a, b);
  cr_assert_eq(counters[CNT_upload_other_bytes], 2 * sizeof table);
  mock_end();
}

/* ---- memory that overlaps ------------------------------------------------ */

/* x[i] += 1 of the dat at a[1].word bytes */
static void
add_one_there(const struct rt_dev_arg *a, uint32_t nargs, size_t items) {
  (void)nargs, (void)items;
  int *x = (int *)(void *)((char *)a[0].mem + a[1].word);
  for (int i = 0; i < N * DIM; i++) x[i]++;
}

static status
run_view(struct rt_device *dev, struct rt_dat *d) {
  struct rt_program *p = make_program();
  struct rt_dev_code code = {.device = dev, .run = kernel_of(add_one_there)};
  make_set(p, &set);
  uint32_t slot = make_slot(p, d, true);
  p->slots[slot].no_host = true;
  p->slots[slot].device = dev;
  make_cmd(p, RT_UPLOAD, slot, 0, 0);
  p->cmds[p->ncmds - 1].device = dev;
  struct rt_launch *l = make_launch(p, NULL, 0, RT_RUN_SERIAL, 2, RT_BIND_SLOT,
                                    slot, RT_BIND_OFFSET, slot);
  l->binds[0].written = true;
  l->offload = mem_alloc(1, sizeof *l->offload);
  l->offload->code = &code;
  make_out(p, 0, slot);
  status st = make_run(p, 1);
  rt_program_free(p);
  return st;
}

/* Two dats, the second `shift` components behind the first: one copy on the device,
 * what a loop writes to one is the other's, one copy back serves both. */
static void
check_overlap(size_t from, size_t shift) {
  struct rt_device *dev = mock_device(0);
  int *memory = mem_alloc(3 * N * DIM, sizeof *memory), *at = memory + from;
  struct rt_shape s = {N, DIM, {TYPE_I32, 4}, 1, 0, NULL};
  struct rt_dat a, b;
  cr_assert_eq(rt_dat_init(&a, s, at, true), OK);
  cr_assert_eq(run_on(dev, &a, fill_7, WRITE), OK); /* alone there before */
  cr_assert_eq(rt_dat_init(&b, s, at + shift, true), OK);
  cr_assert_eq(rt_dat_overlap(&b, &a), OK);
  cr_assert_eq(at[0], 7, "its values came to the host");
  long long ups = counters[CNT_h2d], downs = counters[CNT_d2h];
  cr_assert_eq(run_view(dev, &a), OK);
  cr_assert_eq(run_view(dev, &b), OK);
  cr_assert_eq(counters[CNT_h2d] - ups, 1);
  cr_assert(!rt_dat_mirror_current(&a));
  cr_assert_eq(rt_dat_sync(&b), OK);
  cr_assert(rt_dat_mirror_current(&a));
  cr_assert_eq(counters[CNT_d2h] - downs, 1);
  for (size_t i = 0; i < 2 * N * DIM; i++) {
    int in_a = i < N * DIM, in_b = i >= shift && i < shift + N * DIM;
    cr_assert_eq(at[i], 8 * in_a + in_b, "at %zu: %d", i, at[i]);
  }
  rt_dat_mirror_written(&a); /* the host's */
  cr_assert_eq(rt_residency_of(&b), RT_HOST);
  cr_assert_eq(run_view(dev, &b), OK);
  cr_assert_eq(counters[CNT_h2d] - ups, 2);
  cr_assert_eq(rt_dat_sync(&b), OK);
  rt_dat_clear(&a);
  cr_assert_eq(rt_residency_of(&b), RT_DEVICE_UNALLOCATED);
  cr_assert_eq(run_on(dev, &b, fill_7, WRITE), OK); /* alone again: SoA */
  cr_assert_eq(rt_dat_sync(&b), OK);
  cr_assert_eq(at[shift], 7);
  rt_dat_clear(&b);
  free(memory);
  mock_end();
}

Test(residency, overlapping_dats_are_one_on_a_device) {
  check_overlap(0, 5);
}

Test(residency, overlapping_memory_keeps_its_alignment) {
  check_overlap(3, 7);
}

/* ---- on their way --------------------------------------------------------- */

/* The host's memory for values on their way is used again and grows at need; what is
 * large goes once they have arrived. */
Test(residency, staging_stays_if_it_is_small) {
  struct rt_device *dev = mock_device(0);
  void *first, *again, *more;
  cr_assert_eq(rt_dev_staging(dev, 100, &first), OK);
  rt_dev_staging_end(dev);
  cr_assert_eq(rt_dev_staging(dev, 60, &again), OK);
  cr_assert_eq(first, again);
  cr_assert_eq(dev->staging_bytes, 100);
  cr_assert_eq(rt_dev_staging(dev, 64 << 20, &more), OK);
  memset(more, 1, 64 << 20);
  rt_dev_staging_end(dev);
  cr_assert_eq(dev->staging, more);
  cr_assert_eq(rt_dev_staging(dev, (64 << 20) + 1, &more), OK);
  rt_dev_staging_end(dev);
  cr_assert(!dev->staging && !dev->staging_bytes);
  cr_assert_eq(rt_dev_staging(dev, 8, &first), OK); /* the device frees it */
  mock_end();
}

/* What copies take is measured, and leaves nothing behind. */
Test(residency, copies_are_measured) {
  struct rt_device *dev = mock_device(0);
  double each = -1, rate = -1;
  int mems = mock.mems;
  cr_assert_eq(rt_device_measure(dev, &each, &rate), OK);
  cr_assert(each >= 0 && rate > 0);
  cr_assert_eq(mock.mems, mems);
  mock.fail_mem = true;
  cr_assert_eq(rt_device_measure(dev, &each, &rate), ERR_MEMORY);
  mock.fail_mem = false;
  mock_end();
}
