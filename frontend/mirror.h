/* dat->data read and written without a call: mirror.c. */
#ifndef FRONTEND_MIRROR_H
#define FRONTEND_MIRROR_H

#include "frontend/fe.h"

/* op_init, ranks being open, and op_exit: are mirrors kept current? Collective.
 * */
status fe_mirror_start(void);
void fe_mirror_stop(void);
/* Some rank is in a look (`look`: this one), and others are elsewhere, farther
 * on: mirrors are kept current from then on. All run what the first such rank
 * has recorded; what others have recorded behind it they run loop by loop, as
 * that rank will at its calls. Collective. */
status fe_mirror_catch_up(bool look, const char *what);
/* After each run where fe.mirror or fe.holds. Collective. */
status fe_mirror_keep(void);
/* Does the loop use memory that the program may hold a pointer to? */
bool fe_mirror_holds(const struct fe_call *c);
/* Run all; from now on the dat lies in the memory that the program sees. One
 * rank. */
status fe_dat_pin(struct fe_dat *d);

#endif
