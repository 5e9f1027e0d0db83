/* For OP2 sources: op2.h, with the headers, macros, structs and variables that
 * OP2's header of this name brings along. */
#ifndef OP_LIB_CORE_H
#define OP_LIB_CORE_H

#include "op2.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/queue.h>

#ifdef __cplusplus
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <stdexcept>
#endif

#ifndef OP2_ALIGNMENT
#define OP2_ALIGNMENT 64 /* bytes; of op_malloc */
#endif

#define OP_STAGE_NONE 0
#define OP_STAGE_INC 1
#define OP_STAGE_ALL 2
#define OP_STAGE_PERMUTE 3
#define OP_COLOR2 4

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
/* Bytes up to the next multiple of 16 and 64. */
#define ROUND_UP(bytes) (((bytes) + 15) & ~15)
#define ROUND_UP_64(bytes) (((bytes) + 63) & ~63)

/* One line of the timing table; a region is a kernel here. */
typedef struct {
  char const *name;
  int count;     /* calls */
  double time;   /* seconds in all */
  double *times; /* [ntimes], per thread; times[0] == time */
  int ntimes;
  float plan_time; /* seconds; 0: plans are made when a program is */
  float transfer;  /* bytes read and written */
  float transfer2;
  double mpi_time; /* seconds */
} op_kernel;

typedef struct {
  char const *name;
  int count;
  float plan_time;
  float mpi_time, mpi_time_std;
  float time, time_std;
  float transfer, transfer2;
} op_kernel_timing_summary;

struct op_dat_entry_core {
  op_dat dat;
  void *orig_ptr; /* what the dat was declared from */
  TAILQ_ENTRY(op_dat_entry_core) entries;
};
typedef struct op_dat_entry_core op_dat_entry;
typedef TAILQ_HEAD(, op_dat_entry_core) Double_linked_list;

#ifdef __cplusplus
extern "C" {
#endif

/* Read only. The lists hold the live declarations. */
extern int OP_diags; /* diags of op_init */
extern int OP_part_size, OP_block_size, OP_cache_line_size; /* options */
extern int OP_maps_base_index, OP_auto_soa;                 /* options */
extern int OP_set_index, OP_map_index, OP_dat_index; /* how many declared */
extern int OP_set_max, OP_map_max;
extern op_set *OP_set_list; /* [OP_set_index] */
extern op_map *OP_map_list; /* [OP_map_index] */
extern Double_linked_list OP_dat_list;
extern op_kernel *OP_kernels; /* [OP_kern_max], filled by op_timing_output */
extern int OP_kern_max, OP_kern_curr;
extern double OP_plan_time;
/* Of no meaning here; constant. */
extern double OP_hybrid_balance;
extern int OP_hybrid_gpu, OP_mpi_test_frequency, OP_partial_exchange;
extern int OP_disable_mpi_reductions, OP_cuda_reductions_mib;
extern int OP_gpu_direct, OP_unified_exchanges;
extern int OP_plan_index, OP_plan_max;
extern int OP_is_partitioned; /* 1 after op_partition */

#ifdef __cplusplus
}
#endif

#endif
