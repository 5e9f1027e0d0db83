double far_scale(double x);
double far_chain(double x, int depth);
double far_back(double x, int depth);
void far_add(const double *x, double *y);
void far_drop(double *v);
extern double far_gain;

static double local = 0.5;
double far_gain;

static double
own(double x) {
  return x - local;
}

double
far_scale(double x) {
  return 3 * x + own(x);
}
double
far_chain(double x, int depth) {
  return depth ? far_back(x, depth - 1) + 1 : x;
}
void
far_drop(double *v) {
  *v -= far_gain;
}
void
far_add(const double *x, double *y) {
  *y += *x * far_gain;
}
