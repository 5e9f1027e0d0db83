/* facts.def as C++. */
#include "facts.h"
