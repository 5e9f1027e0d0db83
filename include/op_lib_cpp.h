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

#endif
