/* Why loops that waited had to run; reason.c. */
#ifndef FRONTEND_REASON_H
#define FRONTEND_REASON_H

#include "base/str.h"

enum fe_reason {
#define REASON(name, counter, because, instead) FE_REASON_##name,
#include "base/reasons.def"
#undef REASON
  FE_REASON_COUNT
};
struct fe_request;

/* Before a run. */
void fe_reason_note(const struct fe_request *rq);
/* Something ran for it. */
void fe_reason_count(enum fe_reason reason);
const char *fe_reason_event(enum fe_reason reason);
/* A line: why the last flush was. */
void fe_reason_explain(struct str *out);
/* OP2_LOG=2, at op_exit: how often, and what would avoid it. */
void fe_reason_report(void);

#endif
