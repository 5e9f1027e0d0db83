/* For OP2 sources: what a program includes first; see op_lib_core.h. */
#ifndef OP_SEQ_H
#define OP_SEQ_H

#include "op_lib_cpp.h"

#ifdef __cplusplus
#include <utility>
#endif

/* Component idx of an element: kernels see every element as AoS. */
#define OP2_STRIDE(arr, idx) arr[idx]

#endif
