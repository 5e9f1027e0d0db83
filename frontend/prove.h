/* What a loop does, by what its kernel's IR proves; see prove.c. */
#ifndef FRONTEND_PROVE_H
#define FRONTEND_PROVE_H

#include "frontend/fe.h"

/* Turn the declared accesses of a checked call into proven ones, and derive
 * from them what is captured, what is raw, and whether order matters. Tells,
 * once for each kernel and argument, what differs from the declaration. */
void fe_prove(struct fe_call *c);

#endif
