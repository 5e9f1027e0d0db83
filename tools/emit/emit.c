/* op2-run --emit=KIND trace.irt --kernels file.bc: code ahead of time.
 *
 * The trace says what the regions are (if it was recorded before the passes, they
 * run first), the bitcode what the kernels do: clang -O2 -Xclang
 * -disable-llvm-passes -fno-math-errno -c -emit-llvm. A kernel is found there by its
 * loop's name. Constants of the program become parameters of the code. Each region
 * goes to FOLDER/NN-name.ENDING; nothing is run, no device need be there. */
#include "tools/emit/emit.h"

#include "base/opt.h"
#include "ir/ir.h"
#include "lower/device.h"
#include "lower/maker.h"
#include "lower/module.h"
#include "passes/pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct emit {
  const struct emit_kind *kind;
  const char *trace, *kernels, *arch, *out;
  opt_word increments;
  struct ir_trace *t;
  struct str bitcode;
  struct low_kernel *list; /* of the trace's kernels */
  struct arena arena;
  uint32_t number;
};

static status emit_device(struct emit *e, const struct low_region *r,
                          struct str *code);
static status emit_object(struct emit *e, const struct low_region *r,
                          struct str *code);
static status emit_ir(struct emit *e, const struct low_region *r,
                      struct str *code);

static const struct emit_kind {
  const char *name, *ending;
  const char *target; /* of the loops; NULL: the host */
  enum rt_code_kind code;
  const char *arch;
  status (*make)(struct emit *e, const struct low_region *r, struct str *code);
} kinds[] = {
    {"ptx", "ptx", "cuda", RT_CODE_PTX, "sm_80", emit_device},
    {"spir", "bc", "opencl", RT_CODE_SPIR, "", emit_device},
    {"spirv", "spv", "opencl", RT_CODE_SPIRV, "", emit_device},
    {"llvm", "ll", NULL, 0, "", emit_ir},
    {"object", "o", NULL, 0, "", emit_object},
};

void
emit_usage(void) {
  fputs("       op2-run --emit=ptx|spir|spirv|llvm|object trace.irt --kernels "
        "file.bc\n"
        "               [--arch sm_90] [--out FOLDER] [--increments FORM]\n",
        stderr);
}

/* ---- code ---------------------------------------------------------------- */

static status
emit_device(struct emit *e, const struct low_region *r, struct str *code) {
  return low_device_text(r, e->kind->code, e->arch, code);
}

static status
emit_object(struct emit *e, const struct low_region *r, struct str *code) {
  (void)e;
  struct low_code in_memory = {0};
  TRY(low_llvm_compile(r, &in_memory, code));
  low_code_clear(&in_memory);
  return OK;
}

static status
emit_ir(struct emit *e, const struct low_region *r, struct str *code) {
  (void)e;
  return low_llvm_ir(r, code);
}

static status
emit_write(struct emit *e, const char *name, const struct str *code) {
  struct str path = STR_INIT;
  str_printf(&path, "%s/%02u-%s.%s", e->out, e->number++, name,
             e->kind->ending);
  FILE *f = fopen(path.s, "wb");
  bool good = f && fwrite(code->s, 1, code->len, f) == code->len;
  if (f && fclose(f)) good = false;
  status s = good ? OK : err_set(ERR_IO, "%s: %s", path.s, strerror(errno));
  if (good) puts(path.s);
  str_clear(&path);
  return s;
}

static status
emit_region(void *user, const struct low_region *r) {
  struct emit *e = user;
  struct str code = STR_INIT;
  status s = e->kind->make(e, r, &code);
  if (s != OK) s = err_prefix(s, "%s: ", r->name);
  if (s == OK) s = emit_write(e, r->name, &code);
  str_clear(&code);
  return s;
}

/* ---- trace and kernels --------------------------------------------------- */

static status
read_file(const char *path, struct str *out) {
  int bad = str_read_file(out, path);
  return bad ? err_set(ERR_IO, "%s: %s", path, strerror(bad)) : OK;
}

/* Parse; aim all loops; run the passes unless regions are there. */
static status
emit_trace(struct emit *e) {
  struct str text = STR_INIT;
  status s = read_file(e->trace, &text);
  if (s == OK) s = ir_parse(text.s, e->trace, &e->t);
  str_clear(&text);
  TRY(s);
  for (ir_ref n = 0; n < e->t->nnodes; n++)
    if (e->t->nodes[n].op == IR_LOOP) e->t->nodes[n].target = e->kind->target;
  if (e->t->nbuffers) return OK;
  char with[64];
  bool gpu = e->kind->code != RT_CODE_SPIR;
  snprintf(with, sizeof with, "colour{increments=%d,gpu=%d}",
           (int)(e->increments - OPT_increments_auto), gpu);
  return pass_run(&e->t, &(struct pass_options){.verify = true, .with = with});
}

static status
emit_kernels(struct emit *e) {
  TRY(read_file(e->kernels, &e->bitcode));
  e->list = mem_alloc(e->t->nkernels + 1, sizeof *e->list);
  for (ir_ref k = 0; k < e->t->nkernels; k++) {
    struct low_kernel *x = &e->list[k];
    x->name = arena_str(&e->arena, e->t->kernels[k].name);
    x->bitcode = e->bitcode.s;
    x->bitcode_bytes = e->bitcode.len;
    x->uid = k + 1;
    x->why = "";
    e->t->kernels[k].tag = k;
    status s = low_llvm_facts(x, &e->arena);
    if (s != OK) return err_prefix(s, "%s: ", e->kernels);
    if (x->effects)
      FAIL(ERR_COMPILE, "%s: kernel %s %s", e->kernels, x->name, x->why);
  }
  return OK;
}

static const struct low_kernel *
env_kernel(void *user, uint32_t tag) {
  return &((struct emit *)user)->list[tag];
}

static status
emit_all(struct emit *e) {
  TRY(emit_trace(e));
  TRY(emit_kernels(e));
  struct low_env env = {.kernel = env_kernel, .user = e};
  return low_regions_each(e->t, &env, emit_region, e);
}

/* ---- command line -------------------------------------------------------- */

static status
read_words(struct emit *e, char **argv) {
  for (; *argv; argv++) {
    const char **value = !strcmp(*argv, "--kernels") ? &e->kernels
                         : !strcmp(*argv, "--arch")  ? &e->arch
                         : !strcmp(*argv, "--out")   ? &e->out
                                                     : NULL;
    bool form = !strcmp(*argv, "--increments");
    if (value || form) {
      if (!argv[1]) FAIL(ERR_ARG, "%s: expected a value behind it", *argv);
      argv++;
      if (form)
        TRY(opt_parse_word("--increments", "increments", *argv,
                           &e->increments));
      if (value) *value = *argv;
    } else if (!e->trace) {
      e->trace = *argv;
    } else {
      FAIL(ERR_ARG, "--emit: what is %s?", *argv);
    }
  }
  if (!e->trace || !e->kernels)
    FAIL(ERR_ARG, "--emit: expected trace.irt --kernels file.bc");
  return OK;
}

status
emit_run(const char *kind, char **argv) {
  struct emit e = {
      .out = ".", .bitcode = STR_INIT, .increments = OPT_increments_auto};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (!strcmp(kinds[k].name, kind)) e.kind = &kinds[k];
  if (!e.kind)
    FAIL(ERR_ARG, "--emit=%s: expected ptx, spir, spirv, llvm or object", kind);
  e.arch = e.kind->arch;
  status s = read_words(&e, argv);
  if (s == OK) s = emit_all(&e);
  if (e.t) ir_trace_free(e.t);
  free(e.list);
  str_clear(&e.bitcode);
  arena_clear(&e.arena);
  return s;
}
