/* Numbers in text have a point, whatever the program's setlocale says: from
 * SCOPED_NUMBERS to the end of its scope this thread prints and reads them as
 * the C locale does. */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include <locale.h>

locale_t numbers_begin(void); /* what numbers_end takes */
void numbers_end(const locale_t *former);
#define SCOPED_NUMBERS                                                         \
  __attribute__((cleanup(numbers_end))) locale_t former_ = numbers_begin()

#endif
