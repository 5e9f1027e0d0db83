/* Kernels from C text: clang as a separate process.
 *
 * The text is compiled with the flags of op2cc into the same reduced form that
 * op2cc embeds, so that nothing behind this file knows the difference. About 60
 * ms; kernel.c doesn't compile equal text twice.
 *
 * Two things differ, since no object file stands behind the text: its own
 * variables exist nowhere, so they must be constant in fact; and variables that
 * it only declares are looked up among the program's exported symbols
 * (kernel.c).
 */
#include "lower/llvm/bitcode.h"

#include "lower/llvm/facts.h"
#include "lower/llvm/ll.h"

#include <assert.h>
#include <errno.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

extern char **environ;

#ifndef OP2_CLANG
#define OP2_CLANG "clang-19"
#endif

/* A folder of this compilation: in.c, out.bc, log. */
struct source_files {
  struct str dir, in, out, log;
};

static status
source_open(struct source_files *f, const char *name, const char *source) {
  const char *tmp = getenv("TMPDIR");
  str_printf(&f->dir, "%s/op2-kernel.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(f->dir.s))
    FAIL(ERR_IO, "kernel %s: cannot make the folder %s: %s", name, f->dir.s,
         strerror(errno));
  str_printf(&f->in, "%s/in.c", f->dir.s);
  str_printf(&f->out, "%s/out.bc", f->dir.s);
  str_printf(&f->log, "%s/log", f->dir.s);
  SCOPED_STR text = STR_INIT;
  str_add(&text, "#line 1 ");
  str_quote(&text, name);
  str_printf(&text, "\n%s\n", source);
  int bad = str_write_file(&text, f->in.s);
  if (bad)
    FAIL(ERR_IO, "kernel %s: cannot write %s: %s", name, f->in.s,
         strerror(bad));
  return OK;
}

static void
source_close(struct source_files *f) {
  if (f->in.len) unlink(f->in.s);
  if (f->out.len) unlink(f->out.s);
  if (f->log.len) unlink(f->log.s);
  if (f->dir.len) rmdir(f->dir.s);
  str_clear(&f->dir);
  str_clear(&f->in);
  str_clear(&f->out);
  str_clear(&f->log);
}

/* Run the compiler, its words into the log. *rc_out: its exit status. */
static status
source_spawn(const struct source_files *f, const char *name, int *rc_out) {
  const char *args[] = {OP2_CLANG,
                        "-x",
                        "c",
                        "-std=gnu11",
                        "-O2",
                        "-Xclang",
                        "-disable-llvm-passes",
                        "-fno-math-errno",
                        "-fno-trapping-math",
                        "-ffp-contract=on",
                        "-fno-color-diagnostics",
                        "-c",
                        "-emit-llvm",
                        f->in.s,
                        "-o",
                        f->out.s,
                        NULL};
  posix_spawn_file_actions_t io;
  pid_t pid;
  posix_spawn_file_actions_init(&io);
  posix_spawn_file_actions_addopen(&io, 2, f->log.s,
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int bad = posix_spawnp(&pid, OP2_CLANG, &io, NULL, (char **)args, environ);
  posix_spawn_file_actions_destroy(&io);
  if (bad)
    FAIL(ERR_COMPILE, "kernel %s: cannot run %s: %s", name, OP2_CLANG,
         strerror(bad));
  while (waitpid(pid, rc_out, 0) < 0)
    if (errno != EINTR)
      FAIL(ERR_COMPILE, "kernel %s: lost %s: %s", name, OP2_CLANG,
           strerror(errno));
  return OK;
}

static status
source_run(const struct source_files *f, const char *name) {
  int rc;
  TRY(source_spawn(f, name, &rc));
  if (!rc) return OK;
  SCOPED_STR log = STR_INIT;
  str_read_file(&log, f->log.s);
  while (log.len && log.s[log.len - 1] == '\n') log.s[--log.len] = 0;
  return err_set(ERR_COMPILE, "kernel %s does not compile:\n%s", name, log.s);
}

/* Can the memory behind `v` change? Loads and address arithmetic cannot; the
 * depth is that of nested address computations. */
static bool
source_changes(LLVMValueRef v) {
  LL_USES(u, v) {
    LLVMValueRef w = LLVMGetUser(u);
    if (LLVMIsALoadInst(w)) continue;
    bool moves = LLVMIsAGetElementPtrInst(w) || LLVMIsAConstantExpr(w);
    if (!moves || source_changes(w)) return true;
  }
  return false;
}

/* Only what the kernel needs matters from here on. */
static status
source_isolate(LLVMModuleRef m, LLVMValueRef kernel) {
  LL_FUNCTIONS(f, m)
    if (!LLVMIsDeclaration(f) && f != kernel)
      LLVMSetLinkage(f, LLVMInternalLinkage);
  LL_GLOBALS(g, m)
    if (LLVMGetLinkage(g) != LLVMAppendingLinkage && !LLVMIsDeclaration(g))
      LLVMSetLinkage(g, LLVMInternalLinkage);
  return low_blob_drop_dead(m);
}

/* Is a variable that the kernel's cleaned copy still mentions only read there?
 * (As written it may be handed to a helper by address.) */
static status
source_check_globals(LLVMModuleRef cleaned, const char *name) {
  LL_GLOBALS(g, cleaned) {
    if (LLVMIsDeclaration(g) || LLVMIsGlobalConstant(g)) continue;
    if (LLVMGetLinkage(g) != LLVMAppendingLinkage && source_changes(g))
      FAIL(ERR_COMPILE,
           "kernel %s: its variable `%s` is not only read; a kernel from "
           "source keeps no state",
           name, ll_name(g));
  }
  return OK;
}

static status
source_freeze_globals(LLVMModuleRef m, const char *name) {
  struct facts f = {.ctx = LLVMGetModuleContext(m), .m = LLVMCloneModule(m)};
  f.fn = LLVMGetNamedFunction(f.m, name);
  status s = fact_clean(&f);
  if (s == OK) s = source_check_globals(f.m, name);
  LLVMDisposeModule(f.m);
  arena_clear(&f.arena);
  if (s != OK) return s;
  LL_GLOBALS(g, m)
    if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) != LLVMAppendingLinkage)
      LLVMSetGlobalConstant(g, 1);
  return OK;
}

static status
source_reduce(LLVMModuleRef m, const char *name, struct str *bitcode) {
  LLVMValueRef fn = LLVMGetNamedFunction(m, name);
  if (!fn || LLVMIsDeclaration(fn))
    FAIL(ERR_COMPILE, "kernel %s: the source does not define `%s`", name, name);
  TRY(source_isolate(m, fn));
  TRY(source_freeze_globals(m, name));
  TRY(low_blob_reduce(m, &name, 1, name, false));
  ll_buffer_add(LLVMWriteBitcodeToMemoryBuffer(m), bitcode);
  return OK;
}

static status
source_read(const struct source_files *f, const char *name,
            struct str *bitcode) {
  struct str raw = STR_INIT;
  int bad = str_read_file(&raw, f->out.s);
  if (bad)
    FAIL(ERR_IO, "kernel %s: cannot read %s: %s", name, f->out.s,
         strerror(bad));
  LLVMContextRef ctx = LLVMContextCreate();
  ll_errors_catch(ctx);
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange(raw.s, raw.len, name, 0);
  LLVMModuleRef m;
  bool broken = LLVMParseBitcodeInContext2(ctx, buffer, &m);
  LLVMDisposeMemoryBuffer(buffer);
  status s = broken
                 ? err_set(ERR_COMPILE, "kernel %s: %s", name, ll_error_text())
                 : source_reduce(m, name, bitcode);
  if (!broken) LLVMDisposeModule(m);
  LLVMContextDispose(ctx);
  str_clear(&raw);
  return s;
}

status
low_source_compile(const char *name, const char *source, struct str *bitcode) {
  assert(name && source);
  struct source_files f = {STR_INIT, STR_INIT, STR_INIT, STR_INIT};
  status s = source_open(&f, name, source);
  if (s == OK) s = source_run(&f, name);
  if (s == OK) s = source_read(&f, name, bitcode);
  source_close(&f);
  return s;
}
