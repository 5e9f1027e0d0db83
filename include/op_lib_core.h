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

int op_is_partitioned(void); /* (local) */
/* op_timers. (local) */
void op_timers_core(double *cpu, double *et);
int op_mpi_get_test_frequency(void); /* OP_mpi_test_frequency (local) */

/* ---- loops written by hand ------------------------------------------------ */

/* Make ready what a loop of the program's own over `set` will touch: run what the
 * arguments' dats need, and bring their memory up to date, on several ranks also
 * the halo that it can read. For arguments of op_arg_dat, args[i].data is then the
 * dat's memory, args[i].map_data the map's table: element n of a direct argument at
 * data + n * size, of one behind a map at
 * data + map_data[n * map->dim + idx] * size.
 * Returns how many elements to run over: set->size, and set->exec_size more where
 * an argument behind a map is written. Collective; over when it returns.
 * error  a handle that is none; a map from another set */
int op_mpi_halo_exchanges(op_set set, int nargs, op_arg *args);
int op_mpi_halo_exchanges_grouped(op_set set, int nargs, op_arg *args,
                                  int device);
int op_mpi_halo_exchanges_cuda(op_set set, int nargs, op_arg *args);
/* The loop has run: what it wrote to the memory of arguments other than OP_READ are
 * their dats' values from now on. The exchange comes before.
 * error  a dat that loops wrote since, or that was not exchanged */
void op_mpi_set_dirtybit(int nargs, op_arg *args);
void op_mpi_set_dirtybit_cuda(int nargs, op_arg *args);
/* Nothing is under way behind an exchange: these do nothing. (local) */
void op_mpi_wait_all(int nargs, op_arg *args);
void op_mpi_wait_all_grouped(int nargs, op_arg *args, int device);
void op_mpi_wait_all_cuda(int nargs, op_arg *args);
void op_mpi_test_all(int nargs, op_arg *args);
void op_mpi_test_all_grouped(int nargs, op_arg *args);
void op_mpi_reset_halos(int nargs, op_arg *args);
/* The program's own sum, least or most over the ranks, of what an argument of
 * op_arg_gbl points to: OP_INC adds all ranks' values (so that each starts at 0),
 * OP_WRITE takes those that are not zero. Nothing on one rank, where each rank sees
 * all (OP2_DECLARE=whole), and after op_disable_mpi_reductions. `data` is not
 * looked at. Collective. op_mpi_reduce(op_arg *, T *) is in op_lib_cpp.h. */
void op_mpi_reduce_float(op_arg *arg, float *data);
void op_mpi_reduce_double(op_arg *arg, double *data);
void op_mpi_reduce_int(op_arg *arg, int *data);
void op_mpi_reduce_bool(op_arg *arg, bool *data);
void op_mpi_reduce_combined(op_arg *args, int nargs); /* each of them */
void op2_mpi_reduce(op_arg *arg, const void *data);   /* of any type */
/* All ranks reach it before one goes on; pending loops stay so. Collective. */
void op_mpi_barrier(void);

#ifdef __cplusplus
}
#endif

#endif
