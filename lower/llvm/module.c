/* What the library finds when it opens this part: see lower/module.h. */
#include "lower/module.h"

#include "base/log.h"
#include "lower/llvm/bitcode.h"
#include "lower/llvm/code.h"
#include "lower/llvm/facts.h"
#include "lower/llvm/rescue.h"

/* All arguments that the table's functions have. */
struct module_args {
  struct low_kernel *kernel;
  struct arena *arena;
  const struct low_region *region;
  const struct low_device_form *form;
  struct low_code *code;
  const char *a, *b;
  struct str *text;
  enum rt_code_kind kind;
};

static status
facts_run(void *args) {
  struct module_args *x = args;
  return low_facts_read(x->kernel, x->arena);
}

static status
source_run(void *args) {
  struct module_args *x = args;
  return low_source_compile(x->a, x->b, x->text);
}

static status
compile_run(void *args) {
  struct module_args *x = args;
  return low_jit_compile(x->region, x->code, x->text);
}

static status
ir_run(void *args) {
  struct module_args *x = args;
  return low_jit_ir(x->region, x->text);
}

static status
device_run(void *args) {
  struct module_args *x = args;
  return low_device_compile(x->region, x->form, x->text);
}

static status
moves_run(void *args) {
  struct module_args *x = args;
  return low_moves_compile(x->kind, x->a, x->text);
}

/* ---- the table's functions ----------------------------------------------- */

static status
facts(struct low_kernel *k, struct arena *arena) {
  return ll_rescue(facts_run,
                   &(struct module_args){.kernel = k, .arena = arena});
}

static status
source(const char *name, const char *text, struct str *bitcode) {
  return ll_rescue(
      source_run, &(struct module_args){.a = name, .b = text, .text = bitcode});
}

static status
compile(const struct low_region *r, struct low_code *out, struct str *object) {
  return ll_rescue(compile_run, &(struct module_args){
                                    .region = r, .code = out, .text = object});
}

static status
ir(const struct low_region *r, struct str *out) {
  return ll_rescue(ir_run, &(struct module_args){.region = r, .text = out});
}

static status
device(const struct low_region *r, const struct low_device_form *form,
       struct str *code) {
  return ll_rescue(device_run, &(struct module_args){
                                   .region = r, .form = form, .text = code});
}

static status
moves(enum rt_code_kind kind, const char *arch, struct str *code) {
  return ll_rescue(
      moves_run, &(struct module_args){.kind = kind, .a = arch, .text = code});
}

extern const struct low_llvm op2_low_llvm;
const struct low_llvm op2_low_llvm = {
    .version = OP2_VERSION,
    .log_level = &log_level,
    .mem_told = &mem_told,
    .error = err_last,
    .facts = facts,
    .source = source,
    .compile = compile,
    .ir = ir,
    .device = device,
    .moves = moves,
};
