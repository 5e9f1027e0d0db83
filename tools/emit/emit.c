/* op2-run --emit=TARGET trace.irt --kernels file.bc: code of a recorded trace.
 *
 * What op2_generate does of what is pending, of a trace that was read: its regions
 * (if it was recorded before the passes, they run first, as the options in the
 * environment say), with the kernels of the bitcode: clang -O2 -Xclang
 * -disable-llvm-passes -fno-math-errno -c -emit-llvm. A kernel is found there by
 * its loop's name. */
#include "tools/emit/emit.h"

#include "frontend/context.h"
#include "frontend/generate.h"
#include "ir/ir.h"
#include "lower/generate.h"
#include "lower/kernel.h"
#include "lower/lower.h"
#include "lower/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct emit {
  const char *trace, *kernels, *arch, *out, *increments, *reads;
  struct ir_trace *t;
  struct str bitcode;
  struct low_kernel *list; /* of the trace's kernels */
  struct arena arena;
};

void
emit_usage(void) {
  fprintf(stderr,
          "       op2-run --emit=TARGET trace.irt --kernels file.bc\n"
          "               [--arch sm_90] [--out FOLDER] [--increments FORM]\n"
          "               [--reads FORM]\n"
          "       TARGET: cuda, opencl, openmp, seq, or a format: %s\n",
          low_generate_formats());
}

/* ---- trace and kernels --------------------------------------------------- */

static status
read_file(const char *path, struct str *out) {
  int bad = str_read_file(out, path);
  return bad ? err_set(ERR_IO, "%s: %s", path, strerror(bad)) : OK;
}

/* Numbers of nodes, and of values among them, stand in no text. */
static status
emit_trace(struct emit *e) {
  SCOPED_STR text = STR_INIT, why = STR_INIT;
  TRY(read_file(e->trace, &text));
  TRY(ir_parse(text.s, e->trace, &e->t));
  if (ir_verify(e->t, &why))
    FAIL(ERR_ARG, "%s: not a legal trace\n%s", e->trace, why.s);
  for (ir_ref n = 0; n < e->t->nnodes; n++) e->t->nodes[n].tag = n;
  for (ir_ref d = 0; d < e->t->ndats; d++) e->t->dats[d].tag = d;
  return OK;
}

static status
emit_kernels(struct emit *e) {
  TRY(read_file(e->kernels, &e->bitcode));
  status reduced = emit_reduce(e->t, &e->bitcode);
  if (reduced != OK) return err_prefix(reduced, "%s: ", e->kernels);
  e->list = mem_alloc(e->t->nkernels + 1, sizeof *e->list);
  for (ir_ref k = 0; k < e->t->nkernels; k++) {
    struct low_kernel *x = &e->list[k];
    x->name = arena_str(&e->arena, e->t->kernels[k].name);
    x->bitcode = e->bitcode.s;
    x->bitcode_bytes = e->bitcode.len;
    low_kernel_digest(x);
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
emit_all(struct emit *e, const struct low_generate *g) {
  TRY(emit_trace(e));
  TRY(emit_kernels(e));
  struct low_env env = {
      .kernel = env_kernel, .vector_math = fe.opt.vector_math != 0, .user = e};
  fe.opt.check = OPT_check_1;
  TRY(fe_generate(&e->t, &env, g, e->out));
  printf("%s/index.json\n", e->out);
  return OK;
}

/* ---- command line -------------------------------------------------------- */

static status
read_words(struct emit *e, char **argv) {
  for (; *argv; argv++) {
    const char **value = !strcmp(*argv, "--kernels")      ? &e->kernels
                         : !strcmp(*argv, "--arch")       ? &e->arch
                         : !strcmp(*argv, "--out")        ? &e->out
                         : !strcmp(*argv, "--increments") ? &e->increments
                         : !strcmp(*argv, "--reads")      ? &e->reads
                                                          : NULL;
    if (value) {
      if (!argv[1]) FAIL(ERR_ARG, "%s: expected a value behind it", *argv);
      *value = *++argv;
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

/* An option of the library as the environment would say it; NULL: it is not. */
static status
set_word(const char *option, const char *variable, const char *value) {
  opt_word word;
  if (!value) return OK;
  TRY(opt_parse_word(option, option + strlen("--"), value, &word));
  if (setenv(variable, value, 1))
    FAIL(ERR_MEMORY, "setenv: %s", strerror(errno));
  return OK;
}

/* The library as for a program that runs nothing: no device is opened. */
static status
start(const struct emit *e) {
  TRY(set_word("--increments", "OP2_INCREMENTS", e->increments));
  TRY(set_word("--reads", "OP2_READS", e->reads));
  if (setenv("OP2_STATIC", "1", 1))
    FAIL(ERR_MEMORY, "setenv: %s", strerror(errno));
  op_init(0, NULL, 0);
  return OK;
}

status
emit_run(const char *target, char **argv) {
  struct emit e = {.out = ".", .bitcode = STR_INIT};
  struct low_generate g;
  SCOPED_STR whole = STR_INIT;
  TRY(read_words(&e, argv));
  str_add(&whole, target);
  if (e.arch) str_printf(&whole, ":%s", e.arch);
  status s = low_generate_find(whole.s, &g);
  if (s != OK) return err_prefix(s, "--emit: ");
  TRY(start(&e));
  s = emit_all(&e, &g);
  if (e.t) ir_trace_free(e.t);
  free(e.list);
  str_clear(&e.bitcode);
  arena_clear(&e.arena);
  op_exit();
  return s;
}
