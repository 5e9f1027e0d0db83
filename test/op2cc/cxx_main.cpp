// C++ kernels: namespaces, overloads, templates, lambdas, class members.
// Exit status as c_main.c.
#include "kernels.h"
#include "registry.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

double gam = 1.4;

namespace flow {
inline void
kernel(const double *a, double *b) {
  *b = std::max(*a, std::sqrt(*b));
}
inline void
kernel(const float *a, float *b) {
  *b = *a;
}
template <int N, class T>
void
sum(const T *a, T *b) {
  for (int i = 0; i < N; i++) *b += a[i];
}
struct model {
  static double scale;
  static void apply(const double *a, double *b) {
    *b = scale * *a;
  }
  virtual void unused() {
  }
  virtual ~model() {
  }
};
double model::scale = 2;
} // namespace flow

template <class K>
static const void *
loop(K *kernel) {
  TEST_LOOP(kernel);
  return (const void *)kernel;
}

typedef void (*double_kernel)(const double *, double *);
typedef void (*float_kernel)(const float *, float *);

int
main() {
  std::vector<double> data(4, 1.0);
  flow::model m;
  const void *over_double = loop(double_kernel(flow::kernel));
  const void *over_float = loop(float_kernel(flow::kernel));
  const void *sum4 = loop(flow::sum<4, double>);
  const void *sum2 = loop(flow::sum<2, double>);
  const void *member = loop(flow::model::apply);
  const void *lambda =
      loop(+[](const double *a, double *b) { *b += *a * gam; });
  if (registry_blobs() != 1 || !registry_bitcode_ok()) return 1;
  const void *all[] = {over_double, over_float, sum4, sum2, member, lambda};
  for (int i = 0; i < 6; i++) {
    if (!registry_name(all[i])) return 10 + i;
    for (int k = 0; k < i; k++)
      if (!strcmp(registry_name(all[i]), registry_name(all[k]))) return 20 + i;
  }
  if (registry_size(&flow::model::scale) != sizeof(double)) return 30;
  if (registry_size(&gam) != sizeof(double)) return 31;
  return data.size() == 4 ? 0 : 32;
}
