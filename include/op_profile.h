/* For OP2 sources: op_profile_start and its kin are in op2.h. */
#ifndef OP_PROFILE_H
#define OP_PROFILE_H

#include "op2.h"

#ifdef __cplusplus
#include <chrono>
#include <functional>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#include <string_view>
#endif
#endif

#endif
