/* Code apart from running: between op2_generate, or op2-run, and lower. */
#ifndef FRONTEND_GENERATE_H
#define FRONTEND_GENERATE_H

#include "base/err.h"

struct ir_trace;
struct low_env;
struct low_generate;

/* The code of the trace's regions, for this target whatever its loops say:
 * aimed there, through the passes as the options say (unless it has been), to
 * files. env: its kernels and how code is made; constants are parameters. */
status fe_generate(struct ir_trace **t, const struct low_env *env,
                   const struct low_generate *g, const char *folder);
/* The same of what is pending. */
status fe_generate_pending(const struct low_generate *g, const char *folder);

#endif
