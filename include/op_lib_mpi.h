/* For OP2 sources that use MPI themselves. */
#ifndef OP_LIB_MPI_H
#define OP_LIB_MPI_H

#include "op_lib_core.h"
#include "op_mpi_core.h"

#endif
