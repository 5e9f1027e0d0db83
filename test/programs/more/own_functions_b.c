void replaced_kernel(const double *x, double *y);
double replaced_helper(double x);
double j1(double x);
double y0(double x);
extern int y0_calls;

void
replaced_kernel(const double *x, double *y) {
  *y = 10 * *x;
}
double
replaced_helper(double x) {
  return 100 * x;
}
double
j1(double x) {
  return 10 * x;
}
int y0_calls;
double
y0(double x) {
  y0_calls++;
  return x + 100;
}
