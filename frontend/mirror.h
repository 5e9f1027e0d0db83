/* dat->data read and written without a call: mirror.c. */
#ifndef FRONTEND_MIRROR_H
#define FRONTEND_MIRROR_H

#include "frontend/fe.h"

/* op_init, ranks being open, and op_exit: are mirrors kept current? Collective.
 * */
status fe_mirror_start(void);
void fe_mirror_stop(void);
/* Run all; from now on the dat lies in the memory that the program sees. One
 * rank. */
status fe_dat_pin(struct fe_dat *d);

#endif
