double far_back(double x, int depth);
double far_table(int i);
void far_kernel(const double *x, double *y);

static const double own[4] = {1, 2, 4, 8};

double
far_back(double x, int depth) {
  for (; depth > 0; depth--) x += 1;
  return 2 * x;
}
double
far_table(int i) {
  return own[i];
}
void
far_kernel(const double *x, double *y) {
  *y = 2 * *y - far_table((int)*x & 3);
}
