/* Mentions dats but never their data. */
#include "registry.h"

#include "op2.h"

int
main(void) {
  struct op_dat_core core = {.dim = 3, .name = "q"};
  op_dat dat = &core;
  op_arg arg = {.dat = dat};
  if (arg.data || dat->dim != 3 || *dat->name != 'q') return 1;
  if (registry_plain()) return 3;
  return registry_peek("peek_not.c") ? 2 : 0;
}
