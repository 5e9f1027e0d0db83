/* For OP2 sources; see op_lib_core.h. */
#ifndef OP_LIB_C_H
#define OP_LIB_C_H

#include "op_lib_core.h"

#include "op_hdf5.h"
#include "op_rt_support.h"

#endif
