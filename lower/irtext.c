/* Types in LLVM IR as text. */
#include "lower/irtext.h"

#include <string.h>

struct low_irtype
low_irtype_of(struct type t) {
  struct low_irtype a = {.real = type_class(t) == 'F', .bytes = t.size};
  if (t.kind == TYPE_BYTES || t.kind == TYPE_BOOL)
    for (a.bytes = 8; t.size % a.bytes;) a.bytes /= 2;
  a.unit = t.size / a.bytes;
  strcpy(a.text, a.bytes == 8   ? "i64"
                 : a.bytes == 4 ? "i32"
                 : a.bytes == 2 ? "i16"
                                : "i8");
  if (a.real) strcpy(a.text, a.bytes == 8 ? "double" : "float");
  return a;
}
