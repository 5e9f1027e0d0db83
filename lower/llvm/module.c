/* What the library finds when it opens this part: see lower/module.h. */
#include "lower/module.h"

#include "base/log.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/code.h"
#include "lower/llvm/facts.h"
#include "lower/llvm/rescue.h"

#include <assert.h>

static status
job_run(void *job) {
  const struct low_llvm_job *j = job;
  switch (j->task) {
  case LOW_FACTS: return low_facts_read(j->kernel, j->arena);
  case LOW_SOURCE: return low_source_compile(j->name, j->source, j->out);
  case LOW_COMPILE: return low_jit_compile(j->region, j->code, j->out);
  case LOW_IR: return low_jit_ir(j->region, j->out);
  case LOW_DEVICE: return low_device_compile(j->region, j->form, j->out);
  case LOW_MOVES: return low_moves_compile(j->kind, j->arch, j->out);
  }
  assert(!"a task");
  return ERR_COMPILE;
}

static status
run(const struct low_llvm_job *job) {
  return ll_rescue(job_run, (void *)(uintptr_t)job);
}

extern const struct low_llvm op2_low_llvm;
const struct low_llvm op2_low_llvm = {
    .version = OP2_VERSION,
    .log_level = &log_level,
    .mem_told = &mem_told,
    .error = err_last,
    .run = run,
};
