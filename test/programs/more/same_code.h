/* The text of two files (same_code.c): FACTOR, and names for those who call it. */
static double factor = FACTOR;

static void
scale(const double *x, double *y) {
  *y = factor * *x;
}

void
SCALE(op_dat x, op_dat y) {
  op_par_loop(scale, "scale", x->set,
              op_arg_dat(x, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(y, -1, OP_ID, 1, "double", OP_WRITE));
}

void
SET_FACTOR(double to) {
  factor = to;
}
