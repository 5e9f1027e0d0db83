/* Globals of a loop that overlap in the program's memory; see overlap.c. */
#ifndef FRONTEND_OVERLAP_H
#define FRONTEND_OVERLAP_H

#include "frontend/fe.h"

/* The call to record in place of `c`, which has several captured arguments: `c`
 * itself, or one whose overlapping globals share their memory. */
struct fe_call *fe_overlap_call(struct fe_call *c, const op_arg *args);
/* Memory of dats that the loop reaches by pointer or by name is made current;
 * what it writes by both ways is refused. For programs whose memory dats lie
 * in. */
status fe_overlap_dats(const struct fe_call *c, const op_arg *args);

#endif
