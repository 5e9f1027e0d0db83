/* An exchange of what a GPU has, as the mock CUDA driver sees it. */
#include "cuda_make.h"
#include "halo_make.h"

static const char params[] =
    "(\n.param .u64 a,\n.param .u64 b,\n.param .u64 c,\n.param .u64 d,\n"
    ".param .u64 e,\n.param .u64 f,\n.param .u64 g,\n.param .u64 h,\n"
    ".param .u64 i)\n{ret;}\n";

Test(halo, order_of_calls_to_the_cuda_driver, .init = mock_load) {
  struct rt_device *d = device(0);
  struct rt_halo *h = rt_halo_new(&comm);
  struct rt_buf *b = buf_new(4, (struct type){TYPE_F64, 8});
  char ptx[1024];
  snprintf(ptx, sizeof ptx,
           ".version 7.0\n.visible .entry op2_pack8%s"
           ".visible .entry op2_unpack8%s",
           params, params);
  cr_assert_eq(d->driver->code_new(d, ptx, strlen(ptx), &d->moves.code), OK);
  cr_assert_eq(d->driver->kernel_new(d, d->moves.code, "op2_pack8",
                                     &d->moves.pack[3]),
               OK);
  cr_assert_eq(d->driver->kernel_new(d, d->moves.code, "op2_unpack8",
                                     &d->moves.unpack[3]),
               OK);
  to_device(b, d, false);
  exchange(h, &b, 1);
  b->reach = REACH_OWNED;
  said_to = mock->log;
  exchange(h, &b, 1);
  cr_assert_str_eq(mock->log,
                   "launch:op2_pack8:1x256 down96 sync send96 receive96 up96 "
                   "launch:op2_unpack8:1x256 ",
                   "%s", mock->log);
  end(h, &b, 1);
  check_end();
}
