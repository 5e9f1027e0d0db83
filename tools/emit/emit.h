/* op2-run --emit: code of a trace's regions, without running anything. */
#ifndef TOOLS_EMIT_H
#define TOOLS_EMIT_H

#include "base/err.h"

/* Arguments behind "--emit=KIND": trace.irt --kernels file.bc [--arch A]
 * [--out FOLDER] [--increments atomic|colour|staged]. Writes one file a region. */
status emit_run(const char *kind, char **argv);
void emit_usage(void);

#endif
