/* What lies below: started as the options say, and brought down again. */
#include "frontend/context.h"

#include "lower/lower.h"
#include "lower/machine.h"
#include "lower/made.h"
#include "rt/device/device.h"
#include "rt/plan.h"

#ifdef NDEBUG
enum { FE_DEBUG = 0 };
#else
enum { FE_DEBUG = 1 };
#endif

extern int OP_part_size, OP_block_size;

static void
block_size_set(void) {
  int b = fe.opt.block_size ? fe.opt.block_size : OP_block_size;
  if (!b) b = OP_part_size;
  rt_set_block_size(b);
  rt_set_front_tight(fe.opt.tile_piece > 0);
  rt_set_thread_least(fe.opt.team == OPT_team_all ? 0 : -1);
}

/* What was compiled before. */
static void
made_open(bool shared) {
  SCOPED_STR machine = STR_INIT;
  low_machine_text(&machine);
  low_made_open(machine.s, fe.opt.bundle);
  if (!fe.opt.cache) return;
  low_disk_open(fe.opt.cache_dir, fe.opt.cache_size);
  low_disk_share(shared);
}

/* What options decide for the whole process. */
void
fe_parts_start(bool shared) {
  bool lines = fe.opt.debug == OPT_debug_lines; /* LLVM tells debuggers, too */
  low_set_threads(lines ? 1 : fe.opt.compile_threads);
  made_open(shared);
  rt_walk_checking = FE_DEBUG || fe.opt.check != OPT_check_0;
  low_kernels_native(fe.opt.debug == OPT_debug_kernels);
  block_size_set();
  rt_set_reproducible(fe.opt.reproducible);
  rt_cuda_graphs = fe.opt.cuda_graphs;
  rt_device_times = fe.opt.device_times;
}

void
fe_parts_stop(void) {
  low_device_clear();
  rt_devices_close();
  rt_walk_cache_clear();
  rt_pool_clear();
  rt_team_clear();
  rt_timer_reset();
  low_clear();
  fe_kernels_clear();
  low_made_close();
  rt_set_apart(false);
}
