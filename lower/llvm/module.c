/* What the library finds when it opens this part: see lower/module.h. */
#include "lower/module.h"

#include "base/log.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/code.h"
#include "lower/llvm/facts.h"

extern const struct low_llvm op2_low_llvm;
const struct low_llvm op2_low_llvm = {
    .version = OP2_VERSION,
    .log_level = &log_level,
    .error = err_last,
    .facts = low_facts_read,
    .source = low_source_compile,
    .compile = low_jit_compile,
    .assembly = low_jit_assembly,
    .ir = low_jit_ir,
    .device = low_device_compile,
    .moves = low_moves_compile,
};
