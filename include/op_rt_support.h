/* For OP2 sources; see op_lib_core.h. Plans are made inside the library, so
 * there are none to look at. */
#ifndef OP_RT_SUPPORT_H
#define OP_RT_SUPPORT_H

#include "op_lib_core.h"

#endif
