/* OP2's extern variables (op_lib_core.h), for programs that read them. */
#include "frontend/context.h"
#include "frontend/decl.h"

#include "rt/plan.h"

#include "op_lib_core.h"

#include <assert.h>
#include <stdlib.h>

/* ---- options and settings; op_init writes them --------------------------- */

enum { CACHE_LINE = 128, TEST_FREQUENCY = 1 << 30 }; /* OP2's start values */

int OP_diags, OP_part_size, OP_block_size, OP_maps_base_index, OP_auto_soa;
int OP_cache_line_size = CACHE_LINE;
int OP_is_partitioned, OP_disable_mpi_reductions;

int
op_is_partitioned(void) {
  return OP_is_partitioned;
}

int
op_mpi_get_test_frequency(void) {
  return OP_mpi_test_frequency;
}

/* Settings of OP2 that have no meaning here. */
double OP_hybrid_balance = 1.0;
int OP_hybrid_gpu, OP_partial_exchange, OP_gpu_direct, OP_unified_exchanges;
int OP_mpi_test_frequency = TEST_FREQUENCY;
int OP_cuda_reductions_mib;
int OP_plan_index, OP_plan_max;
double OP_plan_time;

/* ---- lists --------------------------------------------------------------- */

int OP_set_index, OP_set_max, OP_map_index, OP_map_max, OP_dat_index;
op_set *OP_set_list;
op_map *OP_map_list;
Double_linked_list OP_dat_list = TAILQ_HEAD_INITIALIZER(OP_dat_list);

void
fe_vars_add_set(op_set set) {
  VEC_PUSH(OP_set_list, OP_set_index, OP_set_max, set);
}

void
fe_vars_add_map(op_map map) {
  map->index = OP_map_index;
  VEC_PUSH(OP_map_list, OP_map_index, OP_map_max, map);
}

void
fe_vars_remove_set(op_set set) {
  int n = 0;
  for (int i = 0; i < OP_set_index; i++)
    if (OP_set_list[i] != set) OP_set_list[n++] = OP_set_list[i];
  OP_set_index = n;
}

void
fe_vars_remove_map(op_map map) {
  int n = 0;
  for (int i = 0; i < OP_map_index; i++) {
    if (OP_map_list[i] == map) continue;
    OP_map_list[n] = OP_map_list[i];
    OP_map_list[n]->index = n;
    n++;
  }
  OP_map_index = n;
}

void
fe_vars_add_dat(op_dat dat, const void *declared_from) {
  op_dat_entry *e = mem_alloc(1, sizeof *e);
  e->dat = dat;
  e->orig_ptr = (void *)declared_from;
  TAILQ_INSERT_TAIL(&OP_dat_list, e, entries);
  OP_dat_index++;
}

static void
drop(op_dat_entry *e) {
  TAILQ_REMOVE(&OP_dat_list, e, entries);
  free(e);
  OP_dat_index--;
  assert(OP_dat_index >= 0);
}

void
fe_vars_remove_dat(op_dat dat) {
  op_dat_entry *e;
  TAILQ_FOREACH(e, &OP_dat_list, entries)
  if (e->dat == dat) {
    drop(e);
    return;
  }
}

/* ---- timing table -------------------------------------------------------- */

op_kernel *OP_kernels;
int OP_kern_max, OP_kern_curr;

static int kernels_cap;

static void
kernels_clear(void) {
  for (int i = 0; i < OP_kern_max; i++) free(OP_kernels[i].times);
  free(OP_kernels);
  OP_kernels = NULL;
  OP_kern_max = OP_kern_curr = kernels_cap = 0;
}

static void
kernel_add(void *user, const struct rt_timing *line) {
  (void)user;
  op_kernel k = {.name = line->name,
                 .count = (int)line->calls,
                 .time = line->seconds,
                 .times = mem_alloc(1, sizeof *k.times),
                 .ntimes = 1,
                 .transfer = (float)line->bytes};
  k.times[0] = line->seconds;
  VEC_PUSH(OP_kernels, OP_kern_max, kernels_cap, k);
}

void
fe_vars_kernels_update(void) {
  kernels_clear();
  rt_timer_each(kernel_add, NULL);
  OP_plan_time = rt_walk_seconds;
}

void
fe_vars_clear(void) {
  op_dat_entry *e;
  while ((e = TAILQ_FIRST(&OP_dat_list))) drop(e);
  free(OP_set_list);
  free(OP_map_list);
  OP_set_list = NULL;
  OP_map_list = NULL;
  OP_set_index = OP_set_max = OP_map_index = OP_map_max = 0;
  kernels_clear();
  OP_diags = OP_part_size = OP_block_size = OP_maps_base_index = 0;
  OP_auto_soa = OP_is_partitioned = OP_disable_mpi_reductions = 0;
  OP_cache_line_size = CACHE_LINE;
  OP_plan_time = 0;
}

/* ---- settings ------------------------------------------------------------ */

/* Loops recorded before join their globals as they did then. */
static status
set_apart(bool apart) {
  TRY(fe_run_for_call());
  OP_disable_mpi_reductions = apart;
  rt_set_apart(apart);
  return OK;
}

void
op_disable_mpi_reductions(bool disable) {
  if (fe.up && !fe_enter("op_disable_mpi_reductions")) return;
  fe_leave(set_apart(disable));
}
