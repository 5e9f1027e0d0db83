/* For OP2 sources; see op2.h. */
#ifndef OP_HDF5_H
#define OP_HDF5_H

#include "op2.h"

#endif
