#include "op2.h"

void scale_b(op_dat x, op_dat y);
void set_factor_b(double to);

#define FACTOR 3
#define SCALE scale_b
#define SET_FACTOR set_factor_b
#include "same_code.h"
