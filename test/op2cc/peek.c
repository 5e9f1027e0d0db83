/* Reads dat->data itself, on line 12; the write on line 13 counts, too. */
#include "registry.h"

#include "op2.h"

int
main(void) {
  double values[2] = {1, 2};
  struct op_dat_core core = {.dim = 1, .data = (char *)values};
  op_dat dat = &core;
  if (dat->dim != 1 || dat->data_d) return 1; /* other fields are no matter */
  double sum = ((double *)dat->data)[1];
  ((double *)dat->data)[0] = sum;
  if (values[0] != 2) return 2;
  if (registry_peek("peek.c") != 12) return 3;
  if (registry_looks() != 2 || registry_plain()) return 4;
  return 0;
}
