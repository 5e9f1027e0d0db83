/* Numbers in text have a point, whatever the program's setlocale says: between
 * these two calls this thread prints and reads numbers as the C locale does.
 * Calls may be nested. */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include <locale.h>

locale_t numbers_begin(void); /* what numbers_end takes */
void numbers_end(locale_t former);

#endif
