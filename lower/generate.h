/* Code of a trace's regions, as files, with an index of them: what each kernel
 * is given, in which order, and how it is launched. Nothing is run and no
 * device need be there. */
#ifndef LOWER_GENERATE_H
#define LOWER_GENERATE_H

#include "base/err.h"

#include <stdbool.h>

struct ir_trace;
struct low_env;
struct low_format;

struct low_generate {
  const struct low_format *format;
  const char *target; /* of the loops, as traces have it; NULL: the host */
  const char *arch;   /* of PTX; "" */
  bool device;
  bool gpu; /* code other than a processor's */
};

/* What `text` asks for: a target with, behind a colon, a format or, for PTX, an
 * architecture ("cuda", "cuda:sm_90", "opencl:spirv", "openmp:object"), or a
 * format ("ptx:sm_90", "llvm"). ERR_TARGET: what there is. KEEP text */
status low_generate_find(const char *text, struct low_generate *out);
/* The formats' names, as words of a message. */
const char *low_generate_formats(void);

/* Write the folder, which is made if it is not there: a file for each region,
 * in order; trace.irt, which has what stands between them; index.json
 * (doc/gpu.md). The trace has been through the passes, with g->target in its
 * loops. ERR_COMPILE names the loop and its call; then there is no index. */
status low_generate(const struct ir_trace *t, const struct low_env *env,
                    const struct low_generate *g, const char *folder);

#endif
