/* For OP2 sources; see op_lib_core.h. */
#ifndef OP_LIB_CPP_H
#define OP_LIB_CPP_H

#include "op_lib_c.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Initialisers; as in OP2 each closes its statement. */
#define ZERO_double 0.0;
#define ZERO_float 0.0f;
#define ZERO_int 0;
#define ZERO_uint 0;
#define ZERO_ll 0;
#define ZERO_ull 0;
#define ZERO_bool 0;

/* See op_mpi_reduce_double. */
#ifdef __cplusplus
template <class T>
inline void
op_mpi_reduce(op_arg *arg, T *data) {
  op2_mpi_reduce(arg, data);
}
#else
#define op_mpi_reduce(arg, data) op2_mpi_reduce((arg), (data))
#endif

#endif
