/* OP2's public variables: lists of what is declared, and the options. */
#ifndef FRONTEND_VARS_H
#define FRONTEND_VARS_H

#include "frontend/fe.h"

/* Called by the declarations; handles are KEEP. */
void fe_vars_add_set(op_set set);
void fe_vars_add_map(op_map map);
void fe_vars_add_dat(op_dat dat, const void *declared_from);
void fe_vars_remove_dat(op_dat dat);
/* OP_kernels from the timing table. */
void fe_vars_kernels_update(void);
/* All lists empty, options at their defaults (op_exit). */
void fe_vars_clear(void);

#endif
