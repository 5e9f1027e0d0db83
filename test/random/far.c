/* A file of functions that kernels of other files call: FAR_FILE says which one of
 * far.def. */
#if FAR_FILE == 1
#define FAR_1(...) __VA_ARGS__
#define FAR_2(...)
#else
#define FAR_1(...)
#define FAR_2(...) __VA_ARGS__
#endif
#define FAR(file, ...) FAR_##file(__VA_ARGS__)
#include "far.def"
