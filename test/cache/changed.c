/* The same program after its author changed a kernel. */
#define FACTOR 3.0
#include "test/cache/start.c"
