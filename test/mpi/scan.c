/* Scans, in parts (slice.h).
 *
 * RUN: 1
 * RUN: 2
 * RUN: 3 SLICE=skew
 * RUN: 4 PART=RANDOM
 * RUN: 3 PART=EXTERNAL OP2_CHECK=1
 * RUN: 2 PART=PTSCOTCH OP2_RENUMBER=rcm
 * RUN: 3 OP2_HALO_LIMIT=6 OP2_EAGER=1
 * RUN: 2 OP2_REPRODUCIBLE=1
 * RUN: 4 OP2_REPRODUCIBLE=1 PART=RANDOM OMP_NUM_THREADS=2
 * RUN: 3 OP2_TARGET=opencl PART=RANDOM
 */
#include "slice.h"

#undef op2_decl_columns
#define op2_decl_columns(base, layers, name)                                   \
  slice_made((op2_decl_columns)(base, layers, name))
#undef op2_decl_columns_var
#define op2_decl_columns_var(base, range, name)                                \
  slice_made((op2_decl_columns_var)(base,                                      \
                                    (range) + 2 * slice.lo[(base)->index],     \
                                    name))
#undef op2_columns_region
#define op2_columns_region(columns, region, name)                              \
  slice_made((op2_columns_region)(columns, region, name))
#undef op2_par_loop_scan
#define op2_par_loop_scan(kernel, name, set, ...)                              \
  (slice_ready(), OP2_SCAN(kernel, name, set, __VA_ARGS__, OP2_LAST))

#include "../programs/scan.c"
