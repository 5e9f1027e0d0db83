#include "base/numbers.h"

#include <pthread.h>

static locale_t plain; /* 0: no memory for it, numbers stay the program's */

static void
plain_make(void) {
  plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t
numbers_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, plain_make);
  return uselocale(plain);
}

void
numbers_end(const locale_t *former) {
  uselocale(*former);
}
