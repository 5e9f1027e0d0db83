/* Kinds of arguments: what traces say of them (ir/args.def). */
#include "frontend/calls.h"

#define NO {TYPE_U8, 0}
#define I32 {TYPE_I32, sizeof(idx_l)}
#define I64 {TYPE_I64, sizeof(idx_g)}

struct type
fe_arg_number(enum fe_arg_kind kind) {
  static const struct type numbers[] = {
#define ARG(name, word, of, map, number, meaning) [FE_ARG_##name] = number,
#include "ir/args.def"
#undef ARG
  };
  return numbers[kind];
}
