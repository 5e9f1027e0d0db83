/* op2-run --emit: code of a trace's regions, without running anything. */
#ifndef TOOLS_EMIT_H
#define TOOLS_EMIT_H

#include "base/err.h"
#include "base/str.h"

struct ir_trace;

/* Arguments behind "--emit=TARGET" (of op2_generate): trace.irt --kernels file.bc
 * [--arch A] [--out FOLDER] [--increments atomic|colour|staged] [--reads
 * direct|auto|staged]. */
status emit_run(const char *target, char **argv);
void emit_usage(void);

/* kernels.c: what the trace's kernels need of this bitcode, in its place.
 * ERR_COMPILE: it is broken, or has not all of them. */
status emit_reduce(const struct ir_trace *t, struct str *bitcode);

#endif
