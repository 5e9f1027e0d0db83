/* For OP2 sources. This release reads and writes no HDF5 files: the program's
 * own I/O and op_decl_dat do. */
#ifndef OP_HDF5_H
#define OP_HDF5_H

#include "op2.h"

#endif
