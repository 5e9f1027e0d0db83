/* facts.def as C11. */
#include "facts.h"
